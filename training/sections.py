"""The parts of a configuration of training, with one line of help for each number."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ..envs.errors import OptionError, shown

_KINDS: dict[type[Any], str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}


def kind_in_words(kind: type[Any]) -> str:
    """Return what values of a kind are called."""
    return _KINDS[kind]


def check_kind(name: str, value: Any, kind: type[Any]) -> None:
    """Raise `OptionError` unless a setting has a value of its kind; whole numbers are numbers, true and false are not."""
    fits = type(value) is kind or (kind is float and type(value) is int)
    if not fits or (isinstance(value, float) and not math.isfinite(value)):
        raise OptionError(f"setting {name!r} must be {kind_in_words(kind)}, not {shown(value)}")


@dataclass(frozen=True)
class Section:
    """A part of a configuration, whose fields have values of the kinds of their defaults.

    Raises:
        OptionError: for a value of another kind. The ranges of values are looked after by `config.Config`.
    """

    name: ClassVar[str]

    def __init_subclass__(cls, name: str) -> None:
        cls.name = name

    def __post_init__(self) -> None:
        for part in fields(self):
            check_kind(f"{self.name}.{part.name}", getattr(self, part.name), type(part.default))


@dataclass(frozen=True)
class SelfPlay(Section, name="selfplay"):
    """How games are played to learn from."""

    games: int = 64
    """games of an iteration"""
    tables: int = 32
    """games that one process plays side by side, so that one question to the network serves all of them"""
    simulations: int = 200
    """visits of the root in a full search, those of the kept tree included"""
    fast_simulations: int = 40
    """the same in a quick search, whose move is played but not learned from (playout cap randomisation, Wu 2019)"""
    full_share: float = 0.25
    """share of the searches that are full ones, above 0; 1 for no quick ones"""
    leaves: int = 1
    """leaves of one tree that may wait for the network at a time"""
    exploration: float = 1.5
    """constant of PUCT, in returns (-1..1)"""
    first_play: float = -0.2
    """what an untried action counts as, in returns above its node's value"""
    noise: float = 0.25
    """share of Dirichlet noise in the priors at the root of a full search"""
    concentration: float = 10.0
    """concentration of that noise, spread over the legal actions"""
    temperature: float = 1.0
    """moves are drawn by visits ** (1 / temperature) at first; 0 plays the most visited"""
    temperature_decisions: int = 20
    """decisions of a game that are drawn at that temperature"""
    late_temperature: float = 0.25
    """temperature of the decisions after that"""
    max_plies: int = 1000
    """plies, throws included, after which a game is broken off and counts as a draw for all seats"""
    search_value: float = 0.25
    """share of the search's own value in the target of the value, the rest being the result of the game"""
    backend: str = "auto"
    """what runs the network in self-play: auto, compiled, onnx or torch"""


@dataclass(frozen=True)
class Learning(Section, name="learning"):
    """How the network learns from them."""

    batch_size: int = 256
    """positions of a training step"""
    optimizer: str = "adamw"
    """adamw or sgd"""
    learning_rate: float = 1e-3
    """at its highest"""
    schedule: str = "cosine"
    """constant, or cosine: down to a twentieth at the last iteration"""
    warmup_steps: int = 50
    """training steps in which the learning rate rises from zero"""
    momentum: float = 0.9
    """share of the last step that goes into the next; of sgd alone"""
    weight_decay: float = 1e-4
    """decoupled with adamw, part of the gradient with sgd"""
    clip: float = 1.0
    """largest norm of a gradient; longer ones are shortened to it"""
    value_weight: float = 1.0
    """weight of the value's loss beside that of the policy"""
    window: int = 100_000
    """positions in the replay buffer, at most; whole iterations leave it, the oldest first"""
    reuse: float = 4.0
    """training steps are as many as make each new position be learned from so often, on average"""
    reuse_limit: int = 8
    """how often a position is learned from, at most"""
    symmetries: bool = True
    """whether each position is shown in a random one of the game's symmetries"""
    precision: str = "auto"
    """of a training step: float32, bfloat16, or auto: bfloat16 on a GPU that computes with it"""
    start: str = ""
    """network whose weights to begin with: a file, or the name of one that ships; none: begin anew"""


@dataclass(frozen=True)
class Values(Section, name="values"):
    """How values are learned in Tokaido, see `values.learning`."""

    games: int = 60
    """games of each table (of 4 players and more) and set of rules in an iteration"""
    steps: int = 1500
    """training steps of an iteration"""
    batch_size: int = 1024
    """positions of a training step"""
    two: float = 0.15
    """share of a batch from the solved game of 2 players"""
    three: float = 0.45
    """share of a batch from the solved game of 3 players; the rest is from games"""
    often: float = 0.85
    """share of these positions drawn by how often perfect play comes there; the others are drawn evenly"""
    most_players: int = 6
    """games are played at tables of 4 to so many players"""
    all_rules: bool = True
    """whether both values of forks and goal are learned; if not, those of the rules of the run alone"""
    learning_rate: float = 2e-3
    """at the beginning; it falls to 0 at the last iteration, by a cosine"""
    decay: float = 0.8
    """weight of the next turn's correction in the target of games; 0 looks no further than a turn"""
    explore: float = 0.05
    """share of the choices in games that are drawn at random"""
    resigned: float = 0.05
    """share of the games that begin with a seat that has resigned"""
    sharpness: float = 25.0
    """of the policies that are learned: how much more probable a choice is that is worth more"""
    policy_weight: float = 0.02
    """weight of the policy's loss beside that of the values"""
    average: float = 0.999
    """of the running mean of the weights, which is the network that plays, so much stays at a training step"""
    start: str = ""
    """network (file or name) to go on from, which then judges the first games too; none: begin anew"""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.two + self.three < 1:
            raise OptionError("values.two and values.three are shares of the same batch: they must be below 1 together")


@dataclass(frozen=True)
class Searches(Section, name="search"):
    """How values are learned from searches in Quoridor, see `searching.learning`."""

    games: int = 200
    """games of an iteration"""
    nodes: int = 1500
    """positions that the search for a move looks at; with four players its simulations"""
    stops: int = 6
    """moments of such a search, by lot, at which the position that it looks at (four players: has come to) is judged"""
    judging_nodes: int = 400
    """positions that the search looks at by which that is judged; with four players its simulations"""
    opening: int = 8
    """a game begins with 2 to so many random plies"""
    explore: float = 0.05
    """share of the moves after them that are drawn at random, without a search"""
    max_plies: int = 200
    """plies after which a game is broken off and counts as a draw"""
    by_hand: int = 1
    """first iterations in whose searches the evaluation made by hand judges; after that the newest network does"""
    window: int = 1_000_000
    """positions to learn from, at most; whole iterations leave, the oldest first"""
    anew: bool = True
    """whether every iteration fits a new network; if not, it goes on from the last one"""
    passes: int = 8
    """how often a fit goes through the window"""
    batch_size: int = 512
    """positions of a training step"""
    learning_rate: float = 4e-3
    """at its highest: it rises to that and falls to 0 in every fit"""
    weight_decay: float = 0.3
    """decoupled, of adamw"""
    result: float = 0.5
    """share of the game's result in the target of positions of games, the rest being the value of the search"""
    held_back: int = 10
    """of so many games one is not learned from but measured on"""
    start: str = ""
    """network (file or name) that judges from the first game on; fits that are not anew go on from it; or none"""


@dataclass(frozen=True)
class Imitation(Section, name="imitation"):
    """How games are played for a teacher to judge, see `imitation`."""

    teacher: str = "mcts:simulations=200"
    """agent that is learned from, by its spec string; what limits it must not be time"""
    games: int = 64
    """games of an iteration"""
    opening: int = 8
    """a game begins with up to so many random plies, throws included"""
    explore: float = 0.05
    """share of the moves after them that are drawn at random; the teacher says what it would have played"""
    student: float = 0.0
    """share of the games that the network itself plays once it has learned something, by its policy (DAgger, Ross 2011)"""
    opponent: str = ""
    """agent, by its spec string, against which the network plays every other of them on average, from any seat; or none"""
    max_plies: int = 1000
    """plies, throws included, after which a game is broken off and counts as a draw for all seats"""
    teacher_value: float = 0.5
    """share of the teacher's own value, if it has one, in the value's target; the rest is the result of its games"""
    doubt: float = 0.0
    """share what is learned with the network's own choice, e times less for so many returns that it costs; 0 for no"""
    weigh: float = 0.0
    """a decision weighs so much more for each return that the network's own choice costs; 0 for all alike"""

    @property
    def judges_choices(self) -> bool:
        """Whether the teacher is asked what the network's own choices lead to."""
        return self.doubt > 0 or self.weigh > 0


@dataclass(frozen=True)
class Evaluation(Section, name="evaluation"):
    """How its play is measured on the way."""

    every: int = 1
    """iterations between two evaluations; the untrained and the last network are always measured"""
    games: int = 20
    """games against each opponent, seats exchanged"""
    simulations: int = 50
    """of the network's search for a move; 0 plays what its policy likes best"""
    mcts: int = 200
    """simulations of the reference `mcts` opponent; 0 for none"""
    nodes: int = 0
    """nodes of `alphabeta` for a move (four players: simulations of `mcts`), as an opponent and with an nnue; 0 for neither"""
    exact: bool = True
    """whether the exact loss is worked out where the game is solved and small enough"""


@dataclass(frozen=True)
class Keeping(Section, name="keeping"):
    """What stays of a run."""

    last: int = 2
    """newest checkpoints that are kept"""
    every: int = 10
    """checkpoints whose iteration is a multiple of this are kept for good; 0 for none"""
    records: int = 2
    """records that are kept of the games of self-play of each iteration, or else of an evaluation"""
