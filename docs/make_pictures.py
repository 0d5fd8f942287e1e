"""Make the pictures of the README anew: python docs/make_pictures.py."""

from __future__ import annotations

from pathlib import Path

from sekisho.envs import load_game

PICTURES = Path(__file__).parent / "pictures"
GAMES = {
    "quoridor": ({}, "e2 e8 e3 e7 e4 e6 e3h d6h d4 f6h g4v b5v d5 f6 c4h f5 d6 f4"),
    "tokaido": (
        {"players": 3},
        "[3-4] 4 [5-5] 10 detour [4-6] 6 [4-5] 5 detour [6-6] 12 [4-5] 5 detour [2-4] 4 [4-6] 4 [3-5] 5 [2-5] 5 [1-6] 1 "
        "[1-4] 4 [1-4] 1 [5-6] 5 [3-4] 3",
    ),
    "picture_sugoroku": (
        {"players": 4, "board": "treasure_hunt"},
        "roll [3] roll [4] roll [5] roll [5] roll [6] roll [6]",
    ),
}


def main() -> None:
    """Write one picture for each game."""
    PICTURES.mkdir(exist_ok=True)
    for name, (options, moves) in GAMES.items():
        state = load_game(name, **options).new_initial_state()
        state.apply_moves(moves)
        (PICTURES / f"{name}.svg").write_text(state.draw_svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
