"""Networks in files: weights, what they are for and where they come from, and nothing that could run.

The form is that of tables (`table_file`), which is safetensors: arrays of float32 (and counters of int64) by the names
that torch gives them, a description as JSON in the metadata, and a checksum over both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...envs.core import Game
from ...envs.errors import NetworkError
from ...envs.options import spell_value
from ..exact.table_file import Form, read_table, write_table
from .config import NetworkConfig, Shape, check_kind, nnue_outputs, shape_of
from .vectors import LANES

FORM = Form("sekisho-network-1", "network", NetworkError)

OBSERVATIONS = {"quoridor": 1, "tokaido": 1, "picture_sugoroku": 1}
"""Version of what the observation and the actions of a game mean; a new one whenever a network would be misled.
Games of other packages have version 1."""
MOST_WEIGHT = 1e6
"""No weight may be larger: those of networks that have learned are of the order of 1, and what is a hundred thousand times
that has gone astray. With a bound, what a network answers stays a number."""
INPUTS_VERSION = 1
"""Likewise of the inputs of networks of kind ``nnue`` for two players."""
FOUR_INPUTS_VERSION = 1
"""And of those for four."""
_COUNTER, _VARIANCE = ".num_batches_tracked", ".running_var"  # arrays of normalisations that are no weights
Json = TypeVar("Json")
_PICKLES = (b"PK\x03\x04", b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")


def version_of(game: str, config: NetworkConfig | None = None, seats: int = 2) -> int:
    """Return the version of what a network for so many seats sees of a game: the observation, but for an nnue."""
    if config is not None and config.kind == "nnue":
        return INPUTS_VERSION if seats == 2 else FOUR_INPUTS_VERSION
    return OBSERVATIONS.get(game, 1)


@dataclass(frozen=True)
class StoredNetwork:
    """A network at rest.

    Attributes:
        config: its shape.
        shape: what it is given and answers.
        game: name of the game that it is for.
        rules: the options of the rules that it is for, each with the values that it may have.
        arrays: the weights by the names that torch gives them.
        recipe: how it came about: JSON values.
        extra: whatever else a writer wants to keep with it: JSON values.
        version: of the observation, see `OBSERVATIONS`.
    """

    config: NetworkConfig
    shape: Shape
    game: str
    rules: Mapping[str, tuple[Any, ...]]
    arrays: Mapping[str, NDArray[Any]]
    recipe: Mapping[str, Any] = field(default_factory=dict)
    extra: Mapping[str, Any] = field(default_factory=dict)
    version: int = 1

    def supports(self, game: Game) -> None:
        """Refuse a game that the network is not for.

        Raises:
            NetworkError: saying what differs.
        """
        if game.name != self.game:
            raise NetworkError(f"the network is for {self.game}, not for {game.name}")
        for name, values in self.rules.items():
            if game.options.get(name) not in values:
                expected = " or ".join(spell_value(value) for value in values)
                raise NetworkError(
                    f"the network is for {self.game} with {name}={expected}, "
                    f"not {name}={spell_value(game.options.get(name))}"
                )
        if (wanted := shape_of(game, self.config)) != self.shape:
            raise NetworkError(f"the network is for {self.shape}, the game has {wanted}")


def rules_of(game: Game, **several: tuple[Any, ...]) -> dict[str, tuple[Any, ...]]:
    """Return the options of a game as `StoredNetwork.rules`; those in `several` may have any of these values."""
    return {name: (value,) for name, value in game.options.items()} | several


def write_network(
    path: Path, game: Game, config: NetworkConfig, arrays: Mapping[str, NDArray[Any]], recipe: Mapping[str, Any],
    rules: Mapping[str, tuple[Any, ...]] | None = None, extra: Mapping[str, Any] | None = None,
) -> None:  # fmt: skip
    """Write a network beside `path`, then put it in its place.

    Args:
        path: of the file, which should end in ``.safetensors``.
        game: one that it is for.
        config: its shape.
        arrays: the weights by their names in torch, see `torch_backend.arrays_of`; float32, counters int64.
        recipe: how it came about: command, seed, duration, whatever makes it again. JSON values.
        rules: the options that it is for, see `rules_of`; default: just those of `game`.
        extra: anything else. JSON values.

    Raises:
        NetworkError: if the weights are not those of such a network, so that nobody could read it.
        OSError: if it cannot be written; what stood at `path` is untouched.
    """
    shape = shape_of(game, config)
    if fault := _misfit_of(shape, config, arrays) or fault_of(arrays):
        raise NetworkError(f"no network can be written to {path}: it has {fault}")
    description = {
        "game": game.name,
        "observation": {
            "version": version_of(game.name, config, shape.seats),
            "shape": list(shape.observation),
            "actions": shape.actions,
            "seats": shape.seats,
        },
        "rules": {name: list(values) for name, values in (rules or rules_of(game)).items()},
        "config": config.to_dict(),
        "recipe": dict(recipe),
        "extra": dict(extra or {}),
    }
    write_table(path, dict(arrays), description, FORM)


def read_network(path: Path) -> StoredNetwork:
    """Return the network in a file.

    Raises:
        NetworkError: if it is something else (a pickle is named as one and not opened), was cut off or altered, or its
            observation is of another version than this package's.
        OSError: if it cannot be read.
    """
    if path.is_file():
        with path.open("rb") as file:
            begin = file.read(9)
            # safetensors begins with the length of its description, which may look like the mark of a pickle
            if begin.startswith(_PICKLES) and not begin.endswith(b"\0{"):
                raise NetworkError(
                    f"{path} is a pickled file, as torch.save makes them: reading one can run any program in it, so it "
                    "is not read; expected a network in the form of safetensors, as `sekisho train` writes it"
                )
    arrays, said = read_table(path, form=FORM)
    try:
        seen = said["observation"]
        network = StoredNetwork(
            config=NetworkConfig.from_dict(said["config"]),
            shape=Shape(
                tuple(_is(int, side) for side in _is(list, seen["shape"])), _is(int, seen["actions"]),
                _is(int, seen["seats"]),
            ),
            game=_is(str, said["game"]),
            rules={name: _choices(values) for name, values in _is(dict, said["rules"]).items()},
            arrays={name: np.array(array) for name, array in arrays.items()},
            recipe=_is(dict, said["recipe"]),
            extra=_is(dict, said["extra"]),
            version=_is(int, seen["version"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NetworkError(f"{path} is damaged: its description is not that of a network") from error
    if network.version != (wanted := version_of(network.game, network.config, network.shape.seats)):
        age = "an older" if network.version < wanted else "a newer"
        raise NetworkError(
            f"{path} is a network for {age} observation of {network.game} (version {network.version}; this package has "
            f"{wanted}): train it anew, or use the package that it was made with"
        )
    if fault := _misfit_of(network.shape, network.config, network.arrays):
        raise NetworkError(f"{path} is damaged: it has {fault}")
    if fault := fault_of(network.arrays):
        raise NetworkError(f"{path} has {fault}: the training went astray")
    return network


def _is(kind: type[Json], value: Any) -> Json:
    """Return a JSON value if it is of a kind; true and false are no whole numbers."""
    if type(value) is not kind:
        raise TypeError(value)
    return value


def _choices(values: Any) -> tuple[Any, ...]:
    """Return the values that an option of the rules may have, a list of one or more, none of which holds others."""
    if not _is(list, values) or any(isinstance(value, list | dict) for value in values):
        raise TypeError(values)
    return tuple(values)


def _misfit_of(shape: Shape, config: NetworkConfig, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return how weights differ in form from those of a network, in words; nothing if they do not."""
    check_kind(shape, config)
    expected = weight_shapes(shape, config)
    found = {name: array.shape for name, array in arrays.items()}
    if found != expected:
        wrong = sorted(name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name))
        return f"weights that are not those of its shape, {config} ({', '.join(wrong[:3])} ...)"
    for name, array in arrays.items():
        wanted = np.int64 if name.endswith(_COUNTER) else np.float32
        if array.dtype != wanted:
            return f"weights of another kind of number: {name} is {array.dtype}, not {wanted.__name__}"
    return ""


def fault_of(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return why no network can work with such weights, in words; nothing if it can."""
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            return f"weights that are no finite numbers ({name})"
        if name.endswith(_VARIANCE):  # which is divided by
            if (array < 0).any():
                return f"a variance below 0 ({name})"
        elif not name.endswith(_COUNTER) and np.abs(array).max(initial=0.0) > MOST_WEIGHT:
            return f"weights beyond {MOST_WEIGHT:,.0f} ({name})"
    return ""


def weight_shapes(shape: Shape, config: NetworkConfig) -> dict[str, tuple[int, ...]]:
    """Return the shape of every array of a network; a test holds it against torch."""
    shapes: dict[str, tuple[int, ...]] = {}

    def dense(name: str, inputs: int, outputs: int) -> None:
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (outputs, inputs), (outputs,)

    def convolution(name: str, inputs: int, outputs: int) -> None:
        shapes[f"{name}.conv.weight"] = (outputs, inputs, 3, 3)
        for part in ("weight", "bias", "running_mean", "running_var"):
            shapes[f"{name}.norm.{part}"] = (outputs,)
        shapes[f"{name}.norm.num_batches_tracked"] = ()

    if config.kind == "mlp":
        inputs = math.prod(shape.observation)
        for layer in range(config.depth):
            dense(f"hidden.{layer}", inputs, config.width)
            inputs = config.width
        dense("policy", inputs, shape.actions)
        dense("value", inputs, shape.seats)
        return shapes
    if config.kind == "nnue":
        dense("sums", math.prod(shape.observation), config.width)
        dense("hidden", config.width, LANES)
        dense("value", LANES, nnue_outputs(shape.seats))
        return shapes
    planes, side, _ = shape.observation
    convolution("stem", planes, config.width)
    for block in range(config.depth):
        convolution(f"blocks.{block}.first", config.width, config.width)
        convolution(f"blocks.{block}.second", config.width, config.width)
    convolution("policy_conv", config.width, config.head)
    for name, inputs, outputs in (("policy", config.head, 3), ("value_conv", config.width, config.head)):
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (outputs, inputs, 1, 1), (outputs,)
    dense("value_hidden", config.head * side * side, 64)
    dense("value", 64, shape.seats)
    return shapes
