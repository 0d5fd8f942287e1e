"""Gymnasium environments, written once for all games.

Every step acts for the seat to move, so one agent that sees each position from the mover's side plays all seats. The
games come as subclasses whose docstrings are the pages of the documentation: ``envs/<game>/environment.py``.
"""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import logger, spaces
from numpy.typing import NDArray

from .core import Game, State
from .episodes import Episodes
from .errors import UnknownNameError, nearest, shown
from .rendering import FRAMES_PER_SECOND, MODES, Renderer
from .spaces import as_action, check_choice, environment_game, observation_space, shaped

RESET_OPTIONS = ("position",)


class GameEnv(gymnasium.Env[Any, Any]):
    """A game in which every step acts for the seat to move.

    The reward of a step is that of the seat that acted; ``info["rewards"]`` has all of them, float64 ``[players]``.
    ``info["action_mask"]`` (int8 ``[actions]``, 1 = legal) and ``info["seat"]`` are those of the seat that acts next
    or, at the end, of the one that acted last, whose mask is then all zero; the observation is what that seat sees.

    An illegal action ends the episode with reward -1 for its seat and 0 for the others, and ``info["illegal_action"]``
    says why it was illegal. ``info["end_reason"]`` is there when the rules, or a cap on the length, ended the game.

    Args:
        game: the name of a game or a `Game`; the subclasses know theirs.
        render_mode: one of `rendering.MODES`, or None.
        observation: ``array``, or ``dict`` for a dict of ``observation`` and ``action_mask``.
        perspective: ``mover``: observations and actions are turned so that the seat to move looks the same whichever
            it is; ``board``: neither is.
        random_openings: how many random plies (throws of dice count) each game begins with.
        rules: rule options of the game.

    Attributes:
        game: the rules.

    Raises:
        UnknownNameError: for an unknown option; the nearest name is named.
        OptionError: for a value that an option cannot take.
    """

    metadata = {"render_modes": list(MODES), "render_fps": FRAMES_PER_SECOND}  # noqa: RUF012  as Gymnasium declares it
    game_name: ClassVar[str] = ""
    arguments: ClassVar[tuple[str, ...]] = ("render_mode", "observation", "perspective", "random_openings")

    def __init__(
        self,
        game: str | Game | None = None,
        *,
        render_mode: str | None = None,
        observation: str = "array",
        perspective: str = "mover",
        random_openings: int = 0,
        **rules: Any,
    ) -> None:
        check_choice(render_mode, "render_mode", (None, *MODES))
        self.game = environment_game(self.game_name if game is None else game, rules, self.arguments)
        self.render_mode = render_mode
        self.observation_space = observation_space(self.game, observation)
        self.action_space: spaces.Space[Any] = spaces.Discrete(self.game.num_actions)
        self._form = observation
        self._renderer = Renderer(render_mode)
        self._episodes = Episodes(self.game, 1, perspective, random_openings, keeps_history=True)
        self._seeded = False

    @property
    def state(self) -> State:
        """The position, with all that was played; a copy. It has every verb of the rules."""
        return self._episodes.state(0)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game.

        Args:
            seed: for everything random; without one the generator goes on where it is.
            options: ``position``: where to begin, in the text form of the game (no random opening then).

        Returns:
            The first observation, and ``info``.

        Raises:
            UnknownNameError: for another option.
            PositionError: for a position that is malformed, impossible, or the end of a game.
        """
        super().reset(seed=seed)
        position = read_options(options)
        episodes = self._episodes
        if seed is not None or not self._seeded:
            episodes.seed_by(0, self.np_random)
            self._seeded = True
        self._begin(position)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action for the seat to move, and whatever throws of dice follow it.

        Args:
            action: an integer of the action space.

        Returns:
            Observation, reward, terminated, truncated (a cap on the length was reached) and ``info``.

        Raises:
            IllegalActionError: if it is no integer of the action space; nothing has changed then.
            EpisodeError: if no game has begun, or it is over.
        """
        number = as_action(action, self.game)
        episodes = self._episodes
        self._play(number)
        terminated, truncated, illegal = episodes.ends[0].tolist()
        info = self._info()
        if illegal:
            info["illegal_action"] = episodes.explain_illegal(0, number)
        elif terminated or truncated:
            info["end_reason"] = episodes.position(0).end_reason()
        if self.render_mode == "human":
            self.render()
        return self._observation(), float(episodes.rewards[0, self._actor()]), terminated, truncated, info

    def action_masks(self) -> NDArray[np.int8]:
        """Return the mask of legal actions, int8 ``[actions]``, under the name by which maskable learners ask."""
        mask: NDArray[np.int8] = self._episodes.masks[0].copy()
        return mask

    def render(self) -> Any:
        """Return, or show, a picture of the position in the render mode of the environment; see `Renderer`."""
        if self.render_mode is None:
            logger.warn(f"render() needs a render mode: make(..., render_mode=...) takes one of {', '.join(MODES)}")
            return None
        return self._renderer.render(self.state)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    # --- what environments that play some seats themselves do otherwise ------------------------------------------------

    def _begin(self, position: str | None) -> None:
        self._episodes.begin(position=position, fresh=True)

    def _play(self, action: int) -> None:
        self._episodes.step(np.array([action]), fresh=True)

    def _seat(self) -> int:
        """Return the seat whose view the observation is."""
        return int(self._episodes.seats[0])

    def _actor(self) -> int:
        """Return the seat to which the reward of the last step belongs."""
        return int(self._episodes.actors[0])

    def _observation(self) -> Any:
        return shaped(self._episodes.observations[0], self._episodes.masks[0], self._form)

    def _info(self) -> dict[str, Any]:
        episodes = self._episodes
        return {"action_mask": episodes.masks[0], "seat": self._seat(), "rewards": episodes.rewards[0]}


def read_options(options: dict[str, Any] | None) -> str | None:
    """Return the position that the options of `reset` ask for.

    Raises:
        UnknownNameError: for any other option.
    """
    for name in options or {}:
        if name not in RESET_OPTIONS:
            raise UnknownNameError(f"reset has no option {shown(name)}; {nearest(str(name), RESET_OPTIONS)}")
    return (options or {}).get("position")
