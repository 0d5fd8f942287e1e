"""What a roll would do, before it is made: in words and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core import Preview
from . import kernels as compiled
from .walks import FACES, MAX_EXTRA_ROLLS, Step, Walk

if TYPE_CHECKING:
    from .rules import PictureState


def preview(state: PictureState, action: int) -> Preview:
    """Return what a legal action or outcome does.

    For ``roll`` the data has ``move``, ``from`` (the square) and ``faces``: for each of the six, in order, its
    ``face``, ``probability``, ``square`` reached, ``rests`` owed then, ``arrives``, ``roll_again`` (whether another
    roll is granted), ``cancelled`` (whether one is refused because the turn has had its share), and ``steps``: a list
    of ``kind``, ``number``, ``from``, ``to``, ``bounced``. For a fall of the die it is one of these with ``move``; for
    ``resign`` it is ``move`` and ``end`` (the reason if it ends the game, else None).
    """
    move = state.action_to_string(action)
    if state.is_chance_node():
        data = _face_data(state, action)
        return Preview(f"{move}: {_in_words(state, state.walk(action))}", {"move": move, **data})
    if action == compiled.RESIGN:
        end = state.child(action).end_reason()
        if state.game.num_players == 2:
            meaning = f"resigns: seat {2 - state.seat} wins"
        else:
            meaning = "resigns and shares the last rank" + ("; the game is over" if end else "")
        return Preview(f"seat {state.seat + 1} {meaning}", {"move": move, "end": end})
    square = state.squares[state.seat]
    lines = [f"{face}: {_in_words(state, state.walk(face - 1))}" for face in FACES]
    faces = [_face_data(state, outcome) for outcome in range(compiled.NUM_FACES)]
    return Preview(f"roll from square {square}\n" + "\n".join(lines), {"move": move, "from": square, "faces": faces})


def _face_data(state: PictureState, outcome: int) -> dict[str, Any]:
    walk = state.walk(outcome)
    has_more = state.extra_rolls < MAX_EXTRA_ROLLS
    return {
        "face": outcome + 1,
        "probability": 1 / compiled.NUM_FACES,
        "square": walk.square,
        "rests": walk.rests,
        "arrives": walk.square == state.game.board.goal,
        "roll_again": walk.again and has_more,
        "cancelled": walk.again and not has_more,
        "steps": [
            {"kind": step.kind, "number": step.number, "from": step.start, "to": step.end, "bounced": step.bounced}
            for step in walk.steps
        ],
    }


def _in_words(state: PictureState, walk: Walk) -> str:
    """Return one roll in words, such as ``to 8, back 3 to 5``."""
    goal = state.game.board.goal
    words = ", ".join(_step_in_words(step, goal) for step in walk.steps)
    if walk.again and state.extra_rolls >= MAX_EXTRA_ROLLS:
        return f"{words}, but {MAX_EXTRA_ROLLS} extra rolls are the most in a turn"
    return f"{words}, where it stays" if walk.unfollowed else words


def _step_in_words(step: Step, goal: int) -> str:
    if step.kind == "rest":
        return f"rest {step.number} turn{'s' if step.number > 1 else ''}"
    if step.kind == "roll_again":
        return "roll again"
    where = "the goal" if step.end == goal else f"{step.end}"
    where = f"{where} (back from the goal)" if step.bounced else where
    told = {
        "roll": f"to {where}",
        "forward": f"forward {step.number} to {where}",
        "back": f"back {step.number} to {where}",
        "to_start": "back to the start",
        "jump": f"jump to {where}",
    }
    return told[step.kind]
