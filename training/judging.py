"""From a network at rest, or somebody's own module, to what judges positions and to a player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

from ..agents.agent import Agent, Decision, require_decision
from ..agents.networks.evaluator import NetworkEvaluator, evaluate
from ..agents.networks.files import StoredNetwork
from ..agents.networks.forward import Forward, choose_backend, forward_of
from ..agents.search.batch import Evaluator
from ..agents.search.search import Rules, Search
from ..envs.core import Game, State

if TYPE_CHECKING:  # a process that only plays does without torch
    from torch import nn

Judge: TypeAlias = Union[StoredNetwork, "nn.Module"]
"""What knows how to play: a network of this package, or a module of somebody's own."""
_LEAVES = 8
_MEMORY = 64  # MiB of a player's tree


class ModuleEvaluator:
    """A module as an `Evaluator`."""

    def __init__(self, forward: Forward) -> None:
        self._forward = forward

    def evaluate(
        self, game: Game, words: NDArray[np.int64], seats: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See `Evaluator.evaluate`."""
        return evaluate(self._forward, game, words, seats)


def evaluator_of(judge: Judge, backend: str = "auto", threads: int = 1, device: str = "cpu") -> Evaluator:
    """Return what judges positions by a network.

    Args:
        judge: the network.
        backend: as in `choose_backend`; a module of somebody's own is run by torch, and so is all that runs on a GPU.
        threads: of torch, if it is what runs the network; no other back end takes more than one.
        device: ``cpu`` or ``cuda``.
    """
    stored = isinstance(judge, StoredNetwork)
    if isinstance(judge, StoredNetwork) and device == "cpu" and (chosen := choose_backend(judge, backend)) != "torch":
        return NetworkEvaluator(judge, forward_of(judge, chosen))
    import torch

    from ..agents.networks.torch_backend import forward_of_module, load_module

    torch.set_num_threads(threads)
    module = load_module(judge) if isinstance(judge, StoredNetwork) else judge
    forward = forward_of_module(module.to(device))
    return NetworkEvaluator(judge, forward) if stored else ModuleEvaluator(forward)


class NetworkPlayer(Agent):
    """Plays by an evaluator: what its policy likes best, or what a search likes that it guides.

    Args:
        evaluator: judges positions.
        simulations: of the search for a move; 0 for none.
        exploration: constant of PUCT.
        first_play: as in `config.SelfPlay`.
    """

    def __init__(self, evaluator: Evaluator, simulations: int, exploration: float, first_play: float) -> None:
        self._evaluator, self._simulations = evaluator, simulations
        self._rules = Rules(
            puct=True, exploration=exploration, first_play=first_play, rollouts="uniform", cutoff=None,
            priors="uniform", wide=32, threads=1, memory=_MEMORY, noise=0.0, alpha=1.0, exact="off",
        )  # fmt: skip
        self._search: Search | None = None

    def reset(self) -> None:
        """See `Agent.reset`."""
        if self._search is not None:
            self._search.forget()

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`."""
        require_decision(state)
        if self._simulations == 0:
            return self.act_many([state], rng)[0]
        if len(legal := state.legal_actions()) == 1:
            return Decision(legal[0])
        if self._search is None or self._search.game != state.game:
            self._search = Search(state.game, self._rules, self._evaluator, min(_LEAVES, self._simulations))
        self._search.run(state, rng, self._simulations, deadline)
        seat, children = state.current_player(), self._search.children()
        exact = [child for child in children if child.proven] if self._search.is_proven else []
        if exact:
            chosen = max(exact, key=lambda child: (child.values[seat], -np.sign(child.values[seat]) * child.plies))
        else:
            chosen = max(children, key=lambda child: (child.visits, child.values[seat]))
        return Decision(chosen.action, value=chosen.values[seat])

    def act_many(self, states: Sequence[State], rng: np.random.Generator) -> list[Decision]:
        """See `Agent.act_many`; without a search all are judged at once."""
        if self._simulations:
            return [self.act(state, rng) for state in states]
        words = np.array([state.words for state in states])
        seats = np.array([state.current_player() for state in states], dtype=np.int64)
        priors, values = self._evaluator.evaluate(states[0].game, words, seats)
        decisions = []
        for row, state in enumerate(states):
            legal = state.legal_actions()
            best = legal[int(np.argmax(priors[row, legal]))]
            decisions.append(Decision(best, value=float(values[row, seats[row]])))
        return decisions
