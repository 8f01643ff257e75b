"""Replay shards as `docs/file-formats.md` tells of them, written and read without any code of the package's own."""

import json
import random
import struct
import zlib
from typing import NamedTuple

import mancala_rl as mrl

MAGIC = b"MNCSHARD"
ENDS = ("no-moves", "repetition", "endless")


class Move(NamedTuple):
    action: int
    value: float
    policy: list  # shares of 65535 of the legal actions, or empty


class Game(NamedTuple):
    index: int
    opening: list
    moves: list
    end: int | None
    returns: tuple
    scores: tuple


def played(game, index, seed, opening_plies=3, max_plies=60):
    """A random game with made-up values and policies; every third move was searched fast."""
    rng, state = random.Random(seed), mrl.State(game)
    opening, moves = [], []
    while not state.is_over and len(moves) < max_plies:
        legal = state.legal_actions()
        action = rng.choice(legal)
        if len(opening) < opening_plies:
            opening.append(action)
        elif len(legal) == 1:
            moves.append(Move(action, 0.0, []))
        else:
            policy = [] if len(moves) % 3 == 2 else [rng.randrange(1, 65536 // len(legal)) for _ in legal]
            moves.append(Move(action, rng.uniform(-1, 1), policy))
        state.play(action)
    end = ENDS.index(state.result) if state.is_over else None
    return Game(index, opening, moves, end, state.returns(), state.scores)


def shard(game, games, iteration=1, seed=7, version=1, told=None):
    """The bytes of a shard; `told` is said in its header instead."""
    state, records = mrl.State(game), pack(games)
    fields = {
        "game": state.game,
        "rules_version": state.rules_version,
        "seed": seed,
        "iteration": iteration,
        "games": len(games),
        "positions": sum(len(one.moves) for one in games),
        "bytes": len(records),
        **(told or {}),
    }
    head = json.dumps(fields).encode()
    data = MAGIC + struct.pack("<II", version, len(head)) + head + stored(records)
    return data + struct.pack("<I", zlib.crc32(data))


def write_run(folder, game, iterations=2, games=6, seed=7):
    """A run's folder with shards; returns the games of all of them."""
    replay, everything = folder / "replay", []
    replay.mkdir(parents=True)
    for iteration in range(1, iterations + 1):
        some = [played(game, i, seed * 1000 + iteration * 100 + i) for i in range(games)]
        (replay / f"{iteration:06}.shard").write_bytes(shard(game, some, iteration, seed))
        everything += some
    return everything


def read(path):
    """The header and the games of a shard."""
    data = path.read_bytes()
    version, length = struct.unpack_from("<II", data, 8)
    assert data[:8] == MAGIC and version == 1
    assert zlib.crc32(data[:-4]) == struct.unpack("<I", data[-4:])[0]
    records = unpacked(data[16 + length : -4])
    header = json.loads(data[16 : 16 + length])
    assert len(records) == header["bytes"]
    return header, parse(records)


def number(value):
    """An integer as postcard writes it: seven bits a byte, the lowest first."""
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def pack(games):
    """Games as postcard writes them."""
    out = number(len(games))
    for game in games:
        out += number(game.index) + number(len(game.opening)) + b"".join(map(number, game.opening))
        out += number(len(game.moves))
        for move in game.moves:
            out += number(move.action) + struct.pack("<f", move.value)
            out += number(len(move.policy)) + b"".join(map(number, move.policy))
        out += b"\0" if game.end is None else b"\1" + number(game.end)
        out += struct.pack("<2f2B", *game.returns, *game.scores)
    return out


def parse(data):
    """Reads what `pack` writes."""
    at = 0

    def integer():
        nonlocal at
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def fixed(form):
        nonlocal at
        found = struct.unpack_from(form, data, at)
        at += struct.calcsize(form)
        return found

    def several(one):
        return [one() for _ in range(integer())]

    def move():
        return Move(integer(), fixed("<f")[0], several(integer))

    def game():
        index, opening, moves = integer(), several(integer), several(move)
        end = integer() if integer() else None
        return Game(index, opening, moves, end, fixed("<2f"), fixed("<2B"))

    games = several(game)
    assert at == len(data)
    return games


def stored(data):
    """An LZ4 block that repeats nothing."""
    if len(data) < 15:
        return bytes([len(data) << 4]) + data
    more = len(data) - 15
    return b"\xf0" + b"\xff" * (more // 255) + bytes([more % 255]) + data


def unpacked(data):
    """An LZ4 block as it was before."""
    out, at = bytearray(), 0

    def length(nibble):
        nonlocal at
        total = nibble
        while nibble == 15:
            byte, at = data[at], at + 1
            total += byte
            if byte < 255:
                break
        return total

    while at < len(data):
        token, at = data[at], at + 1
        literals = length(token >> 4)
        out += data[at : at + literals]
        at += literals
        if at == len(data):
            return bytes(out)
        offset = struct.unpack_from("<H", data, at)[0]
        at += 2
        for _ in range(length(token & 15) + 4):
            out.append(out[-offset])
    raise AssertionError("a block ends with literals")
