"""The conversation on the documentation page is what the engine says."""

from __future__ import annotations

import re
from pathlib import Path

from sekisho.serving.engine import Engine

PAGE = (Path(__file__).resolve().parent.parent.parent / "docs" / "engine.md").read_text(encoding="utf-8")


def pattern(line: str) -> str:
    return ".+".join(map(re.escape, line.split("…")))


def test_the_conversation_is_as_it_is_shown() -> None:
    (talk,) = re.findall(r"^```text\n(> ugi\n.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    said: list[str] = []
    engine, position = Engine(said.extend), 0
    for line in talk.splitlines():
        kind, _, text = line.partition(" ")
        if kind == ">":
            assert position == len(said), said[position:]
            engine.obey(text)
            job = engine._job
            if job is not None:
                job.wait(300)
        else:
            assert kind == "<"
            assert re.fullmatch(pattern(text), said[position]), (text, said[position])
            position += 1
    assert position == len(said)


def test_every_command_and_option_has_its_place_on_the_page() -> None:
    engine = Engine(lambda _lines: None)
    for word in engine._does:
        assert re.search(rf"`{word}\b", PAGE), word
    for option in engine._settings._setters:
        assert re.search(rf"^\| `{option}` \|", PAGE, re.MULTILINE | re.IGNORECASE), option
