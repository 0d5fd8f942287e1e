"""Every example in the README and the docs runs; every link to a file leads somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sekisho.cli.main import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "environment_pages"),  # generated
]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _blocks(language: str) -> list[tuple[str, str]]:
    return [
        (f"{page.relative_to(ROOT)}:{page.read_text(encoding='utf-8')[: match.start()].count(chr(10)) + 1}", match[2])
        for page in PAGES
        for match in _BLOCK.finditer(page.read_text(encoding="utf-8"))
        if match[1] == language
    ]


@pytest.mark.parametrize(("place", "code"), _blocks("python"), ids=[place for place, _ in _blocks("python")])
def test_python_examples_run(place: str, code: str, tmp_path: Path) -> None:
    script = tmp_path / "example.py"  # compiled functions want a file to be cached for
    script.write_text(code, encoding="utf-8")
    exec(compile(code, str(script), "exec"), {"__name__": place})


def _commands() -> list[tuple[str, list[str]]]:
    lines = [
        (place, shlex.split(line, comments=True)) for place, text in _blocks("sh") for line in text.splitlines() if line
    ]
    return [(place, words) for place, words in lines if words and words[0] == "sekisho"]


def _shortened(words: list[str]) -> list[str]:
    """Return a command with few games or repeats: that it runs is what counts here."""
    words = list(words)
    if "--games" in words:
        words[words.index("--games") + 1] = "2"
    extra = {"tournament": ["--workers", "1"], "bench": ["--repeats", "1"]}
    return words + extra.get(words[0], [])


@pytest.mark.parametrize(("place", "words"), _commands(), ids=[" ".join(words) for _, words in _commands()])
def test_commands_run(place: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))  # where games that people play are kept
    if "game.json" in words:  # a game that is there already
        assert main(["play", "tokaido", "--seats", "heuristic", "larger", "--seed", "1", "--save", "game.json"]) == 0
    assert main(_shortened(words[1:])) == 0, place


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_to_files_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_no_placeholder_was_left(page: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("SEKISHO_CACHE_DIR", "")
    assert not re.findall(r"^[A-Z]{3,}$|\b[A-Z]+_[A-Z]+\b|\bTODO\b|\bTBD\b", text, re.MULTILINE)
