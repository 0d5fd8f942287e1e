"""Pictures of picture sugoroku positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .rules import PictureState


def draw_text(state: PictureState) -> str:
    """Return the position as text."""
    return state.to_text()


def draw_svg(state: PictureState) -> str:
    """Return the position as an SVG document."""
    return f'<svg xmlns="http://www.w3.org/2000/svg"><text>{state.to_text()}</text></svg>'
