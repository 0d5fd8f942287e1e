"""Boards: what ships, what the checker says about mistakes, and the random ones."""

from __future__ import annotations

import copy
import itertools
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sekisho.envs import load_game
from sekisho.envs.errors import OptionError, SekishoError
from sekisho.envs.picture_sugoroku.boards import KINDS, MAX_FILE_BYTES, SHIPPED, load_board
from sekisho.envs.picture_sugoroku.random_boards import random_board
from sekisho.envs.picture_sugoroku.walks import trap, walk_table

OWN = {
    "id": "my_board",
    "name": {"en": "My board"},
    "goal": 49,
    "squares": {
        "3": {"kind": "forward", "by": 4},
        "8": {"kind": "back", "by": 3},
        "12": {"kind": "rest", "turns": 2},
        "15": {"kind": "roll_again"},
        "20": {"kind": "to_start"},
        "25": {"kind": "jump", "to": 31},
    },
}


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_board(name: str) -> None:
    board = load_board(name)
    assert board.id == name
    assert board.goal == (29 if name == "a_short_walk" else 49)
    assert set(board.names) == {"en", "es", "bn", "ja"}
    assert {kind for kind, _ in board.squares.values()} == set(KINDS)
    assert {number for kind, number in board.squares.values() if kind == "rest"} == {1, 2}
    walks = itertools.chain(*walk_table(board, chain=True, goal="over"))
    assert all(walk.unfollowed is None for walk in walks)  # nobody runs in circles
    assert load_board(board.to_dict()) == board == load_board(board)


def test_treasure_hunt_has_clearly_more_to_do() -> None:
    assert len(load_board("treasure_hunt").squares) >= 1.3 * len(load_board("round_the_seasons").squares)


def test_own_board_as_mapping_and_file(tmp_path: Path) -> None:
    board = load_board(OWN)
    assert board.to_dict() == OWN
    assert board.title("ja") == "My board"
    path = tmp_path / "own.json"
    path.write_text(json.dumps(OWN), encoding="utf-8")
    assert load_board(path) == load_board(str(path)) == board


MISTAKES: list[tuple[str, Any, str]] = [
    ("squares.3.kind", "foward", "square 3 has an unknown kind 'foward'; did you mean 'forward'"),
    ("squares.3.kind", None, "square 3 has an unknown kind None"),
    ("squares.3.kind", ..., "square 3 has no 'kind'"),
    ("squares.3.to", 4, "square 3: 'forward' takes 'kind' and 'by', not the key 'to'"),
    ("squares.15.by", 4, "square 15: 'roll_again' takes 'kind' alone, not the key 'by'"),
    ("squares.3.by", ..., "square 3: 'forward' needs the key 'by'"),
    ("squares.3.by", 0, "square 3: 'by' must be a whole number 1..49, not 0"),
    ("squares.3.by", 50, "square 3: 'by' must be a whole number 1..49, not 50"),
    ("squares.3.by", True, "square 3: 'by' must be a whole number 1..49, not True"),
    ("squares.3.by", 3.0, "square 3: 'by' must be a whole number 1..49, not 3.0"),
    ("squares.8.by", "3", "square 8: 'by' must be a whole number 1..49, not '3'"),
    ("squares.12.turns", 3, "square 12: 'turns' must be a whole number 1..2, not 3"),
    ("squares.25.to", 25, "square 25: it jumps to itself"),
    ("squares.25.to", 49, "square 25: a jump must stay on the board and short of the goal"),
    ("squares.25.to", 60, "square 25: a jump must stay on the board"),
    ("squares.25.to", -1, "square 25: a jump must stay on the board"),
    ("squares.25.to", False, "square 25: a jump must stay on the board"),
    ("squares.0", {"kind": "roll_again"}, "square 0: the start has no instruction"),
    ("squares.49", {"kind": "roll_again"}, "square 49: the goal has no instruction"),
    ("squares.50", {"kind": "roll_again"}, "square 50: it is off the board, whose last square is 49"),
    ("squares.03", {"kind": "roll_again"}, "the square '03' must be written '3'"),
    ("squares.-3", {"kind": "roll_again"}, "a square is its number as a text"),
    ("squares.x", {"kind": "roll_again"}, "a square is its number as a text"),
    ("squares.٣", {"kind": "roll_again"}, "a square is its number as a text"),
    ("squares.4", "back", "square 4: expected an instruction such as"),
    ("squares", [], "'squares' must be a mapping of squares, not []"),
    ("squares", ..., "the board lacks the key 'squares'"),
    ("size", 50, "the board has an unknown key 'size'"),
    ("gaol", 50, "unknown key 'gaol'; did you mean 'goal'"),
    ("goal", 4, "'goal' must be a whole number 5..500, not 4"),
    ("goal", 501, "'goal' must be a whole number 5..500, not 501"),
    ("goal", True, "'goal' must be a whole number 5..500, not True"),
    ("goal", 10**5000, "'goal' must be a whole number 5..500, not a int too large to be shown"),
    ("id", "my board", "'id' must be 1 to 64 letters"),
    ("id", 7, "'id' must be 1 to 64 letters"),
    ("name", "My board", "'name' must give at least one name by language"),
    ("name", {}, "'name' must give at least one name by language"),
    ("name.English", "x", "expected a language code such as 'en', not 'English'"),
    ("name.en", "", "must be a line of 1 to 80 printable characters"),
    ("name.en", "a\nb", "must be a line of 1 to 80 printable characters"),
    ("name.en", "\ud800", "must be a line of 1 to 80 printable characters"),
]


@pytest.mark.parametrize(("path", "value", "message"), MISTAKES, ids=[f"{m[0]}-{m[2][:40]}" for m in MISTAKES])
def test_mistake_is_named(path: str, value: Any, message: str) -> None:
    data: Any = copy.deepcopy(OWN)
    *parents, key = path.split(".")
    inner = data
    for parent in parents:
        inner = inner[parent]
    if value is ...:
        del inner[key]
    else:
        inner[key] = value
    with pytest.raises(OptionError) as caught:
        load_board(data)
    assert message in str(caught.value)
    with pytest.raises(OptionError):
        load_game("picture_sugoroku", board=data)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "is not valid JSON in UTF-8"),
        (b"", "is not valid JSON in UTF-8"),
        (b"\xff\xfe", "is not valid JSON in UTF-8"),
        (b"[" * 100_000, "is not valid JSON in UTF-8"),
        (b'{"goal": ' + b"9" * 5000 + b"}", "is not valid JSON in UTF-8"),
        (b"[1]", "a board is a mapping with the keys id, name, goal, squares, not [1]"),
        (b'{"squares": {"3": {}, "3": {}}}', "the board has square 3 twice"),
        (b'{"goal": 5, "goal": 6}', "the board has the key 'goal' twice"),
        (b" " * (MAX_FILE_BYTES + 1), "is too large"),
    ],
)
def test_mistake_in_a_file_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "board.json"
    path.write_bytes(content)
    with pytest.raises(OptionError) as caught:
        load_board(path)
    assert message in str(caught.value)


@pytest.mark.parametrize("source", ["no/such.json", "/", "/dev/zero", "/dev/zero\0.json", ".json", Path("missing")])
def test_no_board_file(source: Any) -> None:
    with pytest.raises(OptionError, match=r"no board file|cannot be read"):
        load_board(source)


def test_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "board.json"
    path.write_text("{}")
    monkeypatch.setattr(os.path, "isfile", lambda _path: True)
    path.unlink()
    with pytest.raises(OptionError, match="cannot be read"):
        load_board(path)


@pytest.mark.parametrize("source", ["treasure", 7, None, ["round_the_seasons"]])
def test_no_such_board(source: Any) -> None:
    with pytest.raises(OptionError, match=r"there is no board 'treasure'.*treasure_hunt|a name, a path or a mapping"):
        load_board(source)


def test_endless_board_is_refused_under_its_options() -> None:
    wall = {str(square): {"kind": "to_start"} for square in range(10, 16)}
    board = {"id": "wall", "name": {"en": "Wall"}, "goal": 30, "squares": wall}
    with pytest.raises(OptionError, match="can come to square 9, and from there no rolls lead to the goal"):
        load_game("picture_sugoroku", board=board)
    # One way through the wall is enough.
    board["squares"]["12"] = {"kind": "jump", "to": 20}
    load_game("picture_sugoroku", board=board)


def test_endless_board_depends_on_chain_and_goal() -> None:
    wall = {str(square): {"kind": "jump", "to": 5} for square in range(10, 16)}
    board = {"id": "wall", "name": {"en": "Wall"}, "goal": 30, "squares": {"5": {"kind": "jump", "to": 20}, **wall}}
    load_game("picture_sugoroku", board=board)  # the wall leads to 5, and 5 leads over it
    with pytest.raises(OptionError, match=r"square 9.*under chain=False and goal='over'"):
        load_game("picture_sugoroku", board=board, chain=False)  # thrown back to 5 it stays there, before the wall
    last = {str(square): {"kind": "to_start"} for square in range(24, 30)}
    board = {"id": "last", "name": {"en": "Last"}, "goal": 30, "squares": {**last, "23": {"kind": "forward", "by": 9}}}
    load_game("picture_sugoroku", board=board)
    with pytest.raises(OptionError, match="goal='exact'"):
        load_game("picture_sugoroku", board=board, goal="exact")


# --- random boards ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("goal", [5, 12, 49, 120])
@pytest.mark.parametrize("density", [0, 0.3, 0.7, 1])
def test_random_board_can_be_finished(goal: int, density: float) -> None:
    for seed in range(8):
        board = random_board(goal, density, seed)
        assert load_board(board.to_dict()) == board == random_board(goal, density, seed)
        assert len(board.squares) <= round(density * (goal - 1))
        if density <= 0.3:
            assert len(board.squares) >= 0.7 * round(density * (goal - 1))
        for chain, rule in itertools.product((True, False), ("over", "exact")):
            assert trap(walk_table(board, chain=chain, goal=rule)) is None


def test_random_board_depends_on_its_seed_alone() -> None:
    assert random_board(30, 0.4, 1) != random_board(30, 0.4, 2)
    assert len(random_board(500, 0.4, 2**64 - 1).squares) == round(0.4 * 499)


@pytest.mark.parametrize(
    "arguments", [(4, 0.1, 0), (501, 0.1, 0), (True, 0.1, 0), (9, 1.1, 0), (9, -0.1, 0), (9, 0.1, -1), (9, "x", 1)]
)
def test_random_board_refuses(arguments: Any) -> None:
    with pytest.raises(OptionError, match="of a random board must be a"):
        random_board(*arguments)


# --- whatever comes --------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
NUMBERS = st.integers(-1, 60) | st.sampled_from([500, 501, True, 2.0, "3"])
INSTRUCTIONS = st.fixed_dictionaries(
    {"kind": st.sampled_from([*KINDS, "swap"])},
    optional={"by": NUMBERS, "turns": NUMBERS, "to": NUMBERS},
)
PLAIN = st.one_of(
    st.builds(lambda by: {"kind": "forward", "by": by}, st.integers(1, 20)),
    st.builds(lambda to: {"kind": "jump", "to": to}, st.integers(0, 20)),
    st.just({"kind": "roll_again"}),
    INSTRUCTIONS,
)
KEYS = st.integers(0, 51).map(str) | st.text("0123456789- ", max_size=3)


@settings(max_examples=80, deadline=None)
@given(
    squares=st.dictionaries(KEYS, PLAIN, max_size=8),
    goal=NUMBERS,
    path=st.sampled_from(["", "id", "name", "goal", "squares"]),
    junk=JSON,
)
def test_any_mapping_loads_or_is_refused(squares: Any, goal: Any, path: str, junk: Any) -> None:
    data: Any = {**OWN, "squares": squares, "goal": goal}
    if path and junk is not None:
        data[path] = junk
    try:
        game = load_game("picture_sugoroku", board=data)
    except SekishoError:
        return
    again = load_game("picture_sugoroku", board=json.loads(json.dumps(game.options["board"])))
    assert again == game
    assert hash(again) == hash(game)
    assert load_board(game.options["board"]).to_dict() == game.options["board"]


@settings(max_examples=120, deadline=None)
@given(
    name=st.sampled_from(SHIPPED),
    at=st.integers(0, 900),
    length=st.integers(0, 12),
    junk=st.text('0123456789-.{}[]",: truefalsn\\', max_size=6) | st.text(max_size=3),
)
def test_any_file_loads_or_is_refused(tmp_path_factory: Any, name: str, at: int, length: int, junk: str) -> None:
    text = json.dumps(load_board(name).to_dict())
    path = tmp_path_factory.getbasetemp() / "mutated.json"
    path.write_bytes((text[:at] + junk + text[at + length :]).encode("utf-8", "surrogatepass"))
    try:
        game = load_game("picture_sugoroku", board=path)
    except SekishoError:
        return
    assert load_game("picture_sugoroku", **dict(game.options)) == game
    path.write_text(json.dumps(game.board.to_dict()), encoding="utf-8")
    assert load_board(path) == game.board
