"""Fitting a network of kind ``nnue`` to judged positions.

The network learns by cross-entropy who wins: with two players the probability that the side to move does, with four that
of each seat. The target is what a search says; where the result of the game is known, that takes its share.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ...agents.networks.config import NetworkConfig
from ...agents.networks.files import rules_of
from ...agents.networks.modules import Sums, build_network
from ...agents.networks.quoridor_inputs import INPUTS, mirror
from ...envs.errors import RunError
from ...envs.quoridor.rules import Quoridor
from ..sections import Searches
from .positions import UNKNOWN, Judged

SCALE = 100.0
"""Values of searches are hundredths of log-odds."""
_FARTHEST = 1500  # values beyond count as this
_SPREAD, _BIAS = 0.05, 0.2  # of the first layer at the beginning: most units are between their bounds
_UNSEEN = ("max_plies", "repetition")  # options that are left to whoever plays; the network is for any of their values
_UNSEEN_BY_TWO = (*_UNSEEN, "third_pawn")
_AT_ONCE = 8192  # positions that are measured together
_LEAST = 1e-9  # probabilities below count as this where their logarithm is taken


class Fitted(NamedTuple):
    """What a fit came to.

    Attributes:
        steps: training steps.
        loss: mean cross-entropy with the targets in the last pass through the positions, in nats.
        grad_norm: mean norm of the gradient.
        learning_rate: of the last step.
    """

    steps: int
    loss: float
    grad_norm: float
    learning_rate: float


def new_network(game: Quoridor, config: NetworkConfig, seed: int) -> Sums:
    """Return a network to be fitted, with weights drawn by `seed`."""
    network = build_network(game, config, seed)
    if not isinstance(network, Sums):
        raise RunError("a network that is fitted to searches is of kind nnue")
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        drawn = rng.normal(0, _SPREAD, tuple(network.sums.weight.shape)).astype(np.float32)
        network.sums.weight.copy_(torch.from_numpy(drawn))
        network.sums.bias.fill_(_BIAS)
    return network


def rules_seen(game: Quoridor) -> dict[str, tuple[Any, ...]]:
    """Return the rules that a network of kind ``nnue`` is for, see `rules_of`, without those that it does not look at."""
    unseen = _UNSEEN_BY_TWO if game.num_players == 2 else _UNSEEN
    return {name: values for name, values in rules_of(game).items() if name not in unseen}


def logits_of(network: Sums, places: Tensor) -> Tensor:
    """Return what a network answers to lists of inputs (int ``[B, L]``); as its `forward`, but quicker.

    Float32 ``[B]``, the log-odds of the side to move, or with four players ``[B, 4]``, logits of which seat wins, the one
    to move first.
    """
    weights = torch.cat([network.sums.weight.t(), network.sums.weight.new_zeros(1, network.sums.out_features)])
    sums = nn.functional.embedding_bag(places, weights, mode="sum", padding_idx=network.sums.in_features)
    answers = network.answers(sums + network.sums.bias)
    return answers[:, 0] if answers.shape[1] == 1 else answers


def targets_of(positions: Judged, share: float) -> NDArray[np.float32]:
    """Return the probability to win that is learned, float32 ``[N]`` or ``[N, 4]``, see `Judged`.

    Args:
        positions: that are learned from.
        share: of the result, where it is known. A draw counts as if everybody had won as often as anybody else.
    """
    if positions.values.ndim == 1:
        wins = 1 / (1 + np.exp(-np.clip(positions.values, -_FARTHEST, _FARTHEST) / SCALE))
        won = (positions.results + 1) / 2
    else:
        wins = positions.values
        won = np.where(positions.results == 0, 1 / wins.shape[1], (positions.results + 1) / 2)
    mixed = share * won + (1 - share) * wins
    targets: NDArray[np.float32] = np.where(positions.results == UNKNOWN, wins, mixed).astype(np.float32)
    return targets


def held_back(positions: Judged, settings: Searches) -> NDArray[np.bool_]:
    """Return which positions are of games that are not learned from, bool ``[N]``."""
    apart: NDArray[np.bool_] = positions.games % settings.held_back == settings.held_back - 1
    return apart


def fit(
    network: Sums, positions: Judged, game: Quoridor, settings: Searches, seed: list[int],
    report: Callable[[int, int], None] = lambda _done, _total: None,
) -> Fitted:  # fmt: skip
    """Fit a network, which is changed, to positions.

    Args:
        network: on the device where it is to learn.
        positions: at least one.
        game: whose positions they are.
        settings: how to learn.
        seed: numbers that determine the order of the positions, and with two players which are mirrored. With four the
            mirror would turn the order of turns round.
        report: told how many of how many steps are taken.

    Raises:
        RunError: if the weights go astray.
    """
    device, rng = next(network.parameters()).device, np.random.default_rng(seed)
    targets, other = targets_of(positions, settings.result), None
    if game.num_players == 2:
        other = np.append(mirror(game.board_size), INPUTS).astype(np.int32)
    size = min(settings.batch_size, len(targets))
    steps = settings.passes * (len(targets) // size)
    optimizer = torch.optim.AdamW(network.parameters(), settings.learning_rate, weight_decay=settings.weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, settings.learning_rate, total_steps=steps + 1)
    rate, norms = 0.0, torch.zeros((), device=device)
    for step, batch in enumerate(_batches(len(targets), size, settings.passes, rng)):
        if step * settings.passes % steps == 0:
            losses = torch.zeros((), device=device)  # of this pass
        places = positions.places[batch].astype(np.int32)
        if other is not None:
            places = np.where(rng.random((size, 1)) < 0.5, other[places], places)
        answers = logits_of(network, torch.from_numpy(places).to(device))
        loss = _cross_entropy(answers, torch.from_numpy(targets[batch]).to(device))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        norms += _norm(network)
        rate = float(schedule.get_last_lr()[0])
        optimizer.step()
        schedule.step()
        losses += loss.detach()
        report(step + 1, steps)
    if not torch.isfinite(losses):
        raise RunError("the loss is no finite number: lower search.learning_rate; the last checkpoint is whole")
    return Fitted(steps, float(losses) * settings.passes / steps, float(norms) / steps, rate)


def _batches(count: int, size: int, passes: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Yield the rows of each training step; what does not fill a batch at the end of a pass is left out."""
    for _ in range(passes):
        order = rng.permutation(count)
        yield from (order[first : first + size] for first in range(0, count - size + 1, size))


def measure(network: Sums, positions: Judged, settings: Searches) -> tuple[float, float]:
    """Return the cross-entropy of a network with the targets of positions, and their entropy, its least; nats."""
    device, targets = next(network.parameters()).device, torch.from_numpy(targets_of(positions, settings.result))
    parts = []
    with torch.inference_mode():
        for first in range(0, len(targets), _AT_ONCE):
            places = torch.from_numpy(positions.places[first : first + _AT_ONCE].astype(np.int32)).to(device)
            parts.append(logits_of(network, places).cpu())
    exact = targets.double()
    best = torch.logit(exact, eps=_LEAST) if exact.ndim == 1 else exact.clamp_min(_LEAST).log()
    return float(_cross_entropy(torch.cat(parts), targets)), float(_cross_entropy(best, exact))


def _cross_entropy(logits: Tensor, targets: Tensor) -> Tensor:
    """Return the mean over positions; for the shapes see `logits_of`."""
    if logits.ndim == 1:
        error: Tensor = nn.functional.binary_cross_entropy_with_logits(logits, targets)
    else:
        error = nn.functional.cross_entropy(logits, targets)
    return error


def _norm(network: nn.Module) -> Tensor:
    """Return the norm of the gradient."""
    norm: Tensor = torch.cat([at.grad.flatten() for at in network.parameters() if at.grad is not None]).norm()
    return norm
