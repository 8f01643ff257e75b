from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias, final, type_check_only

import numpy as np
import numpy.typing as npt

__all__ = [
    "ACTION_FEATURES",
    "Agent",
    "Analysis",
    "Judgement",
    "Lap",
    "LeafBatch",
    "MatchResult",
    "MatchSide",
    "NativeNet",
    "NetConfig",
    "NetInputs",
    "NetOutputs",
    "Played",
    "Probe",
    "Probes",
    "ReplayBatch",
    "ReplayPositions",
    "SearchResult",
    "SprtResult",
    "State",
    "Tablebase",
    "Trace",
    "VecEnv",
    "__version__",
    "agent",
    "build_tablebase",
    "match",
    "mcts",
    "perft",
]

__version__: str
ACTION_FEATURES: int
"""Features of an action: 8."""

@final
class Played:
    """What one action did."""

    @property
    def captured(self) -> int:
        """Seeds taken by the capture, effecting seed and bonus among them; the sweep at the end is not."""
    @property
    def laps(self) -> int | None:
        """Laps sown, the first included; 0 in Kiothi's opening, None if they would never have ended."""
    @property
    def landing(self) -> int:
        """Board number of the pit in which the last seed fell (endless: of the pit it was started from)."""
    @property
    def entered(self) -> bool:
        """At least one seed fell into the opponent's row."""
    @property
    def extra_move(self) -> bool:
        """The player has earned an extra move (Giuthi)."""
    @property
    def bonus(self) -> bool:
        """The leftmost bonus was taken (Kiothi)."""
    @property
    def passed(self) -> bool:
        """A player without a move was passed over, and the game goes on; with `extra_move` the mover himself."""
    @property
    def endless(self) -> bool:
        """The laps would never have ended; the board stands as before."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Lap:
    """One sowing of a move, until the hand is empty. Pits have their board numbers."""

    @property
    def from_pit(self) -> int:
        """The pit it was lifted from."""
    @property
    def seeds(self) -> int:
        """The seeds sown."""
    @property
    def direction(self) -> Literal["ccw", "cw"]:
        """Which way: "ccw", from low pit numbers to high, or "cw"; in Kiothi always "ccw"."""
    @property
    def landing(self) -> int:
        """Where the last seed fell."""
    @property
    def relays(self) -> bool:
        """That pit was occupied: all its seeds go on in the next lap."""
    @property
    def position(self) -> str:
        """The position as text when the last seed had fallen, before a capture and with the mover still to move."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Trace:
    """A move lap by lap; made by `State.trace`.

    It is told by the rules alone: whether a position has stood before, and the game is over, only `State.play` finds out.
    """

    @property
    def laps(self) -> list[Lap]:
        """The laps, none in Kiothi's opening. An endless sowing's end where all stands as it stood before, or where it is proven."""
    @property
    def comes_back_to(self) -> int | None:
        """Of an endless sowing: the index of the lap after which all stood as after the last one here. None where the sowing ends,
        or was proven endless before it came round.
        """
    @property
    def captures(self) -> list[tuple[int, int]]:
        """The pits emptied by the capture and the seeds taken from each, ascending, the landing pit among them; empty without one."""
    @property
    def captured_position(self) -> str | None:
        """The position as text when these had gone to the score, before a sweep at the end; None without a capture."""
    @property
    def played(self) -> Played:
        """What `play` returns, as if nothing had stood before."""
    @property
    def position(self) -> str:
        """The position as text after the action, the turn given on and at the end all swept, without a word for the end."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class State:
    """One game: a position, its history and how it ended.

    Players are 0 and 1. The same player may move several times in a row, and a player without a move is passed over: read
    `to_move`, never assume turns. Actions are numbered relative to the player to move.

    Two states are equal if all that can tell their games apart from here on is the same: board and player to move, the positions
    since the last capture (one that comes back ends the game), end, options. Equal states have equal futures. How they came about
    is not compared. The hash is of board and options as they stand: do not play on a state that is a key of a dict. States copy
    and pickle with their history.

    `State(game, **options)` is the start of a game. `game` is an id: "giuthi-{pits}x{seeds}", "kiothi-{boma}x{warriors}",
    "giuthi" (8x8), "kiothi" (6x5). Options: capture="any" | "occupied" (Giuthi), one_warrior_multiplier=1.0 (Kiothi).
    ValueError if there is no such game, option or value, or an option of the id is given another value; TypeError if a value has
    the wrong type.
    """

    def __new__(cls, game: str, **options: Any) -> State: ...
    @staticmethod
    def from_position(game: str, position: str, **options: Any) -> State:
        """A position as text, the first of its own history, settled (a pass, or the sweep of a no-moves end).

        With a word for its end `position` is that finished game. `game` and `options`, as of `State`, tell size and rules; the seeds may
        be any up to 180 in all (Kiothi: 60). ValueError, naming the field, if the text is malformed.
        """
    @property
    def game(self) -> str:
        """The game's id, options that are not the default after a question mark."""
    @property
    def rules_version(self) -> int:
        """Another one may lead elsewhere by the same actions."""
    @property
    def observation_version(self) -> int:
        """Another one may observe the same position otherwise."""
    @property
    def num_actions(self) -> int:
        """The size of the action space, A."""
    @property
    def observation_len(self) -> int:
        """Cells of an observation, D."""
    @property
    def to_move(self) -> int:
        """0 or 1; at the end the player shown in the position text."""
    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
    @property
    def scores(self) -> tuple[int, int]:
        """Seeds captured, by player."""
    @property
    def result(self) -> Literal["no-moves", "repetition", "endless"] | None:
        """How the game ended; None while it goes on."""
    @property
    def winner(self) -> Literal[0, 1] | None:
        """None in a draw and while the game goes on."""
    @property
    def key(self) -> int:
        """64 bits of all that equality compares, the same in every process and on every machine."""
    def returns(self) -> tuple[float, float]:
        """The outcome by player: +1 a win, -1 a loss (Kiothi: times the multiplier in a one-warrior victory), 0 a draw or unfinished."""
    def legal_actions(self) -> list[int]:
        """Ascending; empty exactly when the game is over."""
    def play(self, action: SupportsIndex | str) -> Played:
        """Plays `action`, a number or a text ("12ccw", "4:3").

        IllegalActionError (a ValueError) if it is not legal or the game is over; ActionOutOfRangeError (an IndexError too) if
        it is no action of this game; ValueError if the text is no move of the player to move; TypeError for other types.
        Nothing has changed then.
        """
    def trace(self, action: SupportsIndex | str) -> Trace:
        """What `action` would do, lap by lap; nothing is played. The errors are those of `play`."""
    def history(self) -> tuple[State, list[int]]:
        """Where the game began, and the actions played since.

        Of a state that a match has handed out it is only what has been played on it: the game before is not known.
        """
    def action_name(self, action: SupportsIndex) -> str:
        """The text of `action`, which is the player's to move; it need not be legal."""
    def parse_action(self, text: str) -> int:
        """The action that `text` names for the player to move; it need not be legal. ValueError if it names none."""
    def position(self) -> str:
        """The position as text, the word for its end last."""
    def observation(self, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
        """The position in the view of the player to move, shape (D,); `dtype` is float32, normalized (the default), or uint8, raw."""
    def action_mask(self) -> npt.NDArray[np.bool_]:
        """The legal actions, shape (A,)."""
    def action_features(self) -> npt.NDArray[np.float32]:
        """What each legal action would do, shape (K, 8), rows in the order of `legal_actions()`.

        Seeds captured / seeds a pit at the start; extra move; laps / 10; landing pit from the mover's left / pits; enemy row
        entered; would repeat a position; endless; ends the game.
        """
    def copy(self) -> State:
        """The same game, to be played on by itself."""
    def __copy__(self) -> State: ...
    def __deepcopy__(self, _memo: Any, /) -> State: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def _repr_svg_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...
    @staticmethod
    def _from_moves(rules_version: int, game: str, start: str, actions: list[int]) -> State: ...
    @staticmethod
    def _from_saved(game: str, saved: bytes, actions: list[int]) -> State: ...

def perft(game: str, depth: SupportsIndex, position: str | None = None, **options: Any) -> int:
    """The number of legal action sequences of length `depth` from the start of `game`, or from `position` with a fresh history.

    `options` are those of `State`. Passes are no actions; a finished game has no continuation; repetition and endless sowing end
    games. Runs without the GIL, and Ctrl-C interrupts it.
    """

@type_check_only
class _ActsMany(Protocol):
    def act_many(self, states: list[State], /) -> Any: ...

@final
class Agent:
    """An agent that plays any game; made by `agent`.

    An answer depends on the position, its history and the seed alone, never on what was asked before (agents limited by time
    excepted). Whatever an agent needs for a game is made when it first sees one. It copies and pickles by spec and seed. Ctrl-C
    stops it while it thinks. One thread at a time: a second one gets a RuntimeError.
    """

    @property
    def spec(self) -> str:
        """The agent's spec."""
    def new_game(self, seed: SupportsIndex) -> None:
        """Begins a game: whatever is random from here on comes from `seed`."""
    def act(self, state: State) -> int:
        """The agent's action in `state`.

        ValueError if the game is over or the agent does not fit it, RuntimeError if the agent fails.
        """
    def act_many(self, states: Iterable[State]) -> list[int]:
        """The agent's actions in `states`, in order; agents that look far do this faster than one by one."""
    def analyze(self, state: State) -> Analysis:
        """What the agent thinks of `state`.

        Without contempt for draws, so that the best action need not be what a net agent with contempt plays: `analyze(state).line[0]`
        may differ from `act(state)`. Errors are those of `act`.
        """
    def __reduce__(self) -> tuple[Any, tuple[str, str | None, int]]: ...

@final
class Analysis:
    """What an agent thinks of a position, all of it in the view of the player to move.

    A draw counts as 0 here. Net agents with contempt for draws (see `agent`) may choose another action than `line`
    begins with.
    """

    @property
    def unit(self) -> Literal["margin", "outcome"]:
        """In what values are counted: "margin", seeds by which the game ends, or "outcome", 1 a win and -1 a loss."""
    @property
    def value(self) -> float:
        """The value of the position."""
    @property
    def line(self) -> list[int]:
        """The actions that the agent expects, from the one it holds best."""
    @property
    def actions(self) -> list[int]:
        """The legal actions, ascending."""
    @property
    def values(self) -> list[float | None]:
        """Each action's value; None where the agent has not judged it."""
    @property
    def policy(self) -> list[float | None]:
        """Each action's share of the agent's choice, adding up to 1; None where the agent has no policy."""
    @property
    def nodes(self) -> int:
        """Nodes searched, or simulations run."""
    @property
    def depth(self) -> int | None:
        """The depth completed; None where there is none."""

def agent(spec: str, game: str | None = None, seed: SupportsIndex = 0) -> Agent:
    """Makes an agent from `spec`; `seed` is what `new_game` has been told, until it is told another.

    "random", "greedy", "alphabeta:depth=8|nodes=100000|time=0.1", "mcts:sims=800|time=0.1", "net:WHAT,sims=64|time=0.1" (WHAT:
    a net that ships, as "giuthi-6x6", a run's folder, a checkpoint's, or a .safetensors file), "tablebase:FILE" (perfect play, and a
    ValueError where the table has no answer). Those that search take ",tb=FILE": they play perfectly where the table has answers, and
    look positions up elsewhere. With a `game` id it is made for that game at once, which finds out whether it can be; otherwise when it
    first sees a state. A net's and a tablebase's file is read and checked at once in either case.

    "net:WHAT,sims=64,contempt=0.5" counts a draw as half a loss when it acts, and so settles for none with a weaker player;
    analyses have no contempt. `docs/agents.md` explains.

    ValueError if there is no such agent, it does not fit the game, or a file is damaged; FileNotFoundError if there is no such
    file or it cannot be read.
    """

@final
class MatchSide:
    """What one side of a match was and took."""

    @property
    def agent(self) -> str:
        """Its spec; of an object the attribute `name`, if that is a str, else the name of its class."""
    @property
    def moves(self) -> int:
        """Actions it chose."""
    @property
    def seconds_a_move(self) -> float | None:
        """Seconds an action, the share of a batch; None if it chose none."""
    @property
    def nodes_a_move(self) -> float | None:
        """Nodes searched or simulations run an action; None where none are counted, as of objects."""

@final
class SprtResult:
    """Where the sequential test of a match stands."""

    @property
    def llr(self) -> float:
        """The log likelihood ratio of elo1 to elo0."""
    @property
    def lower(self) -> float:
        """At or below this elo0 is taken for true."""
    @property
    def upper(self) -> float:
        """At or above this elo1 is taken for true."""
    @property
    def decision(self) -> Literal["elo0", "elo1"] | None:
        """ "elo0" or "elo1", whichever is taken for true; None if the games did not decide."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class MatchResult:
    """The result of a match in the view of agent A.

    The two games of an opening are not independent, so spread is measured between pairs of games. Two results are equal if the
    games went alike: what `a` and `b` are and took is not compared.
    """

    @property
    def games(self) -> int:
        """Games counted, two an opening."""
    @property
    def wins(self) -> int:
        """Games A won."""
    @property
    def draws(self) -> int:
        """Games drawn."""
    @property
    def losses(self) -> int:
        """Games A lost."""
    @property
    def score(self) -> float:
        """A's points a game, 0 to 1, a draw half a point."""
    @property
    def score_se(self) -> float:
        """The standard error of `score`, over pairs."""
    @property
    def elo(self) -> float | None:
        """A's Elo less B's; None where `score` is 0 or 1."""
    @property
    def elo_low(self) -> float | None:
        """Lower end of the 95% interval of `elo`; None where unbounded."""
    @property
    def elo_high(self) -> float | None:
        """Upper end of the 95% interval of `elo`; None where unbounded."""
    @property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Pairs in which A had 0, 0.5, 1, 1.5 and 2 points."""
    @property
    def duplicates(self) -> int:
        """Games that are, action by action, another one of the match."""
    @property
    def a(self) -> MatchSide:
        """What agent A was and took."""
    @property
    def b(self) -> MatchSide:
        """What agent B was and took."""
    @property
    def sprt(self) -> SprtResult | None:
        """The sequential test; None without one."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

def match(
    game: str,
    a: str | Agent | _ActsMany,
    b: str | Agent | _ActsMany,
    games: SupportsIndex = 200,
    seed: SupportsIndex = 0,
    threads: SupportsIndex = 1,
    opening_plies: SupportsIndex = 4,
    lockstep: SupportsIndex | None = None,
    results: str | PathLike[str] | None = None,
    sprt: tuple[float, float] | None = None,
    **options: Any,
) -> MatchResult:
    """Plays `game` between two agents and sums the games up in the view of `a`.

    Games start from random openings of `opening_plies` plies, distinct up to the mirror; each is played twice, seats swapped. The
    games depend on `games`, `opening_plies`, `seed` and the agents, not on `threads` and `lockstep`. `options` are those of `State`.

    `a` and `b` are specs (see `agent`), agents, or objects with `act_many(states) -> actions`: one legal action for each of many
    States, in a list or an integer array. It is called in the caller's thread, and no other plays. Before the first question
    `new_game(seed)` is called once, if the object has it; the same object as `a` and `b` is told both seeds, that of `b` last.

    `lockstep` games are played at a time in each thread, and whoever is to move in some of them, about half, is asked about all of
    those in one call; a game that ends makes room for the next. None: 256 with an object, 64 with a net, else 1. With an agent
    limited by time it is always 1.

    `results` is a file that every game is appended to as it ends; games that it has are not played again. An object needs an
    attribute `name` for that, which changes whenever its play does. `sprt=(elo0, elo1)` ends the match as soon as the games tell
    whether `a` is elo1 or rather elo0 better; `games` is then the most. Both are explained in `docs/arena.md`.

    ValueError if there are too few openings, `games` is not even, an agent does not fit the game, or the file is of another match;
    FileNotFoundError if a net is not there; IllegalActionError, naming answer and state, for an object's illegal action; what an
    object raises goes on to the caller.
    """

@final
class Probe:
    """What a tablebase says of a position, in the view of its player to move and as if nothing had stood before.

    Leads are his score less the opponent's.
    """

    @property
    def win(self) -> int | None:
        """The least lead from which the player to move can force a win; None where no lead is enough."""
    @property
    def loss(self) -> int | None:
        """The greatest lead from which the opponent can; None where none is small enough. Below `win`."""
    @property
    def win_rank(self) -> int:
        """Falls along the line that wins from a lead of `win`; only its order among boards of as many seeds means anything."""
    @property
    def loss_rank(self) -> int:
        """Falls along the line that loses from a lead of `loss`."""
    @property
    def lead(self) -> int:
        """The state's own lead."""
    @property
    def outcome(self) -> Literal["win", "draw", "loss"]:
        """What becomes of the state, its own lead counted: "win", "draw" or "loss" for the player to move."""
    @property
    def value(self) -> Literal[1, 0, -1]:
        """`outcome` as 1, 0 or -1."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Judgement:
    """What an action is worth to the player who plays it."""

    @property
    def action(self) -> int:
        """The action."""
    @property
    def outcome(self) -> Literal["win", "draw", "loss"]:
        """ "win", "draw" or "loss": what it leads to, both playing perfectly, the state's history counted."""
    @property
    def value(self) -> Literal[1, 0, -1]:
        """`outcome` as 1, 0 or -1."""
    @property
    def win_slack(self) -> int | None:
        """The lead after it less the least that wins there, history left out: 0 and more wins.

        None where no lead wins, or where the action ends the game in a draw.
        """
    @property
    def loss_slack(self) -> int | None:
        """The lead after it less the greatest that loses there: 0 and less loses. None where none does, or as for `win_slack`."""
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Probes:
    """What a tablebase says of N boards, each in the view of its first row's player; row i is of board i."""

    NO_WIN: int
    """What `win` holds where no lead wins: more than any lead, 32767."""
    NO_LOSS: int
    """What `loss` holds where no lead loses: less than any lead, -32768."""
    @property
    def win(self) -> npt.NDArray[np.int16]:
        """The least lead from which the player can force a win, (N,) int16; `NO_WIN` where there is none."""
    @property
    def loss(self) -> npt.NDArray[np.int16]:
        """The greatest lead from which the opponent can, (N,) int16; `NO_LOSS` where there is none."""
    @property
    def win_rank(self) -> npt.NDArray[np.uint16]:
        """Falls along the line that wins from a lead of `win`, (N,) uint16; its order among boards of as many seeds is all it means."""
    @property
    def loss_rank(self) -> npt.NDArray[np.uint16]:
        """Falls along the line that loses from a lead of `loss`, (N,) uint16."""
    @property
    def has_win(self) -> npt.NDArray[np.bool_]:
        """Some lead wins, (N,) bool."""
    @property
    def has_loss(self) -> npt.NDArray[np.bool_]:
        """Some lead loses, (N,) bool."""
    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """The table has an answer, (N,) bool; elsewhere the other arrays say that nothing is won or lost, and `values` says 0."""
    @property
    def leads(self) -> npt.NDArray[np.int16] | None:
        """The player's score less the opponent's, (N,) int16, of observations and States; None of bare boards."""
    def values(self, leads: SupportsIndex | npt.ArrayLike | None = None) -> npt.NDArray[np.int8]:
        """What becomes of the boards with these leads, (N,) int8: 1 a win of the first row's player, 0 a draw, -1 a loss.

        `leads` is an int, an array of N integers, or None for those that came with the boards; ValueError if none came.
        """
    def __len__(self) -> int: ...

@final
class Tablebase:
    """Perfect play on every Giuthi board of one kind with few seeds, from a `file` that `build_tablebase` or `mancala tablebase` made.

    The file is mapped, not read: opening it is quick, whatever its size. Its length, its index and what it is of are checked then;
    `verify` checks the rest. Any number of threads may ask at once. It pickles as its path.

    FileNotFoundError if there is no such file, another OSError if it cannot be read; ValueError if it is no tablebase, damaged, or
    of a format or rules version that this version does not read.
    """

    def __new__(cls, file: str | PathLike[str]) -> Tablebase: ...
    @property
    def path(self) -> str:
        """The file, as it was given."""
    @property
    def pits(self) -> int:
        """Pits a row."""
    @property
    def capture(self) -> Literal["any", "occupied"]:
        """The option `capture` of its game."""
    @property
    def max_seeds(self) -> int:
        """The most seeds in play that it has answers for."""
    @property
    def boards(self) -> int:
        """Boards in it, mirror images counted once."""
    def covers(self, state: State) -> bool:
        """Whether `probe` has an answer for `state`."""
    def probe(self, state: State) -> Probe:
        """What it says of the board of `state`, its history left out (`judge` counts it).

        ValueError if it is of another game, board or option, holds too many seeds, or is finished.
        """
    def probe_many(
        self, boards: npt.ArrayLike | Iterable[State], *, outside: Literal["raise", "mask"] = "raise"
    ) -> Probes:
        """What it says of many boards, without the GIL.

        `boards` is an array of integers, or what becomes one, of any strides. Rows of 2 * `pits` cells are boards in the view of the
        player to move: his pits from his own left, then the opponent's from the opponent's own left. Rows of 2 * `pits` + 5 cells are
        raw observations (`observation_dtype="uint8"`), which begin so, and bring leads. Or it is an iterable of States, which bring leads
        too.

        A board is settled first, as positions are: where its first row's player cannot move he is passed over, and where neither can
        each keeps what lies in his row. The answers stay in the view of the first row's player. No history counts.

        With `outside="raise"` a board of too many seeds or a finished State is a ValueError that names the row; with "mask"
        `Probes.known` is False there. TypeError for what is no integers, ValueError for another shape, a negative cell, or a State of
        another game.
        """
    def judge(self, state: State) -> list[Judgement]:
        """Judges every legal action of `state`, ascending, its history counted.

        An action that would win or lose if nothing had stood before draws where a repetition stands in the way. ValueError as `probe`.
        """
    def verify(self) -> None:
        """Checks every byte of the file. ValueError, naming the place, if one is not what was written."""

def build_tablebase(
    file: str | PathLike[str],
    pits: SupportsIndex,
    seeds: SupportsIndex,
    capture: Literal["any", "occupied"] = "any",
    threads: SupportsIndex = 1,
    memory: SupportsIndex | None = None,
) -> Tablebase:
    """Builds the tablebase of all Giuthi boards with `pits` pits a row and at most `seeds` seeds into `file`, and opens it.

    `capture` is the option of the game that they are of.
    The table has about C(seeds + 2 * pits, 2 * pits) / 2 boards of 4 or 6 bytes. `memory`, in bytes, is what a layer, all boards of as
    many seeds, may take while it is built: 6 bytes a board at least, and with more it is faster. None: 4 GiB. The file is the same
    whatever `threads` and `memory`.

    Ctrl-C stops it, and the same call goes on from the layers that were finished, which are in `file` with ".part" after its name. A
    file that is there already and of the same boards is only opened.

    FileExistsError if `file` is of other boards; ValueError if the table is too large for the format or the memory, another process
    builds it, or an unfinished one of other boards is there; OSError if the disk fails.
    """

@final
class LeafBatch:
    """Leaves of search trees that an evaluator judges: N positions of one game that go on, all of the arrays its own to keep."""

    @property
    def observations(self) -> npt.NDArray[np.float32]:
        """What `State.observation()` is, (N, D) float32: the view of the player to move in the leaf."""
    @property
    def action_mask(self) -> npt.NDArray[np.bool_]:
        """The legal actions, (N, A) bool, at least one a row."""
    @property
    def to_move(self) -> npt.NDArray[np.int8]:
        """The player to move, (N,) int8."""
    @property
    def action_features(self) -> Any:
        """What each legal action does, if `mcts` was asked for it; F = 8 features as of `State.action_features()`.

        "dense": (N, A, F) float32, zeros where an action is not legal. "ragged": offsets (N + 1,) int64, actions (K,) int64, features
        (K, F) float32; leaf i has the rows `offsets[i]:offsets[i + 1]`. Else None.
        """
    def __len__(self) -> int: ...

@final
class SearchResult:
    """What `mcts` has found of N states, all of it in the view of the player to move in the state; row i is of state i."""

    @property
    def actions(self) -> npt.NDArray[np.int64]:
        """The action to play, (N,) int64."""
    @property
    def policy(self) -> npt.NDArray[np.float32]:
        """A target for the policy, (N, A) float32, rows adding up to 1, 0 at illegal actions.

        With "gumbel" the improved policy, softmax(logits + sigma(completed values)); with "puct" shares of visits. Without simulations
        the evaluator's policy (the root's noise of "puct" mixed in).
        """
    @property
    def visits(self) -> npt.NDArray[np.int32]:
        """Simulations that went through each action, (N, A) int32, rows adding up to `simulations`."""
    @property
    def q_values(self) -> npt.NDArray[np.float32]:
        """The mean value of each action, (N, A) float32 from -1 to 1, NaN where it was not visited."""
    @property
    def values(self) -> npt.NDArray[np.float32]:
        """The value of each state, (N,) float32 from -1 to 1: of following `policy` ("gumbel"), the mean over visits ("puct")."""
    @property
    def simulations(self) -> int:
        """Simulations run for each state."""
    @property
    def batches(self) -> int:
        """Calls of `evaluate`."""
    @property
    def leaves(self) -> int:
        """Leaves that it judged, the states among them. Simulations that end the game need none."""

_Floats: TypeAlias = npt.NDArray[np.floating[Any]]

def mcts(
    states: Iterable[State],
    evaluate: Callable[[LeafBatch], tuple[_Floats, _Floats] | tuple[_Floats, _Floats, _Floats]],
    sims: SupportsIndex = 64,
    *,
    selection: Literal["gumbel", "puct"] = "gumbel",
    considered: SupportsIndex | None = None,
    exploration: float | None = None,
    sigma_scale: float | None = None,
    contempt: float | None = None,
    seed: SupportsIndex | None = None,
    noise_alpha: float | None = None,
    noise_part: float | None = None,
    action_features: Literal["dense", "ragged"] | None = None,
) -> SearchResult:
    """Searches `states`, positions of one game, all at once with an evaluator written in Python.

    A tree grows over each state. Simulation after simulation every tree names one leaf, and `evaluate` judges all of these in one
    call: it gets a `LeafBatch` of N leaves, at most as many as there are states, and returns numpy arrays of floats, float32 without
    a copy: `(policy_logits, values)` or `(policy_logits, values, draws)`. `policy_logits` is (N, A), only differences within a row
    count, and what stands at illegal actions is ignored. `values` is (N,): the expected outcome for the player to move in the leaf,
    1 a win and -1 a loss; a draw counts as 0. `draws` is (N,): the probability of a draw, of use with `contempt` alone. Ends of games
    are not asked about: the search knows what they are worth.

    `sims` simulations are run for each state, beside the evaluation of the state itself; with 0 the policy is the evaluator's own.
    Options that are left out have the values told here.

    Keyword Args:
        selection: "gumbel", sequential halving at the root and the improved policy below (Danihelka et al. 2022), or "puct" (AlphaZero).
        considered: Root actions that the halving starts with, 16 (gumbel).
        exploration: Weight of the prior's term, 1.25 (puct).
        sigma_scale: How much values weigh against logits in the improved policy, 0.25 (gumbel).
        contempt: A draw is worth this much less than 0 to the player to move in the state, 0 to 1, 0.
        seed: None searches to play its best. A seed explores: with Gumbel noise, or by Dirichlet noise in the root's priors (puct).
            State i has a stream of its own, (seed, i); give every move another seed.
        noise_alpha: Of the Dirichlet distribution, 10 / legal actions (puct).
        noise_part: Its part in the priors, 0.25 (puct).
        action_features: "dense" or "ragged": what `LeafBatch.action_features` holds.

    A state's result depends on the state with its history, its index if there is a seed, the options and the evaluator, not on
    the other states. `evaluate` is called in the caller's thread and may itself call `mcts`; what it raises goes on to the caller, and
    Ctrl-C interrupts between batches. TypeError and ValueError, naming argument, index or row, for whatever does not fit: no states,
    states of different games, finished ones, options of the other selection, arrays of another shape or dtype, legal actions'
    logits that are not finite, values that are not from -1 to 1.
    """

@final
class NetConfig:
    """What a net is for and its sizes, as `docs/training.md` and `docs/file-formats.md` name them.

    `game` is an id, with options if it has any. `channels` is the width of the trunk and `blocks` the number of its residual blocks;
    `policy_hidden` and `value_hidden` are the hidden units of the heads, and `policy_blocks` residual blocks judge each action.
    `count_levels` is at most 256, 0 for no tables of counts; `afterstates` needs them, and `capture_search` needs `reply_features`.
    With `margin` there is a fourth output, the margin at the end. ValueError, naming the argument, if there is no such game or a size is
    out of range; TypeError if one has the wrong type.
    """

    def __new__(
        cls,
        game: str,
        *,
        channels: SupportsIndex,
        blocks: SupportsIndex,
        policy_hidden: SupportsIndex,
        value_hidden: SupportsIndex,
        count_levels: SupportsIndex = 0,
        reply_features: bool = False,
        capture_search: bool = False,
        afterstates: bool = False,
        policy_blocks: SupportsIndex = 0,
        margin: bool = False,
    ) -> NetConfig: ...
    @property
    def game(self) -> str:
        """The game's id, options that are not the default after a question mark."""
    @property
    def channels(self) -> int:
        """Width of the trunk, C."""
    @property
    def blocks(self) -> int:
        """Residual blocks of the trunk."""
    @property
    def policy_hidden(self) -> int:
        """Hidden units of the policy head, P."""
    @property
    def value_hidden(self) -> int:
        """Hidden units of the value head, V."""
    @property
    def count_levels(self) -> int:
        """Levels of the tables of counts, L; 0: there are none."""
    @property
    def reply_features(self) -> bool:
        """Whether actions are described by the replies to them."""
    @property
    def capture_search(self) -> bool:
        """Whether actions are described by the captures of the two plies after them."""
    @property
    def afterstates(self) -> bool:
        """Whether the policy head reads the board after each action."""
    @property
    def policy_blocks(self) -> int:
        """Residual blocks that judge each action."""
    @property
    def margin(self) -> bool:
        """Whether there is a margin head."""
    @property
    def observation_len(self) -> int:
        """Cells of an observation, D."""
    @property
    def num_actions(self) -> int:
        """The size of the action space, A."""
    @property
    def num_features(self) -> int:
        """Features of an action that the net reads, F: 8, 14 or 16."""
    @property
    def num_pits(self) -> int:
        """Pits (boma) that tables of counts have rows for, N; 0 without tables."""
    def tensors(self) -> list[tuple[str, list[int]]]:
        """Names and shapes of all tensors, in the order in which a file keeps them."""
    def inputs(self, states: Iterable[State]) -> NetInputs:
        """What such a net reads of `states`, which are of its game.

        TypeError and ValueError, naming the index, for no states, states of another game and finished ones.
        """
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]: ...

@final
class NetInputs:
    """What a net reads of B positions of its game, all of the arrays the caller's own; K legal actions in all."""

    @property
    def observations(self) -> npt.NDArray[np.float32]:
        """What `State.observation()` is, (B, D) float32: the view of the player to move."""
    @property
    def actions(self) -> npt.NDArray[np.int64]:
        """The legal actions, position after position, each ascending, (K,) int64."""
    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """Which position each action belongs to, (K,) int64 from 0 to B - 1, ascending."""
    @property
    def features(self) -> npt.NDArray[np.float32]:
        """What each action does, (K, F) float32: the 8 of `State.action_features()`, and those of the replies and captures that the net reads."""
    @property
    def counts(self) -> npt.NDArray[np.int64] | None:
        """Rows of the table of counts, one a pit, (B, N) int64; None for a net without one."""
    @property
    def after_counts(self) -> npt.NDArray[np.int64] | None:
        """Rows of the table of counts of the boards after actions, (any,) int64, N for each action that does not end the game; or None."""
    @property
    def after_offsets(self) -> npt.NDArray[np.int64] | None:
        """Where those of each action begin in `after_counts`, (K,) int64; or None."""
    def __len__(self) -> int: ...

@final
class NetOutputs:
    """What a net says of B positions, all of it in the view of the player to move."""

    @property
    def logits(self) -> npt.NDArray[np.float32]:
        """Logits of all actions, (B, A) float32; -1e9 where an action is not legal."""
    @property
    def wdl(self) -> npt.NDArray[np.float32]:
        """Probabilities of win, draw and loss, (B, 3) float32, rows adding up to 1."""
    @property
    def values(self) -> npt.NDArray[np.float32]:
        """The expected outcome, win less loss, (B,) float32 from -1 to 1."""
    @property
    def margins(self) -> npt.NDArray[np.float32] | None:
        """The seeds expected at the end more than the other has, as a share of all, (B,) float32; None without a margin head."""
    def __len__(self) -> int: ...

@final
class NativeNet:
    """A net as our own inference runs it: without any framework, in float32 on the CPU.

    `what` is what an agent's spec "net:WHAT" names: a net that ships ("giuthi-6x6"), a run's folder, a checkpoint's, or a
    .safetensors file; a checkpoint's net is checked against the manifest. One thread at a time: a second one gets a RuntimeError.

    FileNotFoundError if there is no such net or it cannot be read; ValueError if it is damaged, or of other rules or observations.
    """

    def __new__(cls, what: str | PathLike[str]) -> NativeNet: ...
    @staticmethod
    def from_tensors(config: NetConfig, tensors: dict[str, npt.NDArray[np.float32]]) -> NativeNet:
        """A net of these weights: a float32 array for each name of `config.tensors()`, of that shape.

        ValueError, naming the tensor, if one is missing, is none of the net's, has another shape or a value that is not finite;
        TypeError if one is no float32 array.
        """
    @property
    def config(self) -> NetConfig:
        """What it is for and its sizes."""
    def tensors(self) -> dict[str, npt.NDArray[np.float32]]:
        """Its weights by name, float32 arrays that are copies; `docs/file-formats.md` says what each does."""
    def outputs(self, states: Iterable[State]) -> NetOutputs:
        """What it says of `states`, which are of its game.

        TypeError and ValueError, naming the index, for no states, states of another game and finished ones.
        """
    def to_bytes(self) -> bytes:
        """The net as a .safetensors file."""

@final
class ReplayBatch:
    """B positions of a replay with what is learned of them, all of it in the view of the player to move."""

    @property
    def inputs(self) -> NetInputs:
        """What the net reads of them."""
    @property
    def policy(self) -> npt.NDArray[np.float32]:
        """The search's policy, (B, A) float32: rows add up to 1, or are all 0 where there is none."""
    @property
    def has_policy(self) -> npt.NDArray[np.bool_]:
        """Whether there is a policy, (B,) bool: not for forced moves and those that were searched fast."""
    @property
    def wdl(self) -> npt.NDArray[np.float32]:
        """How the game ended, (B, 3) float32: 1 at win, draw or loss, 0 at the others; a stopped game is a draw."""
    @property
    def values(self) -> npt.NDArray[np.float32]:
        """The search's value, (B,) float32 from -1 to 1; 0 where there is none."""
    @property
    def has_value(self) -> npt.NDArray[np.bool_]:
        """Whether there is a value, (B,) bool: not for forced moves."""
    @property
    def margins(self) -> npt.NDArray[np.float32]:
        """The seeds at the end more than the other had, as a share of all, (B,) float32 from -1 to 1; 0 for a draw."""
    def __len__(self) -> int: ...

@final
class ReplayPositions:
    """The positions of replay shards of one run, in the order of `files`, games and moves; openings are not among them.

    The games are played again when they are read; some hundred bytes a position stay in memory. It pickles as its files' paths.

    FileNotFoundError, or another OSError, if a file cannot be read. ValueError if there are no files or one is damaged, has another
    format version, is of other rules, or of another game or seed than the first. All of them name the file.
    """

    def __new__(cls, files: Iterable[str | PathLike[str]]) -> ReplayPositions: ...
    @property
    def files(self) -> list[str]:
        """The files, as they were given."""
    @property
    def game(self) -> str:
        """The game with its options."""
    @property
    def seed(self) -> int:
        """The seed of the run."""
    def batch(self, config: NetConfig, indices: Iterable[SupportsIndex]) -> ReplayBatch:
        """The positions with the numbers `indices`, for a net of `config`, in this order and with repeats.

        IndexError if there is no such number, from 0 on; ValueError if there are none, or the net is for another game.
        """
    def __len__(self) -> int: ...
    def __getnewargs__(self) -> tuple[list[Any]]: ...

@final
class VecEnv:
    """The games behind `mancala_rl.env.MancalaVecEnv`, which checks the arguments, and the arrays it returns.

    With `copy` an array that anybody can still get at is never written to again; without, every call returns the same arrays.
    """

    def __new__(
        cls,
        game: str,
        num_envs: int,
        seed: int,
        threads: int,
        max_plies: int | None,
        random_opening_plies: int,
        random_first_player: bool,
        raw: bool,
        copy: bool,
        action_features: str | None,
        options: dict[str, Any],
    ) -> VecEnv: ...
    @property
    def game(self) -> str: ...
    @property
    def rules_version(self) -> int: ...
    @property
    def observation_version(self) -> int: ...
    @property
    def num_actions(self) -> int: ...
    @property
    def observation_len(self) -> int: ...
    def reset(
        self,
        seed: int | None,
        mask: npt.NDArray[np.bool_] | None,
        positions: list[str | None] | None,
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]: ...
    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[
        npt.NDArray[Any], npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]
    ]: ...
    def sample_actions(self) -> npt.NDArray[np.int64]: ...
    def positions(self) -> list[str]: ...
    def save(self) -> npt.NDArray[np.uint8]: ...
    def restore(self, saved: bytes) -> tuple[npt.NDArray[Any], dict[str, Any]]: ...
    def action_features(self, layout: str) -> Any: ...
