"""Make the positions anew at which legal masks are timed: arena/quoridor_positions.json.

A fair coin decides between a random pawn move and a random fence, so that pawns have left their home lines, until the
wanted number of fences stands; the mover has some left.

Run: python benchmarks/make_quoridor_positions.py
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from sekisho.envs import load_game

TARGET = Path(__file__).resolve().parent.parent / "arena" / "quoridor_positions.json"
POSITIONS = 20


def main() -> None:
    """Write the moves that lead to each position."""
    game = load_game("quoridor")
    squares = game.board_size**2
    found: dict[str, list[str]] = {}
    for fences in (10, 18):
        lines: list[str] = []
        seed = 1000 * fences
        while len(lines) < POSITIONS:
            seed += 1
            rng, state = np.random.default_rng(seed), game.new_initial_state()
            while not state.is_terminal() and 20 - sum(state.fences_left) < fences:
                pawns = [action for action in state.legal_actions() if action < squares]
                walls = [action for action in state.legal_actions() if action >= squares]
                state.apply_action(int(rng.choice(walls if walls and rng.random() < 0.5 else pawns)))
            if not state.is_terminal() and state.fences_left[state.seat] > 0:
                lines.append(" ".join(state.moves()))
        found[f"{fences} fences"] = lines
    TARGET.write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
