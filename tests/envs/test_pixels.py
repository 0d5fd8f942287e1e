"""Drawings as pixels: every game, and Tokaido where no Japanese font is installed."""

from __future__ import annotations

import logging
import re

import numpy as np
import pytest

from sekisho.envs import game_names, load_game
from sekisho.envs.errors import OptionError
from sekisho.envs.pixels import can_write, rasterise
from sekisho.envs.tokaido import romaji


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_a_picture_of_the_width_asked_for(name: str) -> None:
    picture = load_game(name).new_initial_state().draw_pixels(width=400)
    assert picture.dtype == np.uint8
    assert picture.shape[1:] == (400, 3)
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20


@pytest.mark.parametrize("width", [0, -1, 100_000])
def test_a_picture_needs_a_width_that_fits_into_memory(width: int) -> None:
    with pytest.raises(OptionError, match=f"1..8192 pixels, not {width}"):
        rasterise("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'/>", width)


def test_characters_that_no_font_has_cannot_be_written() -> None:
    assert not can_write("\U000f0001\U000f0002")


def test_without_a_japanese_font_the_stations_are_named_in_latin_letters_and_it_is_said_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(romaji, "can_write", lambda _characters: False)
    romaji.has_japanese_font.cache_clear()
    state = load_game("tokaido").new_initial_state()
    with caplog.at_level(logging.WARNING, logger="sekisho"):
        state.draw_pixels(width=200)
        state.draw_pixels(width=200)
    romaji.has_japanese_font.cache_clear()
    assert [record.message.count("no Japanese font") for record in caplog.records] == [1]


def test_the_latin_picture_has_no_japanese_left_and_every_station() -> None:
    state = load_game("tokaido").new_initial_state()
    state.apply_moves("[2-5] 5")
    document = romaji.romaji_only(state.draw_svg())
    drawn = re.sub(r"<(title|desc)>.*?</\1>", "", document, flags=re.DOTALL)
    assert not re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", drawn)
    for name in ("Nihonbashi", "Hakone", "Kyoto", "Yumoto", "festival", "fork"):
        assert name in drawn
