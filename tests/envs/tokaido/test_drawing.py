"""Pictures of Tokaido positions: they are well formed, fit, and show what there is."""

from __future__ import annotations

import random
import re
from typing import Any
from xml.etree import ElementTree

import pytest

from sekisho.envs import load_game
from sekisho.envs.core import State
from sekisho.envs.tokaido.drawing import colour_of
from sekisho.envs.tokaido.road import ROAD
from sekisho.envs.tokaido.terminal import columns
from sekisho.envs.tokaido.view import EVENT_MEANINGS

SVG = "{http://www.w3.org/2000/svg}"
TABLES: list[dict[str, Any]] = [
    {},
    {"players": 6, "allow_resign": True},
    {"players": 4, "forks": "miya"},
    {"players": 5, "detour_rejoins": "shortcut_target", "max_turns": 40},
]


def some_states(options: dict[str, Any], seed: int) -> list[State]:
    """Return every seventh state of a random game, and its end."""
    rng = random.Random(seed)
    state, found = load_game("tokaido", **options).new_initial_state(), []
    while not state.is_terminal():
        if len(state.history()) % 7 == 0 and len(found) < 12:
            found.append(state.clone())
        legal = [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(rng.choice(legal[:20]))
    return [*found, state]


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [part for part in root.iter(f"{SVG}g") if part.get("class") == name]


def words_of(part: ElementTree.Element) -> str:
    return " ".join(part.itertext())


@pytest.mark.parametrize("options", TABLES)
def test_pictures_of_random_games(options: dict[str, Any]) -> None:
    for state in some_states(options, seed=2):
        before = state.to_dict()
        root = ElementTree.fromstring(state.draw_svg())
        forks = 1 if options.get("forks") == "miya" else 3
        assert len(of_class(root, "station")) == 55
        assert len(of_class(root, "detour")) == 3 * forks
        assert len(of_class(root, "crossing")) == forks
        on_the_road = state.game.num_players - state.places.count("R")
        assert len(of_class(root, "piece")) == on_the_road + state.game.num_players  # on the road and in the heading
        for most in (80, 100):
            assert max(columns(line) for line in state.draw(most).splitlines()) <= most
        assert state.to_dict() == before


def test_names_and_events_are_shown() -> None:
    state = load_game("tokaido").new_initial_state()
    picture, text = words_of(ElementTree.fromstring(state.draw_svg())), state.draw()
    for name in [*ROAD.stations, *(name for fork in ROAD.forks.values() for name in fork.detour_stations)]:
        for word in (name.kanji, name.romaji):
            assert word in picture
            assert word in text
    for kind in ROAD.kinds.values():
        assert kind.kanji in picture
        assert kind.kanji in text


def test_the_board_of_a_terminal_explains_its_events_in_english() -> None:
    text = load_game("tokaido").new_initial_state().draw()
    for kind, name in ROAD.kinds.items():
        assert f"{name.kanji} {name.romaji}: {EVENT_MEANINGS[kind]}" in text


@pytest.mark.parametrize("most", range(51, 101, 7))
def test_the_road_is_one_line_from_edo_to_kyoto_however_many_columns_there_are(most: int) -> None:
    rows = load_game("tokaido").new_initial_state().draw(most).splitlines()[1:-1]
    roads = [row for row in rows if re.match(r" *[╭╰]?─*<?\d+>?─|[╰╭]─<?\d", row)][: -(-55 // min((most - 3) // 12, 8))]
    numbers = []
    for number, row in enumerate(roads):
        here = [int(word) for word in re.findall(r"\d+", row)]
        numbers += here[::-1] if number % 2 else here
        assert row.rstrip().endswith("╯" if number % 2 else "╮" if number < len(roads) - 1 else "54")
    assert numbers == list(range(55))
    assert max(columns(row) for row in roads) <= most


def test_roll_road_rests_and_last_turn_are_shown() -> None:
    state = load_game("tokaido", players=3).from_text("33 9c 30+2 / 1 / turn")
    state.apply_moves("[1-2] 1 crossing [4-6]")
    root = ElementTree.fromstring(state.draw_svg())
    assert len(of_class(root, "die")) == 2
    assert len(of_class(root, "ghost")) == 2  # both pieces that the bandit swapped
    picture = words_of(root)
    for words in (
        "Seat 2 chooses 4 or 6",
        "bandit at Yoshida",
        "吉田にて追剥",
        "old Hakone road",
        "+2",
        "owes 2 rests",
    ):
        assert words in picture
    text = state.draw()
    for words in ("Seat 2 chooses 4 or 6", "[1c]", "> seat 2: 33 Futagawa, from 9", "owes 2 rests"):
        assert words in text


@pytest.mark.parametrize(
    ("options", "position", "words"),
    [
        ({}, "54#1 20 / - / over", "all places are taken"),
        ({}, "54#2 20 54#1 / - / over", "all places are taken"),
        ({"allow_resign": True}, "20 R / - / over", "one is left"),
        ({"allow_resign": True}, "54#1 R 20 / - / over", "one is left"),
        ({"finish": "first"}, "54#1 20 / - / over", "seat 1 is the first in Kyoto"),
        ({"finish": "first"}, "20 54#1 7 / - / over", "seat 2 is the first in Kyoto"),
        ({"finish": "first", "allow_resign": True}, "R 20 54#1 7 / - / over", "seat 3 is the first in Kyoto"),
        ({"finish": "first", "allow_resign": True}, "R 20 R / - / over", "one is left"),
        ({"max_turns": 9}, "5 20 / - / over", "no turns are left"),
        ({"max_turns": 9}, "54#1 20 / - / over", "all places are taken"),
        ({"max_turns": 9, "finish": "first"}, "5 20 9 / - / over / 9", "no turns are left"),
        ({"max_turns": 9, "finish": "first"}, "54#1 20 9 / - / over / 9", "seat 1 is the first in Kyoto"),
        ({"max_turns": 9, "allow_resign": True}, "R 20 9 / - / over", "no turns are left"),
        ({"max_turns": 9}, "54#1 20 9 / - / over", "no turns are left"),
    ],
)
def test_the_end_is_shown(options: dict[str, Any], position: str, words: str) -> None:
    players = len(position.split("/")[0].split())
    state = load_game("tokaido", players=players, **options).from_text(position)
    assert f"Over: {words}" in words_of(ElementTree.fromstring(state.draw_svg()))
    assert f"Over: {words}" in state.draw().splitlines()


def test_an_arrival_is_shown() -> None:
    assert "seat 1: 54 Kyoto, number 1" in load_game("tokaido").from_text("54#1 20 / - / over").draw()


def test_colours_run_from_edo_to_kyoto() -> None:
    assert colour_of(0) == "#b8432f"
    assert colour_of(54) == "#71468a"
    assert len({colour_of(station) for station in range(55)}) == 55
