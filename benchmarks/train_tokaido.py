"""Train a network for Tokaido on values: ``python benchmarks/train_tokaido.py --output DIR [--config.seed 2 ...]``."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import tyro

from sekisho.training.values import ValuesConfig, train_values


@dataclass
class Words:
    """Value learning, see training/values.py."""

    output: Path
    """folder in which tokaido.safetensors is written after every generation"""
    stop_after: int = 0
    """generations after which to stop, although the learning rate falls as if the run went on; 0: at its end"""
    config: ValuesConfig = field(default_factory=ValuesConfig)


def main() -> None:
    """Train and tell how it goes."""
    words = tyro.cli(Words)
    done = 0

    def tell(name: str, figures: dict[str, float]) -> None:
        nonlocal done
        done += name == "errors"
        print(name, {key: round(value, 4) for key, value in figures.items()}, file=sys.stderr, flush=True)

    print(train_values(words.config, words.output, tell, lambda: bool(words.stop_after) and done >= words.stop_after))


if __name__ == "__main__":
    main()
