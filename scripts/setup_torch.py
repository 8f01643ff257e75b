#!/usr/bin/env python3
"""Put PyTorch into .venv, for the tests of mancala_rl.torch. Run by the Python of .venv; does nothing that has been done.

The wheel of PyPI for Linux on x86-64 is linked with a dozen of NVIDIA's libraries, gigabytes of which nothing is called without a GPU.
So it is installed without them, and each gets a stand-in: a library of the same name whose functions all return an error. Where the real
ones are installed these are found first. A torch that imports is left as it is: who wants one with CUDA installs it before.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "python" / "requirements-torch.txt"
VENV = ROOT / ".venv"
# While pip unpacks the wheel both are on the disk.
NEEDED_BYTES = 1_900_000_000

STAND_INS = {
    "libcublas.so.13": r"cublas(?!Lt)",
    "libcublasLt.so.13": r"cublasLt",
    "libcudnn.so.9": r"cudnn",
    "libcufft.so.12": r"cufft",
    "libcufile.so.0": r"cuFile",
    "libcurand.so.10": r"curand",
    "libcusparse.so.12": r"cusparse(?!Lt)",
    "libcusparseLt.so.0": r"cusparseLt",
    "libnccl.so.2": r"p?nccl",
    "libnvrtc.so.13": r"nvrtc",
    "libnvshmem_host.so.3": r"nvshmem",
}
"""NVIDIA's libraries, and how the names of the functions begin that torch's call there."""

CALLERS = ("libtorch_cuda.so", "libtorch_nvshmem.so", "libtorch_python.so")


def say(text: str) -> None:
    print(f"setup_torch: {text}", flush=True)


def fail(text: str) -> NoReturn:
    sys.exit(f"setup_torch: {text}")


def imported() -> str | None:
    """The version of the torch that imports here; None without one."""
    code = "import torch; print(torch.__version__)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else None


def install() -> None:
    if (free := shutil.disk_usage(VENV).free) < NEEDED_BYTES:
        fail(f"{NEEDED_BYTES / 1e9:.1f} GB of free disk space are needed in {VENV}, there are {free / 1e9:.1f} GB")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]
    command += ["--no-deps", "--only-binary=:all:", "-r", str(REQUIREMENTS)]
    # pip's temporary files are as large as the wheels; /tmp is often small.
    with tempfile.TemporaryDirectory(dir=VENV) as work:
        if subprocess.run(command, env=os.environ | {"TMPDIR": work}).returncode != 0:
            fail(f"pip could not install {REQUIREMENTS.relative_to(ROOT)}")


def called(library: Path) -> Iterator[str]:
    """What a library wants of others, as `name` or `name@version`."""
    result = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True, text=True, check=True)
    for line in result.stdout.splitlines():
        yield line.split()[-1].replace("@@", "@")


def stand_in(library: Path, symbols: list[str], work: Path) -> None:
    """Makes a library of functions that return 1, which is an error in all of NVIDIA's."""
    names = sorted({symbol.partition("@")[0] for symbol in symbols})
    versions = {version for symbol in symbols if (version := symbol.partition("@")[2])}
    source, script = work / "stand_in.c", work / "versions"
    source.write_text("".join(f"int {name}(void) {{ return 1; }}\n" for name in names))
    script.write_text("".join(f"{version} {{ global: *; }};\n" for version in versions))
    command = [os.environ.get("CC", "cc"), "-shared", "-fPIC", "-w", f"-Wl,-soname,{library.name}", "-o", str(library)]
    command += [f"-Wl,--version-script={script}"] if versions else []
    subprocess.run([*command, str(source)], check=True)


def stand_in_for_nvidia() -> None:
    folder = Path(sysconfig.get_path("purelib")) / "torch" / "lib"
    wanted = {symbol for library in CALLERS for symbol in called(folder / library)}
    with tempfile.TemporaryDirectory() as work:
        for name, begins in STAND_INS.items():
            stand_in(folder / name, [symbol for symbol in wanted if re.match(begins, symbol)], Path(work))


def main() -> None:
    if Path(sys.prefix) != VENV:
        fail(f"run it with {VENV / 'bin' / 'python'}, not {sys.executable}")
    stamp, wanted = VENV / ".requirements-torch", REQUIREMENTS.read_text()
    if stamp.is_file() and stamp.read_text() == wanted:
        return say("already set up")
    if not stamp.is_file() and (version := imported()):
        return say(f"torch {version} is there and imports: nothing to do")
    say("installing torch: 530 MB to download, 1.3 GB to keep")
    stamp.unlink(missing_ok=True)
    install()
    if (platform.system(), platform.machine()) == ("Linux", "x86_64"):
        try:
            stand_in_for_nvidia()
        except (OSError, subprocess.CalledProcessError) as error:
            fail(f"no stand-ins for NVIDIA's libraries, for which cc and nm are needed: {error}")
    if (version := imported()) is None:
        fail("torch does not import: see .venv/bin/python -c 'import torch'")
    stamp.write_text(wanted)
    say(f"torch {version} is set up")


if __name__ == "__main__":
    main()
