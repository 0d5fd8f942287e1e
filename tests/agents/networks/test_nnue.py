"""Networks of kind `nnue`: what they see, and that alpha-beta's sums of it are what they would be in full."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from reference.quoridor import Quoridor as ReferenceQuoridor
from reference.quoridor import barred_steps
from sekisho.agents import make_agent
from sekisho.agents.networks import incremental, quoridor_inputs
from sekisho.agents.networks.config import NetworkConfig, shape_of
from sekisho.agents.networks.evaluator import make_evaluator
from sekisho.agents.networks.files import StoredNetwork, rules_of, write_network
from sekisho.agents.networks.modules import build_network
from sekisho.agents.networks.quoridor_inputs import COUNTS, FENCES, HANDS, INPUTS, LEAD, MOSTS, PAWNS, STEPS, TOTALS
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.agents.search.alphabeta import frames
from sekisho.agents.search.alphabeta.search import AlphaBetaSearch
from sekisho.envs import State, load_game
from sekisho.envs.core import Game
from sekisho.envs.errors import AgentError, NetworkError, OptionError
from sekisho.envs.quoridor.kernels import SEAT, distance
from support.positions import random_decisions

CONFIG = NetworkConfig("nnue", 32, 1, 16)


def stored(game: Game, seed: int = 3) -> StoredNetwork:
    arrays, rng = arrays_of(build_network(game, CONFIG, seed)), np.random.default_rng(seed)
    for array in arrays.values():
        array += rng.normal(0, 0.1, array.shape).astype(np.float32)
    return StoredNetwork(CONFIG, shape_of(game, CONFIG), game.name, rules_of(game), arrays)


def inputs_of(game: Game, words: NDArray[np.int64], viewer: int) -> NDArray[np.float32]:
    out = np.empty(INPUTS, np.float32)
    quoridor_inputs.write_inputs(game.rules, words, viewer, out)
    return out


def reference_of(state: State) -> ReferenceQuoridor:
    reference = ReferenceQuoridor(board_size=state.game.options["board_size"], fences=state.game.options["fences"])
    walk = state.game.new_initial_state()
    for action in state.history():
        reference.play(walk.action_to_string(action))
        walk.apply_action(action)
    return reference


def random_states(game: Game, count: int, seed: int) -> list[State]:
    rng, found = np.random.default_rng(seed), list[State]()
    while len(found) < count:
        state = game.new_initial_state()
        for _ in range(rng.integers(1, 25)):
            if not state.is_terminal():
                state.apply_action(int(rng.choice(state.legal_actions())))
        if not state.is_terminal():
            found.append(state)
    return found


@pytest.mark.parametrize("board_size", [5, 9])
def test_what_a_fence_could_do_is_what_the_reference_finds_by_trying_all_of_them(board_size: int) -> None:
    game, some_threat = load_game("quoridor", board_size=board_size, fences=8), 0
    for state in random_states(game, 25, seed=1):
        reference = reference_of(state)
        viewer = state.current_player()
        seen = inputs_of(game, state.words, viewer)
        for seat in range(2):
            steps, other = reference.distance(seat), int(seat != viewer)
            longer = []
            for fence in reference.named_fences.values():
                if reference._fence_fits(fence):
                    longer.append(reference._steps_to_goal(seat, barred_steps(reference.fences | {fence})))
            count = sum(then != steps for then in longer)
            more = [then - steps for then in longer if then is not None]
            some_threat += count
            assert np.flatnonzero(seen[COUNTS + 17 * other : COUNTS + 17 * (other + 1)]) == min(count, 16)
            assert np.flatnonzero(seen[MOSTS + 16 * other : MOSTS + 16 * (other + 1)]) == min(max(more, default=0), 15)
            assert np.flatnonzero(seen[TOTALS + 24 * other : TOTALS + 24 * (other + 1)]) == min(sum(more) // 2, 23)
            assert np.flatnonzero(seen[STEPS + 32 * other : STEPS + 32 * (other + 1)]) == steps
            assert np.flatnonzero(seen[HANDS + 11 * other : HANDS + 11 * (other + 1)]) == reference.left[seat]
        lead = reference.distance(1 - viewer) - reference.distance(viewer)
        assert np.flatnonzero(seen[LEAD : LEAD + 33]) == lead + 16
        assert seen[FENCES : FENCES + 128].sum() == len(reference.fences)
        assert seen[PAWNS : PAWNS + 162].sum() == 2
    assert some_threat > 50


def test_both_seats_see_their_own_way_north() -> None:
    game = load_game("quoridor")
    start = game.new_initial_state()
    first, second = inputs_of(game, start.words, 0), inputs_of(game, start.words, 1)
    np.testing.assert_array_equal(first, second)
    assert first[PAWNS + 4] == 1  # e1
    assert first[PAWNS + 81 + 76] == 1  # e9


@pytest.mark.parametrize("options", [{}, {"board_size": 5, "fences": 3}])
def test_alpha_beta_sums_up_what_the_network_says_in_full(options: dict[str, int]) -> None:
    game = load_game("quoridor", **options)
    network = stored(game)
    evaluate, data = incremental.evaluation_of(game, network)
    words, _ = random_decisions(game, 200, seed=4)
    table, scratch = np.zeros((3, frames.FRAME_SIZE), np.int64), np.zeros((frames.SCRATCH_ROWS, 2), np.uint64)
    after, summed = [], []
    for position in words:
        state = game.state_of(position.copy())
        for action in state.legal_actions()[::7]:
            child = state.child(action)
            if child.is_terminal():
                continue
            table[1:, frames.SUMMED] = 0
            for row, here in ((1, state), (2, child)):
                table[row, : here.words.size] = here.words
                for seat in range(2):
                    table[row, frames.STEPS + seat] = distance(game.rules, here.words, seat)
            summed.append(int(evaluate(game.rules, table, 2, scratch, data)))
            after.append(child.words)
    after_words = np.array(after)
    seats = np.ascontiguousarray(after_words[:, SEAT])
    _, returns = make_evaluator(network, "torch").evaluate(game, after_words, seats)
    expected = 200 * np.arctanh(returns[np.arange(len(seats)), seats])
    np.testing.assert_allclose(summed, expected, atol=1.1)  # hundredths of log-odds, cut off to whole ones
    assert np.ptp(expected) > 20


def test_it_is_a_leaf_of_alphabeta_by_its_file(tmp_path: Path) -> None:
    game = load_game("quoridor")
    network = stored(game)
    write_network(tmp_path / "small.safetensors", game, CONFIG, network.arrays, {})
    spec = f"alphabeta:nodes=2000,leaf=(net:checkpoint={tmp_path / 'small.safetensors'})"
    state = game.new_initial_state()
    one, two = (make_agent(spec).act(state, np.random.default_rng(0)) for _ in range(2))
    by_hand = make_agent("alphabeta:nodes=2000").act(state, np.random.default_rng(0))
    assert (one.action, one.value) == (two.action, two.value)
    assert one.statistics["score"] != by_hand.statistics["score"]
    alone = make_agent(f"net:checkpoint={tmp_path / 'small.safetensors'}")
    decision = alone.act(state, np.random.default_rng(0))
    worth = alone.choice_values(state)  # type: ignore[attr-defined]
    assert worth[decision.action] == np.nanmax(worth)


def test_what_it_cannot_be_used_for_is_said(tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match="Quoridor with two or four players"):
        build_network(load_game("tokaido"), CONFIG, 0)
    with pytest.raises(NetworkError, match="multiple of 16"):
        build_network(load_game("quoridor"), NetworkConfig("nnue", 40, 1, 16), 0)
    with pytest.raises(OptionError, match="'leaf' must be 'hand' or an agent with an evaluation"):
        make_agent("alphabeta:leaf=heuristic")
    with pytest.raises(OptionError, match="there is no agent 'nett'"):
        make_agent("alphabeta:leaf=nett")
    small = load_game("quoridor", board_size=5, fences=2)
    write_network(tmp_path / "five.safetensors", small, CONFIG, stored(small).arrays, {})
    spec = f"alphabeta:leaf=(net:checkpoint={tmp_path / 'five.safetensors'})"
    with pytest.raises(AgentError, match=r"^alphabeta: leaf=\(net:checkpoint=.*\) cannot judge here: .*board_size=5"):
        make_agent(spec).supports(load_game("quoridor"))
    mlp = NetworkConfig("mlp", 16, 1)
    write_network(tmp_path / "mlp.safetensors", small, mlp, arrays_of(build_network(small, mlp, 0)), {})
    with pytest.raises(AgentError, match="only a network of kind 'nnue'"):
        make_agent(f"alphabeta:leaf=(net:checkpoint={tmp_path / 'mlp.safetensors'})").supports(small)


def test_the_network_that_ships_plays_inside_alphabeta_where_it_belongs_and_nowhere_else() -> None:
    agent = make_agent("alphabeta:nodes=2000,leaf=(net:checkpoint=quoridor)")
    state = load_game("quoridor").new_initial_state()
    assert agent.act(state, np.random.default_rng(0)).action in state.legal_actions()
    with pytest.raises(AgentError, match="board_size=9"):
        agent.supports(load_game("quoridor", board_size=7))


def test_log_odds_that_no_search_could_take_are_cut_off_and_wild_weights_refused() -> None:
    game = load_game("quoridor", board_size=5, fences=3)
    for size, bias in ((1e5, 1.0), (1e6, 1.0), (1e6, -1.0)):
        network = stored(game)
        arrays: dict[str, NDArray[np.float32]] = {name: np.array(array) for name, array in network.arrays.items()}
        arrays["value.weight"][:], arrays["value.bias"][:] = 0.0, bias * size
        search = AlphaBetaSearch(game, 1, incremental.evaluation_of(game, replace(network, arrays=arrays)))
        found = search.judge(game.new_initial_state().words.copy(), 50)
        assert abs(found.value) == frames.DECIDED  # as sure as can be, but nothing that is proven
        assert not found.is_decided
    arrays["value.bias"][:] = 3e38
    with pytest.raises(NetworkError, match="beyond 1,000,000"):
        incremental.evaluation_of(game, replace(network, arrays=arrays))
