"""Perft and divide on a game from outside the package: the kernel contract is open, chance nodes included."""

from __future__ import annotations

import pytest

from sekisho.envs import load_game, registry
from sekisho.envs.perft import divide, perft
from support import dash


@pytest.mark.parametrize("length", [1, 2, 5])
@pytest.mark.parametrize("depth", [0, 1, 2, 3, 4, 7, 10])
def test_perft_of_a_game_with_dice_is_as_on_paper(length: int, depth: int) -> None:
    assert perft(dash.Dash(length=length), depth) == dash.paths(0, 0, 0, length, depth)


def test_perft_of_the_first_plies_is_as_counted_by_hand() -> None:
    # three throws; 1 + 2 + 2 choices; three throws after each
    assert [perft(dash.Dash(), depth) for depth in range(4)] == [1, 3, 5, 15]


def test_perft_of_a_finished_game_is_one_at_depth_0_and_nothing_below() -> None:
    finished = dash.Dash().from_text("5 2 1 0")
    assert finished.is_terminal()
    assert [perft(finished, depth) for depth in (0, 1, 2)] == [1, 0, 0]


@pytest.mark.parametrize("moves", [[], [3], [3, 1]])
def test_divide_adds_up_to_perft_at_chance_nodes_and_decisions(moves: list[int]) -> None:
    state = dash.Dash(length=4).new_initial_state()
    for move in moves:
        state.apply_action(move)
    counts = divide(state, 5)
    names = {"[1]", "[2]", "[3]"} if state.is_chance_node() else {"all", "one"}
    assert counts.keys() == names
    assert sum(counts.values()) == perft(state, 5)
    for name, count in counts.items():
        assert count == perft(state.child(state.string_to_action(name)), 4)


@pytest.mark.parametrize("name", ["dash", "another dash"])
def test_a_registered_game_is_loaded_by_name_and_counted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_games", dict(registry._games))
    registry.register_game(name, "support.dash:Dash" if name == "dash" else dash.Dash)
    game = load_game(name, length=3)
    assert game == dash.Dash(length=3)
    assert perft(game, 6) == dash.paths(0, 0, 0, 3, 6)


def test_counting_leaves_the_position_as_it_was() -> None:
    state = load_game("quoridor", board_size=5).new_initial_state()
    before = state.words.copy()
    perft(state, 3)
    divide(state, 2)
    assert (state.words == before).all()
    assert state.history() == []


@pytest.mark.parametrize(("count", "depth"), [(perft, -1), (divide, 0), (divide, -3)])
def test_a_depth_that_makes_no_sense_is_refused(count: object, depth: int) -> None:
    assert callable(count)
    with pytest.raises(ValueError, match=f"not {depth}"):
        count(dash.Dash(), depth)
