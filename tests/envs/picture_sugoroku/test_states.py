"""The game object and its states: options, forms, positions that cannot be, previews."""

from __future__ import annotations

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
from sekisho.envs.errors import IllegalActionError, NotationError, OptionError, PositionError, SekishoError
from sekisho.envs.options import parse_options
from sekisho.envs.perft import perft
from sekisho.envs.picture_sugoroku.boards import SHIPPED, load_board
from sekisho.envs.picture_sugoroku.random_boards import random_board
from sekisho.envs.picture_sugoroku.rules import OPTIONS
from sekisho.envs.playouts import random_playouts
from sekisho.envs.registry import state_from_dict

BOARD = {
    "id": "mix",
    "name": {"en": "Mix"},
    "goal": 20,
    "squares": {
        "2": {"kind": "roll_again"},
        "4": {"kind": "roll_again"},
        "6": {"kind": "rest", "turns": 2},
        "8": {"kind": "back", "by": 4},
        "9": {"kind": "forward", "by": 3},
        "13": {"kind": "jump", "to": 8},
        "15": {"kind": "to_start"},
        "18": {"kind": "back", "by": 1},
    },
}


def new_game(**options: Any) -> Any:
    return load_game("picture_sugoroku", **{"board": BOARD, **options})


def played(game: Any, moves: str) -> Any:
    state = game.new_initial_state()
    state.apply_moves(moves)
    return state


# --- the game --------------------------------------------------------------------------------------------------------


def test_defaults() -> None:
    game = load_game("picture_sugoroku")
    assert dict(game.options) == {
        "players": 2, "board": "round_the_seasons", "chain": True, "goal": "over", "finish": "first",
        "allow_resign": False,
    }  # fmt: skip
    assert game.num_actions == 2
    assert game.max_chance_outcomes == 6
    assert perft(game, 4) == 36


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_board_is_its_name_however_it_is_given(name: str) -> None:
    by_name = load_game("picture_sugoroku", board=name)
    path = Path(load_game.__code__.co_filename).parent / "picture_sugoroku" / "boards" / f"{name}.json"
    for source in (path, str(path), load_board(name), load_board(name).to_dict()):
        game = load_game("picture_sugoroku", board=source)
        assert game.options["board"] == name
        assert game == by_name
        assert hash(game) == hash(by_name)


def test_own_board_is_kept_as_a_mapping_of_its_own() -> None:
    source = copy.deepcopy(BOARD)
    game = new_game(board=source)
    source["goal"] = 400
    assert game.options["board"] == BOARD
    data = game.new_initial_state().to_dict()
    data["rules"]["board"]["goal"] = 400
    assert game.options["board"] == BOARD
    assert len({game, new_game()}) == 1
    assert game != new_game(chain=False)
    for again in (pickle.loads(pickle.dumps(game)), copy.deepcopy(game), state_from_dict(
        json.loads(json.dumps(game.new_initial_state().to_dict()))).game):  # fmt: skip
        assert again == game
        assert hash(again) == hash(game)


def test_options_in_text(tmp_path: Path) -> None:
    path = tmp_path / "Own.json"
    path.write_text(json.dumps(BOARD), encoding="utf-8")
    values = parse_options(OPTIONS, f"board={path},players=3,goal=exact,chain=no", "picture_sugoroku")
    assert values == {"board": BOARD, "players": 3, "goal": "exact", "chain": False}
    assert parse_options(OPTIONS, "board=Treasure_Hunt", "picture_sugoroku") == {"board": "treasure_hunt"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, "one of 2, 3, 4, 5, 6"),
        ({"players": 7}, "one of 2, 3, 4, 5, 6"),
        ({"goal": "under"}, "one of over, exact"),
        ({"finish": "last"}, "one of first, all_places"),
        ({"chain": 1}, "one of true, false"),
        ({"board": "nowhere"}, "there is no board 'nowhere'"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        new_game(**options)
    assert message in str(caught.value)


def test_random_games_pay_zero_in_all() -> None:
    for players in range(2, 7):
        result = random_playouts(new_game(players=players, finish="all_places", allow_resign=True), 50, seed=players)
        assert result.mean_returns.sum() == pytest.approx(0, abs=1e-12)


# --- states ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_forms_round_trip(seed: int) -> None:
    rng = random.Random(seed)
    board = random_board(rng.randint(6, 60), rng.random(), seed).to_dict()
    game = new_game(
        board=board, players=rng.randint(2, 6), chain=rng.random() < 0.5, goal=rng.choice(["over", "exact"]),
        finish=rng.choice(["first", "all_places"]), allow_resign=seed % 2 == 0,
    )  # fmt: skip
    state = game.new_initial_state()
    texts = [state.to_text()]
    while not state.is_terminal() and len(texts) < 200:
        if state.is_chance_node():
            action = rng.randrange(6)
        else:
            action = 1 if game.options["allow_resign"] and rng.random() < 0.03 else 0
        before = state.clone()
        state.apply_action(action)
        assert before.to_text() == texts[-1]
        texts.append(state.to_text())
        assert game.from_text(texts[-1]) == state
    for copied in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state), state.clone(),
                   state_from_dict(json.loads(json.dumps(state.to_dict())))):  # fmt: skip
        assert copied == state
        assert copied.history() == state.history()
        for text in reversed(texts):
            assert copied.to_text() == text
            if copied.history():
                copied.undo_action()
    assert state.to_text() == texts[-1]


def test_accessors() -> None:
    game = new_game(players=4, finish="all_places", allow_resign=True)
    state = game.from_text("5 20#1 R 6+1 / 1 / turn")
    assert state.squares == [5, 20, None, 6]
    assert state.rests == [0, 0, 0, 1]
    assert (state.seat, state.extra_rolls, state.arrivals, state.resigned) == (0, 0, [1], [2])
    assert state.ranks() == [3, 1, 4, 2]


@pytest.mark.parametrize(
    ("options", "position", "moves", "reason"),
    [
        ({}, "17 0 / 1 / turn", "roll [3]", "goal"),
        ({"finish": "all_places"}, "17 0 / 1 / turn", "roll [3]", "goal"),
        ({"finish": "all_places", "allow_resign": True}, "20#1 0 17 / 2 / turn", "resign", "goal"),
        ({"allow_resign": True}, "17 0 / 1 / turn", "resign", "resigned"),
        ({"allow_resign": True}, "17 R 0 / 3 / turn", "resign", "resigned"),
        ({}, "17 0 / 1 / turn", "roll [1]", None),
    ],
)
def test_end_reason(options: dict[str, Any], position: str, moves: str, reason: str | None) -> None:
    state = new_game(players=len(position.split("/")[0].split()), **options).from_text(position)
    state.apply_moves(moves)
    assert state.end_reason() == reason
    assert state.to_text().endswith(" / - / over") == (reason is not None)
    assert state.game.from_text(state.to_text()).end_reason() == reason


@pytest.mark.parametrize(
    ("position", "move", "message"),
    [
        ("0 0 / 1 / turn", "[3]", "seat 1 must say roll first"),
        ("0 0 / 1 / turn", "resign", "resigning is not allowed in this game"),
        ("0 0 / 1 / dice", "roll", "the die is falling; expected [1] to [6]"),
        ("0 20#1 / - / over", "roll", "the game is over (goal)"),
        ("0 20#1 / - / over", "[3]", "the game is over (goal)"),
    ],
)
def test_illegal_moves_are_explained(position: str, move: str, message: str) -> None:
    state = new_game().from_text(position)
    with pytest.raises(IllegalActionError) as caught:
        state.string_to_action(move)
    assert message in str(caught.value)


@pytest.mark.parametrize("move", ["", "4", "[0]", "[7]", "rolls", "[1-2]", None, "[1"])
def test_no_move(move: Any) -> None:
    with pytest.raises(NotationError, match="expected roll or resign"):
        new_game().new_initial_state().string_to_action(move)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (7, "a position is a text"),
        ("0 0 / 1", "has 2 fields"),
        ("0 / 1 / turn", "expected the pieces of 2 players, not 1"),
        ("0 x / 1 / turn", "seat 2: expected a square such as 12"),
        ("0 05 / 1 / turn", "seat 2: expected a square such as 12"),
        ("0 0 / 3 / turn", "the seat to move must be 1..2"),
        ("0 0 / 0 / turn", "the seat to move must be 1..2"),
        ("0 0 / 1 / roll", "what is pending must be turn or dice"),
        ("0 0 / 1 / turn x4", "what is pending must be turn or dice"),
        ("0 21 / 1 / turn", "seat 2: square 21 is off the board, whose last square is 20"),
        ("0 20 / 1 / turn", "seat 2 stands on the goal, so it has arrived"),
        ("0 19#1 / 2 / turn", "seat 2 has arrived, so it stands on the goal, 20, not on 19"),
        ("6+2 0 / 1 / turn", "seat 1 owes 2 turns, so it cannot be to move"),
        ("0 8 / 1 / turn", "seat 2 can never stand on square 8"),
        ("0 5+1 / 1 / turn", "seat 2 can never stand on square 5 owing 1 turns"),
        ("5 0 / 1 / turn x1", "seat 1 cannot stand on square 5 after 1 extra rolls"),
        ("R 0 / 2 / turn", "seat 1 cannot have resigned"),
        ("20#2 0 / 1 / turn", "arrivals are numbered #1, #2 and so on, each once, not #2"),
        ("20#1 20#2 / 1 / turn", "the game ends at the first arrival"),
        ("20#1 0 / 2 / turn", "the game is over, so '- / over' is expected"),
        ("20#1 0 / 1 / dice", "the game is over, so '- / over' is expected"),
        ("20#1 0 / 1 / turn x1", "the game is over, so '- / over' is expected"),
        ("20#1 0 / 1 / over", "a game that is over has '-' for the seat to move, not '1'"),
        ("20#1 0 / - / turn", "the seat to move must be 1..2"),
        ("20#1 0 / - / over x1", "the seat to move must be 1..2"),
        ("0 0 / - / over", "the game is not over"),
        ("20#1 5+1 / - / over", "seat 2 can never stand on square 5 owing 1 turns"),
    ],
)
def test_impossible_positions(text: Any, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        new_game().from_text(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("20#1 20#2 20#3 / 3 / turn", "nobody is left"),
        ("R R R / - / over", "nobody is left"),
        ("20#1 20#1 0 / 1 / turn", "each once, not #1, #1"),
        ("20#1 0 5 / 1 / turn", "seat 1 is out and cannot be to move"),
        ("20#1 20#2 5 / 1 / turn", "the game is over, so '- / over' is expected"),
        ("20#1 0 5 / - / over", "the game is not over: two or more are under way"),
    ],
)
def test_impossible_positions_of_three(text: str, message: str) -> None:
    with pytest.raises(PositionError) as caught:
        new_game(players=3, finish="all_places", allow_resign=True).from_text(text)
    assert message in str(caught.value)


def test_positions_that_the_rules_show() -> None:
    path = Path(__file__).parents[3] / "docs" / "rules" / "picture_sugoroku.md"
    shown = re.findall(r"`([0-9][^`/]* / [^`]*)`", path.read_text(encoding="utf-8"))
    assert len(shown) == 3
    for text in shown:
        game = load_game("picture_sugoroku", players=len(text.split("/")[0].split()), finish="all_places")
        assert game.from_text(text).to_text() == text


WORDS = st.sampled_from(
    [
        "0",
        "1",
        "2",
        "4",
        "6",
        "6+1",
        "6+2",
        "8",
        "12",
        "17",
        "19",
        "20",
        "20#1",
        "20#2",
        "20#3",
        "21",
        "R",
        "5+1",
        "+1",
        "#",
        "99999999999",
        "٣",
        "7+3",
    ]
)
PENDING = st.sampled_from(["turn", "dice", "over", "turn x1", "dice x3", "TURN  x2", "turn x0", "", "x1", "over x1"])


@settings(max_examples=300, deadline=None)
@given(
    words=st.lists(WORDS, min_size=2, max_size=4),
    seat=st.sampled_from(["1", "2", "3", "4", "-", "0", "7", "x", "²"]),
    pending=PENDING,
    finish=st.sampled_from(["first", "all_places"]),
    allow_resign=st.booleans(),
    junk=st.text(max_size=3),
    at=st.integers(0, 40),
)
def test_any_position_reads_or_is_refused(
    words: list[str], seat: str, pending: str, finish: str, allow_resign: bool, junk: str, at: int
) -> None:
    game = new_game(players=max(2, min(6, len(words))), finish=finish, allow_resign=allow_resign)
    text = f"{' '.join(words)} / {seat} / {pending}"
    for candidate in (text, text[:at] + junk + text[at:]):
        try:
            state = game.from_text(candidate)
        except SekishoError:
            continue
        assert game.from_text(state.to_text()) == state
        if not state.is_terminal():
            assert sum(random_playouts(state, 2).mean_returns) == pytest.approx(0, abs=1e-12)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)
VALUES = st.sampled_from(
    ["roll", "resign", "[3]", "0 0 / 1 / turn", "6+2 20#1 / - / over", "over", "mix", "jump", 5, 20, True, 1.0, {}, []]
)


def changed_anywhere(data: st.DataObject, value: Any) -> Any:
    """Return a JSON value with one of its parts changed, or left out."""
    if isinstance(value, dict | list) and value and data.draw(st.integers(0, 5)):
        key = data.draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))
        value = copy.copy(value)
        if data.draw(st.integers(0, 3)) == 0:
            del value[key]
        else:
            value[key] = changed_anywhere(data, value[key])
        return value
    return data.draw(JSON | VALUES)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_any_dict_reads_or_is_refused(data: st.DataObject) -> None:
    game = new_game(
        players=data.draw(st.integers(2, 4)), finish=data.draw(st.sampled_from(["first", "all_places"])),
        allow_resign=data.draw(st.booleans()), board=data.draw(st.sampled_from([BOARD, SHIPPED[1]])),
    )  # fmt: skip
    state = game.new_initial_state()
    for choice in data.draw(st.lists(st.integers(0, 5), max_size=40)):
        if state.is_terminal():
            break
        state.apply_action(choice if state.is_chance_node() else state.legal_actions()[choice == 5 and -1])
    changed = changed_anywhere(data, json.loads(json.dumps(state.to_dict())))
    for read in (state_from_dict, game.from_dict):
        try:
            again = read(changed)
        except SekishoError:
            continue
        assert read(json.loads(json.dumps(again.to_dict()))) == again


# --- previews --------------------------------------------------------------------------------------------------------


def test_preview_of_a_roll() -> None:
    preview = new_game().from_text("7 0 / 1 / turn").preview(0)
    assert preview.text == (
        "roll from square 7\n"
        "1: to 8, back 4 to 4, roll again\n"
        "2: to 9, forward 3 to 12\n"
        "3: to 10\n"
        "4: to 11\n"
        "5: to 12\n"
        "6: to 13, jump to 8, back 4 to 4, roll again"
    )
    assert json.loads(json.dumps(preview.data)) == preview.data
    assert [face["square"] for face in preview.data["faces"]] == [4, 12, 10, 11, 12, 4]
    assert preview.data["faces"][0]["roll_again"]


def test_preview_tells_what_a_roll_does() -> None:
    rng = random.Random(5)
    for seed in range(6):
        game = new_game(board=random_board(25, 0.6, seed).to_dict(), goal=rng.choice(["over", "exact"]), players=3)
        state = game.new_initial_state()
        for _ in range(60):
            if state.is_terminal():
                break
            seat = state.seat
            faces = state.preview(0).data["faces"]
            state.apply_action(0)
            for outcome in range(6):
                told = state.preview(outcome).data
                assert {key: told[key] for key in faces[outcome]} == faces[outcome]
                after = state.child(outcome)
                assert after.squares[seat] == told["square"]
                assert told["arrives"] == (after.arrivals == [seat])
                assert told["roll_again"] == (after.extra_rolls > 0)
            state.apply_action(rng.randrange(6))


def test_preview_of_a_cancelled_roll_and_of_resigning() -> None:
    game = new_game(allow_resign=True)
    state = game.from_text("2 0 / 1 / dice x3") if (2, 3) in game.places.within else played(game, "roll [2] roll [2]")
    assert state.preview(1 if state.is_terminal() else 0).data["move"] in ("[1]", "roll")
    resigning = game.new_initial_state().preview(1)
    assert resigning.data == {"move": "resign", "end": "resigned"}
    assert resigning.text == "seat 1 resigns: seat 2 wins"
    three = new_game(allow_resign=True, players=3).new_initial_state()
    assert three.preview(1).text == "seat 1 resigns and shares the last rank"
    three.apply_moves("resign")
    assert three.preview(1).text == "seat 2 resigns and shares the last rank; the game is over"
