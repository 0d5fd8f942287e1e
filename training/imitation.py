"""Games in which a teacher, any agent, says what it would play and what positions are worth.

Every decision is the teacher's to judge. What is played may be something else: at first random plies, now and then a
random move, and in a share of the games whatever the network that learns would play, so that it hears about the positions
it comes to itself (Ross, Gordon and Bagnell, "A reduction of imitation learning and structured prediction to no-regret
online learning", 2011).

A teacher may name one choice where others are as good. So where the network likes another one, the teacher may be asked
what both lead to (the setting ``doubt``), and what is learned is shared between the two: nothing is to be learned where
they are worth the same, unless both are proven, and much where one of them loses. And most mistakes cost next to nothing,
so those that do can weigh more (the setting ``weigh``). The idea that mistakes count by what they cost is that of Ross and
Bagnell, "Reinforcement and imitation learning via interactive no-regret learning", 2014.

Every random number of a game comes from the seed of the run, the iteration and the number of the game.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..agents.agent import Agent, Decision
from ..agents.choices import RETURN, can_value, choice_unit, choice_values
from ..agents.external import ExternalAgent
from ..agents.learned import onlooker
from ..agents.network_names import lend
from ..agents.networks.files import StoredNetwork
from ..agents.registry import make_agent
from ..agents.search.batch import Evaluator
from ..arena.match import random_opening
from ..arena.records import GameRecord
from ..envs.core import Game, State
from ..envs.counter_rng import new_rng
from ..envs.errors import RunError
from ..envs.kernels import CHANCE
from .evaluation import name_of
from .judging import Judge, NetworkPlayer, evaluator_of
from .positions import Positions
from .sections import Imitation
from .selfplay import Numbers, Played
from .tally import Tally

STREAM = 9
"""Sets the random numbers of these games apart from those of other parts of a run."""
_OPENING, _PLAY, _DICE, _TEACHER = 1, 2, 3, 4


class Lessons(NamedTuple):
    """Games with a teacher; a task for an executor.

    Attributes:
        game: what is played.
        settings: how.
        numbers: which games.
        records: games whose number is below this are kept as records.
        threads, device: see `evaluator_of`.
    """

    game: Game
    settings: Imitation
    numbers: Numbers
    records: int
    threads: int
    device: str


def play_lessons(lessons: Lessons, judge: Judge | None, networks: Mapping[str, StoredNetwork]) -> Played:
    """Play the games of a task.

    Args:
        lessons: which games.
        judge: the network that learns, as it is before the iteration; None if it does not play.
        networks: those in the files that the teacher's name tells, which are on the machine of whoever has asked.
    """
    lend(networks)
    teacher, numbers, opponent = make_agent(lessons.settings.teacher), lessons.numbers, lessons.settings.opponent
    student = None if judge is None else evaluator_of(judge, threads=lessons.threads, device=lessons.device)
    school = _School(lessons, teacher, student, make_agent(opponent) if opponent else None)
    try:
        parts = [school.play(number) for number in range(numbers.first, numbers.first + numbers.games)]
    finally:
        school.close()
    return Played(Positions.joined(lessons.game, parts), school.records, school.tally)


def worth_of(decision: Decision, seat: int, players: int) -> NDArray[np.float64] | None:
    """Return what every seat is to expect by a decision of a seat, -1..1; None if it does not say."""
    told = decision.statistics.get("returns", decision.statistics.get("seats"))
    if told is not None:
        return np.array(told, dtype=np.float64)
    if decision.value is None or players != 2:
        return None
    return np.where(np.arange(2) == seat, decision.value, -decision.value)


def without_values(teacher: str) -> str:
    """Return what to say of a teacher, a spec string, that cannot judge choices."""
    return (
        f"the teacher {teacher!r} does not say what a position is worth to every seat: "
        "set imitation.doubt=0 and imitation.weigh=0"
    )


class _Notes:
    """What a game has left to learn from, in the order in which it came up.

    What a position is worth may not be known when it is noted; then it is worth what the next one is, or what the seats
    got in the end.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._words: list[NDArray[np.int64]] = []
        self._seats: list[int] = []
        self._policies: list[NDArray[np.float32]] = []
        self._worth: list[NDArray[np.float64] | None] = []
        self._aside: list[bool] = []  # positions that the game has not come to

    def __len__(self) -> int:
        return len(self._seats)

    def add(
        self, words: NDArray[np.int64], seat: int, policy: Mapping[int, float], worth: NDArray[np.float64] | None,
        aside: bool = False, weight: float = 1.0,
    ) -> None:  # fmt: skip
        """Note a position; an empty policy where nothing is to be decided, else what the decision weighs."""
        row = np.zeros(self._game.num_actions, np.float32)
        for action, share in policy.items():
            row[action] = share
        self._words.append(words)
        self._seats.append(seat)
        self._policies.append(row * (weight / row.sum()) if policy else row)
        self._worth.append(worth)
        self._aside.append(aside)

    def positions(self, returns: NDArray[np.float64], share: float) -> Positions:
        """Return them all, with the returns of the game for the values' targets, but for the `share` of the teacher."""
        if not self._seats:
            return Positions.none(self._game)
        values, later = np.zeros((len(self), self._game.num_players)), returns
        for row in reversed(range(len(self))):
            found = self._worth[row]
            worth = later if found is None else np.clip(found, -1.0, 1.0)
            values[row] = worth if self._aside[row] else share * worth + (1 - share) * returns
            later = later if self._aside[row] else worth
        return Positions(
            np.array(self._words), np.array(self._seats, np.int8), np.array(self._policies), values.astype(np.float32)
        )


class _School:
    """Plays the games of a task."""

    def __init__(self, lessons: Lessons, teacher: Agent, student: Evaluator | None, opponent: Agent | None) -> None:
        self._lessons, self._game, self._settings = lessons, lessons.game, lessons.settings
        self._teacher, self._student, self._opponent = teacher, student, opponent
        # choices are judged by another one, so that the teacher's memory of the game stays as it is
        judges = lessons.settings.judges_choices and student is not None
        self._second = make_agent(lessons.settings.teacher) if judges else None
        for agent in self._agents():
            agent.supports(self._game)
        self._in_returns = choice_unit(teacher, self._game) == RETURN
        self._values_choices = self._game.num_players == 2 and self._in_returns and can_value(teacher, self._game)
        self.records: list[GameRecord] = []
        self.tally = Tally()

    def _agents(self) -> list[Agent]:
        return [agent for agent in (self._teacher, self._second, self._opponent) if agent is not None]

    def close(self) -> None:
        """End the programs that were started."""
        for agent in self._agents():
            if isinstance(agent, ExternalAgent):
                agent.close()

    def play(self, number: int) -> Positions:
        """Play a game; return what there is to learn from it."""
        game, settings, numbers = self._game, self._settings, self._lessons.numbers
        place = [STREAM, numbers.seed, numbers.iteration, number]
        rng, asking = np.random.default_rng([*place, _PLAY]), np.random.default_rng([*place, _TEACHER])
        dice = new_rng(int(np.random.SeedSequence([*place, _DICE]).generate_state(1, np.uint64)[0]))
        student = self._student if rng.random() < settings.student else None
        state = random_opening(game, int(rng.integers(settings.opening + 1)), [*place, _OPENING])
        opening = plies = len(state.history())
        notes, learns = _Notes(game), range(game.num_players)  # the seats whose decisions are learned from
        if student is not None and self._opponent is not None and rng.random() < 0.5:
            seat = int(rng.integers(game.num_players))
            learns = range(seat, seat + 1)
        for agent in self._agents():
            agent.reset()
        while not state.is_terminal() and plies < settings.max_plies:
            plies += 1
            if state.current_player() < 0:
                state.apply_action(int(game.kernels.sample(game.rules, state.words, dice)))
                continue
            actions = state.legal_actions()
            if len(actions) > 1 and state.current_player() not in learns and self._opponent is not None:
                action = self._opponent.act(state, asking).action
                if action not in actions:
                    raise RunError(f"the opponent {settings.opponent!r} answered with the illegal action {action}")
                state.apply_action(action)
            elif len(actions) > 1:
                state.apply_action(self._decided(state, actions, student, rng, asking, notes))
            else:
                state.apply_action(actions[0])
        over = state.is_terminal()
        returns = np.array(state.returns()) if over else np.zeros(game.num_players)
        self._count(state, returns, plies, len(notes))
        if number < self._lessons.records and over:
            self.records.append(self._record(state, number, opening, student is not None, learns))
        return notes.positions(returns, settings.teacher_value if student is None else 1.0)

    def _decided(
        self, state: State, actions: list[int], student: Evaluator | None, rng: np.random.Generator,
        asking: np.random.Generator, notes: _Notes,
    ) -> int:  # fmt: skip
        """Note what the teacher says of a decision; return what is played."""
        decision, seat = self._teacher.act(state, asking), state.current_player()
        if decision.action not in actions:
            raise RunError(f"the teacher {self._settings.teacher!r} answered with the illegal action {decision.action}")
        worth = self._worth(decision, seat)
        policy, weight = self._lesson(decision, state, asking)
        notes.add(state.words.copy(), seat, policy, worth, weight=weight)
        self.tally.decisions += 1
        played = decision.action
        if rng.random() < self._settings.explore:
            played = int(rng.choice(actions))
        elif student is not None:
            played = self._students_choice(state, actions, student, rng)
        if self._game.max_chance_outcomes:
            self._note_throws(state, decision.action, played, worth, notes)
        return played

    def _lesson(
        self, decision: Decision, state: State, asking: np.random.Generator
    ) -> tuple[Mapping[int, float], float]:
        """Return what is to be learned of a decision, the teacher's policy if it has one, else its choice; and its weight.

        A single choice, where the student likes another one best, may be shared with that by what the teacher thinks of
        both, and may weigh more the more the student's costs.
        """
        told = decision.policy or {decision.action: 1.0}
        named = [action for action, share in told.items() if share > 0]
        if self._second is None or self._student is None or len(named) > 1:
            return told, 1.0
        liked = NetworkPlayer(self._student, 0).act(state, asking).action
        self.tally.judged += 1
        if liked == named[0]:
            return told, 1.0
        worth = [self._worth_after(self._second, state, action, asking) for action in (named[0], liked)]
        ahead, cost, settings = worth[0] - worth[1], max(worth[0] - worth[1], 0.0), self._settings
        self.tally.costs += cost
        weight = 1 + settings.weigh * cost
        # where both are proven alike, the one that is named may be the quicker win
        if not settings.doubt or (ahead == 0 and abs(worth[0]) == 1):
            return told, weight
        share = (1 + math.tanh(ahead / settings.doubt / 2)) / 2
        return {named[0]: share, liked: 1 - share}, weight

    def _worth_after(self, judge: Agent, state: State, action: int, asking: np.random.Generator) -> float:
        """Return what an action is worth to the seat to move, as `judge` sees the position after it."""
        seat, after = state.current_player(), state.child(action)
        if after.is_terminal():
            return after.returns()[seat]
        judge.reset()
        worth = self._worth(judge.act(after, asking), after.current_player())
        if worth is None:
            raise RunError(without_values(self._settings.teacher))
        return float(worth[seat])

    def _students_choice(self, state: State, actions: list[int], student: Evaluator, rng: np.random.Generator) -> int:
        """Return an action drawn by the student's policy; of a student without one, what leads to what it likes best."""
        if not getattr(student, "has_policy", True):
            return NetworkPlayer(student, 0).act(state, rng).action
        priors, _ = student.evaluate(self._game, state.words[None].copy(), np.array([state.current_player()]))
        return int(rng.choice(actions, p=priors[0, actions] / priors[0, actions].sum()))

    def _worth(self, decision: Decision, seat: int) -> NDArray[np.float64] | None:
        return worth_of(decision, seat, self._game.num_players) if self._in_returns else None

    def _note_throws(
        self, state: State, chosen: int, played: int, worth: NDArray[np.float64] | None, notes: _Notes
    ) -> None:
        """Have values of positions be learned in which dice are to be thrown: whoever plays without a search asks.

        Where the teacher values every choice, all of them; else what is played, which is worth what the teacher says if
        it is its own choice, and else what it says at the next decision.
        """
        seat = state.current_player()
        if not self._values_choices:
            self._note_throw(state, played, worth if played == chosen else None, notes, aside=False)
            return
        for action, value in enumerate(choice_values(self._teacher, state)):
            if not np.isnan(value):
                self._note_throw(state, action, np.where(np.arange(2) == seat, value, -value), notes, aside=True)

    def _note_throw(
        self, state: State, action: int, worth: NDArray[np.float64] | None, notes: _Notes, aside: bool
    ) -> None:
        """Note the position after an action if dice are to be thrown there."""
        words = state.words.copy()
        self._game.kernels.apply(self._game.rules, words, action)
        if self._game.kernels.to_move(self._game.rules, words) == CHANCE:
            notes.add(words, onlooker(self._game, words, state.current_player()), {}, worth, aside)

    def _count(self, state: State, returns: NDArray[np.float64], plies: int, positions: int) -> None:
        """Add a game to the sums."""
        alone = state.is_terminal() and int((returns == returns.max()).sum()) == 1
        tally = self.tally
        tally.games += 1
        tally.plies += plies
        tally.first_wins += alone and int(returns.argmax()) == 0
        tally.draws += not alone
        tally.broken_off += not state.is_terminal()
        tally.positions += positions

    def _record(self, state: State, number: int, opening: int, student: bool, learns: range) -> GameRecord:
        """Return the record of a game, under the name of whoever played."""
        numbers = self._lessons.numbers
        player = name_of(numbers.iteration - 1) if student else self._settings.teacher
        return GameRecord(
            game=self._game.name, rules=dict(self._game.options),
            agents=tuple(player if seat in learns else self._settings.opponent for seat in range(self._game.num_players)),
            seed=numbers.seed, table=numbers.iteration, round=number, opening=opening, moves=tuple(state.moves()),
            returns=tuple(state.returns()), end=state.end_reason() or "",
        )  # fmt: skip
