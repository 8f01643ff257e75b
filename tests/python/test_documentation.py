"""The pages hold: their code runs, their commands and links exist, their boards are what the rules say."""

import importlib.util
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from mancala_rl.training import find_binary

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "python" / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
MARKS = r"(?P<marks>(?:<!-- (?:no-run|needs): .*? -->\n+)*)"
BLOCK = re.compile(rf"^{MARKS}```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"<!-- (no-run|needs): (.*?) -->")
# Every block as if it stood where it stands in the page, so that a traceback names the page's line.
RUNNER = """
import json, sys
page, blocks = json.loads(sys.argv[1])
namespace = {"__name__": "__main__"}
for line, code in blocks:
    exec(compile("\\n" * line + code, page, "exec"), namespace)
"""


@dataclass
class Block:
    """A block of Python in a page."""

    code: str
    line: int
    """Lines of the page before its first."""
    left_out: str | None
    """Why it is not run."""


def name(page):
    return str(page.relative_to(ROOT))


def blocks(page):
    text = page.read_text(encoding="utf-8")
    for match in BLOCK.finditer(text):
        why = None
        for kind, what in MARK.findall(match["marks"]):
            if kind == "no-run":
                why = what
            elif importlib.util.find_spec(what) is None:
                why = f"{what} is not installed"
        yield Block(match["code"], text.count("\n", 0, match.start("code")), why)


def with_code(pages):
    return [pytest.param(page, id=name(page)) for page in pages if "```python" in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", with_code(PAGES))
def test_python_of_a_page_runs(page, tmp_path, capsys):
    found = list(blocks(page))
    assert len(found) == page.read_text(encoding="utf-8").count("```python"), "a block that is not read"
    run = [(block.line, block.code) for block in found if block.left_out is None]
    left_out = [f"line {block.line}: {block.left_out}" for block in found if block.left_out is not None]
    if left_out:
        with capsys.disabled():
            print(f"\n{name(page)} leaves out {'; '.join(left_out)}")
    command = [sys.executable, "-c", RUNNER, json.dumps([name(page), run])]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr


def commands(first):
    """The words of every command of the pages that begins with ``first``: lines of indented blocks, and spans of code."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        lines = re.findall(rf"^ {{4}}(?:\w+=\S+ )*({first} .*)$", text, re.MULTILINE)
        spans = re.findall(rf"`({first} [^`]*)`", text)
        for command in (*lines, *spans):
            words = re.split(r"\s#|\s{2,}|[;|&>]", command)[0].split()
            if re.fullmatch(r"[a-z]+", words[1]):
                yield pytest.param(words, id=f"{name(page)}: {' '.join(words)}")


@pytest.mark.parametrize("words", list(commands("make")))
def test_targets_of_pages_exist(words):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = [word for word in words[1:] if re.fullmatch("[a-z]+", word)]
    assert set(named) <= targets


@pytest.fixture(scope="module")
def usage():
    """What ``mancala ... --help`` says, by subcommand."""
    try:
        binary = find_binary()
    except FileNotFoundError as error:
        pytest.skip(f"needs the mancala command: {error}")
    told = {}

    def ask(*subcommands):
        if subcommands not in told:
            asked = subprocess.run([binary, *subcommands, "--help"], capture_output=True, text=True)
            told[subcommands] = asked.stdout if asked.returncode == 0 else None
        return told[subcommands]

    return ask


@pytest.mark.parametrize("words", list(commands("mancala")))
def test_flags_of_pages_exist(words, usage):
    subcommand = words[1:2] if words[1] != "tablebase" else words[1:3]
    said = usage(*subcommand)
    assert said, f"no such subcommand: {subcommand}"
    for flag in (word.partition("=")[0] for word in words if word.startswith("--")):
        assert re.search(rf"(?<![\w-]){flag}(?![\w-])", said), flag


@pytest.mark.parametrize("page", [pytest.param(page, id=name(page)) for page in [*PAGES, ROOT / "CONTRIBUTING.md"]])
def test_links_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match("https?:", target):
            continue
        file, _, anchor = target.partition("#")
        linked = (page.parent / file).resolve() if file else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}, (
                target
            )


def test_boards_are_what_the_rules_say(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "site")
    boards = importlib.import_module("boards")
    asked = [match["words"] for page in PAGES for match in boards.BOARD.finditer(page.read_text(encoding="utf-8"))]
    assert len(asked) >= 6
    for words in asked:
        assert boards.drawn(words).startswith("<svg")
    with pytest.raises(ValueError, match="captures 6"):
        boards.drawn('giuthi-4x3 "1,5,0,2/0,1,2,0 0 0 p0" 6ccw captured=5')
    with pytest.raises(ValueError, match="illegal"):
        boards.drawn('giuthi-4x3 "1,5,0,2/0,1,2,0 0 0 p0" 4ccw')
