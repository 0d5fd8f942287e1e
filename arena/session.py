"""A game in progress between people and CPU players: whose turn, dice, undo, resigning, taking seats over, a rematch.

Nothing random has a memory: the throw of a ply and the random choices of a CPU player are functions of the seed, the
round and the number of the ply. So a game that was saved and loaded goes on as it would have, and undo is no way to
throw the dice again.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..agents.agent import Agent, Decision
from ..agents.specs import ENGINE, parse_spec
from ..envs.core import CHANCE, TERMINAL, Game, State
from ..envs.counter_rng import new_rng
from ..envs.errors import AgentError, IllegalActionError, OptionError, RunError, shown
from .players import Player, make_player
from .resigning import game_without_resigning, resign_action, without_resigning
from .telling import effect

STAND_IN = "heuristic"
"""Who plays on for a seat whose player has given up while others play on."""
CONCEDED = "conceded"
"""Why a game is over that a person gave up where the rules know no resigning."""
MAX_SEED = 2**63 - 1


class Note(NamedTuple):
    """Something about a game that its moves do not tell.

    Attributes:
        ply: how many plies had been played.
        text: what happened, in words.
    """

    ply: int
    text: str


class Resignation(NamedTuple):
    """A person who gave up a seat on which a CPU player plays on.

    Attributes:
        ply: how many plies had been played.
        spec: spec string of the person.
    """

    ply: int
    spec: str


class Before(NamedTuple):
    """Who sat on a seat before somebody took it over.

    Attributes:
        seat: from 0.
        ply: how many plies had been played when it was taken over.
        spec: spec string of who sat there.
    """

    seat: int
    ply: int
    spec: str


class Session:
    """A game in progress.

    Args:
        start: where it begins; it is not changed.
        seats: spec string of each seat's player, in seat order.
        seed: of the dice and of the CPU players, ``0 .. MAX_SEED``.
        round: how many games these players have played before, each with the seats moved on by one.

    Attributes:
        state: where the game stands; treat it as read only.
        players: who sits where, in seat order.
        conceded: the seat that gave up where the rules know no resigning, else None.
        notes: what the moves do not tell.
        before: who sat on seats that were taken over while the game went on, in the order of the plies.
        given_up: the people who resigned and for whom `STAND_IN` plays on, by seat; a rematch seats them again.

    Raises:
        OptionError: for a seed out of range.
        AgentError: if there is not one player for each seat, or one does not play this game.
    """

    def __init__(self, start: State, seats: Sequence[str], seed: int, round: int = 0) -> None:  # noqa: A002
        if not 0 <= seed <= MAX_SEED:
            raise OptionError(f"seed must be 0..{MAX_SEED}, not {seed}")
        self.game = start.game
        if len(seats) != self.game.num_players:
            raise AgentError(f"{self.game.name} has {self.game.num_players} seats here, but {len(seats)} are named")
        self.state = start.clone()
        self.seed, self.round = seed, round
        self.players = [make_player(spec) for spec in seats]
        self.conceded: int | None = None
        self.notes: list[Note] = []
        self.before: list[Before] = []
        self.given_up: dict[int, Resignation] = {}
        for player in self.players:
            _admit(player, self.game)

    # --- where it stands ---------------------------------------------------------------------------------------------

    @property
    def ply(self) -> int:
        """Plies played since the position that the game began with, throws included."""
        return len(self.state.history())

    @property
    def mover(self) -> int:
        """The seat that decides, or `CHANCE`, or `TERMINAL` also when a person gave up."""
        return TERMINAL if self.conceded is not None else self.state.current_player()

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.mover == TERMINAL

    @property
    def asks_a_person(self) -> bool:
        """Whether a person is to decide."""
        return self.mover >= 0 and self.players[self.mover].is_human

    @property
    def has_people(self) -> bool:
        """Whether somebody is to be asked at the end: also people who have given up."""
        return bool(self.given_up) or any(player.is_human for player in self.players)

    def returns(self) -> list[float]:
        """Return what each seat is paid, in seat order, -1..1; zeros while the game goes on."""
        if self.conceded is None:
            return self.state.returns()
        return [-1.0 if seat == self.conceded else 1.0 for seat in range(self.game.num_players)]

    def end_reason(self) -> str | None:
        """Return why the game is over, in the words of the game or as `CONCEDED`; None while it goes on."""
        return self.state.end_reason() if self.conceded is None else CONCEDED

    def entrant(self, seat: int) -> int:
        """Return the number, from 1, that whoever sits on `seat` has kept since the first game of a series."""
        return (seat + self.round) % self.game.num_players + 1

    @property
    def programs(self) -> list[int]:
        """The seats on which another program plays."""
        return [seat for seat, player in enumerate(self.players) if parse_spec(player.spec).name == ENGINE]

    def named_seats(self) -> str:
        """Return how a command line seats these players."""
        return f"--seats {shlex.join(player.spec for player in self.players)}"

    def require_no_programs(self) -> None:
        """Refuse a game that would start a program which nobody but its file has named.

        Raises:
            OptionError: naming the program, and what to do if it is to be started.
        """
        for seat in self.programs:
            raise OptionError(
                f"the saved game would start a program for seat {seat + 1}, {shown(self.players[seat].spec)}; if it may, "
                f"name the seats: sekisho play --load FILE {self.named_seats()}"
            )

    # --- moving ------------------------------------------------------------------------------------------------------

    def throw(self) -> int:
        """Throw the dice that are due and return the outcome.

        Raises:
            IllegalActionError: if none are.
        """
        if self.mover != CHANCE:
            raise IllegalActionError("no dice are to be thrown here")
        rng = new_rng(int(self._entropy(0).generate_state(1, np.uint64)[0]))
        outcome = int(self.game.kernels.sample(self.game.rules, self.state.words, rng))
        self.state.apply_action(outcome)
        return outcome

    def decide(self, adviser: Agent | None = None) -> Decision:
        """Return what the CPU player to move, or an adviser of a person, would play; the game is not changed.

        Raises:
            AgentError: if the adviser does not play this game, or there is nothing to decide.
            RunError: if the answer is illegal.
        """
        agent = adviser or self.players[self.mover].agent
        if agent is None:
            raise AgentError(f"seat {self.mover + 1} is a person's")
        seen = without_resigning(self.state)
        agent.supports(seen.game)
        decision = agent.act(seen, np.random.default_rng(self._entropy(self.mover + 1)))
        if not self.state.legal_actions_mask()[decision.action]:
            raise RunError(f"{type(agent).__name__} on seat {self.mover + 1} answered with an illegal action")
        return decision

    def _entropy(self, stream: int) -> np.random.SeedSequence:
        """Return the randomness of this ply for the dice (stream 0) or the player of a seat (its number from 1)."""
        return np.random.SeedSequence([self.seed, self.round, self.ply, stream])

    def play(self, action: int) -> None:
        """Play an action of the seat to move.

        Raises:
            IllegalActionError: if it is not legal; nothing is changed.
        """
        if self.conceded is not None:
            raise IllegalActionError("the game is over (conceded)")
        self.state.apply_action(action)

    def undo(self) -> list[str]:
        """Go back to the last decision of a person, resigning included, and return what was taken back, in notation.

        Raises:
            IllegalActionError: if no person who plays still has decided anything; nothing is changed.
        """
        if self.conceded is not None:
            self.notes.append(Note(self.ply, f"seat {self.conceded + 1} goes on after all"))
            self.conceded = None
            return ["resign"]
        back, taken = self.state.clone(), self.state.moves()
        gone: set[int] = set()
        while True:
            ply = len(back.history())
            resigned = [seat for seat, how in self.given_up.items() if how.ply == ply]
            if resigned:
                seat = resigned[-1]
                self._go_back(back)
                self.players[seat] = make_player(self.given_up.pop(seat).spec)
                self._settle_before()
                self.notes.append(Note(ply, f"seat {seat + 1} goes on after all"))
                return ["resign", *taken[ply:]]
            if not ply:
                raise IllegalActionError(self._nothing_to_undo(min(gone, default=None)))
            back.undo_action()
            seat = back.current_player()
            if seat >= 0 and self._person_sat(seat, ply):
                gone.add(seat)
            if seat >= 0 and self.players[seat].is_human:
                self._go_back(back)
                return taken[ply - 1 :]

    def _person_sat(self, seat: int, ply: int) -> bool:
        """Return whether a person who plays no more decided a ply, counted from 1."""
        specs = [entry.spec for entry in self.before if entry.seat == seat and entry.ply >= ply]
        return bool(specs) and make_player(specs[0]).is_human

    def _nothing_to_undo(self, gone: int | None) -> str:
        if gone is None:
            return "no person has decided anything yet, so nothing can be taken back"
        player, spec = self.players[gone].spec, next(entry.spec for entry in self.before if entry.seat == gone)
        return (
            f"the person who has decided something, on seat {gone + 1}, has left it to {player}; give the seat back by "
            f"seat {gone + 1} {spec}, and undo takes that back"
        )

    def _go_back(self, state: State) -> None:
        """Take an earlier position up; what was noted later holds from there on."""
        self.state = state
        self.notes = [Note(min(note.ply, self.ply), note.text) for note in self.notes]
        self.before = [entry._replace(ply=min(entry.ply, self.ply)) for entry in self.before]
        self._settle_before()
        for player in self.players:
            if player.agent is not None:
                player.agent.reset()

    def resign(self) -> str:
        """Give the game up for the person to move; return what that means, in words.

        By the rules where they have such an action. Where not, a game of two is over; in one of more a CPU player plays
        the seat on, so that the others need not stop.

        Raises:
            IllegalActionError: if no person is to move, or the rules know resigning but were told not to allow it.
        """
        if not self.asks_a_person:
            raise IllegalActionError("only a person whose turn it is can resign")
        seat, action = self.mover, resign_action(self.state)
        if action is not None:
            told = effect(self.state, action)
            self.play(action)
            return told
        if "allow_resign" in self.game.options:
            raise IllegalActionError("the rules of this game allow no resigning (allow_resign=false)")
        if self.game.num_players == 2:
            self.conceded = seat
            self.notes.append(Note(self.ply, f"seat {seat + 1} resigns"))
            return f"seat {seat + 1} resigns; seat {2 - seat} has won"
        person = self.players[seat].spec
        self.take_over(seat, STAND_IN)
        self.given_up[seat] = Resignation(self.ply, person)
        return f"seat {seat + 1} resigns; {STAND_IN} plays its pawn on, for the others"

    def take_over(self, seat: int, spec: str) -> None:
        """Give a seat to another player, in the middle of the game.

        Args:
            seat: from 0.
            spec: spec string of the new player, or ``human``.

        Raises:
            OptionError: if there is no such seat.
            SekishoError: if there is no such player, or it does not play this game; nothing is changed.
        """
        if not 0 <= seat < len(self.players):
            raise OptionError(f"seats are 1..{len(self.players)}, not {seat + 1}")
        player = make_player(spec)
        _admit(player, self.game)
        self.notes.append(Note(self.ply, f"seat {seat + 1}: {player.spec} takes over from {self.players[seat].spec}"))
        before, self.players[seat] = self.players[seat], player
        if not self.is_over:
            self.before.append(Before(seat, self.ply, before.spec))
            self._settle_before()
        self.given_up.pop(seat, None)

    def _settle_before(self) -> None:
        """Forget who sat on a seat without having played there, and changes that changed nothing."""
        firsts = {(entry.seat, entry.ply): entry for entry in reversed(self.before)}
        after = [player.spec for player in self.players]
        self.before = []
        for entry in sorted(firsts.values(), key=lambda entry: -entry.ply):
            if entry.ply and entry.spec != after[entry.seat]:
                self.before.insert(0, entry)
                after[entry.seat] = entry.spec

    def rematch(self) -> Session:
        """Return a new game of the same players from the same start, everybody one seat further.

        Whoever had the second seat begins; the dice are others. Who has resigned plays again.
        """
        start = self.state.clone()
        while start.history():
            start.undo_action()
        seats = [
            self.given_up[seat].spec if seat in self.given_up else player.spec
            for seat, player in enumerate(self.players)
        ]
        return Session(start, [*seats[1:], seats[0]], self.seed, self.round + 1)


def _admit(player: Player, game: Game) -> None:
    """Refuse a CPU player that does not play the game; make one that does ready for it."""
    if player.agent is not None:
        player.agent.supports(game_without_resigning(game))
        player.agent.reset()
