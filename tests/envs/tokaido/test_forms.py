"""Forms of Tokaido states: texts, dicts, records, undo and copies; and texts that must be refused."""

from __future__ import annotations

import contextlib
import copy
import json
import pickle
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sekisho.envs import load_game
from sekisho.envs.core import Game, State
from sekisho.envs.errors import (
    IllegalActionError,
    NotationError,
    PositionError,
    RecordError,
    SekishoError,
    UnknownNameError,
)
from sekisho.envs.playouts import random_playouts
from sekisho.envs.registry import state_from_dict
from sekisho.envs.tokaido.journal import journal, journal_text, turns
from sekisho.envs.tokaido.phrases import tell
from sekisho.envs.tokaido.positions import resting_places
from sekisho.envs.tokaido.records import read_record, write_record
from sekisho.envs.tokaido.rules import PLIES_PER_TURN
from sekisho.envs.tokaido.tables import Walker

RULES = Path(__file__).parents[3] / "docs" / "rules" / "tokaido.md"
TABLES: list[dict[str, Any]] = [
    {},
    {"players": 6, "allow_resign": True},
    {"players": 3, "forks": "miya", "finish": "first", "rests_add_up": False},
    {"players": 4, "after_crossing": "end_turn", "rechoice": "uses_turn", "goal": "over"},
    {"players": 5, "detour_rejoins": "shortcut_target", "bounce_events": False, "max_turns": 60},
]


def play(game: Game, seed: int, plies: int = 10_000) -> State:
    rng = random.Random(seed)
    state = game.new_initial_state()
    while plies > 0 and not state.is_terminal():
        actions = [outcome for outcome, _ in state.chance_outcomes()] if state.is_chance_node() else None
        legal = actions or state.legal_actions()
        state.apply_action(rng.choice(legal[:2] if actions is None and rng.random() < 0.97 else legal))
        plies -= 1
    return state


@pytest.mark.parametrize("options", TABLES)
def test_round_trips(options: dict[str, Any]) -> None:
    game = load_game("tokaido", **options)
    for seed in range(12):
        state = play(game, seed, plies=7 * seed + 3 if seed < 8 else 10_000)
        again = game.from_text(state.to_text())
        assert again.to_text() == state.to_text()
        assert again == state
        data = json.loads(json.dumps(state.to_dict()))
        for other in (state_from_dict(data), pickle.loads(pickle.dumps(state)), copy.deepcopy(state), state.clone()):
            assert other == state
            assert other.history() == state.history()
        assert read_record(game, write_record(state)) == state
        json.dumps(journal(state))
        assert [turn.record for turn in turns(state)] == write_record(state).splitlines()
        for language in ("en", "ja"):
            assert len(journal_text(state, language).splitlines()) == len(turns(state))


@pytest.mark.parametrize("options", TABLES)
def test_undo(options: dict[str, Any]) -> None:
    game = load_game("tokaido", **options)
    state = play(game, 3)
    before = [state.to_text()]
    for action in reversed(state.history()):
        assert state.undo_action() == action
        before.append(state.to_text())
    assert state == game.new_initial_state()
    replay = load_game("tokaido", **options).from_text(before.pop())
    assert replay == state


@pytest.mark.parametrize("options", TABLES)
def test_previews_agree_with_play(options: dict[str, Any]) -> None:
    state = load_game("tokaido", **options).new_initial_state()
    rng = random.Random(7)
    while not state.is_terminal():
        legal = [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        for action in legal[:3]:
            shown, after = state.preview(action), state.child(action)
            json.dumps(shown.data)
            assert shown.data["position"] == after.to_text()
            assert shown.data["end"] == after.end_reason()
            told = {h["seat"]: h["end"] for h in shown.data["happenings"] if h["what"] in ("move", "carried")}
            for seat, place in told.items():
                if after.words[seat] and not place.startswith("54"):
                    assert after.places[seat] == place
            owed = dict(enumerate(state.rests))
            for happening in shown.data["happenings"]:
                change = {"owes": happening.get("rests", 0), "rest": -1}.get(happening["what"], 0)
                owed[happening["seat"]] += change
            assert all(owed[s] == r or not state.game.options["rests_add_up"] for s, r in enumerate(after.rests))
        state.apply_action(rng.choice(legal[:2]))


def test_a_roll_shows_both_numbers() -> None:
    state = load_game("tokaido").from_text("3 0 / 1 / turn")
    shown = state.preview(state.string_to_action("[2-6]"))
    assert [number["move"] for number in shown.data["numbers"]] == ["2", "6"]
    assert [number["position"] for number in shown.data["numbers"]] == ["7 0 / 2 / turn", "9 0 / 1 / road"]
    assert "kago at Totsuka" in shown.text
    assert "must choose a road" in shown.text


def test_swap_is_told() -> None:
    state = load_game("tokaido").from_text("33 20 / 1 / [1-2]")
    carried = [h for h in state.preview(0).data["happenings"] if h["what"] == "carried"]
    assert [(h["seat"], h["start"], h["end"]) for h in carried] == [(0, "34", "33"), (0, "33", "20"), (1, "20", "33")]


@pytest.mark.parametrize("language", ["fr", "EN", "", None, "j" * 500])
def test_a_language_without_phrases(language: Any) -> None:
    state = load_game("tokaido").new_initial_state()
    for moves in ("", "[2-5] 5"):
        state.apply_moves(moves)
        with pytest.raises(UnknownNameError, match=r"no phrases in .*known: en, ja"):
            journal_text(state, language)
    with pytest.raises(UnknownNameError, match="no phrases in"):
        tell([], language)


@pytest.mark.parametrize("text", [None, 7, b"[2-5] 5", ["[2-5] 5"]])
def test_a_record_is_a_text(text: Any) -> None:
    with pytest.raises(RecordError, match="a record is a text, not a "):
        read_record(load_game("tokaido"), text)


def test_record_of_special_turns() -> None:
    game = load_game("tokaido")
    text = "[5-5] 10 crossing\n[1-2] 2\n[3] [2-6] 2\n[3-3] 6\n"
    state = read_record(game, text)
    assert state.to_text() == "13 8 / 1 / turn"
    assert write_record(state) == text
    assert write_record(read_record(game, "[2-5] 5\nrest\n", start="20 31+1 / 1 / turn")) == "[2-5] 5\nrest\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[2-5] 3\n", "line 1: 3: the dice show"),
        ("[5-2] 5\n", "line 1: '.5-2.' is no move"),
        ("[2-5] 5 [1-1] 1\n", "line 1: turn 1 is '.2-5. 5', not"),
        ("[2-5] 5\nrest\n", "line 2: turn 2 is 'the end', not 'rest'"),
        ("[4-5] 4\n[4-5] 5\n\n[3-6] 3\n[1-2]\n[1-2] 1", "line 6: .1-2.: seat 2 chooses: 1, 2"),
    ],
)
def test_bad_records(text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        read_record(load_game("tokaido"), text)


def test_missing_rest_in_a_record() -> None:
    with pytest.raises(RecordError, match="turn 2 is missing: 'rest'"):
        read_record(load_game("tokaido"), "[2-5] 5\n", start="20 31+1 / 1 / turn")


@pytest.mark.parametrize(
    ("options", "text", "message"),
    [
        ({}, "0 0 / 1", "3|fields"),
        ({}, "0 0 0 / 1 / turn", "expected the pieces of 2 players"),
        ({}, "0 55 / 1 / turn", "no piece"),
        ({}, "0 54 / 1 / turn", "no piece"),
        ({}, "0 9d4 / 1 / turn", "no piece"),
        ({}, "0 10c / 1 / turn", "no piece"),
        ({}, "0 5+0 / 1 / turn", "no piece"),
        ({}, "0 5+01 / 1 / turn", "no piece"),
        ({}, "0 0 / 3 / turn", "seat to move must be 1..2"),
        ({}, "0 0 / 0 / turn", "seat to move"),
        ({}, "0 0 / 1 / [5-2]", "smaller first"),
        ({}, "0 0 / 1 / [3]", "what is pending"),
        ({}, "R 0 / - / over", "nobody can resign"),
        ({"forks": "miya"}, "9c 0 / 1 / turn", "does not divide at 9; its forks are 41"),
        ({"forks": "miya"}, "0 30d2 / 1 / turn", "does not divide at 30"),
        ({"players": 3}, "54#1 54#1 5 / - / over", "places 1, 2"),
        ({"players": 3}, "54#2 5 5 / 2 / turn", "places 1, 2"),
        ({"players": 3, "finish": "first"}, "54#1 54#2 5 / - / over", "first arrival ends"),
        ({"players": 3, "finish": "first"}, "54#1 2 5 / 2 / turn", "the game is over"),
        ({}, "54#1 5 / 2 / turn", "the game is over"),
        ({}, "54#1 54#2 / - / over", "at least one piece"),
        ({}, "5 5 / - / over", "the game is not over"),
        ({}, "54#1 5 / 1 / over", "'-' for the seat"),
        ({"players": 3}, "54#1 5 5 / 1 / turn", "off the road"),
        ({"players": 3}, "54#1+1 5 5 / 2 / turn", "owes no rests"),
        ({"rests_add_up": False}, "10+2 5 / 2 / turn", "do not add up"),
        ({}, "10+1 5 / 1 / turn", "owes a rest"),
        ({}, "10+100 5 / 2 / turn", "no piece"),
        ({}, "0+99 0 / 2 / turn", "seat 1, 0.99: nobody can owe rests before 10, the first place"),
        ({"players": 3}, "0+5 0 0+9 / 2 / turn", "seat 1, 0.5: nobody can owe rests before 10"),
        ({}, "9+1 0 / 2 / turn", "nobody can owe rests before 10"),
        ({}, "5 9d3+1 / 1 / turn", "nobody can owe rests before 10"),
        ({"forks": "miya", "max_turns": 9}, "9+1 5 / - / over", "nobody can owe rests before 10"),
        ({}, "9 41c+1 / 1 / turn", "seat 2, 41c.1: nobody can owe rests there"),
        ({}, "9 30d2+1 / 1 / turn", "nobody can owe rests there"),
        ({}, "9 42+1 / 1 / turn", "nobody can owe rests there"),
        ({}, "5 5 / 1 / turn / 3", "'/ turns taken' must be left out"),
        ({"max_turns": 9}, "5 5 / 1 / turn / x", "must be a whole number, not 'x'"),
        ({"max_turns": 9}, "5 5 / 1 / turn / -1", "must be a whole number"),
        ({"max_turns": 9}, "5 5 / 1 / turn / 03", "must be a whole number"),
        ({"max_turns": 9}, "5 5 / 1 / turn / 3.0", "must be a whole number"),
        ({"max_turns": 9}, "5 5 / 1 / turn / 99999999999999999999", "must be a whole number"),
        ({"max_turns": 9}, "5 5 / 1 / turn /", "must be a whole number, not ''"),
        ({"max_turns": 9}, "5 5 / 1 / turn / 3 / 3", "has 5 fields"),
        ({"max_turns": 9}, "5 5 / 1 / turn / 9", "ends after 9 turns .max_turns., so 9 cannot"),
        ({"max_turns": 9}, "5 5 / 1 / [2-5] / 70", "so 70 cannot"),
        ({"max_turns": 9}, "5 5 / - / over / 10", "so 10 cannot"),
        ({"max_turns": 9}, "5 5 / - / over / 8", "the game is not over: .* after 8 of 9 turns"),
        ({}, "9 0 / 1 / [2-5]", "only when a road is chosen"),
        ({}, "9c 0 / 1 / [2-5]", "only when a road is chosen"),
        ({}, "5 0 / 1 / road", "'road' can be pending only on 9, 30, 41"),
        ({}, "9c 0 / 1 / road", "'road' can be pending only"),
        ({}, "9d 0 / 1 / cross", "'cross' can be pending only on 9c, 30c, 41c"),
        ({"rechoice": "uses_turn"}, "9c 0 / 1 / cross", "'cross' can be pending only on 30c"),
        ({}, "12 0 / 1 / dice", "'dice' can be pending only on"),
        ({"after_crossing": "end_turn"}, "11 0 / 1 / dice", "'dice' can be pending only on"),
        ({}, 5, "a position is a text"),
    ],
)
def test_impossible_positions(options: dict[str, Any], text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        load_game("tokaido", **options).from_text(text)


def test_positions_that_the_rules_show() -> None:
    shown = re.findall(r"`([0-9][^`/]* / [^`]*)`", RULES.read_text(encoding="utf-8"))
    assert len(shown) == 2
    for text in shown:
        players, cap = len(text.split("/")[0].split()), 200 if text.count("/") == 3 else None
        assert load_game("tokaido", players=players, max_turns=cap).from_text(text).to_text() == text


def test_blanks_and_capitals() -> None:
    game = load_game("tokaido", players=3, allow_resign=True)
    assert game.from_text("  r  41C 31+1 /2/ TURN ").to_text() == "R 41c 31+1 / 2 / turn"
    assert game.new_initial_state().string_to_action(" [2-5] ") == 9


def test_a_cap_ends_the_game_as_it_stands() -> None:
    game = load_game("tokaido", max_turns=2)
    state = game.from_text("5 7 / - / over")
    assert state.end_reason() == "max_turns"
    assert state.returns() == [-1.0, 1.0]
    assert state.to_text() == "5 7 / - / over / 2"
    assert game.from_text(state.to_text()) == state


def test_a_text_says_how_many_turns_were_taken() -> None:
    game = load_game("tokaido", max_turns=5)
    assert game.new_initial_state().to_text() == "0 0 / 1 / turn / 0"
    assert game.from_text("20 33 / 1 / turn") == game.from_text("20 33 / 1 / turn / 0")
    state = game.from_text("20 31+1 / 1 / turn / 1")
    state.apply_moves("[2-5] 5")
    assert (state.to_text(), state.turns) == ("23 31 / 1 / turn / 3", 3)
    state.apply_moves("[1-2] 2 [1-2] 1")
    assert (state.to_text(), state.end_reason()) == ("25+1 32 / - / over / 5", "max_turns")
    arrival = game.from_text("53 0 / 1 / turn / 4")
    arrival.apply_moves("[1-1] 1")
    assert (arrival.to_text(), arrival.end_reason()) == ("54#1 0 / - / over / 5", "goal")
    assert game.from_text(arrival.to_text()) == arrival
    assert load_game("tokaido").new_initial_state().to_text() == "0 0 / 1 / turn"


def where_rests_are_owed(state: State, seed: int, plies: int) -> set[str]:
    """Play at random and return the places on which pieces owed rests; every position must read back as it is."""
    rng, found = random.Random(seed), set()
    for _ in range(plies):
        if state.is_terminal():
            break
        legal = [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(rng.choice(legal[:20] if rng.random() < 0.99 else legal))
        assert state.game.from_text(state.to_text()) == state
        found |= {place for place, rests in zip(state.places, state.rests, strict=True) if rests}
    return found


def test_rests_are_owed_where_the_rules_bring_them_about() -> None:
    """From Hakone up to the fork at Miya, where a resting piece waits, and from the rain at Tsuchiyama on."""
    places = {str(station) for station in (*range(10, 42), *range(48, 54))}
    for forks in ("three", "miya"):
        assert resting_places(Walker(load_game("tokaido", forks=forks).options)) == places
    for options in ({"players": 6}, {"players": 6, "forks": "miya", "rests_add_up": False}):
        found = set()
        for seed in range(6):
            found |= where_rests_are_owed(load_game("tokaido", **options).new_initial_state(), seed, 1500)
        assert found <= places
        assert found >= {"10", "24", "25", "26", "31", "49", "50"}


def test_a_bandit_and_a_festival_move_a_resting_piece_forward() -> None:
    state = load_game("tokaido", players=3).from_text("33 10+1 18 / 3 / [1-1]")
    state.apply_moves("1")
    assert state.to_text() == "34 11+1 20 / 1 / turn"  # the festival takes the mover too
    state.apply_moves("[1-1] 1")
    assert state.to_text() == "35 11 20 / 3 / turn"
    state = load_game("tokaido", players=3).from_text("33 10+1 18 / 1 / [1-1]")
    state.apply_moves("1")
    assert state.to_text() == "10 33 18 / 3 / turn"  # swapped with the bandit's victim, and its rest is paid


def test_wrong_moves_are_explained() -> None:
    state = load_game("tokaido").new_initial_state()
    with pytest.raises(NotationError, match="no move"):
        state.string_to_action("hello")
    with pytest.raises(IllegalActionError, match="seat 1 throws two dice"):
        state.string_to_action("5")
    with pytest.raises(IllegalActionError, match="seat 1 throws two dice"):
        state.string_to_action("[5]")
    state.apply_moves("[2-5]")
    with pytest.raises(IllegalActionError, match="seat 1 chooses: 2, 5"):
        state.string_to_action("[2-5]")
    for word, message in (("4", "the dice show .2-5."), ("resign", "allow_resign"), ("detour", "no road")):
        with pytest.raises(IllegalActionError, match=message):
            state.string_to_action(word)
    with pytest.raises(IllegalActionError, match="a road is to be chosen first"):
        load_game("tokaido").from_text("9 0 / 1 / turn").string_to_action("4")
    with pytest.raises(IllegalActionError, match="the game is over"):
        load_game("tokaido").from_text("54#1 0 / - / over").string_to_action("4")


PIECES = st.sampled_from(
    [
        "0",
        "9",
        "9c",
        "9d",
        "9d2",
        "30",
        "30c",
        "41d3",
        "23",
        "48",
        "53",
        "54#1",
        "54#2",
        "R",
        "5+1",
        "10+1",
        "26+2",
        "30+1",
    ]
)
PENDING = st.sampled_from(["turn", "road", "cross", "dice", "over", "[2-5]", "[3-3]", "[5-2]", "[3]", ""])
ANYTHING = st.text(alphabet="0123456789cdR#+-/[] turnoveadi５", max_size=24)
TEXTS = ANYTHING | st.builds(
    lambda pieces, seat, pending, turns: f"{' '.join(pieces)} / {seat} / {pending}{turns}",
    st.lists(PIECES, min_size=2, max_size=4),
    st.sampled_from(["1", "2", "3", "-", "x"]),
    PENDING,
    st.sampled_from(["", "", " / 0", " / 59", " / 60", "/ x"]),
)


@given(TEXTS, st.sampled_from(TABLES), st.integers(2, 4), st.integers(0, 30), ANYTHING)
@settings(max_examples=300, deadline=None)
def test_any_text_is_refused_or_round_trips(
    text: str, options: dict[str, Any], players: int, at: int, inserted: str
) -> None:
    game = load_game("tokaido", **{**options, "players": players})
    for candidate in (text, text[:at] + inserted[:2] + text[at + 1 :]):
        try:
            state = game.from_text(candidate)
        except PositionError:
            continue
        assert game.from_text(state.to_text()) == state
        assert game.from_text(state.to_text()).to_text() == state.to_text()
        random_playouts(state, 1)
        where_rests_are_owed(state, at, plies=10)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANYTHING,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANYTHING, inner, max_size=3),
    max_leaves=4,
)
WORDS = st.sampled_from(
    ["[2-5]", "[3]", "[6-6]", "5", "12", "crossing", "detour", "resign", "rest", "", "x", "\n", "\x1c"]
)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_record_is_refused_or_round_trips(data: st.DataObject) -> None:
    """A record with a word changed, left out or put in, or with its lines in another order."""
    game = load_game("tokaido", **data.draw(st.sampled_from(TABLES)))
    state = play(game, data.draw(st.integers(0, 30)), data.draw(st.integers(0, 60)))
    words = re.split(r"([ \n])", write_record(state))
    at, until = sorted(data.draw(st.tuples(*[st.integers(0, len(words))] * 2)))
    put = data.draw(st.lists(WORDS | ANYTHING, max_size=2))
    changed = data.draw(st.sampled_from([
        words[:at] + put + words[at + 1 :], words[:at] + words[until:], words[at:] + words[:at], words[:at] + put,
    ]))  # fmt: skip
    start = data.draw(st.sampled_from([None, None, game.new_initial_state().to_text(), "9 30 / 1 / turn", ""]))
    try:
        again = read_record(game, "".join(changed), start)
    except SekishoError:
        return
    assert read_record(game, write_record(again), start) == again


@given(JSON, JSON, st.sampled_from(TABLES))
@settings(max_examples=100, deadline=None)
def test_what_is_no_record_is_refused(text: Any, start: Any, options: dict[str, Any]) -> None:
    with contextlib.suppress(SekishoError):
        read_record(load_game("tokaido", **options), text, start)


def changed_anywhere(data: st.DataObject, value: Any) -> Any:
    """Return a JSON value with one of its parts changed, or left out."""
    if isinstance(value, dict | list) and value and data.draw(st.integers(0, 3)):
        key = data.draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
        if data.draw(st.integers(0, 3)) == 0:
            return [*value[:key], *value[key + 1 :]] if isinstance(value, list) else {
                name: part for name, part in value.items() if name != key
            }  # fmt: skip
        value = copy.copy(value)
        value[key] = changed_anywhere(data, value[key])
        return value
    return data.draw(JSON | WORDS | TEXTS)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_any_dict_is_refused_or_round_trips(data: st.DataObject) -> None:
    game = load_game("tokaido", **data.draw(st.sampled_from(TABLES)))
    state = play(game, data.draw(st.integers(0, 30)), data.draw(st.integers(0, 60)))
    changed = changed_anywhere(data, json.loads(json.dumps(state.to_dict())))
    for read in (state_from_dict, game.from_dict):
        try:
            again = read(changed)
        except SekishoError:
            continue
        assert read(json.loads(json.dumps(again.to_dict()))) == again


def test_no_turn_is_longer_than_the_bound() -> None:
    game = load_game("tokaido", max_turns=1)
    starts = [f"{place} 20 / 1 / turn" for place in [*range(54), "9c", "9d1", "30c", "41c", "41d3"]]
    longest = max(int(random_playouts(game.from_text(start), 2000).plies.max()) for start in starts)
    assert longest <= PLIES_PER_TURN
