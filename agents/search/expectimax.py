"""The agent `expectimax`: every throw and every choice of the turns to come, then a judgement."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...envs.core import Game, State
from ...envs.errors import AgentError, OptionError, SekishoError
from ..agent import Agent, Decision, end_of, require_decision
from ..choices import RETURN
from ..exact.tokaido_table import UTILITIES
from ..registry import make_agent
from .judges import called
from .leaves import AUTO, OWN, Leaf, leaf_of, module_of, no_leaf, resolved
from .lookahead import Lookahead, OutOfMemoryError, OutOfTimeError
from .turns import EQUAL, new_turn

DEFAULT_TURNS = 2
"""Where neither turns nor seconds are given."""
MOST_TURNS = 20
MOST_SECONDS = 86_400.0


@dataclass
class ExpectimaxAgent(Agent):
    """Looks at all throws and all choices of the own move and of so many turns after it, then judges.

    It keeps nothing from one decision to the next. The first use in a process, and of a game, loads compiled code and
    what judges; `seconds` count from after it.

    Args:
        turns: looked at after the own move, 0..20; the own turn is always played to its end, further throws included.
        leaf: what judges positions: ``race`` (lone travellers); ``pairs`` (Tokaido: every two seats by perfect play of the
            two); ``auto``, the pairs with three and more players where their table ships, else the race; ``exact`` where
            the game is solved; or any agent with `position_values`, by its spec string or itself.
        seconds: for a decision, above 0: turn after turn is looked at until time is up, or `turns` is reached.
        utility: what seats play for: ``place_points`` or ``first_only`` (1 for the first, 0 for the others).
    """

    turns: int | None = None
    leaf: str | Agent = AUTO
    seconds: float | None = None
    utility: str = UTILITIES[0]
    _judge: Agent | None = field(default=None, init=False, repr=False, compare=False)
    _look: Lookahead | None = field(default=None, init=False, repr=False, compare=False)
    _leaf_name: str = field(default="", init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self.turns is None or 0 <= self.turns <= MOST_TURNS, "turns", f"0..{MOST_TURNS}", self.turns)
        _check(
            self.seconds is None or 0 < self.seconds <= MOST_SECONDS,
            "seconds",
            f"above 0, up to {MOST_SECONDS:.0f}",
            self.seconds,
        )
        _check(self.utility in UTILITIES, "utility", " or ".join(UTILITIES), self.utility)
        if isinstance(self.leaf, Agent):
            self._judge = self.leaf
        elif self.leaf not in OWN:
            try:
                self._judge = make_agent(self.leaf)
            except SekishoError as error:
                raise OptionError(
                    f"expectimax: option 'leaf' must be {', '.join(map(repr, OWN))} or name an agent: {error}"
                ) from error
            if not isinstance(self._judge, Leaf):
                raise OptionError(no_leaf(called(self.leaf)))

    def supports(self, game: Game) -> None:
        """See `Agent.supports`; loads what it takes to play."""
        self._look_for(game)

    def choice_unit(self, _game: Game) -> str:
        """Return the unit of `choice_values`."""
        return RETURN if self.utility == UTILITIES[0] else "chance to be first"

    def choice_values(self, state: State) -> NDArray[np.float64]:
        """Return what each action is worth to the seat to move, float64 ``[num_actions]``, NaN where illegal."""
        require_decision(state)
        values = np.full(state.game.num_actions, np.nan)
        for action, seats in self._search([state], end_of(time.monotonic(), self.seconds, None))[0][0].items():
            values[action] = seats[state.current_player()]
        return values

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`; the own move is looked at however late it is.

        The statistics are ``turns`` (looked at after the own move), ``positions`` (at ends of turns, each counted once
        a turn), ``judged`` (those of them that the leaf judged), ``values`` (for the seat to move, by action), ``seats``
        (the values of all seats after the action), ``exact`` (every line was followed to the end of the game), ``leaf``
        (what judged: ``race``, ``pairs``, or the agent as the option names it), ``seconds``, and for place points
        ``returns``, the same as ``seats``.
        """
        self._look_for(state.game)
        require_decision(state)
        begin = time.monotonic()
        found, turns = self._search([state], end_of(begin, self.seconds, deadline))
        look = self._look_for(state.game)
        statistics: dict[str, object] = {
            "turns": turns,
            "positions": look.positions,
            "judged": look.judged,
            "exact": look.is_exact,
            "leaf": self._leaf_name,
        }
        decision = _decide(state, found[0], statistics)
        line = (decision.action, *self._rest_of_turn(state.child(decision.action), state.current_player()))
        found_out = {**decision.statistics, "seconds": time.monotonic() - begin}
        if self.utility == UTILITIES[0]:
            found_out["returns"] = decision.statistics["seats"]
        return Decision(decision.action, decision.value, decision.policy, line, found_out)

    def act_many(self, states: Sequence[State], rng: np.random.Generator) -> list[Decision]:
        """See `Agent.act_many`: one lookahead serves all of them; without lines."""
        if self.seconds is not None or any(state.game != states[0].game for state in states):
            return super().act_many(states, rng)
        for state in states:
            self._look_for(state.game)
            require_decision(state)
        if not states:
            return []
        found, turns = self._search(states, None)
        statistics = {"turns": turns, "leaf": self._leaf_name}
        return [_decide(state, values, statistics) for state, values in zip(states, found, strict=True)]

    # --- inside ------------------------------------------------------------------------------------------------------

    def _look_for(self, game: Game) -> Lookahead:
        if self._look is None or self._look.game != game:
            pending, utility = module_of(game).PENDING, UTILITIES.index(self.utility)
            name, judge = self._named(game, utility), self._judge
            leaf = leaf_of(name, game, utility) if judge is None else leaf_of(judge, game, utility, called(self.leaf))
            self._leaf_name = name
            self._look = Lookahead(game, new_turn(game, pending, utility), leaf)
            self._warm_up(game)
        return self._look

    def _named(self, game: Game, utility: int) -> str:
        """Return what judges a game, by its name: one of `OWN` as it is resolved, an agent as the option names it."""
        if isinstance(self.leaf, Agent):
            return called(self.leaf)
        return self.leaf if self._judge is not None else resolved(self.leaf, game, utility)

    def _warm_up(self, game: Game) -> None:
        """Load the compiled code now, so that no thinking time is spent on it."""
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.chance_outcomes()[0][0])
        self._search([state], None, most=1)

    def _most(self, states: Sequence[State], end: float | None) -> int:
        """Return how many turns are to be looked at."""
        most = self.turns
        if most is None:
            most = DEFAULT_TURNS if end is None else MOST_TURNS
        forced = all(len(state.legal_actions()) == 1 for state in states)
        return min(most, DEFAULT_TURNS) if forced else most

    def _search(
        self, states: Sequence[State], end: float | None, most: int | None = None
    ) -> tuple[list[dict[int, NDArray[np.float64]]], int]:
        """Return for each state what every seat gets after each action, and the turns that were looked at.

        With an end the values are worked out after every turn, so that there are some when time is up.
        """
        look = self._look_for(states[0].game)
        most = self._most(states, end) if most is None else most
        look.begin(states)
        look.left = _unlimited
        found, judged = None, 0
        try:
            for turns in range(most + 1):
                begin = time.monotonic()
                look.deepen()
                if end is not None or turns == most or look.is_exact:
                    look.judge()
                    found, judged = look.values(), turns
                now = time.monotonic()
                if look.is_exact or (end is not None and now + (now - begin) > end):
                    break  # another turn would take longer than the last
                look.left = partial(self._left, end)
        except OutOfMemoryError:
            if found is None:
                raise AgentError(
                    f"expectimax: looking {most} turns ahead takes more than the 1 GiB of memory that it may use here: "
                    "give a smaller 'turns', or 'seconds'"
                ) from None
        except OutOfTimeError:
            pass
        if found is None:  # stopped by hand
            look.left = _unlimited
            look.judge()
            found, judged = look.values(), len(look.layers) - 2
        return found, judged

    def _left(self, end: float | None) -> float:
        """Return the seconds that are left to look at another turn."""
        if self.watch is not None and self.watch.stopped:
            return 0.0
        return math.inf if end is None else end - time.monotonic()

    def _rest_of_turn(self, state: State, seat: int) -> list[int]:
        """Return what the seat chooses next without another throw, by the own move alone."""
        line = []
        while state.current_player() == seat and not _begins_turn(state):
            action = _decide(state, self._search([state], None, most=0)[0][0], {}).action
            line.append(action)
            state = state.child(action)
        return line


def _decide(state: State, found: dict[int, NDArray[np.float64]], statistics: dict[str, object]) -> Decision:
    """Return the best action, of equals the lowest."""
    seat = state.current_player()
    best = max(values[seat] for values in found.values())
    action = min(action for action, values in found.items() if values[seat] >= best - EQUAL)
    return Decision(
        action=action,
        value=float(found[action][seat]),
        policy={action: 1.0},
        line=(action,),
        statistics={
            **statistics,
            "values": {state.action_to_string(a): float(values[seat]) for a, values in found.items()},
            "seats": found[action].tolist(),
        },
    )


def _begins_turn(state: State) -> bool:
    return not state.words[list(module_of(state.game).PENDING)].any()


def _unlimited() -> float:
    return math.inf


def _check(holds: bool, name: str, expected: str, value: object) -> None:
    if not holds:
        raise OptionError(f"expectimax: option {name!r} must be {expected}, not {value}")
