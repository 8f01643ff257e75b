"""Trains a net with the `mancala` command and shows its metrics as they come.

python train.py --config ../../train/configs/giuthi-5x4.toml --out runs/example --iterations 3
"""

from __future__ import annotations

import argparse
from typing import Any

import mancala_rl as mrl


def show(record: dict[str, Any]) -> None:
    figures = (f"{key} {value:.4g}" for key, value in record.items() if isinstance(value, (int, float)))
    print("  ".join(figures), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="A short training job.")
    parser.add_argument("--config", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a config value, repeatable")
    args = parser.parse_args()

    records = mrl.train(
        args.config,
        args.out,
        seed=args.seed,
        iterations=args.iterations,
        resume=args.resume,
        overrides=dict(setting.split("=", 1) for setting in args.set),
        on_metrics=show,
    )
    print(f"{len(records)} metrics records in {args.out}")


if __name__ == "__main__":
    main()
