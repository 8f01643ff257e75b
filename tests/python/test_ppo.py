"""The PPO example: whose advantages are whose, masks, and a short run that learns."""

import csv
import importlib.util
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

import mancala_rl as mrl

torch = pytest.importorskip("torch", reason="the PPO example needs PyTorch")

EXAMPLE = Path(__file__).parents[2] / "python" / "examples" / "ppo.py"
SHORT = {
    "--game": "giuthi-6x6",
    "--total-timesteps": 98_304,
    "--num-envs": 128,
    "--eval-every": 100,
    "--learning-rate": 3e-3,
    "--hidden": 64,
    "--max-plies": 60,
}


@pytest.fixture(scope="module")
def ppo():
    spec = importlib.util.spec_from_file_location("ppo", EXAMPLE)
    module = sys.modules["ppo"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(out, **options):
    settings = [str(part) for pair in (SHORT | {"--out": out} | options).items() for part in pair]
    result = subprocess.run([sys.executable, EXAMPLE, *settings], capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    with (out / "metrics.csv").open(newline="") as file:
        return list(csv.DictReader(file)), result.stdout


def play(env, agent, ppo, steps):
    """Random play: everything that `generalized_advantages` is handed, and the outcome of each game by player."""
    obs, info = env.reset()
    played = []
    for _ in range(steps):
        movers, values = info["to_move"], agent.value(torch.from_numpy(obs)).detach().numpy()
        obs, reward, terminated, truncated, info = env.step(env.sample_actions())
        played.append((reward, values, movers, terminated, info["returns"]))
        assert not truncated.any()
    *arrays, returns = map(np.stack, zip(*played))
    tensors = [torch.from_numpy(array) for array in arrays]
    tensors += [agent.value(torch.from_numpy(obs)).detach(), torch.from_numpy(info["to_move"])]
    return tensors, returns


@pytest.mark.parametrize("game", ["giuthi-4x3", "kiothi-3x1"])
def test_with_lambda_1_returns_are_the_outcome_for_whoever_moved(ppo, game):
    env = mrl.make_vec(game, 32, seed=3)
    agent = ppo.Agent(env.single_observation_space.shape[0], int(env.single_action_space.n), 0, 16)
    (rewards, values, movers, dones, *last), returns = play(env, agent, ppo, 200)
    assert (movers[1:] == movers[:-1])[~dones[:-1]].float().mean() > 0.05, "somebody moves twice in a row"
    found = (ppo.generalized_advantages(rewards, values, movers, dones, *last, 1.0, 1.0) + values).numpy()
    outcome, checked = np.full((32, 2), np.nan), 0
    for t in reversed(range(200)):
        outcome[dones[t]] = returns[t][dones[t]]
        expected = outcome[np.arange(32), movers[t]]
        ended = ~np.isnan(expected)
        np.testing.assert_allclose(found[t][ended], expected[ended], atol=1e-5)
        checked += np.abs(expected[ended]).sum()
    assert checked > 1000, "won and lost games, not only drawn ones"


def test_advantages_are_those_of_one_player_turned_round(ppo):
    """All in the view of player 0 it is the usual estimate; turned back to the movers it has to be ours."""
    rng = np.random.default_rng(5)
    steps, games, gamma, lam = 50, 20, 0.97, 0.9
    rewards, values = rng.normal(size=(2, steps, games))
    movers, dones = rng.random((2, steps, games)) < [[[0.5]], [[0.1]]]
    next_value, next_mover = rng.normal(size=games), rng.random(games) < 0.5
    side = np.where(movers, -1, 1)
    expected = np.zeros((steps, games))
    after, ahead = np.where(next_mover, -1, 1) * next_value, 0
    for t in reversed(range(steps)):
        goes_on = 1 - dones[t]
        delta = side[t] * rewards[t] + gamma * goes_on * after - side[t] * values[t]
        expected[t] = ahead = delta + gamma * lam * goes_on * ahead
        after = side[t] * values[t]
    arguments = map(torch.from_numpy, (rewards, values, movers, dones, next_value, next_mover))
    found = ppo.generalized_advantages(*arguments, gamma, lam)
    np.testing.assert_allclose(found.numpy(), side * expected, atol=1e-5)


@pytest.mark.parametrize("games", [3, 64])
def test_games_broken_off_are_worth_what_their_last_position_is_to_who_moved(ppo, games):
    env = mrl.make_vec("giuthi-4x3", games, seed=2, max_plies=7)
    lead = types.SimpleNamespace(
        value=lambda inputs: inputs[:, 8] - inputs[:, 9]
    )  # own score less the other's, of 24 seeds
    _, info = env.reset()
    turned = kept = 0
    for _ in range(60):
        movers = info["to_move"]
        _, _, _, truncated, info = env.step(env.sample_actions())
        scores = info["final_info"]["scores"].astype(np.float32) / 24
        leads = scores[np.arange(games), movers] - scores[np.arange(games), 1 - movers]
        found = ppo.values_of_the_rest(lead, torch.from_numpy(movers), truncated, info).numpy()
        np.testing.assert_allclose(found, np.where(truncated, leads, 0), atol=1e-6)
        unequal = truncated & (leads != 0)
        turned += (info["final_info"]["to_move"] != movers)[unequal].sum()
        kept += (info["final_info"]["to_move"] == movers)[unequal].sum()
    assert turned > 3 and kept > 3


def test_illegal_actions_have_no_probability_and_no_gradient(ppo):
    torch.manual_seed(0)
    agent = ppo.Agent(5, 4, 0, 8)
    masks = torch.tensor([[True, False, True, False], [False, True, False, False]])
    policy = agent.policy(torch.randn(2, 5), masks)
    assert (policy.probs[~masks] == 0).all() and (policy.probs[masks] > 0).all()
    assert (policy.sample((500,)) != 1)[:, 0].all() and (policy.sample((500,)) == 1)[:, 1].all()
    entropy = policy.entropy()
    assert 0 < entropy[0] <= np.log(2) + 1e-6 and entropy[1] == 0
    entropy.sum().backward()
    bias = agent.actor[-1].bias.grad
    assert bias.isfinite().all() and (bias[[1, 3]] == 0).all()


def test_a_short_run_learns(tmp_path):
    rows, out = run(tmp_path)
    first, last = rows[0], rows[-1]
    assert len(rows) == 25 and int(last["global_step"]) == 98_304
    start, end = float(first["eval/random"]), float(last["eval/random"])
    error = np.hypot(float(first["eval/random_se"]), float(last["eval/random_se"]))
    assert end > 0.75 and end > start + 4 * error, out
    assert f"against random: {end:.3f} points a game" in out
    assert float(last["losses/explained_variance"]) > 0.2
    assert all(np.isfinite(float(row[name])) for row in rows[1:] for name in row if not name.startswith("eval"))


def test_runs_of_one_seed_are_the_same(tmp_path):
    short = {"--total-timesteps": 8192, "--num-envs": 64, "--num-steps": 16, "--eval-games": 20, "--max-plies": 12}

    def results(name, **others):
        rows, _ = run(tmp_path / name, **short, **others)
        return [row | {"charts/SPS": ""} for row in rows], torch.load(tmp_path / name / "agent.pt")

    (rows, weights), (same_rows, same_weights) = results("a"), results("b")
    assert rows == same_rows and len(rows) == 9
    assert all(weights[name].equal(same_weights[name]) for name in weights | same_weights)
    assert results("c", **{"--seed": 2})[0] != rows


@pytest.mark.parametrize(
    "settings, problem",
    [
        (["--total-timesteps", "100"], "--total-timesteps 100 is less than one update"),
        (["--tensorboard"], "--tensorboard needs --out"),
        (
            ["--num-envs", "4", "--num-minibatches", "128"],
            "--num-minibatches 128 leaves fewer than two plies a minibatch",
        ),
        (["--num-minibatches", "0"], "--num-minibatches 0 is less than 1"),
        (["--update-epochs", "0"], "--update-epochs 0 is less than 1"),
        (["--eval-every", "0"], "--eval-every 0 is less than 1"),
        (["--num-envs", "-1"], "--num-envs -1 is less than 1"),
        (["--eval-games", "0"], "--eval-games 0 is less than 1"),
        (["--eval-games", "3"], "--eval-games 3 is odd"),
        (["--game", "kiothi-4x3"], "--game kiothi-4x3 needs --no-action-features"),
    ],
)
def test_settings_that_cannot_work_are_refused(ppo, settings, problem, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ppo.py", *settings])
    with pytest.raises(SystemExit) as stopped:
        ppo.parse_args()
    assert stopped.value.code == 2 and problem in capsys.readouterr().err


def test_kiothi_goes_without_action_features(ppo, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["ppo.py", "--game", "kiothi-4x3", "--no-action-features"])
    assert not ppo.parse_args().action_features


def test_without_torch_it_says_what_it_needs(run_python):
    run_python(f"""
import runpy, sys
sys.modules["torch"] = None
try:
    runpy.run_path({str(EXAMPLE)!r}, run_name="__main__")
except SystemExit as stopped:
    assert str(stopped).startswith("ppo.py needs PyTorch, make torch"), stopped
else:
    raise AssertionError("no SystemExit")
""")
