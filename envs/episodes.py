"""Games in progress, side by side, stepped in compiled code: what every environment of ours is made of.

One game or a thousand take the same way: the single environment and the multi-agent one hold one game, the vector
environment many. So the same seed gives the same game in all of them.

Each game has a generator of its own (see `counter_rng`). It is set by a seed and then goes on from game to game; it
decides the opening and all throws, nothing else.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from .compiling import kernel
from .core import Game, State
from .counter_rng import draw_below
from .errors import EpisodeError, IllegalActionError, OptionError, PositionError, shown
from .kernels import CHANCE, TERMINAL, bind
from .options import Option

PERSPECTIVES = ("mover", "board")
"""Who sees the board: the seat to move, turned its way; or nobody, as it lies."""
MAX_OPENING_PLIES = 200
_MAX_TRIES = 1000
_ROOM = 256  # plies that a step may need; that the dice decide more in a row does not happen
_OVER, _NO_ACTION = -1, -2
_REPEATED = -5  # like `TERMINAL`: the position has occurred too often


@kernel
def note_position(game: Any, rules: Any, state: Any, repetition: Any, hashes: Any, plies: Any) -> Any:
    """Return who is to move at `state`, which `plies` plies have led to; `_REPEATED` if it has occurred too often."""
    node = game.to_move(rules, state)
    if repetition == 0 or plies >= hashes.size:
        return node
    position = game.hash(rules, state)
    hashes[plies] = position
    occurrences = 0
    for earlier in range(plies + 1):
        occurrences += hashes[earlier] == position
    return _REPEATED if occurrences >= repetition and node != TERMINAL else node


@kernel
def play_ply(game: Any, rules: Any, state: Any, ply: Any, repetition: Any, row: Any, log: Any, hashes: Any,
             counts: Any) -> Any:  # fmt: skip
    """Apply an action or outcome to game `row` and note it; return who is to move then, as `note_position` does."""
    game.apply(rules, state, ply)
    if counts[row] < log.shape[1]:
        log[row, counts[row]] = ply
    counts[row] += 1
    return note_position(game, rules, state, repetition, hashes[row], counts[row])


@kernel
def show(game: Any, rules: Any, state: Any, seat: Any, decides: Any, turned: Any, views: Any, legal: Any, mask: Any,
         observation: Any) -> None:  # fmt: skip
    """Write the mask and the observation of `seat`, which `decides` or has just ended the game."""
    if decides:
        game.legal(rules, state, legal)
        for action in range(mask.size):
            mask[action] = legal[views[seat, action]]
    else:
        legal[:] = 0
        mask[:] = 0
    game.observe(rules, state, seat if turned else np.int64(-1), observation)


@kernel
def begin_games(table: Any, rules: Any, repetition: Any, turned: Any, views: Any, where: Any, starts: Any, plies: Any,
                states: Any, rngs: Any, log: Any, hashes: Any, counts: Any, seats: Any, over: Any, legal: Any,
                masks: Any, observations: Any, rewards: Any, ends: Any) -> Any:  # fmt: skip
    """Begin a game in each row of `where` from its row of `starts`, with `plies` random plies, up to a decision.

    Returns the first row in which that was not possible, or -1.
    """
    game = bind(table)
    for row in range(where.size):
        if not where[row]:
            continue
        over[row] = True
        rewards[row] = 0.0
        ends[row] = False
        state = states[row]
        node = np.int64(TERMINAL)
        for _ in range(_MAX_TRIES):
            counts[row] = 0
            for word in range(state.size):  # numba would copy a slice by way of a third array
                state[word] = starts[row, word]
            node = note_position(game, rules, state, repetition, hashes[row], 0)
            while node == CHANCE or (node >= 0 and counts[row] < plies):
                ply = game.sample(rules, state, rngs[row])
                node = play_ply(game, rules, state, ply, repetition, row, log, hashes, counts)
            if node >= 0:
                break
        if node < 0:
            return row
        seats[row] = node
        over[row] = False
        show(game, rules, state, node, True, turned, views, legal[row], masks[row], observations[row])
    return -1


@kernel
def step_games(table: Any, rules: Any, repetition: Any, turned: Any, views: Any, where: Any, actions: Any, states: Any,
               rngs: Any, log: Any, hashes: Any, counts: Any, seats: Any, actors: Any, over: Any, legal: Any,
               masks: Any, observations: Any, rewards: Any, ends: Any) -> Any:  # fmt: skip
    """Play an action in each row of `where` and throw whatever dice follow.

    Writes masks and observations, the rewards of all seats (float64 ``[rows, players]``) and `ends` (bool
    ``[rows, 3]``: terminated, truncated, by an illegal action).

    Returns the most plies of a game; or, having done nothing, `_OVER` if one of the games is over or `_NO_ACTION` if
    a number is no action.
    """
    game = bind(table)
    for row in range(where.size):
        if where[row] and over[row]:
            return _OVER
        if where[row] and not 0 <= actions[row] < masks.shape[1]:
            return _NO_ACTION
    longest = 0
    for row in range(where.size):
        if not where[row]:
            continue
        state, seat = states[row], seats[row]
        action = views[seat, actions[row]]
        actors[row] = seat
        rewards[row] = 0.0
        ends[row] = False
        if not legal[row, action]:
            rewards[row, seat] = -1.0
            over[row] = ends[row, 0] = ends[row, 2] = True
            show(game, rules, state, seat, False, turned, views, legal[row], masks[row], observations[row])
            continue
        node = play_ply(game, rules, state, action, repetition, row, log, hashes, counts)
        while node == CHANCE:
            outcome = game.sample(rules, state, rngs[row])
            node = play_ply(game, rules, state, outcome, repetition, row, log, hashes, counts)
        if node >= 0:
            seat = node
        else:
            ends[row, 1] = node == TERMINAL and game.capped(rules, state) != 0
            ends[row, 0] = not ends[row, 1]
            over[row] = True
            if node == TERMINAL:
                game.returns(rules, state, rewards[row])
        seats[row] = seat
        show(game, rules, state, seat, node >= 0, turned, views, legal[row], masks[row], observations[row])
        longest = max(longest, counts[row])
    return longest


@kernel
def draw_actions(masks: Any, rng: Any, actions: Any) -> None:
    """Draw an action of each row of `masks` (int8 ``[rows, actions]``) uniformly into `actions`; 0 if none is legal."""
    for row in range(actions.size):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[row, action]
        actions[row] = 0
        if count:
            left = draw_below(rng, count)
            for action in range(masks.shape[1]):
                if masks[row, action]:
                    if left == 0:
                        actions[row] = action
                        break
                    left -= 1


class Episodes:
    """A number of games of the same rules in progress.

    Args:
        game: the rules.
        number: of games.
        perspective: one of `PERSPECTIVES`.
        random_openings: how many random plies each game begins with, throws of dice included.
        keeps_history: whether `state` knows what was played.

    Attributes:
        game: the rules.
        turned: whether observations and actions are those of the mover's own view, else of the board.
        states: int64 ``[number, state_size]``.
        seats: int64 ``[number]``: the seat that decides; where a game has ended, the one that ended it.
        actors: int64 ``[number]``: the seat that made the last step.
        over: bool ``[number]``: whether a game has ended, or never begun.
        masks: int8 ``[number, actions]``, 1 = legal, in the view of the seat; zeros where a game has ended.
        observations: float32 ``[number, *observation_shape]``, what the seat sees.
        rewards: float64 ``[number, players]``, of the last step.
        ends: bool ``[number, 3]``: whether the last step terminated a game, truncated it because it had reached the
            cap on its length, and whether it was an illegal action, which also terminates.
    """

    def __init__(
        self,
        game: Game,
        number: int,
        perspective: str = "mover",
        random_openings: int = 0,
        keeps_history: bool = False,
    ) -> None:
        if perspective not in PERSPECTIVES:
            raise OptionError(f"perspective must be one of {', '.join(PERSPECTIVES)}, not {shown(perspective)}")
        self.random_openings = whole_number(random_openings, "random_openings", 0, MAX_OPENING_PLIES)
        self.game = game
        self.number = number
        self.turned = perspective == "mover"
        board = np.tile(np.arange(game.num_actions), (game.num_players, 1))
        self._views = np.ascontiguousarray(game.action_views if self.turned else board)
        self._shape = (number, *game.observation_shape)
        self._size = int(np.prod(game.observation_shape))
        self._initial = game.new_initial_state().words.copy()
        self._starts = np.tile(self._initial, (number, 1))
        self.states = self._starts.copy()
        self.seats = np.zeros(number, dtype=np.int64)
        self.actors = np.zeros(number, dtype=np.int64)
        self.over = np.ones(number, dtype=np.bool_)
        self.ends = np.zeros((number, 3), dtype=np.bool_)
        self._legal = np.zeros((number, game.num_actions), dtype=np.int8)
        self._rngs = np.zeros((number, 2), dtype=np.uint64)
        self._counts = np.zeros(number, dtype=np.int64)
        self._room = MAX_OPENING_PLIES + 2 * _ROOM  # plies of a game that can be noted
        self._log = np.zeros((number, self._room if keeps_history else 0), dtype=np.int64)
        self._hashes = np.zeros((number, self._room if game.repetition else 0), dtype=np.uint64)
        self._walks: dict[int, State] = {}
        self._adopt(*self._fresh())

    def _fresh(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.float64]]:
        """Return new arrays for masks, observations (a row for each game) and rewards; nothing is in them yet."""
        return (
            np.empty((self.number, self.game.num_actions), dtype=np.int8),
            np.empty((self.number, self._size), dtype=np.float32),
            np.empty((self.number, self.game.num_players)),
        )

    def _adopt(self, masks: NDArray[np.int8], flat: NDArray[np.float32], rewards: NDArray[np.float64]) -> None:
        self.masks, self._flat, self.rewards = masks, flat, rewards
        self.observations = flat.reshape(self._shape)

    def seed(self, seeds: Sequence[int]) -> None:
        """Set the generators by a seed for each game."""
        for row, seed in enumerate(seeds):
            self.seed_by(row, seeding.np_random(seed)[0])

    def seed_by(self, row: int, generator: np.random.Generator) -> None:
        """Set the generator of a game by the next number of another."""
        self._rngs[row] = generator.integers(2**64, dtype=np.uint64), 0

    def begin(self, where: NDArray[np.bool_] | None = None, position: str | None = None, fresh: bool = False) -> None:
        """Begin a new game in each row of `where`, by default in all.

        Args:
            where: bool ``[number]``.
            position: where they begin, in the text form of the game; without one at the start of the game, after
                `random_openings` random plies.
            fresh: whether masks, observations and rewards get new arrays, so that those handed out stay as they are.

        Raises:
            PositionError: if the text is malformed, or nobody can move there; nothing has changed then.
            OptionError: if every random opening of that length ends the game.
        """
        chosen = self._all if where is None else where
        start, opening = self._initial, self.random_openings
        if position is not None:
            state = self.game.from_text(position)
            if state.is_terminal():
                raise PositionError(f"the game is over at {position!r} ({state.end_reason()}): nothing can begin there")
            start, opening = state.words, 0
        self._starts[chosen] = start
        if fresh:
            self._adopt(self.masks.copy(), self._flat.copy(), self.rewards.copy())
        failed = begin_games(
            self.game.table, self.game.rules, self.game.repetition, self.turned, self._views, chosen, self._starts,
            opening, self.states, self._rngs, self._log, self._hashes, self._counts, self.seats, self.over,
            self._legal, self.masks, self._flat, self.rewards, self.ends,
        )  # fmt: skip
        if failed >= 0:
            raise OptionError(
                f"{_MAX_TRIES} random openings of {opening} plies all ended the game; choose fewer plies"
                if opening
                else f"the dice ended {_MAX_TRIES} games before anybody could decide; begin at another position"
            )
        self._walks.clear()

    def step(self, actions: NDArray[np.int64], where: NDArray[np.bool_] | None = None, fresh: bool = False) -> None:
        """Play one action in each row of `where`, by default in all, and whatever throws of dice follow it.

        Args:
            actions: int64 ``[number]``, in the view of each game's seat. An illegal one ends its game with reward -1
                for its seat and 0 for the others.
            where: bool ``[number]``; the actions of other rows are not looked at.
            fresh: as in `begin`; nothing is in the rows of the games that are not stepped.

        Raises:
            EpisodeError: if one of these games is over; nothing has changed then.
            IllegalActionError: if a number is no action of the game at all; nothing has changed then.
        """
        chosen = self._all if where is None else where
        masks, flat, rewards = arrays = self._fresh() if fresh else (self.masks, self._flat, self.rewards)
        longest = step_games(
            self.game.table, self.game.rules, self.game.repetition, self.turned, self._views, chosen, actions,
            self.states, self._rngs, self._log, self._hashes, self._counts, self.seats, self.actors, self.over,
            self._legal, masks, flat, rewards, self.ends,
        )  # fmt: skip
        if longest < 0:
            self._refuse(actions, chosen)
        if fresh:
            self._adopt(*arrays)
        if longest + _ROOM > self._room:
            self._make_room()

    def cut(self, where: NDArray[np.bool_]) -> None:
        """End the games in some rows where they are, as truncated."""
        self.over[where] = True
        self.ends[where, 1] = True

    def observe(self, row: int, seat: int) -> NDArray[np.float32]:
        """Return what a seat sees of a game, or the board as it lies if nobody's view was chosen."""
        out = np.empty(self._size, dtype=np.float32)
        self.game.kernels.observe(self.game.rules, self.states[row], seat if self.turned else -1, out)
        return out.reshape(self.game.observation_shape)

    def position(self, row: int) -> State:
        """Return the position of a game; it does not know how the game came there, except for repetitions."""
        return self.game.state_of(self.states[row].copy(), self._hashes[row, : self._counts[row] + 1])

    def state(self, row: int) -> State:
        """Return the position of a game with all that was played (if it `keeps_history`)."""
        played = int(self._counts[row])
        if played > self._log.shape[1]:
            return self.position(row)
        walk = self._walks.get(row)
        if walk is None:
            walk = self._walks[row] = self.game.state_of(self._starts[row].copy())
        for ply in self._log[row, len(walk.history()) : played].tolist():
            walk.apply_action(ply)
        return walk.clone()

    def explain_illegal(self, row: int, action: int) -> str:
        """Return in words why a number is no legal action of a game; it stands for the action in the seat's view."""
        state, meant = self.position(row), int(self._views[self.seats[row], action])
        return f"{state.action_to_string(meant)}: {state.explain_illegal(meant)}"

    def seen_as(self, row: int, action: int) -> int:
        """Return the number by which the seat of a game calls an action of the rules in its view."""
        return int(np.flatnonzero(self._views[self.seats[row]] == action)[0])

    @functools.cached_property
    def _all(self) -> NDArray[np.bool_]:
        return np.ones(self.number, dtype=np.bool_)

    def _refuse(self, actions: NDArray[np.int64], chosen: NDArray[np.bool_]) -> NoReturn:
        over = np.flatnonzero(self.over & chosen).tolist()
        if over:
            games = "the game is" if self.number == 1 else f"games {over} are"
            raise EpisodeError(f"{games} over or has not begun: call reset() before step()")
        wrong = next(n for n in actions[chosen].tolist() if not 0 <= n < self.game.num_actions)
        raise IllegalActionError(f"actions of {self.game.name} are 0..{self.game.num_actions - 1}, not {wrong}")

    def _make_room(self) -> None:
        """Let what is noted of each ply grow with the longest game."""
        self._log = np.concatenate([self._log, np.zeros_like(self._log)], axis=1)
        self._hashes = np.concatenate([self._hashes, np.zeros_like(self._hashes)], axis=1)
        self._room *= 2


def whole_number(value: Any, name: str, least: int, most: int) -> int:
    """Return `value` as an int; raise `OptionError` unless it is a whole number in ``least..most``."""
    return int(Option(name, least, "", minimum=least, maximum=most).check(value))
