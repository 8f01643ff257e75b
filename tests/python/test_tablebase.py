"""Tablebases: what they say, one by one and in batches, and what agents make of it."""

import copy
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mancala_rl as mrl
from nets import net_bytes
from reference import random_game
from tables import random_boards, state_of, table

NONE = (mrl.Probes.NO_WIN, mrl.Probes.NO_LOSS)


def thresholds(probe):
    """As arrays hold them."""
    win, loss = probe.win, probe.loss
    return (NONE[0] if win is None else win, NONE[1] if loss is None else loss, probe.win_rank, probe.loss_rank)


def rows(probes):
    return list(zip(probes.win.tolist(), probes.loss.tolist(), probes.win_rank.tolist(), probes.loss_rank.tolist()))


def class_of(lead, win, loss):
    return 1 if win is not None and lead >= win else -1 if loss is not None and lead <= loss else 0


def test_a_table_says_what_it_is_of(tmp_path):
    tablebase = table()
    assert (tablebase.pits, tablebase.capture, tablebase.max_seeds) == (3, "any", 12)
    # C(18, 6) boards, mirror images counted once.
    assert 18_564 / 2 < tablebase.boards < 18_564 / 2 + 300
    assert repr(tablebase) == f"Tablebase({tablebase.path!r})" and type(tablebase.path) is str
    assert table(2, 8, "occupied").capture == "occupied"
    tablebase.verify()
    for other in (pickle.loads(pickle.dumps(tablebase)), copy.copy(tablebase), mrl.Tablebase(tablebase.path)):
        assert other.path == tablebase.path and other.boards == tablebase.boards
    with pytest.raises(AttributeError):
        tablebase.pits = 4


def test_the_start_of_3x2_is_won():
    state = mrl.State("giuthi-3x2")
    probe = table().probe(state)
    assert (probe.win, probe.loss) == (-7, -9)
    assert (probe.lead, probe.outcome, probe.value) == (0, "win", 1)
    assert repr(probe).startswith("Probe(outcome='win', lead=0, win=-7, loss=-9, win_rank=")
    assert probe == table().probe(state) and hash(probe) == hash(table().probe(state))
    for scores, outcome, value in [((0, 0), "win", 1), ((8, 0), "draw", 0), ((9, 0), "loss", -1), ((7, 0), "win", 1)]:
        probe = table().probe(state_of([2] * 6, scores))
        assert (probe.win, probe.loss, probe.lead) == (-7, -9, -scores[0])
        assert (probe.outcome, probe.value) == (outcome, value)


@pytest.mark.parametrize("capture", ["any", "occupied"])
def test_a_board_is_worth_its_best_action(capture):
    """Thresholds are those of the actions: greatest slack at any lead, without a history."""
    tablebase, rng = table(3, 12, capture), np.random.default_rng(1)
    for board in random_boards(rng, 300):
        state = state_of(board, (int(rng.integers(5)), int(rng.integers(5))), capture)
        if state.is_over:
            continue
        probe, judged = tablebase.probe(state), tablebase.judge(state)
        assert [judgement.action for judgement in judged] == state.legal_actions()
        # This very position is all the history there is, and the best action never comes back to it.
        assert max(judgement.value for judgement in judged) == probe.value
        slacks = [judgement.win_slack for judgement in judged if judgement.win_slack is not None]
        assert (max(slacks) if slacks else None) == (None if probe.win is None else probe.lead - probe.win)
        for judgement in judged:
            assert judgement.value == {"win": 1, "draw": 0, "loss": -1}[judgement.outcome]
            assert repr(judgement).startswith(f"Judgement(action={judgement.action}, outcome=")


def test_a_history_can_take_a_win_away():
    tablebase, found = table(), 0
    for seed in range(400):
        state = random_game("giuthi-3x2", seed, 3 + seed % 12)
        if state.is_over:
            continue
        fresh = mrl.State.from_position("giuthi-3x2", state.position())
        assert fresh.to_move == state.to_move and tablebase.probe(fresh) == tablebase.probe(state)
        for here, there in zip(tablebase.judge(state), tablebase.judge(fresh)):
            found += here != there
            if here.value != there.value:
                assert here.outcome == "draw"
    assert found > 0


def test_batches_say_what_single_probes_say():
    tablebase, rng = table(), np.random.default_rng(2)
    boards = random_boards(rng, 2_000)
    probes = tablebase.probe_many(boards)
    assert len(probes) == 2_000 and repr(probes) == "Probes of 2000 boards"
    dtypes = {"win": "int16", "loss": "int16", "win_rank": "uint16", "loss_rank": "uint16"}
    for name in ("has_win", "has_loss", "known"):
        dtypes[name] = "bool"
    for name, dtype in dtypes.items():
        array = getattr(probes, name)
        assert array.shape == (2_000,) and array.dtype == dtype, name
    assert probes.known.all() and probes.leads is None
    np.testing.assert_array_equal(probes.has_win, probes.win != NONE[0])
    np.testing.assert_array_equal(probes.has_loss, probes.loss != NONE[1])
    passed = over = 0
    for board, row in zip(boards, rows(probes)):
        state = state_of(board)
        if state.is_over:
            margin = state.scores[1] - state.scores[0]
            assert row == (1 - margin, -1 - margin, 0, 0)
            over += 1
        elif state.to_move == 1:
            assert row == thresholds(tablebase.probe(state))
        else:
            # Passed over: the other player's thresholds, turned.
            probe = tablebase.probe(state)
            win = NONE[0] if probe.loss is None else -probe.loss
            loss = NONE[1] if probe.win is None else -probe.win
            assert row == (win, loss, probe.loss_rank, probe.win_rank)
            passed += 1
    assert passed > 20 and over > 5


def test_values_are_by_lead():
    boards = random_boards(np.random.default_rng(3), 500)
    probes = table().probe_many(boards)
    win = [int(win) if has else None for win, has in zip(probes.win, probes.has_win)]
    loss = [int(loss) if has else None for loss, has in zip(probes.loss, probes.has_loss)]
    for lead in (-40_000, -20, -3, 0, 3, 20, 40_000):
        expected = [class_of(lead, *limits) for limits in zip(win, loss)]
        assert probes.values(lead).tolist() == expected
        assert probes.values(lead).dtype == np.int8
    leads = np.random.default_rng(4).integers(-12, 13, 500)
    expected = [class_of(lead, *limits) for lead, *limits in zip(leads, win, loss)]
    for given_leads in (leads, leads.tolist(), leads.astype(np.int8), leads.astype(">i4"), leads[::-1][::-1]):
        assert probes.values(given_leads).tolist() == expected
    # Comparisons are right without a mask.
    np.testing.assert_array_equal((leads >= probes.win).astype(int) - (leads <= probes.loss), expected)


@pytest.mark.parametrize("game", ["giuthi-3x2", "giuthi-3x2?capture=occupied"])
def test_raw_observations_go_straight_in(game):
    tablebase = table(3, 12, "occupied" if "occupied" in game else "any")
    env = mrl.make_vec(game, 64, seed=5, observation_dtype="uint8", random_opening_plies=3)
    observations, info = env.reset()
    for _ in range(10):
        probes = tablebase.probe_many(observations)
        bare = tablebase.probe_many(observations[:, :6])
        assert rows(bare) == rows(probes) and bare.leads is None
        scores, mover = info["scores"], info["to_move"]
        leads = scores[np.arange(64), mover] - scores[np.arange(64), 1 - mover]
        np.testing.assert_array_equal(probes.leads, leads)
        states = [mrl.State.from_position(game, text) for text in env.positions()]
        assert [tablebase.probe(state).value for state in states] == probes.values().tolist()
        assert bare.values(leads).tolist() == probes.values().tolist()
        of_states = tablebase.probe_many(states)
        assert rows(of_states) == rows(probes) and of_states.leads.tolist() == leads.tolist()
        observations, _, _, _, info = env.step(env.sample_actions())


def test_final_observations_say_who_has_won():
    env = mrl.make_vec("giuthi-3x2", 64, seed=6, observation_dtype="uint8")
    env.reset()
    ends = 0
    for _ in range(60):
        _, reward, terminated, _, info = env.step(env.sample_actions())
        swept = terminated & (info["final_info"]["result"] == "no-moves")
        if swept.any():
            # Nothing lies on the board any more: the lead alone counts.
            probes = table().probe_many(info["final_obs"][swept])
            np.testing.assert_array_equal(probes.values(), np.sign(probes.leads))
            ends += swept.sum()
    assert ends > 10


def test_unknown_boards_can_be_masked():
    tablebase = table()
    boards = np.array([[2, 2, 2, 2, 2, 2], [13, 0, 0, 0, 0, 0], [0, 12, 0, 0, 0, 0], [255] * 6], np.uint8)
    probes = tablebase.probe_many(boards, outside="mask")
    assert probes.known.tolist() == [True, False, True, False]
    for row in (1, 3):
        assert rows(probes)[row] == (*NONE, 0, 0)
        assert not probes.has_win[row] and not probes.has_loss[row]
    assert probes.values(-100).tolist()[1::2] == probes.values(100).tolist()[1::2] == [0, 0]
    known = tablebase.probe_many(boards[[0, 2]])
    assert rows(known) == rows(probes)[::2]
    over = mrl.State.from_position("giuthi-3x2", "0,0,0/0,0,0 8 4 p1 no-moves")
    states = [mrl.State("giuthi-3x3"), mrl.State("giuthi-3x2"), over]
    probes = tablebase.probe_many(iter(states), outside="mask")
    assert probes.known.tolist() == [False, True, False] == [tablebase.covers(state) for state in states]
    assert not tablebase.covers(mrl.State("kiothi")) and not tablebase.covers(mrl.State("giuthi-2x2"))


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    count=st.integers(0, 40),
    dtype=st.sampled_from(["u1", "i1", "<u2", ">u2", "<i4", ">i4", "u4", "i8", ">i8", "<u8", ">u8"]),
    layout=st.sampled_from(["plain", "fortran", "steps", "reversed", "columns", "broadcast", "read-only", "list"]),
)
def test_any_integers_of_any_strides(seed, count, dtype, layout):
    boards = random_boards(np.random.default_rng(seed), count)
    if layout == "broadcast" and count:
        boards[:] = boards[0]
    array = boards.astype(dtype)
    if layout == "fortran":
        array = np.asfortranarray(array)
    elif layout == "steps":
        array = np.repeat(array, 3, axis=0)[::3]
    elif layout == "reversed":
        array = np.ascontiguousarray(array[::-1, ::-1])[::-1, ::-1]
    elif layout == "columns":
        array = np.concatenate([array, array], axis=1)[:, :6]
    elif layout == "broadcast" and count:
        array = np.broadcast_to(array[0], (count, 6))
    elif layout == "read-only":
        array.flags.writeable = False
    before = array.copy()
    probes = table().probe_many(array.tolist() if layout == "list" else array)
    assert rows(probes) == rows(table().probe_many(boards))
    np.testing.assert_array_equal(array, before)


def test_threads_share_a_table():
    boards = random_boards(np.random.default_rng(7), 20_000)
    expected = rows(table().probe_many(boards))
    found = {}

    def ask(number):
        found[number] = [rows(table().probe_many(boards)) for _ in range(3)]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(answer == expected for answers in found.values() for answer in answers)


def test_agents_play_perfectly_with_a_table(tmp_path):
    path, game = table().path, "giuthi-3x2"
    (tmp_path / "net.safetensors").write_bytes(net_bytes(game))
    specs = [f"tablebase:{path}", f"alphabeta:depth=2,tb={path}", f"mcts:sims=8,tb={path}"]
    specs.append(f"net:{tmp_path / 'net.safetensors'},sims=4,tb={path}")
    states = [state for seed in range(40) if not (state := random_game(game, seed, seed % 9)).is_over]
    for spec in specs:
        agent = mrl.agent(spec)
        assert agent.spec.startswith(spec.split(",")[0]) and f"{path}" in agent.spec
        for state, action in zip(states, agent.act_many(states)):
            judged = {judgement.action: judgement.value for judgement in table().judge(state)}
            assert judged[action] == max(judged.values())
            analysis = agent.analyze(state)
            assert analysis.unit == "outcome" and analysis.value == judged[action]
            assert dict(zip(analysis.actions, analysis.values)) == judged
    for spec in specs[:2]:
        assert mrl.match(game, specs[0], spec, games=8).score == 0.5
    assert mrl.match(game, specs[0], "random", games=20).score >= 0.75


def test_searching_agents_go_beyond_their_table():
    path = table().path
    full = mrl.State("giuthi-3x4")
    for spec in ("alphabeta:depth=2", "mcts:sims=8"):
        assert mrl.agent(f"{spec},tb={path}").act(full) in full.legal_actions()
    with pytest.raises(ValueError, match="24 seeds in play, and the tablebase knows positions of at most 12"):
        mrl.agent(f"tablebase:{path}").act(full)


@pytest.mark.parametrize("spec", ["tablebase:{}", "alphabeta:depth=2,tb={}"])
@pytest.mark.parametrize("game", ["giuthi-4x2", "giuthi-3x2?capture=occupied", "kiothi"])
def test_agents_refuse_games_that_their_table_is_not_of(spec, game):
    spec = spec.format(table().path)
    for call in (
        lambda: mrl.agent(spec, game),
        lambda: mrl.agent(spec).act(mrl.State(game)),
        lambda: mrl.match(game, "random", spec, games=2),
    ):
        with pytest.raises(ValueError, match="is of giuthi with 3 pits a row and capture=any .* not of "):
            call()
