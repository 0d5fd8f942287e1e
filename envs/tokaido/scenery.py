"""The landscape behind the road: Mount Fuji with the sun, pines, and the sea at the ferries."""

from __future__ import annotations

from ..svg import Element, Style, element, group

SNOW, SLOPE, SLOPE_FOOT = "#fffdf6", "#6f8fb3", "#d7dfe2"
SUN, MIST, PINE, TRUNK, WAVE = "#d9634a", "#fffaf0", "#6d8f68", "#8a6d4b", "#8fb4c9"


def fuji(x: float, y: float) -> Element:
    """Return Mount Fuji; (x, y) is the middle of its foot."""
    return group(
        element("circle", cx=120, cy=-72, r=17, fill=SUN, fill_opacity=0.85),
        element(
            "path", d="M-190 0C-90 -22 -50 -70 -22 -98Q0 -104 22 -98C50 -70 90 -22 190 0Z", fill="url(#tokaido-fuji)"
        ),
        element(
            "path",
            d="M-44 -73Q-30 -88 -22 -98Q0 -104 22 -98Q30 -88 44 -73L31 -79L22 -64L11 -78L0 -58L-10 -77L-21 -63L-30 -79Z",
            fill=SNOW,
        ),
        *(_mist(at, height, width) for at, height, width in ((-96, -26, 150), (60, -40, 120), (20, -10, 210))),
        at=(x, y),
        class_="fuji",
    )


def _mist(x: float, y: float, width: float) -> Element:
    return element("rect", x=x - width / 2, y=y, width=width, height=9, rx=4.5, fill=MIST, fill_opacity=0.8)


def pines(x: float, y: float, count: int, step: float = 34) -> Element:
    """Return a row of roadside pines; (x, y) is the foot of the first."""
    return group(*(_pine(step * index, 1 if index % 2 else 0.8) for index in range(count)), at=(x, y), class_="pines")


def _pine(x: float, scale: float) -> Element:
    crowns = ((0, -40, 13), (-8, -29, 15), (9, -23, 15))
    leaves: Style = {"fill": PINE, "fill_opacity": 0.75}
    return element(
        "g",
        element(
            "path", d="M0 0C4 -12 -5 -22 1 -40", fill="none", stroke=TRUNK, stroke_width=3.5, stroke_linecap="round"
        ),
        *(element("ellipse", cx=cx, cy=cy, rx=rx, ry=rx * 0.42, **leaves) for cx, cy, rx in crowns),
        transform=f"translate({x:g} 0) scale({scale:g})",
    )


def sea(x: float, y: float, columns: int, rows: int, radius: float = 16) -> Element:
    """Return waves like overlapping scales; (x, y) is their upper left corner."""
    waves = []
    for row in range(rows):
        for column in range(columns - row % 2):
            at = (column * 2 + 1 + row % 2) * radius, (row + 2) * radius * 0.62
            arcs = (
                element("path", d=f"M{-r:g} 0A{r:g} {r:g} 0 0 1 {r:g} 0", fill=MIST if r == radius else "none")
                for r in (radius, radius * 0.66, radius * 0.33)
            )
            waves.append(group(*arcs, at=at))
    return group(*waves, at=(x, y), stroke=WAVE, stroke_width=1.4, stroke_opacity=0.75, fill_opacity=0.5, class_="sea")
