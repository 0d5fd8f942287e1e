"""The numbers of a run: their names, what they mean, and where they are written."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..arena.reading import json_values, text_of
from ..envs.errors import CheckpointError, RecordError
from ..envs.files import write_text_atomically
from .tally import Tally

_log = logging.getLogger("sekisho")

METRICS = {
    "loss/total": "what training makes smaller: the policy's loss plus value_weight times the value's",
    "loss/policy": "cross-entropy between the policy to learn (the visits of the search) and the network's, in nats",
    "loss/value": "squared error of the values of all seats, whose targets are in -1..1",
    "loss/policy_target_entropy": "entropy of the policy to learn, in nats: the least that loss/policy can be",
    "loss/value_rmse_2": "root of the mean squared error of the values on positions of the solved game of 2 players",
    "loss/value_rmse_3": "the same for 3 players",
    "loss/value_rmse_games": "the same on positions of games, against their targets",
    "loss/held_back": "cross-entropy of the network with its targets on positions of games that are not learned from, in nats",
    "loss/held_back_least": "entropy of these targets, in nats: the least that loss/held_back can be",
    "imitation/agreement": "share of the teacher's new decisions in which the network, before it learns from them, likes best what "
    "the teacher does",
    "imitation/cost": "mean return that the network's choice costs there, as the teacher sees it; with imitation.doubt or weigh",
    "selfplay/game_length": "mean plies of a game of self-play, throws included",
    "selfplay/first_player_win_rate": "share of these games that the seat which began has won alone",
    "selfplay/draw_rate": "share of these games that nobody has won alone, those broken off included",
    "selfplay/games_total": "games of self-play since the run began",
    "selfplay/positions_total": "positions to learn from since the run began",
    "selfplay/root_value_abs": "mean of |value| that full searches gave to the seat to move: how decided games look",
    "selfplay/visit_entropy": "mean entropy of the visits at the root of full searches, in nats",
    "eval/score_vs_random": "mean score against `random`, 0..1: a win 1, a draw 0.5, with more seats place points",
    "eval/score_vs_heuristic": "the same against `heuristic`",
    "eval/score_vs_mcts_N": "the same against `mcts:simulations=N`, N the setting evaluation.mcts, or evaluation.nodes in Quoridor "
    "with four players",
    "eval/score_vs_alphabeta_N": "the same against `alphabeta:nodes=N`, N the setting evaluation.nodes",
    "eval/interval_vs_alphabeta_N": "half the width of the 95 % interval of that score",
    "eval/score_vs_previous": "the same against the network of the evaluation before",
    "eval/elo": "rating that fits all games of all evaluations best, `heuristic` at 0 (`random` without one)",
    "eval/exact_loss": "percentage points of the chance to win that are lost against perfect play, where the game is solved: worked out in "
    "Tokaido, measured over ten games from each seat in Quoridor, where it is coarse",
    "speed/positions_per_second": "positions to learn from, a second of self-play",
    "speed/simulations_per_second": "simulations of all searches, a second of self-play",
    "speed/train_steps_per_second": "training steps, a second of learning",
    "train/learning_rate": "learning rate of the last training step",
    "train/grad_norm": "mean norm of the gradient before clipping",
    "train/buffer_size": "positions in the replay buffer",
    "train/sample_reuse": "how often a position was learned from, on average over the run",
}
"""Every metric that a run can log, with its meaning in one line."""


def family(name: str) -> str:
    """Return the name under which `METRICS` has a metric: the number of simulations or nodes of an opponent is an N."""
    return re.sub(r"(mcts|alphabeta)_\d+$", r"\1_N", name)


def games_metrics(tally: Tally, seconds: float) -> dict[str, float]:
    """Return the metrics of the games of an iteration, which took some seconds."""
    games = max(tally.games, 1)
    return {
        "selfplay/game_length": tally.plies / games,
        "selfplay/first_player_win_rate": tally.first_wins / games,
        "selfplay/draw_rate": tally.draws / games,
        "speed/positions_per_second": tally.positions / max(seconds, 1e-9),
    }


def search_metrics(tally: Tally, seconds: float) -> dict[str, float]:
    """Return the metrics of the searches of an iteration."""
    searches = max(tally.searches, 1)
    return {
        "selfplay/root_value_abs": tally.root_values / searches,
        "selfplay/visit_entropy": tally.entropies / searches,
        "speed/simulations_per_second": tally.simulations / max(seconds, 1e-9),
    }


class MetricsLog:
    """A file with one line of JSON an iteration: ``{"iteration": 3, "loss/total": 2.1, ...}``.

    Args:
        path: of the file.
        after: the last iteration whose lines stay; later ones were written by a run that was stopped before it had
            made a checkpoint of them. That earlier ones are missing is said, and is no reason to stop: nothing is learned
            from them.

    Raises:
        CheckpointError: if the file holds something else.
    """

    def __init__(self, path: Path, after: int) -> None:
        self._path = path
        found = read_metrics(path) if path.exists() else []
        self.lines = [line for line in found if line["iteration"] <= after]
        missing = sorted({*range(after + 1)} - {line["iteration"] for line in self.lines})
        if missing:
            _log.warning(
                "sekisho: %s lacks the metrics of %d of %d iterations, the first of them %d; the run goes on without.",
                path, len(missing), after + 1, missing[0],
            )  # fmt: skip
        self._write()

    def add(self, iteration: int, values: Mapping[str, float]) -> None:
        """Add the line of an iteration."""
        self.lines.append({"iteration": iteration, **values})
        self._write()

    def _write(self) -> None:
        write_text_atomically(self._path, "".join(json.dumps(line) + "\n" for line in self.lines))


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a metrics file; a last line that was not written to its end is left out.

    Raises:
        CheckpointError: if the file holds something else.
    """
    if path.is_file() and path.stat().st_size == 0:
        return []
    advice = "to go on without the metrics so far, move the file away"
    try:
        text = text_of(path)
    except RecordError as error:
        raise CheckpointError(f"{error}; {advice}") from error
    found: list[dict[str, Any]] = []
    lines = text.splitlines(keepends=True)
    for number, words in enumerate(lines, start=1):
        if number == len(lines) and not words.endswith("\n"):
            _log.warning("sekisho: the last line of %s was not written to its end and is left out.", path)
            break
        try:
            line = json_values(words)
        except RecordError as error:
            raise CheckpointError(f"{path}, line {number}: {error}; {advice}") from error
        if not isinstance(line, dict) or type(line.get("iteration")) is not int:
            raise CheckpointError(f"{path}, line {number}: expected the metrics of an iteration; {advice}")
        found.append(line)
    return found
