"""What the moves of a game lost, by somebody's view of every choice."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..agents.agent import Agent, Decision
from ..agents.choices import RETURN, can_value, choice_unit, choice_values
from ..agents.registry import agent_names, make_agent
from ..envs.core import Game, State
from ..envs.errors import AgentError, OptionError, SekishoError
from ..envs.playouts import random_playouts
from .recorded import RecordedGame
from .resigning import game_without_resigning, resign_action, without_resigning

Floats = NDArray[np.float64]
MOST_PLAYOUTS = 1_000_000
PLAYOUTS = 1000
"""Playouts a choice where no agent can say more."""


class View(NamedTuple):
    """What every choice of a position is worth to the seat to move.

    Attributes:
        values: float64 ``[num_actions]``, NaN where an action is illegal or not valued.
        errors: standard errors of the values, likewise; zeros where they are no estimates.
        best: the action to compare with; None if no choice is valued.
    """

    values: Floats
    errors: Floats
    best: int | None


class Judge(Protocol):
    """Whose view it is.

    Attributes:
        name: for people.
        unit: of the values: ``return`` (-1..1, of the seat to move), or a word of the judge's own.
    """

    name: str
    unit: str

    def view(self, state: State, played: int) -> View:
        """Return what the choices of a decision node are worth; that which was `played` at least, where it is known."""
        ...


class AgentJudge:
    """The view of an agent that can value choices.

    Args:
        spec: its spec string.
        agent: of that spec.
        game: what is played.
    """

    def __init__(self, spec: str, agent: Agent, game: Game) -> None:
        self._agent = agent
        self.name, self.unit = spec, choice_unit(agent, game)

    def view(self, state: State, played: int) -> View:
        """See `Judge.view`."""
        values = choice_values(self._agent, without_resigning(state))
        _value_resigning(state, values, self.unit)
        return View(values, np.where(np.isnan(values), np.nan, 0.0), _greatest(values))


class SearchJudge:
    """The view of a search: of what it would play, and of what was played, by a look at the position after it.

    Two seats that take turns without dice, so what one gains the other loses. It is asked about the positions of a game
    one after the other, as a player is, and its random numbers are those of a seed: the same game is judged alike.

    Args:
        spec: its spec string.
        agent: of that spec; its decisions must have values.
    """

    unit = RETURN

    def __init__(self, spec: str, agent: Agent) -> None:
        self.name, self._agent, self._rng = spec, agent, np.random.default_rng(0)
        self._looked_at: tuple[State, Decision] | None = None

    def view(self, state: State, played: int) -> View:
        """See `Judge.view`."""
        best, values = self._look(state), np.full(state.game.num_actions, np.nan)
        values[best.action] = best.value or 0.0
        if played != best.action:
            values[played] = self._after(state.child(played), state.current_player())
        return View(values, np.where(np.isnan(values), np.nan, 0.0), best.action)

    def _after(self, state: State, seat: int) -> float:
        """Return what a position is worth to a seat."""
        if state.is_terminal():
            return state.returns()[seat]
        value = self._look(state).value or 0.0
        return value if state.current_player() == seat else -value

    def _look(self, state: State) -> Decision:
        """Return a decision; the last one is remembered, for at the next ply it is often asked for again."""
        if self._looked_at is None or self._looked_at[0] != state:
            self._looked_at = state.clone(), self._agent.act(state, self._rng)
        return self._looked_at[1]


class PlayoutJudge:
    """Mean returns of random games after each choice, nobody resigning in them.

    The best choice is found by one half of the games and everything is measured by the other: the luck that makes a
    choice look best is then not counted as loss of the others, and a loss is as often too small as too great.

    Args:
        playouts: random games a choice, 2 to `MOST_PLAYOUTS`.
        seed: of the random games.

    Raises:
        OptionError: for a number out of range.
    """

    unit = RETURN

    def __init__(self, playouts: int, seed: int = 0) -> None:
        if not 2 <= playouts <= MOST_PLAYOUTS:
            raise OptionError(f"playouts must be 2..{MOST_PLAYOUTS}, not {playouts}")
        self.name = f"{playouts} random playouts a choice"
        self._half, self._seed = playouts // 2, seed

    def view(self, state: State, played: int) -> View:
        """See `Judge.view`."""
        game, seat = state.game, state.current_player()
        picking, values = np.full(game.num_actions, np.nan), np.full(game.num_actions, np.nan)
        errors = np.full(game.num_actions, np.nan)
        plain, resigning = without_resigning(state), resign_action(state)
        keys = np.random.SeedSequence([self._seed, len(state.history())]).generate_state(2, np.uint64)
        for action in state.legal_actions():
            if action == resigning:
                continue
            after = plain.child(action)
            picking[action] = random_playouts(after, self._half, int(keys[0])).mean_returns[seat]
            measured = random_playouts(after, self._half, int(keys[1]))
            values[action], errors[action] = measured.mean_returns[seat], measured.standard_errors[seat]
        best = _greatest(picking)
        _value_resigning(state, values, self.unit)
        return View(values, np.where(np.isnan(values), np.nan, np.nan_to_num(errors)), best)


def _greatest(values: Floats) -> int | None:
    return None if np.isnan(values).all() else int(np.nanargmax(values))


def _value_resigning(state: State, values: Floats, unit: str) -> None:
    """Put in what resigning is worth, which no judge is asked: what it is paid at once, else the least there is."""
    action = resign_action(state)
    if action is not None and unit == RETURN:
        after = state.child(action)
        values[action] = (
            after.returns()[state.current_player()] if after.is_terminal() else float(state.game.min_utility)
        )


def judge_of(spec: str, game: Game) -> Judge:
    """Return an agent's view of a game: of every choice if it can value them, else by search.

    Raises:
        AgentError: if it does not play the game, or can judge it in neither way.
        UnknownNameError: if there is no such agent.
    """
    game, agent = game_without_resigning(game), make_agent(spec)
    agent.supports(game)
    if can_value(agent, game):
        return AgentJudge(spec, agent, game)
    by_search = game.num_players == 2 and game.max_chance_outcomes == 0
    if by_search and _has_values(agent, game):
        return SearchJudge(spec, agent)
    raise AgentError(
        f"agent {spec!r} does not say what each choice of {game.name} is worth; use --playouts N, or one that "
        f"does: {', '.join(valuing_agents(game)) or 'there is none'}{'; or a search' if by_search else ''}"
    )


def _has_values(agent: Agent, game: Game) -> bool:
    """Return whether the decisions of an agent have values, by one that is made at once."""
    value = agent.act(game.new_initial_state(), np.random.default_rng(0), time.monotonic()).value
    agent.reset()
    return value is not None


def valuing_agents(game: Game) -> list[str]:
    """Return the names of the agents that need no options and can value the choices of a game."""
    found = []
    for name in agent_names():
        with contextlib.suppress(SekishoError, TypeError):  # an agent that needs options is none of them
            if can_value(make_agent(name), game):
                found.append(name)
    return found


def default_judge(game: Game) -> Judge:
    """Return the best judge that needs no choosing: exact play for two, else the heuristic, else random playouts."""
    for name in ("exact", "heuristic"):
        if name in agent_names() and (name != "exact" or game.num_players == 2):
            with contextlib.suppress(SekishoError):
                return judge_of(name, game)
    return PlayoutJudge(PLAYOUTS)


@dataclass(frozen=True)
class MoveLoss:
    """One decision of a game.

    Attributes:
        ply: its number from 1, throws counted.
        seat: who decided, from 0.
        move: what was played, in notation.
        best: what the judge would have played; the move itself where nothing is better.
        choices: how many choices there were.
        value: of the move, to its seat, in the unit of the judge; None where the judge has no value for it.
        loss: value of the best choice less that of the move; None likewise.
        error: standard error of the loss; 0 where it is no estimate.
    """

    ply: int
    seat: int
    move: str
    best: str
    choices: int
    value: float | None
    loss: float | None
    error: float


def analyze(game: RecordedGame, judge: Judge, tick: Callable[[], None] = lambda: None) -> Iterator[MoveLoss]:
    """Yield every decision of a game; the random plies of its opening are nobody's.

    Args:
        game: what was played.
        judge: whose view counts.
        tick: called after every ply, for a progress bar.
    """
    for ply, (state, action) in enumerate(game.plies(), start=1):
        if state.current_player() >= 0 and ply > game.opening:
            yield _judged(state, action, ply, judge)
        tick()


def _judged(state: State, action: int, ply: int, judge: Judge) -> MoveLoss:
    seat, move, choices = state.current_player(), state.action_to_string(action), len(state.legal_actions())
    if choices == 1:
        return MoveLoss(ply, seat, move, move, choices, None, 0.0, 0.0)
    view = judge.view(state, action)
    value = float(view.values[action])
    if view.best is None or math.isnan(value):
        best_move = move if view.best is None else state.action_to_string(view.best)
        return MoveLoss(ply, seat, move, best_move, choices, None, None, 0.0)
    best = view.best if view.values[view.best] > value or any(view.errors[view.errors > 0]) else action
    loss = float(view.values[best]) - value
    error = 0.0 if best == action else float(np.hypot(view.errors[best], view.errors[action]))
    return MoveLoss(ply, seat, move, state.action_to_string(best), choices, value, loss, error)


@dataclass(frozen=True)
class SeatSummary:
    """The decisions of one seat together.

    Attributes:
        seat: from 0.
        player: its spec string; empty where the file does not say.
        decisions: with more than one choice that the judge has values for.
        mean_loss: over these; None if there are none.
        error: standard error of the mean loss that comes from estimated values; 0 where they are none.
        worst: the moves that lost most, the greatest loss first.
    """

    seat: int
    player: str
    decisions: int
    mean_loss: float | None
    error: float
    worst: tuple[MoveLoss, ...]


def summaries(game: RecordedGame, moves: Sequence[MoveLoss], worst: int = 3) -> list[SeatSummary]:
    """Return each seat's mean loss and its `worst` so many moves, in seat order."""
    found = []
    for seat in range(game.state.game.num_players):
        own = [move for move in moves if move.seat == seat and move.choices > 1 and move.loss is not None]
        losses = [move.loss or 0.0 for move in own]
        ordered = sorted((move for move in own if (move.loss or 0.0) > 0), key=lambda move: -(move.loss or 0.0))
        mean = sum(losses) / len(losses) if losses else None
        error = math.sqrt(sum(move.error**2 for move in own)) / len(own) if own else 0.0
        player = game.seats[seat] if game.seats else ""
        found.append(SeatSummary(seat, player, len(own), mean, error, tuple(ordered[:worst])))
    return found


def document(game: RecordedGame, judge: Judge, moves: Sequence[MoveLoss]) -> dict[str, Any]:
    """Return an analysis as JSON values: the game's, ``judge``, ``unit``, ``analysis`` (per move), ``summary``."""
    return {
        **game.data(),
        "judge": judge.name,
        "unit": judge.unit,
        "analysis": [vars(move) for move in moves],
        "summary": [
            {**vars(line), "worst": [vars(move) for move in line.worst]} for line in summaries(game, moves)
        ],
    }  # fmt: skip
