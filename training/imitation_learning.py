"""Imitation: a network learns what a teacher, any agent, plays and what it thinks positions are worth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from torch import nn

from ..agents.agent import Agent
from ..agents.choices import RETURN, choice_unit
from ..agents.external import ExternalAgent
from ..agents.network_names import networks_of
from ..agents.networks.files import StoredNetwork
from ..agents.networks.modules import build_network
from ..agents.registry import make_agent
from ..envs.core import Game
from ..envs.errors import OptionError, SekishoError
from ..envs.quoridor.rules import Quoridor
from .choice_learner import ChoiceLearner
from .config import Config
from .executors import Executor
from .games_learning import GamesLearning
from .imitation import Lessons, play_lessons, without_values, worth_of
from .learner import Learner
from .method import Report
from .searching.fitting import new_network, rules_seen
from .selfplay import Numbers, Played

_GAMES_A_TASK = 8
_REPEATABLE = "nodes=, depth=, simulations= or turns="


class ImitationLearning(GamesLearning):
    """Imitation as a `Method`; see `GamesLearning`.

    Raises:
        OptionError: if the teacher or the opponent does not exist, does not play the game, or does not play the same way
            twice; for choices to be judged in a game with dice, or by a teacher that does not say what positions are worth.
    """

    more_positions = "imitation.max_plies or imitation.games"

    def __init__(self, config: Config, positions: Path, module: nn.Module | None = None) -> None:
        super().__init__(config, positions, module)
        if isinstance(self._learner, ChoiceLearner) and isinstance(self.game, Quoridor):
            self.rules = rules_seen(self.game)
        self._settings = config.imitation
        self._networks = dict[str, StoredNetwork]()
        for name in ("teacher", "opponent") if self._settings.opponent else ("teacher",):
            spec = getattr(self._settings, name)
            try:
                require_repeatable(make_agent(spec), self.game)
                self._networks |= networks_of([spec])
            except SekishoError as error:
                raise OptionError(f"imitation.{name}: {error}") from error
        if self._settings.judges_choices:
            require_values(self._settings.teacher, self.game)

    def new_module(self) -> nn.Module:
        """See `GamesLearning.new_module`."""
        if self.config.network.kind == "nnue" and isinstance(self.game, Quoridor):
            return new_network(self.game, self.config.network, self.config.seed)
        return build_network(self.game, self.config.network, self.config.seed)

    def new_learner(self) -> Learner:
        """See `GamesLearning.new_learner`; an nnue, which has no policy, learns from the positions after the choices."""
        kind = ChoiceLearner if self.network is not None and self.network.kind == "nnue" else Learner
        return kind(self.game, self.module, self.config.learning, self.config.device, self.config.iterations)

    def play(self, executor: Executor, iteration: int, report: Report) -> Played:
        """See `GamesLearning.play`; a network that has learned something plays, or is asked what it likes."""
        settings, config, device = self._settings, self.config, self.play_device(executor)
        knows = iteration > 1 or bool(config.learning.start)
        judge = self.judge() if (settings.student or settings.judges_choices) and knows else None

        def lessons(first: int) -> Lessons:
            numbers = Numbers(config.seed, iteration, first, min(_GAMES_A_TASK, settings.games - first))
            return Lessons(self.game, settings, numbers, config.keeping.records, config.threads, device)

        tasks = map(lessons, range(0, settings.games, _GAMES_A_TASK))
        answers = executor.run(play_lessons, tasks, judge, self._networks)
        return self.gathered(answers, lambda done: report("imitation", done, settings.games))

    def measured(self, played: Played, seconds: float) -> dict[str, float]:
        """See `GamesLearning.measured`."""
        found = super().measured(played, seconds)
        found["imitation/agreement"] = self._learner.agreement(played.positions)
        if played.tally.judged:
            found["imitation/cost"] = played.tally.costs / played.tally.judged
        return found


def require_values(spec: str, game: Game) -> None:
    """Raise `OptionError` unless a teacher says what a position of a game without dice is worth to every seat."""
    if game.max_chance_outcomes:
        raise OptionError(
            "imitation.doubt, imitation.weigh: a teacher judges positions in which a seat decides, not throws of dice: "
            "set both to 0"
        )
    teacher, state = make_agent(spec), game.new_initial_state()
    try:
        decision = teacher.act(state, np.random.default_rng(0))
    finally:
        if isinstance(teacher, ExternalAgent):
            teacher.close()
    in_returns = choice_unit(teacher, game) == RETURN
    if not in_returns or worth_of(decision, state.current_player(), game.num_players) is None:
        raise OptionError(without_values(spec))


def require_repeatable(agent: Agent, game: Game) -> None:
    """Raise `AgentError` if an agent does not play a game, `OptionError` if it need not play the same way twice."""
    limited = getattr(agent, "nodes", None) or getattr(agent, "depth", None)
    if getattr(agent, "seconds", None) is not None or (isinstance(agent, ExternalAgent) and not limited):
        raise OptionError(
            f"a limit of time does not let a run be repeated: limit it by {_REPEATABLE} and leave seconds out"
        )
    if getattr(agent, "threads", 1) != 1:
        raise OptionError("several threads do not let a run be repeated: leave threads out; workers share the games")
    agent.supports(game)
