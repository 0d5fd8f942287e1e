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


def keys(game: Quoridor, *lines: str) -> list[int]:
    """The keys of the boards after some lines, in order."""
    return sorted(int(board_of(game.rules, played(game, *line.split()).words)) for line in lines)


@RULES
@pytest.mark.parametrize("max_plies", [None, 200, 12])
def test_boards_that_stood_twice_should_not_come_back(max_plies: int | None, repetition: int | None) -> None:
    game = Quoridor(max_plies=max_plies, repetition=repetition)
    assert barred_past(played(game, "e2", "e8", "e1")) == []
    assert barred_past(played(game, *TO_AND_FRO)) == keys(game, "")
    later = barred_past(played(game, *TO_AND_FRO, "e2", "e8", "e1"))
    assert later == keys(game, "", "e2", "e2 e8", "e2 e8 e1")
    assert barred_past(played(game, *TO_AND_FRO, *TO_AND_FRO, *TO_AND_FRO[:0])) == keys(
        game, "", "e2", "e2 e8", "e2 e8 e1"
    )


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
    assert came_back == keys(game, "a1h")


def test_a_state_that_came_from_compiled_code_has_the_past_of_its_hashes() -> None:
    state = played(Quoridor(repetition=3), *TO_AND_FRO, "e2")
    bare = state.game.state_of(state.words, state.seen_hashes())
    assert bare.history() == []
    assert barred_past(bare) == barred_past(state) != []


def test_who_is_ahead_does_not_go_back_to_where_it_stood_twice_unless_that_wins() -> None:
    """The value of going there is no more than a draw for the choice; inside the search it is what it is."""
    game, turned = Quoridor(board_size=5, fences=2, max_plies=None), 0
    search, rng = AlphaBetaSearch(game, 1), np.random.default_rng(3)
    for _ in range(200):
        state = game.new_initial_state()
        for _ in range(3):
            state.apply_action(int(rng.choice(state.legal_actions())))
        fresh = search.run(game.from_text(state.to_text()), 4, None, None)
        after = state.child(fresh.action)
        if fresh.value > frames.DECIDED or fresh.value <= 0 or fresh.action >= 25 or after.is_terminal():
            continue
        there_and_back = _there_and_back(after, state)
        if there_and_back is None:
            continue
        for _ in range(2):  # the position after the choice has stood twice
            state.apply_moves(there_and_back)
        assert int(board_of(game.rules, after.words)) in barred_past(state)
        found = search.run(state, 4, None, None)
        assert found.action != fresh.action or found.value <= 0
        assert found.value <= fresh.value
        turned += found.action != fresh.action
    assert turned > 3


def _there_and_back(after: State, home: State) -> str | None:
    """The moves that lead over the position `after` back home, if both pawns can step back to where they stood."""
    moves = [home.action_to_string(after.history()[-1])]
    walk = after.clone()
    for action in [None, _square(home, home.current_player()), _square(home, 1 - home.current_player())]:
        legal = [a for a in walk.legal_actions() if a < 25 and not walk.child(a).is_terminal()]
        if not legal or (action is not None and action not in legal):
            return None
        moves.append(walk.action_to_string(legal[0] if action is None else action))
        walk.apply_moves(moves[-1])
    same = board_of(home.game.rules, walk.words) == board_of(home.game.rules, home.words)
    return " ".join(moves) if same else None


def _square(state: State, seat: int) -> int:
    file, rank = state.pawns[seat]  # type: ignore[attr-defined]
    return int(rank * 5 + file)


def test_the_keys_of_the_longest_past_and_line_have_room() -> None:
    last = frames.KEYS + frames.MAX_PAST + frames.DEPTH_LIMIT  # of the deepest position, the root being the first
    assert last < frames.HISTORY


def test_a_past_of_any_length_is_known() -> None:
    game = Quoridor(max_plies=None, repetition=3)
    walk = game.new_initial_state()
    walk.apply_moves("e2 e8 e1")
    far = [int(word) for word in walk.seen_hashes()]
    state = game.state_of(walk.words, np.array([*far[:1], *far[:1], *range(1000, 2000), far[-1]], np.uint64))
    assert barred_past(state) == [np.uint64(far[0]).astype(np.int64)]
    plain = Quoridor(max_plies=None)
    long = played(plain, *TO_AND_FRO * 160)
    assert barred_past(long) == keys(plain, "", "e2", "e2 e8", "e2 e8 e1")
    decision = make_agent("alphabeta:nodes=300,memory=1").act(long, np.random.default_rng(0))
    assert decision.action in long.legal_actions()


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


def test_a_game_is_played_alike_whatever_age_its_table_has() -> None:
    game = Quoridor(board_size=5, fences=3)
    old, new = AlphaBetaSearch(game, 1), AlphaBetaSearch(game, 1)
    old._control[frames.AGE] = MOST_AGE - 3
    old.forget()
    new.forget()
    state = game.new_initial_state()
    while not state.is_terminal() and len(state.history()) < 16:
        found = old.run(state, 64, 1000, None)
        assert found == new.run(state, 64, 1000, None)
        state.apply_action(found.action)


def test_a_bare_position_is_judged_whatever_was_judged_before() -> None:
    game, rng = Quoridor(board_size=7, fences=4), np.random.default_rng(5)
    used, positions = AlphaBetaSearch(game, 1), list[State]()
    for _ in range(25):
        state = game.new_initial_state()
        for _ in range(int(rng.integers(2, 14))):
            state.apply_action(int(rng.choice(state.legal_actions())))
        positions.append(state)
    for state in positions:
        assert used.judge(state.words, 1500) == AlphaBetaSearch(game, 1).judge(state.words, 1500), state.to_text()


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
