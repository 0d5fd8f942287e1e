"""Value learning for Tokaido: one network for tables of 2 to 6 players and the usual sets of rules.

Where the game is solved (2 and 3 players) the network learns the solution by heart: positions are drawn from the tables
with their exact values. With 4 to 6 players it learns from games that it plays against itself, see `games`; in the first
iteration the race of lone travellers judges in the place of the network. An iteration is games at every table and then
training steps on them and on the solved games; nothing but weights goes from one to the next.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from ...agents.networks.config import NetworkConfig, shape_of
from ...agents.networks.files import StoredNetwork
from ...agents.networks.modules import Mlp, build_network
from ...agents.networks.torch_backend import arrays_of
from ...arena.records import GameRecord
from ...envs.errors import CheckpointError, OptionError, RunError
from ...envs.tokaido.observation import SEEN_CAP, SEEN_VARIANT
from ...envs.tokaido.tables import VARIANT
from ..checkpoint import Arrays, Progress
from ..config import Config
from ..devices import choose_device
from ..executors import Executor
from ..method import Report
from ..metrics import games_metrics
from ..optimizers import optimizer_arrays, restore_optimizer
from ..tally import Tally
from ..weights import network_to_start_from, require_usable
from .games import TableTask, play_table
from .network import follow, losses_of
from .samples import Samples
from .scope import games_of, rules_for
from .solved import PLAYERS, SolvedGame

_STREAM, _GAUGE_STREAM = 5, 6
_CLIP = 1.0  # largest norm of a gradient
_GAUGED, _GAUGED_GAMES = 2000, 8000  # positions that errors are measured on, of each solved game and of games
_NETWORK, _OPTIMIZER = "network/", "optimizer/"


class ValueLearning:
    """Value learning as a `Method`.

    Args:
        config: of the run.

    Raises:
        OptionError: if the game or its rules are not what value learning is for, or the network is no mlp.
    """

    def __init__(self, config: Config) -> None:
        self._config, self._settings = config, config.values
        self._games = games_of(config)
        self.game = self._games[0]
        self.network: NetworkConfig = config.network
        if config.network.kind != "mlp":
            raise OptionError("value learning trains an mlp: network.kind=mlp")
        self.rules: Mapping[str, tuple[Any, ...]] = rules_for(self._games)
        device = choose_device(config.device)
        self.module = _new_mlp(config).to(device)  # the running mean, which plays
        self._quick = _new_mlp(config).to(device)  # what is trained
        self._optimizer = torch.optim.Adam(self._quick.parameters(), lr=config.values.learning_rate)
        self._solved: dict[int, list[SolvedGame]] = {}

    def play_device(self, _executor: Executor) -> str:
        """See `Method.play_device`: short lists of features are quick enough without a GPU."""
        return "cpu"

    def begin(self) -> None:
        """See `Method.begin`: take the weights of the network to go on from, if there is to be one."""
        if self._settings.start:
            start = network_to_start_from("values.start", self._settings.start, self.network, self._games)
            self._quick.load_state_dict(start)
        _forget_what_never_changes(self._quick)
        self.module.load_state_dict(self._quick.state_dict())

    def learning_rate(self, iteration: int, steps: int) -> float:
        """See `Method.learning_rate`."""
        share = min(steps / (self._settings.steps * self._config.iterations), 1.0)
        return self._settings.learning_rate * 0.5 * (1 + math.cos(math.pi * share))

    def learn(
        self, executor: Executor, iteration: int, progress: Progress, report: Report
    ) -> tuple[dict[str, float], list[GameRecord]]:
        """See `Method.learn`; value learning keeps no records of games."""
        begin = time.monotonic()
        samples, tally = self._play(executor, iteration, report)
        between = time.monotonic()
        metrics = self._fit(samples, iteration, progress, report)
        seconds = max(time.monotonic() - between, 1e-9)
        progress.games += tally.games
        progress.positions += tally.positions
        progress.buffer = tally.positions
        metrics |= games_metrics(tally, between - begin) | self._errors(samples)
        metrics["speed/train_steps_per_second"] = self._settings.steps / seconds
        return metrics, []

    # --- games -------------------------------------------------------------------------------------------------------

    def _play(self, executor: Executor, iteration: int, report: Report) -> tuple[Samples, Tally]:
        """Play the games of an iteration at all tables that are not solved."""
        by_race = iteration == 1 and not self._settings.start
        tables = [game for game in self._games if game.num_players not in PLAYERS]
        tasks = [
            TableTask(game, None if by_race else self._judge(), self._settings, self._config.seed, iteration, number)
            for number, game in enumerate(tables)
        ]
        parts, tally = [], Tally()
        report("games", 0, len(tasks))
        for samples, sums in executor.run(play_table, tasks):
            parts.append(samples)
            tally.add(sums)
            report("games", len(parts), len(tasks))
        return Samples.joined(parts), tally

    def _judge(self) -> StoredNetwork:
        return StoredNetwork(self.network, shape_of(self.game), self.game.name, self.rules, arrays_of(self.module))

    # --- training steps ----------------------------------------------------------------------------------------------

    def _fit(self, games: Samples, iteration: int, progress: Progress, report: Report) -> dict[str, float]:
        """Take the training steps of an iteration; return the means of its losses and the norm of its gradients."""
        settings, rng = self._settings, np.random.default_rng([_STREAM, self._config.seed, iteration])
        sums, rate = np.zeros(5), 0.0
        for step in range(settings.steps):
            drawn, from_games = self._batch(games, rng)
            rate = self.learning_rate(iteration, progress.steps)
            sums += self._step(drawn, rate)
            progress.steps += 1
            progress.drawn += from_games
            follow(self.module, self._quick, min(settings.average, progress.steps / (progress.steps + 9.0)))
            report("fitting", step + 1, settings.steps)
        if not np.isfinite(sums).all():
            raise RunError(
                f"the loss is no finite number after {progress.steps:,} training steps: lower values.learning_rate; the "
                "last checkpoint is whole"
            )
        require_usable(self.module, "values.learning_rate")
        names = ("loss/total", "loss/policy", "loss/value", "loss/policy_target_entropy", "train/grad_norm")
        return {**dict(zip(names, (sums / settings.steps).tolist(), strict=True)), "train/learning_rate": rate}

    def _batch(self, games: Samples, rng: np.random.Generator) -> tuple[Samples, int]:
        """Return the positions of a training step, and how many of them are from games."""
        settings, parts = self._settings, []
        for players, share in zip(PLAYERS, (settings.two, settings.three), strict=True):
            tables = self._tables(players) if share else []
            count = int(share * settings.batch_size) // max(len(tables), 1)
            parts += [table.draw(count, rng, settings.sharpness) for table in tables if count]
        rest = settings.batch_size - sum(len(part.places) for part in parts)
        parts.append(games.chosen(rng.integers(len(games.places), size=rest)))
        return Samples.joined(parts), rest

    def _tables(self, players: int) -> list[SolvedGame]:
        """Return the solved games of so many players."""
        if players not in self._solved:
            games = [game for game in self._games if game.num_players == players]
            self._solved[players] = [SolvedGame(game, self._settings.often) for game in games]
        return self._solved[players]

    def _step(self, samples: Samples, rate: float) -> NDArray[np.float64]:
        """Take a training step; return its losses and the norm of the gradient before clipping."""
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        losses = losses_of(self._quick, samples)
        total = losses.value + self._settings.policy_weight * losses.policy
        self._optimizer.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self._quick.parameters(), _CLIP)
        self._optimizer.step()
        return torch.stack([total, losses.policy, losses.value, losses.entropy, norm]).detach().double().cpu().numpy()

    def _errors(self, games: Samples) -> dict[str, float]:
        """Return the root of the mean squared error of the values by where positions come from."""
        rng = np.random.default_rng([_GAUGE_STREAM, self._config.seed])
        sources = {
            str(players): Samples.joined([table.draw(_GAUGED, rng, 1.0) for table in tables])
            for players, tables in sorted(self._solved.items())
        }
        sources["games"] = games.chosen(rng.integers(len(games.places), size=min(_GAUGED_GAMES, len(games.places))))
        with torch.inference_mode():
            return {
                f"loss/value_rmse_{name}": float(losses_of(self.module, samples).value) ** 0.5
                for name, samples in sources.items()
            }

    # --- at rest -----------------------------------------------------------------------------------------------------

    def arrays(self) -> Arrays:
        """See `Method.arrays`."""
        moments = optimizer_arrays(self._quick, self._optimizer)
        return {_NETWORK + name: array for name, array in arrays_of(self._quick).items()} | {
            _OPTIMIZER + name: array for name, array in moments.items()
        }

    def restore(self, arrays: Arrays, progress: Progress) -> None:
        """See `Method.restore`."""
        weights = {name.removeprefix(_NETWORK): at for name, at in arrays.items() if name.startswith(_NETWORK)}
        moments = {name.removeprefix(_OPTIMIZER): at for name, at in arrays.items() if name.startswith(_OPTIMIZER)}
        try:
            self._quick.load_state_dict({name: torch.from_numpy(array) for name, array in weights.items()})
        except RuntimeError as error:
            raise CheckpointError(f"the checkpoint has the weights of another network: {error}") from error
        restore_optimizer(self._quick, self._optimizer, moments)


def _new_mlp(config: Config) -> Mlp:
    network = build_network(config.load_game(), config.network, config.seed)
    if not isinstance(network, Mlp):
        raise RunError("value learning trains an mlp")
    return network


def _forget_what_never_changes(network: Mlp) -> None:
    """Take away the weights of features that are always 0 in training, so that they mean nothing where they are not."""
    constant = [SEEN_CAP] + [SEEN_VARIANT + at for at, name in enumerate(VARIANT) if name not in ("forks", "goal")]
    with torch.no_grad():
        network.get_parameter("hidden.0.weight")[:, constant] = 0.0
