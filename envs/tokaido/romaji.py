"""Pictures for machines without a Japanese font: the same ones with every Japanese word in Latin letters."""

from __future__ import annotations

import functools
import logging
from xml.etree import ElementTree

from ..pixels import can_write

_log = logging.getLogger("sekisho")
_NAMESPACE = "http://www.w3.org/2000/svg"


@functools.cache
def has_japanese_font() -> bool:
    """Return whether pictures can show Japanese; where they cannot, say so once."""
    found = can_write("東海道祭りカゴ")
    if not found:
        _log.warning(
            "sekisho: no Japanese font is installed, so pictures name the stations in Latin letters. "
            "Install one (Noto CJK, say) to see them in Japanese."
        )
    return found


def romaji_only(document: str) -> str:
    """Return an SVG document of ours with what is marked as Japanese replaced by the Latin words it carries."""
    ElementTree.register_namespace("", _NAMESPACE)
    root = ElementTree.fromstring(document)  # noqa: S314  our own document
    for element in root.iter():
        if element.attrib.pop("lang", None) == "ja":
            element.text = element.attrib.pop("data-romaji", "")
            element.attrib.pop("font-family", None)
    return ElementTree.tostring(root, encoding="unicode")
