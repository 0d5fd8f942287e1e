"""What every game must hold: the verbs of `Game` and `State` on random play, for all registered games.

A new game joins by being registered; a row in `OPTION_SETS` makes it join with more than its defaults.
"""

from __future__ import annotations

import copy
import json
import pickle
import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sekisho.envs import CHANCE, TERMINAL, Game, State, game_names, load_game
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.errors import IllegalActionError, NotationError
from support.dash import Dash
from support.option_sets import OPTION_SETS

GAMES: list[Game] = [load_game(name, **o) for name in game_names() for o in OPTION_SETS.get(name, [{}])] + [Dash()]
PLIES = 120  # of each random game; longer ones are left unfinished
SEEDS = (1, 2)

every_game = pytest.mark.parametrize("game", GAMES, ids=repr)


def choices(state: State) -> list[int]:
    """What may be applied: legal actions, or the outcomes of a throw."""
    return [o for o, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()


def random_states(game: Game, seed: int, plies: int = PLIES) -> Iterator[State]:
    """Yield the states of one random game, the same object advanced."""
    rng, state = random.Random(seed), game.new_initial_state()
    for _ in range(plies):
        yield state
        if state.is_terminal():
            return
        state.apply_action(rng.choice(choices(state)))
    yield state


def finished(game: Game, seed: int) -> State:
    """Play one random game to its end."""
    return list(random_states(game, seed, plies=20_000))[-1]


def is_power_of_two(number: int) -> bool:
    return number & (number - 1) == 0


def snapshot(state: State) -> tuple[Any, ...]:
    """Everything that can be seen of a state."""
    return (
        state.to_text(),
        state.current_player(),
        tuple(state.legal_actions()),
        tuple(state.returns()),
        tuple(state.history()),
        state.end_reason(),
        state.words.tobytes(),
        tuple(state.seen_hashes().tolist()),
    )


@every_game
def test_declared_bounds_hold(game: Game) -> None:
    for seed in SEEDS:
        for state in random_states(game, seed):
            assert state.words.shape == (game.state_size,)
            assert state.words.dtype == np.int64
            player, chance = state.current_player(), state.is_chance_node()
            assert player in (CHANCE, TERMINAL, *range(game.num_players))
            assert (player == CHANCE, player == TERMINAL) == (chance, state.is_terminal())
            assert all(0 <= action < game.num_actions for action in state.legal_actions())
            assert bool(state.legal_actions()) == (player >= 0)
            if game.max_game_length is not None:
                assert len(state.history()) <= game.max_game_length
    assert (game.max_chance_outcomes == 0) == (not any(s.is_chance_node() for s in random_states(game, 1)))


@every_game
def test_the_mask_says_what_the_list_of_legal_actions_says_for_the_seat_to_move_alone(game: Game) -> None:
    for state in random_states(game, seed=3):
        mask, legal = state.legal_actions_mask(), state.legal_actions()
        assert (mask.dtype, mask.shape) == (np.int8, (game.num_actions,))
        assert np.flatnonzero(mask).tolist() == legal
        assert set(mask.tolist()) <= {0, 1}
        for player in range(game.num_players):
            turn = player == state.current_player()
            assert state.legal_actions(player) == (legal if turn else [])
            assert state.legal_actions_mask(player).tolist() == (mask if turn else 0 * mask).tolist()
        mask[:] = 1
        assert state.legal_actions() == legal  # the array was ours


@every_game
def test_every_action_that_is_masked_out_is_refused_and_changes_nothing(game: Game) -> None:
    for ply, state in enumerate(random_states(game, seed=4)):
        if not (is_power_of_two(ply) or state.is_terminal()):
            continue
        before, allowed = snapshot(state), set(choices(state))
        for action in {*range(-2, game.num_actions + 2), -game.num_actions, 2**70} - allowed:
            with pytest.raises(IllegalActionError, match=r"."):
                state.apply_action(action)
        for action in (None, "0", 1.0, [0]):
            with pytest.raises(IllegalActionError, match="an action is an integer"):
                state.apply_action(action)  # type: ignore[arg-type]
        assert snapshot(state) == before
    over = finished(game, seed=4)
    before = snapshot(over)
    for action in range(game.num_actions):
        with pytest.raises(IllegalActionError, match="the game is over"):
            over.apply_action(action)
    assert snapshot(over) == before


@every_game
def test_probabilities_of_chance_outcomes_sum_to_one_and_exist_at_chance_nodes_alone(game: Game) -> None:
    for state in random_states(game, seed=5):
        if state.is_chance_node():
            outcomes, probabilities = zip(*state.chance_outcomes(), strict=True)
            assert 1 <= len(outcomes) <= game.max_chance_outcomes
            assert len(set(outcomes)) == len(outcomes)
            assert min(probabilities) > 0
            assert sum(probabilities) == pytest.approx(1.0, abs=1e-12)
            assert not state.legal_actions_mask().any()
        else:
            with pytest.raises(IllegalActionError, match="not a chance node"):
                state.chance_outcomes()


@every_game
def test_returns_are_zero_until_the_end_and_then_zero_sum_within_the_bounds(game: Game) -> None:
    for seed in range(6):
        for state in random_states(game, seed):
            if not state.is_terminal():
                assert state.returns() == state.rewards() == [0.0] * game.num_players
                assert state.end_reason() is None
        over = finished(game, seed)
        returns = over.returns()
        assert over.rewards() == returns
        assert over.end_reason()
        assert len(returns) == game.num_players
        assert sum(returns) == pytest.approx(0.0, abs=1e-12)
        assert game.min_utility <= min(returns) <= max(returns) <= game.max_utility


@every_game
def test_a_clone_is_equal_and_goes_its_own_way(game: Game) -> None:
    for ply, state in enumerate(random_states(game, seed=6)):
        if not is_power_of_two(ply):
            continue
        clone, before = state.clone(), snapshot(state)
        assert clone == state
        assert snapshot(clone) == before
        for action in choices(state)[:3]:
            child = state.child(action)
            assert child.history() == [*state.history(), action]
            assert child != state
        if not state.is_terminal():
            clone.apply_action(choices(clone)[-1])
            assert clone != state
            clone.undo_action()
            clone.undo_action() if clone.history() else None
        assert snapshot(state) == before


@every_game
def test_undo_takes_back_one_ply_after_the_other(game: Game) -> None:
    seen = [(snapshot(state), state.current_player()) for state in random_states(game, seed=7)]
    state = list(random_states(game, seed=7))[-1]
    for number in range(len(seen) - 1, 0, -1):
        last, mover = state.history()[-1], seen[number - 1][1]
        if is_power_of_two(number):
            with pytest.raises(IllegalActionError, match=f"the last action was {last} by player {mover}, not"):
                state.undo_action(mover + 1, last)
            with pytest.raises(IllegalActionError, match=f"the last action was {last} by player {mover}, not"):
                state.undo_action(mover, last + 1)
            assert state.clone().undo_action() == last
            assert state.undo_action(mover, last) == last
        else:
            assert state.undo_action() == last
        assert snapshot(state) == seen[number - 1][0]
    with pytest.raises(IllegalActionError, match="nothing was played yet"):
        state.undo_action()


@every_game
def test_the_positions_before_are_those_that_were_met(game: Game) -> None:
    met: list[Any] = []
    for state in random_states(game, seed=9):
        past = state.past_words()
        assert len(past) == len(state.history())
        assert all(np.array_equal(old, words) for old, words in zip(met, past, strict=True))
        past.clear()
        met.append(state.words)


@every_game
def test_a_game_played_again_from_its_history_or_its_moves_is_the_same_game(game: Game) -> None:
    state = list(random_states(game, seed=8))[-1]
    again, in_words = game.new_initial_state(), game.new_initial_state()
    for action in state.history():
        again.apply_action(action)
    for move in state.moves():
        in_words.apply_action(in_words.string_to_action(move))
    assert again == in_words == state
    assert snapshot(again) == snapshot(in_words) == snapshot(state)


@every_game
def test_names_of_actions_are_read_back_and_differ(game: Game) -> None:
    for ply, state in enumerate(random_states(game, seed=9)):
        if is_power_of_two(ply):
            actions = choices(state)
            names = [state.action_to_string(action) for action in actions]
            assert len(set(names)) == len(names)
            assert [state.string_to_action(name) for name in names] == actions
    for word in ("", "no such move", "\0", "9" * 50):
        with pytest.raises(NotationError):
            game.new_initial_state().string_to_action(word)


@every_game
def test_text_is_one_line_and_reads_back_to_the_same_position(game: Game) -> None:
    for seed in SEEDS:
        for state in [*random_states(game, seed), finished(game, seed)]:
            text = state.to_text()
            assert len(text.splitlines()) == 1
            again = game.from_text(text)
            assert again.to_text() == text
            assert again.words.tolist() == state.words.tolist()
            assert again.history() == []
            if not state.is_repetition():
                assert (again.current_player(), again.returns()) == (state.current_player(), state.returns())
                assert again.legal_actions() == state.legal_actions()


@every_game
def test_the_dict_form_is_json_and_reads_back_with_its_history(game: Game) -> None:
    for ply, state in enumerate(random_states(game, seed=10)):
        if is_power_of_two(ply) or state.is_terminal():
            data = json.loads(json.dumps(state.to_dict(), allow_nan=False))
            again = game.from_dict(data)
            assert again == state
            assert snapshot(again) == snapshot(state)
            assert again.moves() == state.moves()
    over = finished(game, seed=10)
    assert snapshot(game.from_dict(over.to_dict())) == snapshot(over)


@every_game
def test_the_dict_form_of_a_game_from_a_position_begins_at_that_position(game: Game) -> None:
    middle = list(random_states(game, seed=11, plies=5))[-1]
    state = game.from_text(middle.to_text())
    for _ in range(4):
        if not state.is_terminal():
            state.apply_action(choices(state)[0])
    assert state.to_dict()["start"] == middle.to_text()
    assert game.from_dict(state.to_dict()) == state


@every_game
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda state: pickle.loads(pickle.dumps(state))])
def test_pickle_and_copies_keep_the_state_and_are_independent(game: Game, way: Any) -> None:
    for ply, state in enumerate(random_states(game, seed=12)):
        if is_power_of_two(ply):
            again, before = way(state), snapshot(state)
            assert again == state
            assert again.game == game
            assert snapshot(again) == before
            if not state.is_terminal():
                again.apply_action(choices(again)[0])
                assert snapshot(state) == before


@every_game
def test_equal_positions_have_equal_hashes_and_hashing_changes_nothing(game: Game) -> None:
    by_text: dict[str, int] = {}
    for seed in range(4):
        for state in random_states(game, seed):
            before = state.words.copy()
            value = int(game.kernels.hash(game.rules, state.words))
            assert 0 <= value < 2**64
            assert (state.words == before).all()
            assert by_text.setdefault(state.to_text(), value) == value
            assert int(game.kernels.hash(game.rules, game.from_text(state.to_text()).words)) == value
    assert len(set(by_text.values())) > 0.2 * len(by_text)  # texts count plies, hashes do not


@every_game
def test_the_kernels_answer_without_changing_the_state_or_the_rules(game: Game) -> None:
    rules = game.rules.copy()
    rng = np.array([1, 0], dtype=np.uint64)
    mask, out = np.ones(game.num_actions, dtype=np.int8), np.ones(game.num_players)
    outcomes = np.zeros(game.max_chance_outcomes, dtype=np.int64)
    for state in random_states(game, seed=13):
        words = state.words.copy()
        count = game.kernels.legal(game.rules, state.words, mask)
        game.kernels.returns(game.rules, state.words, out)
        game.kernels.chance(game.rules, state.words, outcomes, np.zeros(game.max_chance_outcomes))
        if not state.is_repetition():
            assert count == len(state.legal_actions()) == mask.sum()
            assert out.tolist() == state.returns()
        if not state.is_terminal():
            assert game.kernels.sample(game.rules, state.words, rng) in choices(state)
        assert (state.words == words).all()
    assert (game.rules == rules).all()


@every_game
def test_a_preview_is_data_and_words_and_leaves_the_state_alone(game: Game) -> None:
    for ply, state in enumerate(random_states(game, seed=14)):
        if is_power_of_two(ply):
            before = snapshot(state)
            for action in choices(state)[::7]:
                preview = state.preview(action)
                assert preview.text == preview.text.strip() != ""
                assert json.loads(json.dumps(dict(preview.data), allow_nan=False)) == dict(preview.data)
            assert snapshot(state) == before


@every_game
def test_words_for_people_show_the_position(game: Game) -> None:
    state = game.new_initial_state()
    assert str(state) == state.draw()
    assert state.to_text() in repr(state)
    assert max(len(line) for line in re.sub(r"\x1b\[[0-9;]*m", "", state.draw()).splitlines()) <= 100


@pytest.mark.parametrize("columns", [60, 100])
@pytest.mark.parametrize("name", game_names())
def test_a_brief_drawing_leaves_out_lines_and_no_piece(name: str, columns: int) -> None:
    for state in random_states(load_game(name), 3):
        whole, brief = state.draw(columns).splitlines(), state.draw_briefly(columns).splitlines()
        assert set(brief) <= set(whole)
        assert len(brief) <= len(whole)
        for line in set(whole) - set(brief):
            assert not re.search(r"\[[1-6cd ]+\]", line.replace("[12] seats", "")), line  # seats stand in brackets


@every_game
def test_the_journal_tells_every_ply_in_numbered_lines_and_leaves_the_state_alone(game: Game) -> None:
    state = game.new_initial_state()
    assert state.journal_text() == ""
    rng = new_rng(3)
    for _ in range(12):
        if not state.is_terminal():
            state.apply_action(int(game.kernels.sample(game.rules, state.words, rng)))
    before = state.clone()
    numbers = [int(number) for number in re.findall(r"(?m)^ *(\d+)\. ", state.journal_text())]
    assert numbers == list(range(1, len(numbers) + 1))
    assert 0 < len(numbers) <= 12 + game.num_players  # turns that are skipped are told too
    assert state == before
    assert state.history() == before.history()


@every_game
def test_states_of_other_rules_are_not_equal_and_states_cannot_be_hashed(game: Game) -> None:
    state = game.new_initial_state()
    assert all((state == other.new_initial_state()) == (game == other) for other in GAMES)
    assert state != state.to_text()
    with pytest.raises(TypeError, match="unhashable"):
        hash(state)


@every_game
def test_play_is_deterministic_and_leaves_the_global_generators_alone(game: Game) -> None:
    random.seed(5)
    before = random.getstate(), pickle.dumps(np.random.get_state())  # noqa: NPY002  the global state is the point
    first = [snapshot(state) for state in random_states(game, seed=15)]
    second = [snapshot(state) for state in random_states(game, seed=15)]
    assert first == second
    state = finished(game, seed=15)
    state.to_dict()
    state.draw()
    assert (random.getstate(), pickle.dumps(np.random.get_state())) == before  # noqa: NPY002


@every_game
def test_a_compact_state_has_at_most_256_bytes(game: Game) -> None:
    assert game.new_initial_state().words.nbytes == 8 * game.state_size <= 256


@every_game
@pytest.mark.parametrize("action", [True, False, pytest.param(10**5000, id="huge"), 1.0, None, "1"])
def test_what_is_no_whole_number_is_no_action(game: Game, action: Any) -> None:
    state = game.new_initial_state()
    before = snapshot(state)
    with pytest.raises(IllegalActionError):
        state.apply_action(action)
    assert snapshot(state) == before
