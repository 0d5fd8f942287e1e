"""Compiled parts of learning from searches: what a network sees of positions, as short lists."""

from __future__ import annotations

from typing import Any

from ...agents.networks.quoridor_four_inputs import INPUTS as FOUR_INPUTS
from ...agents.networks.quoridor_four_inputs import write_inputs as write_four_inputs
from ...agents.networks.quoridor_inputs import write_inputs
from ...envs.compiling import kernel
from ...envs.quoridor.kernels import SEAT


@kernel(allocates=True)
def list_inputs(rules: Any, words: Any, seen: Any, places: Any) -> Any:
    """Write which inputs hold for the side to move.

    Args:
        rules: of the game.
        words: positions, ``[B, state_size]``.
        seen: float32, scratch, as long as there are inputs: those for two players or those for four.
        places: int16 ``[B, L]``: the inputs of each position, ascending; their number in the rest of a row.

    Returns:
        The most inputs that a position has; more than L means that some were left out.
    """
    most, inputs = 0, seen.size
    for row in range(words.shape[0]):
        if inputs == FOUR_INPUTS:
            write_four_inputs(rules, words[row], words[row, SEAT], seen)
        else:
            write_inputs(rules, words[row], words[row, SEAT], seen)
        count = 0
        for place in range(inputs):
            if seen[place] != 0.0:
                if count < places.shape[1]:
                    places[row, count] = place
                count += 1
        for rest in range(count, places.shape[1]):
            places[row, rest] = inputs
        most = max(most, count)
    return most
