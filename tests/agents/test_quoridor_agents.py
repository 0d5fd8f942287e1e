"""The agents that know Quoridor, against the slow rule book: shortest ways, wins, threats, fences and strength."""

from __future__ import annotations

import functools
import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from reference import quoridor as reference
from sekisho.agents import make_agent
from sekisho.agents.heuristics.quoridor import evaluate, moves_to_goal, score_actions, scores
from sekisho.arena.match import play_game, random_opening
from sekisho.envs import load_game
from sekisho.envs.quoridor.kernels import walls_of
from sekisho.envs.quoridor.notation import action_names
from sekisho.envs.quoridor.rules import Quoridor, QuoridorState
from support.quoridor_play import biased_action, random_habit

TABLES = (
    {"players": 2, "board_size": 5, "fences": 3},
    {"players": 2, "board_size": 9},
    {"players": 4, "board_size": 5, "fences": 2},
    {"players": 4, "board_size": 6, "fences": 3, "third_pawn": "diagonal"},
)


def table(options: dict[str, object]) -> Quoridor:
    game = load_game("quoridor", **options)
    assert isinstance(game, Quoridor)
    return game


def position(text: str, **options: object) -> QuoridorState:
    return table(options).from_text(text)


def book_of(state: QuoridorState) -> reference.Quoridor:
    """The same position in the reference rule book."""
    options = state.game.options
    names = ("players", "board_size", "fences", "max_plies", "third_pawn")
    book = reference.Quoridor(**{name: options[name] for name in names})
    book.pawns, book.left, book.seat, book.ply = state.pawns, state.fences_left, state.seat, state.ply
    book.fences = {(*f, "h") for f in state.horizontal_fences} | {(*f, "v") for f in state.vertical_fences}
    return book


def way_after(book: reference.Quoridor, target: str) -> int:
    """Steps that the seat to move still has to its goal line after going to `target`."""
    before = book.pawns[book.seat]
    book.pawns[book.seat] = book.named_squares[target]
    steps = book.distance(book.seat)
    book.pawns[book.seat] = before
    return steps


def pawn_moves(book: reference.Quoridor) -> list[str]:
    return sorted(move for move in book.legal_moves() if len(move) == 2)


def positions(options: dict[str, object], count: int, seed: int) -> Iterator[QuoridorState]:
    """Positions in which somebody is to decide, out of random games with many fences and pawns close together."""
    rng = random.Random(f"{options} {seed}")
    while count > 0:
        state, habit = table(options).new_initial_state(), random_habit(rng)
        while not state.is_terminal() and count > 0:
            if rng.random() < 0.15:
                count -= 1
                yield state.clone()
            state.apply_action(biased_action(state, rng, habit))


def wins(state: QuoridorState) -> set[int]:
    """The actions that win at once."""
    seat = state.current_player()
    return {a for a in state.legal_actions() if a < state.game.board_size**2 and state.child(a).winner == seat}


def chosen(name: str, state: QuoridorState, seed: int = 0) -> int:
    return make_agent(name).act(state, np.random.default_rng(seed)).action


# --- shortest_path ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_shortest_path_takes_exactly_the_moves_that_leave_the_shortest_way(options: dict[str, object]) -> None:
    agent, rng, ties = make_agent("shortest_path"), np.random.default_rng(0), 0
    for state in positions(options, 80, seed=1):
        book = book_of(state)
        ways = {move: way_after(book, move) for move in pawn_moves(book)}
        if not ways:
            continue
        best = {move for move, left in ways.items() if left == min(ways.values())}
        decision = agent.act(state, rng)
        assert {state.action_to_string(action) for action in decision.policy} == best
        assert state.action_to_string(decision.action) in best
        ties += len(best) > 1
    assert ties > 3


def test_shortest_path_breaks_ties_at_random() -> None:
    state = position("e6 / / e5 a9 / 9 10 / 1")  # round the fence on the left: aside now or one step later
    assert {action_names(9)[chosen("shortest_path", state, seed)] for seed in range(30)} == {"d5", "e6"}


def test_shortest_path_jumps_when_that_is_nearer() -> None:
    assert action_names(9)[chosen("shortest_path", position("/ / e4 e5 / 10 10 / 1"))] == "e6"


@functools.cache
def stuck_positions() -> tuple[QuoridorState, ...]:
    """Positions in which no pawn move is possible for the seat to move."""
    found = [s for s in positions({"players": 4, "board_size": 3, "fences": 1}, 1500, 2) if not pawn_targets(s)]
    return tuple(found)


def pawn_targets(state: QuoridorState) -> set[str]:
    own = reference.square_name(state.pawns[state.seat])  # named only for a pass
    return {move for move in pawn_moves(book_of(state)) if move != own}


@pytest.mark.parametrize("name", ["shortest_path", "heuristic", "random"])
def test_a_pawn_that_cannot_move_places_a_fence_or_passes(name: str) -> None:
    passes = 0
    for state in stuck_positions():
        action = state.action_to_string(chosen(name, state))
        legal = book_of(state).legal_moves()
        assert action in legal
        passes += legal == {reference.square_name(state.pawns[state.seat])}
    assert 0 < passes < len(stuck_positions())


# --- heuristic -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_the_heuristic_takes_a_win_in_one(options: dict[str, object]) -> None:
    seen = 0
    for state in positions(options, 800, seed=3):
        if winning := wins(state):
            assert chosen("heuristic", state) in winning
            seen += 1
    assert seen >= 10


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_the_heuristic_leaves_the_next_seat_no_win_in_one_when_it_can(options: dict[str, object]) -> None:
    threatened = hopeless = 0
    for state in positions(options, 1000, seed=4):
        # one move, with a jump, goes two squares
        far = state.distances()[(state.seat + 1) % state.game.num_players] > 2
        if far or wins(state):
            continue
        children = {action: wins(state.child(action)) for action in state.legal_actions()}
        safe = {action for action, winning in children.items() if not winning}
        if safe:
            assert chosen("heuristic", state) in safe
            threatened += len(safe) < len(children)
        else:
            assert chosen("heuristic", state) in children
            hopeless += 1
    assert threatened >= 5
    assert hopeless >= 1


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_the_moves_still_needed_count_the_jumps_of_this_turn(options: dict[str, object]) -> None:
    jumps = 0
    for state in positions(options, 80, seed=5):
        book = book_of(state)
        moves = pawn_moves(book)
        fewest = 1 + min((way_after(book, move) for move in moves), default=book.distance(book.seat))
        walls = tuple(map(np.uint64, walls_of(state.words)))  # back from compiled code they are Python's numbers
        assert moves_to_goal(state.game.rules, state.words, walls, state.seat) == fewest
        jumps += fewest != book.distance(book.seat)
    assert jumps >= 3 or state.game.board_size == 9  # pawns seldom meet there


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_every_fence_that_makes_an_opponents_way_longer_is_looked_at(options: dict[str, object]) -> None:
    skipped, rng = 0, random.Random(6)
    for state in positions(options, 40, seed=6):
        legal, looked_at = set(state.legal_actions()), set(scores(state)[0].tolist())
        moves = {action for action in legal if action < state.game.board_size**2}
        assert moves <= looked_at <= legal
        before, others = book_of(state), [s for s in range(state.game.num_players) if s != state.seat]
        for action in rng.sample(sorted(legal - looked_at), min(8, len(legal - looked_at))):
            after = book_of(state.child(action))
            assert [after.distance(seat) for seat in others] == [before.distance(seat) for seat in others]
            skipped += 1
    assert skipped > 50


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_a_score_is_what_the_position_after_the_action_is_worth(options: dict[str, object]) -> None:
    for state in positions(options, 40, seed=9):
        before, mask = state.words.copy(), np.full(state.game.num_actions, 7, dtype=np.int8)
        found = np.zeros(state.game.num_actions)
        score_actions(state.game.rules, state.words, mask, found)
        assert (state.words == before).all()
        assert (
            mask[0] == 7 or np.flatnonzero(mask).tolist() == state.legal_actions()
        )  # looked at all, or at the mask not
        for action in np.flatnonzero(~np.isnan(found)):
            assert found[action] == evaluate(state.game.rules, state.child(int(action)).words, np.int64(state.seat))


def test_the_heuristic_jumps_forward_when_it_stands_face_to_face() -> None:
    assert action_names(9)[chosen("heuristic", position("/ / e4 e5 / 0 0 / 1", fences=0))] == "e6"


def test_the_heuristic_does_not_step_where_it_can_be_jumped_over_into_the_goal() -> None:
    # seat 2 on e3 would jump over a pawn on e2 onto its goal line
    state = position("/ / e1 e3 / 0 0 / 1", fences=0)
    assert [state.child(a).action_to_string(b) for a in state.legal_actions() for b in wins(state.child(a))] == ["e1"]
    assert action_names(9)[chosen("heuristic", state)] != "e2"


def image(state: QuoridorState) -> QuoridorState:
    """The position in a mirror (left and right exchanged) or, with four players, a quarter turn further."""
    n, players, seats = state.game.board_size, state.game.num_players, range(state.game.num_players)
    horizontal, vertical = state.horizontal_fences, state.vertical_fences
    if players == 2:
        flat, upright, seat, order = mirrored(horizontal, n - 1), mirrored(vertical, n - 1), state.seat, seats
        pawns = mirrored(state.pawns, n)
    else:
        flat, upright, seat = turned(vertical, n - 1), turned(horizontal, n - 1), (state.seat + 1) % players
        pawns, order = turned(state.pawns, n), [seat - 1 for seat in seats]
    fields = (
        "".join(map(reference.square_name, flat)),
        "".join(map(reference.square_name, upright)),
        " ".join(reference.square_name(pawns[s]) for s in order),
        " ".join(str(state.fences_left[s]) for s in order),
        f"{seat + 1} / {state.ply}",
    )
    return state.game.from_text(" / ".join(fields))


def mirrored(squares: list[tuple[int, int]], side: int) -> list[tuple[int, int]]:
    return [(side - 1 - file, rank) for file, rank in squares]


def turned(squares: list[tuple[int, int]], side: int) -> list[tuple[int, int]]:
    return [(rank, side - 1 - file) for file, rank in squares]


def image_of_action(action: int, game: Quoridor) -> int:
    n, m, change = game.board_size, game.board_size - 1, mirrored if game.num_players == 2 else turned
    if action < n * n:
        ((file, rank),) = change([(action % n, action // n)], n)
        return rank * n + file
    kind, anchor = divmod(action - n * n, m * m)
    ((file, rank),) = change([(anchor % m, anchor // m)], m)
    return n * n + (kind if game.num_players == 2 else 1 - kind) * m * m + rank * m + file


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_the_heuristic_judges_a_position_and_its_image_alike(options: dict[str, object]) -> None:
    for state in positions(options, 60, seed=7):
        own, other = (dict(zip(*map(np.ndarray.tolist, scores(s)), strict=True)) for s in (state, image(state)))
        assert {image_of_action(action, state.game): value for action, value in own.items()} == pytest.approx(other)


def test_the_heuristic_gains_a_turn_with_a_fence_where_every_move_would_lose() -> None:
    state = position("c1a4 / a1c2d4 / a1 a3 / 1 0 / 1 / 28", board_size=5, fences=3)
    moves = [action for action in state.legal_actions() if action < 25]
    assert [state.action_to_string(action) for action in moves] == ["a2"]
    assert {state.child(moves[0]).action_to_string(action) for action in wins(state.child(moves[0]))} == {"a1"}
    assert chosen("heuristic", state) >= 25


@pytest.mark.parametrize(
    ("options", "games"),
    [
        ({"players": 2}, 30),
        ({"players": 2, "board_size": 5, "fences": 3}, 100),
        ({"players": 4}, 10),
        ({"players": 4, "board_size": 5, "fences": 2}, 60),
    ],
    ids=str,
)
def test_in_games_of_the_heuristic_against_itself_no_position_comes_back(
    options: dict[str, object], games: int
) -> None:
    game, agent = table(options), make_agent("heuristic")
    for number in range(games):
        played = play_game(random_opening(game, 4, [number]), [agent] * game.num_players, [number], [number]).state
        assert played.end_reason() == "goal"
        state, seen = game.new_initial_state(), Counter[str]()
        for action in played.history():
            state.apply_action(action)
            seen[state.to_text().rpartition("/")[0]] += 1
        assert max(seen.values()) == 1


@pytest.mark.parametrize("opponent", ["random", "shortest_path"])
def test_the_heuristics_pawn_goes_back_where_it_came_from_only_after_an_opponents_fence(opponent: str) -> None:
    game, moves = table({"players": 2}), 0
    for number in range(40):
        own = number % 2
        agents = [make_agent("heuristic" if seat == own else opponent) for seat in range(2)]
        start = random_opening(game, 4, [number])
        state, came_from = start.clone(), None
        for action in play_game(start, agents, [number], [number]).state.history()[4:]:
            if state.seat != own:
                came_from = came_from if action < 81 else None
            elif action < 81:
                file, rank = state.pawns[own]
                assert action != came_from, state.to_text()
                came_from, moves = rank * 9 + file, moves + 1
            state.apply_action(action)
    assert moves > 200


def score_against(opponent: str, games: int) -> int:
    """Games that the heuristic wins of `games`, each from its own opening of four random plies, colours in turn."""
    game = table({"players": 2})
    won = 0
    for number in range(games):
        own = number % 2
        agents = [make_agent("heuristic" if seat == own else opponent) for seat in range(2)]
        played = play_game(random_opening(game, 4, [4, number]), agents, [number], [5, number])
        won += played.state.winner == own
    return won


@pytest.mark.parametrize(("opponent", "share"), [("random", 0.99), ("shortest_path", 0.85)])
def test_the_heuristic_scores_what_it_must_over_400_games(opponent: str, share: float) -> None:
    assert score_against(opponent, 400) >= share * 400
