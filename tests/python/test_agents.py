"""Agents and matches from Python."""

import copy
import pickle
import signal
import threading

import pytest

import mancala_rl as mrl
from nets import net_bytes, write_checkpoint

SPECS = ["random", "greedy", "alphabeta:depth=2", "mcts:sims=20"]


class First:
    """Plays the first legal action."""

    def __init__(self):
        self.seeds = []
        self.asked = 0

    def new_game(self, seed):
        self.seeds.append(seed)

    def act_many(self, states):
        self.asked += len(states)
        return [state.legal_actions()[0] for state in states]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("game", ["giuthi-5x4", "kiothi-3x1"])
def test_agents_play_whole_games(spec, game):
    agent = mrl.agent(spec)
    assert agent.spec == spec and repr(agent) == f"agent({spec!r})"
    state, states = mrl.State(game), []
    while not state.is_over:
        action = agent.act(state)
        assert type(action) is int and action in state.legal_actions()
        states.append((state.copy(), action))
        state.play(action)
    asked, answers = zip(*states)
    assert agent.act_many(asked) == list(answers), "an answer does not depend on what was asked before"
    assert mrl.agent(spec, game, seed=0).act_many(list(asked)) == list(answers)


def test_one_agent_plays_any_game():
    agent = mrl.agent("alphabeta:depth=1")
    states = [mrl.State(game) for game in ("giuthi-5x4", "kiothi", "giuthi-8x8", "giuthi-5x4")]
    states.append(mrl.State("giuthi-5x4", capture="occupied"))
    actions = agent.act_many(states)
    assert actions == [mrl.agent("alphabeta:depth=1").act(state) for state in states]
    assert agent.act_many([]) == []


def test_seeds_count_where_something_is_random():
    states = [mrl.State("giuthi-8x8") for _ in range(1)]
    for action in range(16):
        state = mrl.State("giuthi-8x8")
        state.play(action)
        states.append(state)
    answers = [mrl.agent("random", seed=seed).act_many(states) for seed in (0, 0, 1, 2**64 - 1)]
    assert answers[0] == answers[1] and answers[0] != answers[2] != answers[3]
    agent = mrl.agent("random")
    agent.act_many(states)
    agent.new_game(1)
    assert agent.act_many(states) == answers[2]


def test_alphabeta_finds_the_capture():
    state = mrl.State("giuthi-10x9")
    analysis = mrl.agent("alphabeta:depth=1").analyze(state)
    assert state.play(analysis.line[0]).captured == 10
    assert analysis.unit == "margin" and analysis.depth == 1 and analysis.nodes > 0
    assert analysis.actions == mrl.State("giuthi-10x9").legal_actions()
    assert len(analysis.values) == len(analysis.policy) == len(analysis.actions)
    assert analysis.value == max(value for value in analysis.values if value is not None)
    assert repr(analysis).startswith("Analysis(value=")


def test_what_agents_refuse():
    for bad in ("", "alphabeta", "alphabeta:depth=0", "chess"):
        with pytest.raises(ValueError, match="agent"):
            mrl.agent(bad)
    with pytest.raises(ValueError):
        mrl.agent("random", "chess")
    for bad, error in [(-1, ValueError), (2**64, ValueError), (True, TypeError), (0.5, TypeError)]:
        with pytest.raises(error, match="seed"):
            mrl.agent("random", seed=bad)
    agent = mrl.agent("greedy")
    over = mrl.State.from_position("giuthi-2x2", "0,0/0,0 7 1 p1 no-moves")
    for call in (lambda: agent.act(over), lambda: agent.analyze(over)):
        with pytest.raises(ValueError, match="over"):
            call()
    with pytest.raises(ValueError, match="position 1: the game is over"):
        agent.act_many([mrl.State("kiothi"), over])
    for bad in (None, "giuthi", [over]):
        with pytest.raises(TypeError):
            agent.act(bad)
    with pytest.raises(TypeError):
        agent.act_many([mrl.State("giuthi"), None])


def ways(spec):
    """Whatever reads a net."""
    return [
        lambda: mrl.agent(spec),
        lambda: mrl.agent(spec, "giuthi-3x3"),
        lambda: mrl.match("giuthi-3x3", spec, "random", games=2),
        lambda: mrl.match("giuthi-3x3", "random", spec, games=2),
    ]


def test_a_net_plays(tmp_path):
    write_checkpoint(tmp_path / "run" / "checkpoints" / "latest", net_bytes("giuthi-3x3"))
    (tmp_path / "alone.safetensors").write_bytes(net_bytes("giuthi-3x3"))
    state = mrl.State("giuthi-3x3")
    specs = [f"net:{tmp_path / name},sims=4" for name in ("run", "run/checkpoints/latest", "alone.safetensors")]
    assert len({mrl.agent(spec).act(state) for spec in specs}) == 1
    assert mrl.agent(specs[0]).analyze(state).unit == "outcome"
    assert mrl.match("giuthi-3x3", specs[0], mrl.agent(specs[1]), games=4).score == 0.5
    assert mrl.agent(specs[0] + ",contempt=0.5").act(state) in state.legal_actions()


def test_a_missing_net_is_not_found(tmp_path):
    for what in ("/absent", tmp_path, tmp_path / "net.safetensors"):
        for way in ways(f"net:{what},sims=4"):
            with pytest.raises(FileNotFoundError, match=str(what)):
                way()


@pytest.mark.parametrize(
    "damage", [lambda net: net[:-1], lambda net: net[:20], lambda _: b"", lambda _: b"no net" * 50]
)
def test_a_damaged_net_is_a_value_error(tmp_path, damage):
    path = tmp_path / "a.safetensors"
    path.write_bytes(damage(net_bytes("giuthi-3x3")))
    for way in ways(f"net:{path},sims=4"):
        with pytest.raises(ValueError, match="not a whole net"):
            way()


def test_an_altered_checkpoint_is_a_value_error(tmp_path):
    net = net_bytes("giuthi-3x3")
    write_checkpoint(tmp_path / "one", net)
    altered = bytearray(net)
    altered[-3] ^= 1
    (tmp_path / "one" / "net.safetensors").write_bytes(altered)
    for way in ways(f"net:{tmp_path / 'one'},sims=4"):
        with pytest.raises(ValueError, match="altered"):
            way()


def test_a_net_of_another_game_is_a_value_error(tmp_path):
    path = tmp_path / "a.safetensors"
    path.write_bytes(net_bytes("giuthi-3x3?capture=occupied"))
    spec = f"net:{path},sims=4"
    agent = mrl.agent(spec)
    state = mrl.State("giuthi-3x3")
    for way in (
        lambda: agent.act(state),
        lambda: agent.act_many([state]),
        lambda: agent.analyze(state),
        *ways(spec)[1:],
    ):
        with pytest.raises(ValueError, match="the net is for giuthi-3x3.capture=occupied.*this is giuthi-3x3 "):
            way()
    assert agent.act(mrl.State("giuthi-3x3", capture="occupied")) in range(6)


def test_a_net_that_goes_away_is_not_found(tmp_path):
    path = tmp_path / "a.safetensors"
    path.write_bytes(net_bytes("giuthi-3x3"))
    agent = mrl.agent(f"net:{path},sims=4")
    path.unlink()
    with pytest.raises(FileNotFoundError, match="no such file"):
        agent.act(mrl.State("giuthi-3x3"))


def test_contempt_is_documented():
    for thing in (mrl.agent, mrl.Agent.analyze, mrl.Analysis):
        assert "contempt" in thing.__doc__
    assert "contempt=0.5" in mrl.agent.__doc__


def test_two_threads_and_one_agent():
    agent = mrl.agent("alphabeta:time=0.5")
    begun, outcomes = threading.Event(), []

    def think():
        begun.set()
        outcomes.append(agent.act(mrl.State("giuthi-8x8")))

    thread = threading.Thread(target=think)
    thread.start()
    begun.wait()
    while thread.is_alive() and len(outcomes) == 0:
        try:
            agent.act(mrl.State("giuthi-8x8"))
        except RuntimeError as error:
            outcomes.append(str(error))
    thread.join()
    assert any("another thread" in str(outcome) for outcome in outcomes)


DEEP = [
    "alphabeta:depth=60",
    "alphabeta:time=1000",
    "mcts:sims=10000000",
    "mcts:time=1000",
    "net:giuthi-8x8,sims=10000000",
]
"""Agents that would think for hours."""


def interrupted(call):
    """Calls, and presses Ctrl-C a little later."""
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call()
        timer.join()
    timer.join()


@pytest.mark.parametrize("spec", DEEP)
def test_control_c_reaches_an_agent_that_thinks(spec):
    agent, state = mrl.agent(spec, "giuthi-8x8"), mrl.State("giuthi-8x8")
    interrupted(lambda: agent.act(state))
    interrupted(lambda: agent.analyze(state))
    interrupted(lambda: agent.act_many([state] * 3))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("spec", DEEP)
def test_control_c_reaches_a_match_of_agents_that_think(spec, threads):
    interrupted(lambda: mrl.match("giuthi-8x8", spec, "random", games=4, threads=threads))


def test_control_c_reaches_an_opponent_that_thinks():
    pytest.importorskip("gymnasium")
    env = mrl.make("giuthi-8x8", opponent="alphabeta:depth=60", player=1)
    interrupted(lambda: env.reset(seed=0))


def test_agents_copy_and_pickle():
    state = mrl.State("kiothi-6x5")
    agent = mrl.agent("random", seed=5)
    agent.new_game(2**64 - 1)
    for twin in (copy.copy(agent), copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        assert twin.spec == agent.spec and twin is not agent
        assert twin.act(state) == agent.act(state)
        assert twin.act_many([state] * 3) == agent.act_many([state] * 3)


def test_a_match():
    result = mrl.match("giuthi-5x4", "alphabeta:depth=2", "random", games=20, seed=3)
    assert isinstance(result, mrl.MatchResult)
    assert result.games == 20 == result.wins + result.draws + result.losses
    assert result.score == (result.wins + result.draws / 2) / 20 > 0.5
    assert 0 <= result.score_se < 0.5
    again = mrl.match("giuthi-5x4", mrl.agent("alphabeta:depth=2"), "random", games=20, seed=3, threads=2)
    assert again == result and repr(again) == repr(result)
    assert mrl.match("giuthi-5x4", "random", "alphabeta:depth=2", games=20, seed=4) != result
    mirror = mrl.match("giuthi-5x4", "alphabeta:depth=2", "alphabeta:depth=2", games=10)
    assert (mirror.score, mirror.score_se, mirror.elo) == (0.5, 0.0, 0.0)


def test_objects_play_matches():
    a, b = First(), First()
    result = mrl.match("kiothi-3x1", a, b, games=6, seed=1, opening_plies=2, threads=4)
    assert result.games == 6 and result.score == 0.5
    assert a.asked > 0 and b.asked > 0
    assert len(a.seeds) == len(b.seeds) == 1 and a.seeds != b.seeds
    assert mrl.match("giuthi-5x4", "alphabeta:depth=2", First(), games=10, capture="occupied").score > 0.5


def test_an_object_may_stand_in_for_an_agent():
    class Same:
        def __init__(self):
            self.agent = mrl.agent("alphabeta:depth=2")

        def act_many(self, states):
            return self.agent.act_many(states)

    kwargs = {"games": 10, "seed": 5}
    assert mrl.match("giuthi-4x3", Same(), "greedy", **kwargs) == mrl.match(
        "giuthi-4x3", "alphabeta:depth=2", "greedy", **kwargs
    )


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda states: 1 / 0, ZeroDivisionError),
        (lambda states: [0] * (len(states) + 1), ValueError),
        (lambda states: [10**6] * len(states), IndexError),
        (lambda states: [2**80] * len(states), IndexError),
        (lambda states: [1.0] * len(states), TypeError),
        (lambda states: None, TypeError),
        (
            lambda states: [next(a for a in range(10) if a not in s.legal_actions()) for s in states],
            mrl.IllegalActionError,
        ),
    ],
)
def test_what_objects_do_wrong_is_raised(answer, error):
    class Bad:
        def act_many(self, states):
            return answer(states)

    with pytest.raises(error):
        mrl.match("giuthi-5x4", "random", Bad(), games=20)


def test_an_error_in_new_game_is_raised():
    class Bad(First):
        def new_game(self, seed):
            raise KeyError("new_game")

    with pytest.raises(KeyError, match="new_game"):
        mrl.match("giuthi-5x4", Bad(), "random", games=2)


def test_what_matches_refuse():
    for kwargs, error in [
        ({"games": 3}, ValueError),
        ({"games": 0}, ValueError),
        ({"games": -2}, ValueError),
        ({"games": 2.0}, TypeError),
        ({"threads": 0}, ValueError),
        ({"opening_plies": True}, TypeError),
        ({"seed": -1}, ValueError),
        ({"capture": "some"}, ValueError),
        ({"games": 10_000, "opening_plies": 1}, ValueError),
    ]:
        with pytest.raises(error):
            mrl.match("giuthi-5x4", "random", "greedy", **kwargs)
    for bad, error in [("chess", ValueError), (3, TypeError), (None, TypeError)]:
        with pytest.raises(error):
            mrl.match("giuthi-5x4", "random", bad)
        with pytest.raises(error):
            mrl.match("giuthi-5x4", bad, "random")
