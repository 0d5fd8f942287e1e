"""PettingZoo AEC environments, written once for all games; ``parallel_env`` for what wants the parallel form."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.env import AECEnv, ParallelEnv

from .core import Game, State
from .episodes import Episodes
from .errors import EpisodeError, IllegalActionError, UnknownNameError, nearest, shown
from .gymnasium_env import GameEnv
from .rendering import FRAMES_PER_SECOND, MODES, Renderer
from .spaces import as_action, check_choice, environment_game, observation_space, shaped


def env(game: str | Game, **arguments: Any) -> GameAECEnv:
    """Return a game as an AEC environment. It needs no wrapper: what they check it checks itself, and quicker.

    Args:
        game: the name of a game, or a `Game`.
        arguments: as in `GameAECEnv`.
    """
    return GameAECEnv(game, **arguments)


def parallel_env(game: str | Game, **arguments: Any) -> ParallelEnv[str, Any, Any]:
    """Return a game in PettingZoo's parallel form; of the actions only that of the seat to move counts.

    Args:
        game: the name of a game, or a `Game`.
        arguments: as in `GameAECEnv`.
    """
    return turn_based_aec_to_parallel(env(game, **arguments))


class GameAECEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]  # PettingZoo has no types
    """A game with an agent ``player_0``, ``player_1``, … for each seat.

    Each agent sees the game from its own side, whoever is to move. ``infos[agent]["action_mask"]`` (int8
    ``[actions]``, 1 = legal) is all zero for those that are not to move. Rewards are paid at the end of the game, and
    seats that have finished before it stay agents until then. An illegal action ends the game with reward -1 for its
    seat and 0 for the others; ``infos[agent]["illegal_action"]`` says why it was illegal. Actions, observations, ends
    and dice are those of the Gymnasium environment of the game with the same seed. A copy, by `copy.deepcopy` or
    pickle, goes on where the game stands.

    Args:
        game: the name of a game, or a `Game`.
        render_mode: one of `rendering.MODES`, or None.
        observation, perspective, random_openings, rules: as in `GameEnv`.

    Attributes:
        game: the rules.
    """

    def __init__(
        self,
        game: str | Game,
        *,
        render_mode: str | None = None,
        observation: str = "array",
        perspective: str = "mover",
        random_openings: int = 0,
        **rules: Any,
    ) -> None:
        super().__init__()
        check_choice(render_mode, "render_mode", (None, *MODES))
        self.game = environment_game(game, rules, GameEnv.arguments)
        self.metadata = {
            "name": f"sekisho_{self.game.name}_v0",
            "render_modes": list(MODES),
            "render_fps": FRAMES_PER_SECOND,
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_players)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.agents: list[str] = []
        self.state_space = observation_space(self.game, "array")
        self._observation_spaces = {a: observation_space(self.game, observation) for a in self.possible_agents}
        self._action_spaces = {agent: spaces.Discrete(self.game.num_actions) for agent in self.possible_agents}
        self._form = observation
        self._renderer = Renderer(render_mode)
        self._episodes = Episodes(self.game, 1, perspective, random_openings, keeps_history=True)
        self._generator: np.random.Generator | None = None

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's observations, the same object on each call."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of an agent's actions, the same object on each call."""
        return self._action_spaces[agent]

    @property
    def position(self) -> State:
        """The position, with all that was played; a copy. It has every verb of the rules."""
        return self._episodes.state(0)

    def state(self) -> NDArray[np.float32]:
        """Return what nobody in particular sees: the board as it lies, seats in their order (see ``state_space``)."""
        return self._episodes.position(0).observation_tensor(-1)

    def observe(self, agent: str) -> Any:
        """Return what an agent sees.

        Raises:
            UnknownNameError: if there is no such agent.
        """
        if agent not in self._seat_of:
            raise UnknownNameError(f"there is no agent {shown(agent)}; {nearest(str(agent), self.possible_agents)}")
        seat, episodes = self._seat_of[agent], self._episodes
        moves = seat == episodes.seats[0]
        seen = episodes.observations[0].copy() if moves else episodes.observe(0, seat)
        return seen if self._form == "array" else shaped(seen, self._mask(moves), self._form)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game.

        Args:
            seed: for everything random; without one the generator goes on where it is.
            options: ``position``: where to begin, in the text form of the game (no random opening then); others are
                ignored, as PettingZoo wants it.

        Raises:
            PositionError: for a position that is malformed, impossible, or the end of a game.
        """
        if seed is not None or self._generator is None:
            self._generator, _ = seeding.np_random(seed)
            self._episodes.seed_by(0, self._generator)
        self._episodes.begin(position=(options or {}).get("position"), fresh=True)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self._select()
        if self.render_mode == "human":
            self.render()

    def step(self, action: Any) -> None:
        """Play an action for the agent whose turn it is; None for one whose game is over.

        Raises:
            IllegalActionError: if it is no integer of the action space; nothing has changed then.
        """
        if not self.agents:
            raise EpisodeError("there is nobody to step for: call reset() first")
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalActionError(
                f"{agent} is to move, so it needs an action; only agents whose game is over get None"
            )
        number, episodes = as_action(action, self.game), self._episodes
        episodes.step(np.array([number]), fresh=True)
        self._cumulative_rewards[agent] = 0.0
        terminated, truncated, illegal = episodes.ends[0].tolist()
        for name, reward in zip(self.possible_agents, episodes.rewards[0].tolist(), strict=True):
            self.rewards[name], self.terminations[name], self.truncations[name] = reward, terminated, truncated
        self._select()
        if illegal:
            self.infos[agent]["illegal_action"] = episodes.explain_illegal(0, number)
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Return, or show, a picture of the position in the render mode of the environment; see `Renderer`."""
        return self._renderer.render(self.position)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def _mask(self, moves: bool) -> NDArray[np.int8]:
        """Return the mask of the seat that moves, or of another."""
        return self._episodes.masks[0].copy() if moves else np.zeros(self.game.num_actions, dtype=np.int8)

    def _select(self) -> None:
        """Point to the seat to move, at the end to the one that moved last, and say what each may do."""
        mover = int(self._episodes.seats[0])
        self.agent_selection = self.possible_agents[mover]
        self.infos: dict[str, dict[str, Any]] = {
            name: {"action_mask": self._mask(seat == mover), "seat": seat} for name, seat in self._seat_of.items()
        }
