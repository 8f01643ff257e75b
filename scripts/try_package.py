#!/usr/bin/env python3
"""Installs mancala_rl into a clean environment and runs scripts/smoke_test.py there.

Usage: try_package.py WHAT...    a wheel, an sdist, the folder of a pyproject.toml, or a folder of wheels, each tried by itself

The environment is made with the Python that runs this, in a temporary folder, and removed afterwards.
"""

import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

SMOKE_TEST = Path(__file__).resolve().with_name("smoke_test.py")


def try_package(package: Path) -> str:
    """What the smoke test printed and the seconds that the installation took; CalledProcessError if either fails."""
    # ignore_cleanup_errors: Windows does not let go of a library at once.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        environment = Path(folder) / "venv"
        venv.create(environment, with_pip=True)
        python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        begun = time.perf_counter()
        run(folder, python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package.resolve())
        seconds = time.perf_counter() - begun
        return run(folder, python, "-I", SMOKE_TEST).strip() + f", installed in {seconds:.1f} s"


def run(folder: str, *command: str | Path) -> str:
    """Runs a command in a folder where no source of the package lies, and returns what it printed."""
    return subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


def holds_wheels(path: Path) -> bool:
    """Whether it is a folder, and not one that pip can install."""
    return path.is_dir() and not (path / "pyproject.toml").exists()


def main() -> None:
    packages = [
        package
        for argument in map(Path, sys.argv[1:])
        for package in (sorted(argument.glob("*.whl")) if holds_wheels(argument) else [argument])
    ]
    if not packages:
        sys.exit(__doc__)
    for package in packages:
        print(f"{package.name}: {try_package(package)}", flush=True)


if __name__ == "__main__":
    main()
