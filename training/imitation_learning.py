"""Imitation: a network learns what a teacher, any agent, plays and what it thinks positions are worth."""

from __future__ import annotations

from pathlib import Path

from torch import nn

from ..agents.agent import Agent
from ..agents.external import ExternalAgent
from ..agents.network_names import networks_of
from ..agents.registry import make_agent
from ..envs.core import Game
from ..envs.errors import OptionError, SekishoError
from .config import Config
from .executors import Executor
from .games_learning import GamesLearning
from .imitation import Lessons, play_lessons
from .learner import agreement
from .method import Report
from .selfplay import Numbers, Played

_GAMES_A_TASK = 8
_REPEATABLE = "nodes=, depth=, simulations= or turns="


class ImitationLearning(GamesLearning):
    """Imitation as a `Method`; see `GamesLearning`.

    Raises:
        OptionError: if the teacher does not exist, does not play the game, or does not play the same way twice.
    """

    no_policy = "an nnue has no policy to learn from a teacher: network.kind=mlp or tower"
    more_positions = "imitation.max_plies or imitation.games"

    def __init__(self, config: Config, positions: Path, module: nn.Module | None = None) -> None:
        super().__init__(config, positions, module)
        self._settings = config.imitation
        try:
            require_teacher(make_agent(self._settings.teacher), self.game)
            self._networks = networks_of([self._settings.teacher])
        except SekishoError as error:
            raise OptionError(f"imitation.teacher: {error}") from error

    def play(self, executor: Executor, iteration: int, report: Report) -> Played:
        """See `GamesLearning.play`; from the second iteration on the network plays in a share of the games."""
        settings, config, device = self._settings, self.config, self.play_device(executor)
        judge = self.judge() if settings.student and iteration > 1 else None

        def lessons(first: int) -> Lessons:
            numbers = Numbers(config.seed, iteration, first, min(_GAMES_A_TASK, settings.games - first))
            return Lessons(self.game, settings, numbers, config.keeping.records, config.threads, device)

        tasks = map(lessons, range(0, settings.games, _GAMES_A_TASK))
        answers = executor.run(play_lessons, tasks, judge, self._networks)
        return self.gathered(answers, lambda done: report("imitation", done, settings.games))

    def measured(self, played: Played, seconds: float) -> dict[str, float]:
        """See `GamesLearning.measured`."""
        agreed = agreement(self.game, self.module, played.positions)
        return super().measured(played, seconds) | {"imitation/agreement": agreed}


def require_teacher(teacher: Agent, game: Game) -> None:
    """Raise `AgentError` if an agent does not play a game, `OptionError` if it need not play the same way twice."""
    limited = getattr(teacher, "nodes", None) or getattr(teacher, "depth", None)
    if getattr(teacher, "seconds", None) is not None or (isinstance(teacher, ExternalAgent) and not limited):
        raise OptionError(
            f"a limit of time does not let a run be repeated: limit the teacher by {_REPEATABLE} and leave seconds out"
        )
    if getattr(teacher, "threads", 1) != 1:
        raise OptionError("several threads do not let a run be repeated: leave threads out; workers share the games")
    teacher.supports(game)
