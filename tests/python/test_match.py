"""Matches with Python objects: what they are asked, what they may answer, and what the result tells."""

import json
import signal
import threading
import time
import traceback

import numpy as np
import pytest

import mancala_rl as mrl

GAME = "giuthi-5x4"


class First:
    """Plays the first legal action and remembers how it was asked."""

    name = "first"

    def __init__(self):
        self.seeds, self.sizes, self.threads = [], [], set()

    def new_game(self, seed):
        assert not self.sizes, "before the first question"
        self.seeds.append(seed)

    def act_many(self, states):
        self.sizes.append(len(states))
        self.threads.add(threading.get_ident())
        assert all(type(state) is mrl.State and not state.is_over for state in states)
        return [state.legal_actions()[0] for state in states]


def first_action(states):
    return [state.legal_actions()[0] for state in states]


class Answers:
    """Answers with what a function makes of the states."""

    def __init__(self, answer):
        self.answer = answer

    def act_many(self, states):
        return self.answer(states)


def test_objects_are_asked_about_many_states_at_once():
    one, many, usual = First(), First(), First()
    results = [
        mrl.match(GAME, agent, "random", games=200, **kwargs)
        for agent, kwargs in [(one, {"lockstep": 1}), (many, {"lockstep": 40}), (usual, {"threads": 8})]
    ]
    assert results[0] == results[1] == results[2], "the games do not depend on lockstep"
    assert set(one.sizes) == {1}
    assert max(many.sizes) <= 40 and max(usual.sizes) <= 200
    # Half of the games, until the last ones are played to their end.
    assert np.mean(many.sizes) > 12 and np.mean(many.sizes[: len(many.sizes) // 2]) > 16
    assert max(usual.sizes) > 60
    assert sum(one.sizes) == sum(many.sizes) == sum(usual.sizes) == results[0].a.moves


def test_objects_are_asked_in_the_thread_of_the_caller():
    """Where `torch.no_grad()` and whatever else belongs to a thread are in force."""
    agent, opponent = First(), First()
    mrl.match(GAME, agent, opponent, games=4, threads=4)
    assert agent.threads == opponent.threads == {threading.get_ident()}


def test_one_object_may_play_both_sides():
    agent = First()
    result = mrl.match(GAME, agent, agent, games=20, seed=2)
    assert len(set(agent.seeds)) == 2, "one seed a side"
    assert (result.score, result.pentanomial) == (0.5, (0, 0, 10, 0, 0))
    assert result == mrl.match(GAME, First(), First(), games=20, seed=2)


def test_both_seats_are_played():
    seats = set()

    class Seats(First):
        def act_many(self, states):
            seats.update(state.to_move for state in states)
            return super().act_many(states)

    mrl.match(GAME, Seats(), "random", games=2, opening_plies=0)
    assert seats == {0, 1}


def test_against_the_clock_one_game_is_played_at_a_time():
    agent = First()
    result = mrl.match("giuthi-3x2", agent, "alphabeta:time=0.0001", games=4, opening_plies=2, lockstep=64)
    assert set(agent.sizes) == {1} and result.games == 4
    assert result.b.seconds_a_move > 0


@pytest.mark.parametrize(
    "form", [tuple, iter, np.array, lambda x: np.array(x, np.uint8), lambda x: np.array(x)[::1], lambda x: map(int, x)]
)
def test_answers_come_in_any_form(form):
    agent = Answers(lambda states: form(first_action(states)))
    assert mrl.match(GAME, agent, "greedy", games=6) == mrl.match(GAME, First(), "greedy", games=6)


def test_illegal_answers_name_their_index_state_and_action():
    asked = []

    def answer(states):
        asked[:] = states
        actions = first_action(states)
        actions[-1] = next(action for action in range(10) if action not in states[-1].legal_actions())
        return actions

    with pytest.raises(mrl.IllegalActionError) as error:
        mrl.match("giuthi-5x4", "random", Answers(answer), games=20)
    message, last = str(error.value), len(asked) - 1
    assert message.startswith(
        f"b.act_many, answer {last} of {len(asked)} (in '{asked[-1].position()}'): illegal action "
    )


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (lambda n: [0] * (n + 1), ValueError, r"a.act_many was asked about \d+ states and answered \d+"),
        (lambda n: [], ValueError, r"asked about \d+ states and answered 0"),
        (lambda n: [None] * n, TypeError, r"a.act_many, answer 0 of \d+ is an int, not NoneType"),
        (lambda n: np.zeros(n), TypeError, "answer 0 of .* is an int, not float64"),
        (lambda n: np.zeros((n, 1), int), TypeError, "answer 0 of .* is an int, not ndarray"),
        (lambda n: [True] * n, TypeError, "is an int, not bool"),
        (lambda n: None, TypeError, "a.act_many answers with ints, not NoneType"),
        (lambda n: 0, TypeError, "a.act_many answers with ints, not int"),
        (lambda n: [-1] * n, IndexError, r"answer 0 of \d+ \(in '.*'\): action -1 is out of range"),
        (lambda n: [2**70] * n, IndexError, "action 1180591620717411303424 is out of range"),
    ],
)
def test_other_wrong_answers_say_what_is_wrong(answer, error, words):
    with pytest.raises(error, match=words):
        mrl.match(GAME, Answers(lambda states: answer(len(states))), "random", games=8)


def test_exceptions_come_with_their_traceback():
    def deep_down(states):
        raise LookupError("no such net")

    with pytest.raises(LookupError, match="no such net") as error:
        mrl.match(GAME, Answers(deep_down), "random", games=8)
    assert "deep_down" in [frame.name for frame in traceback.extract_tb(error.value.__traceback__)]


@pytest.mark.parametrize("threads", [1, 2])
def test_control_c_ends_a_match_before_a_game_has_ended(threads):
    def interrupt(signum, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    begun = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            mrl.match("giuthi-10x9", "alphabeta:nodes=20000", "alphabeta:nodes=20000", games=2_000, threads=threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - begun < 30


@pytest.mark.parametrize("threads", [1, 2])
def test_control_c_ends_a_match_whose_games_end_all_the_time(threads):
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        # Far too many to be played before.
        with pytest.raises(KeyboardInterrupt):
            mrl.match("giuthi-8x8", "random", "random", games=900_000, opening_plies=12, threads=threads)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_control_c_reaches_the_object():
    def answer(states):
        signal.raise_signal(signal.SIGINT)
        return first_action(states)

    with pytest.raises(KeyboardInterrupt):
        mrl.match(GAME, Answers(answer), "random", games=2)


def test_a_result_tells_what_the_command_tells():
    result = mrl.match(GAME, "mcts:sims=20", First(), games=30, seed=7)
    none, half, one, more, both = result.pentanomial
    assert none + half + one + more + both == 15
    assert result.wins + result.draws / 2 == half / 2 + one + 1.5 * more + 2 * both
    assert 0 <= result.duplicates < 30
    assert (result.a.agent, result.b.agent) == ("mcts:sims=20", "first")
    assert 0 < result.a.nodes_a_move <= 20 and result.b.nodes_a_move is None
    assert result.a.seconds_a_move > 0 and result.b.moves > 0
    assert result.sprt is None
    assert repr(result.a).startswith("MatchSide(agent='mcts:sims=20', moves=")
    twice = mrl.match(GAME, "alphabeta:depth=1", "alphabeta:depth=1", games=4, opening_plies=1)
    assert twice.duplicates == 2, "the same two agents play the same game with seats swapped"


def test_an_object_without_a_name_goes_by_its_class():
    assert mrl.match(GAME, "random", Answers(first_action), games=2).b.agent == "Answers"


def test_a_sequential_test_ends_the_match():
    kwargs = {"games": 2_000, "sprt": (0, 100)}
    result = mrl.match(GAME, "alphabeta:depth=2", First(), **kwargs)
    assert result.games < 200 and result.sprt.decision == "elo1"
    assert result.sprt.llr >= result.sprt.upper == -result.sprt.lower
    assert result == mrl.match(GAME, "alphabeta:depth=2", First(), lockstep=1, **kwargs)
    assert "decision='elo1'" in repr(result.sprt)
    undecided = mrl.match(GAME, "random", "random", games=4, sprt=(-1, 1))
    assert undecided.sprt.decision is None and undecided.games == 4


def test_a_match_goes_on_from_its_results_file(tmp_path):
    path = tmp_path / "games.jsonl"
    whole = mrl.match(GAME, First(), "greedy", games=12)
    half = mrl.match(GAME, First(), "greedy", games=6, results=path)
    lines = path.read_text().splitlines()
    assert len(lines) == 6 and {json.loads(line)["a"] for line in lines} == {"first"}
    with path.open("a") as file:
        file.write(lines[0][:40])  # a line that was cut off
    again, longer = First(), First()
    assert mrl.match(GAME, again, "greedy", games=6, results=str(path)) == half and not again.sizes
    assert mrl.match(GAME, longer, "greedy", games=12, results=path) == whole
    assert 0 < sum(longer.sizes) < whole.a.moves and len(path.read_text().splitlines()) == 12


def test_games_are_in_the_file_though_the_object_fails(tmp_path):
    path, asked = tmp_path / "games.jsonl", []

    class Tires(First):
        def act_many(self, states):
            asked.append(states)
            if len(asked) > 60:
                raise RuntimeError("tired")
            return super().act_many(states)

    with pytest.raises(RuntimeError, match="tired"):
        mrl.match(GAME, Tires(), "random", games=40, lockstep=2, results=path)
    done = len(path.read_text().splitlines())
    assert 0 < done < 40
    assert mrl.match(GAME, First(), "random", games=40, results=path) == mrl.match(GAME, First(), "random", games=40)


def test_what_results_files_refuse(tmp_path):
    path = tmp_path / "games.jsonl"
    named = First()
    for name, words in [
        (None, "results: a needs a name there: give the Unnamed an attribute name"),
        (3, "attribute name"),
        (" ", "is empty"),
        ("greedy", "'greedy'|\"greedy\" is the spec of an agent"),
    ]:
        unnamed = type("Unnamed", (First,), {"name": name})()
        with pytest.raises(ValueError, match=words):
            mrl.match(GAME, unnamed, "random", games=2, results=path)
    with pytest.raises(ValueError, match="games"):
        mrl.match(GAME, named, "random", games=3, results=path)
    assert not path.exists()
    mrl.match(GAME, named, "random", games=2, results=path)
    for kwargs, words in [({"seed": 1}, "seed 0 where 1"), ({"opening_plies": 3}, "opening plies 4 where 3")]:
        with pytest.raises(ValueError, match=words):
            mrl.match(GAME, named, "random", games=2, results=path, **kwargs)
    with pytest.raises(ValueError, match="agent B random where greedy"):
        mrl.match(GAME, named, "greedy", games=2, results=path)
    with pytest.raises(IsADirectoryError):
        mrl.match(GAME, named, "random", games=2, results=tmp_path)
    with pytest.raises(FileNotFoundError) as error:
        mrl.match(GAME, named, "random", games=2, results=tmp_path / "absent" / "games.jsonl")
    assert error.value.filename == str(tmp_path / "absent" / "games.jsonl")
    with pytest.raises(TypeError):
        mrl.match(GAME, named, "random", games=2, results=3)


def test_other_options_that_are_refused():
    for kwargs, error in [
        ({"lockstep": 0}, ValueError),
        ({"lockstep": -1}, ValueError),
        ({"lockstep": 2.0}, TypeError),
        ({"sprt": (10, 0)}, ValueError),
        ({"sprt": (0, float("nan"))}, ValueError),
        ({"sprt": (0, 2_000)}, ValueError),
        ({"sprt": 10}, TypeError),
        ({"sprt": (0, 1, 2)}, TypeError),
        ({"sprt": ("0", "1")}, TypeError),
    ]:
        with pytest.raises(error, match=next(iter(kwargs))):
            mrl.match(GAME, "random", "greedy", games=2, **kwargs)
