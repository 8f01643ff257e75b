"""PPO by self-play in one file: one net plays both sides of many games at once, illegal actions masked. Needs PyTorch.

python ppo.py --out runs/ppo
python ppo.py --game giuthi-8x8 --total-timesteps 4000000 --opponents random greedy alphabeta:depth=2

Reads top to bottom, after CleanRL's ppo.py. What two players change is marked "Viewpoint"; docs/ppo.md explains it.
"""

from __future__ import annotations

import argparse
import csv
import time
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

try:
    import torch
    from torch import nn
    from torch.distributions import Categorical
except ImportError as error:
    raise SystemExit(f"ppo.py needs PyTorch, make torch or https://pytorch.org/get-started: {error}") from error

import mancala_rl as mrl

NUM_FEATURES = 8
"""What is told of an action, see env.action_features."""


def option(default: Any, text: str) -> Any:
    return field(default=default, metadata={"help": text})


@dataclass
class Args:
    game: str = option("giuthi-6x6", "game id, see docs/environment.md")
    seed: int = option(1, "seed of games, net and sampling")
    threads: int = option(1, "threads of PyTorch and of the environment")
    out: str = option("", "folder for metrics.csv and agent.pt; none: nothing is written")
    tensorboard: bool = option(False, "TensorBoard events in that folder too; needs the package tensorboard")

    total_timesteps: int = option(2_000_000, "plies to learn from, of both players and all games together")
    num_envs: int = option(256, "games side by side")
    num_steps: int = option(32, "plies of each game between two updates")
    random_opening_plies: int = option(4, "random plies before every game, so that games differ")
    action_features: bool = option(True, "the policy is told what every action would do (Giuthi only)")
    max_plies: int = option(0, "plies after which a game is truncated; 0: never, all games end by themselves")

    learning_rate: float = option(2e-3, "of Adam; falls to 0 over the run")
    gamma: float = option(1.0, "discount a ply; 1: a late win is worth as much as an early one")
    gae_lambda: float = option(0.8, "lambda of generalized advantage estimation")
    num_minibatches: int = option(8, "minibatches an epoch")
    update_epochs: int = option(4, "epochs an update")
    clip_coef: float = option(0.2, "how far the surrogate objective lets the ratio go from 1")
    ent_coef: float = option(0.02, "weight of the entropy")
    vf_coef: float = option(0.5, "weight of the value loss")
    max_grad_norm: float = option(0.5, "longest gradient")
    hidden: int = option(128, "width of the two hidden layers of the policy and of the value")

    opponents: tuple[str, ...] = option(("random",), "agents to measure the policy against, see docs/agents.md")
    eval_every: int = option(20, "updates between two matches with each of them")
    eval_games: int = option(400, "games of a match, even: every opening is played from both seats")


def parse_args() -> Args:
    parser = argparse.ArgumentParser(
        description="PPO by self-play.", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    for each in fields(Args):
        flag = "--" + each.name.replace("_", "-")
        kind: dict[str, Any] = {"type": type(each.default)}
        if isinstance(each.default, bool):
            kind = {"action": argparse.BooleanOptionalAction}
        elif isinstance(each.default, tuple):
            kind = {"nargs": "*"}
        parser.add_argument(flag, default=each.default, help=each.metadata["help"], **kind)
    args = Args(**vars(parser.parse_args()))
    for name in ("num_envs", "num_steps", "num_minibatches", "update_epochs", "eval_every", "eval_games"):
        if getattr(args, name) < 1:
            parser.error(f"--{name.replace('_', '-')} {getattr(args, name)} is less than 1")
    if args.eval_games % 2:
        parser.error(f"--eval-games {args.eval_games} is odd: every opening is played from both seats")
    if args.action_features and args.game.startswith("kiothi"):
        parser.error(f"--game {args.game} needs --no-action-features: the features are for Giuthi only")
    if args.total_timesteps < args.num_steps * args.num_envs:
        parser.error(f"--total-timesteps {args.total_timesteps} is less than one update, --num-steps times --num-envs")
    if args.num_envs * args.num_steps < 2 * args.num_minibatches:
        # Advantages of one ply have no spread to divide by: every weight would become NaN.
        parser.error(f"--num-minibatches {args.num_minibatches} leaves fewer than two plies a minibatch")
    if args.tensorboard and not args.out:
        parser.error("--tensorboard needs --out")
    return args


def layer(inputs: int, outputs: int, std: float = np.sqrt(2)) -> nn.Linear:
    made = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(made.weight, std)
    nn.init.zeros_(made.bias)
    return made


def mlp(inputs: int, hidden: int, outputs: int, std: float) -> nn.Sequential:
    return nn.Sequential(
        layer(inputs, hidden), nn.ReLU(), layer(hidden, hidden), nn.ReLU(), layer(hidden, outputs, std)
    )


class Agent(nn.Module):  # type: ignore[misc]
    """Policy and value of the player to move, who is all that an observation shows: it is the same net for both.

    ``inputs`` are what ``inputs_of`` makes: ``(..., D)`` observations, and behind them ``(..., A * F)`` features of the actions.
    """

    def __init__(self, observation_len: int, num_actions: int, num_features: int, hidden: int) -> None:
        super().__init__()
        self.sizes = [observation_len, num_actions, num_features]
        self.actor = mlp(observation_len + num_actions * num_features, hidden, num_actions + num_features, std=0.01)
        self.critic = mlp(observation_len, hidden, 1, std=1.0)

    def value(self, inputs: torch.Tensor) -> torch.Tensor:
        """``(...)``: the outcome that the player to move expects."""
        return self.critic(inputs[..., : self.sizes[0]]).squeeze(-1)

    def policy(self, inputs: torch.Tensor, masks: torch.Tensor) -> Categorical:
        """Over the A actions, with a probability of exactly 0 where ``masks`` ``(..., A)`` bool is False."""
        observation_len, num_actions, num_features = self.sizes
        logits, weights = self.actor(inputs).split([num_actions, num_features], dim=-1)
        # Beside a logit for every action the net says how much each feature of an action counts here.
        features = inputs[..., observation_len:].unflatten(-1, (num_actions, num_features))
        logits = logits + (features @ weights.unsqueeze(-1)).squeeze(-1)
        # A finite number, so that an illegal action adds 0 to the entropy, and no NaN.
        return Categorical(logits=logits.masked_fill(~masks, -1e9), validate_args=False)


def inputs_of(observations: npt.NDArray[Any], action_features: npt.NDArray[Any] | None) -> torch.Tensor:
    """Observations ``(B, D)`` and dense action features ``(B, A, F)``, or None, in rows for the net."""
    if action_features is None:
        return torch.from_numpy(observations)
    return torch.from_numpy(np.concatenate([observations, action_features.reshape(len(observations), -1)], axis=1))


def generalized_advantages(
    rewards: torch.Tensor,
    values: torch.Tensor,
    movers: torch.Tensor,
    dones: torch.Tensor,
    next_value: torch.Tensor,
    next_mover: torch.Tensor,
    gamma: float,
    gae_lambda: float,
) -> torch.Tensor:
    """Advantages ``(T, B)``, each in the view of the player who moved at that step, as rewards and values ``(T, B)`` are.

    ``next_value`` and ``next_mover`` ``(B,)`` are of the position after the last step.

    Viewpoint: the game is zero-sum, so what is worth v to the player to move next is worth v to whoever has just moved if
    that is he himself, and -v if it is the other. Turns do not alternate, so only ``movers`` can tell.
    """
    advantages = torch.zeros_like(rewards)
    next_advantage = torch.zeros_like(next_value)
    for t in reversed(range(len(rewards))):
        side = torch.where(next_mover == movers[t], 1.0, -1.0) * ~dones[t]
        delta = rewards[t] + gamma * side * next_value - values[t]
        advantages[t] = delta + gamma * gae_lambda * side * next_advantage
        next_value, next_mover, next_advantage = values[t], movers[t], advantages[t]
    return advantages


def values_of_the_rest(
    agent: Agent, movers: torch.Tensor, truncated: npt.NDArray[np.bool_], info: dict[str, Any]
) -> torch.Tensor:
    """``(B,)``: what games broken off by the last step are worth to ``movers``, who made it, and 0 for all others.

    A game that is terminated is decided, and nothing follows. One that is truncated would have gone on: the value of its last
    position stands in for the rest. Viewpoint: that value is of the player to move there, who need not be the one who moved.
    """
    rest = torch.zeros(len(truncated))
    rows = truncated.nonzero()[0]
    final_movers = torch.from_numpy(info["final_info"]["to_move"][rows])
    with torch.no_grad():
        values = agent.value(torch.from_numpy(info["final_obs"][rows]))
    rest[rows] = torch.where(final_movers == movers[rows], values, -values)
    return rest


class Player:
    """The likeliest action of the policy, for `mrl.match`."""

    def __init__(self, agent: Agent, action_features: bool) -> None:
        self.agent, self.action_features = agent, action_features

    def act_many(self, states: list[mrl.State]) -> npt.NDArray[np.int64]:
        masks = np.stack([state.action_mask() for state in states])
        features = None
        if self.action_features:
            # A state tells of its legal actions alone.
            features = np.zeros((*masks.shape, NUM_FEATURES), np.float32)
            features[masks] = np.concatenate([state.action_features() for state in states])
        inputs = inputs_of(np.stack([state.observation() for state in states]), features)
        with torch.no_grad():
            logits = self.agent.policy(inputs, torch.from_numpy(masks)).logits
        actions: npt.NDArray[np.int64] = logits.argmax(dim=1).numpy()
        return actions


METRICS = (
    *("charts/SPS", "charts/learning_rate", "charts/episodic_length", "charts/draws"),
    *("losses/policy_loss", "losses/value_loss", "losses/entropy", "losses/approx_kl", "losses/clipfrac"),
    "losses/explained_variance",
)


class Log:
    """Metrics by CleanRL's names, a row an update: in metrics.csv and for TensorBoard, as asked."""

    def __init__(self, args: Args) -> None:
        self.file, self.writer = None, None
        if args.out:
            Path(args.out).mkdir(parents=True, exist_ok=True)
            scores = (f"eval/{opponent}{end}" for opponent in args.opponents for end in ("", "_se"))
            self.file = Path(args.out, "metrics.csv").open("w", newline="")
            self.rows = csv.DictWriter(self.file, ["global_step", *METRICS, *scores])
            self.rows.writeheader()
        if args.tensorboard:
            from torch.utils.tensorboard import SummaryWriter

            self.writer = SummaryWriter(args.out)

    def write(self, step: int, metrics: dict[str, float]) -> None:
        if self.file is not None:
            self.rows.writerow({"global_step": step, **metrics})
            self.file.flush()
        if self.writer is not None:
            for name, value in metrics.items():
                self.writer.add_scalar(name, value, step)

    def close(self) -> None:
        for each in (self.file, self.writer):
            if each is not None:
                each.close()


def evaluate(agent: Agent, args: Args) -> dict[str, float]:
    """Points a game against each opponent, a draw counted as half a point, and their standard errors."""
    scores: dict[str, float] = {}
    for opponent in args.opponents:
        # The same openings every time, so that scores of one run differ by the play alone.
        result = mrl.match(
            args.game, Player(agent, args.action_features), opponent, games=args.eval_games, seed=args.seed
        )
        print(
            f"    against {opponent}: {result.score:.3f} points a game, standard error {result.score_se:.3f}",
            flush=True,
        )
        scores |= {f"eval/{opponent}": result.score, f"eval/{opponent}_se": result.score_se}
    return scores


def main() -> None:
    args = parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    torch.use_deterministic_algorithms(True)

    env = mrl.make_vec(
        args.game,
        args.num_envs,
        seed=args.seed,
        threads=args.threads,
        max_plies=args.max_plies or None,
        random_opening_plies=args.random_opening_plies,
        action_features="dense" if args.action_features else None,
    )
    obs, info = env.reset()
    observation_len, num_actions = obs.shape[1], info["action_mask"].shape[1]
    num_features = NUM_FEATURES if args.action_features else 0
    agent = Agent(observation_len, num_actions, num_features, args.hidden)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    # Every ply of either player is a row to learn from.
    shape = (args.num_steps, args.num_envs)
    inputs = torch.zeros((*shape, observation_len + num_actions * num_features))
    masks = torch.zeros((*shape, num_actions), dtype=torch.bool)
    actions = torch.zeros(shape, dtype=torch.int64)
    logprobs, values, rewards = torch.zeros(shape), torch.zeros(shape), torch.zeros(shape)
    movers, dones = torch.zeros(shape, dtype=torch.int8), torch.zeros(shape, dtype=torch.bool)

    batch_size = args.num_steps * args.num_envs
    updates = args.total_timesteps // batch_size
    print(f"{args.game}: {updates} updates of {batch_size:,} plies")
    log = Log(args)
    log.write(0, evaluate(agent, args))
    begun = time.perf_counter()

    for update in range(1, updates + 1):
        update_begun = time.perf_counter()
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - (update - 1) / updates)

        # Play.
        lengths, draws = list[int](), 0
        for t in range(args.num_steps):
            inputs[t] = inputs_of(obs, info.get("action_features"))
            masks[t] = torch.from_numpy(info["action_mask"])
            movers[t] = torch.from_numpy(info["to_move"])
            with torch.no_grad():
                policy = agent.policy(inputs[t], masks[t])
                actions[t] = policy.sample()
                logprobs[t] = policy.log_prob(actions[t])
                values[t] = agent.value(inputs[t])

            obs, reward, terminated, truncated, info = env.step(actions[t].numpy())
            rewards[t] = torch.from_numpy(reward)
            # SAME_STEP autoreset: obs, action_mask and to_move are those of the next game where one has ended.
            dones[t] = torch.from_numpy(terminated | truncated)
            if truncated.any():
                rewards[t] += args.gamma * values_of_the_rest(agent, movers[t], truncated, info)
            lengths += info["final_info"]["plies"][info["_final_info"]].tolist()
            draws += int((terminated & (reward == 0)).sum())

        # Judge.
        with torch.no_grad():
            next_value, next_mover = agent.value(torch.from_numpy(obs)), torch.from_numpy(info["to_move"])
        advantages = generalized_advantages(
            rewards, values, movers, dones, next_value, next_mover, args.gamma, args.gae_lambda
        )
        returns = advantages + values

        # Learn.
        b_inputs, b_masks = inputs.flatten(0, 1), masks.flatten(0, 1)
        b_actions, b_logprobs = actions.flatten(), logprobs.flatten()
        b_advantages, b_returns = advantages.flatten(), returns.flatten()
        told = list[torch.Tensor]()
        for _ in range(args.update_epochs):
            for rows in torch.randperm(batch_size).tensor_split(args.num_minibatches):
                policy = agent.policy(b_inputs[rows], b_masks[rows])
                logratio = policy.log_prob(b_actions[rows]) - b_logprobs[rows]
                ratio = logratio.exp()
                advantage = b_advantages[rows]
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)

                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
                value_loss = 0.5 * (agent.value(b_inputs[rows]) - b_returns[rows]).square().mean()
                entropy = policy.entropy().mean()
                loss = policy_loss - args.ent_coef * entropy + args.vf_coef * value_loss

                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()

                with torch.no_grad():
                    approx_kl = (ratio - 1 - logratio).mean()
                    clipfrac = ((ratio - 1).abs() > args.clip_coef).float().mean()
                told.append(torch.stack([policy_loss, value_loss, entropy, approx_kl, clipfrac]).detach())

        step = update * batch_size
        now = time.perf_counter()
        metrics = dict(zip(METRICS[4:9], torch.stack(told).mean(dim=0).tolist())) | {
            "charts/SPS": batch_size / (now - update_begun),
            "charts/learning_rate": optimizer.param_groups[0]["lr"],
            "charts/episodic_length": float(np.mean(lengths)) if lengths else float("nan"),
            "charts/draws": draws / len(lengths) if lengths else float("nan"),
            "losses/explained_variance": float(1 - (returns - values).var() / returns.var()),
        }
        if update % args.eval_every == 0 or update == updates:
            figures = "  ".join(f"{name.split('/')[1]} {value:.4g}" for name, value in metrics.items())
            print(f"step {step:,}, {now - begun:.0f} s: {figures}")
            metrics |= evaluate(agent, args)
        log.write(step, metrics)

    log.close()
    if args.out:
        torch.save(agent.state_dict(), Path(args.out, "agent.pt"))
    print(f"{time.perf_counter() - begun:.0f} s, {time.process_time():.0f} s of processor time")


if __name__ == "__main__":
    main()
