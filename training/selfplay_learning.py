"""Learning from self-play with a search: the games, as the learning from games asks for them."""

from __future__ import annotations

from typing import NamedTuple

from ..envs.core import Game
from .executors import Executor
from .games_learning import GamesLearning
from .judging import Judge, evaluator_of
from .method import Report
from .metrics import search_metrics
from .sections import SelfPlay
from .selfplay import Numbers, Played, SelfPlayers


class Batch(NamedTuple):
    """Games of self-play for one process; a task for an executor."""

    game: Game
    settings: SelfPlay
    numbers: Numbers
    records: int
    threads: int
    device: str


def play_batch(batch: Batch, judge: Judge) -> Played:
    """Play the games of a batch with a network."""
    evaluator = evaluator_of(judge, batch.settings.backend, batch.threads, batch.device)
    return SelfPlayers(batch.game, evaluator, batch.settings, batch.numbers, batch.records).play()


class SelfPlayLearning(GamesLearning):
    """The way of AlphaZero as a `Method`; see `GamesLearning`."""

    no_policy = (
        "an nnue has no policy to learn from self-play: network.kind=mlp or tower, or learn from searches "
        "(--config search_laptop)"
    )
    more_positions = "selfplay.max_plies, selfplay.full_share or selfplay.games"

    def play(self, executor: Executor, iteration: int, report: Report) -> Played:
        """See `GamesLearning.play`."""
        settings, judge, config = self.config.selfplay, self.judge(), self.config
        device = self.play_device(executor)

        def batch(first: int) -> Batch:
            numbers = Numbers(config.seed, iteration, first, min(settings.tables, settings.games - first))
            return Batch(self.game, settings, numbers, config.keeping.records, config.threads, device)

        tasks = map(batch, range(0, settings.games, settings.tables))
        answers = executor.run(play_batch, tasks, judge)
        return self.gathered(answers, lambda done: report("self-play", done, settings.games))

    def measured(self, played: Played, seconds: float) -> dict[str, float]:
        """See `GamesLearning.measured`."""
        return super().measured(played, seconds) | search_metrics(played.tally, seconds)
