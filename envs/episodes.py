"""Games in progress, side by side: what every environment of ours is made of.

One game or a thousand take the same way: the single environment and the multi-agent one hold one game, the vector
environment many. So the same seed gives the same game in all of them.

Each game has a generator of its own (see `counter_rng`). It is set by a seed and then goes on from game to game; it
decides the opening and all throws, nothing else.
"""

from __future__ import annotations

import functools
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from .core import Game, State, plain_views
from .episode_kernels import MAX_TRIES, Rows, Setting, Shown, begin_games, step_games
from .errors import EpisodeError, IllegalActionError, OptionError, PositionError
from .options import one_of, whole_number

PERSPECTIVES = ("mover", "board")
"""Who sees the board: the seat to move, turned its way; or nobody, as it lies."""
MAX_OPENING_PLIES = 200
_ROOM = 256  # plies that a step may need; that the dice decide more in a row does not happen


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
        rows: where the games stand.
        masks: int8 ``[number, actions]``, 1 = legal, in the view of the seat; zeros where a game has ended.
        observations: float32 ``[number, *observation_shape]``, what the seat sees.
        rewards: float64 ``[number, players]``, of the last step.
        begun: whether `begin` has been called with success.
    """

    def __init__(
        self,
        game: Game,
        number: int,
        perspective: str = "mover",
        random_openings: int = 0,
        keeps_history: bool = False,
    ) -> None:
        one_of(PERSPECTIVES, perspective, "perspective")
        self.random_openings = whole_number(random_openings, "random_openings", 0, MAX_OPENING_PLIES)
        self.game = game
        self.number = number
        views = game.action_views if perspective == "mover" else plain_views(game)
        self._setting = Setting(
            game.table, game.rules, np.ascontiguousarray(views), perspective == "mover", game.repetition
        )
        self._shape = (number, *game.observation_shape)
        self._size = int(np.prod(game.observation_shape))
        self._starts = np.tile(game.new_initial_state().words, (number, 1))
        self._room = MAX_OPENING_PLIES + 2 * _ROOM  # plies of a game that can be noted
        self.rows = Rows(
            states=self._starts.copy(),
            rngs=np.zeros((number, 2), dtype=np.uint64),
            counts=np.zeros(number, dtype=np.int64),
            log=np.zeros((number, self._room if keeps_history else 0), dtype=np.int64),
            hashes=np.zeros((number, self._room if game.repetition else 0), dtype=np.uint64),
            seats=np.zeros(number, dtype=np.int64),
            actors=np.zeros(number, dtype=np.int64),
            over=np.ones(number, dtype=np.bool_),
            ends=np.zeros((number, 3), dtype=np.bool_),
            legal=np.zeros((number, game.num_actions), dtype=np.int8),
        )
        self._walks: dict[int, State] = {}
        self.begun = False
        self._adopt(Shown(*map(np.zeros_like, self._fresh())))

    def _fresh(self) -> Shown:
        """Return new arrays for what is shown; nothing is in them yet."""
        return Shown(
            np.empty((self.number, self.game.num_actions), dtype=np.int8),
            np.empty((self.number, self._size), dtype=np.float32),
            np.empty((self.number, self.game.num_players)),
        )

    def _adopt(self, shown: Shown) -> None:
        self._shown = shown
        self.masks: NDArray[np.int8] = shown.masks
        self.observations: NDArray[np.float32] = shown.observations.reshape(self._shape)
        self.rewards: NDArray[np.float64] = shown.rewards

    def seed(self, row: int, generator: np.random.Generator) -> None:
        """Set the generator of a game by the next number of another."""
        self.rows.rngs[row] = generator.integers(2**64, dtype=np.uint64), 0

    def start_at(self, position: Any) -> State | None:
        """Return the start that a position's text asks for; None for None.

        Raises:
            PositionError: if the text is malformed, or the game is over there.
        """
        if position is None:
            return None
        state = self.game.from_text(position)
        if state.is_terminal():
            raise PositionError(f"the game is over at {position!r} ({state.end_reason()}): nothing can begin there")
        return state

    def begin(self, where: NDArray[np.bool_] | None = None, start: State | None = None, fresh: bool = False) -> None:
        """Begin a new game in each row of `where`, by default in all.

        Args:
            where: bool ``[number]``.
            start: where they begin; without one at the start of the game, after `random_openings` random plies.
            fresh: whether what is shown gets new arrays, so that those handed out stay as they are.

        Raises:
            OptionError: if every random opening of that length ends the game; no game has begun in these rows then.
        """
        chosen = self._all if where is None else where
        opening = self.random_openings if start is None else 0
        self._starts[chosen] = (start or self.game.new_initial_state()).words
        self._walks.clear()
        if fresh:
            self._adopt(self._fresh())
        failed = begin_games(*self._setting, *self.rows, *self._shown, chosen, self._starts, opening, fresh)
        if failed >= 0:
            raise OptionError(
                f"{MAX_TRIES} random openings of {opening} plies all ended the game; choose fewer plies"
                if opening
                else f"the dice ended {MAX_TRIES} games before anybody could decide; begin at another position"
            )
        self.begun = True

    def step(self, actions: NDArray[np.int64], where: NDArray[np.bool_] | None = None, fresh: bool = False) -> None:
        """Play one action in each row of `where`, by default in all, and whatever throws of dice follow it.

        Args:
            actions: int64 ``[number]``, in the view of each game's seat. An illegal one ends its game with reward -1
                for its seat and 0 for the others.
            where: bool ``[number]``; the actions of other rows are not looked at, and `begin` must follow for them.
            fresh: as in `begin`.

        Raises:
            EpisodeError: if one of these games is over; nothing has changed then.
            IllegalActionError: if a number is no action of the game at all; nothing has changed then.
        """
        chosen = self._all if where is None else where
        shown = self._fresh() if fresh else self._shown
        longest = step_games(*self._setting, *self.rows, *shown, chosen, actions)
        if longest < 0:
            self._refuse(actions, chosen)
        if fresh:
            self._adopt(shown)
        if longest + _ROOM > self._room:
            self._make_room()

    def cut(self, where: NDArray[np.bool_]) -> None:
        """End the games in some rows where they are, as truncated."""
        self.rows.over[where] = True
        self.rows.ends[where, 1] = True

    def observe(self, row: int, seat: int) -> NDArray[np.float32]:
        """Return what a seat sees of a game, or the board as it lies if nobody's view was chosen."""
        out = np.empty(self._size, dtype=np.float32)
        self.game.kernels.observe(self.game.rules, self.rows.states[row], seat if self._setting.turned else -1, out)
        return out.reshape(self._shape[1:])

    def position(self, row: int) -> State:
        """Return the position of a game; it does not know how the game came there, except for repetitions."""
        rows = self.rows
        return self.game.state_of(rows.states[row].copy(), rows.hashes[row, : rows.counts[row] + 1])

    def state(self, row: int) -> State:
        """Return the position of a game with all that was played (if it `keeps_history`)."""
        played = int(self.rows.counts[row])
        if played > self.rows.log.shape[1]:
            return self.position(row)
        walk = self._walks.get(row)
        if walk is None:
            walk = self._walks[row] = self.game.state_of(self._starts[row].copy())
        for ply in self.rows.log[row, len(walk.history()) : played].tolist():
            walk.apply_unchecked(ply)
        return walk.clone()

    def explain_illegal(self, row: int, action: int) -> str:
        """Return in words why a number is no legal action of a game; it stands for the action in the seat's view."""
        state, meant = self.position(row), int(self._setting.views[self.rows.seats[row], action])
        return f"{state.action_to_string(meant)}: {state.explain_illegal(meant)}"

    def seen_as(self, row: int, action: int) -> int:
        """Return the number by which the seat of a game calls an action of the rules in its view."""
        return int(self._seen_as[self.rows.seats[row], action])

    @functools.cached_property
    def _seen_as(self) -> NDArray[np.int64]:
        """The other way round than `action_views`: what each seat calls an action of the rules."""
        return np.argsort(self._setting.views, axis=1)

    @functools.cached_property
    def _all(self) -> NDArray[np.bool_]:
        return np.ones(self.number, dtype=np.bool_)

    def _refuse(self, actions: NDArray[np.int64], chosen: NDArray[np.bool_]) -> NoReturn:
        over = np.flatnonzero(self.rows.over & chosen).tolist()
        if over:
            games = "the game is" if self.number == 1 else f"games {over} are"
            raise EpisodeError(f"{games} over, or there was none yet: call reset() before step()")
        wrong = next(n for n in actions[chosen].tolist() if not 0 <= n < self.game.num_actions)
        raise IllegalActionError(f"actions of {self.game.name} are 0..{self.game.num_actions - 1}, not {wrong}")

    def _make_room(self) -> None:
        """Let what is noted of each ply grow with the longest game."""
        log, hashes = (
            np.concatenate([array, np.zeros_like(array)], axis=1) for array in (self.rows.log, self.rows.hashes)
        )
        self.rows = self.rows._replace(log=log, hashes=hashes)
        self._room *= 2
