"""`render_rgb`, and `render_mode="rgb_array"` of all environments."""

import string
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import RenderCollection
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import render_test

import mancala_rl as mrl
from games_to_look_at import GAMES, board, games
from mancala_rl.looking import strokes
from mancala_rl.looking.layout import Layout
from mancala_rl.looking.position import read
from opponents import First
from reference import random_game

SEED_LIGHT = 200
"""Only seeds and words are so light in all colours."""


def pit_window(state, pixels, pit):
    """The middle of a pit, where there are neither counts nor rings."""
    shown = read(state.game, state.position())
    x, y = Layout(shown.row).pit(shown.slot(pit))
    return pixels[round(y) - 19 : round(y) + 19, round(x) - 19 : round(x) + 19]


def light(pixels):
    return int((pixels.min(-1) > SEED_LIGHT).sum())


@settings(max_examples=30, deadline=None)
@given(games, st.booleans())
def test_shape_and_dtype(game, flip):
    state = random_game(*game)
    pixels = mrl.render_rgb(state, flip=flip)
    assert pixels.dtype == np.uint8 and pixels.ndim == 3 and pixels.shape[2] == 3
    assert pixels.shape == mrl.render_rgb(mrl.State(game[0])).shape
    assert pixels.shape[0] % 2 == pixels.shape[1] % 2 == 0 and pixels.flags.c_contiguous
    np.testing.assert_array_equal(pixels, mrl.render_rgb(state.copy(), flip=flip))


@settings(max_examples=30, deadline=None)
@given(games)
def test_it_changes_with_the_state_alone(game):
    state = random_game(*game)
    if state.is_over:
        return
    before = mrl.render_rgb(state)
    other = state.copy()
    other.play(other.legal_actions()[-1])
    assert (mrl.render_rgb(other) != before).any()
    np.testing.assert_array_equal(mrl.render_rgb(state), before)


def test_pits_show_more_seeds_where_there_are_more():
    state = mrl.State.from_position("giuthi-8x8", "0,1,2,3,4,6,8,12/15,18,20,2,2,2,2,2 0 0 p0")
    empty = mrl.State.from_position("giuthi-8x8", "0,0,0,0,0,0,0,0/0,0,0,2,2,2,2,2 0 0 p0")
    one, other = mrl.render_rgb(empty), mrl.render_rgb(state)
    covered = []
    for pit in range(11):
        changed = pit_window(state, one, pit) != pit_window(state, other, pit)
        covered.append(int(changed.any(-1).sum()))
    assert covered[0] == 0 and all(few < more for few, more in zip(covered, covered[1:])), covered


def test_many_seeds_show_their_count():
    texts = ("giuthi-4x9", "21,0,0,0/0,0,0,5 0 0 p0"), ("giuthi-4x9", "22,0,0,0/0,0,0,5 0 0 p0")
    windows = [pit_window(state, mrl.render_rgb(state), 0) for state in (mrl.State.from_position(*t) for t in texts)]
    assert (windows[0] != windows[1]).any()


def test_flipping_turns_the_rows_round():
    state = mrl.State.from_position("giuthi-4x4", "9,0,0,0/0,0,0,2 0 0 p0")
    for flip in (False, True):
        pixels = mrl.render_rgb(state, flip=flip)
        layout = Layout(4)
        x, y = layout.pit(0 if flip else 4)  # Player 1's leftmost pit
        window = pixels[round(y) - 19 : round(y) + 19, round(x) - 19 : round(x) + 19]
        assert light(window) > 100


@pytest.mark.parametrize("scale", [0.25, 0.5, 1.7, np.float32(2), 3])
@pytest.mark.parametrize("game", ["giuthi-2x2", "kiothi-6x5"])
def test_scales(game, scale):
    one, scaled = mrl.render_rgb(mrl.State(game)), mrl.render_rgb(mrl.State(game), scale=scale)
    for i in (0, 1):
        assert abs(scaled.shape[i] - one.shape[i] * scale) <= 1 + scale and scaled.shape[i] % 2 == 0
    # The same picture: its mean colour hardly changes.
    np.testing.assert_allclose(scaled.mean((0, 1)), one.mean((0, 1)), atol=4)


@pytest.mark.parametrize(
    "scale, error, message",
    [
        (0.1, ValueError, "scale is at least 0.25 and at most 8, not 0.1"),
        (float("nan"), ValueError, "scale"),
        (float("inf"), ValueError, "scale"),
        ("1", TypeError, "scale is a float, not str"),
        (True, TypeError, "scale is a float, not bool"),
        (None, TypeError, "scale"),
    ],
)
def test_bad_scales(scale, error, message):
    with pytest.raises(error, match=message):
        mrl.render_rgb(mrl.State("giuthi-2x2"), scale=scale)


def test_every_letter_is_drawn():
    unknown = strokes.strokes("\u4e2d")
    shapes = {}
    for char in string.ascii_letters + string.digits + ".,:;-_/()+=?!'\u2212\u2026":
        shapes[char] = strokes.strokes(char)
        assert shapes[char] != unknown, char
    assert len(set(shapes.values())) == len(shapes)
    words = mrl.State("giuthi-3x3")
    pictures = [mrl.render_rgb(words, players=(name, "x")) for name in ("abc", "abd", "\u4e2d\u56fd\U0001f600", "")]
    assert all((one != other).any() for one, other in zip(pictures, pictures[1:]))


@pytest.mark.parametrize("game", GAMES)
def test_environments(game):
    for options in ({}, {"player": 1}):
        env = mrl.make(game, First(), render_mode="rgb_array", random_opening_plies=2, **options)
        assert env.render_mode == "rgb_array" and env.metadata["render_modes"] == ["ansi", "rgb_array"]
        env.reset(seed=1)
        shape, names = env.render().shape, ("Player 0 (agent)", "Player 1 (opponent)")
        if options:
            names = ("Player 0 (opponent)", "Player 1 (agent)")
        for _ in range(5):
            np.testing.assert_array_equal(env.render(), mrl.render_rgb(env.state, players=names))
            assert env.render().shape == shape
            *_, terminated, _, _ = env.step(env.state.legal_actions()[0])
            if terminated:
                env.reset()


def test_gymnasiums_checks_and_wrappers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for mode in ("ansi", "rgb_array"):
            env = gymnasium.make("mancala_rl/giuthi-5x4-v0", render_mode=mode)
            check_env(env.unwrapped)
            collected = RenderCollection(env)
            collected.reset(seed=0)
            collected.step(env.unwrapped.state.legal_actions()[0])
            frames = collected.render()
            assert len(frames) == 2 and type(frames[0]) is (str if mode == "ansi" else np.ndarray)


def test_pettingzoos_render_test():
    def make(render_mode):
        return mrl.pettingzoo_env("kiothi-4x3", render_mode="rgb_array" if render_mode == "human" else render_mode)

    render_test(make, custom_tests={"ansi": lambda shown: isinstance(shown, str)})
    env = mrl.pettingzoo_env("kiothi-4x3", render_mode="rgb_array")
    env.reset(seed=0)
    env.step(env.game_state.legal_actions()[0])
    np.testing.assert_array_equal(env.render(), mrl.render_rgb(env.game_state, players=("player_0", "player_1")))


@pytest.mark.parametrize("opponent", [None, "random"])
@pytest.mark.parametrize("game", ["giuthi-5x4?capture=occupied", "kiothi-3x1"])
def test_batches(game, opponent):
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray)):
        env = mrl.make_vec(game, 3, seed=4, opponent=opponent, render_mode=mode)
        assert env.render_mode == mode and mode in env.metadata["render_modes"]
        env.reset()
        env.step(env.sample_actions())
        shown = env.render()
        assert isinstance(shown, tuple) and len(shown) == 3 and all(type(picture) is kind for picture in shown)
        if kind is np.ndarray:
            for picture, position in zip(shown, env.positions()):
                state = mrl.State.from_position(game, position)
                assert picture.shape == mrl.render_rgb(state).shape
                for pit, seeds in enumerate(board(position).pits):
                    assert (light(pit_window(state, picture, pit)) > 0) == (seeds > 0) or seeds == 0
        else:
            scores = [board(position).scores for position in env.positions()]
            for (one, two), text in zip(scores, shown):
                assert f"captured {one}" in text and f"captured {two}" in text
    with pytest.warns(UserWarning, match="render_mode"):
        assert mrl.make_vec(game, 2, opponent=opponent).render() is None
    env = mrl.make_vec(game, 2, opponent=opponent, render_mode="ansi")
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.render()
    with pytest.raises(ValueError, match="render_mode is 'ansi' or 'rgb_array', not 'human'"):
        mrl.make_vec(game, 2, opponent=opponent, render_mode="human")


def test_gymnasiums_make_vec():
    env = gymnasium.make_vec("mancala_rl/giuthi-5x4-v0", num_envs=2, render_mode="rgb_array")
    env.reset(seed=0)
    one, other = env.render()
    assert one.dtype == np.uint8 and one.shape == other.shape
    env.close()
    with pytest.raises(gymnasium.error.ClosedEnvironmentError):
        env.render()
