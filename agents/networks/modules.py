"""Networks as torch modules, to be trained.

Every network is called as ``network(observations, masks)``:

* ``observations``, float32 ``[B, *observation_shape]``: what a seat sees (`Kernels.observe`);
* ``masks``, bool ``[B, A]``, True where an action is legal, the actions numbered as that seat sees them
  (`Game.action_views`); at least one in every row;

and answers with

* the logarithm of the policy, float32 ``[B, A]``, minus infinity where an action is masked out. The mask is applied
  before the softmax, so what is illegal has no part in the gradient either;
* the values, float32 ``[B, seats]``, -1..1: the expected return of each seat, the one that looks first, then in the
  order of turns. Where a network has room for more seats than a table has, the rest means nothing.
"""

from __future__ import annotations

import itertools
import math

import torch
from torch import Tensor, nn

from ...envs.core import Game
from ...envs.errors import RunError
from .config import NetworkConfig, Shape, check_kind, nnue_outputs, shape_of
from .files import weight_shapes
from .vectors import LANES

VALUE_UNITS = 64
"""Hidden units in the value head of a tower."""
_WEIGHT_BYTES = 4
_NO_MEMORY = ("DefaultCPUAllocator", "not enough memory")  # torch has no error of its own for the memory of the machine


def masked_log_policy(logits: Tensor, masks: Tensor) -> Tensor:
    """Return the logarithm of a softmax over what `masks` (bool ``[B, A]``) lets through of `logits`."""
    return torch.log_softmax(logits.masked_fill(~masks, -torch.inf), dim=1)


class Mlp(nn.Module):
    """Hidden layers over all numbers of an observation."""

    def __init__(self, shape: Shape, config: NetworkConfig) -> None:
        super().__init__()
        inputs = int(torch.tensor(shape.observation).prod())
        widths = [inputs] + [config.width] * config.depth
        self.hidden = nn.ModuleList(nn.Linear(before, after) for before, after in itertools.pairwise(widths))
        self.policy = nn.Linear(config.width, shape.actions)
        self.value = nn.Linear(config.width, shape.seats)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """See the head of this file."""
        units = observations.flatten(1)
        for layer in self.hidden:
            units = torch.relu(layer(units))
        return masked_log_policy(self.policy(units), masks), torch.tanh(self.value(units))


class Convolution(nn.Module):
    """A convolution of 3 x 3 squares with batch normalisation."""

    def __init__(self, inputs: int, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, channels, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, planes: Tensor) -> Tensor:
        """Return float32 ``[B, channels, side, side]``, not yet rectified."""
        normal: Tensor = self.norm(self.conv(planes))
        return normal


class Block(nn.Module):
    """Two convolutions, what went in added to what comes out (He et al. 2015)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = Convolution(channels, channels)
        self.second = Convolution(channels, channels)

    def forward(self, planes: Tensor) -> Tensor:
        """Return planes of the same shape."""
        return torch.relu(planes + self.second(torch.relu(self.first(planes))))


class Tower(nn.Module):
    """Residual blocks over the squares of a board; the policy is laid out on squares and anchors.

    The three planes of the policy are the pawn's target, and the anchors of horizontal and of vertical fences, as the
    observation lays them.
    """

    def __init__(self, shape: Shape, config: NetworkConfig) -> None:
        super().__init__()
        planes, side, _ = shape.observation
        self.stem = Convolution(planes, config.width)
        self.blocks = nn.ModuleList(Block(config.width) for _ in range(config.depth))
        self.policy_conv = Convolution(config.width, config.head)
        self.policy = nn.Conv2d(config.head, 3, 1)
        self.value_conv = nn.Conv2d(config.width, config.head, 1)
        self.value_hidden = nn.Linear(config.head * side * side, VALUE_UNITS)
        self.value = nn.Linear(VALUE_UNITS, shape.seats)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """See the head of this file."""
        planes = torch.relu(self.stem(observations))
        for block in self.blocks:
            planes = block(planes)
        maps = self.policy(torch.relu(self.policy_conv(planes)))
        anchors = maps[:, 1:, :-1, :-1]
        logits = torch.cat([maps[:, 0].flatten(1), anchors.flatten(1)], dim=1)
        units = torch.relu(self.value_conv(planes)).flatten(1)
        units = torch.relu(self.value_hidden(units))
        return masked_log_policy(logits, masks), torch.tanh(self.value(units))


class Sums(nn.Module):
    """Few inputs of many, two layers that are cut off below 0 and above 1, and the chances to win.

    With two players these are the log-odds of the seat that looks; with four the softmax over the seats, the one that
    looks first. The policy makes no difference between actions: what plays by such a network looks at the positions after them.
    """

    def __init__(self, shape: Shape, config: NetworkConfig) -> None:
        super().__init__()
        self.sums = nn.Linear(shape.observation[0], config.width)
        self.hidden = nn.Linear(config.width, LANES)
        self.value = nn.Linear(LANES, nnue_outputs(shape.seats))

    def answers(self, sums: Tensor) -> Tensor:
        """Return what the last layer gives for the sums of the first ``[B, width]``.

        Float32 ``[B, 1]``, the log-odds of the seat that looks, or with four players ``[B, 4]``, logits of which seat wins.
        """
        answers: Tensor = self.value(self.hidden(sums.clamp(0, 1)).clamp(0, 1))
        return answers

    @staticmethod
    def values(answers: Tensor) -> Tensor:
        """Return the values of all seats, the one that looks first, float32 ``[B, seats]``, for what the last layer gives."""
        if answers.shape[1] == 1:
            value = torch.tanh(answers / 2)
            return torch.cat([value, -value], 1)
        chances = torch.softmax(answers, 1)
        return chances - (1 - chances) / (answers.shape[1] - 1)

    def log_odds(self, sums: Tensor) -> Tensor:
        """Return the log-odds of the seat that looks, float32 ``[B]``; with two players."""
        return self.answers(sums)[:, 0]

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """See the head of this file."""
        values = self.values(self.answers(self.sums(observations)))
        return masked_log_policy(torch.zeros_like(masks, dtype=torch.float32), masks), values


_MODULES: dict[str, type[Mlp | Sums | Tower]] = {"mlp": Mlp, "nnue": Sums, "tower": Tower}


def build_network(game: Game, config: NetworkConfig, seed: int) -> nn.Module:
    """Return a network for a game with weights drawn by `seed`; the global generator of torch is left as it is.

    Raises:
        NetworkError: if a network of this kind cannot look at the game.
        RunError: if there is no memory for one of this size.
    """
    return build_module(shape_of(game, config), config, seed)


def build_module(shape: Shape, config: NetworkConfig, seed: int) -> nn.Module:
    """Return a network of a shape; see `build_network`."""
    check_kind(shape, config)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            return _MODULES[config.kind](shape, config)
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            size = _WEIGHT_BYTES * sum(map(math.prod, weight_shapes(shape, config).values())) / 2**30
            raise RunError(
                f"this machine has no memory for {config}, whose weights alone take {size:.1f} GiB: lower network.width "
                "or network.depth"
            ) from error


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error of Python, numpy or torch says that the memory of the machine or of a GPU is used up."""
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error) for words in _NO_MEMORY)
