"""Where each number, road and throw leads: what a player may see before choosing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core import Preview
from . import kernels as compiled
from .happenings import happenings
from .phrases import tell

if TYPE_CHECKING:
    from .rules import TokaidoState


def preview(state: TokaidoState, action: int) -> Preview:
    """Return where a legal action or an outcome of `state` leads; see `TokaidoState.preview` for the data."""
    after = state.child(action)
    name, told = state.action_to_string(action), happenings(state, action)
    data = {
        "move": name,
        "seat": state.seat,
        "happenings": [happening.data() for happening in told],
        "position": after.to_text(),
        "end": after.end_reason(),
    }
    if state.is_chance_node() and action < compiled.FACES:
        numbers = [preview(after, number) for number in after.legal_actions() if number != compiled.RESIGN]
        data["numbers"] = [number.data for number in numbers]
        return Preview(
            "; ".join([f"{name}: seat {state.seat + 1} chooses", *(number.text for number in numbers)]), data
        )
    return Preview(f"{name}: {tell(told)}", data)
