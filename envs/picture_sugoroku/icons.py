"""Small pictures of which the SVG drawing is made, each around the origin and about 30 units wide."""

from __future__ import annotations

import unicodedata
from html import escape

INK = "#2b2a33"
GOOD, BAD, CALM, LUCK = "#3f7d4e", "#c2412d", "#3f5f94", "#b0791a"
KIND_COLOURS = {
    "forward": GOOD,
    "back": BAD,
    "rest": CALM,
    "roll_again": LUCK,
    "to_start": BAD,
}
SEAT_COLOURS = ("#c8372d", "#2f5fa8", "#2f8a57", "#d3972b", "#7c4a9c", "#3f3f46")
FONT = "'Noto Serif','Noto Serif Bengali','Noto Serif JP','Noto Sans Bengali','Noto Sans CJK JP',Georgia,serif"


def text(
    x: float, y: float, size: float, words: str, *, colour: str = INK, anchor: str = "middle", bold: bool = False
) -> str:
    """Return a line of text; `words` may hold any characters."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}" fill="{colour}"{weight}>'
        f"{escape(words)}</text>"
    )


def fitting(words: str, size: float, width: float) -> float:
    """Return the font size, at most `size`, at which a line is about `width` wide at most."""
    letters = sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1.15 for letter in words)
    return min(size, width / max(1.0, 0.5 * letters))


def moved(x: float, y: float, content: str, scale: float = 1) -> str:
    """Return a picture at another place."""
    size = "" if scale == 1 else f" scale({scale:g})"
    return f'<g transform="translate({x:.1f} {y:.1f}){size}">{content}</g>'


def instruction_icon(kind: str, number: int, colour: str, ahead: int) -> str:
    """Return the picture of an instruction; `ahead` is 1 where the path runs to the right, else -1."""
    if kind in ("forward", "back"):
        way = ahead if kind == "forward" else -ahead
        sign = f"+{number}" if kind == "forward" else f"−{number}"
        return _chevrons(colour, way) + text(-9 * way, 8, 23, sign, colour=colour, bold=True)
    if kind == "rest":
        return "".join(moved(x, 3, _cup(colour), 0.9) for x in ((0,) if number == 1 else (-14, 16)))
    if kind == "roll_again":
        return die(5, colour)
    if kind == "to_start":
        return _house(colour)
    return _leap(colour) + text(15, 8, 21, str(number), colour=colour, bold=True)


def _chevrons(colour: str, way: int) -> str:
    points = "".join(f"M{(18 + x) * way} -7 l{7 * way} 7 l{-7 * way} 7" for x in (0, 7))
    return (
        f'<path d="{points}" fill="none" stroke="{colour}" stroke-width="3.2" stroke-linecap="round" '
        f'stroke-linejoin="round"/>'
    )


def _cup(colour: str) -> str:
    return (
        f'<path d="M-11 -2 h20 q0 14 -7 14 h-6 q-7 0 -7 -14 z M9 1 q7 -1 5 5 q-1 3 -7 3" fill="{colour}" '
        f'fill-opacity=".2" stroke="{colour}" stroke-width="2.2"/>'
        f'<path d="M-5 -6 q3 -3 0 -6 t0 -6 M3 -6 q3 -3 0 -6 t0 -6" fill="none" '
        f'stroke="{colour}" stroke-width="1.8" stroke-linecap="round"/>'
    )


def _house(colour: str) -> str:
    return (
        f'<path d="M-18 0 L0 -16 L18 0 M-13 -3 V13 H13 V-3" fill="{colour}" fill-opacity=".15" '
        f'stroke="{colour}" stroke-width="2.6" stroke-linejoin="round" stroke-linecap="round"/>'
        f'<path d="M-4 13 V3 H4 V13" fill="{colour}"/>'
    )


def _leap(colour: str) -> str:
    return (
        f'<path d="M-30 9 Q-22 -18 -7 1" fill="none" stroke="{colour}" stroke-width="3" stroke-linecap="round"/>'
        f'<path d="M-3 8 l-11 -4 l7 -7 z" fill="{colour}"/>'
    )


_PIPS = ("", "5", "19", "159", "1379", "13579", "134679")  # as on a keypad, 5 in the middle


def die(pips: int, colour: str = INK) -> str:
    """Return a die that shows `pips`; with 0 it shows nothing, because it is still falling."""
    dots = "".join(
        f'<circle cx="{7.5 * (key % 3 - 1):g}" cy="{7.5 * (key // 3 - 1):g}" r="2.8" fill="{colour}"/>'
        for key in (int(digit) - 1 for digit in _PIPS[pips])
    )
    tilt = "" if pips else ' transform="rotate(18)"'
    return (
        f'<rect x="-15" y="-15" width="30" height="30" rx="7" fill="#fffdf6" stroke="{colour}" stroke-width="2.4"'
        f"{tilt}/>{dots}"
    )


def pawn(seat: int, out: bool = False) -> str:
    """Return the piece of a seat, 34 units high, standing on the origin."""
    colour = SEAT_COLOURS[seat]
    return (
        f'<g opacity="{0.4 if out else 1}"><ellipse cy="0" rx="12" ry="3.4" fill="#000" opacity=".18"/>'
        f'<path d="M-11 0 Q-10 -17 -4 -19 H4 Q10 -17 11 0 Z" fill="{colour}" stroke="#fff" stroke-width="1.6"/>'
        f'<circle cy="-25" r="8" fill="{colour}" stroke="#fff" stroke-width="1.6"/>'
        f"{text(0, -4, 12, str(seat + 1), colour='#fff', bold=True)}</g>"
    )


def torii(colour: str) -> str:
    """Return the gate that stands on the goal."""
    return (
        f'<path d="M-25 -17 Q0 -11 25 -17 V-11 Q0 -6 -25 -11 Z M-18 -9 h5 V18 h-5 Z M13 -9 h5 V18 h-5 Z '
        f'M-19 -3 H19 V1 H-19 Z" fill="{colour}"/>'
    )


def season(quarter: int) -> str:
    """Return an ornament for a quarter of the way: a plum blossom, waves, a ginkgo leaf, a snow crystal."""
    if quarter == 0:
        petals = "".join(f'<circle cy="-9" r="7" transform="rotate({72 * turn})"/>' for turn in range(5))
        return f'<g fill="#e79aa4">{petals}<circle r="4" fill="#fff6d8"/></g>'
    if quarter == 1:
        waves = "".join(
            f'<path d="M{x - 8} {y} a8 8 0 0 1 16 0 M{x - 4} {y} a4 4 0 0 1 8 0"/>'
            for x, y in ((-8, 8), (8, 8), (0, 0))
        )
        return f'<g fill="none" stroke="#5b9aa8" stroke-width="2">{waves}</g>'
    if quarter == 2:
        return (
            '<path d="M0 15 Q-2 6 -17 -1 Q-16 -13 -2 -12 L0 -6 L2 -12 Q16 -13 17 -1 Q2 6 0 15 Z" fill="#dd9a35"/>'
            '<path d="M0 15 V-4" stroke="#b5741c" stroke-width="1.6"/>'
        )
    arms = "".join(f'<path d="M0 0 V-15 M-4 -12 L0 -8 L4 -12" transform="rotate({60 * turn})"/>' for turn in range(6))
    return f'<g fill="none" stroke="#7f9cc4" stroke-width="2" stroke-linecap="round">{arms}</g>'
