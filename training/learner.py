"""The learner: training steps of a network on positions of self-play."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ..agents.networks.symmetries import symmetries_of
from ..envs.core import Game
from ..envs.errors import RunError
from .devices import choose_device, choose_precision
from .optimizers import optimizer_arrays, restore_optimizer
from .positions import Positions, seen, shuffled_views
from .replay import Replay
from .sections import Learning

STREAM = 2
"""Sets the random numbers of learning apart from those of other parts of a run."""
_MEASURED = 1024  # positions that are measured at once
_LOWEST = 0.05  # of the learning rate, at the end of a cosine


@dataclass(frozen=True)
class Losses:
    """Of a batch, each the mean over its positions; those of the policy over its decisions, by their weights.

    Attributes:
        total: what is made smaller: ``policy + value_weight * value``.
        policy: cross-entropy between the visits of the search and the network's policy, in nats.
        value: squared error of the values, mean over the seats.
        entropy: of the visits, in nats: the least that `policy` can be.
    """

    total: Tensor
    policy: Tensor
    value: Tensor
    entropy: Tensor


def losses_of(module: nn.Module, batch: tuple[Tensor, ...], value_weight: float) -> Losses:
    """Return the losses of a network on a batch (observations, masks, policies, values; see `positions.Batch`)."""
    observations, masks, policies, values = batch
    log_policy, expected = module(observations, masks)
    return losses_of_answers(log_policy, expected, masks, policies, values, value_weight)


def losses_of_answers(
    log_policy: Tensor, expected: Tensor, masks: Tensor, policies: Tensor, values: Tensor, value_weight: float
) -> Losses:
    """Return the losses of answers: the logarithm of a policy and values; for the others see `positions.Batch`."""
    logs = log_policy.float().masked_fill(~masks, 0.0)  # minus infinity times 0 is no number
    weights = policies.sum(1, keepdim=True)  # of rows without a policy, where dice are thrown, 0
    decisions = weights.sum().clamp_min(1.0)
    policy = -(policies * logs).sum() / decisions
    value = (expected.float()[:, : values.shape[1]] - values).square().mean()
    entropy = -(policies * (policies / weights.clamp_min(1e-12)).clamp_min(1e-12).log()).sum() / decisions
    return Losses(policy + value_weight * value, policy, value, entropy)


class Learner:
    """A network with its optimiser.

    Args:
        game: what is learned.
        module: the network; it is moved to the device.
        settings: how to learn.
        device: as in `devices.choose_device`.
        iterations: of the whole run, for the schedule of the learning rate.

    Attributes:
        module: the network.
        steps: training steps of the whole run.
    """

    def __init__(self, game: Game, module: nn.Module, settings: Learning, device: str, iterations: int) -> None:
        self.game, self._settings, self._iterations = game, settings, iterations
        self.device = choose_device(device)
        self._precision = choose_precision(settings.precision, self.device)
        self.module = module.to(self.device)
        self.steps = 0
        self._symmetries = symmetries_of(game) if settings.symmetries else ()
        self._optimizer = self._new_optimizer()

    def _new_optimizer(self) -> torch.optim.Optimizer:
        settings = self._settings
        if settings.optimizer == "sgd":
            return torch.optim.SGD(
                self.module.parameters(), settings.learning_rate, settings.momentum, weight_decay=settings.weight_decay
            )
        return torch.optim.AdamW(self.module.parameters(), settings.learning_rate, weight_decay=settings.weight_decay)

    def learning_rate(self, iteration: int) -> float:
        """Return the learning rate of the next step, in an iteration counted from 1."""
        rate = self._settings.learning_rate
        if self._settings.schedule == "cosine":
            gone = (iteration - 1) / max(self._iterations - 1, 1)
            rate *= _LOWEST + (1 - _LOWEST) * 0.5 * (1 + math.cos(math.pi * min(gone, 1.0)))
        return rate * min((self.steps + 1) / max(self._settings.warmup_steps, 1), 1.0)

    def planned_steps(self, replay: Replay, new: int) -> int:
        """Return the training steps that follow `new` positions, as far as the reuse limit allows them."""
        wanted = max(round(self._settings.reuse * new / self._settings.batch_size), 1)
        return min(wanted, math.ceil(replay.left() / self._settings.batch_size))

    def learn(
        self, replay: Replay, new: int, seed: int, iteration: int,
        report: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> dict[str, float]:  # fmt: skip
        """Take the training steps of an iteration; return the means of its losses and the norm of its gradients.

        Args:
            replay: where positions are drawn from.
            new: positions that came in with this iteration.
            seed: of the run.
            iteration: counted from 1.
            report: told after each step how many of how many are done.

        Raises:
            RunError: if a loss is no finite number any more.
        """
        rng = np.random.default_rng([STREAM, seed, iteration])
        planned, sums, done = self.planned_steps(replay, new), np.zeros(5), 0
        self.module.train()
        while done < planned:
            drawn = replay.draw(self._settings.batch_size, rng)
            if not len(drawn.seats):
                break
            sums += self._step(self.losses(drawn, rng), self.learning_rate(iteration))
            done += 1
            report(done, planned)
        self.module.eval()
        if not np.isfinite(sums).all():
            raise RunError(
                f"the loss is no finite number after {self.steps:,} training steps: lower learning.learning_rate or "
                "learning.clip; the last checkpoint is whole"
            )
        means = (sums / max(done, 1)).tolist()
        names = ("loss/total", "loss/policy", "loss/value", "loss/policy_target_entropy", "train/grad_norm")
        return {**dict(zip(names, means, strict=True)), "train/learning_rate": self.learning_rate(iteration)}

    def losses(self, drawn: Positions, rng: np.random.Generator) -> Losses:
        """Return the losses on positions, each in a random one of its looks."""
        batch = shuffled_views(seen(self.game, drawn), self._symmetries, rng)
        tensors = tuple(torch.from_numpy(part).to(self.device) for part in batch)
        with torch.autocast(self.device.type, self._precision, enabled=self._precision != torch.float32):
            return losses_of(self.module, tensors, self._settings.value_weight)

    def _step(self, losses: Losses, rate: float) -> NDArray[np.float64]:
        """Take one training step; return its losses and the norm of the gradient before clipping."""
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        self._optimizer.zero_grad(set_to_none=True)
        losses.total.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.module.parameters(), self._settings.clip)
        self._optimizer.step()
        self.steps += 1
        parts = torch.stack([losses.total, losses.policy, losses.value, losses.entropy, norm])
        return parts.detach().double().cpu().numpy()

    def agreement(self, positions: Positions) -> float:
        """Return on which share of the decisions the network likes best what the policy to learn likes best, 0..1.

        Args:
            positions: those without a policy do not count.
        """
        decisions = positions.chosen(np.flatnonzero(positions.policies.any(axis=1)))
        agreed, count = 0, len(decisions.seats)
        self.module.eval()
        for first in range(0, count, _MEASURED):
            with torch.inference_mode():
                liked, policies = self._liked(decisions.chosen(np.arange(first, min(first + _MEASURED, count))))
            agreed += int((policies[np.arange(len(liked)), liked] == policies.max(axis=1)).sum())
        return agreed / max(count, 1)

    def _liked(self, decisions: Positions) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the action that the network likes best at each decision, and the policies to learn, numbered alike."""
        batch = seen(self.game, decisions)
        masks = torch.from_numpy(batch.masks).to(self.device)
        logs, _ = self.module(torch.from_numpy(batch.observations).to(self.device), masks)
        return logs.float().masked_fill(~masks, -math.inf).argmax(1).cpu().numpy(), batch.policies

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what the optimiser remembers; see `optimizers`."""
        return optimizer_arrays(self.module, self._optimizer)

    def restore(self, arrays: dict[str, NDArray[Any]], steps: int) -> None:
        """Have the optimiser remember what `arrays` returned, after so many training steps.

        Raises:
            CheckpointError: if it is not that of this network.
        """
        restore_optimizer(self.module, self._optimizer, arrays)
        self.steps = steps
