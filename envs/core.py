"""`Game` and `State`: the verbs by which everything but compiled code reaches the rules.

The verbs and their meaning are those of OpenSpiel: chance is a player, seats count from 0, returns are paid at the
end. The rules own no random generator: at a chance node somebody else applies an outcome.
"""

from __future__ import annotations

import functools
import operator
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from .errors import IllegalActionError, NotationError, OptionError, PositionError, SekishoError, shown
from .kernels import CHANCE, TERMINAL, Kernels, kernel_table
from .observations import Part, total
from .options import Option, resolve

DICT_FORMAT = 1
"""Version of the dict form of a state."""


@dataclass(frozen=True)
class Preview:
    """What an action would lead to.

    Attributes:
        text: in words, for a person.
        data: the same for a program; JSON values only. Each game documents its keys.
    """

    text: str
    data: Mapping[str, Any]


def as_index(number: Any) -> int:
    """Return an integer of any kind as an int; raise `TypeError` for anything else, truth values included."""
    if isinstance(number, bool):
        raise TypeError
    return operator.index(number)


def name_of(number: int, names: Sequence[str]) -> str:
    """Return the name of an action or outcome.

    Args:
        number: of the action or outcome.
        names: of all of them, in the order of their numbers.

    Raises:
        IllegalActionError: if none has that number.
    """
    try:
        index = as_index(number)
    except TypeError:
        raise IllegalActionError(f"an action is an integer, not {shown(number)}") from None
    if not 0 <= index < len(names):
        raise IllegalActionError(f"expected 0..{len(names) - 1}, not {shown(index)}")
    return names[index]


def plain_views(game: Game) -> NDArray[np.int64]:
    """Return what `Game.action_views` is where a number means the same to every seat, int64 ``[players, actions]``."""
    return np.tile(np.arange(game.num_actions), (game.num_players, 1))


class Game(ABC):
    """The rules of one game with their options chosen. Immutable; equal when name and options are.

    Attributes:
        name: as `load_game` knows it.
        title: as people know it.
        move_notation: how moves are written, for people; empty where that is plain.
        OPTIONS: the rule options it can be given, as keywords.
        options: all rule options with their values.
        num_players: number of seats.
        num_actions: actions are ``0 .. num_actions-1``.
        max_chance_outcomes: most outcomes of a chance node; 0 for a game without chance.
        max_game_length: most plies a game can last, or None when the rules set no bound.
        min_utility: smallest possible return.
        max_utility: largest possible return.
        repetition: an occurrence of a position with this number ends the game as a draw; 0 for never.
        state_size: words of a compact state.
        rules: the rules vector of the kernels, int64; do not change it.
        opening_plies: random plies with which a tournament opens games unless told otherwise.
        ranks_losers: whether the returns tell the losers apart; False if only the winner is known.
        observation_parts: the planes or features of an observation, in their order.
        observation_shape: shape of an observation; its first axis counts what `observation_parts` lists.
        environment_options: options whose default is another one in the environments.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    move_notation: ClassVar[str] = ""
    OPTIONS: ClassVar[tuple[Option, ...]]
    kernels: ClassVar[Kernels]
    opening_plies: ClassVar[int] = 0
    ranks_losers: ClassVar[bool] = True
    environment_options: ClassVar[Mapping[str, Any]] = {}

    num_players: int
    num_actions: int
    state_size: int
    rules: NDArray[np.int64]
    observation_parts: tuple[Part, ...] = ()
    max_chance_outcomes: int = 0
    max_game_length: int | None = None
    min_utility: float = -1.0
    max_utility: float = 1.0
    repetition: int = 0

    def __init__(self, /, **options: Any) -> None:
        self.options = resolve(self.OPTIONS, options, self.name)

    @functools.cached_property
    def table(self) -> NDArray[np.int64]:
        """The kernel table of the game, for compiled code (see `bind`)."""
        return kernel_table(self.kernels)

    @property
    def observation_shape(self) -> tuple[int, ...]:
        """Shape of an observation; here a row of features."""
        return (total(self.observation_parts),)

    @functools.cached_property
    def action_views(self) -> NDArray[np.int64]:
        """The action that each seat means by a number when it sees the board as its observation shows it.

        int64 ``[players, actions]``; here the number itself, as the actions of most games have nothing to turn.
        """
        return plain_views(self)

    @abstractmethod
    def new_initial_state(self) -> State:
        """Return the position in which the game begins."""

    @abstractmethod
    def from_text(self, text: str) -> State:
        """Read a position from its one-line form.

        Raises:
            PositionError: if it is malformed or the rules can never reach it; the message says which.
        """

    def state_of(self, words: NDArray[np.int64], hashes: NDArray[np.uint64] | None = None) -> State:
        """Return the state whose compact form `words` is, for code that has played in compiled code.

        Args:
            words: int64 ``[state_size]``, as the kernels made it; it is kept, not copied.
            hashes: of all positions since the start, this one included, where repetition counts; without them the
                count begins here.
        """
        state = self.new_initial_state()
        state.words, state._mask, state._hashes = words, None, []
        if hashes is not None and self.repetition:
            state._hashes = hashes.tolist()
        else:
            state._note_position()
        return state

    def from_dict(self, data: Mapping[str, Any]) -> State:
        """Read a state, its history included, from its dict form.

        Raises:
            PositionError: if it is malformed, belongs to other rules, or contradicts itself.
        """
        expected = {"format", "game", "rules", "start", "moves", "position"}
        if not isinstance(data, Mapping) or set(data) != expected:
            raise PositionError(f"a state is a mapping with the keys {', '.join(sorted(expected))}, not {data!r:.200}")
        if data["format"] != DICT_FORMAT or data["game"] != self.name:
            raise PositionError(
                f"expected format {DICT_FORMAT} of {self.name}, not {data['format']!r} of {data['game']!r}"
            )
        if data["rules"] != dict(self.options):
            raise PositionError(f"the state has the rules {data['rules']!r}, this game {dict(self.options)!r}")
        if not isinstance(data["start"], str) or not isinstance(data["moves"], list):
            raise PositionError("'start' must be a text and 'moves' a list of texts")
        state = self.from_text(data["start"])
        for number, move in enumerate(data["moves"], start=1):
            try:
                state.apply_action(state.string_to_action(move))
            except SekishoError as error:
                raise PositionError(f"move {number} of the state, {move!r}: {error}") from error
        if state.to_text() != data["position"]:
            raise PositionError(f"the moves lead to {state.to_text()!r}, not to {data['position']!r}")
        return state

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Game) and dict(self.options) == dict(other.options)

    def __hash__(self) -> int:
        return hash((self.name, *self.options.items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self.options.items())})"

    def __reduce__(self) -> tuple[Any, ...]:
        return functools.partial(type(self), **self.options), ()


class State(ABC):
    """One node of a game: a compact state with the way that led to it. Copies are independent of each other.

    Attributes:
        game: the rules.
        words: the compact state, int64 ``[game.state_size]``; treat it as read only.
    """

    game: Game

    def __init__(self, game: Game, words: NDArray[np.int64]) -> None:
        self.game = game
        self.words = words
        self._past: list[NDArray[np.int64]] = []
        self._actions: list[int] = []
        self._hashes: list[int] = []  # of every position since the start; kept only where repetition counts
        self._mask: NDArray[np.int8] | None = None
        self._note_position()

    # --- whose turn, what is legal -----------------------------------------------------------------------------------

    def current_player(self) -> int:
        """Return the seat that decides, or `CHANCE`, or `TERMINAL`."""
        if self.is_repetition():
            return TERMINAL
        return int(self.game.kernels.to_move(self.game.rules, self.words))

    def is_chance_node(self) -> bool:
        """Return whether a die is to be thrown."""
        return self.current_player() == CHANCE

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.current_player() == TERMINAL

    def is_repetition(self) -> bool:
        """Return whether the game is drawn because this position has occurred too often."""
        if not self._hashes or self._hashes.count(self._hashes[-1]) < self.game.repetition:
            return False
        return bool(self.game.kernels.to_move(self.game.rules, self.words) != TERMINAL)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of a chance node with their probabilities.

        Raises:
            IllegalActionError: at any other node.
        """
        outcomes = np.zeros(self.game.max_chance_outcomes, dtype=np.int64)
        probabilities = np.zeros(self.game.max_chance_outcomes)
        count = self.game.kernels.chance(self.game.rules, self.words, outcomes, probabilities)
        if count == 0:
            raise IllegalActionError("there is nothing to throw here: this is not a chance node")
        return list(zip(outcomes[:count].tolist(), probabilities[:count].tolist(), strict=True))

    def legal_actions(self, player: int | None = None) -> list[int]:
        """Return the legal actions in ascending order; none at a chance node, where `chance_outcomes` has what follows.

        Args:
            player: a seat; one that is not to decide has none. Default: the seat to move.
        """
        if player is not None and player != self.current_player():
            return []
        return [int(action) for action in np.flatnonzero(self._legal())]

    def legal_actions_mask(self, player: int | None = None) -> NDArray[np.int8]:
        """Return int8 ``[num_actions]``, 1 where an action is legal; see `legal_actions`. The array is yours."""
        if player is not None and player != self.current_player():
            return np.zeros(self.game.num_actions, dtype=np.int8)
        return self._legal().copy()

    def _legal(self) -> NDArray[np.int8]:
        if self._mask is None:
            mask = np.zeros(self.game.num_actions, dtype=np.int8)
            if not self.is_repetition():
                self.game.kernels.legal(self.game.rules, self.words, mask)
            self._mask = mask
        return self._mask

    # --- moving ------------------------------------------------------------------------------------------------------

    def apply_action(self, action: int) -> None:
        """Play a legal action or, at a chance node, one of its outcomes.

        Raises:
            IllegalActionError: if it is not legal here; the state is unchanged.
        """
        self.apply_unchecked(self._checked(action))

    def apply_unchecked(self, number: int) -> None:
        """Play what is known to be legal here, for code that has it from the kernels."""
        self._past.append(self.words)
        self._actions.append(number)
        self.words = self.words.copy()
        self.game.kernels.apply(self.game.rules, self.words, number)
        self._mask = None
        self._note_position()

    def apply_moves(self, text: str) -> None:
        """Play moves written one after the other with blanks between.

        Raises:
            NotationError: for a word that is no move; its place is named and nothing is played.
            IllegalActionError: for a move that is not legal where it stands; likewise.
        """
        if not isinstance(text, str):
            raise NotationError(f"moves are a text, not {text!r:.80}")
        line = self.clone()
        for number, word in enumerate(re.finditer(r"\S+", text), start=1):
            try:
                line.apply_action(line.string_to_action(word.group()))
            except SekishoError as error:
                place = f"move {number} (character {word.start() + 1})"
                raise type(error)(f"{place}: {error}") from error
        self._become(line)

    def undo_action(self, player: int | None = None, action: int | None = None) -> int:
        """Take the last action back.

        Args:
            player: who played it; checked if given.
            action: what was played; checked if given.

        Returns:
            The action that was taken back.

        Raises:
            IllegalActionError: if nothing was played yet, or something else than was named.
        """
        if not self._past:
            raise IllegalActionError("nothing was played yet, so nothing can be taken back")
        last = self._actions[-1]
        mover = int(self.game.kernels.to_move(self.game.rules, self._past[-1]))
        if action not in (None, last) or player not in (None, mover):
            raise IllegalActionError(f"the last action was {last} by player {mover}, not {action} by {player}")
        self.words = self._past.pop()
        self._actions.pop()
        if self._hashes:
            self._hashes.pop()
        self._mask = None
        return last

    def child(self, action: int) -> Self:
        """Return a copy of the state in which `action` has been played."""
        child = self.clone()
        child.apply_action(action)
        return child

    def clone(self) -> Self:
        """Return an independent copy, history included."""
        copy = object.__new__(type(self))
        copy.game, copy.words, copy._mask = self.game, self.words, self._mask  # words are replaced, never changed
        copy._past, copy._actions, copy._hashes = self._past[:], self._actions[:], self._hashes[:]
        return copy

    __copy__ = clone

    def history(self) -> list[int]:
        """Return everything played since the position the state began with, outcomes of chance included."""
        return self._actions[:]

    def past_words(self) -> list[NDArray[np.int64]]:
        """Return the compact states of all positions before this one, the first one first; treat them as read only."""
        return self._past[:]

    # --- the end -----------------------------------------------------------------------------------------------------

    def returns(self) -> list[float]:
        """Return what each seat is paid, in seat order; zeros while the game goes on and for a draw."""
        out = np.zeros(self.game.num_players)
        if not self.is_repetition():
            self.game.kernels.returns(self.game.rules, self.words, out)
        return [float(value) for value in out]

    def rewards(self) -> list[float]:
        """Return what each seat was paid by the last action: the returns at the end, zeros before."""
        return self.returns() if self.is_terminal() else [0.0] * self.game.num_players

    @abstractmethod
    def end_reason(self) -> str | None:
        """Return one word for why the game is over, None while it goes on. Each game documents its words."""

    def is_capped(self) -> bool:
        """Return whether the game is over only because a cap on its length was reached: cut short, not decided."""
        return not self.is_repetition() and bool(self.game.kernels.capped(self.game.rules, self.words))

    def observation_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """Return what a seat sees, float32 of the game's ``observation_shape``, each number in 0..1.

        Args:
            player: the seat that looks; the default is the one to move. -1 gives nobody's view: the board as it lies.

        Raises:
            IllegalActionError: if no such seat exists, or none is named where none is to move.
        """
        seat = self.current_player() if player is None else player
        if not (0 if player is None else -1) <= seat < self.game.num_players:
            raise IllegalActionError(
                f"seats are 0..{self.game.num_players - 1}, not {shown(seat)}: name one that looks"
            )
        out = np.zeros(self.game.observation_shape, dtype=np.float32)
        self.game.kernels.observe(self.game.rules, self.words, seat, out.reshape(-1))
        return out

    # --- forms -------------------------------------------------------------------------------------------------------

    @abstractmethod
    def action_to_string(self, action: int) -> str:
        """Return an action of this node in the notation of the game."""

    @abstractmethod
    def string_to_action(self, text: str) -> int:
        """Return the legal action that `text` names.

        Raises:
            NotationError: if it is no move of the notation.
            IllegalActionError: if it is one but not legal here; the message says why.
        """

    @abstractmethod
    def to_text(self) -> str:
        """Return the position as one line; ``game.from_text`` reads it back."""

    @abstractmethod
    def preview(self, action: int) -> Preview:
        """Return where a legal action leads and what happens there."""

    @abstractmethod
    def draw(self, columns: int = 100) -> str:
        """Return a drawing of the position for a terminal.

        Args:
            columns: of the terminal; the drawing is no wider where the game can be drawn so at all, never above 100.
        """

    def draw_briefly(self, columns: int = 100) -> str:
        """Return the drawing for whoever has seen the whole of it and has no room for that: without what never changes.

        Args:
            columns: as for `draw`. Games whose drawing is short, or all of which can change, leave nothing out.
        """
        return self.draw(columns)

    @abstractmethod
    def draw_svg(self) -> str:
        """Return a drawing of the position as an SVG document."""

    def draw_pixels(self, width: int = 900) -> NDArray[np.uint8]:
        """Return the SVG drawing as pixels, uint8 ``[height, width, 3]``.

        Args:
            width: in pixels; the drawing's shape decides the height.
        """
        from .pixels import rasterise  # few callers want pictures, and none of the others should wait for it

        return rasterise(self.draw_svg(), width)

    def explain_illegal(self, action: int) -> str:
        """Return in words why a well-formed action is not legal here."""
        return "the game is over" if self.is_terminal() else "it is not legal here"

    def moves(self) -> list[str]:
        """Return everything played since the start, in notation."""
        walk = self.clone()
        names = []
        for action in reversed(self._actions):
            walk.undo_action()
            names.append(walk.action_to_string(action))
        return names[::-1]

    def journal_text(self) -> str:
        """Return what happened since the position that the state began with, in English, a numbered line a turn."""
        walk = self.clone()
        lines = []
        for number in range(len(self._actions), 0, -1):
            action = walk.undo_action()
            seat = walk.current_player()
            who = "the dice" if seat == CHANCE else f"seat {seat + 1}"
            lines.append(f"{number:>3}. {who}: {walk.action_to_string(action)}")
        return "\n".join(reversed(lines))

    def to_dict(self) -> dict[str, Any]:
        """Return the state with its history as JSON values; ``game.from_dict`` reads it back."""
        start = self.clone()
        while start._past:
            start.undo_action()
        return {
            "format": DICT_FORMAT,
            "game": self.game.name,
            "rules": dict(self.game.options),
            "start": start.to_text(),
            "moves": self.moves(),
            "position": self.to_text(),
        }

    def seen_hashes(self) -> NDArray[np.uint64]:
        """Return the hashes of all positions so far where repetition counts, else none (uint64)."""
        return np.array(self._hashes, dtype=np.uint64)

    def __eq__(self, other: object) -> bool:
        """States are equal when they stand on the same node of the same game, whatever led there."""
        if not isinstance(other, State):
            return NotImplemented
        return (
            self.game == other.game
            and bool(np.array_equal(self.words, other.words))
            and sorted(self._hashes) == sorted(other._hashes)
        )

    __hash__ = None  # type: ignore[assignment]  # states change

    def _repr_svg_(self) -> str:
        """Return what a notebook shows."""
        return self.draw_svg()

    def __str__(self) -> str:
        return self.draw()

    def __repr__(self) -> str:
        return f"<{self.game.name} {self.to_text()}>"

    # --- inside ------------------------------------------------------------------------------------------------------

    def _note_position(self) -> None:
        if self.game.repetition:
            self._hashes.append(int(self.game.kernels.hash(self.game.rules, self.words)))

    def _become(self, other: State) -> None:
        self.words, self._mask = other.words, other._mask
        self._past, self._actions, self._hashes = other._past, other._actions, other._hashes

    def _checked(self, action: int) -> int:
        """Return `action` as an int if it may be applied here; raise `IllegalActionError` if not."""
        try:
            number = as_index(action)
        except TypeError:
            raise IllegalActionError(f"an action is an integer, not {shown(action)}") from None
        if self.is_chance_node():
            outcomes = [outcome for outcome, _ in self.chance_outcomes()]
            if number not in outcomes:
                raise IllegalActionError(f"{shown(number)} is not an outcome of this throw; expected one of {outcomes}")
        elif not 0 <= number < self.game.num_actions:
            raise IllegalActionError(
                f"actions of {self.game.name} are 0..{self.game.num_actions - 1}, not {shown(number)}"
            )
        elif not self._legal()[number]:
            raise IllegalActionError(f"{self.action_to_string(number)}: {self.explain_illegal(number)}")
        return number


__all__ = [
    "CHANCE",
    "TERMINAL",
    "Game",
    "IllegalActionError",
    "NotationError",
    "Option",
    "OptionError",
    "PositionError",
    "Preview",
    "State",
    "name_of",
]
