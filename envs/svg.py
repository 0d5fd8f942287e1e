"""The little that the pictures of all games need to write SVG."""

from __future__ import annotations

from xml.etree import ElementTree

Element = ElementTree.Element
Style = dict[str, str | float]
"""Attributes of an element by name, as `element` takes them."""

FONT = "Verdana, 'DejaVu Sans', 'Noto Sans', 'Liberation Sans', Geneva, Arial, Helvetica, sans-serif"
CAP_HEIGHT = 0.73  # of a capital letter or digit in these fonts, in font sizes


def element(tag: str, *content: Element | str | None, **attributes: str | float) -> Element:
    """Return an element.

    Args:
        tag: its name.
        content: what it contains: elements, or its text as a string; None is left out.
        attributes: by name; an underscore stands for a hyphen, and one at the end (``class_``) is dropped.
    """
    made = ElementTree.Element(tag)
    for name, value in attributes.items():
        made.set(name.rstrip("_").replace("_", "-"), value if isinstance(value, str) else _number(value))
    for item in content:
        if isinstance(item, str):
            made.text = item
        elif item is not None:
            made.append(item)
    return made


def group(*content: Element | None, at: tuple[float, float] = (0, 0), **attributes: str | float) -> Element:
    """Return a group of elements whose coordinates count from `at`."""
    if at != (0, 0):
        attributes["transform"] = f"translate({_number(at[0])} {_number(at[1])})"
    return element("g", *content, **attributes)


def label(words: str, x: float, y: float, size: float, **attributes: str | float) -> Element:
    """Return a line of text whose capitals are centred on the height `y`, whatever the viewer makes of baselines."""
    return element("text", words, x=x, y=y + CAP_HEIGHT * size / 2, font_size=size, **attributes)


def linear_gradient(name: str, way: tuple[int, int, int, int], *stops: tuple[float, str, float]) -> Element:
    """Return a gradient between two corners (x1, y1, x2, y2) of a unit box.

    Args:
        name: its id.
        way: the line along which it runs.
        stops: place from 0 to 1, colour and opacity.
    """
    x1, y1, x2, y2 = way
    return element("linearGradient", *map(_stop, stops), id=name, x1=x1, y1=y1, x2=x2, y2=y2)


def radial_gradient(name: str, centre: tuple[float, float], *stops: tuple[float, str, float]) -> Element:
    """Return a gradient around a point of a unit box; see `linear_gradient`."""
    return element("radialGradient", *map(_stop, stops), id=name, cx=centre[0], cy=centre[1], r=0.75)


def document(width: float, height: float, title: str, description: str, *content: Element) -> str:
    """Return a whole SVG document; a screen reader announces it as one image with this title and description."""
    root = element(
        "svg",
        element("title", title),
        element("desc", description),
        *content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_number(width)} {_number(height)}",
        width=width,
        height=height,
        role="img",
        font_family=FONT,
    )
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _stop(stop: tuple[float, str, float]) -> Element:
    place, colour, opacity = stop
    return element("stop", offset=place, stop_color=colour, stop_opacity=opacity)


def _number(value: float) -> str:
    return f"{round(value, 2):g}"
