"""The reference rules of Quoridor against known positions, known move counts and positions worked out by hand."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from reference.quoridor import Quoridor

DATA = Path(__file__).resolve().parent.parent / "data"
CASES: list[dict[str, Any]] = json.loads((DATA / "quoridor_cases.json").read_text(encoding="utf-8"))["cases"]
PERFT: dict[str, Any] = json.loads((DATA / "quoridor_perft.json").read_text(encoding="utf-8"))
CASE_FIELDS = {
    *("id", "players", "moves", "pawn_targets", "legal", "illegal", "legal_count", "winner", "draw_with"),
    *("what", "source"),
}
# The greatest depth searched here for (board size, fences each, players): what takes a few seconds at most.
# Depth 2 at 9x9 is the business of test_divide.
DEPTHS = {(3, 1, 2): 5, (5, 2, 2): 3, (9, 10, 2): 1, (9, 5, 4): 1, (5, 2, 4): 2, (3, 0, 2): 8}


def played(moves: str, **options: Any) -> Quoridor:
    """Play moves from the start."""
    game = Quoridor(**options)
    for move in moves.split():
        game.play(move)
    return game


def pawn_moves(game: Quoridor) -> list[str]:
    """List the legal moves that are no fences, sorted."""
    return sorted(move for move in game.legal_moves() if len(move) == 2)


def child(game: Quoridor, move: str) -> Quoridor:
    """Return the position after a move; the game itself stays as it is."""
    copy = Quoridor.from_position(
        game.pawns, game.fences, game.left, game.seat, game.ply, players=game.players, board_size=game.n
    )
    copy.play(move)
    return copy


def perft(game: Quoridor, depth: int) -> tuple[int, int]:
    """Count the move sequences of exactly this length, and those among them whose last move ends the game."""
    moves = game.legal_moves()
    if depth == 1:
        # Far from the ply cap only a pawn move can end a game.
        return len(moves), sum(child(game, move).is_over() for move in moves if len(move) == 2)
    counts = [perft(child(game, move), depth - 1) for move in moves]
    return sum(nodes for nodes, _ in counts), sum(ended for _, ended in counts)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_known_position(case: dict[str, Any]) -> None:
    """Every field of every known position holds."""
    assert case.keys() <= CASE_FIELDS
    game = played(case["moves"], players=case["players"])
    legal = game.legal_moves()
    assert game.winner == case.get("winner")
    assert game.is_over() == (game.winner is not None)
    if "pawn_targets" in case:
        assert pawn_moves(game) == case["pawn_targets"]
    if "legal_count" in case:
        assert len(legal) == case["legal_count"]
    assert set(case.get("legal", ())) <= legal
    for move in case.get("illegal", ()):
        assert move not in legal
        with pytest.raises(ValueError, match="not a legal move"):
            game.play(move)
    if "draw_with" in case:
        option, value = case["draw_with"].split("=")
        before, last = case["moves"].rsplit(" ", 1)
        drawn = played(before, players=case["players"], **{option: int(value)})
        assert not drawn.is_over()
        drawn.play(last)
        assert (drawn.is_over(), drawn.winner, drawn.legal_moves()) == (True, None, set())
        assert drawn.returns() == [0.0] * case["players"]


@pytest.mark.parametrize(
    "row", PERFT["perft"], ids=lambda row: f"{row['board_size']}-{row['walls_per_player']}-{row['players']}"
)
def test_perft(row: dict[str, Any]) -> None:
    """The numbers of move sequences and of finished games agree with the known ones."""
    setting = (row["board_size"], row["walls_per_player"], row["players"])
    game = Quoridor(row["players"], row["board_size"], row["walls_per_player"])
    for depth in range(1, DEPTHS[setting] + 1):
        nodes, ended = perft(game, depth)
        assert nodes == row["nodes"][str(depth)]
        assert ended == row["terminal"].get(str(depth), ended)


@pytest.mark.parametrize(
    "row", [row for row in PERFT["divide"] if row["depth"] == 2], ids=lambda row: f"{row['players']} players"
)
def test_divide(row: dict[str, Any]) -> None:
    """The replies to each first move are as many as known; every third first move is tried."""
    game = Quoridor(row["players"], row["board_size"], row["walls_per_player"])
    counts: dict[str, int] = row["std_move_to_count"]
    assert game.legal_moves() == counts.keys()
    for move in sorted(counts)[::3]:
        assert len(child(game, move).legal_moves()) == counts[move], move


@pytest.mark.parametrize(
    ("players", "size", "pawns"),
    [
        (2, 9, [(4, 0), (4, 8)]),
        (4, 9, [(4, 0), (0, 4), (4, 8), (8, 4)]),
        (2, 4, [(1, 0), (2, 3)]),
        (4, 4, [(1, 0), (0, 2), (2, 3), (3, 1)]),
        (4, 3, [(1, 0), (0, 1), (1, 2), (2, 1)]),
    ],
)
def test_start(players: int, size: int, pawns: list[tuple[int, int]]) -> None:
    """Every pawn starts in the middle of its side, even sizes by rotation."""
    game = Quoridor(players, size)
    assert game.pawns == pawns
    assert game.left == [10 if players == 2 else 5] * players
    assert [game.distance(seat) for seat in range(players)] == [size - 1] * players
    assert game.returns() == [0.0] * players


@pytest.mark.parametrize(
    "options",
    [
        {"players": 3},
        {"board_size": 2},
        {"board_size": 10},
        {"fences": -1},
        {"max_plies": 0},
        {"max_plies": "many"},
        {"third_pawn": "jumps"},
        {"repetition": 2},
    ],
)
def test_refused_options(options: dict[str, Any]) -> None:
    """Options outside the rules are refused."""
    with pytest.raises(ValueError, match="must be"):
        Quoridor(**options)


def test_third_pawn_diagonal() -> None:
    """The option lets a third pawn behind the neighbour give the diagonals."""
    case = next(case for case in CASES if case["id"] == "third-pawn-blocks")
    game = played(case["moves"], players=4, third_pawn="diagonal")
    assert pawn_moves(game) == ["d4", "d5", "e3", "f4", "f5"]


@pytest.mark.parametrize("third_pawn", ["blocks", "diagonal"])
def test_forced_pass(third_pawn: str) -> None:
    """A seat with no legal move at all passes, and only then."""
    # a1 is shut in: a fence above a1 and b1, a pawn on b1 and another one behind it.
    pawns = [(0, 0), (1, 0), (4, 7), (2, 0)]
    fences = {(0, 0, "h")}
    game = Quoridor.from_position(pawns, fences, [0, 5, 5, 5], 0, 20, third_pawn=third_pawn)
    assert game.legal_moves() == {"a1"}
    game.play("a1")
    assert (game.pawns, game.seat, game.ply) == (pawns, 1, 21)
    with_fence = Quoridor.from_position(pawns, fences, [1, 5, 5, 5], 0, 20, third_pawn=third_pawn)
    assert pawn_moves(with_fence) == []
    assert "h8h" in with_fence.legal_moves()
    # With a fence above c1 and d1 too, the gap between d1 and e1 is the only way out for three pawns.
    assert "d1v" in with_fence.legal_moves()
    assert "d1v" not in Quoridor.from_position(pawns, {*fences, (2, 0, "h")}, [1, 5, 5, 5], 0, 20).legal_moves()


def test_repetition_counts_the_start() -> None:
    """The start position stands a third time after eight plies of going to and fro."""
    shuffle = "e2 e8 e1 e9 "
    game = played(shuffle + "e2 e8 e1", repetition=3)
    assert not game.is_over()
    game.play("e9")
    assert game.is_over()
    assert not played(shuffle * 3).is_over()


def test_ply_cap() -> None:
    """Reaching the cap is a draw, a win on that very ply is a win, and no cap means no cap."""
    drawn = played("a1 a3", board_size=3, fences=0, max_plies=3)
    assert not drawn.is_over()
    drawn.play("b1")
    assert (drawn.is_over(), drawn.winner, drawn.returns()) == (True, None, [0.0, 0.0])
    assert drawn.legal_moves() == set()
    with pytest.raises(ValueError, match="not a legal move"):
        drawn.play("a2")
    won = played("e2 d9 e3 d8 e4 d7 e5 d6 e6 d5 e7 d4 e8 d3 e9", max_plies=15)
    assert (won.winner, won.returns()) == (0, [1.0, -1.0])
    assert (won.seat, won.ply, won.legal_moves()) == (1, 15, set())
    assert Quoridor().max_plies == 324
    assert Quoridor(max_plies=None).max_plies is None


def test_four_player_win() -> None:
    """Each seat has its own goal line, and the losers share the loss."""
    goals = [(2, 8), (8, 2), (2, 0), (0, 2)]
    for seat, goal in enumerate(goals):
        pawns = [(4, 4), (5, 5), (6, 6), (3, 3)]
        pawns[seat] = goal
        game = Quoridor.from_position(pawns, set(), [5] * 4, (seat + 1) % 4, 30)
        assert game.winner == seat
        assert game.returns() == [1.0 if other == seat else -1.0 / 3 for other in range(4)]
    with pytest.raises(ValueError, match="more than one"):
        Quoridor.from_position(goals, set(), [5] * 4, 0, 30)


def test_distance_goes_round_fences() -> None:
    """The distance follows the fences and ignores the other pawn."""
    game = played("a1h c1h e1h g1h")
    assert game.distance(0) == 8 + 4
    assert game.distance(1) == 8 + 4
    assert played("e2 e8 e3 e7 e4 e6 e5").distance(0) == 4


def test_spelling() -> None:
    """Upper case and blanks around a move are accepted, anything else is not."""
    assert played("E2").pawns[0] == (4, 1)
    game = Quoridor()
    game.play(" e3H ")
    assert game.fences == {(4, 2, "h")}
    for word in ("", "e", "e33h", "j1", "e0", "i1h", "a9v", "e3x", "e5"):
        with pytest.raises(ValueError, match="not a legal move"):
            game.play(word)


@pytest.mark.parametrize("players", [2, 4])
def test_random_games_keep_the_invariants(players: int) -> None:
    """In random games every pawn keeps a path, pawns never share a square, and the returns add up to nothing."""
    for seed in range(6):
        rng = random.Random(seed)
        game = Quoridor(players, board_size=4 + seed % 2, fences=3)
        while not game.is_over():
            assert len(set(game.pawns)) == players
            assert all(game.distance(seat) > 0 for seat in range(players))
            assert len(game.fences) + sum(game.left) == 3 * players
            game.play(rng.choice(sorted(game.legal_moves())))
        assert abs(sum(game.returns())) < 1e-9
        assert game.legal_moves() == set()
