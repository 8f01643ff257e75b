"""`get_state` and `set_state` of batches against an opponent."""

import json
import pickle

import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

import mancala_rl as mrl
from saving import equal, sealed, shown


class Remembering:
    """Answers by the position alone."""

    def act_many(self, states):
        return [state.legal_actions()[len(str(state)) % len(state.legal_actions())] for state in states]


@pytest.mark.parametrize(
    ("game", "opponent", "options"),
    [
        ("giuthi-4x3", "random", {"player": "random", "random_opening_plies": 2}),
        ("giuthi-6x6", "greedy", {"max_plies": 30, "illegal_action": "lose", "capture": "occupied"}),
        ("kiothi-3x1", "alphabeta:depth=2", {"player": 1, "one_warrior_multiplier": 3.0}),
        ("giuthi-3x3", Remembering(), {"player": "random"}),
    ],
)
def test_a_batch_against_an_opponent_goes_on_as_it_would_have(game, opponent, options):
    env = mrl.make_vec(game, 9, seed=4, opponent=opponent, **options)
    env.reset()
    for _ in range(20):
        env.step(env.sample_actions())
    state = pickle.loads(pickle.dumps(env.get_state()))
    assert state.dtype == np.uint8 and state.ndim == 1
    other = mrl.make_vec(game, 9, seed=7, opponent=opponent, **options)
    equal(other.set_state(state), shown(env))
    np.testing.assert_array_equal(other.get_state(), state)
    for _ in range(40):
        actions = [env.sample_actions(), other.sample_actions()]
        np.testing.assert_array_equal(*actions)
        equal(env.step(actions[0]), other.step(actions[1]))
    equal(env.reset(), other.reset())
    np.testing.assert_array_equal(env.get_state(), other.get_state())


def test_bad_states_of_a_batch_against_an_opponent_are_named_and_change_nothing():
    options = {"opponent": "greedy", "player": 0}
    env = mrl.make_vec("giuthi-3x3", 3, **options)
    with pytest.raises(ResetNeeded):
        env.get_state()
    env.reset()
    env.step(env.sample_actions())
    state = env.get_state()

    def saved(game="giuthi-3x3", games=3, **changed):
        other = mrl.make_vec(game, games, **{**options, **changed})
        other.reset()
        return other.get_state()

    line = b"mancala-rl opponent-vec-env 1\n"

    def edited(edit):
        def change(content):
            data = json.loads(content[len(line) :])
            edit(data)
            return line + json.dumps(data).encode()

        return sealed(state, change)

    alone = mrl.make_vec("giuthi-3x3", 3)
    alone.reset()
    flipped = state.copy()
    flipped[-9] ^= 1
    for bad, message in [
        (saved("giuthi-3x4"), "saved with game=giuthi-3x4, but here it is giuthi-3x3$"),
        (saved(games=4), "num_envs=4, but here it is 3"),
        (saved(opponent="random"), "opponent=random, but here it is greedy"),
        (saved(opponent=Remembering()), "opponent=an object, but here it is greedy"),
        (saved(player="random"), "player=random, but here it is 0"),
        (saved(illegal_action="lose"), "illegal_action=lose, but here it is raise"),
        (saved(max_plies=9), "max_plies=9, but here it is None"),
        (saved(random_opening_plies=1), "random_opening_plies=1, but here it is 0"),
        (alone.get_state(), 'begins with "mancala-rl vec-env 1"'),
        (flipped, "damaged"),
        (state[:20], "begins with"),
        (state[: len(line) + 2], "damaged"),
        (sealed(state, lambda content: line + b"{"), "state: "),
        (sealed(state, lambda content: line + b"[]"), "state: "),
        (edited(lambda data: data["made_of"].update(rules_version=0)), "rules_version=0, but here it is"),
        (edited(lambda data: data["games"].pop()), "2 games, not 3"),
        (edited(lambda data: data["games"][1].pop("rng")), "env 1: KeyError"),
        (edited(lambda data: data["games"][1]["rng"].update(bit_generator="MT19937")), "env 1: "),
        (edited(lambda data: data["games"][2]["episode"]["moves"][3].append(77)), "env 2: action 77 is out of range"),
        (edited(lambda data: data["games"][2]["episode"]["moves"].__setitem__(1, "giuthi-2x2")), "env 2: "),
        (edited(lambda data: data["games"][2]["episode"].update(player=2)), "env 2: player is at least 0"),
        (edited(lambda data: data["games"][2]["episode"].update(player=1)), "env 2: it is not the turn of player 1"),
        (edited(lambda data: data["games"][0].update(sampler="x")), "env 0: "),
    ]:
        with pytest.raises(ValueError, match=message):
            env.set_state(bad)
        np.testing.assert_array_equal(env.get_state(), state)
    with pytest.raises(TypeError, match="state has dtype uint8"):
        env.set_state([1, 2, 3])
    env.close()
    for call in (env.get_state, lambda: env.set_state(state)):
        with pytest.raises(ClosedEnvironmentError):
            call()
