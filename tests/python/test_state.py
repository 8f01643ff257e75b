"""The API of `State`, `Played` and `perft`."""

import copy
import pickle
import random
import signal
import threading
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_rl as mrl
from reference import GAMES, Shadow, lines, options, random_game, size


def test_ten_seeds_at_once():
    state = mrl.State("giuthi-10x9")
    played = state.play("10ccw")
    assert (played.captured, played.entered, played.extra_move, played.endless) == (10, True, False, False)
    assert repr(played) == (
        f"Played(captured=10, laps={played.laps}, landing={played.landing}, entered=True, extra_move=False, "
        "bonus=False, passed=False, endless=False)"
    )
    assert state.scores == (10, 0) and state.to_move == 1


def test_ids_and_options():
    assert mrl.State("giuthi").game == "giuthi-8x8"
    assert mrl.State("kiothi").game == "kiothi-6x5"
    assert mrl.State("giuthi-8x8", capture="occupied").game == "giuthi-8x8?capture=occupied"
    assert mrl.State("giuthi-8x8?capture=occupied") == mrl.State("giuthi-8x8", capture="occupied")
    assert mrl.State("giuthi", capture="any") == mrl.State("giuthi")
    assert mrl.State("kiothi", one_warrior_multiplier=2).game == "kiothi-6x5?one_warrior_multiplier=2"
    assert mrl.State("giuthi") != mrl.State("giuthi", capture="occupied")
    assert mrl.State("giuthi") != mrl.State("kiothi") and mrl.State("giuthi") != "giuthi"


@pytest.mark.parametrize(
    "game", ["", "chess", "giuthi-8", "giuthi-1x4", "giuthi-8x10", "kiothi-2x5", "kiothi-10x4", "giuthi-8x8?x"]
)
def test_malformed_ids_are_value_errors(game):
    with pytest.raises(ValueError, match="game"):
        mrl.State(game)


def test_bad_options_are_refused():
    for game, bad in [
        ("giuthi", {"capture": "some"}),
        ("giuthi", {"one_warrior_multiplier": 2.0}),
        ("kiothi", {"capture": "any"}),
        ("kiothi", {"one_warrior_multiplier": 0.5}),
        ("kiothi", {"one_warrior_multiplier": float("nan")}),
        ("kiothi", {"one_warrior_multiplier": float("inf")}),
        ("giuthi", {"colour": "red"}),
    ]:
        text = mrl.State(game).position()
        for make, *args in (
            (mrl.State,),
            (mrl.State.from_position, text),
            (mrl.perft, 1),
            (mrl.make_vec,),
        ):
            with pytest.raises(ValueError, match=next(iter(bad))):
                make(game, *args, **bad)
    # A mistyped argument of the function's own comes to the same.
    told = 'game "giuthi-6x6": no option or argument "oponent"; giuthi has the option capture'
    for make in (mrl.make, mrl.make_vec, mrl.pettingzoo_env, mrl.State):
        with pytest.raises(ValueError, match=f"^{told}$"):
            make("giuthi-6x6", oponent="greedy")
    with pytest.raises(ValueError, match='"num_env"; kiothi has the option one_warrior_multiplier$'):
        mrl.make_vec("kiothi", num_env=64)
    for game, bad in [
        ("giuthi", {"capture": 1}),
        ("kiothi", {"one_warrior_multiplier": "2"}),
        ("kiothi", {"one_warrior_multiplier": True}),
    ]:
        with pytest.raises(TypeError, match=next(iter(bad))):
            mrl.State(game, **bad)
    with pytest.raises(TypeError):
        mrl.State(8)


def test_an_option_stands_in_the_id_or_in_a_keyword():
    """In both it must be the same."""
    occupied, doubled = "giuthi-3x3?capture=occupied", "kiothi?one_warrior_multiplier=2"
    assert mrl.State(occupied, capture="occupied").game == occupied
    assert mrl.State("giuthi-3x3?capture=any", capture="any").game == "giuthi-3x3"
    for same in (2, 2.0, np.float32(2)):
        assert mrl.State(doubled, one_warrior_multiplier=same) == mrl.State(doubled)
    for game, option, value, in_id in [
        (occupied, "capture", "any", "occupied"),
        ("giuthi-3x3?capture=any", "capture", "occupied", "any"),
        (doubled, "one_warrior_multiplier", 3, "2"),
        ("kiothi?one_warrior_multiplier=1", "one_warrior_multiplier", 2.5, "1"),
    ]:
        for make, *args in (
            (mrl.State,),
            (mrl.State.from_position, mrl.State(game).position()),
            (mrl.perft, 1),
            (mrl.make_vec,),
            (mrl.match, "random", "random"),
        ):
            with pytest.raises(ValueError, match=f"option {option} is {in_id} in the id .*keyword says {value}"):
                make(game, *args, **{option: value})


@pytest.mark.parametrize(
    "number", [2.5, np.float16(2.5), np.float32(2.5), np.float64(2.5), np.longdouble(2.5), Fraction(5, 2)]
)
def test_any_real_number_is_a_multiplier(number):
    assert mrl.State("kiothi", one_warrior_multiplier=number).game == "kiothi-6x5?one_warrior_multiplier=2.5"


@pytest.mark.parametrize("number", [3, np.int8(3), np.int64(3), np.uint64(3)])
def test_any_integer_is_a_multiplier(number):
    assert mrl.State("kiothi", one_warrior_multiplier=number).game == "kiothi-6x5?one_warrior_multiplier=3"
    assert mrl.make_vec("kiothi", one_warrior_multiplier=number).game == "kiothi-6x5?one_warrior_multiplier=3"


def test_a_multiplier_has_bounds():
    for bad, shown in [
        (0.5, "0.5"),
        (-1, "-1"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (1e39, r"1e\+39"),
        (10**39, "1" + "0" * 39),
        (10**400, "an int of 1329 bits"),
        (-(10**5000), "an int of 16610 bits"),
        (Fraction(10**400), "a long Fraction"),
    ]:
        with pytest.raises(
            ValueError, match=f"one_warrior_multiplier is a number from 1 to 3.4028235e38, not {shown}$"
        ):
            mrl.State("kiothi", one_warrior_multiplier=bad)
    for bad in (np.bool_(True), 2j, np.complex64(2), None, [2.0], np.array([2.0])):
        with pytest.raises(TypeError, match="one_warrior_multiplier is a number, not"):
            mrl.State("kiothi", one_warrior_multiplier=bad)


def test_huge_numbers_are_not_echoed():
    huge = 10**5000
    state = mrl.State("giuthi")
    for call, error in [
        (lambda: state.play(huge), mrl.ActionOutOfRangeError),
        (lambda: state.action_name(huge), mrl.ActionOutOfRangeError),
        (lambda: mrl.make_vec("giuthi", huge), ValueError),
        (lambda: mrl.make_vec("giuthi", seed=-huge), ValueError),
    ]:
        with pytest.raises(error, match="an int of 16610 bits"):
            call()
    for call in (lambda: mrl.perft("giuthi", huge), lambda: mrl.agent("random", seed=huge)):
        with pytest.raises(ValueError, match="at least 0"):
            call()


def test_malformed_positions_name_the_field():
    for text, field in [
        ("", "fields"),
        ("2,2/2,2 0 0 p2", "player to move"),
        ("2,x/2,2 0 0 p0", "row of Player 1, pit 1"),
        ("2,-1/2,2 0 0 p0", "negative"),
        ("2,2/2,2,2 0 0 p0", "row of Player 0"),
        ("99,99/2,2 0 0 p0", "total"),
        ("2,2/2,2 0 0 p0 no-moves", "end"),
    ]:
        with pytest.raises(ValueError, match=field):
            mrl.State.from_position("giuthi-2x2", text)
    with pytest.raises(TypeError):
        mrl.State.from_position("giuthi-2x2", None)


def test_illegal_actions_change_nothing():
    state = mrl.State.from_position("giuthi-3x3", "1,0,5/4,4,4 0 0 p1")
    before = state.copy()
    for bad in (6, -1, 10**6, 2**64, -(2**70), np.int64(6)):
        with pytest.raises(IndexError, match="out of range") as caught:
            state.play(bad)
        assert isinstance(caught.value, ValueError)
        assert isinstance(caught.value, mrl.ActionOutOfRangeError)
    for bad, reason in [(0, "pit 0 holds 1 seed"), ("1cw", "pit 1 is empty"), (np.uint8(2), "pit 1 is empty")]:
        with pytest.raises(mrl.IllegalActionError, match=reason) as caught:
            state.play(bad)
        assert isinstance(caught.value, ValueError) and not isinstance(caught.value, IndexError)
    for bad in ("", "9ccw", "2", "2up", "3ccw", "one\ud800"):
        with pytest.raises(ValueError):
            state.play(bad)
    for bad in (1.0, None, True, np.bool_(True), [4], b"2cw", np.float32(1)):
        with pytest.raises(TypeError):
            state.play(bad)
    assert state == before
    state.play(np.int16(4))
    assert state != before


def test_a_finished_game_takes_no_action():
    state = random_game("giuthi-3x3", 1)
    for action in (0, state.action_name(0)):
        with pytest.raises(mrl.IllegalActionError, match=f"the game is over .{state.result}"):
            state.play(action)
    assert state.is_over and not state.action_mask().any() and state.action_features().shape == (0, 8)
    assert state.observation().shape == (11,)


def test_action_names_are_checked():
    state = mrl.State("giuthi-2x2")
    assert [state.action_name(action) for action in range(4)] == ["2ccw", "2cw", "3ccw", "3cw"]
    for bad in (4, -1, 2**65):
        with pytest.raises(IndexError):
            state.action_name(bad)
    for bad in ("2ccw", 1.5, True):
        with pytest.raises(TypeError):
            state.action_name(bad)


@pytest.mark.parametrize("game", GAMES)
def test_sizes_masks_and_features(game):
    state = mrl.State(game)
    pits, _ = size(game)
    giuthi = game.startswith("giuthi")
    assert state.num_actions == (2 * pits if giuthi else 630)
    assert state.observation_len == (2 * pits + 5 if giuthi else 50)
    rng = random.Random(3)
    while not state.is_over:
        legal, mask = state.legal_actions(), state.action_mask()
        assert legal == sorted(legal) and all(type(action) is int for action in legal)
        assert mask.dtype == np.bool_ and mask.shape == (state.num_actions,)
        assert np.flatnonzero(mask).tolist() == legal
        features = state.action_features()
        assert features.dtype == np.float32 and features.shape == (len(legal), mrl.ACTION_FEATURES)
        check_features(state, legal, features)
        state.play(rng.choice(legal))
    assert state.to_move in (0, 1)


def check_features(state, legal, features):
    pits, seeds = size(state.game)
    giuthi = state.game.startswith("giuthi")
    cells = 2 * pits if giuthi else 20
    left = ({0: pits, 1: 0} if giuthi else {0: 0, 1: 10})[state.to_move]
    for action, row in zip(legal, features):
        after = state.copy()
        played = after.play(action)
        laps = min(played.laps or 0, 255)
        landing = (played.landing - left) % cells
        expected = [played.captured / seeds, played.extra_move, laps / 10, landing / cells, played.entered]
        expected += [after.result == "repetition", played.endless, after.is_over]
        np.testing.assert_allclose(row, expected, rtol=1e-6)


@pytest.mark.parametrize("game", GAMES)
def test_observations_agree_with_the_text(game):
    for seed in range(5):
        shadow, rng = Shadow(game, mrl.State(game).position()), random.Random(seed)
        while True:
            raw = shadow.state.observation("uint8")
            assert raw.dtype == np.uint8
            np.testing.assert_array_equal(raw, shadow.raw())
            for dtype in (None, "float32", np.float32, np.dtype("f4")):
                normalized = shadow.state.observation() if dtype is None else shadow.state.observation(dtype)
                assert normalized.dtype == np.float32
                np.testing.assert_array_equal(normalized, shadow.normalized())
            if shadow.state.is_over:
                break
            shadow.play(rng.choice(shadow.state.legal_actions()))
    with pytest.raises(ValueError, match="float32"):
        shadow.state.observation("float64")
    with pytest.raises(TypeError):
        shadow.state.observation("no dtype")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "make_copy", [mrl.State.copy, copy.copy, copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))]
)
def test_copies_keep_the_history(game, make_copy):
    for plies in (0, 1, 7, 30, 10_000):
        state = random_game(game, plies, plies)
        twin = make_copy(state)
        assert twin == state and hash(twin) == hash(state) and twin is not state
        assert (twin.position(), twin.result, twin.game) == (state.position(), state.result, state.game)
        np.testing.assert_array_equal(twin.observation(), state.observation())
        rng = random.Random(0)
        while not state.is_over:
            before = twin.position()
            action = rng.choice(state.legal_actions())
            state.play(action)
            assert twin.position() == before, "a copy is a game of its own"
            twin.play(action)
            assert twin == state


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_know_of_repetitions(protocol):
    rows = [row for row in lines("giuthi.jsonl") if row["result"] == "repetition"]
    assert rows
    for row in rows:
        state = mrl.State.from_position(row["game"], row["start"], **options(row))
        for step in row["moves"][:-1]:
            state.play(step["action"])
        twin = pickle.loads(pickle.dumps(state, protocol))
        twin.play(row["moves"][-1]["action"])
        assert twin.result == "repetition"
        fresh = mrl.State.from_position(row["game"], state.position(), **options(row))
        assert fresh != state
        fresh.play(row["moves"][-1]["action"])
        assert fresh.result != "repetition"


def test_a_pickle_of_other_rules_is_refused():
    function, (version, *rest) = mrl.State("giuthi").__reduce__()
    with pytest.raises(ValueError, match=f"version {version + 1}.*version {version}"):
        function(version + 1, *rest)


def test_a_pickle_of_other_numbers_is_refused():
    function, (version, game, start, _) = mrl.State("giuthi-3x3").__reduce__()
    for bad in (6, 65535, 65536, 2**64, -1):
        with pytest.raises(mrl.ActionOutOfRangeError, match=f"action {bad} is out of range"):
            function(version, game, start, [0, bad])
    for bad in (-1, 2**40, 2**70):
        with pytest.raises(ValueError, match="rules_version"):
            function(bad, game, start, [])
    with pytest.raises(TypeError):
        function(version, game, start, [0.5])


def test_reprs_can_be_read_back():
    for state in (
        random_game("giuthi-5x4", 1, 9, capture="occupied"),
        random_game("kiothi", 1, 60, one_warrior_multiplier=2.5),
        random_game("giuthi-3x3", 1),
    ):
        again = eval(repr(state), {"State": mrl.State})
        assert again.position() == state.position() and again.game == state.game


def test_a_one_warrior_victory_counts_more():
    text = "0,0,0,0,0,0,0,0,0,0/0,0,0,0,0,0,0,0,0,0 31 29 p0 sow .................... no-moves"
    assert mrl.State.from_position("kiothi", text).returns() == (1.0, -1.0)
    assert mrl.State.from_position("kiothi", text, one_warrior_multiplier=10).returns() == (10.0, -10.0)


def test_perft_refuses_bad_depths():
    assert mrl.perft("giuthi", 0) == 1
    assert mrl.perft("giuthi", np.int32(1)) == 16
    assert mrl.perft("giuthi-2x2", 3, position="0,0/0,0 4 4 p0 no-moves") == 0
    for bad in (-1, 2**40, 2**70):
        with pytest.raises(ValueError, match="depth"):
            mrl.perft("giuthi", bad)
    for bad in (1.0, "1", True):
        with pytest.raises(TypeError):
            mrl.perft("giuthi", bad)


def test_perft_lets_others_run_and_hears_ctrl_c():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(None)
            time.sleep(0.005)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=tick)
    timer = threading.Timer(0.3, done.set)
    thread.start()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mrl.perft("giuthi-8x8", 30)
    thread.join()
    assert len(ticks) > 5


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(GAMES), st.integers(0, 2**32), st.integers(0, 60))
def test_any_game_adds_up(game, seed, plies):
    state = random_game(game, seed, plies)
    pits, seeds = size(game)
    raw = state.observation("uint8").astype(int)
    play = raw[2 * pits + 2] if game.startswith("giuthi") else raw[22]
    assert sum(state.scores) + play == 2 * pits * seeds
    assert state.is_over == (state.result is not None) == (not state.legal_actions())
    if not state.is_over:
        again = mrl.State.from_position(game, state.position())
        assert again.legal_actions() == state.legal_actions() and again.to_move == state.to_move


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=40), st.text(alphabet="0123456789,/ p.x", max_size=60))
def test_no_text_crashes(game, position):
    for call in (
        lambda: mrl.State(game),
        lambda: mrl.State.from_position("giuthi-3x3", position),
        lambda: mrl.State("giuthi").play(position),
    ):
        try:
            call()
        except ValueError:
            pass
