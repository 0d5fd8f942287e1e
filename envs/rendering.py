"""Pictures of a game for whoever watches an environment."""

from __future__ import annotations

import sys
from typing import Any

from .core import State

MODES = ("human", "ansi", "rgb_array")
FRAMES_PER_SECOND = 2
"""How fast a film of a game is meant to be shown."""


class Renderer:
    """Shows positions in one of the `MODES`.

    ``ansi`` gives the drawing for a terminal; ``rgb_array`` pixels, uint8 ``[height, width, 3]``; ``human`` gives
    nothing back: it shows the picture in a window where matplotlib is installed and has a screen, else it writes the
    drawing to the standard output.
    """

    def __init__(self, mode: str | None) -> None:
        self.mode = mode
        self._image: Any = None

    def render(self, state: State) -> Any:
        """Return, or show, a picture of a position; nothing without a mode."""
        if self.mode == "ansi":
            return state.draw()
        if self.mode == "rgb_array":
            return state.draw_pixels()
        if self.mode == "human":
            pyplot = _pyplot_with_a_screen()
            if pyplot is None:
                sys.stdout.write(f"{state.draw()}\n")
                sys.stdout.flush()
            else:
                self._show(pyplot, state)
        return None

    def _show(self, pyplot: Any, state: State) -> None:
        pixels = state.draw_pixels()
        if self._image is None or not pyplot.fignum_exists(self._image.figure.number):
            figure, axes = pyplot.subplots(num=None, figsize=(8, 8 * pixels.shape[0] / pixels.shape[1]), frameon=False)
            axes.set_axis_off()
            figure.subplots_adjust(0, 0, 1, 1)
            self._image = axes.imshow(pixels)
        self._image.set_data(pixels)
        pyplot.pause(1 / FRAMES_PER_SECOND)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._image is not None:
            import matplotlib.pyplot as pyplot

            pyplot.close(self._image.figure)
            self._image = None

    def __getstate__(self) -> dict[str, Any]:
        return {"mode": self.mode, "_image": None}  # a window cannot be copied


def _pyplot_with_a_screen() -> Any:
    """Return matplotlib's pyplot if it can show windows here, else None."""
    try:
        import matplotlib as mpl
        import matplotlib.pyplot as pyplot
    except ImportError:
        return None
    return pyplot if mpl.get_backend().lower() in mpl.rcsetup.interactive_bk else None
