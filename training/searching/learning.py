"""Learning from searches: a small network that the same search then has in the place of its evaluation by hand.

With two players these are searches of `alphabeta`, with four those of `mcts`. What a search finds out about a position is
more than the evaluation at its leaves knew. So the network learns to say at once what a search says, and the next searches,
with the network at their leaves, know more again. In the first iterations the evaluation made by hand judges. An iteration
is games (see `games`), whose positions go to a window, and a fit to the positions in the window (see `fitting`). Nothing but the network and the window goes from one iteration to the next.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...agents.networks.config import NetworkConfig, shape_of
from ...agents.networks.files import StoredNetwork
from ...agents.networks.torch_backend import arrays_of
from ...arena.records import GameRecord
from ...envs.errors import OptionError, RunError
from ...envs.quoridor.rules import Quoridor
from ..checkpoint import Arrays, Progress
from ..config import Config
from ..devices import choose_device
from ..executors import Executor
from ..method import Report
from ..metrics import games_metrics
from ..tally import Tally
from ..weights import network_to_start_from, require_usable
from .fitting import fit, held_back, measure, new_network, rules_seen
from .games import GamesTask, play_games
from .positions import Judged
from .window import Window

_STREAM = 8
_GAMES_A_TASK = 5
_RISE = 25  # the learning rate begins at this part of its highest


class SearchLearning:
    """Learning from searches as a `Method`.

    Args:
        config: of the run.
        positions: folder for the positions of each iteration.

    Raises:
        OptionError: if the game is another than Quoridor, or the network is no nnue.
    """

    def __init__(self, config: Config, positions: Path) -> None:
        self._config, self._settings = config, config.search
        game = config.load_game()
        if not isinstance(game, Quoridor):
            raise OptionError("learning from searches is for quoridor: take a preset of self-play (tiny, laptop, full)")
        if config.network.kind != "nnue":
            raise OptionError("learning from searches trains an nnue: network.kind=nnue")
        self.game = game
        self.network: NetworkConfig = config.network
        self.rules: Mapping[str, tuple[Any, ...]] = rules_seen(game)
        self.module = new_network(game, config.network, config.seed).to(choose_device(config.device))
        self._window = Window(game, positions, config.search.window)

    def play_device(self, _executor: Executor) -> str:
        """See `Method.play_device`: the searches are compiled for the processor."""
        return "cpu"

    def begin(self) -> None:
        """See `Method.begin`: take the weights of the network to begin with, if there is to be one."""
        if self._settings.start:
            start = network_to_start_from("search.start", self._settings.start, self.network, [self.game])
            self.module.load_state_dict(start)

    def learning_rate(self, iteration: int, steps: int) -> float:
        """See `Method.learning_rate`."""
        return self._settings.learning_rate / _RISE

    def learn(
        self, executor: Executor, iteration: int, progress: Progress, report: Report
    ) -> tuple[dict[str, float], list[GameRecord]]:
        """See `Method.learn`; no records of games are kept."""
        begin = time.monotonic()
        positions, tally = self._play(executor, iteration, report)
        between = time.monotonic()
        progress.games += tally.games
        self._window.add(iteration, positions, progress)
        metrics = self._fit(iteration, progress, report)
        metrics["speed/train_steps_per_second"] /= max(time.monotonic() - between, 1e-9)
        return metrics | games_metrics(tally, between - begin), []

    def _play(self, executor: Executor, iteration: int, report: Report) -> tuple[Judged, Tally]:
        """Play the games of an iteration."""
        settings, parts, tally = self._settings, [], Tally()
        by_hand = iteration <= settings.by_hand and not settings.start
        network = None if by_hand else self._stored()
        tasks = (
            GamesTask(
                self.game, network, settings, self._config.seed, iteration, first,
                min(_GAMES_A_TASK, settings.games - first),
            )
            for first in range(0, settings.games, _GAMES_A_TASK)
        )  # fmt: skip
        report("self-play", 0, settings.games)
        for positions, sums in executor.run(play_games, tasks):
            parts.append(positions)
            tally.add(sums)
            report("self-play", tally.games, settings.games)
        return Judged.joined(self.game, parts), tally

    def _fit(self, iteration: int, progress: Progress, report: Report) -> dict[str, float]:
        """Fit the network to the window; return metrics, steps in the place of steps a second."""
        settings, positions = self._settings, self._window.positions
        if settings.anew:
            fresh = new_network(self.game, self.network, self._config.seed)
            self.module.load_state_dict(fresh.state_dict())
        apart = held_back(positions, settings)
        if apart.all():
            raise RunError(
                "the games have left no position to learn from: raise search.games, search.held_back or search.max_plies"
            )
        learned = positions.chosen(~apart)
        fitted = fit(
            self.module, learned, self.game, settings, [_STREAM, self._config.seed, iteration],
            lambda done, total: report("learning", done, total),
        )  # fmt: skip
        require_usable(self.module, "search.learning_rate")
        progress.steps += fitted.steps
        progress.drawn += fitted.steps * min(settings.batch_size, len(learned.values))
        metrics = {
            "loss/total": fitted.loss,
            "train/grad_norm": fitted.grad_norm,
            "train/learning_rate": fitted.learning_rate,
            "speed/train_steps_per_second": float(fitted.steps),
        }
        if apart.any():
            error, least = measure(self.module, positions.chosen(apart), settings)
            metrics |= {"loss/held_back": error, "loss/held_back_least": least}
        return metrics

    def _stored(self) -> StoredNetwork:
        return StoredNetwork(
            self.network, shape_of(self.game, self.network), self.game.name, self.rules, arrays_of(self.module)
        )

    # --- at rest -----------------------------------------------------------------------------------------------------

    def arrays(self) -> Arrays:
        """See `Method.arrays`: every fit has an optimiser of its own, so there is nothing to keep."""
        return {}

    def restore(self, arrays: Arrays, progress: Progress) -> None:
        """See `Method.restore`."""
        self._window.restore(progress)
