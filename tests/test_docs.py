"""Every example in the README and the docs runs; every link to a file leads somewhere."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sekisho.cli.main import main
from sekisho.cli.table_help import HELP

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
    extra = {
        "tournament": ["--workers", "1"], "bench": ["--repeats", "1"],
        "train": ["--iterations", "1", "--output", "runs/short"],
    }  # fmt: skip
    return words + extra.get(words[0], [])


_GAMES_THAT_ARE_THERE = {
    "game.json": "tokaido --seats heuristic larger",
    "quoridor.json": "quoridor --seats heuristic shortest_path",
}


@pytest.mark.parametrize(("place", "words"), _commands(), ids=[" ".join(words) for _, words in _commands()])
def test_commands_run(place: str, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))  # where games that people play are kept
    for name, played in _GAMES_THAT_ARE_THERE.items():
        if name in words:
            assert main(["play", *played.split(), "--seed", "1", "--save", name]) == 0
    assert main(_shortened(words[1:])) == 0, place


_NOT_RUN = {"text", "{eval-rst}", "{toctree}"}
_RUN_OR_PARSED = {"python", "sh", "json"}


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_blocks_say_what_they_are_in(page: Path) -> None:
    fences = re.findall(r"^```(.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    unknown = {fence.split()[0] if fence.strip() else "" for fence in fences[0::2]} - _NOT_RUN - _RUN_OR_PARSED
    assert not unknown
    assert set(fences[1::2]) <= {""}


def _lines_of_other_programs() -> list[tuple[str, list[str]]]:
    """Return what follows the first word of each line in a block, or between backticks, that runs python or make."""
    lines = [(place, line) for place, text in _blocks("sh") for line in text.splitlines()]
    for page in PAGES:
        lines += [
            (page.name, code) for code in re.findall(r"`((?:python|make) [^`]*)`", page.read_text(encoding="utf-8"))
        ]
    found = [(place, shlex.split(line, comments=True)) for place, line in lines]
    return [(place, words) for place, words in found if words and words[0] != "sekisho"]


def test_what_is_to_be_run_exists() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    found = _lines_of_other_programs()
    assert found
    for place, words in found:
        while "=" in words[0]:  # variables
            words = words[1:]
        assert words[0] in ("make", "python", "pip", "git", "cd", "export"), place
        if words[0] == "make":
            assert set(words[1:]) <= targets, place
        elif words[0] == "python" and words[1].endswith(".py"):
            assert (ROOT / words[1]).is_file(), place


IN_SECONDS = {"examples/dash_race.py", "benchmarks/decision_times.py"}
IN_MINUTES = {
    "benchmarks/alphabeta_speed.py", "benchmarks/eight_bit_speed.py",
    "benchmarks/expectimax_speed.py", "benchmarks/kernel_dispatch.py", "benchmarks/search_pocket_rules.py",
    "benchmarks/scaling.py", "benchmarks/search_threads.py", "benchmarks/search_transpositions.py",
    "benchmarks/star_pruning.py",
}  # fmt: skip
NOT_RUN = {
    "benchmarks/expectimax_strength.py": "more than minutes",
    "benchmarks/doublings.py": "more than minutes",
    "benchmarks/tune_quoridor_evaluation.py": "more than minutes",
    "benchmarks/network_speed.py": "more than minutes",
    "benchmarks/one_against_three.py": "more than minutes",
    "benchmarks/paranoid.py": "more than minutes",
    "benchmarks/annotate_quoridor.py": "reads games of a tournament that took long",
    "benchmarks/tokaido_tables.py": "more than minutes",
    "benchmarks/refit.py": "reads what a long run has left",
    "benchmarks/ship_network.py": "writes the network that ships",
    "examples/exact_value_of_a_policy.py": "tested in tests/examples",
    "examples/own_network.py": "writes a run; tested in tests/examples",
    "examples/walk_through_a_run.py": "writes a run; tested in tests/examples",
    "examples/learn_tokaido.py": "more than minutes; a short run of it is tested in tests/examples",
    "benchmarks/make_strength.py": "more than minutes; tests/test_strength.py lets it play a little and compares its page",
    "benchmarks/make_tables.py": "writes the tables that ship",
    "docs/make_board_figures.py": "writes a page; tests/envs/picture_sugoroku compares what it would write",
    "docs/make_quoridor_solved.py": "writes a page, from tables that take minutes",
    "docs/make_tokaido_solved.py": "writes a page, from tables that take minutes",
}
"""Scripts whose lines in the docs are not run, and why."""


def _script_lines() -> list[list[str]]:
    lines = {tuple(words[1:]) for _, words in _lines_of_other_programs() if words[:1] == ["python"]}
    return sorted(list(line) for line in lines if line[0].endswith(".py"))


def test_every_script_line_of_the_docs_is_run_or_known_not_to_be() -> None:
    assert {line[0] for line in _script_lines()} == IN_SECONDS | IN_MINUTES | set(NOT_RUN)


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(words, id=" ".join(words), marks=[pytest.mark.slow] if words[0] in IN_MINUTES else [])
        for words in _script_lines()
        if words[0] in IN_SECONDS | IN_MINUTES
    ],
)
def test_script_lines_of_the_docs_run_as_they_stand(words: list[str]) -> None:
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout.strip()


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
def test_make_lines_of_the_docs_can_be_planned() -> None:
    """What they do takes minutes and the network; that make finds all it needs for them, and the commands, does not."""
    targets = sorted({words[1] for _, words in _lines_of_other_programs() if words[0] == "make"})
    assert {"tournament", "test", "test-slow", "lint", "docs"} <= set(targets)
    for target in targets:
        plan = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (plan.returncode, plan.stderr) == (0, "")
        assert "bin/" in plan.stdout


def _example_commands() -> list[list[str]]:
    scripts = {words[1] for _, words in _lines_of_other_programs() if words[0] == "python" and len(words) > 1}
    return sorted([script] for script in scripts if script.startswith("examples/"))


@pytest.mark.parametrize("words", _example_commands(), ids=[words[0] for words in _example_commands()])
def test_scripts_of_the_docs_start(words: list[str]) -> None:
    done = subprocess.run([sys.executable, *words, "--help"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("place", "text"), [*_blocks("json"), ("none", "{}")])
def test_json_blocks_are_json(place: str, text: str) -> None:
    json.loads(text)


def test_the_example_of_a_game_is_as_short_as_it_is_said_to_be() -> None:
    assert "in less than 200 lines" in (ROOT / "docs" / "adding_a_game.md").read_text(encoding="utf-8")
    assert len((ROOT / "examples" / "dash_race.py").read_text(encoding="utf-8").splitlines()) < 200


def test_the_words_of_the_table_are_those_of_its_help() -> None:
    page = (ROOT / "docs" / "playing.md").read_text(encoding="utf-8")
    table = page[page.index("| word |") : page.index("`--rules` are")]
    told = {usage for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for usage in re.findall(r"`(.*?)`", row)}
    assert told | {"? [WORD]"} == {entry.usage for entry in HELP.values()}


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_to_files_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
    missing = [link for link in links if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_no_placeholder_was_left(page: Path) -> None:
    text = page.read_text(encoding="utf-8").replace("SEKISHO_CACHE_DIR", "")
    assert not re.findall(r"^[A-Z]{3,}$|\b[A-Z]+_[A-Z]+\b|\bTODO\b|\bTBD\b", text, re.MULTILINE)
