"""What networks of kind `nnue` see of a table of four, held against the reference rules, and how they are kept and used."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reference.quoridor import Quoridor as ReferenceQuoridor
from reference.quoridor import barred_steps
from sekisho.agents import make_agent
from sekisho.agents.networks import files, incremental
from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.files import StoredNetwork, read_network, rules_of, write_network
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.quoridor_four_inputs import (
    COUNTS,
    FENCES,
    HANDS,
    IN_HANDS,
    INPUTS,
    LEADS,
    MOST_AT_ONCE,
    MOSTS,
    PAWNS,
    SEAT_INPUTS,
    STEPS,
    TOTALS,
    list_inputs,
    write_inputs,
)
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.envs import State, load_game
from sekisho.envs.core import Game
from sekisho.envs.errors import AgentError, NetworkError
from sekisho.envs.quoridor import kernels

CONFIG = NetworkConfig("nnue", 32, 1, 16)
BOARDS = [{"board_size": 9}, {"board_size": 6, "fences": 3}, {"board_size": 5, "fences": 20}]


def stored(game: Game, seed: int = 3) -> StoredNetwork:
    arrays, rng = arrays_of(build_network(game, CONFIG, seed)), np.random.default_rng(seed)
    for array in arrays.values():
        array += rng.normal(0, 0.1, array.shape).astype(np.float32)
    return StoredNetwork(CONFIG, shape_of(game, CONFIG), game.name, rules_of(game), arrays)


def random_states(game: Game, count: int, seed: int) -> list[State]:
    rng, found = np.random.default_rng(seed), list[State]()
    while len(found) < count:
        state = game.new_initial_state()
        for _ in range(rng.integers(0, 35)):
            if not state.is_terminal():
                state.apply_action(int(rng.choice(state.legal_actions())))
        if not state.is_terminal():
            found.append(state)
    return found


def listed(state: State, viewer: int) -> list[int]:
    out, scratch = np.empty(MOST_AT_ONCE, np.int64), np.empty((82, 2), np.uint64)
    return sorted(out[: list_inputs(state.game.rules, state.words, viewer, scratch, out)].tolist())


def turned(place: tuple[int, int], side: int, quarters: int) -> tuple[int, int]:
    """A place after quarter turns of the board anticlockwise."""
    for _ in range(quarters):
        place = side - 1 - place[1], place[0]
    return place


def expected_inputs(state: State, viewer: int) -> list[int]:
    """The same by the reference rules: every fence is tried."""
    options = state.game.options
    reference = ReferenceQuoridor(4, options["board_size"], options["fences"])
    walk = state.game.new_initial_state()
    for action in state.history():
        reference.play(walk.action_to_string(action))
        walk.apply_action(action)
    size, found = reference.n, [IN_HANDS + min(sum(reference.left), 40)]
    for place in range(4):
        seat = (viewer + place) % 4
        steps = reference.distance(seat)
        tried = [
            reference._steps_to_goal(seat, barred_steps(reference.fences | {fence}))
            for fence in reference.named_fences.values() if reference._fence_fits(fence)
        ]  # fmt: skip
        more = [then - steps for then in tried if then is not None]
        lead = min(reference.distance(other) for other in range(4) if other != seat) - steps
        file, rank = turned(reference.pawns[seat], size, viewer)
        found += [
            SEAT_INPUTS * place + number
            for number in (
                STEPS + min(steps, 31),
                HANDS + min(reference.left[seat], 10),
                COUNTS + min(sum(then != steps for then in tried), 16),
                MOSTS + min(max(more, default=0), 15),
                TOTALS + min(sum(more) // 2, 23),
                LEADS + 16 + max(-16, min(lead, 16)),
                PAWNS + 9 * rank + file,
            )
        ]
    for at_file, at_rank, way in reference.fences:
        file, rank = turned((at_file, at_rank), size - 1, viewer)
        found.append(FENCES + 64 * ((way == "v") ^ (viewer % 2)) + 8 * rank + file)
    return sorted(found)


def a_quarter_on(state: State) -> State:
    """The position after a quarter turn anticlockwise, every seat called as the one that was at its side before."""
    words, old = state.game.new_initial_state().words.copy(), state.words
    size = state.game.options["board_size"]
    for seat in range(4):
        file, rank = turned((int(old[kernels.PAWN + seat]) % 9, int(old[kernels.PAWN + seat]) // 9), size, 1)
        words[kernels.PAWN + (seat - 1) % 4] = 9 * rank + file
        words[kernels.LEFT + (seat - 1) % 4] = old[kernels.LEFT + seat]
    words[kernels.SEAT], words[kernels.PLY] = (old[kernels.SEAT] - 1) % 4, old[kernels.PLY]
    for vertical, word in ((False, kernels.HORIZONTAL), (True, kernels.VERTICAL)):
        for anchor in range(64):
            if int(old[word]) >> anchor & 1:
                file, rank = turned((anchor % 8, anchor // 8), size - 1, 1)
                kernels.place_fence(words, not vertical, 8 * rank + file)
    return state.game.state_of(words)


@pytest.mark.parametrize("options", BOARDS)
def test_the_inputs_are_what_the_reference_finds(options: dict[str, int]) -> None:
    game, fences, numbers = load_game("quoridor", players=4, **options), 0, set[int]()
    for state in random_states(game, 16, seed=1):
        for viewer in range(4):
            found = listed(state, viewer)
            assert found == expected_inputs(state, viewer)
            fences += sum(FENCES <= number < IN_HANDS for number in found)
            numbers.update(found)
    assert fences > 50
    assert max(numbers) < INPUTS


def test_as_many_hold_at_once_as_there_is_room_for() -> None:
    game = load_game("quoridor", players=4, fences=20)
    state = game.new_initial_state()
    while any(places := [action for action in state.legal_actions() if action >= 81]):
        state.apply_action(places[0])
    found = listed(state, 2)
    assert (
        len(found) == len(set(found)) == 29 + bin(int(state.words[0])).count("1") + bin(int(state.words[1])).count("1")
    )
    assert len(found) > 55
    row = np.empty(INPUTS, np.float32)
    write_inputs(game.rules, state.words, 2, row)
    assert np.flatnonzero(row).tolist() == found


@pytest.mark.parametrize("options", BOARDS)
def test_the_seats_see_the_same_when_the_board_is_turned_and_they_with_it(options: dict[str, int]) -> None:
    game, told_apart = load_game("quoridor", players=4, **options), 0
    for state in random_states(game, 12, seed=2):
        other = a_quarter_on(state)
        for viewer in range(4):
            assert listed(other, (viewer - 1) % 4) == listed(state, viewer)
            told_apart += listed(other, viewer) != listed(state, viewer)
    assert told_apart > 12
    start = game.new_initial_state()
    assert listed(start, 0) == listed(start, 1) == listed(start, 2) == listed(start, 3)


def test_a_file_brings_back_the_network_and_it_plays_what_is_worth_most(tmp_path: Path) -> None:
    game = load_game("quoridor", players=4)
    network, path = stored(game), tmp_path / "four.safetensors"
    write_network(path, game, CONFIG, network.arrays, {"seed": 3})
    again = read_network(path)
    assert (again.shape, again.config, again.version) == (network.shape, CONFIG, files.FOUR_INPUTS_VERSION)
    assert all(np.array_equal(again.arrays[name], array) for name, array in network.arrays.items())
    agent = make_agent(f"net:checkpoint={path}")
    for state in random_states(game, 3, seed=4):
        decision = agent.act(state, np.random.default_rng(0))
        worth = agent.choice_values(state)  # type: ignore[attr-defined]
        assert decision.value == worth[decision.action] == np.nanmax(worth)
        assert sum(decision.statistics["seats"]) == pytest.approx(0, abs=1e-5)
        assert np.ptp(worth[~np.isnan(worth)]) > 0.001
    searched = make_agent(f"net:checkpoint={path},simulations=40").act(
        game.new_initial_state(), np.random.default_rng(0)
    )
    assert searched.statistics["simulations"] == 40


def test_files_say_which_inputs_they_are_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for players in (2, 4):
        game = load_game("quoridor", players=players)
        write_network(tmp_path / f"{players}.safetensors", game, CONFIG, stored(game).arrays, {})
    monkeypatch.setattr(files, "FOUR_INPUTS_VERSION", 2)
    read_network(tmp_path / "2.safetensors")
    with pytest.raises(NetworkError, match="older observation of quoridor"):
        read_network(tmp_path / "4.safetensors")


def test_a_table_of_another_size_is_refused(tmp_path: Path) -> None:
    for players, other in ((2, 4), (4, 2)):
        game = load_game("quoridor", players=players, fences=5)
        write_network(tmp_path / "table.safetensors", game, CONFIG, stored(game).arrays, {})
        for spec in ("net:checkpoint={}", "mcts:leaf=(net:checkpoint={})"):
            agent = make_agent(spec.format(tmp_path / "table.safetensors"))
            with pytest.raises(AgentError, match=f"players={players}, not players={other}"):
                agent.supports(load_game("quoridor", players=other, fences=5))
    four = load_game("quoridor", players=4)
    with pytest.raises(NetworkError, match="alpha-beta looks ahead with two players"):
        incremental.evaluation_of(four, stored(four))
    wrong = stored(four).arrays | {"value.weight": np.zeros((1, 16), np.float32), "value.bias": np.zeros(1, np.float32)}
    with pytest.raises(NetworkError, match=r"value\.bias"):
        write_network(tmp_path / "wrong.safetensors", four, CONFIG, wrong, {})
