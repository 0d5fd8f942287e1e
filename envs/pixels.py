"""Drawings as pixels: SVG documents rasterised, once for all games."""

from __future__ import annotations

import functools
import io
from typing import Any

import numpy as np
import resvg_py
from numpy.typing import NDArray
from PIL import Image

from .errors import OptionError, shown
from .svg import FONT

MAX_WIDTH = 8192
"""Widest picture, in pixels; the rasteriser ends the process when memory runs out."""


def rasterise(svg: str, width: int) -> NDArray[np.uint8]:
    """Return an SVG document as pixels, uint8 ``[height, width, 3]``, on white.

    Args:
        svg: the document; its shape decides the height.
        width: in pixels, 1 to `MAX_WIDTH`.

    Raises:
        OptionError: for another width.
    """
    if type(width) is not int or not 1 <= width <= MAX_WIDTH:
        raise OptionError(f"the width of a picture must be 1..{MAX_WIDTH} pixels, not {shown(width)}")
    png: Any = resvg_py.svg_to_bytes(svg_string=svg, width=width, background="#ffffff")
    return np.array(Image.open(io.BytesIO(bytes(png))).convert("RGB"))


def to_png(pixels: NDArray[np.uint8]) -> bytes:
    """Return pixels, uint8 ``[height, width, 3]``, as a PNG file."""
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, format="PNG")
    return out.getvalue()


@functools.cache
def can_write(characters: str) -> bool:
    """Return whether the fonts of this machine have all of several different characters.

    A character that no font has is drawn as nothing or as the same box as any other, so two of them look alike.
    """
    looks = [_glyph(character) for character in characters]
    blank = _glyph("\N{ZERO WIDTH SPACE}")
    return len({look.tobytes() for look in (*looks, blank)}) == len(looks) + 1


def _glyph(character: str) -> NDArray[np.uint8]:
    return rasterise(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><text x="4" y="32" font-size="28" '
        f'font-family="{FONT}">{character}</text></svg>',
        40,
    )
