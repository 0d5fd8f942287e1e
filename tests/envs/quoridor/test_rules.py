"""Quoridor's own promises: the start, the end, distances, previews and the hash."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from sekisho.envs import TERMINAL, load_game
from sekisho.envs.quoridor.rules import Quoridor, QuoridorState

WON = "e2 d9 e3 d8 e4 d7 e5 d6 e6 d5 e7 d4 e8 d3 e9"


def played(moves: str, **options: Any) -> QuoridorState:
    game = load_game("quoridor", **options)
    assert isinstance(game, Quoridor)
    state = game.new_initial_state()
    state.apply_moves(moves)
    return state


def hashed(state: QuoridorState) -> int:
    return int(state.game.kernels.hash(state.game.rules, state.words))


@pytest.mark.parametrize(
    ("players", "size", "pawns"),
    [
        (2, 9, "e1 e9"),
        (4, 9, "e1 a5 e9 i5"),
        (2, 4, "b1 c4"),
        (4, 4, "b1 a3 c4 d2"),
        (4, 3, "b1 a2 b3 c2"),
        (2, 8, "d1 e8"),
        (4, 6, "c1 a4 d6 f3"),
    ],
)
def test_every_pawn_starts_in_the_middle_of_its_side(players: int, size: int, pawns: str) -> None:
    state = played("", players=players, board_size=size)
    left = {2: 10, 4: 5}[players]
    assert state.to_text() == f"/ / {pawns} / {' '.join([str(left)] * players)} / 1 / 0"
    assert state.distances() == [size - 1] * players
    assert state.current_player() == 0


def test_the_default_options_are_those_of_the_rules() -> None:
    game = load_game("quoridor")
    assert dict(game.options) == {
        "players": 2, "board_size": 9, "fences": 10, "max_plies": 324, "third_pawn": "blocks", "repetition": None,
    }  # fmt: skip
    assert load_game("quoridor", players=4).options["fences"] == 5
    assert load_game("quoridor", board_size=5).max_game_length == 100
    assert load_game("quoridor", max_plies=None).max_game_length is None


@pytest.mark.parametrize("seat", range(4))
def test_each_of_four_seats_wins_on_its_own_line_and_the_losers_share_the_loss(seat: int) -> None:
    pawns = ["d4", "e5", "f6", "g3"]
    pawns[seat] = ["c9", "i3", "c1", "a3"][seat]
    game = load_game("quoridor", players=4)
    state = game.from_text(f"/ / {' '.join(pawns)} / 5 5 5 5 / {(seat + 1) % 4 + 1} / 30")
    assert state.current_player() == TERMINAL
    assert state.returns() == [1.0 if other == seat else -1.0 / 3 for other in range(4)]
    assert state.end_reason() == "goal"


def test_the_third_pawn_gives_the_diagonals_by_option_alone() -> None:
    line = "e2 b5 e8 i6 e3 c5 e7 i5 e4 d5 e6 i6 a1h e5 a3h i5"
    targets = {}
    for option in ("blocks", "diagonal"):
        state = played(line, players=4, third_pawn=option)
        targets[option] = {name for name in map(state.action_to_string, state.legal_actions()) if len(name) == 2}
    assert targets == {"blocks": {"d4", "e3", "f4"}, "diagonal": {"d4", "d5", "e3", "f4", "f5"}}


def test_a_jump_onto_the_goal_line_wins() -> None:
    state = played("c2 c4 a1h b4 c3 c4 c5", board_size=5)
    assert (state.winner, state.end_reason(), state.returns()) == (0, "goal", [1.0, -1.0])


def test_a_seat_without_any_move_passes_and_only_then() -> None:
    line = "a1 / / a1 b1 e8 c1 / {} / 1 / 20"
    shut = load_game("quoridor", players=4, fences=1).from_text(line.format("0 1 1 1"))
    assert isinstance(shut, QuoridorState)
    assert [shut.action_to_string(a) for a in shut.legal_actions()] == ["a1"]
    assert shut.preview(0).data["kind"] == "pass"
    after = shut.child(0)
    assert (after.pawns, after.seat, after.ply) == (shut.pawns, 1, 21)
    armed = load_game("quoridor", players=4, fences=2).from_text(line.format("1 2 2 2"))
    names = [armed.action_to_string(a) for a in armed.legal_actions()]
    assert "h8h" in names
    assert all(len(name) == 3 for name in names)


def test_the_ply_cap_is_a_draw_and_a_win_on_that_very_ply_a_win() -> None:
    drawn = played("a1 a3 b1", board_size=3, fences=0, max_plies=3)
    assert (drawn.end_reason(), drawn.winner, drawn.returns(), drawn.legal_actions()) == ("max_plies", None, [0, 0], [])
    assert not played("a1 a3", board_size=3, fences=0, max_plies=3).is_terminal()
    won = played(WON, max_plies=15)
    assert (won.end_reason(), won.winner, won.returns()) == ("goal", 0, [1.0, -1.0])


def test_without_a_cap_the_game_goes_on() -> None:
    assert not played("e2 e8 e1 e9 " * 200, max_plies=None).is_terminal()
    assert played("e2 e8 e1 e9 " * 81).end_reason() == "max_plies"


def test_the_start_counts_as_an_occurrence_of_its_position() -> None:
    before = played("e2 e8 e1 e9 e2 e8 e1", repetition=3)
    assert not before.is_terminal()
    drawn = before.child(before.string_to_action("e9"))
    assert (drawn.end_reason(), drawn.current_player(), drawn.legal_actions()) == ("repetition", TERMINAL, [])
    assert drawn.legal_actions_mask().sum() == 0
    assert drawn.returns() == drawn.rewards() == [0.0, 0.0]


def test_a_fence_makes_repetition_start_anew() -> None:
    state = played("e2 e8 e1 e9 a1h e8 e2 e9 e1 e8 e2 e9", repetition=3)
    assert not state.is_terminal()  # with the fence the position has stood twice


def test_a_position_is_not_counted_for_the_other_seat_to_move() -> None:
    # seat 1 wastes a tempo over three plies, so the pawns stand on e1 and e9 with either seat to move
    odd = played("e2 e8 d2 e9 d1 e8 e1 e9 e2 e8 e1", repetition=3, fences=0)
    assert not odd.is_terminal()


def test_the_hash_tells_position_and_seat_apart_and_not_the_ply() -> None:
    start, again = played(""), played("e2 e8 e1 e9")
    assert again.ply == 4
    assert hashed(again) == hashed(start)
    assert hashed(played("a1h e8 h8v")) == hashed(played("h8v e8 a1h"))  # another order
    states = [played(moves) for moves in ("", "e2", "d1", "a1h", "a1v", "b1h", "e2 e8", "e2 a1h")]
    states.append(load_game("quoridor").from_text("/ / e1 e9 / 10 10 / 2 / 0"))  # type: ignore[arg-type]
    for one, other in itertools.combinations(states, 2):
        assert hashed(one) != hashed(other), (one, other)


@pytest.mark.parametrize("players", [2, 4])
def test_positions_of_random_games_have_the_same_hash_exactly_when_they_are_the_same_but_for_the_ply(
    players: int,
) -> None:
    game, rng = load_game("quoridor", players=players, board_size=4, fences=2), random.Random(players)
    text_of: dict[int, str] = {}
    positions = set()
    for _ in range(60):
        state = game.new_initial_state()
        while not state.is_terminal():
            text = state.to_text().rpartition(" / ")[0]
            positions.add(text)
            assert text_of.setdefault(hashed(state), text) == text  # type: ignore[arg-type]
            state.apply_action(rng.choice(state.legal_actions()))
    assert len(text_of) == len(positions) > 500


def test_the_hash_looks_at_whose_hand_a_fence_came_from() -> None:
    game = load_game("quoridor", fences=1)
    mine, yours = game.from_text("a1 / / e2 e8 / 0 1 / 1 / 4"), game.from_text("a1 / / e2 e8 / 1 0 / 1 / 4")
    assert game.kernels.hash(game.rules, mine.words) != game.kernels.hash(game.rules, yours.words)


def test_distances_go_round_fences_and_through_pawns() -> None:
    assert played("a1h c1h e1h g1h").distances() == [12, 12]
    assert played("e2 e8 e3 e7 e4 e6 e5").distances() == [4, 5]
    assert played(WON).distances()[0] == 0


@pytest.mark.parametrize(
    ("moves", "move", "data", "words"),
    [
        ("", "e2", {"kind": "pawn", "paths_before": [8, 8], "paths_after": [7, 8], "fences_left": [10, 10], "end": None},
         "pawn to e2; steps to go by seat: 8 -> 7, 8"),
        ("", "e1h", {"kind": "fence", "paths_before": [8, 8], "paths_after": [9, 9], "fences_left": [9, 10], "end": None},
         "fence e1h; steps to go by seat: 8 -> 9, 8 -> 9"),
        (WON[:-3], "e9", {"kind": "pawn", "paths_before": [1, 2], "paths_after": [0, 2], "fences_left": [10, 10],
                          "end": "goal"},
         "pawn to e9; wins; steps to go by seat: 1 -> 0, 2"),
    ],
)  # fmt: skip
def test_a_preview_says_what_a_move_does_to_everybodys_way(
    moves: str, move: str, data: dict[str, Any], words: str
) -> None:
    state = played(moves)
    preview = state.preview(state.string_to_action(move))
    assert preview.data == {"move": move, **data}
    assert preview.text == words
    assert state == played(moves)


def test_a_preview_of_a_move_that_draws_says_so() -> None:
    state = played("", max_plies=1)
    preview = state.preview(state.string_to_action("e2"))
    assert preview.data["end"] == "max_plies"
    assert "; draw (max_plies);" in preview.text
