"""Pictures of Quoridor: what they contain, and that they stay as they are.

The golden files in ``tests/data/golden`` hold pictures that were looked at. After a wanted change, write them anew with

    python tests/envs/quoridor/test_drawing.py --regenerate

and look at them again before committing.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sekisho.envs.quoridor.drawing import FENCE, LAST_FENCE, MOST_PLANKS, SEAT_COLOURS
from sekisho.envs.quoridor.rules import Quoridor, QuoridorState, is_goal
from sekisho.envs.quoridor.view import view_of

GOLDEN = Path(__file__).resolve().parents[2] / "data" / "golden"
SVG = "{http://www.w3.org/2000/svg}"
BOARDS = [(size, players) for size in range(3, 10) for players in (2, 4)]


def played(moves: str, **options: object) -> QuoridorState:
    state = Quoridor(**options).new_initial_state()
    state.apply_moves(moves)
    return state


def random_states(size: int, players: int, games: int = 4) -> list[QuoridorState]:
    """Return the last two positions of random games of random length; about every other move is a fence."""
    states = []
    for seed in range(games):
        rng = random.Random(f"{size} {players} {seed}")
        state = Quoridor(board_size=size, players=players, fences=size // 2 + 1, max_plies=60).new_initial_state()
        for _ in range(rng.randrange(1, 60)):
            if state.is_terminal():
                break
            legal = state.legal_actions()
            fences = [action for action in legal if action >= size * size]
            state.apply_action(rng.choice(fences if fences and rng.random() < 0.5 else legal))
        before = state.clone()
        before.undo_action()
        states += [before, state]
    return states


def shapes(picture: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [shape for shape in picture.iter() if kind in shape.get("class", "").split()]


def texts(state: QuoridorState) -> list[str]:
    return [label.text or "" for label in ElementTree.fromstring(state.draw_svg()).iter(f"{SVG}text")]


def golden_states() -> dict[str, QuoridorState]:
    return {
        "start": Quoridor().new_initial_state(),
        "fences": played("e2 e8 e3 e7 e4 e6 a4h b4v e5h f6v d4 d6 d5 c2h d7 h3h d8 g4v e1v"),
        "four": played("b2 b3 c3v c2 a1h c3", board_size=4, players=4, fences=2),
    }


# --- both forms ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", golden_states())
@pytest.mark.parametrize("kind", ["txt", "svg"])
def test_golden(name: str, kind: str) -> None:
    state = golden_states()[name]
    picture = state.draw() + "\n" if kind == "txt" else state.draw_svg()
    assert picture == (GOLDEN / f"quoridor_{name}.{kind}").read_text(encoding="utf-8")


@pytest.mark.parametrize(("size", "players"), BOARDS)
def test_drawing_leaves_the_state_alone(size: int, players: int) -> None:
    for state in random_states(size, players):
        before, words, history, legal = state.to_dict(), state.words.copy(), state.history(), state.legal_actions()
        assert state.draw() == state.draw()
        assert state.draw_svg() == state.draw_svg()
        assert (state.words == words).all()
        assert (state.to_dict(), state.history(), state.legal_actions()) == (before, history, legal)


@pytest.mark.parametrize(("size", "players"), BOARDS)
def test_the_sides_shown_are_those_of_the_rules(size: int, players: int) -> None:
    middle = size // 2
    ends = [(middle, size - 1), (size - 1, middle), (middle, 0), (0, middle)]
    for seat in view_of(Quoridor(board_size=size, players=players).new_initial_state()).seats:
        assert is_goal(ends[seat.side], seat.number - 1, size, players)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (Quoridor().new_initial_state(), ["Seat 1 to move", "Last move: none yet", "0 plies played"]),
        (played("e2"), ["Seat 2 to move", "Last move: seat 1, pawn e1 to e2", "1 ply played"]),
        (played("e2 e3h"), ["Seat 1 to move", "Last move: seat 2, fence e3h"]),
        (played("b2 a3 b3", board_size=3, fences=0), ["Seat 1 has won", "Last move: seat 1, pawn b2 to b3"]),
        (played("a1 a3", board_size=3, max_plies=2), ["Draw by ply limit", "2 plies played"]),
        (Quoridor().from_text("/ / e4 e6 / 10 10 / 2 / 7"), ["Seat 2 to move", "Last move: not known"]),
    ],
)
def test_what_is_said(state: QuoridorState, words: list[str]) -> None:
    for line in words:
        assert line in state.draw()
        assert line in texts(state)


def test_repetition_is_said() -> None:
    state = played("e2 e8 e1 e9 " * 2, repetition=3)
    assert "Draw by repetition" in state.draw()
    assert "Draw by repetition" in texts(state)


def test_a_pass_is_said() -> None:
    """c2 lies between two fences, before it stand two pawns, and no fence fits any more."""
    state = played("b2 b1h b2h c2", board_size=3, players=4, fences=1)
    assert "Last move: seat 4, pass (no move)" in state.draw()
    assert "Last move: seat 4, pass (no move)" in texts(state)


# --- text ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "players"), BOARDS)
def test_text_fits_a_terminal(size: int, players: int) -> None:
    for state in random_states(size, players):
        lines = state.draw().split("\n")
        assert max(map(len, lines)) <= 80
        assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize(("size", "players"), BOARDS)
def test_text_shows_every_fence_and_pawn(size: int, players: int) -> None:
    for state in random_states(size, players):
        board = "\n".join(line[: 4 * size + 3] for line in state.draw().split("\n")[: 2 * size + 1])
        lying, upright = (sum(map(board.count, pair)) for pair in zip(FENCE, LAST_FENCE, strict=True))
        assert (lying, upright) == (7 * len(state.horizontal_fences), 3 * len(state.vertical_fences))
        for seat, (file, rank) in enumerate(state.pawns):
            assert board.split("\n")[2 * (size - 1 - rank) + 1][4 * file + 4] == str(seat + 1)


def test_text_marks_the_last_move() -> None:
    assert "[1]" in played("e2").draw()
    fence_last = played("e2 e3h").draw()
    assert "[" not in fence_last
    assert fence_last.count("═") == 7


def test_text_with_as_many_fences_as_can_be() -> None:
    lines = Quoridor(fences=1000, players=4).new_initial_state().draw().split("\n")
    assert max(map(len, lines)) <= 100
    assert sum("1000" in line for line in lines) == 4


# --- SVG -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "players"), BOARDS)
def test_svg_shows_everything(size: int, players: int) -> None:
    for state in random_states(size, players):
        picture = ElementTree.fromstring(state.draw_svg())
        assert picture.tag == f"{SVG}svg"
        assert len(list(picture.iter(f"{SVG}use"))) == size * size
        assert len(shapes(picture, "fence")) == len(state.horizontal_fences) + len(state.vertical_fences)
        assert len(shapes(picture, "plank")) == sum(state.fences_left)
        assert len(shapes(picture, "pawn")) == 2 * players  # on the board and in the panel
        assert len(shapes(picture, "goal")) == players
        assert state.to_text() in (picture.findtext(f"{SVG}desc") or "")


@pytest.mark.parametrize(("size", "players"), BOARDS)
def test_svg_shows_the_last_move(size: int, players: int) -> None:
    for state in random_states(size, players):
        picture = ElementTree.fromstring(state.draw_svg())
        fence = state.moves()[-1][-1] in "hv" if state.history() else False
        assert len(shapes(picture, "last")) == fence
        assert len(shapes(picture, "way")) == (bool(state.history()) and not fence)


@pytest.mark.parametrize("state", golden_states().values(), ids=golden_states())
def test_svg_stands_alone(state: QuoridorState) -> None:
    picture = ElementTree.fromstring(state.draw_svg())
    assert {shape.tag.removeprefix(SVG) for shape in picture.iter()} <= {
        *("svg", "title", "desc", "defs", "linearGradient", "radialGradient", "stop"),
        *("g", "rect", "circle", "path", "text", "use"),
    }
    defined = {shape.get("id") for shape in picture.iter() if shape.get("id")}
    values = [value for shape in picture.iter() for value in shape.attrib.values()]
    used = {value[5:-1] for value in values if value.startswith("url(#")} | {v[1:] for v in values if v[:2] == "#q"}
    assert used <= defined


def test_svg_draws_few_planks_however_many_fences() -> None:
    state = Quoridor(fences=1000).new_initial_state()
    assert len(shapes(ElementTree.fromstring(state.draw_svg()), "plank")) == 2 * MOST_PLANKS
    assert texts(state).count("1000") == 2


def test_svg_highlights_in_the_colour_of_the_mover() -> None:
    picture = ElementTree.fromstring(played("e2 e3h").draw_svg())
    (last,) = shapes(picture, "last")
    assert SEAT_COLOURS[1] in {rect.get("stroke") for rect in last}


def regenerate() -> None:
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, state in golden_states().items():
        (GOLDEN / f"quoridor_{name}.txt").write_text(state.draw() + "\n", encoding="utf-8", newline="\n")
        (GOLDEN / f"quoridor_{name}.svg").write_text(state.draw_svg(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    if sys.argv[1:] != ["--regenerate"]:
        sys.exit(__doc__)
    regenerate()
