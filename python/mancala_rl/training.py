"""Runs the `mancala train` command and follows its metrics."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from . import _arguments

Record = dict[str, Any]

_POLL_SECONDS = 0.1
_STDERR_KEPT = 20_000
_REFUSED = 2
"""The exit code for bad usage or input."""


class TrainingError(RuntimeError):
    """The training command has failed; `returncode`, `cmd` and `stderr` tell how."""

    def __init__(self, returncode: int, cmd: list[str], stderr: str) -> None:
        super().__init__(f"{' '.join(cmd)} failed with exit code {returncode}:\n{stderr.strip()}")
        self.returncode = returncode
        self.cmd = cmd
        self.stderr = stderr


class TrainingInputError(TrainingError, ValueError):
    """The training command has refused what it was given (exit code 2): config, overrides, folder or checkpoint."""


def train(
    config: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    seed: int | None = None,
    iterations: int | None = None,
    resume: bool = False,
    overrides: Mapping[str, Any] | None = None,
    binary: str | os.PathLike[str] | None = None,
    on_metrics: Callable[[Record], None] | None = None,
) -> list[Record]:
    """Trains a net with the ``mancala train`` command and waits for it.

    Args:
        config: The config file, as ``train/configs/giuthi-5x4.toml``.
        out: The run's folder.
        seed: The run's seed, instead of the config's.
        iterations: How many iterations to run, instead of the config's.
        resume: Whether to go on from the folder's latest checkpoint.
        overrides: Config values instead of the file's, as ``{"net.channels": 64}``.
        binary: The ``mancala`` command. Without it ``$MANCALA_BIN``, then the PATH, then ``target/release`` of the checkout
            around this package or the working directory.
        on_metrics: Called with each metrics record as soon as it is written.

    Returns:
        The records that this call has added to the run's ``metrics.jsonl``.

    Raises:
        FileNotFoundError: If there is no such command or config file. Nothing has been run.
        TypeError, ValueError: If an argument has the wrong type or value, as ``iterations`` below 1. Nothing has been run.
        TrainingInputError: A TrainingError that is a ValueError too, if the command refuses what it was given: a wrong config
            or override, a folder that holds a run without ``resume``, a damaged checkpoint.
        TrainingError: A RuntimeError with ``returncode``, ``cmd`` and ``stderr``, if the command fails.
        KeyboardInterrupt: Ctrl-C is passed on to the command, which finishes its iteration; a second one stops it at once.
    """
    seed = None if seed is None else _arguments.seed(seed)
    iterations = None if iterations is None else _arguments.integer("iterations", iterations, 1, 2**63 - 1)
    config, out = _arguments.path("config", config), _arguments.path("out", out)
    resume = _arguments.flag("resume", resume)
    if on_metrics is not None and not callable(on_metrics):
        raise TypeError(f"on_metrics is a function of a record, not {type(on_metrics).__name__}")
    cmd = _command(find_binary(binary), config, out, seed, iterations, resume, _checked(overrides))
    if not os.path.exists(config):
        raise FileNotFoundError(errno.ENOENT, "there is no such config file", config)
    follower = _Follower(Path(out) / "metrics.jsonl")
    records: list[Record] = []
    with tempfile.TemporaryFile() as stderr:
        # A session of its own: Ctrl-C reaches the command once, through us.
        process = subprocess.Popen(cmd, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True)
        try:
            running = True
            while running:
                running = process.poll() is None
                for record in follower.read():
                    records.append(record)
                    if on_metrics is not None:
                        on_metrics(record)
                if running:
                    time.sleep(_POLL_SECONDS)
        except BaseException:
            _interrupt(process)
            raise
        if process.returncode != 0:
            error = TrainingInputError if process.returncode == _REFUSED else TrainingError
            raise error(process.returncode, cmd, _tail(stderr))
    return records


def find_binary(binary: str | os.PathLike[str] | None = None) -> str:
    """The path of the ``mancala`` command; see :func:`train` for where it is looked for."""
    wanted = None if binary is None else _arguments.path("binary", binary)
    for origin, name in (("binary", wanted), ("MANCALA_BIN", os.environ.get("MANCALA_BIN"))):
        if name:
            found = shutil.which(name)
            if found is None:
                raise FileNotFoundError(f"{origin}={name!r} is no command. {_HOW_TO_BUILD}")
            return found
    found = shutil.which("mancala")
    if found is not None:
        return found
    for start in (Path(__file__).resolve().parent, Path.cwd()):
        for folder in (start, *start.parents):
            built = folder / "target" / "release" / "mancala"
            if (folder / "Cargo.toml").is_file() and os.access(built, os.X_OK):
                return str(built)
    raise FileNotFoundError(f"there is no mancala command on the PATH. {_HOW_TO_BUILD}")


_HOW_TO_BUILD = (
    "Build it with `make release` in a checkout of mancala-rl (it is then target/release/mancala), and give it as "
    "binary=, in $MANCALA_BIN or on the PATH."
)


def _command(
    binary: str,
    config: str,
    out: str,
    seed: int | None,
    iterations: int | None,
    resume: bool,
    overrides: Mapping[str, Any],
) -> list[str]:
    cmd = [binary, "train", "--config", config, "--out", out]
    settings = dict(overrides)
    if seed is not None:
        settings["seed"] = seed
    for key, value in settings.items():
        cmd += ["--set", f"{key}={_toml(value)}"]
    if iterations is not None:
        cmd += ["--iterations", str(iterations)]
    if resume:
        cmd.append("--resume")
    return cmd


def _checked(overrides: Any) -> Mapping[str, Any]:
    """Overrides that can stand in a command; whether there are such values is for the command to say."""
    if overrides is None:
        return {}
    if not isinstance(overrides, Mapping):
        raise TypeError(f"overrides is a dict, not {type(overrides).__name__}")
    for key, value in overrides.items():
        if "\0" in _arguments.text("a key of overrides", key):
            raise ValueError(f"a key of overrides has no NUL byte, and {_arguments.shown(key)} has one")
        name = f"overrides[{_arguments.shown(key)}]"
        try:
            written = _toml(value)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if "\0" in _arguments.text(name, written):
            raise ValueError(f"{name} has no NUL byte, and {_arguments.shown(value)} has one")
    return overrides


def _toml(value: Any) -> str:
    """A config value as ``--set`` reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


class _Follower:
    """Reads what is added to a file of JSON lines from now on.

    A resumed run first replaces the file by its beginning, up to the checkpoint; what it then does anew counts as added.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._old = path.read_bytes() if path.is_file() else b""
        self._inode = path.stat().st_ino if path.is_file() else None
        self._offset = len(self._old)

    def read(self) -> Iterator[Record]:
        """The records whose lines have been finished since the last call."""
        if not self._path.is_file():
            return
        with self._path.open("rb") as file:
            inode = os.fstat(file.fileno()).st_ino
            if inode != self._inode:
                self._inode, self._offset = inode, self._kept(file)
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._offset += len(line)
                yield json.loads(line)

    def _kept(self, file: IO[bytes]) -> int:
        """How much of the old file a new one begins with, in whole lines."""
        kept = 0
        for old, new in zip(self._old.splitlines(keepends=True), file):
            if old != new:
                break
            kept += len(old)
        return kept


def _interrupt(process: subprocess.Popen[bytes]) -> None:
    """Stops the command the way Ctrl-C would, and waits for it; a second Ctrl-C kills it."""
    process.send_signal(signal.SIGINT)
    try:
        process.wait()
    except KeyboardInterrupt:
        process.kill()
        process.wait()


def _tail(file: IO[bytes]) -> str:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _STDERR_KEPT))
    return file.read().decode(errors="replace")
