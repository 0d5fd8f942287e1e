"""What shape a network has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from ...envs.core import Game
from ...envs.errors import NetworkError, OptionError, nearest, shown
from . import quoridor_four_inputs, quoridor_inputs
from .vectors import LANES

KINDS = ("mlp", "tower", "nnue")
MOST_WIDTH, MOST_DEPTH = 4096, 64


@dataclass(frozen=True)
class NetworkConfig:
    """The shape of a network. All have a policy over the actions of the game and a value for each seat."""

    kind: str = "mlp"
    """mlp: rows of hidden units; tower: residual convolutions over squares; nnue: sums of few inputs, inside a search"""
    width: int = 256
    """units of a hidden layer of an mlp; channels of a tower; sums of an nnue, a multiple of 16"""
    depth: int = 2
    """hidden layers of an mlp; residual blocks of a tower, of two convolutions each; of no meaning to an nnue"""
    head: int = 32
    """channels in the heads of a tower; of no meaning to the others"""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise OptionError(f"network: option 'kind': {nearest(str(self.kind), KINDS)}")
        for name, most in (("width", MOST_WIDTH), ("depth", MOST_DEPTH), ("head", MOST_WIDTH)):
            number = getattr(self, name)
            if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= most:
                raise OptionError(f"network: option {name!r} must be a whole number 1..{most}, not {shown(number)}")

    def __str__(self) -> str:
        """Return the shape in words."""
        if self.kind == "mlp":
            return f"an mlp of {self.depth} x {self.width} units"
        if self.kind == "nnue":
            return f"an nnue of {self.width} sums"
        return f"a tower of {self.depth} x {self.width} channels with heads of {self.head}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> NetworkConfig:
        """Read what `to_dict` wrote.

        Raises:
            OptionError: for an unknown field or a value that it cannot have.
        """
        if not isinstance(values, Mapping):
            raise OptionError(f"network: expected its options by their names, not {shown(values)}")
        known = {field.name for field in fields(cls)}
        for name in values:
            if name not in known:
                raise OptionError(f"network: there is no option {shown(name)}; {nearest(str(name), known)}")
        return cls(**values)


@dataclass(frozen=True)
class Shape:
    """What goes into a network and what comes out.

    Attributes:
        observation: shape of what a seat sees.
        actions: of the game, numbered as the seat that looks sees them.
        seats: values, the seat that looks first; more than the table has where the observation is padded.
    """

    observation: tuple[int, ...]
    actions: int
    seats: int

    def __str__(self) -> str:
        """Return the shape in words."""
        seen = " x ".join(map(str, self.observation))
        return f"{seen} features, {self.actions} actions and {self.seats} seats"


PADDED_SEATS = {"picture_sugoroku": 6, "tokaido": 6}
"""The games whose observations have room for so many seats, so that one network serves tables of every size."""


NNUE_INPUTS = {2: quoridor_inputs.INPUTS, 4: quoridor_four_inputs.INPUTS}
"""How many inputs of Quoridor a network of kind ``nnue`` has, by the seats at the table."""


def nnue_outputs(seats: int) -> int:
    """Return how many numbers the last layer of an nnue gives: log-odds of the seat that looks, or a logit a seat."""
    return 1 if seats == 2 else seats


def shape_of(game: Game, config: NetworkConfig | None = None) -> Shape:
    """Return what a network for a game is given and answers; it sees the observation of the game unless it is an nnue.

    Raises:
        NetworkError: for an nnue in another game than Quoridor.
    """
    if config is not None and config.kind == "nnue":
        if game.name != "quoridor" or game.num_players not in NNUE_INPUTS:
            raise NetworkError(f"a network of kind 'nnue' is for Quoridor with two or four players, not for {game.name} "
                               f"with {game.num_players}: use kind 'mlp'")  # fmt: skip
        return Shape((NNUE_INPUTS[game.num_players],), game.num_actions, game.num_players)
    return Shape(tuple(game.observation_shape), game.num_actions, PADDED_SEATS.get(game.name, game.num_players))


def check_kind(shape: Shape, config: NetworkConfig) -> None:
    """Refuse a network that cannot look at such observations.

    Raises:
        NetworkError: for a tower over anything but the planes of a board that its policy can be laid out on, and for an
            nnue of other inputs than it has at a table of so many seats, or of an odd width.
    """
    if config.kind == "nnue" and (shape.observation != (NNUE_INPUTS.get(shape.seats),) or config.width % LANES):
        known = " or ".join(f"{inputs} inputs and {seats} seats" for seats, inputs in NNUE_INPUTS.items())
        raise NetworkError(f"a network of kind 'nnue' has {known} and a width that is a multiple of {LANES}, not "
                           f"{shape.observation}, {shape.seats} and {config.width}")  # fmt: skip
    if config.kind != "tower":
        return
    if len(shape.observation) != 3 or shape.observation[1] != shape.observation[2]:
        raise NetworkError(f"a tower looks at planes of squares, not at an observation of shape {shape.observation}: "
                           "use kind 'mlp'")  # fmt: skip
    side = shape.observation[1]
    if shape.actions != side**2 + 2 * (side - 1) ** 2:
        raise NetworkError(f"a tower's policy has the {side**2} squares and 2 x {(side - 1) ** 2} anchors of a board, "
                           f"not {shape.actions} actions: use kind 'mlp'")  # fmt: skip
