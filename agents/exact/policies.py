"""The exact value of any policy in Tokaido: what an agent gets, on average over all dice and all of its choices."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...envs.core import Game
from ...envs.errors import AgentError, RunError
from ...envs.tokaido.kernels import DETOUR, FACES, NUMBERS, RESIGN, ROLL, WAITS
from ...envs.tokaido.rules import Tokaido, TokaidoState
from ..agent import Agent, Decision
from . import tokaido_kernels as compiled
from . import tokaido_solver
from . import tokaido_sweeps as sweeps
from .keeping import Progress
from .tokaido_nodes import Nodes, enumerate_nodes, key_of, state_at
from .tokaido_table import NO_CAP, UTILITIES

BATCH = 512
"""Decisions that an agent is asked for at once."""
PRECISION = 1e-12
MOST_SWEEPS = 100_000
MOST_DECISIONS = 30_000_000
"""Decisions beyond which no agent is asked."""


@runtime_checkable
class ChoosesMany(Protocol):
    """An agent that decides at many positions at once without a `State` for each: much quicker."""

    def choose_many(self, game: Game, words: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return the action that it takes at each decision (``[B, state_size]``), int64 ``[B]``; None: ask `act`."""
        ...


class Policy(NamedTuple):
    """What somebody does at every node.

    Attributes:
        second: float64 ``[nodes, 21]``: chance of the second number after each roll; in column 0 of a fork's row that
            of the detour.
        resigning: the same for resigning; ``[nodes, 0]`` where nobody can.
    """

    second: NDArray[np.float64]
    resigning: NDArray[np.float64]


def is_solved(game: Tokaido) -> bool:
    """Return whether an agent can be asked for each of the decisions of a game; see `Arena`."""
    return decisions_about(game) <= MOST_DECISIONS


def decisions_about(game: Tokaido) -> float:
    """Return about how many decisions a game has."""
    return FACES * tokaido_solver.estimated_nodes(_uncapped(game))


def _uncapped(game: Tokaido) -> Tokaido:
    """Return the game without a cap on turns that perfect play never meets."""
    cap = game.options["max_turns"]
    return game if cap is None or cap < NO_CAP else Tokaido(**{**game.options, "max_turns": None})


class Arena:
    """A game of Tokaido with all of its decisions, in which policies meet exactly.

    Args:
        game: the rules; a cap on turns that perfect play never meets is left out.
        progress: told how far the enumeration is.

    Raises:
        AgentError: if there are too many decisions to ask anybody for all of them.
    """

    def __init__(self, game: Tokaido, progress: Progress | None = None) -> None:
        self.game = _uncapped(game)
        if not is_solved(game):
            raise AgentError(
                f"tokaido with {game.num_players} players has about {decisions_about(game):,.0f} decisions here: too "
                "many to ask an agent for each"
            )
        self.nodes: Nodes = enumerate_nodes(self.game.new_initial_state(), progress)
        self.start = self.nodes.find(key_of(self.game.new_initial_state()))

    def decisions(self) -> int:
        """Return how many decisions there are."""
        return int(
            FACES * (self.nodes.kinds == compiled.THROW).sum() + (self.nodes.kinds == compiled.CHOOSE_ROAD).sum()
        )

    def perfect(self, utility: str = "place_points", progress: Progress | None = None) -> Policy:
        """Return perfect play; of equal actions the lowest number."""
        _, choices, _ = tokaido_solver.solve_nodes(self.game, self.nodes, utility, progress)
        return self.chosen(choices)

    def chosen(self, choices: NDArray[np.int32]) -> Policy:
        """Return the policy that makes the choices of `tokaido_sweeps`."""
        second = (choices[:, None] >> np.arange(FACES) & 1).astype(np.float64)
        return Policy(second, self._nobody_resigns())

    def ask(self, agent: Agent, seed: int = 0, progress: Progress | None = None) -> Policy:
        """Return what an agent does: it is asked once for every decision, the mover being on seat 0.

        Args:
            agent: if it samples its policy, that counts, else the action.
            seed: of the random numbers that it is given.
            progress: told how many decisions it has made.

        Raises:
            AgentError: if it does not play this game.
            RunError: if it answers with an illegal action.
        """
        agent.supports(self.game)
        agent.reset()
        rng = np.random.default_rng(seed)
        second, resigning = np.zeros((self.nodes.keys.size, FACES)), self._nobody_resigns()
        total, done = self.decisions(), 0
        batch: list[tuple[int, int, TokaidoState]] = []
        deciding = np.flatnonzero(np.isin(self.nodes.kinds, (compiled.THROW, compiled.CHOOSE_ROAD)))
        if isinstance(agent, ChoosesMany) and self._ask_quickly(agent, deciding, second, progress):
            return Policy(second, resigning)
        for node in deciding.tolist():
            state = state_at(self.game, int(self.nodes.keys[node]))
            if self.nodes.kinds[node] == compiled.CHOOSE_ROAD:
                batch.append((node, 0, state))
            else:
                batch += [(node, roll, _thrown(state, roll)) for roll in range(FACES)]
            if len(batch) >= BATCH or node == deciding[-1]:
                for (row, roll, at), decision in zip(
                    batch, agent.act_many([at for _, _, at in batch], rng), strict=True
                ):
                    chances = _chances(agent, at, decision)
                    second[row, roll] = chances.get(self._second_action(at, roll), 0.0)
                    if resigning.size:
                        resigning[row, roll] = chances.get(RESIGN, 0.0)
                done += len(batch)
                batch = []
                if progress:
                    progress("decisions", done, total)
        return Policy(second, resigning)

    def _ask_quickly(
        self, agent: ChoosesMany, deciding: NDArray[np.int64], second: NDArray[np.float64], progress: Progress | None
    ) -> bool:
        """Fill in the second numbers of `Policy` as `ask` does; return False, with nothing done, if the agent cannot."""
        rules, rolls, total, done = self.game.rules, np.arange(FACES), self.decisions(), 0
        for first in range(0, len(deciding), BATCH):
            nodes = deciding[first : first + BATCH]
            words = np.array([state_at(self.game, int(key)).words for key in self.nodes.keys[nodes]])
            throws = self.nodes.kinds[nodes] == compiled.THROW
            thrown = np.repeat(words[throws], FACES, axis=0)
            thrown[:, WAITS] = ROLL + np.tile(rolls, int(throws.sum()))
            actions = agent.choose_many(self.game, np.concatenate([thrown, words[~throws]]))
            if actions is None:
                return False
            numbers = actions[: len(thrown)].reshape(-1, FACES)
            second[nodes[throws]] = numbers == rules[NUMBERS + 2 * rolls + 1]
            second[nodes[~throws], 0] = actions[len(thrown) :] == DETOUR
            done += len(actions)
            if progress:
                progress("decisions", done, total)
        return True

    def meet(self, policy: Policy, others: Policy, utility: str = "place_points") -> tuple[NDArray[np.float64], float]:
        """Return what a policy gets on each seat while all other seats play another, and the residual.

        Returns:
            Expected utility by seat, float64 ``[players]``, and the last change of any value.

        Raises:
            RunError: if games between them need not end.
        """
        values = np.zeros((self.nodes.keys.size, self.game.num_players))
        sweeps.fill_ends(
            self.game.rules, self.nodes.keys, self.nodes.kinds, UTILITIES.index(utility), values
        )  # fmt: skip
        for _ in range(MOST_SWEEPS):
            change = float(sweeps.sweep_policies(self.game.rules, *self.nodes[:3], *policy, *others, values))
            if change <= PRECISION:
                return values[self.start].copy(), change
        raise RunError(f"games between these policies hardly end: values still change by {change:.1e}")

    def visits(self, policy: Policy) -> NDArray[np.float64]:
        """Return how often a game in which all seats play a policy comes to each node, float64 ``[nodes]``."""
        source, visits = np.zeros(self.nodes.keys.size), np.zeros(self.nodes.keys.size)
        source[self.start] = 1.0
        order = np.arange(self.nodes.keys.size)
        for _ in range(MOST_SWEEPS):
            if sweeps.sweep_visits(self.game.rules, *self.nodes[:3], *policy, source, visits, order) <= PRECISION:
                return visits
        raise RunError("games under this policy hardly end")

    def turns_law(self, policy: Policy, rest: float = 1e-12) -> NDArray[np.float64]:
        """Return the probability that a game in which all seats play a policy takes so many turns, skipped ones too.

        Args:
            policy: of everybody; nobody resigns.
            rest: probability of all longer games together that is left out.

        Returns:
            float64 ``[most turns + 1]``.
        """
        chances = np.zeros((self.nodes.keys.size, compiled.RESIGNS + 1))
        for node, kind in enumerate(self.nodes.kinds):
            sweeps.policy_links(
                self.game.rules, self.nodes.keys[node], kind, policy.second[node], policy.resigning[node], chances[node]
            )
        chances = np.ascontiguousarray(chances[:, : self.nodes.links.shape[1]])
        after, ends = self.nodes.links // compiled.SHIFTS, self.nodes.kinds == compiled.END
        passes = (self.nodes.links >= 0) & (self.nodes.links % compiled.SHIFTS > 0)
        stays = (self.nodes.links >= 0) & ~passes
        law = [0.0]
        here: NDArray[Any] = np.zeros(self.nodes.keys.size)
        here[self.start] = 1.0
        while sum(law) < 1 - rest and len(law) < MOST_SWEEPS:
            later, ended = np.zeros_like(here), 0.0
            while here.any():
                flow = here[:, None] * chances
                later += np.bincount(after[passes], flow[passes], minlength=here.size)
                here = np.bincount(after[stays], flow[stays], minlength=here.size)
                ended += float(here[ends].sum())
                here[ends] = 0.0
            law.append(ended)
            here = later
        return np.array(law)

    def _nobody_resigns(self) -> NDArray[np.float64]:
        return np.zeros((self.nodes.keys.size, FACES if self.game.options["allow_resign"] else 0))

    def _second_action(self, state: TokaidoState, roll: int) -> int:
        if state.words[WAITS] < ROLL:
            return DETOUR
        return int(self.game.rules[NUMBERS + 2 * roll + 1])


def _thrown(state: TokaidoState, roll: int) -> TokaidoState:
    """Return the state after a throw of two dice."""
    words = state.words.copy()
    words[WAITS] = ROLL + roll
    return TokaidoState(state.game, words)


def _chances(agent: Agent, state: TokaidoState, decision: Decision) -> dict[int, float]:
    """Return the probability of each action that an agent plays."""
    chances = dict(decision.policy) if agent.samples_policy else {int(decision.action): 1.0}
    if not set(chances) <= set(state.legal_actions()) or abs(sum(chances.values()) - 1) > 1e-6:
        says = ", ".join(f"action {action} with {chance:.4g}" for action, chance in list(chances.items())[:6])
        raise RunError(
            f"{type(agent).__name__} answers {state.to_text()!r} with {says or 'nothing'}: expected legal actions whose "
            "chances add up to 1"
        )
    return chances
