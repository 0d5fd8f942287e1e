"""Symmetries hold in the rules: playing and turning commute, and what is seen turns likewise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sekisho.agents.networks.symmetries import symmetries_of
from sekisho.envs import load_game
from sekisho.envs.core import Game
from sekisho.envs.kernels import TERMINAL
from sekisho.envs.picture_sugoroku import kernels as picture
from sekisho.envs.quoridor import kernels as quoridor
from sekisho.envs.tokaido import kernels as tokaido
from support.option_sets import OPTION_SETS
from support.positions import random_decisions

BOARDS = [options for options in OPTION_SETS["quoridor"] if options.get("players", 2) == 2]
TABLES = [(name, options) for name in ("tokaido", "picture_sugoroku") for options in OPTION_SETS[name]]


def mirrored(game: Game, words: NDArray[np.int64]) -> NDArray[np.int64]:
    """A position of Quoridor with left and right exchanged."""
    size, out = game.options["board_size"], game.new_initial_state().words.copy()
    out[quoridor.PAWN : quoridor.WALLS] = words[quoridor.PAWN : quoridor.WALLS]
    for word in (quoridor.HORIZONTAL, quoridor.VERTICAL):
        for bit in range(64):
            if int(words[word]) >> bit & 1:
                quoridor.place_fence(out, word == quoridor.VERTICAL, bit // 8 * 8 + size - 2 - bit % 8)
    for seat in range(2):
        rank, file = divmod(int(words[quoridor.PAWN + seat]), 9)
        out[quoridor.PAWN + seat] = 9 * rank + size - 1 - file
    return out


def mirrored_action(size: int, action: int) -> int:
    """An action with left and right exchanged."""
    if action < size * size:
        return action // size * size + size - 1 - action % size
    orientation, anchor = divmod(action - size * size, (size - 1) ** 2)
    rank, file = divmod(anchor, size - 1)
    return size * size + orientation * (size - 1) ** 2 + rank * (size - 1) + size - 2 - file


def seen(game: Game, words: NDArray[np.int64], seat: int) -> NDArray[Any]:
    out = np.zeros(int(np.prod(game.observation_shape)), np.float32)
    game.kernels.observe(game.rules, words, seat, out)
    return out


def legal(game: Game, words: NDArray[np.int64]) -> NDArray[np.int8]:
    mask = np.zeros(game.num_actions, np.int8)
    game.kernels.legal(game.rules, words, mask)
    return mask


@pytest.mark.parametrize("options", BOARDS)
def test_a_mirror_changes_nothing_in_quoridor(options: dict[str, Any]) -> None:
    game = load_game("quoridor", **options)
    (mirror,) = symmetries_of(game)
    rng = np.random.default_rng(4)
    for position, seat in zip(*random_decisions(game, 60, seed=3), strict=True):
        other = mirrored(game, position)
        np.testing.assert_array_equal(
            mirror.observations(seen(game, position, seat)[None]), seen(game, other, seat)[None]
        )
        mask, views = legal(game, position), game.action_views[seat]
        np.testing.assert_array_equal(mask[views][mirror.actions], legal(game, other)[views])
        action = int(rng.choice(np.flatnonzero(mask)))
        after, there = position.copy(), other.copy()
        game.kernels.apply(game.rules, after, action)
        game.kernels.apply(game.rules, there, mirrored_action(game.options["board_size"], action))
        np.testing.assert_array_equal(mirrored(game, after), there)


def turned(game: Game, words: NDArray[np.int64], seats: int) -> NDArray[np.int64]:
    """A position of a sugoroku in which everybody sits so many seats farther on."""
    module, out = (tokaido, words.copy()) if game.name == "tokaido" else (picture, words.copy())
    first = [tokaido.SPOT, tokaido.RESTS] if module is tokaido else [picture.SQUARE, picture.RESTS, picture.PLACE]
    for word in first:
        out[word : word + game.num_players] = np.roll(words[word : word + game.num_players], seats)
    out[module.SEAT] = (words[module.SEAT] + seats) % game.num_players
    if game.kernels.to_move(game.rules, words) == TERMINAL:
        out[module.SEAT] = 0  # it is nobody's turn
    return out


@pytest.mark.parametrize(("name", "options"), TABLES)
def test_where_somebody_sits_changes_nothing_in_a_sugoroku(name: str, options: dict[str, Any]) -> None:
    game = load_game(name, **options)
    found = symmetries_of(game)
    assert len(found) == game.num_players - 1
    rng = np.random.default_rng(4)
    values = np.arange(len(found[0].seats))
    for position, seat in zip(*random_decisions(game, 40, seed=3), strict=True):
        for by, rotation in enumerate(found, start=1):
            farther = (seat + by) % game.num_players
            looked = rotation.observations(seen(game, position, seat)[None])[0]
            np.testing.assert_array_equal(looked, seen(game, position, farther))
            other = turned(game, position, -by)
            np.testing.assert_array_equal(looked, seen(game, other, seat))
            # What was the value of the seat `place` after the one that looked is now that of one `by` seats nearer.
            assert values[rotation.seats][0] == by
            np.testing.assert_array_equal(rotation.actions, np.arange(game.num_actions))
            action = int(rng.choice(np.flatnonzero(legal(game, position))))
            after = position.copy()
            game.kernels.apply(game.rules, after, action)
            game.kernels.apply(game.rules, other, action)
            np.testing.assert_array_equal(turned(game, after, -by), other)


def test_four_players_have_no_mirror() -> None:
    assert symmetries_of(load_game("quoridor", players=4)) == ()
