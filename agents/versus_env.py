"""Gymnasium environments in which one seat learns and agents play the others."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from ..envs.core import Game
from ..envs.errors import AgentError, OptionError, shown
from ..envs.gymnasium_env import GameEnv
from ..envs.picture_sugoroku.environment import PictureSugorokuEnv
from ..envs.quoridor.environment import QuoridorEnv
from ..envs.spaces import check_choice, shaped
from ..envs.tokaido.environment import TokaidoEnv
from .agent import Agent
from .registry import make_agent

_MAX_GAMES = 1000


class VersusEnv(GameEnv):
    """A game in which every step acts for one seat, the learner's; agents play the others.

    Each step is the learner's decision with all that follows until its next one, or until the end of the game, which
    is played out where the learner has finished before the others. Rewards, ``info["seat"]``, masks and observations
    are always those of the learner; ``info["rewards"]`` has the rewards of all seats.

    Args:
        opponents: the agent of every other seat by its spec string (or an `Agent`), or a sequence of as many, in turn
            order after the learner.
        seat: of the learner, from 0; ``random`` draws one for each game.
        game: as in `GameEnv`, like all other arguments.

    Raises:
        OptionError: for another number of opponents than of other seats, or a seat that does not exist.
        UnknownNameError: for an agent that does not exist.
        AgentError: if an agent does not play this game.
    """

    arguments: ClassVar[tuple[str, ...]] = (*GameEnv.arguments, "opponents", "seat")

    def __init__(
        self,
        game: str | Game | None = None,
        *,
        opponents: str | Agent | Sequence[str | Agent] = "random",
        seat: int | str = "random",
        **others: Any,
    ) -> None:
        super().__init__(game, **others)
        self._opponents = _agents(opponents, self.game)
        check_choice(seat, "seat", ("random", *range(self.game.num_players)))
        self._wanted = seat
        self._learner = 0
        self._agent_rng = np.random.default_rng(0)

    def _begin(self, position: str | None) -> None:
        players = self.game.num_players
        self._learner = int(self.np_random.integers(players)) if self._wanted == "random" else int(self._wanted)
        self._agent_rng = np.random.default_rng(int(self.np_random.integers(2**63)))
        for _ in range(_MAX_GAMES):
            for agent in self._opponents:
                agent.reset()
            super()._begin(position)
            self._let_opponents_play()
            if not self._episodes.over[0]:
                return
        raise OptionError(
            f"seat {self._learner} never comes to decide: its opponents ended {_MAX_GAMES} games before; "
            "begin at another position or with fewer random plies"
        )

    def _play(self, action: int) -> None:
        super()._play(action)
        self._let_opponents_play()

    def _let_opponents_play(self) -> None:
        episodes = self._episodes
        while not episodes.over[0] and episodes.seats[0] != self._learner:
            seat = int(episodes.seats[0])
            agent = self._opponents[(seat - self._learner) % self.game.num_players - 1]
            state = episodes.state(0)
            action = agent.act(state, self._agent_rng).action
            if action not in state.legal_actions():
                raise AgentError(
                    f"{type(agent).__name__} on seat {seat} answered with {shown(action)}, which is illegal"
                )
            episodes.step(np.array([episodes.seen_as(0, action)]))

    def _seat(self) -> int:
        return self._learner

    def _actor(self) -> int:
        return self._learner

    def _observation(self) -> Any:
        if not self._episodes.over[0]:
            return super()._observation()
        return shaped(self._episodes.observe(0, self._learner), self._episodes.masks[0], self._form)


def _agents(opponents: str | Agent | Sequence[str | Agent], game: Game) -> list[Agent]:
    """Return an agent for each other seat, in turn order after the learner."""
    others = game.num_players - 1
    named: list[Any] = list(opponents) if isinstance(opponents, list | tuple) else [opponents] * others
    if len(named) != others:
        raise OptionError(f"{game.name} has {others} other seats here, but {len(named)} opponents are to play")
    agents = [make_agent(one) if isinstance(one, str) else one for one in named]
    for agent in agents:
        if not isinstance(agent, Agent):
            raise OptionError(f"an opponent is named by a spec string such as 'random', not {shown(agent)}")
        agent.supports(game)
    return agents


def versus_page(kind: type[GameEnv]) -> str:
    """Return the documentation page of the environment of a game, changed to what holds when agents play along."""
    page = inspect.cleandoc(kind.__doc__ or "")
    changes = (
        (r"``sekisho/(\w+)-v(\d+)``: every step acts.*", r"``sekisho/\1Vs-v\2``: every step acts for one seat, the "
         "learner's; agents play the others, and play on by themselves when the learner has finished."),
        (r"seat that looks", "learner"),
        (r"(?s)Paid by the step that ends the game, to the\s+seat that acted", "The learner's, paid when the game ends"),
        (r"(?m)^\| random_openings .*", r"\g<0>\n| opponents | 'random' | the agent of every other seat by its spec "
         r"string, or a list of as many in turn order\n| seat | 'random' | the learner's, from 0; or drawn for each game |"),
    )  # fmt: skip
    for pattern, words in changes:
        page, count = re.subn(pattern, words, page)
        if not count:
            raise ValueError(f"the page of {kind.__name__} has nothing like {pattern!r}")
    return page


class QuoridorVsEnv(VersusEnv):  # noqa: D101  its page is made from the one of the game
    game_name = "quoridor"
    __doc__ = versus_page(QuoridorEnv)


class TokaidoVsEnv(VersusEnv):  # noqa: D101  its page is made from the one of the game
    game_name = "tokaido"
    __doc__ = versus_page(TokaidoEnv)


class PictureSugorokuVsEnv(VersusEnv):  # noqa: D101  its page is made from the one of the game
    game_name = "picture_sugoroku"
    __doc__ = versus_page(PictureSugorokuEnv)
