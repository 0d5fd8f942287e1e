"""What is seen: its parts, its ranges, and that a turned board looks the same to whoever walks north on it."""

from __future__ import annotations

import inspect
import random
import re
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest

from sekisho.envs import Game, State, environment_ids, load_game
from sekisho.envs.errors import IllegalActionError
from sekisho.envs.observations import table, total
from sekisho.envs.registration import NAMES
from sekisho.envs.tokaido import observation as tokaido_observation
from sekisho.envs.tokaido.tables import SPOT_NAMES, VARIANT
from support.option_sets import OPTION_SETS

GAMES = [load_game(name, **options) for name, sets in OPTION_SETS.items() for options in sets]
every_game = pytest.mark.parametrize("game", GAMES, ids=repr)


def positions(game: Game, seed: int, most: int = 300) -> Iterator[State]:
    """Yield the positions of one random game."""
    rng, state = random.Random(seed), game.new_initial_state()
    for _ in range(most):
        yield state
        if state.is_terminal():
            return
        outcomes = [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        state.apply_action(rng.choice(outcomes))


def parts_of(state: State, seat: int) -> dict[str, np.ndarray[Any, Any]]:
    """The parts of what a seat sees, by name."""
    seen = state.observation_tensor(seat)
    return {part.name: seen[first : last + 1] for first, last, part in table(state.game.observation_parts)}


@every_game
def test_shapes_and_ranges_are_as_declared_and_nothing_is_left_unwritten(game: Game) -> None:
    assert game.observation_shape[0] == total(game.observation_parts)
    for state in positions(game, seed=1):
        for seat in range(-1, game.num_players):
            seen = state.observation_tensor(seat)
            assert (seen.shape, seen.dtype) == (game.observation_shape, np.float32)
            assert 0 <= seen.min() <= seen.max() <= 1
            out = np.full(seen.size, np.nan, dtype=np.float32)
            game.kernels.observe(game.rules, state.words, seat, out)
            assert np.array_equal(out, seen.reshape(-1))


@every_game
def test_nobodys_view_is_that_of_the_first_seat(game: Game) -> None:
    for state in positions(game, seed=2, most=60):
        assert np.array_equal(state.observation_tensor(-1), state.observation_tensor(0))


@every_game
def test_every_part_says_something_and_the_seat_to_move_is_right(game: Game) -> None:
    for state in positions(game, seed=3):
        for seat in range(game.num_players):
            turn = parts_of(state, seat)["seat to move"].reshape(-1, int(np.prod(game.observation_shape[1:])))
            expected = np.zeros(len(turn))
            if not state.is_terminal() and not state.is_repetition():
                mover = state.seat if state.is_chance_node() else state.current_player()  # type: ignore[attr-defined]
                expected[(mover - seat) % game.num_players] = 1
                assert np.array_equal(turn.mean(axis=1), expected)


def test_a_seat_that_does_not_exist_sees_nothing() -> None:
    state = load_game("tokaido").new_initial_state()
    for seat in (-2, 2, 99):
        with pytest.raises(IllegalActionError, match=r"seats are 0\.\.1"):
            state.observation_tensor(seat)
    with pytest.raises(IllegalActionError, match="name one that looks"):
        state.observation_tensor()  # a chance node has no seat to move


def test_different_positions_look_different_within_one_table() -> None:
    for game in GAMES:
        seen: dict[bytes, str] = {}
        for seed in range(3):
            for state in positions(game, seed, most=150):
                if state.is_terminal() or state.is_chance_node() or game.repetition:
                    continue
                text = re.sub(r" / \d+$", "", state.to_text()) if game.max_game_length is None else state.to_text()
                key = state.observation_tensor(0).tobytes()
                assert seen.setdefault(key, text) == text


# --- Quoridor --------------------------------------------------------------------------------------------------------


def turned_square(file: int, rank: int, side: int, quarters: int) -> tuple[int, int]:
    """A quarter turn anticlockwise, as often as asked: what pointed east points north."""
    for _ in range(quarters):
        file, rank = side - 1 - rank, file
    return file, rank


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("size", [4, 9])
def test_each_seat_sees_pawns_fences_and_hands_on_a_board_turned_its_way(players: int, size: int) -> None:
    game = load_game("quoridor", players=players, board_size=size, fences=3)
    for state in positions(game, seed=5, most=60):
        for seat in range(players):
            quarters, parts = seat * 4 // players, parts_of(state, seat)
            for number in range(players):
                other = (seat + number) % players
                file, rank = turned_square(*state.pawns[other], size, quarters)  # type: ignore[attr-defined]
                plane = np.zeros((size, size))
                plane[rank, file] = 1
                assert np.array_equal(parts["pawns"][number], plane)
                left = state.fences_left[other] / 3  # type: ignore[attr-defined]
                assert np.allclose(parts["fences in hand"][number], left)
            for name, upright in (("horizontal fences", 0), ("vertical fences", 1)):
                plane = np.zeros((size, size))
                flat = state.horizontal_fences, state.vertical_fences  # type: ignore[attr-defined]
                for anchor in flat[upright ^ (quarters & 1)]:
                    file, rank = turned_square(*anchor, size - 1, quarters)
                    plane[rank, file] = 1
                assert np.array_equal(parts[name][0], plane)
            assert np.allclose(parts["plies"], state.ply / game.max_game_length)  # type: ignore[attr-defined, operator]


@pytest.mark.parametrize("players", [2, 4])
def test_every_seat_begins_with_the_same_view_and_its_goal_in_the_north(players: int) -> None:
    game = load_game("quoridor", players=players)
    views = game.action_views
    state = game.new_initial_state()
    first = {seat: parts_of(state, seat) for seat in range(players)}
    for seat in range(players):
        assert sorted(views[seat]) == list(range(game.num_actions))
        assert np.array_equal(first[seat]["pawns"], first[0]["pawns"])
    assert views[0].tolist() == list(range(game.num_actions))
    north = state.child(int(views[0][9 + 4]))  # one step north, by the first seat's own numbers
    assert north.pawns[0] == (4, 1)  # type: ignore[attr-defined]
    other = north.child(int(views[1][9 + 4]))
    assert other.distances()[1] == 7  # type: ignore[attr-defined]


@pytest.mark.parametrize("players", [2, 4])
def test_legal_actions_look_the_same_from_a_position_and_from_its_turned_copy(players: int) -> None:
    """Give every seat's pawn and fences the place of the next seat's: the next seat then sees what this one saw."""
    game = load_game("quoridor", players=players, board_size=5, fences=2)
    side, turn = 5, 4 // players
    for state in positions(game, seed=7, most=40):
        if state.is_terminal():
            continue
        flat, upright = state.horizontal_fences, state.vertical_fences  # type: ignore[attr-defined]
        back = (4 - turn) % 4  # anticlockwise, so that the board of this seat becomes the one of the next

        def anchors(fences: list[tuple[int, int]], back: int = back) -> str:
            moved = [turned_square(*fence, side - 1, back) for fence in fences]
            return "".join(f"{'abcde'[file]}{rank + 1}" for file, rank in sorted(moved, key=lambda s: (s[1], s[0])))

        pawns = [turned_square(*square, side, back) for square in state.pawns]  # type: ignore[attr-defined]
        pawns, left = [pawns[-1], *pawns[:-1]], state.fences_left  # type: ignore[attr-defined]
        left = [left[-1], *left[:-1]]
        swap = turn & 1
        text = " / ".join(
            (
                anchors(upright if swap else flat),
                anchors(flat if swap else upright),
                " ".join(f"{'abcde'[file]}{rank + 1}" for file, rank in pawns),
                " ".join(map(str, left)),
                str((state.seat + 1) % players + 1),  # type: ignore[attr-defined]
                str(state.ply),  # type: ignore[attr-defined]
            )
        )
        copy, mover = game.from_text(text), state.current_player()
        after = copy.current_player()
        assert after == (mover + 1) % players
        assert np.array_equal(copy.observation_tensor(), state.observation_tensor())
        views = game.action_views
        assert np.array_equal(copy.legal_actions_mask()[views[after]], state.legal_actions_mask()[views[mover]])


# --- sugoroku --------------------------------------------------------------------------------------------------------


def test_the_spots_and_options_of_tokaido_are_those_of_its_tables() -> None:
    assert len(SPOT_NAMES) == tokaido_observation.NUM_SPOTS
    for players in range(2, 7):
        game = load_game("tokaido", players=players, max_turns=50)
        for state in positions(game, seed=players, most=80):
            parts = parts_of(state, 1)
            for number in range(6):
                seat = (1 + number) % players
                present = number < players
                assert parts[f"seat +{number}: present"] == [present]
                where = parts[f"seat +{number}: spot"]
                assert where.sum() == present
                if present:
                    assert SPOT_NAMES[int(where.argmax())] == state.places[seat]  # type: ignore[attr-defined]
                    rests = parts[f"seat +{number}: rests"]
                    assert rests == [min(state.rests[seat], 8) / 8]  # type: ignore[attr-defined]
            assert parts["turns"] == [np.float32(state.turns / 50)]  # type: ignore[attr-defined]


@pytest.mark.parametrize("option", list(VARIANT))
def test_every_option_of_tokaido_that_is_not_the_default_is_seen(option: str) -> None:
    plain = parts_of(load_game("tokaido").new_initial_state(), 0)["options"]
    other = parts_of(load_game("tokaido", **{option: VARIANT[option]}).new_initial_state(), 0)["options"]
    expected = [float(name == option) for name in VARIANT]
    assert plain.tolist() == [0.0] * 9
    assert other.tolist() == expected


def test_the_numbers_of_a_roll_are_the_legal_actions() -> None:
    game = load_game("tokaido")
    for state in positions(game, seed=9):
        if state.current_player() < 0:
            continue
        numbers = np.flatnonzero(parts_of(state, 0)["numbers"]).tolist()
        assert numbers == [action for action in state.legal_actions() if action < 9]


@pytest.mark.parametrize("options", [{}, {"goal": "exact", "chain": False, "board": "treasure_hunt", "players": 4}])
def test_the_faces_of_picture_sugoroku_lead_where_the_walks_do(options: dict[str, Any]) -> None:
    game = load_game("picture_sugoroku", finish="all_places", **options)
    for state in positions(game, seed=11):
        parts = parts_of(state, 0)
        for seat in range(game.num_players):
            square = state.squares[seat]  # type: ignore[attr-defined]
            assert parts[f"seat +{seat}: square"] == [np.float32(square / game.board.goal)]  # type: ignore[attr-defined]
            faces = parts[f"seat +{seat}: faces"].reshape(6, 3)
            if seat in state.arrivals:  # type: ignore[attr-defined]
                assert not faces.any()
                assert parts[f"seat +{seat}: place"].argmax() == state.arrivals.index(seat)  # type: ignore[attr-defined]
                continue
            for face, walk in zip(faces, game.walks[square], strict=True):  # type: ignore[attr-defined]
                expected = [walk.square / game.board.goal, walk.rests / 2, walk.again]  # type: ignore[attr-defined]
                assert face.tolist() == np.array(expected, dtype=np.float32).tolist()


# --- the pages -------------------------------------------------------------------------------------------------------


def section(page: str, title: str) -> str:
    """A section of a documentation page, up to the next title."""
    found = re.search(rf"(?ms)^## {title}\n(.*?)(?=^## |\Z)", page)
    assert found, f"the page has no section {title!r}"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The rows of the table in a section, its head left out."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


@pytest.mark.parametrize("environment_id", environment_ids())
def test_the_page_of_an_environment_says_what_the_code_does(environment_id: str) -> None:
    env: Any = gymnasium.make(environment_id).unwrapped
    page = inspect.cleandoc(type(env).__doc__ or "")
    assert f"``{environment_id}``" in page
    for title in ("Description", "Rewards", "Starting state", "Episode end"):
        assert len(section(page, title)) > 100

    actions = section(page, "Action space")
    assert f"``Discrete({env.action_space.n})``" in actions
    ranges = [tuple(map(int, row[0].split(".."))) for row in rows(actions)]
    assert [first for first, _ in ranges] == [0, *(last + 1 for _, last in ranges[:-1])]
    assert ranges[-1][1] == env.action_space.n - 1

    observation = section(page, "Observation space")
    shape = ", ".join(map(str, env.observation_space.shape)) + ("," if len(env.observation_space.shape) == 1 else "")
    assert f"``Box(0, 1, ({shape}), float32)``" in observation
    documented = rows(observation)
    actual = [[f"{first}..{last}", part.name, part.meaning] for first, last, part in table(env.game.observation_parts)]
    if documented[-1][0] == "...":
        documented, actual = documented[:-1], actual[: len(documented) - 1]
        assert len(documented) > len(actual) // 2
    assert documented == actual

    arguments = {row[0]: row[1] for row in rows(section(page, "Arguments"))}
    defaults = {
        name: parameter.default
        for kind in type(env).__mro__
        if kind is not object
        for name, parameter in inspect.signature(kind.__init__).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    assert arguments == {name: repr(value) for name, value in (defaults | dict(env.game.options)).items()}
    assert rows(section(page, "Version history")) == []
    assert f"- {environment_id.rpartition('-')[2]}: " in section(page, "Version history")


def test_there_is_a_page_for_every_game() -> None:
    assert len(environment_ids()) == 2 * len(NAMES) == 6
