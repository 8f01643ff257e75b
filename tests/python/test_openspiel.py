"""Giuthi and Kiothi as games of OpenSpiel."""

import itertools
import pickle
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mancala_rl as mrl
from reference import Shadow, lines, options, size

pyspiel = pytest.importorskip("pyspiel", reason="needs OpenSpiel: pip install open_spiel", exc_type=ImportError)

from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import evaluate_bots, get_all_states, mcts, minimax, random_agent  # noqa: E402
from open_spiel.python.bots import uniform_random  # noqa: E402
from open_spiel.python.observation import make_observation  # noqa: E402

from mancala_rl.openspiel import AgentBot, MancalaState  # noqa: E402

GAMES = [
    "mancala_rl_giuthi",
    "mancala_rl_giuthi(pits=2,seeds=2)",
    "mancala_rl_giuthi(pits=3,seeds=3,capture=occupied,max_plies=9)",
    "mancala_rl_kiothi",
    "mancala_rl_kiothi(boma=3,warriors=1,one_warrior_multiplier=2.5)",
]
PLAYTHROUGHS = sorted((Path(__file__).parent / "playthroughs").glob("*.txt"))


def name_of(row):
    """A golden game's name in OpenSpiel."""
    first, second = size(row["game"])
    if row["game"].startswith("kiothi"):
        return f"mancala_rl_kiothi(boma={first},warriors={second})"
    return f"mancala_rl_giuthi(pits={first},seeds={second},capture={row.get('capture', 'any')})"


def random_states(name, seed):
    """The states of a random game, each copied."""
    state, rng = pyspiel.load_game(name).new_initial_state(), random.Random(seed)
    while True:
        yield state.clone()
        if state.is_terminal():
            return
        state.apply_action(rng.choice(state.legal_actions()))


def test_importing_the_module_registers_the_games(run_python):
    run_python("""
import sys
import mancala_rl
assert "pyspiel" not in sys.modules
import pyspiel
assert "mancala_rl_giuthi" not in pyspiel.registered_names()
import importlib, mancala_rl.openspiel
importlib.reload(mancala_rl.openspiel)
assert {"mancala_rl_giuthi", "mancala_rl_kiothi"} <= set(pyspiel.registered_names())
assert pyspiel.load_game("mancala_rl_kiothi").get_type().long_name == "Kiothi"
""")


def test_without_openspiel_the_error_says_how_to_get_it(run_python):
    run_python("""
import sys
sys.modules["pyspiel"] = None
try:
    import mancala_rl.openspiel
except ImportError as error:
    assert 'pip install "mancala-rl[openspiel]"' in str(error), error
else:
    raise AssertionError("no ImportError")
""")


@pytest.mark.parametrize("name", GAMES)
def test_openspiels_own_tests_pass(name):
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=10, serialize=True, verbose=False)
    tests = pytest.importorskip("open_spiel.python.tests.games_sim_test", exc_type=ImportError)
    np.random.seed(1)
    for _ in range(5):
        tests.GamesSimTest("sim_game").sim_game(game)


def test_games_of_the_independent_implementation_agree():
    again = passed = 0
    for row in lines("giuthi.jsonl") + lines("kiothi.jsonl"):
        game = pyspiel.load_game(name_of(row))
        state = game.new_initial_state(row["start"])
        assert state.mancala_state == mrl.State.from_position(row["game"], row["start"], **options(row))
        for step in row["moves"]:
            mover = state.current_player()
            assert len(state.legal_actions()) == step["legal"] and step["action"] in state.legal_actions()
            assert state.legal_actions(1 - mover) == []
            assert state.action_to_string(mover, step["action"]) == step["move"]
            assert state.string_to_action(mover, step["move"]) == step["action"]
            assert state.returns() == state.rewards() == [0, 0]
            state.apply_action(step["action"])
            assert str(state.mancala_state) == step["position"] and str(state).startswith(step["position"] + " ply ")
            again += state.current_player() == mover
            passed += "pass" in step["flags"]
        assert state.is_terminal() and state.current_player() == pyspiel.PlayerId.TERMINAL
        assert state.legal_actions() == state.legal_actions(0) == []
        expected = {0: [1, -1], 1: [-1, 1], None: [0, 0]}[row["winner"]]
        assert state.returns() == state.rewards() == expected
        assert state.history() == [step["action"] for step in row["moves"]]
    assert again > 100 and passed > 10


def test_what_the_games_say_of_themselves():
    for name, actions, cells, win, plies in [
        ("mancala_rl_giuthi(pits=5,seeds=4,max_plies=77)", 10, 15, 1.0, 77),
        ("mancala_rl_kiothi(one_warrior_multiplier=3.0)", 630, 50, 3.0, 1000),
    ]:
        game = pyspiel.load_game(name)
        assert (game.num_distinct_actions(), game.num_players(), game.max_chance_outcomes()) == (actions, 2, 0)
        assert (game.min_utility(), game.max_utility(), game.utility_sum()) == (-win, win, 0)
        assert (game.max_game_length(), game.observation_tensor_shape()) == (plies, [cells + 2])
        kind = game.get_type()
        assert kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
        assert kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
        assert kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("mancala_rl_giuthi(pits=11)", ValueError, "giuthi has 2 to 10 pits"),
        ("mancala_rl_giuthi(pits=-1)", ValueError, "pits is at least 1, not -1"),
        ("mancala_rl_giuthi(seeds=0)", ValueError, "2 to 9 seeds"),
        ("mancala_rl_giuthi(capture=all)", ValueError, "capture is any or occupied, not"),
        ("mancala_rl_giuthi(max_plies=0)", ValueError, "max_plies is at least 1"),
        ("mancala_rl_kiothi(boma=10,warriors=4)", ValueError, "at most 30 warriors"),
        ("mancala_rl_kiothi(one_warrior_multiplier=0.5)", ValueError, "one_warrior_multiplier is a number from 1"),
        ("mancala_rl_kiothi(pits=5)", pyspiel.SpielError, "Unknown parameter 'pits'"),
        ("mancala_rl_giuthi(pits=five)", pyspiel.SpielError, "Wrong type for parameter pits"),
    ],
)
def test_bad_parameters_are_named(name, error, message):
    with pytest.raises(error, match=message):
        pyspiel.load_game(name)


def test_illegal_actions_change_nothing():
    state = pyspiel.load_game("mancala_rl_giuthi(pits=3,seeds=3)").new_initial_state("1,0,5/4,4,4 0 0 p1")
    before = str(state)
    for action in (0, 6, -1, 2**40):
        with pytest.raises((ValueError, pyspiel.SpielError)):
            state.apply_action(action)
        assert (str(state), state.history(), state.plies) == (before, [], 0)
    for action in (-1, 6):
        with pytest.raises(ValueError, match=f"action {action} is out of range"):
            state.action_to_string(0, action)


def test_games_begin_from_positions():
    game = pyspiel.load_game("mancala_rl_giuthi(pits=3,seeds=3)")
    state = game.new_initial_state("1,1,1/1,1,3 0 0 p1")
    # Player 1 has single seeds only: the text is settled, and Player 0 acts.
    assert state.current_player() == 0 and state.clone().current_player() == 0
    assert game.new_initial_state("0,0,0/0,0,0 9 9 p0 no-moves").is_terminal()
    with pytest.raises(ValueError, match="row of Player 1"):
        game.new_initial_state("1,1/1,1,3 0 0 p1")
    with pytest.raises(TypeError, match="position is a str, not int"):
        game.new_initial_state(5)


@pytest.mark.parametrize("name", GAMES)
def test_observations_are_those_of_the_package_in_both_views(name):
    game = pyspiel.load_game(name)
    observation = make_observation(game)
    start = game.new_initial_state().mancala_state
    for seed in range(3):
        shadow = Shadow(start.game, start.position())
        for state in random_states(name, seed):
            for action in state.history()[shadow.plies :]:
                shadow.play(action)
            mover, plies = shadow.state.to_move, shadow.plies / game.max_game_length()
            cells = shadow.normalized()
            views = {mover: cells, 1 - mover: turned(cells, start.game)}
            for player, view in views.items():
                to_move = float(player == mover and not state.is_terminal())
                expected = np.array([*view, to_move, plies], np.float32)
                np.testing.assert_array_equal(np.array(state.observation_tensor(player), np.float32), expected)
                observation.set_from(state, player)
                np.testing.assert_array_equal(observation.tensor, expected)
                np.testing.assert_array_equal(observation.dict["observation"], view)
                assert (observation.dict["to_move"], observation.dict["plies"]) == (expected[-2:-1], expected[-1:])
                assert observation.string_from(state, player) == state.observation_string(player) == str(state)
                assert state.information_state_string(player) == ", ".join(map(str, state.history()))


def turned(cells, game):
    """An observation for the player who is not to move: whatever belongs to a player changes places."""
    cells, pits = cells.copy(), size(game)[0] if game.startswith("giuthi") else 10
    pairs = [(0, pits), (2 * pits, 1)] + ([] if game.startswith("giuthi") else [(24, 10)])
    for start, length in pairs:
        own, other = slice(start, start + length), slice(start + length, start + 2 * length)
        cells[own], cells[other] = cells[other].copy(), cells[own].copy()
    return cells


def test_states_of_other_games_are_refused():
    game = pyspiel.load_game("mancala_rl_giuthi(pits=6,seeds=6)")
    observer = game.make_py_observer()
    for other in ("giuthi-6x6?capture=occupied", "giuthi-6x5", "kiothi-6x5", "kiothi-3x2"):
        with pytest.raises(ValueError, match=f"state is one of {re.escape(other)}, not of giuthi-6x6$"):
            MancalaState(game, mrl.State(other))
    for other in ("mancala_rl_giuthi(pits=6,seeds=6,capture=occupied)", "mancala_rl_kiothi"):
        before = observer.tensor.copy()
        with pytest.raises(ValueError, match="state is one of .*, not of giuthi-6x6$"):
            observer.set_from(pyspiel.load_game(other).new_initial_state(), 0)
        np.testing.assert_array_equal(observer.tensor, before)


def test_observers_have_no_parameters():
    with pytest.raises(ValueError, match="no parameters"):
        make_observation(pyspiel.load_game(GAMES[0]), params={"raw": True})


def test_action_names_are_those_of_the_player_asked_about():
    state = pyspiel.load_game("mancala_rl_giuthi").new_initial_state()
    assert [state.action_to_string(player, 8) for player in (0, 1)] == ["12ccw", "4ccw"]
    state = pyspiel.load_game("mancala_rl_kiothi").new_initial_state()
    assert [state.action_to_string(player, 617) for player in (0, 1)] == ["place 7", "place 17"]
    assert [state.action_to_string(player, 2) for player in (0, 1)] == ["0:3", "10:3"]


def test_so_many_plies_are_a_draw_and_an_end_is_none():
    cut = ended = 0
    for seed, plies in itertools.product(range(20), (1, 5, 9)):
        *_, last = random_states(f"mancala_rl_giuthi(pits=2,seeds=3,max_plies={plies})", seed)
        assert last.plies == len(last.history()) <= plies
        over = last.mancala_state.is_over
        assert over or (last.plies == plies and last.returns() == [0, 0] and last.legal_actions() == [])
        cut, ended = cut + (not over), ended + (over and last.plies == plies and last.returns() != [0, 0])
    assert cut > 10 and ended > 2


def test_a_one_warrior_victory_counts_more():
    game = pyspiel.load_game("mancala_rl_kiothi(one_warrior_multiplier=2.5)")
    rows = "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0"
    assert game.new_initial_state(f"{rows} 31 29 p0 sow {'.' * 20} no-moves").returns() == [2.5, -2.5]
    assert game.new_initial_state(f"{rows} 28 32 p0 sow {'.' * 20} no-moves").returns() == [-1, 1]


@pytest.mark.parametrize("name", GAMES)
def test_clones_pickles_and_texts_keep_the_history(name):
    game = pyspiel.load_game(name)

    def through_text(state):
        return pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1]

    for state in itertools.islice(random_states(name, 5), 0, 60, 7):
        for twin in (state.clone(), pickle.loads(pickle.dumps(state)), through_text(state)):
            assert (str(twin), twin.history(), twin.plies) == (str(state), state.history(), state.plies)
            assert twin.mancala_state == state.mancala_state and twin.current_player() == state.current_player()
            before = str(state)
            if not twin.is_terminal():
                twin.apply_action(twin.legal_actions()[0])
                assert str(state) == before != str(twin)


def test_a_clone_knows_of_repetitions():
    row = next(row for row in lines("giuthi.jsonl") if row["result"] == "repetition")
    state = pyspiel.load_game(name_of(row)).new_initial_state(row["start"])
    for step in row["moves"][:-1]:
        state.apply_action(step["action"])
    for twin in (state.clone(), pickle.loads(pickle.dumps(state))):
        twin.apply_action(row["moves"][-1]["action"])
        assert twin.is_terminal() and twin.mancala_state.result == "repetition"


def test_pickles_bring_the_games_along(run_python):
    game = pyspiel.load_game("mancala_rl_giuthi(pits=3,seeds=3)")
    *_, last = itertools.islice(random_states(str(game), 0), 4)
    for kept in (game, last):
        assert run_python(f"import pickle; print(pickle.loads({pickle.dumps(kept)!r}))").strip() == str(kept)


def test_the_tree_is_that_of_perft():
    for name, depth in [("giuthi-3x2", 5), ("giuthi-2x2", 7), ("kiothi-3x1", 4)]:
        row = {"game": name, "capture": "any"}
        states = get_all_states.get_all_states(
            pyspiel.load_game(name_of(row)), depth, True, False, to_string=lambda state: state.history_str()
        )
        # It goes one ply further where a game has ended.
        count = sum(len(state.history()) <= depth for state in states.values())
        assert count == 1 + sum(mrl.perft(name, plies) for plies in range(1, depth + 1))


def test_states_of_equal_strings_have_equal_futures():
    game = pyspiel.load_game("mancala_rl_giuthi(pits=3,seeds=2,max_plies=8)")
    states = get_all_states.get_all_states(game, -1, True, False, to_string=lambda state: state.history_str())
    found = {}
    for state in states.values():
        children = [(action, str(state.child(action))) for action in state.legal_actions()]
        found.setdefault(str(state), set()).add((state.current_player(), tuple(state.returns()), tuple(children)))
    assert len(found) < len(states) and all(len(futures) == 1 for futures in found.values())


def best(state, max_plies):
    """The value for player 0, by trying everything."""
    if state.is_over or max_plies == 0:
        return state.returns()[0]
    values = []
    for action in state.legal_actions():
        child = state.copy()
        child.play(action)
        values.append(best(child, max_plies - 1))
    return (max, min)[state.to_move](values)


def test_openspiels_minimax_finds_the_value():
    values = set()
    for pits, seeds, plies in [(2, 2, 6), (2, 3, 7), (3, 2, 6), (2, 4, 6), (2, 5, 6)]:
        game = pyspiel.load_game(f"mancala_rl_giuthi(pits={pits},seeds={seeds},max_plies={plies})")
        for state in itertools.islice(random_states(str(game), pits * seeds), 4):
            if not state.is_terminal():
                value, action = minimax.alpha_beta_search(game, state=state, maximizing_player_id=0)
                expected = best(state.mancala_state, plies - state.plies)
                assert value == expected
                values.add(value)
                assert action in state.legal_actions()
    assert values == {-1, 0, 1}


@pytest.mark.parametrize("name", ["mancala_rl_giuthi(pits=4,seeds=3)", "mancala_rl_kiothi(boma=3,warriors=1)"])
def test_openspiels_mcts_plays_to_the_end_and_wins(name):
    game = pyspiel.load_game(name)
    rng = np.random.RandomState(3)
    evaluator = mcts.RandomRolloutEvaluator(1, rng)
    bot = mcts.MCTSBot(game, 2.0, 40, evaluator, solve=True, random_state=rng)
    other = uniform_random.UniformRandomBot(1, rng)
    results = [evaluate_bots.evaluate_bots(game.new_initial_state(), [bot, other], rng) for _ in range(12)]
    assert sum(result[0] for result in results) > 4
    assert all(result[0] == -result[1] for result in results)


IN_CPP = """
import sys, pyspiel, mancala_rl.openspiel
from open_spiel.python.games import tic_tac_toe
game = pyspiel.load_game(sys.argv[1])
state = game.new_initial_state()
evaluator = pyspiel.RandomRolloutEvaluator(1, 3)
bot = pyspiel.MCTSBot(game, evaluator, 2.0, 20, 10, True, 3, False)
while not state.is_terminal():
    state.apply_action(bot.step(state))
"""


@pytest.mark.parametrize("name", ["mancala_rl_giuthi(pits=4,seeds=3)", "mancala_rl_kiothi(boma=3,warriors=1)"])
def test_openspiels_mcts_in_cpp_plays_to_the_end(name):
    def code(name):
        return subprocess.run([sys.executable, "-c", IN_CPP, name], capture_output=True).returncode

    if code("python_tic_tac_toe") != 0:
        pytest.skip("the C++ MCTS of this OpenSpiel crashes with its own python_tic_tac_toe, too")
    assert code(name) == 0


class Last:
    """Plays its highest legal action."""

    def act(self, state):
        return np.int64(state.legal_actions()[-1])


def test_our_agents_play_as_bots():
    game = pyspiel.load_game("mancala_rl_giuthi(pits=5,seeds=4)")
    rng = np.random.RandomState(0)
    for agent in ("alphabeta:depth=3", mrl.agent("alphabeta:depth=3")):
        bots = [uniform_random.UniformRandomBot(0, rng), AgentBot(agent)]
        results = [evaluate_bots.evaluate_bots(game.new_initial_state(), bots, rng) for _ in range(10)]
        assert sum(result[1] for result in results) > 5
    state = game.new_initial_state()
    assert AgentBot(Last()).step(state) == state.legal_actions()[-1]
    with pytest.raises(ValueError, match='no agent "nobody"'):
        AgentBot("nobody")
    with pytest.raises(TypeError, match="agent is a spec, an agent or an object with act, not int"):
        AgentBot(5)


def test_a_bot_plays_every_game_by_a_seed_of_its_own():
    state = pyspiel.load_game("mancala_rl_giuthi").new_initial_state()

    def answers(seed):
        bot, found = AgentBot("random", seed=seed), []
        for _ in range(10):
            bot.restart_at(state)
            found.append(bot.step(state))
        return found

    assert answers(0) == answers(0) != answers(1)
    assert len(set(answers(0))) > 3


@pytest.mark.parametrize("name", GAMES)
def test_rl_environments_play_episodes(name):
    env = rl_environment.Environment(name)
    cells = env.game.observation_tensor_size()
    np.random.seed(0)
    agents = [random_agent.RandomAgent(player, env.action_spec()["num_actions"]) for player in (0, 1)]
    for _ in range(3):
        step = env.reset()
        while not step.last():
            player = step.observations["current_player"]
            assert len(step.observations["info_state"][player]) == cells
            assert step.observations["legal_actions"][1 - player] == []
            step = env.step([agents[player].step(step).action])
        assert sum(step.rewards) == 0


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
def test_playthroughs_are_as_recorded(path):
    """Games of the independent implementation, in OpenSpiel's own format; `playthroughs/README.md` says how they were made."""
    generate = pytest.importorskip("open_spiel.python.algorithms.generate_playthrough", exc_type=ImportError)
    recorded = path.read_text(encoding="utf-8")
    name = recorded.splitlines()[0].removeprefix("game: ")
    actions = [int(line.removeprefix("action: ")) for line in recorded.splitlines() if line.startswith("action: ")]
    assert generate.playthrough(name, actions) == recorded
    golden = [row for file in ("giuthi.jsonl", "kiothi.jsonl") for row in lines(file)]
    assert any([step["action"] for step in row["moves"]] == actions for row in golden)


def test_there_are_playthroughs():
    assert len(PLAYTHROUGHS) == 2


def test_the_page_runs(run_python):
    page = Path(__file__).parents[2] / "docs" / "openspiel.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert len(blocks) == 2 and run_python("\n".join(blocks)).count("[") == 2
