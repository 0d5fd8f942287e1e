"""A spread of rule options of every game, for what is tested over all of them."""

from __future__ import annotations

from typing import Any

OPTION_SETS: dict[str, list[dict[str, Any]]] = {
    "quoridor": [
        {},
        {"players": 4},
        {"board_size": 3, "fences": 1, "max_plies": None},
        {"board_size": 4, "players": 4, "fences": 2, "third_pawn": "diagonal"},
        {"board_size": 5, "fences": 2, "repetition": 3, "max_plies": 40},
        {"board_size": 6, "fences": 0},
    ],
    "tokaido": [
        {},
        {"players": 3, "goal": "over", "after_crossing": "end_turn", "rechoice": "uses_turn"},
        {"players": 4, "forks": "miya", "rests_add_up": False, "allow_resign": True},
        {"players": 5, "finish": "first", "detour_rejoins": "shortcut_target", "bounce_events": False},
        {"players": 6, "allow_resign": True, "max_turns": 40},
    ],
    "picture_sugoroku": [
        {},
        {"players": 3, "goal": "exact", "finish": "all_places", "board": "treasure_hunt"},
        {"players": 4, "chain": False, "allow_resign": True},
        {"players": 6, "goal": "exact", "chain": False, "board": "a_short_walk", "allow_resign": True},
        {"board": {"id": "own", "name": {"en": "Own"}, "goal": 12, "squares": {"3": {"kind": "forward", "by": 4}}}},
    ],
}
