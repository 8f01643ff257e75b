"""The wheel and the sdist that `make wheel` has built: what is in them, what they say of themselves, and that they install."""

import email
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python" / "mancala_rl"
SHIPS = {".py", ".pyi", ".typed", ".html", ".css", ".js"}
MOST_BYTES = 8_000_000

DIST = os.environ.get("MANCALA_DIST")
needs_dist = pytest.mark.skipif(
    DIST is None, reason="needs what `make wheel` builds, which runs these tests: MANCALA_DIST"
)


def workspace_version():
    table = (ROOT / "Cargo.toml").read_text().partition("[workspace.package]")[2]
    return re.search(r'^version = "(.*)"$', table, re.MULTILINE)[1]


def the_only(pattern):
    (path,) = Path(DIST).glob(pattern)
    return path


@pytest.fixture(scope="module")
def wheel():
    return the_only("mancala_rl-*.whl")


@pytest.fixture(scope="module")
def sdist():
    return the_only("mancala_rl-*.tar.gz")


@pytest.fixture(scope="module")
def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return email.message_from_bytes(archive.read(f"mancala_rl-{workspace_version()}.dist-info/METADATA"))


def source_files():
    return {
        file.relative_to(PACKAGE.parent).as_posix()
        for file in PACKAGE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts and not file.name.startswith("_core.abi3")
    }


@needs_dist
def test_the_wheel_has_one_tag_for_all_pythons_and_is_small(wheel):
    assert re.fullmatch(rf"mancala_rl-{re.escape(workspace_version())}-cp310-abi3-\w+\.whl", wheel.name)
    assert wheel.stat().st_size <= MOST_BYTES


@needs_dist
def test_the_wheel_has_the_package_and_nothing_else(wheel):
    assert {Path(file).suffix for file in source_files()} == SHIPS
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
    assert len(names) == len(set(names))
    info = f"mancala_rl-{workspace_version()}.dist-info/"
    packed = {name for name in names if not name.startswith(info)}
    (library,) = packed - source_files()
    assert re.fullmatch(r"mancala_rl/_core\.(abi3\.so|pyd)", library)
    assert packed - {library} == source_files()


@needs_dist
def test_the_wheel_says_what_it_is(wheel, metadata):
    assert metadata["Name"] == "mancala-rl"
    assert metadata["Version"] == workspace_version()
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["License-Expression"] == "MIT"
    assert metadata.get_all("License-File") == ["LICENSE"]
    with zipfile.ZipFile(wheel) as archive:
        assert (
            archive.read(f"mancala_rl-{workspace_version()}.dist-info/licenses/LICENSE")
            == (ROOT / "LICENSE").read_bytes()
        )
    assert metadata["Description-Content-Type"].startswith("text/markdown")
    assert metadata.get_payload(decode=True).decode().strip() == (ROOT / "python" / "README.md").read_text().strip()
    assert all(metadata[field] for field in ("Summary", "Keywords", "Author"))
    classifiers = metadata.get_all("Classifier")
    assert "Typing :: Typed" in classifiers
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in range(10, 15)} <= set(classifiers)


@needs_dist
def test_numpy_is_all_that_the_wheel_requires(metadata):
    required = [line for line in metadata.get_all("Requires-Dist") if "extra ==" not in line]
    assert [re.match(r"[\w-]+", line)[0] for line in required] == ["numpy"]
    assert {"gym", "pettingzoo", "openspiel"} <= set(metadata.get_all("Provides-Extra"))


@needs_dist
def test_the_sdist_has_what_a_build_needs_and_no_more(sdist, metadata):
    assert sdist.stat().st_size <= MOST_BYTES
    folder = f"mancala_rl-{workspace_version()}/"
    with tarfile.open(sdist) as archive:
        assert all(member.isfile() and member.name.startswith(folder) for member in archive)
        names = {name.removeprefix(folder) for name in archive.getnames()}
        said = archive.extractfile(f"{folder}PKG-INFO").read()
    assert email.message_from_bytes(said).items() == metadata.items()
    assert source_files() <= names
    nets = {file.relative_to(ROOT).as_posix() for file in (ROOT / "search" / "nets").iterdir()}
    assert nets and nets <= names
    assert {"Cargo.lock", "Cargo.toml", "LICENSE", "env/src/lib.rs", "search/src/lib.rs"} <= names
    tops = {name.partition("/")[0] for name in names if "/" in name}
    assert tops == {"env", "search", "python", "mancala_rl"}
    assert not [name for name in names if re.search(r"__pycache__|\.pyc$|\.so$|(^|/)target/", name)]


@needs_dist
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_it_installs_into_a_clean_environment_and_works(kind, request, tmp_path):
    package = request.getfixturevalue(kind)
    # The sdist is built from nothing, not from what this clone has compiled: hardly optimized, to be done within a minute or two.
    quick = {"OPT_LEVEL": "1", "LTO": "off", "DEBUG": "0", "CODEGEN_UNITS": "16"}
    result = subprocess.run(
        [sys.executable, ROOT / "scripts" / "try_package.py", package],
        capture_output=True,
        text=True,
        env={
            **{name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LIBTORCH")},
            **{f"CARGO_PROFILE_RELEASE_{name}": value for name, value in quick.items()},
            "CARGO_TARGET_DIR": str(tmp_path),
        },
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"{package.name}: mancala_rl {workspace_version()} works" in result.stdout
    print(result.stdout)


def test_the_changelog_begins_with_the_version():
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert re.fullmatch(rf"{re.escape(workspace_version())} \((unreleased|\d{{4}}-\d\d-\d\d)\)", headings[0])


def test_a_release_needs_its_tag_and_its_day(tmp_path):
    for file in ("Cargo.toml", "scripts/check_release.sh"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes((ROOT / file).read_bytes())

    def complaint(tag, heading):
        (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## {heading}\n")
        result = subprocess.run(["sh", tmp_path / "scripts/check_release.sh", tag], capture_output=True, text=True)
        assert (result.returncode == 0) == (not result.stderr)
        return result.stderr

    version = workspace_version()
    assert not complaint(f"v{version}", f"{version} (2026-12-01)")
    assert "the tag is v9.9.9" in complaint("v9.9.9", f"{version} (2026-12-01)")
    assert "CHANGELOG.md has no line" in complaint(f"v{version}", f"{version} (unreleased)")
    assert "CHANGELOG.md has no line" in complaint(f"v{version}", "9.9.9 (2026-12-01)")
