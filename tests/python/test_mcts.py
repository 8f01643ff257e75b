"""`mcts`: what the evaluator is asked, and what the search finds."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_rl as mrl
from evaluators import going_on, judge, some_states, uniform
from reference import GAMES, random_game


def arrays(result):
    return result.actions, result.policy, result.visits, result.q_values, result.values


def same(one, other, rows=slice(None)):
    return all(
        np.array_equal(a, b[rows], equal_nan=True) for a, b in zip(map(np.atleast_1d, arrays(one)), arrays(other))
    )


SEARCHES = [
    {},
    {"seed": 3, "considered": 4},
    {"contempt": 0.5, "sigma_scale": 0.5},
    {"selection": "puct"},
    {"selection": "puct", "seed": 5, "noise_part": 0.5, "exploration": 2.0},
]


@given(
    game=st.sampled_from(GAMES),
    seeds=st.lists(st.integers(0, 50), min_size=1, max_size=5),
    sims=st.integers(0, 40),
    options=st.sampled_from(SEARCHES),
)
@settings(max_examples=40, deadline=None)
def test_what_a_search_returns(game, seeds, sims, options):
    states = [going_on(game, seed, plies=seed % 15) for seed in seeds]
    texts = [state.position() for state in states]
    result = mrl.mcts(states, judge, sims, **options)
    n, a = len(states), states[0].num_actions
    shapes = [(array.shape, array.dtype) for array in arrays(result)]
    assert shapes == [
        ((n,), np.int64),
        ((n, a), np.float32),
        ((n, a), np.int32),
        ((n, a), np.float32),
        ((n,), np.float32),
    ]
    masks = np.array([state.action_mask() for state in states])
    assert (result.policy[~masks] == 0).all() and (result.policy >= 0).all()
    np.testing.assert_allclose(result.policy.sum(axis=1), 1, atol=1e-4)
    assert (result.visits.sum(axis=1) == sims).all() and (result.visits[~masks] == 0).all()
    assert np.array_equal(np.isnan(result.q_values), result.visits == 0)
    seen = result.q_values[result.visits > 0]
    assert (np.abs(seen) <= 1 + 1e-5 + options.get("contempt", 0)).all()
    assert (np.abs(result.values) <= 1 + 1e-5 + options.get("contempt", 0)).all()
    rows = np.arange(n)
    assert masks[rows, result.actions].all()
    # What is proven overrules visits.
    sure = result.policy[rows, result.actions] == 1
    assert (sure | (result.visits[rows, result.actions] == result.visits.max(axis=1))).all()
    if options.get("selection") == "puct" and sims:
        np.testing.assert_allclose(result.policy, result.visits / sims, atol=1e-6)
    assert result.simulations == sims and result.batches <= sims + 1 and result.leaves <= n * (sims + 1)
    assert [state.position() for state in states] == texts, "nothing has been played"
    assert same(mrl.mcts(states, judge, sims, **options), result), "the same again"


@pytest.mark.parametrize("options", SEARCHES)
@pytest.mark.parametrize("game", ["giuthi-5x4", "kiothi-3x1"])
def test_a_state_does_not_depend_on_the_others(game, options):
    states = some_states(game, 12)
    whole = mrl.mcts(states, judge, 30, **options)
    assert same(mrl.mcts(states[:7], judge, 30, **options), whole, slice(7))
    if "seed" not in options:
        for i, state in enumerate(states):
            assert same(mrl.mcts([state], judge, 30, **options), whole, slice(i, i + 1))


@pytest.mark.parametrize("game", ["giuthi-5x4", "giuthi-8x8?capture=occupied", "kiothi-6x5"])
def test_the_evaluator_sees_what_states_show(game):
    states, batches = some_states(game, 9), []

    def evaluate(batch):
        batches.append(batch)
        return judge(batch)

    mrl.mcts(states, evaluate, 3)
    mrl.mcts(states, evaluate, 0, action_features="ragged")
    mrl.mcts(states, evaluate, 0, action_features="dense")
    plain, (ragged, dense) = batches[0], batches[-2:]
    for batch in (plain, ragged, dense):
        assert len(batch) == 9 and repr(batch) == "LeafBatch of 9 leaves"
        assert (batch.observations.dtype, batch.action_mask.dtype, batch.to_move.dtype) == (np.float32, bool, np.int8)
        assert np.array_equal(batch.observations, [state.observation() for state in states])
        assert np.array_equal(batch.action_mask, [state.action_mask() for state in states])
        assert np.array_equal(batch.to_move, [state.to_move for state in states])
    assert plain.action_features is None
    offsets, actions, features = ragged.action_features
    assert (offsets.dtype, actions.dtype, features.dtype) == (np.int64, np.int64, np.float32)
    assert offsets[0] == 0 and offsets[-1] == len(actions) == len(features)
    for i, state in enumerate(states):
        rows = slice(offsets[i], offsets[i + 1])
        assert list(actions[rows]) == state.legal_actions()
        assert np.array_equal(features[rows], state.action_features())
        assert np.array_equal(dense.action_features[i, state.legal_actions()], state.action_features())
        assert not dense.action_features[i, ~state.action_mask()].any()


def test_batches_are_the_callers_own():
    kept = []

    def evaluate(batch):
        kept.append((batch, batch.observations.copy(), batch.action_mask.copy()))
        answer = judge(batch)
        batch.observations[:], batch.action_mask[:] = 9, False
        batch.observations[:], batch.action_mask[:] = kept[-1][1:]
        return answer

    mrl.mcts(some_states("giuthi-5x4", 4), evaluate, 10)
    for batch, observations, mask in kept:
        assert np.array_equal(batch.observations, observations) and np.array_equal(batch.action_mask, mask)


@pytest.mark.parametrize("game", ["giuthi-5x4", "kiothi-3x1"])
def test_values_are_in_the_view_of_the_player_to_move(game):
    """Whoever moves wherever: the evaluator holds that Player 0 is somewhat ahead, and the search agrees."""

    def ahead(batch):
        nonlocal ends
        ends |= bool((batch.action_features[..., 7] > 0).any())
        return uniform(batch)[0], np.where(batch.to_move == 0, np.float32(0.5), np.float32(-0.5))

    compared = set()
    for options in ({}, {"selection": "puct"}):
        for state in some_states(game, 30):
            ends = False
            result = mrl.mcts([state], ahead, 12, action_features="dense", **options)
            if not ends:  # the end of a game the search judges itself, as soon as it sees it
                assert result.leaves == 13
                expected = 0.5 if state.to_move == 0 else -0.5
                assert set(result.q_values[result.visits > 0]) == {expected}
                assert abs(result.values[0] - expected) < 1e-6
                compared.add(state.to_move)
    assert compared == {0, 1}


def wins_at_once(game, count):
    """Positions with some actions that win and some that do not, with the winning ones."""
    found, seed = [], 0
    while len(found) < count:
        seed += 1
        state = random_game(game, seed, 4 + seed % 60)
        winning = []
        for action in state.legal_actions():
            after = state.copy()
            after.play(action)
            if after.winner == state.to_move:
                winning.append(action)
        if winning and len(winning) < len(state.legal_actions()):
            found.append((state, winning))
    return found


@pytest.mark.parametrize("options", [{}, {"selection": "puct"}, {"seed": 1}])
def test_a_win_is_found(options):
    found = wins_at_once("giuthi-3x2", 12)
    result = mrl.mcts([state for state, _ in found], uniform, 100, **options)
    compared = 0
    for (_, winning), action, q_values, policy in zip(found, result.actions, result.q_values, result.policy):
        # Noise may prefer an action that wins a little later.
        assert action in winning or ("seed" in options and q_values[action] > 0.9)
        assert np.nanmax(q_values) == np.nanmax(q_values[winning]) == 1
        if (q_values == 1).sum() == len(winning):  # others may be proven to win later
            assert policy[winning].sum() > len(winning) / (q_values == q_values).sum(), "more than the prior"
            compared += 1
    assert compared > 0


def test_without_simulations_the_policy_is_the_evaluators():
    states = some_states("giuthi-8x8", 6)
    seen = []

    def evaluate(batch):
        seen.append((batch, judge(batch)))
        return seen[-1][1]

    for options in ({}, {"selection": "puct"}):
        result = mrl.mcts(states, evaluate, 0, **options)
        batch, (logits, values, _) = seen.pop()
        shares = np.where(batch.action_mask, np.exp(logits), 0)
        np.testing.assert_allclose(result.policy, shares / shares.sum(axis=1, keepdims=True), rtol=1e-4)
        np.testing.assert_array_equal(result.values, values)
        assert np.isnan(result.q_values).all() and (result.actions == result.policy.argmax(axis=1)).all()
        assert (result.batches, result.leaves) == (1, 6)


def test_noise():
    states = [mrl.State("giuthi-8x8")] * 64
    plain = mrl.mcts(states, uniform, 0)
    assert len(set(plain.actions)) == 1, "without a seed there is none"
    gumbel = mrl.mcts(states, uniform, 0, seed=1)
    assert np.array_equal(gumbel.policy, plain.policy), "targets have no noise"
    assert len(set(gumbel.actions)) > 8, "each state has noise of its own"
    assert not np.array_equal(gumbel.actions, mrl.mcts(states, uniform, 0, seed=2).actions)
    puct = {"selection": "puct", "seed": 1}
    for alpha, most in [(0.01, 0.9), (1_000, 0.1)]:
        drawn = mrl.mcts(states, uniform, 0, noise_part=1.0, noise_alpha=alpha, **puct).policy
        assert len({row.tobytes() for row in drawn}) == 64
        assert (drawn.max(axis=1).mean() > most) == (alpha < 1)
    part = mrl.mcts(states, uniform, 0, **puct).policy
    assert (part >= 0.75 / 16 - 1e-6).all() and not np.array_equal(part, plain.policy)
    none = mrl.mcts(states, uniform, 0, noise_part=0.0, **puct)
    np.testing.assert_allclose(none.policy, plain.policy, atol=1e-6)


def test_contempt_counts_draws():
    state = mrl.State("giuthi-8x8")

    def drawn(batch):
        return *uniform(batch), np.ones(len(batch), np.float32)

    assert mrl.mcts([state], drawn, 0).values == [0]
    assert mrl.mcts([state], drawn, 0, contempt=0.25).values == [-0.25]
    assert mrl.mcts([state], drawn, 20, contempt=1).values == [-1]
    assert mrl.mcts([state], uniform, 0, contempt=1).values == [0], "no draws are expected"


@pytest.mark.parametrize(
    "form",
    [
        lambda a: a.astype(np.float64),
        lambda a: a.astype(">f4"),
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: a[::-1].copy()[::-1],
    ],
)
def test_arrays_of_any_float_and_layout(form):
    states = some_states("giuthi-5x4", 5)
    plain = mrl.mcts(states, judge, 20)
    assert same(mrl.mcts(states, lambda batch: [form(part) for part in judge(batch)], 20), plain)


def test_logits_of_illegal_actions_are_ignored():
    states = some_states("giuthi-5x4", 5)
    for filler in (-np.inf, np.nan, 1e30):

        def masked(batch, filler=filler):
            logits, values, _ = judge(batch)
            return np.where(batch.action_mask, logits, np.float32(filler)), values

        assert same(mrl.mcts(states, masked, 20), mrl.mcts(states, lambda batch: judge(batch)[:2], 20))


def test_states_come_in_any_iterable():
    states = some_states("giuthi-5x4", 3)
    plain = mrl.mcts(states, judge, 8)
    for form in (tuple, iter, lambda states: np.array(states, object)):
        assert same(mrl.mcts(form(states), judge, 8), plain)


def test_an_evaluator_may_search_and_play_on():
    states = some_states("giuthi-5x4", 3)
    expected = mrl.mcts([state.copy() for state in states], judge, 10)

    def evaluate(batch):
        inner = mrl.mcts([mrl.State("kiothi-3x1")], uniform, 4)
        assert inner.simulations == 4
        for state in states:
            if not state.is_over:
                state.play(state.legal_actions()[0])
        return judge(batch)

    assert same(mrl.mcts(states, evaluate, 10), expected), "what is searched is what was given"


def test_threads_search_side_by_side():
    states, results = some_states("giuthi-5x4", 8), [None] * 4
    expected = mrl.mcts(states, judge, 40)

    def work(i):
        results[i] = mrl.mcts(states, judge, 40)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same(result, expected) for result in results)


def test_a_result_shows_its_size():
    result = mrl.mcts([mrl.State("kiothi")] * 2, uniform, 5)
    assert repr(result) == "SearchResult(states=2, simulations=5, batches=6, leaves=12)"
