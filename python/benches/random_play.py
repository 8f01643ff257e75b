"""How fast random play is from Python, beside pgx and OpenSpiel where they are installed.

python random_play.py
python random_play.py --game giuthi-8x8 --batch 1024,4096 --threads 1 --peers /path/to/venv/bin/python

A step is one move in one game. Ours is `env.step(env.sample_actions())`, with float32 observations, the mask and all other
arrays; theirs are in players.py. Every row is measured by a process of its own; those of a game take turns, its peers among
them, so that whatever else the machine does meets all alike. A figure is the median of the rounds. Peers and rows with one
thread stay on one core.

pgx and jax want other versions than we do: put them into an environment of their own (pip install pgx jax, pip install
open_spiel) and name its Python with --peers, as often as there are environments.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

PLAYERS = Path(__file__).with_name("players.py")
GAMES = ["giuthi-8x8", "giuthi-5x4", "kiothi-6x5"]
BATCHES = [1, 1024, 4096, 16384, 65536]
# Threads share a batch by so many games: with fewer, more of them change nothing.
GAMES_A_THREAD = 64


@dataclass(frozen=True)
class Player:
    """What is measured: a library, a game, and how it is played."""

    library: str
    game: str
    batch: int
    threads: int = 1
    copy: bool | None = None
    """Whether a step makes new arrays; None where nobody can choose."""


PEERS = [Player("pgx", "connect_four", 1024), Player("pgx", "connect_four", 4096), Player("open_spiel", "mancala", 1)]


@dataclass
class Row:
    """A player's rates, moves a second by round."""

    player: Player
    version: str = ""
    rates: list[float] = field(default_factory=list)

    @property
    def steps_per_s(self) -> float:
        return statistics.median(self.rates)

    def ratio_to(self, other: Row) -> float:
        """The median of the rounds' ratios: what slows a round down slows both."""
        return statistics.median(mine / theirs for mine, theirs in zip(self.rates, other.rates))

    def report(self, pgx: Row | None) -> dict[str, Any]:
        """As JSON; `pgx` is what ratios are to."""
        rates = {"steps_per_s": round(self.steps_per_s), "min": round(min(self.rates)), "max": round(max(self.rates))}
        ratio = {"ratio_to_pgx": self.ratio_to(pgx) if pgx else None}
        return asdict(self.player) | {"version": self.version} | rates | ratio

    def line(self, pgx: Row | None) -> str:
        """As a line of the table."""
        player, rates = self.player, f"{min(self.rates) / 1e6:.2f} to {max(self.rates) / 1e6:.2f}"
        copy = "-" if player.copy is None else str(player.copy)
        ratio = f"{self.ratio_to(pgx):.2f}x" if pgx else "-"
        name = f"{player.library} {self.version}"
        figures = f"{self.steps_per_s / 1e6:>9.2f}  {rates:>16}  {ratio:>7}"
        return f"{name:17} {player.game:26} {player.batch:>6} {player.threads:>7} {copy:>6}  {figures}"


HEADING = (
    f"{'library':17} {'game':26} {'batch':>6} {'threads':>7} {'copy':>6}"
    f"  {'M steps/s':>9}  {'lowest, highest':>16}  {'to pgx':>7}"
)


class Failed(Exception):
    """A player that cannot play; the message says why in a line."""


class Worker:
    """A process that plays when it is told to."""

    def __init__(self, python: str, player: Player, core: int | None) -> None:
        self.row = Row(player)
        self._errors = tempfile.TemporaryFile("w+")
        argument = json.dumps(asdict(player) | {"core": core})
        try:
            self._process = subprocess.Popen(
                [python, str(PLAYERS), argument],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                text=True,
            )
        except OSError as error:
            raise Failed(f"{python}: {error.strerror}") from None
        self.row.version = self._answer()

    def play(self, seconds: float) -> None:
        """One round."""
        assert self._process.stdin is not None
        try:
            print(seconds, file=self._process.stdin, flush=True)
        except OSError:
            pass
        self.row.rates.append(float(self._answer()))

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            self._errors.seek(0)
            lines = [line.strip() for line in self._errors if line.strip()]
            raise Failed(lines[-1] if lines else f"it ended with code {self._process.returncode}")
        return line.strip()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._errors.close()


class Measurement:
    """Rows by rows, as the arguments ask for."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.core = None if args.no_pin else last_core()
        self.pythons = [sys.executable, *args.peers]
        """Where peers are looked for."""
        self.missing: set[str] = set()
        """Libraries that no Python has."""

    def players(self, game: str) -> Iterator[Player]:
        for batch in self.args.batch:
            for threads in self.args.threads:
                if threads == 1 or batch > GAMES_A_THREAD:
                    yield from (Player("mancala_rl", game, batch, threads, copy) for copy in self.args.copy)

    def measure(self, game: str) -> list[Row]:
        """The rows of a game, then its peers."""
        workers: list[Worker] = []
        try:
            for player in self.players(game):
                workers.append(Worker(sys.executable, player, self.core if player.threads == 1 else None))
            for player in PEERS:
                workers.extend(self.peer(player))
            for _ in range(self.args.rounds):
                for worker in workers:
                    worker.play(self.args.seconds)
            return [worker.row for worker in workers]
        finally:
            for worker in workers:
                worker.close()

    def peer(self, player: Player) -> Iterator[Worker]:
        """A peer, if some Python has it; a note if none has."""
        if player.library in self.missing:
            return
        problems = []
        for python in self.pythons:
            try:
                worker = Worker(python, player, self.core)
            except Failed as error:
                problems.append(f"{python}: {error}")
            else:
                self.pythons.sort(key=lambda other: other != python)
                yield worker
                return
        self.missing.add(player.library)
        note(f"{player.library} is not measured; name a Python that has it with --peers ({'; '.join(problems)})")


def last_core() -> int | None:
    """The core to stay on; None where processes cannot be told to."""
    if not hasattr(os, "sched_setaffinity"):
        note("processes cannot be kept on one core here")
        return None
    return max(os.sched_getaffinity(0))


def note(text: str) -> None:
    print(f"note: {text}", file=sys.stderr, flush=True)


def some(what: str, convert: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    """Reads one thing or several with commas between them."""

    def read(text: str) -> list[Any]:
        try:
            return [convert(part) for part in text.split(",")]
        except ValueError:
            raise argparse.ArgumentTypeError(
                f"expected {what}, or several with commas between them: {text!r}"
            ) from None

    return read


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def seconds(text: str) -> float:
    number = float(text)
    if not 0 < number <= 3600:
        raise ValueError
    return number


def flag(text: str) -> bool:
    if text not in ("True", "False"):
        raise ValueError
    return text == "True"


def parse() -> argparse.Namespace:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parser = argparse.ArgumentParser(description="Random play from Python, beside pgx and OpenSpiel.")
    count = some("a whole number of at least 1", positive)
    parser.add_argument("--game", type=some("a game", str), default=GAMES, metavar="G,...")
    parser.add_argument("--batch", type=count, default=BATCHES, metavar="B,...")
    parser.add_argument("--threads", type=count, default=[1, 2] if cores > 1 else [1], metavar="T,...")
    parser.add_argument("--copy", type=some("True or False", flag), default=[True, False], metavar="True,False")
    parser.add_argument("--seconds", type=seconds, default=0.15, help="of a row in a round (default 0.15)")
    parser.add_argument("--rounds", type=positive, default=5, help="of which the median is taken (default 5)")
    parser.add_argument(
        "--peers", action="append", default=[], metavar="PYTHON", help="has pgx or OpenSpiel; repeatable"
    )
    parser.add_argument("--no-pin", action="store_true", help="do not keep what has one thread on one core")
    parser.add_argument("--json", action="store_true", help="print a list of objects, one a row")
    return parser.parse_args()


def main() -> None:
    args = parse()
    measurement = Measurement(args)
    reports: list[dict[str, Any]] = []
    if not args.json:
        print(f"median of {args.rounds} rounds of {args.seconds} s; to pgx: to the faster of its batches\n\n{HEADING}")
    for game in args.game:
        try:
            rows = measurement.measure(game)
        except Failed as error:
            sys.exit(f"error: {game}: {error}")
        theirs = [row for row in rows if row.player.library == "pgx"]
        pgx = max(theirs, key=lambda row: row.steps_per_s, default=None)
        reports += [row.report(pgx) for row in rows]
        if not args.json:
            print(*(row.line(pgx) for row in rows), sep="\n", end="\n\n", flush=True)
    if args.json:
        print(json.dumps(reports, indent=1))


if __name__ == "__main__":
    main()
