"""Every agent has a page, whose table of options is that of the code; every agent sits down wherever it is let."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import sekisho.envs  # noqa: F401  registers the environments
from sekisho.agents import agent_names, make_agent
from sekisho.cli.main import main
from sekisho.envs import game_names, load_game
from sekisho.envs.errors import AgentError

DOCS = Path(__file__).parents[2] / "docs"
ELSEWHERE = {"mcts": "search.md", "smaller": "agents/larger.md"}
"""Pages that are not called after their agent; the others are agents/NAME.md or NAME.md."""
NAMES = sorted(agent_names())
SPECS = {"alphabeta": "alphabeta:nodes=50", "expectimax": "expectimax:turns=0", "mcts": "mcts:simulations=20"}
"""How an agent is asked for where its name alone would take long, or names no agent."""
GAMES: dict[str, list[dict[str, Any]]] = {
    "quoridor": [{"board_size": 3, "fences": 1}, {"players": 4, "board_size": 5, "fences": 1}],
    "tokaido": [{}, {"players": 4}],
    "picture_sugoroku": [{}, {"players": 3}],
}
ENVIRONMENTS = {"quoridor": "Quoridor", "tokaido": "Tokaido", "picture_sugoroku": "PictureSugoroku"}
SEATINGS = [(name, game, options) for name in NAMES for game in GAMES for options in GAMES[game]]
each_seating = pytest.mark.parametrize(
    ("name", "game", "options"), SEATINGS, ids=[f"{name}-{game}-{options}" for name, game, options in SEATINGS]
)


def page_of(name: str) -> Path:
    """The page of an agent."""
    places = [ELSEWHERE[name]] if name in ELSEWHERE else [f"agents/{name}.md", f"{name}.md"]
    found = [DOCS / place for place in places if (DOCS / place).is_file()]
    assert found, f"agent {name!r} has no page: write docs/{places[0]}"
    return found[0]


def told_options(page: str) -> dict[str, str]:
    """The options of a page by name, each with what its table has for the default."""
    rows = re.findall(r"^\| (`\w+=`[^|]*)\|([^|]*)\|", page, re.MULTILINE)
    return {name: default.strip() for names, default in rows for name in re.findall(r"`(\w+)=`", names)}


@pytest.mark.parametrize("name", NAMES)
def test_every_agent_has_a_page_with_the_options_that_it_has(name: str) -> None:
    page = page_of(name).read_text(encoding="utf-8")
    assert f"`{name}`" in page or page.startswith(f"# {name}")
    assert "sekisho " in page, "no command that shows how strong it is"
    told = told_options(page)
    fields = {f.name: f for f in dataclasses.fields(type(make_agent(SPECS.get(name, name)))) if f.init}  # type: ignore[arg-type]
    assert set(told) == set(fields)
    for option, field in fields.items():
        if field.default not in (None, "", "auto", dataclasses.MISSING):
            assert re.search(
                rf"(?<![\w.]){re.escape(f'{field.default:g}' if isinstance(field.default, float) else str(field.default))}(?![\w.])",
                told[option],
            ), option


@pytest.mark.parametrize("name", NAMES)
def test_the_list_of_agents_leads_to_the_page(name: str) -> None:
    page = (DOCS / "agents.md").read_text(encoding="utf-8")
    (row,) = [line for line in page.splitlines() if line.startswith("| [") and f"`{name}`" in line.split("|")[1]]
    assert f"({page_of(name).relative_to(DOCS)})" in row


def test_every_game_is_tried() -> None:
    assert set(GAMES) == set(game_names()) == set(ENVIRONMENTS)


def refusal(name: str, game: str, options: dict[str, Any]) -> str | None:
    """Why the agent does not play, or None."""
    try:
        make_agent(SPECS.get(name, name)).supports(load_game(game, **options))
    except AgentError as error:
        return str(error)
    return None


@each_seating
def test_environments_seat_an_agent_by_its_spec_or_refuse_it_in_its_words(
    name: str, game: str, options: dict[str, Any]
) -> None:
    why, spec = refusal(name, game, options), SPECS.get(name, name)
    environment_id = f"sekisho/{ENVIRONMENTS[game]}Vs-v0"
    if why is not None:
        with pytest.raises(AgentError, match=re.escape(why[:30])):
            gymnasium.make(environment_id, opponents=spec, **options)
        return
    env: Any = gymnasium.make(environment_id, opponents=spec, seat=1, **options).unwrapped
    _, info = env.reset(seed=3)
    for _ in range(2):
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break
    env.close()


@each_seating
def test_play_seats_an_agent_by_its_spec_or_refuses_it_in_its_words(
    name: str, game: str, options: dict[str, Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    why, spec = refusal(name, game, options), SPECS.get(name, name)
    rules = {key: value for key, value in options.items() if key != "players"}
    words = ["play", game, "--seats", spec, "random", "--seed", "1", "--players", str(options.get("players", 2))]
    words[4:5] = ["random"] * (options.get("players", 2) - 1)
    if game == "quoridor":
        rules["max_plies"] = 6
    if game == "tokaido":
        rules["max_turns"] = 4
    if rules:
        words += ["--rules", ",".join(f"{key}={value}" for key, value in rules.items())]
    status = main(words)
    told = capsys.readouterr()
    if why is None:
        assert status == 0, told.err
    else:
        assert status == 2
        assert "Traceback" not in told.err
        assert told.err.strip()
