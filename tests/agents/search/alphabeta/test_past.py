"""What stood on the board before, as `alphabeta` knows it: boards that came back, and games that were searched."""

from __future__ import annotations

import numpy as np
import pytest

from sekisho.agents import make_agent
from sekisho.agents.search import memory as memory_of_machine
from sekisho.agents.search.alphabeta import frames
from sekisho.agents.search.alphabeta.judging import board_of
from sekisho.agents.search.alphabeta.search import AlphaBetaSearch, barred_past
from sekisho.agents.search.alphabeta.transpositions import EXACT, LEAST, MOST_AGE, probe, store
from sekisho.envs import State, load_game
from sekisho.envs.errors import AgentError
from sekisho.envs.quoridor.rules import Quoridor

TO_AND_FRO = ("e2", "e8", "e1", "e9")


def played(game: Quoridor, *words: str) -> State:
    state = game.new_initial_state()
    state.apply_moves(" ".join(words))
    return state


# --- boards that came back -------------------------------------------------------------------------------------------

RULES = pytest.mark.parametrize("repetition", [None, 3])


@RULES
@pytest.mark.parametrize("max_plies", [None, 200, 12])
def test_boards_that_stood_twice_are_known_from_the_first_of_them_on(
    max_plies: int | None, repetition: int | None
) -> None:
    game = Quoridor(max_plies=max_plies, repetition=repetition)
    assert barred_past(played(game, "e2", "e8", "e1")) == []
    start = played(game, *TO_AND_FRO)
    first, *others = barred_past(start)
    assert first == board_of(game.rules, start.words)
    assert others == [frames.NO_BOARD] * 3
    later = barred_past(played(game, *TO_AND_FRO, "e2", "e8", "e1"))
    assert [board != frames.NO_BOARD for board in later] == [True, True, True, True, True, True, True]
    assert len(set(later)) == 4
    assert later[:3] == later[4:]


@RULES
def test_what_stood_before_a_fence_counts_no_more(repetition: int | None) -> None:
    game = Quoridor(repetition=repetition)
    state = played(game, *TO_AND_FRO, "a1h", "e8")
    assert barred_past(state) == []
    search = AlphaBetaSearch(game, 1)
    search.begin(state)
    assert search._control[frames.BARRED] == 0  # races are asked and the table is as good as without a past
    assert barred_past(played(game, *TO_AND_FRO, "a1h", "e8", "e2", "e9")) == []
    came_back = barred_past(played(game, *TO_AND_FRO, "a1h", "e8", "e2", "e9", "e1"))
    assert [board != frames.NO_BOARD for board in came_back] == [True, False, False, False]


def test_a_state_that_came_from_compiled_code_has_the_past_of_its_hashes() -> None:
    state = played(Quoridor(repetition=3), *TO_AND_FRO, "e2")
    bare = state.game.state_of(state.words, state.seen_hashes())
    assert bare.history() == []
    assert barred_past(bare) == barred_past(state) != []


@RULES
def test_a_board_that_stood_twice_counts_as_a_draw_in_the_search_and_one_that_stood_once_does_not(
    repetition: int | None,
) -> None:
    """Steps to and fro: what is worth something to go back to, is worth nothing the second time."""
    game, counted, equal = Quoridor(board_size=5, fences=2, max_plies=None, repetition=repetition), 0, 0
    search, rng = AlphaBetaSearch(game, 1), np.random.default_rng(3)
    for _ in range(40):
        state = game.new_initial_state()
        for _ in range(2):
            state.apply_action(int(rng.choice(state.legal_actions())))
        away = state.clone()
        for _ in range(2):
            for _ in range(2):  # there
                away.apply_action(int(rng.choice([action for action in away.legal_actions() if action < 25])))
            if away.is_terminal():
                break
            back = _back(away, state)
            if back is None:
                break
            away = back
            values = [search.run(s, 3, None, None).value for s in (away, game.from_text(away.to_text()))]
            if len(away.history()) < 8:
                equal += values[0] == values[1]
            counted += values[0] != values[1]
    assert equal > 3
    assert counted > 0


def _back(away: State, home: State) -> State | None:
    """Both pawns step back to where they stood, if they can."""
    back = away.clone()
    for seat in (0, 1):
        file, rank = home.pawns[seat]  # type: ignore[attr-defined]
        action = rank * 5 + file
        if back.is_terminal() or action not in back.legal_actions():
            return None
        back.apply_action(action)
    return back


def test_the_keys_of_the_longest_past_and_line_have_room() -> None:
    last = frames.KEYS + frames.MAX_PAST + frames.DEPTH_LIMIT  # of the deepest position, the root being the first
    assert last < frames.HISTORY


def test_a_past_that_is_longer_than_there_is_room_for_is_cut() -> None:
    game = Quoridor(max_plies=None)
    state = played(game, *TO_AND_FRO * 160)
    assert len(barred_past(state)) == frames.MAX_PAST
    decision = make_agent("alphabeta:nodes=300,memory=1").act(state, np.random.default_rng(0))
    assert decision.action in state.legal_actions()


# --- what was searched before ----------------------------------------------------------------------------------------


def test_what_is_older_than_the_oldest_is_as_if_it_were_not_there() -> None:
    entries = np.zeros((2, 2), np.uint64)
    store(entries, np.uint64(7), 12, 3, EXACT, 40, 5, 1)
    assert probe(entries, np.uint64(7), 5) == (12, 3, EXACT, 40)
    assert probe(entries, np.uint64(7), 6)[2] == 0
    store(entries, np.uint64(7), 1, 2, LEAST, -1, 6, 6)  # the move that was best is forgotten with the rest
    assert probe(entries, np.uint64(7), 6) == (1, 2, LEAST, -1)
    store(entries, np.uint64(9), -3, 1, LEAST, 8, MOST_AGE, 6)
    assert probe(entries, np.uint64(9), MOST_AGE) == (-3, 1, LEAST, 8)


def test_a_table_that_is_forgotten_is_as_good_as_an_empty_one_and_is_not_cleared_for_that() -> None:
    game = Quoridor()
    used, state = AlphaBetaSearch(game, 1), game.new_initial_state()
    for words in ("e2 e8", "e2 e8 a1h", "d1"):  # another game each time
        used.run(played(game, *words.split()), 6, 4000, None)
    filled = int(np.count_nonzero(used._entries))
    used.forget()
    assert np.count_nonzero(used._entries) == filled > 2000
    assert used.run(state, 64, 5000, None) == AlphaBetaSearch(game, 1).run(state, 64, 5000, None)


def test_the_ages_of_a_table_begin_anew_when_they_are_used_up() -> None:
    game = Quoridor()
    old, state = AlphaBetaSearch(game, 1), game.new_initial_state()
    old._control[frames.AGE] = MOST_AGE - 1
    old.forget()
    for _ in range(3):
        old.forget()
        assert old.run(state, 64, 3000, None) == AlphaBetaSearch(game, 1).run(state, 64, 3000, None)
        old.run(state.child(state.legal_actions()[0]), 64, 3000, None)
    assert old._control[frames.AGE] < 10


def test_another_game_of_the_same_length_is_told_from_the_one_before() -> None:
    game = Quoridor()
    search = AlphaBetaSearch(game, 1)
    search.run(played(game, "e2", "e8"), 64, 2000, None)
    other = played(game, "d1", "e8")
    assert search.run(other, 64, 2000, None) == AlphaBetaSearch(game, 1).run(other, 64, 2000, None)
    elsewhere = game.from_text("a1 / / e2 e8 / 9 10 / 2 / 3")
    assert search.run(elsewhere, 64, 2000, None) == AlphaBetaSearch(game, 1).run(elsewhere, 64, 2000, None)


def test_a_table_that_the_machine_has_no_room_for_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_of_machine, "installed_memory", lambda: 100)
    with pytest.raises(AgentError, match="this machine has no 100 MiB for a table: give 'memory' a smaller value"):
        make_agent("alphabeta:memory=100").supports(load_game("quoridor"))
    make_agent("alphabeta:memory=99").supports(load_game("quoridor"))


def test_the_memory_of_the_machine_is_known_here() -> None:
    installed = memory_of_machine.installed_memory()
    assert installed is None or 64 < installed < 1 << 24
