"""What people read and see: the travel journal and the drawings."""

from __future__ import annotations

import json
import random
import re
import string
from typing import Any
from xml.etree import ElementTree

import pytest

from sekisho.envs import load_game
from sekisho.envs.errors import OptionError, UnknownNameError
from sekisho.envs.picture_sugoroku import phrases
from sekisho.envs.picture_sugoroku.journal import events, journal, journal_text, last_roll, turns
from sekisho.envs.picture_sugoroku.layout import Layout
from sekisho.envs.picture_sugoroku.phrases import LANGUAGES
from sekisho.envs.picture_sugoroku.picture import draw_svg
from sekisho.envs.picture_sugoroku.random_boards import random_board

BOARD = {
    "id": "tale",
    "name": {"en": "A <Tale> & more"},
    "goal": 12,
    "squares": {
        "2": {"kind": "roll_again"},
        "3": {"kind": "rest", "turns": 2},
        "4": {"kind": "to_start"},
        "5": {"kind": "jump", "to": 9},
        "6": {"kind": "forward", "by": 1},
        "7": {"kind": "back", "by": 6},
        "9": {"kind": "forward", "by": 5},
        "10": {"kind": "rest", "turns": 1},
    },
}


def new_state(**options: Any) -> Any:
    return load_game("picture_sugoroku", **{"board": BOARD, **options}).new_initial_state()


def random_states(seed: int) -> list[Any]:
    rng = random.Random(seed)
    board = random_board(rng.choice([5, 9, 10, 49, 90]), 0.5, seed).to_dict()
    state = new_state(
        board=board, players=rng.randint(2, 6), goal=rng.choice(["over", "exact"]),
        finish=rng.choice(["first", "all_places"]), allow_resign=True,
    )  # fmt: skip
    states = [state.clone()]
    while not state.is_terminal() and len(states) < 120:
        resigns = not state.is_chance_node() and rng.random() < 0.02
        state.apply_action(rng.randrange(6) if state.is_chance_node() else int(resigns))
        states.append(state.clone())
    return states


# --- the journal -----------------------------------------------------------------------------------------------------


def test_journal_tells_the_journey() -> None:
    state = new_state(goal="exact", allow_resign=True, players=3)
    state.apply_moves("roll [3] roll [2] roll [5] roll [6] roll [4] roll [1] resign")
    assert journal_text(state, names=["Aki", "Bo", "Chie"]).splitlines() == [
        "1. Aki: rolls 3, on to square 3, will rest two turns.",
        "2. Bo: rolls 2, on to square 2, rolls again, rolls 5, on to square 7, back 6 to square 1.",
        "3. Chie: rolls 6, on to square 6, forward 1 to square 7, back 6 to square 1.",
        "4. Aki: rests, one more turn to go.",
        "5. Bo: rolls 4, on to square 5, a leap to square 9, forward 5, past the goal and back to square 10, "
        "will rest one turn.",
        "6. Chie: rolls 1, on to square 2, rolls again, resigns.",
        "7. Aki: rests.",
        "8. Bo: rests.",
    ]
    state.apply_moves("roll [1] roll")
    assert journal_text(state).splitlines()[-1] == "9. Seat 1: rolls 1, on to square 4, back to the start."
    assert last_roll(state) == "Seat 1: rolls 1, on to square 4, back to the start."


def test_journal_of_an_end_and_of_what_is_not_followed() -> None:
    state = new_state(players=3)
    state.apply_moves("roll [1] roll [1] roll [5]")
    assert journal_text(state).splitlines()[-2:] == [
        "3. Seat 3: rolls 5, on to square 5, a leap to square 9, forward 5 to the goal, arrives as number 1.",
        "The journey is over: 1. Seat 3, 2. Seat 1, 2. Seat 2.",
    ]
    state = new_state(chain=False)
    state.apply_moves("roll [5] roll [2] roll [2] roll [2]")
    assert journal_text(state).splitlines()[0].endswith("a leap to square 9, enough instructions for one roll.")
    board = {**BOARD, "squares": {str(square): {"kind": "roll_again"} for square in range(1, 12)}}
    state = new_state(board=board)
    state.apply_moves("roll [1] roll [1] roll [1] roll [1]")
    assert journal_text(state).splitlines()[0].endswith("on to square 4, no fourth extra roll in one turn.")
    assert state.seat == 1


def test_nothing_was_played_yet() -> None:
    assert journal(new_state()) == []
    assert journal_text(new_state()) == ""
    assert last_roll(new_state()) == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_journal_in_every_language(language: str) -> None:
    for seed in range(4):
        state = random_states(seed)[-1]
        lines = journal_text(state, language).split("\n")
        assert not any("{" in line for line in lines)
        if language == "bn":
            assert not set(string.digits) & set("".join(lines))
        told = [turn["text"][language] for turn in journal(state)]
        assert len(lines) == len(told) + state.is_terminal()
        assert all(line.endswith(text) for line, text in zip(lines, told, strict=False))


def test_journal_as_data() -> None:
    state = new_state(goal="exact", allow_resign=True, players=3)
    state.apply_moves("roll [3] roll [2] roll [5] roll [6] roll [4] roll [1] resign")
    data = journal(state)
    assert json.loads(json.dumps(data)) == data
    assert [turn["record"] for turn in data] == [
        "roll [3]", "roll [2] roll [5]", "roll [6]", "rest", "roll [4]", "roll [1] resign", "rest", "rest",
    ]  # fmt: skip
    assert [turn["seat"] for turn in data] == [0, 1, 2, 0, 1, 2, 0, 1]
    still = {"bounced": False}
    assert data[0]["happenings"] == [
        {"what": "move", "seat": 0, "number": 3, "start": 0, "end": 3, **still},
        {"what": "owes", "seat": 0, "rests": 2},
    ]
    assert data[0]["text"]["en"] == "Seat 1: rolls 3, on to square 3, will rest two turns."
    assert data[1]["happenings"] == [
        {"what": "move", "seat": 1, "number": 2, "start": 0, "end": 2, **still},
        {"what": "again", "seat": 1},
        {"what": "move", "seat": 1, "number": 5, "start": 2, "end": 7, **still},
        {"what": "carried", "seat": 1, "kind": "back", "number": 6, "start": 7, "end": 1, **still},
    ]
    assert data[3]["happenings"] == [{"what": "rest", "seat": 0, "rests": 1}]
    assert data[4]["happenings"][1:] == [
        {"what": "carried", "seat": 1, "kind": "jump", "start": 5, "end": 9, **still},
        {"what": "carried", "seat": 1, "kind": "forward", "number": 5, "start": 9, "end": 10, "bounced": True},
        {"what": "owes", "seat": 1, "rests": 1},
    ]
    assert data[5]["happenings"][1:] == [{"what": "again", "seat": 2}, {"what": "resigned", "seat": 2}]
    falling = state.game.from_text("3 1 0 / 1 / dice")
    falling.apply_moves("[5]")
    assert journal(falling)[0]["record"] == "[5]"


@pytest.mark.parametrize("seed", range(6))
def test_journal_tells_every_move(seed: int) -> None:
    for state in random_states(seed)[::13]:
        played = " ".join(turn["record"] for turn in journal(state) if turn["record"] != "rest")
        assert played == " ".join(state.moves()).removesuffix("roll" if state.is_chance_node() else "").rstrip()
        assert len(journal(state)) == len(turns(state))
        arrived = [h["seat"] for turn in journal(state) for h in turn["happenings"] if h["what"] == "arrived"]
        assert arrived == state.arrivals


@pytest.mark.parametrize("seed", range(6))
def test_events_add_up(seed: int) -> None:
    """Turns, skipped ones too, go round the seats that are left, and rests are paid one by one."""
    state = random_states(seed)[-1]
    seats, out = state.game.num_players, set()
    expected, owed = 0, [0] * seats
    for event in events(state):
        while expected in out:
            expected = (expected + 1) % seats
        assert event.seat == expected
        if event.kind == "skip":
            owed[event.seat] -= 1
            assert owed[event.seat] == event.number
        else:
            assert owed[event.seat] == 0
            owed[event.seat] = event.walk.rests if event.walk else 0
            if event.kind == "resign" or event.number:
                out.add(event.seat)
        if event.ends_turn:
            expected = (event.seat + 1) % seats
    assert all(
        owing == rests for seat, (owing, rests) in enumerate(zip(owed, state.rests, strict=True)) if seat not in out
    )


def test_phrases_are_the_same_in_every_language() -> None:
    everything = phrases._all_phrases()
    assert set(everything) == set(LANGUAGES)
    fields = {
        language: {key: _fields(text) for key, text in words.items()
                   if isinstance(text, str)}
        for language, words in everything.items()
    }  # fmt: skip
    for language in LANGUAGES:
        assert fields[language] == fields["en"]
        assert set(everything[language]["captions"]) == set(everything["en"]["captions"])


def _fields(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field}


def test_unknown_language_and_wrong_names() -> None:
    with pytest.raises(UnknownNameError, match="no phrases in 'fr'"):
        journal_text(new_state(), "fr")
    with pytest.raises(UnknownNameError, match="no phrases in 'fr'"):
        draw_svg(new_state(), "fr")
    with pytest.raises(OptionError, match="expected 2 names"):
        journal_text(new_state(), names=["Aki"])


# --- the drawings ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("goal", [5, 9, 10, 49, 500])
def test_layout_winds_from_square_to_square(goal: int) -> None:
    layout = Layout(goal)
    before = layout.place(0)
    assert before == (0, 0)
    for square in range(1, goal + 1):
        here = layout.place(square)
        assert abs(here[0] - before[0]) + abs(here[1] - before[1]) == 1
        assert layout.square(*here) == square
        before = here
    assert before[1] == layout.rows - 1


@pytest.mark.parametrize("seed", range(6))
def test_drawings_of_random_positions(seed: int) -> None:
    for state in random_states(seed)[::9]:
        for columns in (100, 80, 40):
            text = state.draw(columns)
            assert max(map(len, text.splitlines())) <= columns
            squares = [int(square) for square in re.findall(r"│ *(\d+) ", text)]
            assert sorted(squares) == list(range(state.game.board.goal + 1))
        for seat in range(state.game.num_players):
            assert f"seat {seat + 1}: " in text
        for language in LANGUAGES:
            root = ElementTree.fromstring(draw_svg(state, language))
            assert root.tag == "{http://www.w3.org/2000/svg}svg"
            titles = [element for element in root.iter() if element.tag.endswith("title")]
            assert len(titles) == state.game.board.goal + 1
        assert state.draw_svg() == draw_svg(state, "en")


def test_text_drawing() -> None:
    state = new_state()
    state.apply_moves("roll [3]")
    assert state.draw().splitlines() == [
        "Picture sugoroku: A <Tale> & more",
        "",
        "                                                               ┼────────┼────────┼────────┼",
        "                                                               │12 GOAL │11      │10    z │ ←",
        "                                                               │        │        │        │",
        "┼────────┼────────┼────────┼────────┼────────┼────────┼────────┼────────┼────────┼────────┼",
        "│ 0 START│ 1      │ 2    ↻ │ 3   zz │ 4   →0 │ 5   →9 │ 6   +1 │ 7   -6 │ 8      │ 9   +5 │ →",
        "│[2]     │        │        │[1]     │        │        │        │        │        │        │",
        "┼────────┼────────┼────────┼────────┼────────┼────────┼────────┼────────┼────────┼────────┼",
        "+4 forward  -4 back  z rest a turn  zz two  ↻ roll again  →31 leap  →0 to the start  [12] seats",
        "",
        "  seat 1: square 3, owes 2 turns",
        "> seat 2: square 0",
        "",
        "Seat 1: rolls 3, on to square 3, will rest two turns.",
        "Seat 2 to roll",
    ]
