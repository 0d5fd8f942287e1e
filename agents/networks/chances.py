"""What the last layer of an nnue means: the odds of a seat, or the chances of four, as returns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.compiling import kernel


@kernel
def write_returns(answers: Any, viewer: Any, out: Any) -> None:
    """Write the expected return of every seat.

    Args:
        answers: float32; with two players ``[1]``, the log-odds of the seat that looks; with more ``[players]``, logits of
            which seat wins, the one that looks first. Written to.
        viewer: the seat that looks.
        out: ``[players]``, by seat. Who wins gets 1; what the others lose to it is shared alike.
    """
    players = out.size
    if answers.size == 1:
        out[viewer] = np.tanh(answers[0] / 2)
        out[1 - viewer] = -out[viewer]
        return
    top, total = answers[0], np.float32(0.0)
    for place in range(1, players):
        top = max(top, answers[place])
    for place in range(players):
        answers[place] = np.exp(answers[place] - top)
        total += answers[place]
    for place in range(players):
        chance = answers[place] / total
        out[(viewer + place) % players] = chance - (1 - chance) / (players - 1)
