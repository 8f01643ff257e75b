from collections.abc import Sequence
from typing import Any, Literal, Protocol, SupportsIndex, final, type_check_only

import numpy as np
import numpy.typing as npt

__all__ = [
    "ACTION_FEATURES",
    "Agent",
    "Analysis",
    "MatchResult",
    "Played",
    "State",
    "VecEnv",
    "__version__",
    "agent",
    "match",
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
class State:
    """One game: a position, its history and how it ended.

    Players are 0 and 1. The same player may move several times in a row, and a player without a move is passed over: read
    `to_move`, never assume turns. Actions are numbered relative to the player to move.

    Two states are equal if all that can tell their games apart from here on is the same: board, history, end, options. The hash
    is of board and options as they stand: do not play on a state that is a key of a dict. States copy and pickle with
    their history.

    `State(game, **options)` is the start of a game. `game` is an id: "giuthi-{pits}x{seeds}", "kiothi-{boma}x{warriors}",
    "giuthi" (8x8), "kiothi" (6x5). Options: capture="any" | "occupied" (Giuthi), one_warrior_multiplier=1.0 (Kiothi).
    ValueError if there is no such game, option or value, or an option of the id is given another value; TypeError if a value has
    the wrong type.
    """

    def __new__(cls, game: str, **options: Any) -> State: ...
    @staticmethod
    def from_position(game: str, position: str, **options: Any) -> State:
        """A position as text, the first of its own history, settled (a pass, or the sweep of a no-moves end).

        With a word for its end it is that finished game. The id tells the size and, with the options, the rules; the seeds may
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
    def returns(self) -> tuple[float, float]:
        """The outcome by player: +1 a win, -1 a loss (Kiothi: times the multiplier), 0 a draw or unfinished."""
    def legal_actions(self) -> list[int]:
        """Ascending; empty exactly when the game is over."""
    def play(self, action: SupportsIndex | str) -> Played:
        """Plays an action, by number or as text ("12ccw", "4:3").

        IllegalActionError (a ValueError) if it is not legal or the game is over; ActionOutOfRangeError (an IndexError too) if
        it is no action of this game; ValueError if the text is no move of the player to move; TypeError for other types.
        Nothing has changed then.
        """
    def action_name(self, action: SupportsIndex) -> str:
        """An action of the player to move as text; it need not be legal."""
    def parse_action(self, text: str) -> int:
        """The action that a text names for the player to move; it need not be legal. ValueError if it names none."""
    def position(self) -> str:
        """The position as text, the word for its end last."""
    def observation(self, dtype: npt.DTypeLike | None = None) -> npt.NDArray[Any]:
        """The position in the view of the player to move, shape (D,): float32, normalized (the default), or uint8, raw."""
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
    @classmethod
    def _from_moves(cls, rules_version: int, game: str, start: str, actions: list[int]) -> State: ...

def perft(game: str, depth: SupportsIndex, position: str | None = None, **options: Any) -> int:
    """The number of legal action sequences of length `depth` from the start, or from `position` with a fresh history.

    Passes are no actions; a finished game has no continuation; repetition and endless sowing end games. Runs without the GIL,
    and Ctrl-C interrupts it.
    """

@type_check_only
class _ActsMany(Protocol):
    def act_many(self, states: list[State], /) -> Any: ...

@final
class Agent:
    """An agent that plays any game; made by `agent`.

    An answer depends on the position, its history and the seed alone, never on what was asked before (agents limited by time
    excepted). Whatever an agent needs for a game is made when it first sees one. One thread at a time: a second one gets a
    RuntimeError.
    """

    @property
    def spec(self) -> str:
        """The agent's spec."""
    def new_game(self, seed: SupportsIndex) -> None:
        """Begins a game: whatever is random from here on comes from `seed`."""
    def act(self, state: State) -> int:
        """The agent's action in a position.

        ValueError if the game is over or the agent does not fit it, RuntimeError if the agent fails.
        """
    def act_many(self, states: Sequence[State]) -> list[int]:
        """The agent's actions in many positions, in order; agents that look far do this faster than one by one."""
    def analyze(self, state: State) -> Analysis:
        """What the agent thinks of a position.

        Without contempt for draws, so that the best action here need not be what a net agent plays: `analyze(state).line[0]`
        may differ from `act(state)`. Errors are those of `act`.
        """

@final
class Analysis:
    """What an agent thinks of a position, all of it in the view of the player to move.

    A draw counts as 0 here. Net agents play with contempt for draws (see `agent`), so they may choose another action than `line`
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
    """Makes an agent from its spec.

    "random", "greedy", "alphabeta:depth=8|nodes=100000|time=0.1", "mcts:sims=800|time=0.1", "net:WHAT,sims=64|time=0.1" (WHAT:
    a run's folder, a checkpoint's, or a .safetensors file). With a `game` id it is made for that game at once, which finds out
    whether it can be; otherwise when it first sees a state. A net's file is read and checked at once in either case.

    Net agents play with contempt=0.5: when they act a draw counts as half a loss, so that they do not settle for one.
    "net:WHAT,sims=64,contempt=0" plays without, and analyses have none; `docs/agents.md` explains.

    ValueError if there is no such agent, it does not fit the game, or the net's file is damaged; FileNotFoundError if there is
    no such file or it cannot be read.
    """

@final
class MatchResult:
    """The result of a match in the view of agent A.

    The two games of an opening are not independent, so spread is measured between pairs of games.
    """

    @property
    def games(self) -> int:
        """Games played, two an opening."""
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
    **options: Any,
) -> MatchResult:
    """Plays two agents against each other and sums the games up in the view of `a`.

    Games start from random openings of `opening_plies` plies, distinct up to the mirror; each is played twice, seats swapped. The
    games depend on `games`, `opening_plies`, `seed` and the agents, not on `threads`. `a` and `b` are specs (see `agent`), agents,
    or objects with `act_many(states) -> actions` and, if they like, `new_game(seed)`; with such an object one thread plays.
    Options are those of `State`. ValueError if there are too few openings, `games` is not even, or an agent does not fit the
    game, FileNotFoundError if its net is not there; what an object raises goes on to the caller.
    """

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
    def action_features(self, layout: str) -> Any: ...
