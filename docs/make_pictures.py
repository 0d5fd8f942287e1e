"""Make the pictures of the README anew: python docs/make_pictures.py."""

from __future__ import annotations

from pathlib import Path

from sekisho.envs import load_game

PICTURES = Path(__file__).parent / "pictures"
QUORIDOR = "e2 e8 e3 e7 e4 e6 e3h d6h d4 f6h g4v b5v d5 f6 c4h f5 d6 f4"


def main() -> None:
    """Write one picture for each game."""
    PICTURES.mkdir(exist_ok=True)
    state = load_game("quoridor").new_initial_state()
    state.apply_moves(QUORIDOR)
    (PICTURES / "quoridor.svg").write_text(state.draw_svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
