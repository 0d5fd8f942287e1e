"""Simple policies against each other: games over the kernels against exact values worked out over the rule book."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from reference.tokaido import Tokaido as RuleBook
from sekisho.envs import load_game
from sekisho.envs.compiling import kernel
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.kernels import CHANCE, TERMINAL
from sekisho.envs.tokaido import kernels as tokaido

GAMES = 1_000_000


# --- exact, over the slow rule book ------------------------------------------------------------------------------------


def _policy(name: str, moves: list[str]) -> dict[str, float]:
    if name == "random":
        return dict.fromkeys(moves, 1 / len(moves))
    return {"crossing": 1.0} if "crossing" in moves else {max(moves, key=int): 1.0}


def _outcomes(book: RuleBook, policies: tuple[str, str]) -> dict[str, float]:
    """Return where the next decision of chance or of a seat leads, by position text."""
    if book.kind() == "chance":
        choices = {text: float(chance) for text, chance in book.chance_outcomes().items()}
    else:
        choices = _policy(policies[book.seat()], book.legal_moves())
    after: dict[str, float] = {}
    for text, chance in choices.items():
        child = book.clone()
        child.play(text)
        place = child.to_text() if child.kind() != "over" else f"over {child.returns()[0]}"
        after[place] = after.get(place, 0.0) + chance
    return after


def first_player_wins(policies: tuple[str, str]) -> float:
    """Return the exact chance that seat 1 is first when the two seats play these policies from the start."""
    start = RuleBook(players=2)
    links: dict[str, dict[str, float]] = {}
    books = {start.to_text(): start}
    while books:
        text, book = books.popitem()
        links[text] = {}
        for choice, chance in _outcomes(book, policies).items():
            links[text][choice] = chance
        for choice in _children(book, policies):
            if choice.kind() != "over" and choice.to_text() not in links:
                books[choice.to_text()] = choice
    places = {text: number for number, text in enumerate(links)}
    values = {f"over {value}": value for value in (1.0, -1.0)}
    rows, columns, weights, constant = [], [], [], np.zeros(len(places))
    for text, after in links.items():
        for place, chance in after.items():
            if place in values:
                constant[places[text]] += chance * values[place]
            else:
                rows.append(places[text])
                columns.append(places[place])
                weights.append(chance)
    value = np.zeros(len(places))
    while True:
        new = constant + np.bincount(rows, np.array(weights) * value[columns], minlength=len(places))
        if np.abs(new - value).max() < 1e-12:
            return float((1 + new[places[start.to_text()]]) / 2)
        value = new


def _children(book: RuleBook, policies: tuple[str, str]) -> list[RuleBook]:
    moves = book.chance_outcomes() if book.kind() == "chance" else _policy(policies[book.seat()], book.legal_moves())
    children = []
    for text in moves:
        child = book.clone()
        child.play(text)
        children.append(child)
    return children


# --- simulated, over the kernels ---------------------------------------------------------------------------------------


@kernel(allocates=True)
def count_wins(rules: Any, larger_seat: Any, rng: Any, games: Any) -> Any:
    """Return how often seat 0 is first when `larger_seat` plays `larger` (-1: nobody) and the rest is random."""
    state, mask, out = np.zeros(tokaido.STATE_SIZE, np.int64), np.zeros(12, np.int8), np.zeros(2)
    wins = 0
    for _ in range(games):
        tokaido.reset(rules, state)
        while True:
            mover = tokaido.to_move(rules, state)
            if mover == TERMINAL:
                break
            action = tokaido.sample(rules, state, rng)
            if mover == larger_seat and mover != CHANCE:
                tokaido.legal(rules, state, mask)
                for candidate in range(10):  # the numbers in ascending order, then the crossing
                    if mask[candidate]:
                        action = candidate
            tokaido.apply(rules, state, action)
        tokaido.returns(rules, state, out)
        wins += out[0] > 0
    return wins


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policies", "larger_seat"), [(("random", "random"), -1), (("larger", "random"), 0), (("random", "larger"), 1)]
)
def test_a_million_games_agree_with_the_exact_value(policies: tuple[str, str], larger_seat: int) -> None:
    exact = first_player_wins(policies)
    wins = count_wins(load_game("tokaido").rules, larger_seat, new_rng(20_26), GAMES)
    error = math.sqrt(exact * (1 - exact) / GAMES)
    assert abs(wins / GAMES - exact) < 4 * error, (wins / GAMES, exact)
    if policies == ("random", "random"):
        assert exact == pytest.approx(0.50427, abs=5e-6)  # the value that the rules state
