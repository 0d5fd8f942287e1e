"""Fit a network of another size to the positions that a run of learning from searches has left.

    python benchmarks/refit.py runs/searches --width 64 --passes 5 --output wide.safetensors

The games that were held back in the run are held back here too; the cross-entropy on them, and the least that it can be, is
printed in nats. The file can be begun with (`learning.start`, `search.start`), be a leaf, or play alone.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import torch
from rich.progress import Progress
from wanted import count, told_in_words

from sekisho.agents.networks.files import write_network
from sekisho.agents.networks.torch_backend import arrays_of
from sekisho.envs.errors import OptionError
from sekisho.envs.quoridor.rules import Quoridor
from sekisho.training.checkpoint import Checkpoints
from sekisho.training.config import SEARCH, Config
from sekisho.training.folder import CONFIG, read_config
from sekisho.training.run import CHECKPOINTS, POSITIONS
from sekisho.training.searching.fitting import fit, held_back, measure, new_network, rules_seen
from sekisho.training.searching.positions import Judged
from sekisho.training.searching.window import Window

_ORDER = 5
"""Sets the order of the positions apart from other things that a seed determines."""


def main() -> None:
    """Read the positions, fit, measure, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("run", type=Path, help="folder of a run of learning from searches")
    parser.add_argument("--width", type=count(16, 16), default=64, help="sums, a multiple of 16")
    parser.add_argument("--passes", type=count(), default=5, help="over all positions")
    parser.add_argument(
        "--seed", type=count(0), default=1, help="of the first weights and of the order of the positions"
    )
    parser.add_argument("--output", type=Path, required=True, help="file for the network")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with told_in_words(parser):
        refit(options)


def learned_from(run: Path) -> tuple[Config, Quoridor, Judged]:
    """Return how a run has learned, the game, and the positions in its window.

    Raises:
        OptionError: if there is no such run, or it has no positions.
        CheckpointError: if a file of it is damaged or gone.
    """
    if not (run / CONFIG).exists():
        raise OptionError(f"{run} holds no run: there is no {CONFIG}")
    config = read_config(run)
    game = config.load_game()
    if config.method != SEARCH or not isinstance(game, Quoridor):
        raise OptionError(f"{run} is no run of learning from searches, but of {config.method}")
    checkpoints = Checkpoints(run / CHECKPOINTS, game, config.network, config.method, rules_seen(game))
    iterations = checkpoints.iterations()
    if not iterations or iterations[-1] == 0:
        raise OptionError(f"{run} has not come to the end of its first iteration")
    window = Window(game, run / POSITIONS, config.search.window)
    window.restore(checkpoints.read(iterations[-1])[2])
    return config, game, window.positions


def refit(options: argparse.Namespace) -> None:
    """Fit and write."""
    if not options.output.parent.is_dir():
        raise OptionError(f"there is no folder {options.output.parent} for the network")
    config, game, positions = learned_from(options.run)
    settings = replace(config.search, passes=options.passes)
    shape = replace(config.network, width=options.width)
    network = new_network(game, shape, options.seed)
    apart = held_back(positions, settings)
    learned = positions.chosen(~apart)
    if not len(learned.values):
        raise OptionError(f"{options.run} has no positions to learn from")
    with Progress() as bar:
        task = bar.add_task(f"{len(learned.values):,} positions")
        fit(
            network, learned, game, settings, [options.seed, _ORDER],
            lambda done, total: bar.update(task, completed=done, total=total),
        )  # fmt: skip
    recipe = {"refit": str(options.run), "seed": options.seed, "passes": options.passes}
    write_network(options.output, game, shape, arrays_of(network), recipe, rules_seen(game))
    if apart.any():
        error, least = measure(network, positions.chosen(apart), settings)
        print(f"cross-entropy on games held back: {error:.4f} nats, at the least {least:.4f}")
    print(options.output)


if __name__ == "__main__":
    main()
