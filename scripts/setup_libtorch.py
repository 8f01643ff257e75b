#!/usr/bin/env python3
"""Put the parts of libtorch that mancala-train links into third_party/libtorch.

The files come out of pinned PyPI wheels. The full CUDA build of torch needs gigabytes of
NVIDIA packages to load; its CPU half needs only libc10, libgomp, cudart and cupti, so those are kept
and the rest is thrown away. Safe to run again and to interrupt: the folder appears whole or not at all.
"""

import sys

if sys.version_info < (3, 10):  # noqa: UP036
    sys.exit("setup_libtorch: Python 3.10 or newer is needed, this is " + sys.version.split()[0])

import errno
import fcntl
import hashlib
import json
import os
import platform
import shutil
import signal
import subprocess
import tempfile
import time
import zipfile
from pathlib import Path
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "third_party" / "libtorch"
STAMP = "setup.json"
VERSION = "2.13.0"
OWN_LIBTORCH = f"set LIBTORCH to the folder (with include/ and lib/) of a libtorch {VERSION} of your own"
# While pip copies the largest wheel into place it is on the disk twice; later one wheel and what is kept are.
NEEDED_BYTES = 1_200_000_000


class Wheel(NamedTuple):
    """One wheel, and which of its files become which files of libtorch."""

    requirement: str
    platform: str
    sha256: str
    files: dict[str, str]
    folders: dict[str, str]


WHEELS = (
    Wheel(
        "torch==2.13.0",
        "manylinux_2_28_x86_64",
        "60fcdcb2f3876e21146cb4524ef06397d727ca9ad5f020818547e25075fe3cb7",
        {
            "torch/lib/libtorch_cpu.so": "lib/libtorch_cpu.so",
            "torch/lib/libc10.so": "lib/libc10.so",
            "torch/lib/libgomp.so.1": "lib/libgomp.so.1",
        },
        {"torch/include/": "include/"},
    ),
    Wheel(
        "nvidia-cuda-runtime==13.0.96",
        "manylinux2014_x86_64",
        "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548",
        {"nvidia/cu13/lib/libcudart.so.13": "lib/libcudart.so.13"},
        {},
    ),
    Wheel(
        "nvidia-cuda-cupti==13.0.85",
        "manylinux_2_25_x86_64",
        "4eb01c08e859bf924d222250d2e8f8b8ff6d3db4721288cf35d14252a4d933c8",
        {"nvidia/cu13/lib/libcupti.so.13": "lib/libcupti.so.13"},
        {},
    ),
)

LINKS = {
    # torch-sys links torch, torch_cpu, c10 and gomp. The wheel's own libtorch.so drags in the CUDA half.
    "lib/libtorch.so": "libtorch_cpu.so",
    "lib/libgomp.so": "libgomp.so.1",
}


def say(text: str) -> None:
    print(f"setup_libtorch: {text}", flush=True)


def fail(text: str) -> NoReturn:
    sys.exit(f"setup_libtorch: {text}")


def recipe() -> dict[str, object]:
    """What an installation is made from; another recipe means that it has to be made anew."""
    return {"wheels": [wheel._asdict() for wheel in WHEELS], "links": LINKS}


def is_set_up() -> bool:
    try:
        stamp = json.loads((TARGET / STAMP).read_text())
        sizes = stamp["sizes"]
        return stamp["recipe"] == recipe() and all((TARGET / f).stat().st_size == n for f, n in sizes.items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def check_platform() -> None:
    system, machine = platform.system(), platform.machine()
    if (system, machine) != ("Linux", "x86_64"):
        fail(f"the wheels are for Linux on x86_64, not {system} on {machine}: {OWN_LIBTORCH}")
    try:
        glibc = (os.confstr("CS_GNU_LIBC_VERSION") or "").split()[-1]
        new_enough = tuple(map(int, glibc.split("."))) >= (2, 28)
    except (AttributeError, IndexError, ValueError, OSError):
        glibc, new_enough = "none", False
    if not new_enough:
        fail(f"the wheels need glibc 2.28 or newer, found {glibc}: {OWN_LIBTORCH}")


def check_space(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < NEEDED_BYTES:
        fail(f"{NEEDED_BYTES / 1e9:.1f} GB of free disk space are needed in {folder}, there are {free / 1e9:.1f} GB")


def pip_python(work: Path) -> str:
    """A Python that has pip: this one, or one in a throwaway virtual environment."""
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode == 0:
        return sys.executable
    say("this Python has no pip, making a virtual environment that has")
    made = subprocess.run([sys.executable, "-m", "venv", str(work / "venv")], capture_output=True)
    python = work / "venv" / "bin" / "python"
    if made.returncode != 0 or not python.exists():
        fail(f"{sys.executable} has neither pip nor venv: install one (Debian: apt install python3-pip python3-venv)")
    return str(python)


def download(python: str, wheel: Wheel, work: Path) -> Path:
    folder = Path(tempfile.mkdtemp(dir=work))
    command = [python, "-m", "pip", "download", "--no-cache-dir", "--no-deps", "--only-binary=:all:"]
    command += ["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311"]
    command += ["--platform", wheel.platform, "--dest", str(folder), wheel.requirement]
    if not sys.stdout.isatty():
        # On a terminal its progress bar is welcome.
        command.append("--quiet")
    environment = os.environ | {
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
        "PIP_REQUIRE_VIRTUALENV": "0",
        # pip's temporary files are as large as the wheels; /tmp is often small.
        "TMPDIR": str(folder),
    }
    result = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, errors="replace")
    wheels = list(folder.glob("*.whl"))
    if result.returncode != 0 or len(wheels) != 1:
        lines = [line.strip() for line in result.stderr.splitlines() if line.strip()]
        if any("No space left" in line for line in lines):
            fail(f"no space left on the disk of {work.parent}")
        if any("connection" in line.lower() or "resolution" in line for line in lines):
            fail(f"could not download {wheel.requirement}: the package index cannot be reached, is the network up?")
        errors = [line for line in lines if line.startswith("ERROR")] or lines
        fail(f"pip could not download {wheel.requirement}: {errors[-1] if errors else 'no reason given'}")
    return wheels[0]


def check_hash(wheel: Wheel, path: Path) -> None:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != wheel.sha256:
        fail(f"{path.name} has sha256 {digest.hexdigest()}, expected {wheel.sha256}: nothing was set up")


def unpack(wheel: Wheel, path: Path, into: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        wanted = dict(wheel.files)
        for prefix, place in wheel.folders.items():
            wanted |= {name: place + name.removeprefix(prefix) for name in names if name.startswith(prefix)}
        if missing := wanted.keys() - set(names):
            fail(f"{path.name} has no {', '.join(sorted(missing))}")
        for name, place in wanted.items():
            to = into / place
            to.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(name) as source, to.open("wb") as copy:
                shutil.copyfileobj(source, copy, 1 << 20)


def build(work: Path) -> Path:
    """Makes the whole of libtorch under `work`."""
    made = work / "libtorch"
    python = pip_python(work)
    for wheel in WHEELS:
        say(f"downloading {wheel.requirement}")
        path = download(python, wheel, work)
        check_hash(wheel, path)
        say(f"unpacking what is needed of {path.name} ({path.stat().st_size / 1e6:.0f} MB, sha256 is right)")
        unpack(wheel, path, made)
        shutil.rmtree(path.parent)
    for link, to in LINKS.items():
        (made / link).symlink_to(to)
    # torch-sys refuses another version by this file.
    (made / "build-version").write_text(f"{VERSION}\n")
    libraries = [place for wheel in WHEELS for place in wheel.files.values()]
    sizes = {place: (made / place).stat().st_size for place in [*libraries, *LINKS, "include/torch/script.h"]}
    (made / STAMP).write_text(json.dumps({"recipe": recipe(), "sizes": sizes}, indent=1) + "\n")
    return made


def put_in_place(made: Path, work: Path) -> None:
    if TARGET.is_symlink():
        TARGET.unlink()
    elif TARGET.exists():
        TARGET.rename(work / "old")
    made.rename(TARGET)


def set_up() -> None:
    check_platform()
    folder = TARGET.parent
    folder.mkdir(exist_ok=True)
    with (folder / ".libtorch.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another set-up is running, waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if is_set_up():
            return say(f"another set-up has put libtorch {VERSION} in {TARGET}")
        for left_over in folder.glob(".libtorch-*"):
            shutil.rmtree(left_over, ignore_errors=True)
        check_space(folder)
        start = time.monotonic()
        say(f"setting up libtorch {VERSION} in {TARGET}: 540 MB to download, 490 MB to keep")
        work = Path(tempfile.mkdtemp(prefix=".libtorch-", dir=folder))
        try:
            put_in_place(build(work), work)
        finally:
            shutil.rmtree(work, ignore_errors=True)
        say(f"done in {time.monotonic() - start:.0f} s")


def main() -> None:
    for name in ("LIBTORCH", "LIBTORCH_USE_PYTORCH"):
        if value := os.environ.get(name):
            return say(f"{name}={value} is set, so nothing is downloaded: that libtorch is used")
    if is_set_up():
        return say(f"already set up: libtorch {VERSION} in {TARGET}")
    # By default these would leave the unfinished folder behind until the next run.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit("setup_libtorch: stopped, nothing was set up"))
    try:
        set_up()
    except KeyboardInterrupt:
        sys.exit("\nsetup_libtorch: interrupted, nothing was set up")
    except zipfile.BadZipFile as error:
        fail(f"a wheel is damaged: {error}")
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            fail(f"no space left on the disk of {TARGET.parent}")
        fail(str(error))


if __name__ == "__main__":
    main()
