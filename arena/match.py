"""One game between agents, from its opening to its end."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..agents.agent import Agent
from ..envs.core import Game, State
from ..envs.counter_rng import new_rng
from ..envs.errors import AgentError, EngineFault, RunError, SekishoError
from .places import Forfeit

_MAX_OPENING_TRIES = 1000


@dataclass(frozen=True)
class Played:
    """A game that was played.

    Attributes:
        state: its last position, with the way there.
        opening: how many plies of it were random.
        seconds: time that each seat took for all of its decisions.
        decisions: how many decisions each seat made.
        forfeit: the seat that has lost the game because its program failed; None where nobody did.
    """

    state: State
    opening: int
    seconds: tuple[float, ...]
    decisions: tuple[int, ...]
    forfeit: Forfeit | None = None


def random_opening(game: Game, plies: int, seed: Sequence[int]) -> State:
    """Return the position after `plies` random plies (throws of dice included) that do not end the game.

    Args:
        game: the rules.
        plies: how many, 0 or more.
        seed: numbers that determine the opening.

    Raises:
        AgentError: if games of this kind practically always end within so many plies.
    """
    rng = new_rng(int(np.random.SeedSequence(list(seed)).generate_state(1, np.uint64)[0]))
    for _ in range(_MAX_OPENING_TRIES):
        state = game.new_initial_state()
        while not state.is_terminal() and len(state.history()) < plies:
            state.apply_action(int(game.kernels.sample(game.rules, state.words, rng)))
        if not state.is_terminal():
            return state
    raise AgentError(f"no opening of {plies} random plies leaves {game.name} unfinished; choose fewer plies")


def play_game(start: State, agents: Sequence[Agent], dice_seed: Sequence[int], agent_seed: Sequence[int]) -> Played:
    """Play a game to its end, or until a program that plays a seat fails: that seat forfeits it.

    Args:
        start: where it begins, with its opening as history; it is not changed.
        agents: who plays each seat, in seat order.
        dice_seed: numbers that determine the throws: the same ones give the same dice in the same order.
        agent_seed: numbers that determine the random choices of the agents; each seat has its own stream.

    Raises:
        AgentError: if there is not one agent for each seat, or one does not play this game.
        RunError: if an agent answers with an illegal action; it is named.
    """
    state, game = start.clone(), start.game
    if len(agents) != game.num_players:
        raise AgentError(f"{game.name} has {game.num_players} seats here, but {len(agents)} agents are to play")
    dice = new_rng(int(np.random.SeedSequence(list(dice_seed)).generate_state(1, np.uint64)[0]))
    rngs = [np.random.default_rng([*agent_seed, seat]) for seat in range(game.num_players)]
    seconds, decisions = [0.0] * game.num_players, [0] * game.num_players
    for agent in agents:
        agent.supports(game)
        agent.reset()
    forfeit = None
    while not state.is_terminal():
        seat = state.current_player()
        if seat < 0:
            state.apply_action(int(game.kernels.sample(game.rules, state.words, dice)))
            continue
        begin = time.perf_counter()
        try:
            decision = agents[seat].act(state, rngs[seat])
        except EngineFault as fault:
            forfeit = Forfeit(seat, fault.reason)
            break
        seconds[seat] += time.perf_counter() - begin
        decisions[seat] += 1
        try:
            state.apply_action(decision.action)
        except SekishoError as error:
            raise RunError(f"{type(agents[seat]).__name__} on seat {seat + 1} answered with {error}") from error
    return Played(state, len(start.history()), tuple(seconds), tuple(decisions), forfeit)
