"""Speed figures: what they are measured on, and how two programs are compared."""

from __future__ import annotations

from itertools import count

import pytest

from sekisho.arena.search_speed import nodes_meter
from sekisho.arena.speed import Contest, contests, quoridor_positions
from sekisho.envs import game_names, load_game


@pytest.mark.parametrize("fences", [10, 18])
def test_the_positions_have_the_fences_they_are_named_after_and_a_mover_who_may_place_more(fences: int) -> None:
    lines = quoridor_positions()[f"{fences} fences"]
    assert len(lines) == 20
    for line in lines:
        state = load_game("quoridor").new_initial_state()
        state.apply_moves(line)
        assert len(state.horizontal_fences) + len(state.vertical_fences) == fences
        assert state.fences_left[state.seat] > 0
        assert sum(state.legal_actions_mask()) > 3


@pytest.mark.parametrize("name", game_names())
def test_every_game_has_its_playouts_measured(name: str) -> None:
    assert f"{name}: random playouts" in [contest.name for contest in contests(name)]


def test_alpha_beta_is_measured_by_the_nodes_it_counts_itself() -> None:
    states = [load_game("quoridor").new_initial_state()]
    assert nodes_meter(states)() > 1000
    names = [contest.name for contest in contests("quoridor")]
    assert [name for name in names if "alpha-beta" in name] == [
        f"quoridor: alpha-beta, {kind}" for kind in ("start", "10 fences", "18 fences")
    ]


def test_ratios_are_those_of_neighbouring_runs_after_a_warm_up() -> None:
    ours, theirs = count(1), count(10, 10)  # ours gives 2, 3, 4 after the warm-up, theirs 10, 20, 30
    rate = Contest("rate", "1/s", lambda: next(ours), "peer", lambda: next(theirs)).run(3)
    assert (rate.value, rate.peer_value, rate.ratio) == (3, 20, 3 / 20)
    ours, theirs = count(1), count(10, 10)
    time = Contest("time", "s", lambda: next(ours), "peer", lambda: next(theirs), larger_is_faster=False).run(3)
    assert time.ratio == 20 / 3


def test_without_a_peer_there_is_no_ratio() -> None:
    alone = Contest("alone", "1/s", lambda: 4.0).run(2)
    assert (alone.value, alone.peer, alone.peer_value, alone.ratio) == (4.0, None, None, None)
