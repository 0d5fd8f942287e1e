"""Games that a network plays against itself, many side by side, and what there is to learn from them.

The way of AlphaZero (Silver et al., "A general reinforcement learning algorithm that masters chess, shogi, and Go
through self-play", 2018): PUCT with noise at the root, moves drawn by visits, the visits as the target of the policy and
the result as that of the value. Playout cap randomisation is that of Wu, "Accelerating self-play learning in Go", 2019.

Every random number of a game comes from the seed of the run, the iteration and the number of the game. Which games
share a task decides which positions share a batch, and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..agents.learned import onlooker
from ..agents.search.batch import Evaluator
from ..agents.search.simulate import Settings
from ..agents.search.tools import GameTools, choose_tools
from ..agents.search.tree import Tree, node_bytes
from ..arena.records import GameRecord
from ..envs.core import Game
from ..envs.errors import RunError
from ..envs.kernels import CHANCE, TERMINAL
from .lockstep import advance, gather_all, new_tables, plant, settle_all
from .positions import Positions
from .sections import SelfPlay
from .tally import Tally

STREAM = 1
"""Sets the random numbers of self-play apart from those of other parts of a run."""
_NODES_A_VISIT, _MOST_NODES = 1.5, 2_000_000
_THROWS = 64  # throws in a row, after which a table gets its next turn


class Played(NamedTuple):
    """What came of some games: positions to learn from, records of the first ones, and sums."""

    positions: Positions
    records: list[GameRecord]
    tally: Tally


class Numbers(NamedTuple):
    """Which games: those numbered ``first .. first + games - 1`` of an iteration of a run with that seed."""

    seed: int
    iteration: int
    first: int
    games: int


@dataclass
class _Seated:
    """What is kept in Python of the game at a table."""

    number: int
    rng: np.random.Generator
    moves: list[int] = field(default_factory=list)
    decisions: int = 0
    full: bool = False
    noise_due: bool = False
    visits_before: int = 0
    words: list[NDArray[np.int64]] = field(default_factory=list)
    seats: list[int] = field(default_factory=list)
    policies: list[NDArray[np.float32]] = field(default_factory=list)
    values: list[NDArray[np.float64]] = field(default_factory=list)


class SelfPlayers:
    """Tables at which one evaluator plays all seats.

    Args:
        game: what is played.
        evaluator: judges the leaves.
        settings: how to play.
        numbers: which games.
        records: games that are kept as records, the first ones.

    Raises:
        RunError: if there is no memory for the trees of its tables.
    """

    def __init__(self, game: Game, evaluator: Evaluator, settings: SelfPlay, numbers: Numbers, records: int) -> None:
        self.game, self._evaluator, self._settings, self._numbers = game, evaluator, settings, numbers
        self._records_wanted = records
        tables = min(settings.tables, numbers.games)
        nodes = int(_NODES_A_VISIT * (settings.simulations + settings.leaves) * (game.num_actions + 1))
        nodes = min(nodes, _MOST_NODES) + 2 * game.num_actions + game.max_chance_outcomes
        try:
            self._tables = new_tables(game, tables, nodes, settings.leaves, settings.max_plies + _THROWS)
        except MemoryError as error:
            size = tables * nodes * node_bytes(game.num_players) / 2**30
            raise RunError(
                f"this machine has no memory for the trees of {tables:,} games side by side, {nodes:,} nodes each "
                f"({size:,.1f} GiB): lower selfplay.tables or selfplay.simulations"
            ) from error
        self._tools, self._data = choose_tools(game, GameTools(), "uniform", None, "uniform")
        self._search = Settings(
            puct=1,
            exploration=float(settings.exploration),
            first_play=float(settings.first_play),
            ranked=1,
            wide=max(game.max_chance_outcomes, 32),
            min_utility=float(game.min_utility),
            max_utility=float(game.max_utility),
            repetition=game.repetition,
            virtual_loss=1.0,
            batched=1,
            yield_function=0,
        )
        self._seated: list[_Seated | None] = [None] * tables
        self._trees = [Tree(*(array[table] for array in self._tables.trees)) for table in range(tables)]
        self._mask = np.zeros(game.num_actions, dtype=np.int8)
        self._played = np.zeros(_THROWS, dtype=np.int64)
        self._next = 0
        self._finished: dict[int, Positions] = {}
        self._records: dict[int, GameRecord] = {}
        self.tally = Tally()

    def play(self) -> Played:
        """Play all games.

        Raises:
            RunError: if the evaluator answers with what is no number.
        """
        game, tables = self.game, self._tables
        most = len(self._seated) * self._settings.leaves
        words, seats = np.zeros((most, game.state_size), dtype=np.int64), np.zeros(most, dtype=np.int64)
        ready = np.zeros(len(self._seated), dtype=np.int8)
        nothing = np.zeros((0, game.num_actions)), np.zeros((0, game.num_players))
        for table in range(len(self._seated)):
            self._seat_next(table)
            self._go_on(table, drawn=False)
        while tables.goals.any():
            count = gather_all(tables, self._tools, self._data, game.rules, self._search, words, seats)
            answer = self._evaluator.evaluate(game, words[:count], seats[:count]) if count else nothing
            priors, values = (np.ascontiguousarray(part, dtype=np.float64) for part in answer)
            if not (np.isfinite(priors).all() and np.isfinite(values).all()):
                raise RunError("the network answers with what is no finite number: the training went astray")
            settle_all(tables, self._tools, game.rules, self._search, priors, values, ready)
            self._add_noise()
            for table in np.flatnonzero(ready).tolist():
                self._decide(table)
        order = sorted(self._finished)
        positions = Positions.joined(game, [self._finished[number] for number in order])
        return Played(positions, [self._records[number] for number in sorted(self._records)], self.tally)

    # --- one table ---------------------------------------------------------------------------------------------------

    def _seat_next(self, table: int) -> None:
        """Seat the next game at a table, or leave it empty when all have been begun."""
        tables = self._tables
        tables.goals[table] = 0
        if self._next == self._numbers.games:
            self._seated[table] = None
            return
        number = self._numbers.first + self._next
        self._next += 1
        rng = np.random.default_rng([STREAM, self._numbers.seed, self._numbers.iteration, number])
        self._seated[table] = _Seated(number, rng)
        tables.works.root[table] = self.game.new_initial_state().words
        tables.works.rng[table] = rng.integers(2**64, dtype=np.uint64), 0
        tables.dice[table] = rng.integers(2**64, dtype=np.uint64), 0
        tables.seen[table] = 0
        if self.game.repetition:
            root = tables.works.root[table]
            tables.works.seen[table, 0], tables.seen[table] = self.game.kernels.hash(self.game.rules, root), 1
        plant(tables, table)

    def _go_on(self, table: int, drawn: bool) -> None:
        """Bring a game to its next decision that is one, and set the search its goal; after its end the next game."""
        game = self.game
        while (seated := self._seated[table]) is not None:
            root = self._tables.works.root[table]
            mover = game.kernels.to_move(game.rules, root)
            if drawn or mover == TERMINAL or len(seated.moves) >= self._settings.max_plies:
                self._finish(table, seated, decided=mover == TERMINAL and not drawn)
                self._seat_next(table)
                drawn = False
            elif mover == CHANCE:
                drawn = self._advance(table, int(game.kernels.sample(game.rules, root, self._tables.dice[table])))
            elif game.kernels.legal(game.rules, root, self._mask) == 1:
                drawn = self._advance(table, int(np.flatnonzero(self._mask)[0]))
            else:
                self._aim(table, seated)
                return

    def _aim(self, table: int, seated: _Seated) -> None:
        """Choose between a full and a quick search; at least half of its visits are new ones."""
        settings = self._settings
        seated.full = bool(seated.rng.random() < settings.full_share)
        budget = settings.simulations if seated.full else settings.fast_simulations
        kept = int(self._tables.trees.visits[table, 0])
        seated.visits_before = kept
        self._tables.goals[table] = max(budget, kept + budget // 2)
        seated.noise_due = seated.full and settings.noise > 0
        self._add_noise_at(table, seated)

    def _add_noise(self) -> None:
        for table, seated in enumerate(self._seated):
            if seated is not None and seated.noise_due:
                self._add_noise_at(table, seated)

    def _add_noise_at(self, table: int, seated: _Seated) -> None:
        """Mix noise into the priors of the root if it is due and the root has its children."""
        tree = self._trees[table]
        count = int(tree.children[0])
        if not seated.noise_due or count == 0 or tree.tried[0] < 0:
            return
        seated.noise_due = False
        drawn = seated.rng.dirichlet(np.full(count, self._settings.concentration / count))
        priors = tree.prior[tree.first[0] : tree.first[0] + count]
        priors *= 1 - self._settings.noise
        priors += self._settings.noise * drawn

    def _decide(self, table: int) -> None:
        """End a search: note what it found, and play a move."""
        seated, tree = self._seated[table], self._trees[table]
        if seated is None:
            return
        root, seat = self._tables.works.root[table], int(tree.seat[0])
        block = slice(int(tree.first[0]), int(tree.first[0] + tree.tried[0]))
        actions, visits = tree.action[block], tree.visits[block].astype(np.float64)
        proven = bool(tree.proven[0])
        if proven:  # the search has stopped where it knew: its visits say nothing
            exact = np.flatnonzero(tree.proven[block])
            worth = tree.value[block][exact, seat]
            best = max(
                range(exact.size), key=lambda at: (worth[at], -np.sign(worth[at]) * tree.length[block][exact[at]])
            )
            visits = np.zeros_like(visits)
            visits[exact[best]] = 1.0
        shares = visits / visits.sum()
        value = _mean(tree, 0)
        if seated.full:
            policy = np.zeros(self.game.num_actions, dtype=np.float32)
            policy[actions] = shares
            seated.words.append(root.copy())
            seated.seats.append(seat)
            seated.policies.append(policy)
            seated.values.append(value.copy())
            self.tally.searches += 1
            self.tally.root_values += abs(float(value[seat]))
            self.tally.entropies -= float(np.sum(shares * np.log(np.maximum(shares, 1e-12))))
        self.tally.decisions += 1
        self.tally.simulations += int(tree.visits[0]) - seated.visits_before
        child = self._drawn(seated, shares)
        action = int(actions[child])
        seated.decisions += 1
        if seated.full and self.game.max_chance_outcomes:
            self._note_what_follows(seated, root, seat, action, _mean(tree, block.start + child))
        drawn = self._advance(table, action)
        self._go_on(table, drawn)

    def _note_what_follows(
        self, seated: _Seated, root: NDArray[np.int64], seat: int, action: int, value: NDArray[np.float64]
    ) -> None:
        """Have the value of a position be learned in which dice are to be thrown: whoever plays without a search asks.

        It has no policy, so its row of it is zero and has no part in the policy's loss.
        """
        words = root.copy()
        self.game.kernels.apply(self.game.rules, words, action)
        if self.game.kernels.to_move(self.game.rules, words) == CHANCE:
            seated.words.append(words)
            seated.seats.append(onlooker(self.game, words, seat))
            seated.policies.append(np.zeros(self.game.num_actions, dtype=np.float32))
            seated.values.append(value)

    def _drawn(self, seated: _Seated, shares: NDArray[np.float64]) -> int:
        """Return the place of the child to play, drawn at the temperature of the moment."""
        early = seated.decisions < self._settings.temperature_decisions
        temperature = self._settings.temperature if early else self._settings.late_temperature
        if temperature == 0:
            return int(np.argmax(shares))
        logs = np.where(shares > 0, np.log(np.maximum(shares, 1e-12)), -np.inf) / temperature
        chances = np.exp(logs - logs.max())
        return int(seated.rng.choice(shares.size, p=chances / chances.sum()))

    def _advance(self, table: int, action: int) -> bool:
        """Play a move and what is thrown after it; return whether that ended the game by repetition."""
        game, seated = self.game, self._seated[table]
        count = advance(self._tables, table, self._tools, game.rules, game.repetition, action, self._played)
        if seated is not None:
            seated.moves += self._played[: abs(count)].tolist()
        return bool(count < 0)

    def _finish(self, table: int, seated: _Seated, decided: bool) -> None:
        """Note what the seats got. A game that is broken off, or drawn, is nothing for everybody."""
        game, root = self.game, self._tables.works.root[table]
        returns = np.zeros(game.num_players)
        if decided:
            game.kernels.returns(game.rules, root, returns)
        mix = self._settings.search_value
        count = len(seated.words)
        self.tally.positions += count
        if count:
            values = (1 - mix) * returns[None, :] + mix * np.array(seated.values)
            self._finished[seated.number] = Positions(
                np.array(seated.words),
                np.array(seated.seats, dtype=np.int8),
                np.array(seated.policies),
                values.astype(np.float32),
            )
        alone = decided and int((returns == returns.max()).sum()) == 1
        self.tally.games += 1
        self.tally.plies += len(seated.moves)
        self.tally.first_wins += alone and int(returns.argmax()) == 0
        self.tally.draws += not alone
        self.tally.broken_off += len(seated.moves) >= self._settings.max_plies and not decided
        if seated.number < self._records_wanted:
            record = record_of(game, seated.moves, self._numbers, seated.number)
            if record is not None:
                self._records[seated.number] = record


def _mean(tree: Tree, node: int) -> NDArray[np.float64]:
    """Return what a search says that a node is worth to each seat."""
    value: NDArray[np.float64] = tree.value[node] / (1.0 if tree.proven[node] else max(float(tree.visits[node]), 1.0))
    return value


def record_of(game: Game, moves: list[int], numbers: Numbers, number: int) -> GameRecord | None:
    """Return the record of a game; None for one that was broken off, which has no result."""
    state = game.new_initial_state()
    for move in moves:
        state.apply_unchecked(move)
    if not state.is_terminal():
        return None
    return GameRecord(
        game=game.name,
        rules=dict(game.options),
        agents=(f"iteration_{numbers.iteration}",) * game.num_players,
        seed=numbers.seed,
        table=numbers.iteration,
        round=number,
        opening=0,
        moves=tuple(state.moves()),
        returns=tuple(state.returns()),
        end=state.end_reason() or "",
    )
