"""Records of games: what was played can be played again, and a record that lies is found out."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import quoridor as reference
from sekisho.arena.records import GameRecord, read_records
from sekisho.arena.tournament import Tournament, play, schedule
from sekisho.envs import load_game, registry
from sekisho.envs.errors import RecordError, SekishoError
from support.dice_race import DiceRace

GAMES = {
    "two": load_game("quoridor", board_size=5, fences=3),
    "four": load_game("quoridor", players=4, board_size=5, fences=2),
    "draw": load_game("quoridor", board_size=9, max_plies=6, repetition=3),
}


def record_of(name: str, number: int = 0) -> GameRecord:
    tournament = Tournament(GAMES[name], ("random", "shortest_path"), 4, opening_plies=2, seed=3)
    return play(tournament, list(schedule(tournament))[number]).record


RECORDS = {name: record_of(name) for name in GAMES}
LINE = RECORDS["two"].to_json()
FIELDS = [field.name for field in dataclasses.fields(GameRecord) if field.name != "forfeit"]  # few records have one
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 300)
    | st.sampled_from([10**400, 1e308, float("nan"), float("inf"), -0.5, 1.0])
    | st.sampled_from(["", "e2", "e3h", "random", "quoridor", "goal", "players", "\ud800", "\0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["players", "", "x"]), inner),
    max_leaves=5,
)


def changed(record: GameRecord, **fields: Any) -> str:
    return json.dumps(json.loads(record.to_json()) | fields)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("number", range(4))
def test_a_record_survives_being_written_and_read_and_played_again(name: str, number: int) -> None:
    record = record_of(name, number)
    line = record.to_json()
    assert "\n" not in line
    assert list(json.loads(line)) == FIELDS
    again = GameRecord.from_json(line)
    assert again == record
    assert again.to_json() == line
    state = again.replay()
    assert state.is_terminal()
    assert tuple(state.moves()) == record.moves


@pytest.mark.parametrize("name", GAMES)
def test_the_reference_rule_book_agrees_with_the_moves_and_the_result(name: str) -> None:
    record = RECORDS[name]
    book = reference.Quoridor(**record.rules)
    for move in record.moves:
        assert not book.is_over()
        book.play(move)
    assert book.is_over()
    assert book.returns() == list(record.returns)
    assert (book.winner is not None) == (record.end == "goal")


def test_a_record_keeps_the_throws_of_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._games, "dice_race", DiceRace)
    game = DiceRace(goal=4, sides=3)
    record = GameRecord(
        game="dice_race",
        rules=dict(game.options),
        agents=("random", "random"),
        seed=0,
        table=0,
        round=0,
        opening=0,
        moves=("throw3", "go", "throw2", "stay", "throw1", "go"),
        returns=(1.0, -1.0),
        end="goal",
    )
    again = GameRecord.from_json(record.to_json())
    assert again.replay().words.tolist() == [0, 1, 4, 0]
    with pytest.raises(RecordError, match="move 3, 'throw4'"):
        dataclasses.replace(again, moves=("throw3", "go", "throw4")).replay()


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("format", 2, "format 1"),
        ("format", "1", "format 1"),
        ("format", True, "format 1"),
        ("game", "quoridr", "did you mean 'quoridor'"),
        ("game", 5, "'game' must be a name"),
        ("rules", [], "'rules' must be a mapping"),
        ("rules", {"board_size": 5, "fence": 3}, "did you mean 'fences'"),
        ("rules", {"board_size": "5"}, "board_size"),
        ("agents", "random", "'agents' must be a list"),
        ("agents", ["random", 1], "'agents' must be a list of texts"),
        ("agents", ["random"], "1 'agents'"),
        ("seed", -1, "'seed' must be a whole number"),
        ("seed", "3", "'seed' must be a whole number"),
        ("seed", 3.0, "'seed' must be a whole number"),
        ("table", None, "'table' must be a whole number"),
        ("round", True, "'round' must be a whole number"),
        ("opening", -1, "'opening' must be a whole number"),
        ("opening", 10_000, "'opening' counts 10000"),
        ("moves", "e2", "'moves' must be a list"),
        ("moves", [1, 2], "'moves' must be a list of texts"),
        ("returns", [1.0], "1 'returns'"),
        ("returns", [1.0, None], "'returns' must be a list of numbers"),
        ("returns", [1.0, True], "'returns' must be a list of numbers"),
        ("returns", [float("nan"), 1.0], "'returns' must be a list of numbers"),
        ("returns", [float("inf"), 1.0], "'returns' must be a list of numbers"),
        ("returns", [10**400, 1.0], "'returns' must be a list of numbers"),
        ("returns", [0.0, 0.0], "the record says"),
        ("end", None, "'end' must be a text"),
        ("end", "max_plies", "the record says"),
        ("end", "", "the record says"),
    ],
)
def test_a_field_that_was_tampered_with_is_named(field: str, value: Any, word: str) -> None:
    with pytest.raises(RecordError) as refusal:
        GameRecord.from_json(changed(RECORDS["two"], **{field: value})).replay()
    assert word in str(refusal.value)


def test_every_field_can_be_missing_or_too_many_and_is_then_named() -> None:
    data = json.loads(LINE)
    for field in FIELDS:
        with pytest.raises(RecordError) as refusal:
            GameRecord.from_json(json.dumps({key: value for key, value in data.items() if key != field}))
        assert field in str(refusal.value)
    with pytest.raises(RecordError, match="surplus"):
        GameRecord.from_json(changed(RECORDS["two"], surplus=1))


@pytest.mark.parametrize("name", ["two", "four"])
def test_a_move_that_was_changed_left_out_or_added_is_found(name: str) -> None:
    record = RECORDS[name]
    moves = list(record.moves)
    with pytest.raises(RecordError, match="move 3, 'zz'"):
        dataclasses.replace(record, moves=(*moves[:2], "zz", *moves[3:])).replay()
    with pytest.raises(RecordError, match="move 1, 'e5'"):
        dataclasses.replace(record, moves=("e5", *moves[1:])).replay()
    with pytest.raises(RecordError, match=r"the moves do not end the game for . seats, but the record says"):
        dataclasses.replace(record, moves=tuple(moves[:-1])).replay()
    with pytest.raises(RecordError, match=rf"move {len(moves) + 1}, 'a1': .*the game is over"):
        dataclasses.replace(record, moves=(*moves, "a1")).replay()


@pytest.mark.parametrize("seats", [("a",), ("a", "b", "c")])
def test_a_record_with_more_or_fewer_agents_than_seats_is_found(seats: tuple[str, ...]) -> None:
    with pytest.raises(RecordError, match=f"for 2 seats, .* for {len(seats)}"):
        dataclasses.replace(RECORDS["two"], agents=seats).replay()


@pytest.mark.parametrize(
    "line", ["", " ", "null", "[]", "5", '"x"', "{", "{}", LINE[:-1], LINE + "x", "[" * 200_000], ids=lambda x: x[:5]
)
def test_a_line_that_is_no_record_is_refused_in_words(line: str) -> None:
    with pytest.raises(RecordError, match=r"not JSON|a record has the keys"):
        GameRecord.from_json(line)


def load_and_replay(line: str) -> None:
    try:
        record = GameRecord.from_json(line)
    except RecordError:
        return
    assert GameRecord.from_json(record.to_json()) == record
    try:
        record.replay()
    except RecordError:
        return


@given(st.dictionaries(st.sampled_from(FIELDS), VALUES, min_size=1, max_size=3))
def test_a_record_with_any_fields_replaced_is_read_or_refused_and_nothing_else(fields: dict[str, Any]) -> None:
    load_and_replay(changed(RECORDS["two"], **fields))


@given(
    st.lists(
        st.tuples(
            st.integers(0, len(LINE)), st.integers(0, 6), st.sampled_from(["", ",", '"', "}", "]", "9", "-", "e5", "h"])
        ),
        min_size=1,
        max_size=4,
    )
)
def test_a_record_with_any_letters_replaced_is_read_or_refused_and_nothing_else(
    edits: list[tuple[int, int, str]],
) -> None:
    line = LINE
    for at, length, piece in edits:
        line = line[:at] + piece + line[at + length :]
    load_and_replay(line)


@given(st.integers(0, len(RECORDS["two"].moves) - 1), st.data())
def test_a_single_other_legal_move_is_found_unless_the_game_ends_the_same_way(at: int, data: st.DataObject) -> None:
    record = RECORDS["two"]
    state = GAMES["two"].new_initial_state()
    state.apply_moves(" ".join(record.moves[:at]))
    others = [state.action_to_string(a) for a in state.legal_actions() if state.action_to_string(a) != record.moves[at]]
    forged = dataclasses.replace(
        record, moves=(*record.moves[:at], data.draw(st.sampled_from(others)), *record.moves[at + 1 :])
    )
    book = reference.Quoridor(**record.rules)
    try:
        for move in forged.moves:
            book.play(move)
        sound = book.is_over() and tuple(book.returns()) == record.returns
    except ValueError:
        sound = False
    if sound:
        forged.replay()
    else:
        with pytest.raises(RecordError):
            forged.replay()


def test_the_records_of_a_file_come_in_order(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("".join(record.to_json() + "\n" for record in RECORDS.values()), encoding="utf-8")
    assert list(read_records(path)) == list(RECORDS.values())


def test_a_bad_line_in_a_file_is_named_after_the_good_ones_before_it(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(f"{LINE}\n{LINE}\n{{}}\n{LINE}\n", encoding="utf-8")
    records = read_records(path)
    assert [next(records), next(records)] == [RECORDS["two"]] * 2
    with pytest.raises(RecordError, match=r"games\.jsonl, line 3: a record has the keys"):
        next(records)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b"\xff\xfe\n")
    for name in ("missing.jsonl", "", "latin.jsonl"):
        with pytest.raises(SekishoError, match="cannot read") as refusal:
            list(read_records(tmp_path / name))
        assert str(tmp_path / name) in str(refusal.value)
