"""The agent `net`: a network, with or without a search."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..envs.core import Game, State
from ..envs.errors import AgentError, NetworkError, OptionError, nearest
from ..envs.kernels import CHANCE
from ..envs.picture_sugoroku import kernels as picture_sugoroku
from ..envs.tokaido import kernels as tokaido
from .agent import Agent, Decision, require_decision
from .batches import checked_words
from .network_names import fits, is_lent, network_of, path_of
from .networks.afterstates import Choices, movers, settle
from .networks.evaluator import NetworkEvaluator, make_evaluator
from .networks.forward import BACKENDS
from .networks.in_tree import tree_evaluation_of
from .networks.incremental import evaluation_of
from .search.alphabeta.evaluation import Evaluation
from .search.search import Rules, Search
from .search.tree_evaluation import TreeEvaluation

MOST_SIMULATIONS = 10**9
_TURN_WORD = {"tokaido": tokaido.SEAT, "picture_sugoroku": picture_sugoroku.SEAT}
"""The word of a state that says whose turn it is, where dice are thrown and nobody may be to decide."""
_RESIGNING = {"tokaido": tokaido.RESIGN, "picture_sugoroku": picture_sugoroku.RESIGN}
_SEARCH = Rules(
    puct=True, exploration=1.25, first_play=0.0, rollouts="uniform", cutoff=None, priors="uniform", wide=32, threads=1,
    memory=256, noise=0.0, alpha=0.3,
)  # fmt: skip
_LEAVES = 8
"""Leaves of a search that are evaluated together."""


@dataclass
class NetAgent(Agent):
    """A trained network. With a search it keeps the tree of a game from one decision to the next; `reset` forgets it.

    Args:
        checkpoint: name of a network that ships, or the path of a file; by default the one that ships for the game.
        simulations: of the search for a decision, 0..10^9. With 0 the network alone plays: in games with dice, or with a
            network of kind ``nnue``, the choice after which the position is worth most to it, else the choice that its
            policy likes best.
        backend: what runs the network: ``torch``, ``onnx``, ``compiled`` or ``auto``, the quickest that is there.
        temperature: 0 plays the best; else choices are drawn, without a search by exp(value / temperature) or by
            policy ** (1 / temperature), with one by visits ** (1 / temperature); 0.001..1000.
    """

    checkpoint: str = ""
    simulations: int = 0
    backend: str = "auto"
    temperature: float = 0.0
    _evaluator: NetworkEvaluator | None = field(default=None, init=False, repr=False, compare=False)
    _checked: Game | None = field(default=None, init=False, repr=False, compare=False)
    _search: Search | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(0 <= self.simulations <= MOST_SIMULATIONS, "simulations", "0..1_000_000_000", self.simulations)
        if self.backend not in BACKENDS:
            raise OptionError(f"net: option 'backend': {nearest(str(self.backend), BACKENDS)}")
        _check(
            self.temperature == 0 or 1e-3 <= self.temperature <= 1e3,
            "temperature", "0, or 0.001..1000", self.temperature,
        )  # fmt: skip
        if self.checkpoint and not is_lent(self.checkpoint):
            path_of(self.checkpoint)

    @property
    def samples_policy(self) -> bool:  # type: ignore[override]
        """Whether choices are drawn."""
        return self.temperature > 0

    def supports(self, game: Game) -> None:
        """See `Agent.supports`; loads the network."""
        if game == self._checked:
            return
        try:
            self._evaluator_for(game).supports(game)
        except NetworkError as error:
            raise AgentError(f"agent 'net' does not play this: {error}") from error
        self._checked = game

    def reset(self) -> None:
        """See `Agent.reset`."""
        if self._search is not None:
            self._search.forget()

    # --- what it has to say ------------------------------------------------------------------------------------------

    def position_values(self, game: Game, words: NDArray[np.int64]) -> NDArray[np.float64]:
        """Judge positions by the network; see `search.leaves.Leaf`, but any position will do.

        Args:
            game: what is played.
            words: int64 ``[B, state_size]``.

        Returns:
            The expected return of every seat, in seat order, float64 ``[B, players]``; exact where the game is over.

        Raises:
            AgentError: if the network answers with what is no number.
            PositionError: if `words` has another shape or kind.
        """
        self.supports(game)
        words = checked_words(game, words)
        values, over = np.zeros((len(words), game.num_players)), np.zeros(len(words), np.bool_)
        settle(game.table, game.rules, words, values, over)
        if not over.all():
            open_ones = np.ascontiguousarray(words[~over])
            values[~over] = self._asked(game, open_ones)[1]
        return values

    def choice_values(self, state: State) -> NDArray[np.float64]:
        """Return what the position after each action is worth to the seat to move, float64 ``[num_actions]``."""
        require_decision(state)
        values = np.full(state.game.num_actions, np.nan)
        choices = Choices(state.game, state.words[None])
        found = self.position_values(state.game, choices.positions)[choices.where, state.current_player()]
        values[choices.actions] = found
        return values

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`.

        The statistics have ``values`` or ``policy`` of the choices by their notation and ``seats`` (the expected return
        of every seat); with a search ``simulations``, ``visits``, ``values``, ``seats``, ``proven`` and ``seconds``.
        """
        self.supports(state.game)
        require_decision(state)
        if self.simulations:
            return self._searched(state, rng, deadline)
        return self.act_many([state], rng)[0]

    def act_many(self, states: Sequence[State], rng: np.random.Generator) -> list[Decision]:
        """See `Agent.act_many`: one batch for all of them."""
        if self.simulations or any(state.game != states[0].game for state in states):
            return super().act_many(states, rng)
        for state in states:
            require_decision(state)
        if not states:
            return []
        game, words = states[0].game, np.array([state.words for state in states])
        self.supports(game)
        decide = self._by_value if self._goes_by_value(game) else self._by_policy
        return decide(game, states, words, rng)

    def choose_many(self, game: Game, words: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return the action that `act` takes at each of many decisions, int64 ``[B]``, without more words about it.

        Args:
            game: what is played.
            words: int64 ``[B, state_size]``.

        Returns:
            None where choices are drawn, or where it searches or goes by its policy: ask `act` then.

        Raises:
            PositionError: if `words` has another shape or kind.
        """
        self.supports(game)
        words = checked_words(game, words)
        if self.simulations or self.temperature or not self._goes_by_value(game):
            return None
        choices, seats = self._choices(game, words)
        worth = seats[np.arange(len(seats)), _looking(game, words)[choices.rows]]
        best = np.full(len(words), -np.inf)
        np.maximum.at(best, choices.rows, worth)
        is_best = worth == best[choices.rows]
        _, first = np.unique(choices.rows[is_best], return_index=True)
        best_actions: NDArray[np.int64] = choices.actions[is_best][first]
        return best_actions

    def frame_evaluation(self, game: Game) -> Evaluation:
        """Return the network as an evaluation for alpha-beta; see `search.alphabeta.evaluation.Evaluator`."""
        self.supports(game)
        try:
            return evaluation_of(game, self._evaluator_for(game).network)
        except NetworkError as error:
            raise AgentError(f"agent 'net' is no leaf of alphabeta: {error}") from error

    def tree_evaluation(self, game: Game) -> TreeEvaluation:
        """Return the network as an evaluation for `mcts`; see `search.tree_evaluation.TreeEvaluator`."""
        self.supports(game)
        try:
            return tree_evaluation_of(game, self._evaluator_for(game).network)
        except NetworkError as error:
            raise AgentError(f"agent 'net' is no leaf of mcts: {error}") from error

    # --- inside ------------------------------------------------------------------------------------------------------

    def _asked(self, game: Game, words: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what the network says of positions to those whose turn it is; see `search.batch.Evaluator`."""
        priors, values = self._evaluator_for(game).evaluate(game, words, _looking(game, words))
        if not (np.isfinite(priors).all() and np.isfinite(values).all()):
            raise AgentError("agent 'net': its network answers with what is no finite number: train it anew")
        return priors, values

    def _choices(self, game: Game, words: NDArray[np.int64]) -> tuple[Choices, NDArray[np.float64]]:
        """Return the choices at decisions, and what each is worth to every seat; resigning only where it is forced."""
        choices = Choices(game, words, _RESIGNING.get(game.name, -1))
        return choices, self.position_values(game, choices.positions)[choices.where]

    def _evaluator_for(self, game: Game) -> NetworkEvaluator:
        if self._evaluator is None or not (self.checkpoint or fits(self._evaluator.network, game)):
            self._evaluator = make_evaluator(network_of(self.checkpoint, game), self.backend)
        return self._evaluator

    def _goes_by_value(self, game: Game) -> bool:
        return bool(game.max_chance_outcomes) or not self._evaluator_for(game).has_policy

    def _by_value(
        self, game: Game, states: Sequence[State], words: NDArray[np.int64], rng: np.random.Generator
    ) -> list[Decision]:
        """Decide by the positions after each choice; of equals the lowest action."""
        choices, seats = self._choices(game, words)
        begins = np.searchsorted(choices.rows, np.arange(len(states) + 1))
        decisions = []
        for row, state in enumerate(states):
            part = slice(begins[row], begins[row + 1])
            actions, worth = choices.actions[part].tolist(), seats[part, state.current_player()]
            policy, chosen = self._drawn(worth, rng)
            decisions.append(
                Decision(
                    action=actions[chosen],
                    value=float(worth[chosen]),
                    policy=dict(zip(actions, policy, strict=True)),
                    line=(actions[chosen],),
                    statistics={
                        "values": {
                            state.action_to_string(action): value
                            for action, value in zip(actions, worth.tolist(), strict=True)
                        },
                        "seats": seats[part][chosen].tolist(),
                    },
                )
            )
        return decisions

    def _by_policy(
        self, game: Game, states: Sequence[State], words: NDArray[np.int64], rng: np.random.Generator
    ) -> list[Decision]:
        """Decide by the policy of the network."""
        priors, values = self._asked(game, words)
        decisions = []
        for state, chances, worth in zip(states, priors, values, strict=True):
            actions = state.legal_actions()
            with np.errstate(divide="ignore"):
                policy, chosen = self._drawn(np.log(chances[actions]), rng)
            decisions.append(
                Decision(
                    action=actions[chosen],
                    value=float(worth[state.current_player()]),
                    policy=dict(zip(actions, policy, strict=True)),
                    line=(actions[chosen],),
                    statistics={
                        "policy": {state.action_to_string(action): float(chances[action]) for action in actions},
                        "seats": worth.tolist(),
                    },
                )
            )
        return decisions

    def _drawn(self, scores: NDArray[np.float64], rng: np.random.Generator) -> tuple[list[float], int]:
        """Return the policy over some choices by their scores, and the one that is chosen."""
        if self.temperature == 0:
            best = int(np.argmax(scores))
            return [float(choice == best) for choice in range(len(scores))], best
        weights = np.exp((scores - scores.max()) / self.temperature)
        policy = weights / weights.sum()
        return policy.tolist(), int(rng.choice(len(scores), p=policy))

    def _searched(self, state: State, rng: np.random.Generator, deadline: float | None) -> Decision:
        """Decide by a search whose leaves the network judges."""
        begin, seat = time.monotonic(), state.current_player()
        if self._search is None or self._search.game != state.game:
            self._search = Search(state.game, _SEARCH, self._evaluator_for(state.game), _LEAVES)
        watch = self.watch
        done = self._search.run(
            state, rng, self.simulations, deadline, None, None if watch is None else lambda: watch.stopped
        )
        children = self._search.children()
        if self._search.is_proven:
            exact = [child for child in children if child.proven]
            best = max(exact, key=lambda child: (child.values[seat], -np.sign(child.values[seat]) * child.plies))
            policy = {best.action: 1.0}
        else:
            children.sort(key=lambda child: (-child.visits, -child.values[seat]))
            chances, number = self._drawn(np.log([child.visits for child in children]), rng)
            best = children[number]
            policy = {child.action: chance for child, chance in zip(children, chances, strict=True)}
        return Decision(
            action=best.action,
            value=best.values[seat],
            policy=policy,
            line=self._search.line(best.action),
            statistics={
                "simulations": done,
                "visits": {child.action: child.visits for child in children},
                "values": {child.action: child.values[seat] for child in children},
                "seats": list(best.values),
                "proven": self._search.is_proven,
                "seconds": time.monotonic() - begin,
            },
        )


def _looking(game: Game, words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return who looks at positions: whose turn it is."""
    if game.name in _TURN_WORD:
        return np.ascontiguousarray(words[:, _TURN_WORD[game.name]])
    seats = np.zeros(len(words), np.int64)
    movers(game.table, game.rules, words, seats)
    if (seats <= CHANCE).any():
        raise AgentError(f"agent 'net' cannot tell whose turn it is in {game.name} while dice are thrown")
    return seats


def onlooker(game: Game, words: NDArray[np.int64], mover: int) -> int:
    """Return who looks at a position in which dice are to be thrown: in games of this package as the agent `net` asks.

    Args:
        game: what is played.
        words: the position, int64 ``[state_size]``.
        mover: whose choice has led there, who looks where the game does not say whose turn it is.
    """
    return int(words[_TURN_WORD[game.name]]) if game.name in _TURN_WORD else mover


def _check(holds: bool, name: str, expected: str, value: Any) -> None:
    if not holds:
        raise OptionError(f"net: option {name!r} must be {expected}, not {value}")
