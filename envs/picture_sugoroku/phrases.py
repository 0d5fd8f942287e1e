"""Words for people in English, Spanish, Bengali and Japanese, for the journal and the drawings."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from ..errors import UnknownNameError, nearest

LANGUAGES = ("en", "es", "bn", "ja")


class Phrases:
    """The phrases of one language.

    Args:
        language: one of `LANGUAGES`.

    Raises:
        UnknownNameError: for another one.
    """

    def __init__(self, language: str) -> None:
        if language not in LANGUAGES:
            raise UnknownNameError(
                f"there are no phrases in {language!r:.40}; {nearest(str(language)[:40], LANGUAGES)}"
            )
        self.language = language
        self._phrases = _all_phrases()[language]
        self._digits = str.maketrans("0123456789", self._phrases["digits"])

    def say(self, key: str, **values: Any) -> str:
        """Return a phrase with its values; numbers are written in the language's digits."""
        phrase: str = self._phrases[key]
        return phrase.format(**{name: self._spell(value) for name, value in values.items()})

    def caption(self, kind: str) -> str:
        """Return the short word for a kind of square, or for ``start`` or ``goal``."""
        caption: str = self._phrases["captions"][kind]
        return caption

    def place(self, square: int, goal: int) -> str:
        """Return the words for a square of a board with that goal."""
        if square in (0, goal):
            return self.say("goal" if square else "start")
        return self.say("square", number=square)

    def _spell(self, value: Any) -> str:
        return str(value).translate(self._digits) if isinstance(value, int) else str(value)


@functools.cache
def _all_phrases() -> dict[str, dict[str, Any]]:
    phrases: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("phrases.json").read_text("utf-8"))
    return phrases
