"""The shipped boards last as long as they promise, none has a square that decides the game, and the rules say so."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from sekisho.agents.exact.picture_analysis import analyze
from sekisho.agents.exact.picture_swings import swings
from sekisho.envs.picture_sugoroku.boards import SHIPPED
from sekisho.envs.picture_sugoroku.rules import PictureSugoroku

SECONDS_A_ROLL = 5
MINUTES = {"a_short_walk": (3.8, 4.2), "round_the_seasons": (8, 10), "treasure_hunt": (8, 10)}  # four players
LARGEST_SWING = 1 / 3
# "No single square decides the game", in a number: what a square says changes the chance of winning by less than a
# third, so whoever comes there keeps more than two thirds of the way between losing and winning open.
DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_board_lasts_as_long_as_promised(name: str) -> None:
    rolls = analyze(PictureSugoroku(board=name, players=4)).rolls
    assert MINUTES[name][0] <= rolls * SECONDS_A_ROLL / 60 <= MINUTES[name][1]


@pytest.mark.parametrize("name", SHIPPED)
def test_no_square_decides_the_game(name: str) -> None:
    game = PictureSugoroku(board=name, players=4)
    found = swings(game)
    assert found
    assert set(found) == set(game.board.squares)
    assert max(abs(swing) for swing in found.values()) < LARGEST_SWING


def maker() -> Any:
    """The script that writes the table into the rules."""
    spec = importlib.util.spec_from_file_location("make_board_figures", DOCS / "make_board_figures.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_figures_that_the_rules_state() -> None:
    """If it fails, the boards or their analysis have changed: python docs/make_board_figures.py."""
    page = (DOCS / "rules" / "picture_sugoroku.md").read_text(encoding="utf-8")
    assert f"<!-- board figures -->\n{maker().table()}<!-- end of board figures -->" in page
