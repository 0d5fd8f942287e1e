"""The kernels of Tokaido sugoroku against the independent reference rule book, on random games over all options."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from reference.tokaido import Tokaido as Reference
from sekisho.envs import load_game
from sekisho.envs.tokaido.rules import OPTIONS, TokaidoState


def random_options(rng: random.Random) -> dict[str, Any]:
    """Draw the rules of one game; each option keeps its default in half of the games."""
    options: dict[str, Any] = {option.name: rng.choice(option.choices) for option in OPTIONS if option.choices}
    options = {name: value for name, value in options.items() if rng.random() < 0.5 or name == "forks"}
    if rng.random() < 0.2:
        options["max_turns"] = rng.randrange(1, 120)
    return {"players": rng.randrange(2, 7), **options}


def compare(state: TokaidoState, reference: Reference) -> None:
    """Compare everything that both rule books say about a position."""
    turns = f" / {reference.turns}" if state.game.options["max_turns"] else ""  # the reference does not write them
    assert state.to_text() == reference.to_text() + turns
    kind = "over" if state.is_terminal() else "chance" if state.is_chance_node() else "decision"
    assert kind == reference.kind()
    assert [state.action_to_string(a) for a in state.legal_actions()] == sorted(
        reference.legal_moves(), key=lambda move: state.game.num_actions if not move.isdigit() else int(move)
    )
    if kind == "over":
        assert state.returns() == pytest.approx(reference.returns())
    else:
        assert state.seat == reference.seat()
        assert state.returns() == [0.0] * state.game.num_players
    if kind == "chance":
        thrown = {state.action_to_string(outcome): chance for outcome, chance in state.chance_outcomes()}
        assert thrown == pytest.approx({text: float(chance) for text, chance in reference.chance_outcomes().items()})


def follow(rng: random.Random) -> Iterator[None]:
    """Play one random game in both rule books and compare them after every ply."""
    options = random_options(rng)
    state, reference = load_game("tokaido", **options).new_initial_state(), Reference(**options)
    compare(state, reference)
    resigns = rng.random() < 0.5  # else resigning would end most games early
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            action = rng.choices(outcomes, weights)[0]
        else:
            legal = state.legal_actions()
            action = rng.choice(legal if resigns and rng.random() < 0.1 else legal[:2])
        text = state.action_to_string(action)
        state.apply_action(action)
        reference.play(text)
        try:
            compare(state, reference)
        except AssertionError as error:
            raise AssertionError(f"{options}, after {state.moves()}") from error
        yield


def follow_games(seed: int, positions: int) -> None:
    rng = random.Random(seed)
    while positions > 0:
        positions -= sum(1 for _ in follow(rng))


@pytest.mark.parametrize("seed", range(4))
def test_random_games(seed: int) -> None:
    follow_games(seed, 2000)


@pytest.mark.slow
def test_many_random_games() -> None:
    follow_games(1000, 200_000)
