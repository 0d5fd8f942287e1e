"""A search by alpha-beta: its memory, and how it is begun, continued and read."""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....envs.core import State
from ....envs.quoridor.kernels import STATE_SIZE, distance
from ....envs.quoridor.rules import Quoridor
from ...exact.quoridor_races import Races
from ..limits import Limits
from .evaluation import SIGNATURE, Evaluation, evaluate, weights
from .frames import (
    AGE,
    BARRED,
    CONTROL_SIZE,
    DECIDED,
    DEEPEST,
    DEPTH_LIMIT,
    DONE_DEPTH,
    DONE_LENGTH,
    DONE_LINE,
    DONE_MOVE,
    DONE_VALUE,
    DRAWS,
    EVALUATION,
    FINISHED,
    FRAME_SIZE,
    KEYS,
    KILLER,
    MAX_DEPTH,
    MAX_PAST,
    NODES,
    OLDEST,
    PAST,
    PLY_NOW,
    SCRATCH_ROWS,
    SETTLED,
    STEPS,
    WORKED,
)  # fmt: skip
from .judging import board_of
from .machine import run, start
from .transpositions import MOST_AGE, new_table

_RACE_SLOTS = 1024
_AFTER_TIME = 64  # nodes between two looks whether a first move is judged, when the limit is reached


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes:
        action: the best one.
        value: for the side to move, in hundredths of log-odds; see `frames.WON` for wins.
        line: the best line, `action` first.
        depth: plies that were looked ahead to the full.
        deepest: plies that some line was looked ahead.
        nodes: positions that were entered.
        worked: those of them on which the evaluation or the generation of moves ran.
        races: layouts of fences whose races were solved.
    """

    action: int
    value: int
    line: tuple[int, ...]
    depth: int
    deepest: int
    nodes: int
    worked: int
    races: int

    @property
    def is_decided(self) -> bool:
        """Whether the value is a win or loss that was seen to the end."""
        return abs(self.value) > DECIDED


class AlphaBetaSearch:
    """The memory of a search, for one game.

    Args:
        game: what is played, by two.
        memory: MiB of the transposition table.
        evaluation: of positions; by hand unless it says otherwise.
    """

    def __init__(self, game: Quoridor, memory: int = 64, evaluation: Evaluation | None = None) -> None:
        self.game = game
        self._frames = np.zeros((DEPTH_LIMIT + 1, FRAME_SIZE), np.int64)
        self._control = np.zeros(CONTROL_SIZE, np.int64)
        self._scratch = np.zeros((SCRATCH_ROWS, 2), np.uint64)
        self._entries = new_table(memory)
        races = Races(game, _RACE_SLOTS)
        self._layouts, self._races = races.layouts, races.values
        evaluation = evaluation or Evaluation(evaluate, weights())
        self._data = evaluation.data
        self._control[EVALUATION] = _address(evaluation.function)
        self.forget()
        self.run(game.new_initial_state(), 1, 1, None)  # load the compiled code now, not in thinking time
        self.forget()

    def forget(self) -> None:
        """Leave nothing of what was searched. It takes the same short time however large the table is.

        (Once in thousands of decisions the table is cleared: its ages are used up.)
        """
        self._start, self._moves = np.zeros(0, np.int64), list[int]()
        self._layouts[:] = -1
        control = self._control
        if control[AGE] > MOST_AGE // 2:
            self._clear_table()
        control[OLDEST] = control[AGE] + 1
        kept = [int(control[word]) for word in (EVALUATION, AGE, OLDEST)]
        control[:] = 0
        control[EVALUATION], control[AGE], control[OLDEST] = kept
        control[DRAWS] = self.game.repetition > 0
        control[KILLER:] = -1

    def _clear_table(self) -> None:
        self._entries[:] = 0
        self._control[AGE] = self._control[OLDEST] = 0

    def run(
        self,
        state: State,
        depth: int,
        nodes: int | None,
        end: float | None,
        between: Callable[[int], None] | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> Found:
        """Search a decision of this game.

        Args:
            state: where somebody is to decide.
            depth: plies to look ahead, at most.
            nodes: positions to enter, at most; None for no bound.
            end: moment of `time.monotonic` to stop at; None for no bound.
            between: called every few milliseconds with the nodes so far.
            stopped: asked as often whether to stop.
        """
        self.begin(state, depth)
        Limits(nodes, end, between, stopped).run([self.go_on])
        return self.concluded()

    def judge(self, words: NDArray[np.int64], nodes: int) -> Found:
        """Search a bare position, whatever led to it, as if nothing had been searched before.

        Args:
            words: int64 ``[STATE_SIZE]``: where somebody is to decide.
            nodes: positions to enter, at most; more only until a first move is judged.
        """
        self.forget()
        self._stand(words, [], DEPTH_LIMIT)
        self.go_on(nodes)
        return self.concluded()

    def begin(self, state: State, depth: int = DEPTH_LIMIT) -> None:
        """Stand at the beginning of the search of a decision of this game; `go_on` searches."""
        past, moves = state.past_words(), state.history()
        first = past[0] if past else state.words
        if not np.array_equal(first, self._start) or moves[: len(self._moves)] != self._moves:
            self.forget()  # another game, about which nothing was learnt
        self._start, self._moves = first, moves
        self._stand(state.words, barred_past(state), depth)

    def go_on(self, nodes: int) -> int:
        """Search on for so many nodes, positions that are entered; return how many, fewer if nothing is left."""
        arrays = self._frames, self._control, self._scratch, self._entries, self._layouts, self._races, self._data
        return int(run(self.game.rules, *arrays, nodes))

    def concluded(self) -> Found:
        """Return what the search has found; if no move has been judged yet, search on until one is."""
        while not self.has_found:
            self.go_on(_AFTER_TIME)
        return self.found()

    def looks_at(self) -> NDArray[np.int64] | None:
        """Return the position that the search enters next, int64 ``[STATE_SIZE]``; None at its root or at its end."""
        ply = int(self._control[PLY_NOW])
        return None if ply == 0 or self._control[FINISHED] else self._frames[ply, :STATE_SIZE].copy()

    @property
    def has_found(self) -> bool:
        """Whether a move of the root has been judged."""
        return bool(self._control[DONE_MOVE] >= 0)

    def found(self) -> Found:
        """Return what the search has found so far; at least one move must have been judged."""
        control = self._control
        return Found(
            action=int(control[DONE_MOVE]),
            value=int(control[DONE_VALUE]),
            line=tuple(int(action) for action in control[DONE_LINE : DONE_LINE + control[DONE_LENGTH]]),
            depth=int(control[DONE_DEPTH]),
            deepest=int(control[DEEPEST]),
            nodes=int(control[NODES]),
            worked=int(control[WORKED]),
            races=int(control[SETTLED]),
        )

    def _stand(self, words: NDArray[np.int64], past: list[int], depth: int) -> None:
        """Stand before a position with a `barred_past`."""
        root, control, rules = self._frames[0], self._control, self.game.rules
        root[: words.size] = words
        for seat in range(2):
            root[STEPS + seat] = distance(rules, words, seat)
        control[PAST], control[BARRED] = len(past), _key_of_all(past) if self.game.repetition else 0
        control[KEYS : KEYS + len(past)] = past
        control[MAX_DEPTH] = min(depth, DEPTH_LIMIT)
        if control[AGE] == MOST_AGE:  # a game of thousands of decisions
            self._clear_table()
        control[AGE] += 1
        start(self._frames, control)


def barred_past(state: State) -> list[int]:
    """Return the keys of the boards before `state` that should not come back, each once: those that stood twice already.

    With the rule of repetition they are draws. Without, whoever is ahead has tried them and goes on to something else.
    What stood once may come back: who wins, wins on a way that meets no board twice, so there none comes a third time.
    """
    boards = _boards(state)
    stood = Counter(boards)
    return sorted(board for board in set(boards[:-1]) if stood[board] > 1)[:MAX_PAST]


def _boards(state: State) -> list[int]:
    """Return the keys of the boards since the last fence, the oldest first, that of `state` last.

    Of a state whose moves are not known they are the hashes that came with it, those before the last fence included.
    """
    pawn_moves, history = state.game.options["board_size"] ** 2, state.history()
    quiet = next((count for count, action in enumerate(reversed(history)) if action >= pawn_moves), len(history))
    if state.game.repetition:
        hashes: list[int] = state.seen_hashes().view(np.int64).tolist()
        return hashes[-1 - quiet :] if len(history) == len(hashes) - 1 else hashes
    past = state.past_words()
    return [int(board_of(state.game.rules, words)) for words in [*past[len(past) - quiet :], state.words]]


def _key_of_all(boards: list[int]) -> int:
    """Return a key of boards in order, above 0, but 0 for none."""
    if not boards:
        return 0
    words = np.array(boards, np.int64).tobytes()
    return 1 + int.from_bytes(hashlib.blake2b(words, digest_size=7).digest(), "big")


@functools.cache
def _address(function: Any) -> int:
    """Return the address of a compiled evaluation; the cache keeps the function alive."""
    function.compile(SIGNATURE.args)
    result = function.overloads[SIGNATURE.args]
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
