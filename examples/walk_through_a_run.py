"""A tiny run of training from end to end: what it writes, what it says, and its curves.

Run, after pip install -e ".[plots]": python examples/walk_through_a_run.py --game quoridor --seed 0 --output runs/walk
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import tyro
from matplotlib.figure import Figure

from sekisho.agents.networks.files import read_network
from sekisho.arena.records import read_records
from sekisho.envs.errors import SekishoError
from sekisho.training.config import with_settings
from sekisho.training.metrics import read_metrics
from sekisho.training.presets import preset_config
from sekisho.training.train import train

PANELS = {
    "loss": ("loss/policy", "loss/policy_target_entropy", "loss/value"),
    "score": ("eval/score_vs_random", "eval/score_vs_heuristic", "eval/score_vs_previous"),
    "rating, heuristic at 0": ("eval/elo",),
    "games": ("selfplay/game_length",),
}


def curves(lines: list[dict[str, Any]], path: Path) -> None:
    """Draw metrics over the iterations into a picture, SVG or PNG by the name of the file; what a run lacks is left out."""
    figure = Figure(figsize=(9, 5.5), layout="constrained")
    for panel, (title, names) in zip(figure.subplots(2, 2).flat, PANELS.items(), strict=True):
        for name in names:
            if points := [(line["iteration"], line[name]) for line in lines if name in line]:
                panel.plot(*zip(*points, strict=True), marker="o", markersize=3, label=name)
        panel.set_title(title)
        panel.set_xlabel("iteration")
        if panel.lines:
            panel.legend(fontsize="small")
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


def main(
    output: Path, game: Literal["quoridor", "tokaido"] = "quoridor", iterations: int | None = None, seed: int = 0
) -> None:
    """Train, then look at everything that the run has left.

    Args:
        output: folder of the run; a new one.
        game: what is learned.
        iterations: rounds of self-play and learning; by default those of the preset `tiny`.
        seed: the same seed makes the same run.
    """
    config = with_settings(preset_config(game, "tiny"), {"seed": seed})
    if iterations is not None:
        config = with_settings(config, {"iterations": iterations})
    try:
        progress = train(output, config)
    except SekishoError as error:
        raise SystemExit(f"walk_through_a_run: {error}") from error
    print(f"{progress.games} games, {progress.positions} positions, {progress.steps} steps, {progress.seconds:.0f} s\n")
    print("What it has left:")
    for path in sorted(path for path in output.rglob("*") if path.is_file() and path.name != ".lock"):
        print(f"  {path.relative_to(output).as_posix():<40} {path.stat().st_size:>9,} bytes")
    lines = read_metrics(output / "metrics.jsonl")
    print("\nWhat was measured:")
    for line in (line for line in lines if "eval/elo" in line):
        scores = "  ".join(
            f"{name.removeprefix('eval/')} {value:.3g}" for name, value in line.items() if "eval/" in name
        )
        print(f"  iteration {line['iteration']:>3}: {scores}")
    record = next(read_records(output / "games" / f"{progress.iteration:06d}.jsonl"))
    print(f"\nOne of its last games: {' '.join(record.moves)} ({record.end})")
    best = read_network(output / "best.safetensors")
    weights = sum(array.size for array in best.arrays.values())
    print(f"\nThe best network is that of iteration {best.recipe['iteration']}: {weights:,} weights, {best.config}")
    curves(lines, output / "curves.svg")
    print(f"\nThe curves: {output / 'curves.svg'}")


if __name__ == "__main__":
    tyro.cli(main, description=__doc__)
