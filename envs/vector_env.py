"""Many games of one kind at once, stepped in compiled code, as a Gymnasium vector environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from .core import Game, State
from .counter_rng import new_rng
from .episodes import Episodes, draw_actions, whole_number
from .errors import IllegalActionError, OptionError, shown
from .gymnasium_env import GameEnv, read_options
from .rendering import FRAMES_PER_SECOND, Renderer
from .spaces import check_choice, environment_game, observation_space, shaped

MODES = ("ansi", "rgb_array")
MAX_GAMES = 1_000_000


class GameVectorEnv(VectorEnv[Any, Any, Any]):
    """A number of games side by side, each like a `GameEnv` of the same seed, step for step.

    ``infos`` has ``action_mask`` (int8 ``[num_envs, actions]``), ``seat`` (int64 ``[num_envs]``) and ``rewards``
    (float64 ``[num_envs, players]``), and ``illegal_action`` (texts) where there were illegal actions.

    Args:
        num_envs: how many games.
        game: the name of a game or a `Game`; the subclasses know theirs.
        render_mode: ``ansi``, ``rgb_array`` or None; `render` returns a picture of each game.
        observation, perspective, random_openings, rules: as in `GameEnv`.
        autoreset_mode: what happens to a game that has ended. ``NextStep``: its next step begins a new one, whatever
            the action, with reward 0. ``SameStep``: the step that ends it begins a new one, and the end is in
            ``final_obs`` and ``final_info``. ``Disabled``: nothing; ``reset(options={"reset_mask": …})`` is to be
            called, with True for each game that shall begin anew.
        max_episode_steps: steps after which a game is truncated; None leaves that to the rules.
        copy: whether each step returns fresh arrays; without it the ones of the step before are overwritten.

    Attributes:
        game: the rules.
    """

    game_name: ClassVar[str] = ""

    def __init__(
        self,
        num_envs: int = 1,
        game: str | Game | None = None,
        *,
        render_mode: str | None = None,
        observation: str = "array",
        perspective: str = "mover",
        random_openings: int = 0,
        autoreset_mode: str | AutoresetMode = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        copy: bool = True,
        **rules: Any,
    ) -> None:
        check_choice(render_mode, "render_mode", (None, *MODES))
        known = (*GameEnv.arguments, "num_envs", "autoreset_mode", "max_episode_steps", "copy")
        self.game = environment_game(self.game_name if game is None else game, rules, known)
        self.num_envs = whole_number(num_envs, "num_envs", 1, MAX_GAMES)
        self.render_mode = render_mode
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = ", ".join(repr(mode.value) for mode in AutoresetMode)
            raise OptionError(f"autoreset_mode must be one of {modes}, not {autoreset_mode!r:.80}") from None
        self.metadata = {
            "render_modes": list(MODES), "render_fps": FRAMES_PER_SECOND, "autoreset_mode": self.autoreset_mode
        }  # fmt: skip
        self.single_observation_space = observation_space(self.game, observation)
        self.single_action_space = spaces.Discrete(self.game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._form = observation
        self._copy = copy
        self._steps_allowed = (
            None if max_episode_steps is None else whole_number(max_episode_steps, "max_episode_steps", 1, 10**9)
        )
        self._steps = np.zeros(self.num_envs, dtype=np.int64)
        self._rows = np.arange(self.num_envs)
        self._episodes = Episodes(self.game, self.num_envs, perspective, random_openings)
        self._seeded = False

    def state(self, number: int) -> State:
        """Return the position of a game, without what was played before."""
        return self._episodes.position(number)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin games.

        Args:
            seed: of the first game, the others get the numbers after it; or one for each game, None to leave its
                generator where it is.
            options: ``position``: where all of them begin, in the text form of the game; ``reset_mask``: bool
                ``[num_envs]``, which games to begin, by default all.

        Returns:
            The observations of all games, and ``infos``.
        """
        asked = dict(options or {})
        where = self._read_mask(asked.pop("reset_mask", None))
        position = read_options(asked)
        self._seed(seed)
        self._episodes.begin(where, position, fresh=self._copy)
        self._steps[where] = 0
        return self._observations(), self._infos()

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play an action in each game.

        Args:
            actions: integers ``[num_envs]``.

        Returns:
            Observations; rewards of the seats that acted, float64 ``[num_envs]``; terminated and truncated, bool
            ``[num_envs]``; and ``infos``.

        Raises:
            IllegalActionError: if a number is no action of the game at all; nothing has changed then.
            EpisodeError: if no games have begun, or one is over and nothing begins it anew.
        """
        chosen = self._read_actions(actions)
        episodes = self._episodes
        anew = episodes.over.copy() if self.autoreset_mode == AutoresetMode.NEXT_STEP and self._seeded else None
        if anew is None or not anew.any():
            episodes.step(chosen, fresh=self._copy)
        else:
            episodes.step(chosen, ~anew, fresh=self._copy)
            episodes.begin(anew)
        self._count_steps(anew)
        terminated, truncated = episodes.ends[:, 0].copy(), episodes.ends[:, 1].copy()
        rewards = episodes.rewards[self._rows, episodes.actors]
        infos = self._infos()
        if episodes.ends[:, 2].any():
            self._explain(chosen, infos)
        if self.autoreset_mode == AutoresetMode.SAME_STEP and episodes.over.any():
            infos = self._restart(infos)
        return self._observations(), rewards, terminated, truncated, infos

    def render(self) -> tuple[Any, ...] | None:
        """Return a picture of each game in the render mode, None without one."""
        if self.render_mode is None:
            return None
        return tuple(Renderer(self.render_mode).render(self.state(number)) for number in range(self.num_envs))

    def _observations(self) -> Any:
        return shaped(self._episodes.observations, self._episodes.masks, self._form)

    def _infos(self) -> dict[str, Any]:
        episodes = self._episodes
        values = {"action_mask": episodes.masks, "seat": episodes.seats.copy(), "rewards": episodes.rewards}
        return values | {f"_{name}": np.ones(self.num_envs, dtype=np.bool_) for name in values}

    def _explain(self, actions: NDArray[np.int64], infos: dict[str, Any]) -> None:
        """Add to `infos` why actions were illegal."""
        texts = np.full(self.num_envs, None, dtype=object)
        for number in np.flatnonzero(self._episodes.ends[:, 2]):
            texts[number] = self._episodes.explain_illegal(int(number), int(actions[number]))
        infos["illegal_action"], infos["_illegal_action"] = texts, self._episodes.ends[:, 2].copy()

    def _restart(self, final: dict[str, Any]) -> dict[str, Any]:
        """Begin a new game wherever one is over; return the infos, with the ends, which the `final` ones describe."""
        episodes = self._episodes
        over = episodes.over.copy()
        final_obs = np.full(self.num_envs, None, dtype=object)
        for number in np.flatnonzero(over):
            final_obs[number] = shaped(episodes.observations[number].copy(), episodes.masks[number], self._form)
        final_info = {}
        for name, value in final.items():
            final_info[name] = np.full_like(value, None if value.dtype == object else 0)
            final_info[name][over] = value[over]
        episodes.begin(over)
        self._steps[over] = 0
        return self._infos() | {
            "final_obs": final_obs, "_final_obs": over, "final_info": final_info, "_final_info": over.copy()
        }  # fmt: skip

    def _count_steps(self, anew: NDArray[np.bool_] | None) -> None:
        """Count the steps of each game, and cut those short that have had as many as allowed."""
        if self._steps_allowed is None:
            return
        self._steps += 1
        if anew is not None:
            self._steps[anew] = 0
        late = self._steps >= self._steps_allowed
        if late.any():
            self._episodes.cut(late)

    def _seed(self, seed: int | Sequence[int | None] | None) -> None:
        if seed is None or isinstance(seed, int | np.integer):
            super().reset(seed=None if seed is None else int(seed))
            seeds = [None if seed is None else int(seed) + number for number in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise OptionError(f"expected a seed for each of {self.num_envs} games, not {len(seeds)} seeds")
        for number, one in enumerate(seeds):
            if one is not None:
                self._episodes.seed_by(number, seeding.np_random(one)[0])
            elif not self._seeded:
                self._episodes.seed_by(number, self.np_random)
        self._seeded = True

    def _read_mask(self, mask: Any) -> NDArray[np.bool_]:
        if mask is None:
            return np.ones(self.num_envs, dtype=np.bool_)
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise OptionError(f"reset_mask must be an array of {self.num_envs} truth values, not {shown(mask)}")
        if not mask.any():
            raise OptionError("reset_mask names no game; give True for each game that shall begin anew")
        return mask

    def _read_actions(self, actions: Any) -> NDArray[np.int64]:
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise IllegalActionError(
                f"actions must be {self.num_envs} integers, one for each game, not {given.dtype} of shape {given.shape}"
            )
        return np.ascontiguousarray(given, dtype=np.int64)


def sample_legal(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a legal action of each game, each equally likely.

    Args:
        masks: int8 ``[games, actions]``, 1 = legal, such as ``infos["action_mask"]``.
        rng: where the randomness comes from.

    Returns:
        int64 ``[games]``; 0 for a game without legal actions.
    """
    actions = np.empty(len(masks), dtype=np.int64)
    draw_actions(masks, new_rng(int(rng.integers(2**64, dtype=np.uint64))), actions)
    return actions


class QuoridorVectorEnv(GameVectorEnv):
    """Many games of Quoridor; see `GameVectorEnv` and `QuoridorEnv`."""

    game_name = "quoridor"


class TokaidoVectorEnv(GameVectorEnv):
    """Many games of Tokaido sugoroku; see `GameVectorEnv` and `TokaidoEnv`."""

    game_name = "tokaido"


class PictureSugorokuVectorEnv(GameVectorEnv):
    """Many games of picture sugoroku; see `GameVectorEnv` and `PictureSugorokuEnv`."""

    game_name = "picture_sugoroku"
