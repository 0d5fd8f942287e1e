"""Games that a network plays against itself, a turn at a time, and the values to learn from them.

The value of the beginning of a turn is drawn towards what all throws and choices of that turn lead to (fitted value
iteration), and beyond it, turn after turn, by

    G(t) = T V(t) + decay * (G(t+1) - V(t+1)),

where V is the network, T V the value after one turn of expectimax and G the target. Unlike the result of a game G has no
luck of the dice in it that the network could foresee; with decay 1 it is unbiased, as in temporal differences with
expected updates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...agents.networks.files import StoredNetwork
from ...agents.networks.modules import Mlp
from ...agents.networks.torch_backend import load_module
from ...agents.search.leaves import Leaf, Race
from ...agents.search.tokaido_race import PENDING
from ...agents.search.turns import COUNT, PLACE_POINTS, Layer, Turn, enlarged, grow, new_layer, new_turn
from ...envs.counter_rng import new_rng
from ...envs.errors import RunError
from ...envs.tokaido.kernels import SPOT
from ...envs.tokaido.rules import Tokaido
from ...envs.tokaido.tables import RESIGNED, SPOTS
from ..sections import Values
from ..tally import Tally
from .kernels import draw_back_keeping, find_all, play_turns
from .network import NetworkLeaf
from .samples import ACTIONS, Samples, samples_of

STREAM = 4
"""Sets the random numbers of these games apart from those of other parts of a run."""
_ROOM = 4096


class TableTask(NamedTuple):
    """The games of an iteration at one table; a task for an executor.

    Attributes:
        game: what is played.
        network: the judge; None for the race of lone travellers.
        settings: how to play.
        seed: of the run.
        iteration: whose games they are.
        table: number of the table in the iteration.
    """

    game: Tokaido
    network: StoredNetwork | None
    settings: Values
    seed: int
    iteration: int
    table: int


def play_table(task: TableTask) -> tuple[Samples, Tally]:
    """Play the games of a task; return their positions with targets, and sums."""
    rng = np.random.default_rng([STREAM, task.seed, task.iteration, task.table])
    if task.network is None:
        return play(task.game, Race(task.game, PLACE_POINTS), task.settings, rng)
    module = load_module(task.network)
    if not isinstance(module, Mlp):
        raise RunError("games of value learning are judged by an mlp")
    return play(task.game, NetworkLeaf(module), task.settings, rng)


class _Step(NamedTuple):
    """A turn in all games that go on.

    Attributes:
        rows: int64 ``[N]``: which games.
        words: int64 ``[N, state_size]``: where the turn begins.
        values: float64 ``[N, players]``: V there.
        backed_up: float64 ``[N, players]``: T V there.
        strayed: int8 ``[N]``: 1 where the turn was not played as V likes it best.
    """

    rows: NDArray[np.int64]
    words: NDArray[np.int64]
    values: NDArray[np.float64]
    backed_up: NDArray[np.float64]
    strayed: NDArray[np.int8]


@dataclass
class _Played:
    """Where a turn has led in each game, and the positions within turns that were met."""

    words: NDArray[np.int64]
    strayed: NDArray[np.int8]
    plies: NDArray[np.int64]
    found: list[Samples]


def play(game: Tokaido, judge: Leaf, settings: Values, rng: np.random.Generator) -> tuple[Samples, Tally]:
    """Play games, all seats by the same values, and return their positions with targets, and sums.

    Args:
        game: what is played.
        judge: gives the values of beginnings of turns.
        settings: how many games, how they stray, how targets look ahead.
        rng: of the dice.
    """
    turn, key = new_turn(game, PENDING, PLACE_POINTS), new_rng(int(rng.integers(2**63)))
    words, tally = _beginnings(game, settings, rng), Tally(games=settings.games)
    values = np.asarray(judge.position_values(game, words))
    rows = np.arange(settings.games)  # the games that go on
    steps: list[_Step] = []
    found: list[Samples] = []
    while rows.size:
        layer, after = _grown(game, turn, words)
        open_ones = np.flatnonzero(after.over[: after.counts[COUNT]] == 0)
        if open_ones.size:
            after.values[open_ones] = judge.position_values(game, after.words[open_ones])
        played = _played(game, turn, layer, after, settings, key)
        found += played.found
        steps.append(_Step(rows, words, values, layer.values.copy(), played.strayed))
        places = np.zeros(len(words), np.int64)
        find_all(after, played.words, places)
        over = after.over[places] == 1
        returns = after.values[places][over]
        alone = (returns == returns.max(axis=1, keepdims=True)).sum(axis=1) == 1
        tally.draws += int((~alone).sum())
        tally.first_wins += int((alone & (returns.argmax(axis=1) == 0)).sum())
        tally.plies += int(played.plies.sum())
        rows, words, values = rows[~over], np.ascontiguousarray(played.words[~over]), after.values[places][~over]
    found.append(_targets(game, steps, settings))
    samples = Samples.joined(found)
    tally.positions = len(samples.places)
    return samples, tally


def _beginnings(game: Tokaido, settings: Values, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return where games begin: as the rules have it, but in some of them a seat other than the first has resigned."""
    words = np.tile(game.new_initial_state().words, (settings.games, 1))
    gone = np.flatnonzero(rng.random(settings.games) < settings.resigned)
    words[gone, SPOT + rng.integers(1, game.num_players, size=gone.size)] = SPOTS[RESIGNED]
    return words


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


def _played(
    game: Tokaido, turn: Turn, layer: Layer, after: Layer, settings: Values, key: NDArray[np.uint64]
) -> _Played:
    """Play a turn of each game, and give the positions in `layer` their values."""
    count, players = layer.words.shape[0], game.num_players
    inner, inner_values = np.zeros_like(layer.words), np.zeros((count, players))
    kept = np.zeros(count, np.int8)
    draw_back_keeping(game.table, game.rules, turn, layer, after, key, inner, inner_values, kept)
    again, choices = np.zeros_like(layer.words), np.zeros_like(layer.words)
    strayed, met, plies = np.zeros(count, np.int8), np.zeros(count, np.int8), np.zeros(count, np.int64)
    choice_values, policies = np.zeros((count, players)), np.zeros((count, ACTIONS))
    play_turns(
        game.table, game.rules, turn, layer, after, key, round(1000 * settings.explore), settings.sharpness, again, strayed, plies,
        met, choices, choice_values, policies,
    )  # fmt: skip
    found = []
    if kept.any():
        found.append(samples_of(game, inner[kept == 1], inner_values[kept == 1]))
    if met.any():
        found.append(samples_of(game, choices[met == 1], choice_values[met == 1], policies[met == 1]))
    return _Played(again, strayed, plies, found)


def _targets(game: Tokaido, steps: list[_Step], settings: Values) -> Samples:
    """Return the beginnings of all turns with their targets; see the head of this file."""
    correction = np.zeros((settings.games, game.num_players))  # G - V of the turn that follows
    targets = []
    for step in reversed(steps):
        follows = np.where(step.strayed[:, None] == 1, 0.0, correction[step.rows])
        target = step.backed_up + settings.decay * follows
        correction[step.rows] = target - step.values
        targets.append(np.clip(target, -1, 1))
    words = np.concatenate([step.words for step in reversed(steps)])
    return samples_of(game, words, np.concatenate(targets))
