"""Value learning for Tokaido: one network for tables of 2 to 6 players and the four usual sets of rules.

Where the game is solved (2 and 3 players) the network learns the solution by heart: positions are drawn from the tables
with their exact values. With 4 to 6 players it learns from games that it plays against itself, a turn at a time: the
value of the beginning of a turn is drawn towards what all throws and choices of that turn lead to (fitted value
iteration), and beyond it, turn after turn, by

    G(t) = T V(t) + decay * (G(t+1) - V(t+1)),

where V is the network, T V the value after one turn of expectimax and G the target. Unlike the result of a game G has no
luck of the dice in it that the network could foresee; with decay 1 it is unbiased, as in temporal differences with
expected updates. In the first generation the race of lone travellers judges in the place of the network.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from ..agents.exact import tokaido_kernels, tokaido_library
from ..agents.exact.tokaido_nodes import enumerate_nodes, key_of
from ..agents.exact.tokaido_sweeps import sweep_visits
from ..agents.networks.config import NetworkConfig
from ..agents.networks.files import StoredNetwork, read_network, rules_of, write_network
from ..agents.networks.modules import Mlp, build_network
from ..agents.networks.torch_backend import arrays_of, load_module
from ..agents.search.leaves import Leaf, Race
from ..agents.search.tokaido_race import PENDING
from ..agents.search.turns import COUNT, PLACE_POINTS, Layer, Turn, enlarged, grow, new_layer, new_turn
from ..envs.counter_rng import new_rng
from ..envs.errors import OptionError, RunError
from ..envs.tokaido.kernels import FACES, SEAT, SPOT
from ..envs.tokaido.observation import SEEN_CAP, SEEN_VARIANT
from ..envs.tokaido.rules import Tokaido
from ..envs.tokaido.tables import RESIGNED, SPOTS, VARIANT
from .value_kernels import draw_back_keeping, find_all, look_short, play_turns, write_solved

SOLVED = (2, 3)
ANY = {"allow_resign": (False, True)}
"""Options that make no difference to good play, so that the network does without them."""
_SEATS, _ACTIONS, _LENGTH = 6, 12, 36
_ROOM = 4096
_SWEEPS = 12


@dataclass(frozen=True)
class ValuesConfig:
    """How a network for Tokaido is trained on values."""

    width: int = 256
    """units of a hidden layer"""
    depth: int = 3
    """hidden layers"""
    generations: int = 9
    """rounds of games, each followed by training; the first is judged by the race"""
    games: int = 100
    """games of each table (4 to 6 players) and set of rules in a generation"""
    steps: int = 1500
    """batches in a generation"""
    batch: int = 1024
    """positions in a batch"""
    solved: tuple[float, float] = (0.2, 0.2)
    """parts of a batch from the tables of 2 and of 3 players; the rest from games"""
    often: float = 0.5
    """share of those that are drawn by how often perfect play comes there; the rest is drawn evenly"""
    played: tuple[int, ...] = (4, 5, 6)
    """players at the tables at which games are played"""
    forks: tuple[str, ...] = ("three", "miya")
    """rules: forks in the road"""
    goals: tuple[str, ...] = ("exact", "over")
    """rules: how Kyoto is reached; tables are made for each with each of the forks"""
    rate: float = 2e-3
    """learning rate at the beginning; it falls to 0 by a cosine"""
    decay: float = 0.8
    """weight of the next turn's correction in a target, 0..1"""
    explore: int = 50
    """choices out of 1,000 that are drawn at random in games"""
    resigned: int = 50
    """games out of 1,000 that begin with a seat that has resigned"""
    keep: int = 5
    """generations whose positions are learned from"""
    sharpness: float = 25.0
    """of the policies to learn: how much better a choice looks that is worth more"""
    policy_weight: float = 0.02
    """of the policy's cross-entropy beside the squared error of the values"""
    average: float = 0.999
    """of the running mean of the weights, which is what is kept"""
    seed: int = 1
    """of everything that is drawn"""
    start: str = ""
    """file of a network of the same shape to go on from, which then judges the first games too; none: begin anew"""

    def __post_init__(self) -> None:
        if not 0 < sum(self.solved) < 1 or min(self.solved) < 0:
            raise OptionError("training of values: 'solved' must be two parts of a batch, together above 0 and below 1")
        for name in ("generations", "games", "steps", "batch", "keep"):
            if getattr(self, name) < 1:
                raise OptionError(f"training of values: {name!r} must be at least 1")

    @property
    def modes(self) -> list[dict[str, str]]:
        """The sets of rules that are trained on."""
        return [{"forks": forks, "goal": goal} for forks, goal in itertools.product(self.forks, self.goals)]


Told = Callable[[str, dict[str, float]], None]


@dataclass
class Samples:
    """Positions to learn from, as lists of features; N of them.

    Attributes:
        places: int16 ``[N, L]``: features that are not 0.
        amounts: float32 ``[N, L]``: what they show.
        targets: float32 ``[N, 6]``: values, the mover's first.
        present: float32 ``[N, 6]``: 1 for each seat of the table.
        policies: float32 ``[N, 12]``: how good the choices are; all 0 where nothing is chosen.
    """

    places: NDArray[np.int16]
    amounts: NDArray[np.float32]
    targets: NDArray[np.float32]
    present: NDArray[np.float32]
    policies: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.places)

    def parts(self) -> tuple[NDArray[Any], ...]:
        """Return the arrays."""
        return self.places, self.amounts, self.targets, self.present, self.policies


def joined(samples: list[Samples]) -> Samples:
    """Return all samples together."""
    return Samples(*(np.concatenate(arrays) for arrays in zip(*(one.parts() for one in samples), strict=True)))


def samples_of(
    game: Tokaido, words: NDArray[np.int64], values: NDArray[np.float64], policies: NDArray[np.float64]
) -> Samples:
    """Return positions as samples.

    Args:
        game: what is played.
        words: int64 ``[N, state_size]``.
        values: float64 ``[N, players]``, in seat order.
        policies: float64 ``[N, 12]``.
    """
    count, players, seats = len(words), game.num_players, np.ascontiguousarray(words[:, SEAT])
    places, amounts = np.zeros((count, _LENGTH), np.int64), np.zeros((count, _LENGTH), np.float32)
    seen = np.zeros(game.observation_shape[0], np.float32)
    if look_short(game.table, game.rules, words, seats, seen, places, amounts) > _LENGTH:
        raise RunError(f"a position shows more than {_LENGTH} features")
    targets, present = np.zeros((count, _SEATS), np.float32), np.zeros((count, _SEATS), np.float32)
    order = (seats[:, None] + np.arange(players)) % players
    targets[:, :players], present[:, :players] = np.take_along_axis(values, order, axis=1), 1.0
    return Samples(places.astype(np.int16), amounts, targets, present, policies.astype(np.float32))


class SolvedGame:
    """A solved game to draw positions from.

    Args:
        game: of Tokaido with 2 or 3 players; it is solved if it has not been.
        often: share of the positions that are drawn by the root of how often a game of perfect play comes there; the rest
            is drawn evenly.
    """

    def __init__(self, game: Tokaido, often: float) -> None:
        self.game, self._table = game, tokaido_library.table_for(game)
        self._nodes = enumerate_nodes(game.new_initial_state())
        if not np.array_equal(self._nodes.keys, self._table.keys):
            raise RunError("the table has other nodes than the game: solve it anew")
        self._values = np.array(self._table.values)
        left_out = (tokaido_kernels.END, tokaido_kernels.REST)
        self._open = np.flatnonzero(~np.isin(self._nodes.kinds, left_out))
        roots = np.sqrt(self._visits()[self._open])
        self._law = np.cumsum((1 - often) / self._open.size + often * roots / roots.sum())

    def _visits(self) -> NDArray[np.float64]:
        """Return how often a game of perfect play comes to each node; few are left out that only long games reach."""
        second = (self._table.choices[:, None] >> np.arange(FACES) & 1).astype(np.float64)
        nobody = np.zeros((len(second), 0))
        source, visits = np.zeros(len(second)), np.zeros(len(second))
        source[self._nodes.find(key_of(self.game.new_initial_state()))] = 1.0
        order = np.arange(len(second))
        for _ in range(_SWEEPS):
            sweep_visits(self.game.rules, *self._nodes[:3], second, nobody, source, visits, order)
        return visits

    def draw(self, count: int, rng: np.random.Generator, sharpness: float) -> Samples:
        """Return positions drawn by lot with what they are worth."""
        drawn = np.searchsorted(self._law, rng.random(count) * self._law[-1])
        nodes = self._open[np.minimum(drawn, self._open.size - 1)]
        words = np.zeros((count, self.game.state_size), np.int64)
        values, policies = np.zeros((count, self.game.num_players)), np.zeros((count, _ACTIONS))
        key = new_rng(int(rng.integers(2**63)))
        write_solved(
            self.game.rules, *self._nodes[:3], self._values, nodes, key, sharpness, words, values, policies
        )  # fmt: skip
        return samples_of(self.game, words, values, policies)


# --- games ------------------------------------------------------------------------------------------------------------


def play(game: Tokaido, judge: Leaf, config: ValuesConfig, rng: np.random.Generator) -> Samples:
    """Play games, all seats by the same values, and return their positions with targets.

    Args:
        game: what is played.
        judge: gives the values of beginnings of turns.
        config: how many games, how they stray, how targets look ahead.
        rng: of the dice.
    """
    turn, key = new_turn(game, PENDING, PLACE_POINTS), new_rng(int(rng.integers(2**63)))
    count, players = config.games, game.num_players
    words = np.tile(game.new_initial_state().words, (count, 1))
    gone = np.flatnonzero(rng.random(count) < config.resigned / 1000)
    words[gone, SPOT + rng.integers(1, players, size=gone.size)] = SPOTS[RESIGNED]
    values = np.asarray(judge.position_values(game, words))
    rows = np.arange(count)  # the games that go on
    steps: list[tuple[NDArray[Any], ...]] = []
    found: list[Samples] = []
    none = np.zeros((count, _ACTIONS))
    while rows.size:
        layer, after = _grown(game, turn, words)
        ends = int(after.counts[COUNT])
        open_ones = np.flatnonzero(after.over[:ends] == 0)
        if open_ones.size:
            after.values[open_ones] = judge.position_values(game, after.words[open_ones])
        inner, inner_values = np.zeros_like(words), np.zeros((len(words), players))
        kept = np.zeros(len(words), np.int8)
        draw_back_keeping(game.table, game.rules, turn, layer, after, key, inner, inner_values, kept)
        again, choices = np.zeros_like(words), np.zeros_like(words)
        strayed, met = np.zeros(len(words), np.int8), np.zeros(len(words), np.int8)
        choice_values, policies = np.zeros((len(words), players)), np.zeros((len(words), _ACTIONS))
        play_turns(
            game.table, game.rules, turn, layer, after, key, config.explore, config.sharpness, again, strayed, met,
            choices, choice_values, policies,
        )  # fmt: skip
        for which, at, worth, how in (
            (kept == 1, inner, inner_values, none),
            (met == 1, choices, choice_values, policies),
        ):
            if which.any():
                found.append(samples_of(game, at[which], worth[which], how[: len(words)][which]))
        places = np.zeros(len(words), np.int64)
        find_all(after, again, places)
        steps.append((rows, words, values, layer.values.copy(), strayed))
        going = after.over[places] == 0
        rows, words, values = rows[going], np.ascontiguousarray(again[going]), after.values[places][going]
    found.append(_targets(game, steps, config))
    return joined(found)


def _grown(game: Tokaido, turn: Turn, words: NDArray[np.int64]) -> tuple[Layer, Layer]:
    """Return positions in which turns begin as a layer, and the positions in which those turns end as the next."""
    layer, after = new_layer(game, len(words), 0), new_layer(game, 32 * len(words), _ROOM + 64 * len(words))
    layer.words[:] = words
    layer.counts[COUNT] = len(words)
    done = 0
    while done < len(words):
        reached = int(grow(game.table, game.rules, turn, layer, done, len(words), False, after))
        if reached < len(words) or after.counts[1] + _ROOM > len(after.edges):
            after = enlarged(after, game)
        done = reached
    return layer, after


def _targets(game: Tokaido, steps: list[tuple[NDArray[Any], ...]], config: ValuesConfig) -> Samples:
    """Return the beginnings of all turns with their targets; see the head of this file."""
    correction = np.zeros((config.games, game.num_players))  # G - V of the turn that follows
    positions, targets = [], []
    for rows, words, values, backed_up, strayed in reversed(steps):
        follows = np.where(strayed[:, None] == 1, 0.0, correction[rows])
        target = backed_up + config.decay * follows
        correction[rows] = target - values
        positions.append(words)
        targets.append(np.clip(target, -1, 1))
    whole = np.concatenate(positions)
    return samples_of(game, whole, np.concatenate(targets), np.zeros((len(whole), _ACTIONS)))


# --- the network ------------------------------------------------------------------------------------------------------


def answers(network: Mlp, places: Tensor, amounts: Tensor) -> tuple[Tensor, Tensor]:
    """Return logits and values of a network that is shown lists of features; the same as its `forward`, but quicker."""
    first, *rest = (layer for layer in network.hidden if isinstance(layer, nn.Linear))
    units = nn.functional.embedding_bag(
        places, first.weight.t().contiguous(), per_sample_weights=amounts, mode="sum"
    )  # fmt: skip
    units = torch.relu(units + first.bias)
    for layer in rest:
        units = torch.relu(layer(units))
    return network.policy(units), torch.tanh(network.value(units))


def loss_of(network: Mlp, samples: Samples, policy_weight: float) -> tuple[Tensor, Tensor, Tensor]:
    """Return the loss, and the squared error of the values and the cross-entropy of the policy that it is made of."""
    places, amounts, targets, present, policies = (torch.from_numpy(part) for part in samples.parts())
    logits, values = answers(network, places.long(), amounts)
    error = ((values - targets) ** 2 * present).sum() / present.sum()
    decides = policies.sum(dim=1) > 0
    if not bool(decides.any()):
        return error, error, torch.zeros(())
    legal = policies[decides] > 0
    log_policy = torch.log_softmax(logits[decides].masked_fill(~legal, -torch.inf), dim=1)
    entropy = -(policies[decides] * log_policy.masked_fill(~legal, 0.0)).sum(dim=1).mean()
    return error + policy_weight * entropy, error, entropy


class _NetworkLeaf:
    """The network as the judge of its own games."""

    def __init__(self, network: Mlp) -> None:
        self._network = network

    def position_values(self, game: Any, words: NDArray[np.int64]) -> NDArray[np.float64]:
        """See `Leaf`."""
        none = np.zeros((len(words), _ACTIONS))
        samples = samples_of(game, np.ascontiguousarray(words), np.zeros((len(words), game.num_players)), none)
        with torch.inference_mode():
            _, values = answers(
                self._network, torch.from_numpy(samples.places).long(), torch.from_numpy(samples.amounts)
            )
        seats = words[:, SEAT]
        back = (np.arange(game.num_players) - seats[:, None]) % game.num_players
        return np.take_along_axis(values.double().numpy(), back, axis=1)


def train_values(
    config: ValuesConfig, directory: Path, tell: Told | None = None, stopped: Callable[[], bool] = lambda: False
) -> Path:
    """Train a network and write it after every generation.

    Args:
        config: how.
        directory: where ``tokaido.safetensors`` is written; it is made if it is not there.
        tell: called after every generation and every hundred batches, with a name and figures.
        stopped: asked after every batch whether to stop; the network of the last whole generation remains.

    Returns:
        The file.
    """
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / "tokaido.safetensors"
    torch.set_num_threads(1)
    begin, rng = time.monotonic(), np.random.default_rng(config.seed)
    shape = NetworkConfig("mlp", config.width, config.depth)
    network, mean = (build_network(Tokaido(), shape, config.seed) for _ in range(2))
    if not isinstance(network, Mlp) or not isinstance(mean, Mlp):
        raise RunError("value learning trains an mlp")
    if config.start:
        network.load_state_dict(load_module(_started(Path(config.start), shape)).state_dict())
    _forget_what_never_changes(network)
    mean.load_state_dict(network.state_dict())
    optimizer = torch.optim.Adam(network.parameters(), lr=config.rate)
    every = config.steps * config.generations
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: 0.5 * (1 + float(np.cos(np.pi * min(step / every, 1.0))))
    )
    tables = {
        players: [SolvedGame(Tokaido(players=players, **mode), config.often) for mode in config.modes]
        for players, part in zip(SOLVED, config.solved, strict=True)
        if part > 0
    }
    recent: list[Samples] = []
    for generation in range(config.generations):
        played = []
        for players, mode in itertools.product(config.played, config.modes):
            game = Tokaido(players=players, **mode)
            by_race = generation == 0 and not config.start
            judge: Leaf = Race(game, PLACE_POINTS) if by_race else _NetworkLeaf(mean)
            played.append(play(game, judge, config, rng))
        recent = [*recent, joined(played)][-config.keep :]
        if generation == 1 and not config.start:
            recent = recent[1:]  # what the race has said
        replay = joined(recent)
        if tell:
            tell("games", {"generation": generation, "positions": len(recent[-1]), "seconds": time.monotonic() - begin})
        for step, samples in enumerate(_batches(tables, replay, config, rng)):
            loss, error, entropy = loss_of(network, samples, config.policy_weight)
            optimizer.zero_grad()
            torch.autograd.backward(loss)
            optimizer.step()
            schedule.step()
            _follow(mean, network, min(config.average, (step + 1 + generation * config.steps) / (step + 10.0)))
            if tell and step % 100 == 99:
                tell("training", {"generation": generation, "step": step + 1, "value_rmse": float(error.detach()) ** 0.5,
                                  "policy": float(entropy.detach()), "seconds": time.monotonic() - begin})  # fmt: skip
            if stopped():
                return path
        if tell:
            tell("errors", {f"rmse_{name}": value for name, value in _errors(mean, tables, replay, config).items()})
        recipe = {
            "what": "value learning (sekisho.training.values)", "config": asdict(config),
            "generations": generation + 1, "seconds": round(time.monotonic() - begin),
        }  # fmt: skip
        write_network(path, Tokaido(), shape, arrays_of(mean), recipe, _rules(config))
    return path


def _started(path: Path, shape: NetworkConfig) -> StoredNetwork:
    """Return the network to go on from."""
    network = read_network(path)
    if network.game != Tokaido.name or network.config != shape:
        raise OptionError(
            f"training of values: {path} is no network for tokaido of {shape.depth} x {shape.width} units"
        )
    return network


def _rules(config: ValuesConfig) -> dict[str, tuple[Any, ...]]:
    """Return for which rules the network is: a cap on turns is left to whoever sets one."""
    solved = [players for players, part in zip(SOLVED, config.solved, strict=True) if part > 0]
    several = {"players": (*solved, *config.played), "forks": config.forks, "goal": config.goals, **ANY}
    rules = rules_of(Tokaido(), **several)
    del rules["max_turns"]
    return rules


def _forget_what_never_changes(network: Mlp) -> None:
    """Take away the weights of features that are always 0 in training, so that they mean nothing where they are not."""
    constant = [SEEN_CAP] + [SEEN_VARIANT + at for at, name in enumerate(VARIANT) if name not in ("forks", "goal")]
    with torch.no_grad():
        network.get_parameter("hidden.0.weight")[:, constant] = 0.0


def _batches(
    tables: dict[int, list[SolvedGame]], replay: Samples, config: ValuesConfig, rng: np.random.Generator
) -> Iterator[Samples]:
    """Yield the batches of a generation."""
    modes = len(config.modes)
    parts = zip(SOLVED, config.solved, strict=True)
    counts = {players: int(part * config.batch) // modes for players, part in parts if players in tables}
    rest = config.batch - modes * sum(counts.values())
    for _ in range(config.steps):
        drawn = [one.draw(counts[players], rng, config.sharpness) for players in tables for one in tables[players]]
        rows = rng.integers(len(replay), size=rest)
        yield joined([*drawn, Samples(*(part[rows] for part in replay.parts()))])


def _follow(mean: Mlp, network: Mlp, weight: float) -> None:
    """Move a running mean of the weights on."""
    with torch.no_grad():
        for slow, quick in zip(mean.parameters(), network.parameters(), strict=True):
            slow.lerp_(quick, 1 - weight)


def _errors(
    network: Mlp, tables: dict[int, list[SolvedGame]], replay: Samples, config: ValuesConfig
) -> dict[str, float]:
    """Return the root of the mean squared error of the values by where positions come from."""
    rng = np.random.default_rng(config.seed)
    sources = {str(players): joined([one.draw(2000, rng, 1.0) for one in tables[players]]) for players in tables}
    rows = rng.integers(len(replay), size=min(8000, len(replay)))
    sources["games"] = Samples(*(part[rows] for part in replay.parts()))
    with torch.inference_mode():
        return {name: float(loss_of(network, samples, 0.0)[1]) ** 0.5 for name, samples in sources.items()}


__all__ = ["ValuesConfig", "train_values"]
