"""Every game as a Python game of OpenSpiel, for its algorithms; needs the extra ``openspiel``.

Importing this registers each game that `load_game` knows under ``sekisho_`` and its name, with its rule options as
parameters (see `openspiel_parameters`): ``pyspiel.load_game("sekisho_quoridor(board_size=3,fences=1)")``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from .core import Game, State
from .errors import IllegalActionError, PositionError, shown
from .openspiel_parameters import specification, to_options, to_parameters
from .registry import game_names, load_game

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ImportError as error:
    raise ImportError(
        f'sekisho.envs.openspiel needs OpenSpiel: pip install "sekisho[openspiel]" ({error})', name=error.name
    ) from error

PREFIX = "sekisho_"
"""What OpenSpiel's names of our games begin with."""
UNBOUNDED_LENGTH = 100_000
"""What OpenSpiel is told to be the most plies of a game that the rules do not bound.

No game is cut short there: it is a number that random games stay far below (thousands of plies at most).
"""


def register() -> None:
    """Make every game that `load_game` knows, and OpenSpiel does not yet, known to `pyspiel.load_game`.

    Importing the module has done it for the games of that time; call it after `register_game`.
    """
    known = set(pyspiel.registered_names())
    for name in game_names():
        if PREFIX + name not in known:
            default = load_game(name)
            creator = type(f"OpenSpiel{type(default).__name__}", (_NamedGame,), {"default": default})
            pyspiel.register_game(game_type(default), creator)


def openspiel_game(game: Game) -> pyspiel.Game:
    """Return a game as OpenSpiel's.

    Args:
        game: with any options. Its returns must sum to zero, as those of all games of this package do.
    """
    return OpenSpielGame(game)


def game_type(game: Game) -> pyspiel.GameType:
    """Return what OpenSpiel wants to know of all games of a kind."""
    seats = next((option for option in game.OPTIONS if option.name == "players"), None)
    players = (seats.choices or (seats.minimum, seats.maximum)) if seats else (game.num_players,)
    chance, utility = pyspiel.GameType.ChanceMode, pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=PREFIX + game.name,
        long_name=game.title,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=chance.EXPLICIT_STOCHASTIC if game.max_chance_outcomes else chance.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(players),
        min_num_players=min(players),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=specification(game),
    )


def game_info(game: Game) -> pyspiel.GameInfo:
    """Return what OpenSpiel wants to know of a game with its options."""
    return pyspiel.GameInfo(
        num_distinct_actions=game.num_actions,
        max_chance_outcomes=game.max_chance_outcomes,
        num_players=game.num_players,
        min_utility=game.min_utility,
        max_utility=game.max_utility,
        utility_sum=0.0,
        max_game_length=game.max_game_length or UNBOUNDED_LENGTH,
    )


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """A game of ours with the verbs of OpenSpiel's.

    Attributes:
        rules: the game.
    """

    def __init__(self, game: Game) -> None:
        super().__init__(game_type(game), game_info(game), to_parameters(game))
        self.rules = game

    def new_initial_state(self, position: str | None = None) -> OpenSpielState:
        """Return where the game begins.

        Args:
            position: the text form of a position to begin in instead.

        Raises:
            PositionError: if it is malformed or the rules can never reach it.
        """
        if position is None:
            return OpenSpielState(self, self.rules.new_initial_state())
        if not isinstance(position, str):
            raise PositionError(f"a position is a text, not {shown(position)}")
        return OpenSpielState(self, self.rules.from_text(position))

    def max_chance_nodes_in_history(self) -> int:
        """Return a bound on the throws of a game: all its plies."""
        return int(self.max_game_length()) if self.rules.max_chance_outcomes else 0

    def make_py_observer(self, iig_obs_type: Any = None, params: Mapping[str, Any] | None = None) -> Any:
        """Return what turns states into observations; the history as a text where perfect recall is asked for."""
        if not iig_obs_type or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PositionObserver(self.rules, params)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)

    def __reduce__(self) -> tuple[Any, ...]:
        return openspiel_game, (self.rules,)


class _NamedGame(OpenSpielGame):
    """A game as OpenSpiel makes it from parameters.

    There is a class for each game, because OpenSpiel keeps what it calls until after the interpreter has gone: classes
    outlive that, while a function or a `functools.partial` aborts the process at its exit (OpenSpiel 2.0.2).
    """

    default: ClassVar[Game]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        super().__init__(load_game(self.default.name, **to_options(self.default, params or {})))


class OpenSpielState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel has no types
    """A position of a game of ours with the verbs of OpenSpiel's. Only `undo_action` is missing.

    Actions are those of the game. An outcome of a throw is its place in the list of outcomes, from 0: OpenSpiel wants
    numbers below the most outcomes that a throw has, and writes past its memory where they are not.

    OpenSpiel writes states of Python games with pickle: read back none whose origin you do not trust.
    """

    def __init__(self, game: OpenSpielGame, position: State) -> None:
        super().__init__(game)
        self._node = _Node(position)

    @property
    def position(self) -> State:
        """The position, with all that was played; a copy. It has every verb of the rules."""
        return self._node.state.clone()

    def current_player(self) -> int:
        """Return the seat that decides, or OpenSpiel's number for chance or for the end."""
        return self._node.state.current_player()

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self._node.state.is_terminal()

    def _legal_actions(self, player: int) -> list[int]:
        return self._node.state.legal_actions(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of a throw, by their place in the list of ours, with their probabilities."""
        return [(place, chance) for place, (_, chance) in enumerate(self._node.state.chance_outcomes())]

    def _apply_action(self, action: int) -> None:
        self._node.state.apply_action(self._our_number(action))

    def _action_to_string(self, player: int, action: int) -> str:
        return self._node.state.action_to_string(self._our_number(action))

    def _our_number(self, action: int) -> int:
        """Return our number of an action, or of the outcome of a throw."""
        state = self._node.state
        if not state.is_chance_node():
            return action
        outcomes = state.chance_outcomes()
        if not 0 <= action < len(outcomes):
            raise IllegalActionError(f"outcomes of this throw are 0..{len(outcomes) - 1}, not {shown(action)}")
        return outcomes[action][0]

    def returns(self) -> list[float]:
        """Return what each seat is paid, in seat order; zeros while the game goes on."""
        return self._node.state.returns()

    def __str__(self) -> str:
        """Return the position in one line, different for states that can go on differently.

        Where repetition counts, what has occurred so far is part of the state, and of this text as a checksum.
        """
        state = self._node.state
        if not state.game.repetition:
            return state.to_text()
        seen = hashlib.blake2b(np.sort(state.seen_hashes()).tobytes(), digest_size=8)
        return f"{state.to_text()} / seen {seen.hexdigest()}"

    def __copy__(self) -> OpenSpielState:
        copy: OpenSpielState = self.clone()
        return copy

    def __deepcopy__(self, memo: dict[int, Any]) -> OpenSpielState:
        return self.__copy__()


class PositionObserver:
    """What a seat sees, in the form of OpenSpiel's observers.

    Attributes:
        tensor: float32, the observation as a row.
        dict: the same in its shape, as ``observation``.
    """

    def __init__(self, game: Game, params: Mapping[str, Any] | None = None) -> None:
        if params:
            raise ValueError(f"observations have no parameters, so none can be {shown(dict(params))}")
        self.tensor = np.zeros(int(np.prod(game.observation_shape)), dtype=np.float32)
        self.dict = {"observation": self.tensor.reshape(game.observation_shape)}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Look at a state from a seat, or with -1 from none."""
        self.dict["observation"][:] = state._node.state.observation_tensor(player)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """Return what there is to see, the same from every seat."""
        return str(state)


class _Node:
    """A position as OpenSpiel carries it: copied where a state is cloned, a text of moves where one is written."""

    __slots__ = ("state",)

    def __init__(self, state: State) -> None:
        self.state = state

    def __deepcopy__(self, memo: dict[int, Any]) -> _Node:
        return _Node(self.state.clone())

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_node, (self.state.game, json.dumps(self.state.to_dict()))


def _read_node(game: Game, text: str) -> _Node:
    return _Node(game.from_dict(json.loads(text)))


register()
