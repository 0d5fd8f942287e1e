"""What an agent did in games of Quoridor with two players: moves that cost much, shuffling, idle fences, missed races.

    sekisho tournament quoridor --agents A B --games 40 --openings 4 --output FOLDER
    python benchmarks/annotate_quoridor.py FOLDER/games.jsonl --agent A

``--agent`` is what the spec of the player begins with. A move costs what the chance to win falls by, as the judge sees
it, a search of its own before the move and after it. Kinds of moves:

* back: the pawn goes to where it stood before its last step, no fence having been placed since;
* idle: a fence that makes nobody's path longer;
* race: the race of the pawns was won, nobody having a fence in hand, and is no longer.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from wanted import count, told_in_words

from sekisho.agents import make_agent
from sekisho.agents.exact.quoridor_races import Races
from sekisho.arena.records import GameRecord, read_records
from sekisho.envs.errors import AgentError
from sekisho.envs.quoridor.rules import Quoridor, QuoridorState

_KINDS = ("step", "back", "fence", "idle", "race")
_PHASES = (("20 to 11 fences in hand", 11), ("10 to 1", 1), ("none", 0))


class Move(NamedTuple):
    """A move of the agent.

    Attributes:
        game: number of the game in the file.
        ply: counted from 1.
        move: in notation.
        better: what the judge would have played.
        kind: one of ``_KINDS``.
        phase: number of one of ``_PHASES``.
        before: chance to win that the judge saw before it, 0..1.
        cost: what it fell by, 0 or more.
        lost: whether the game was lost.
    """

    game: int
    ply: int
    move: str
    better: str
    kind: str
    phase: int
    before: float
    cost: float
    lost: bool


class Annotator:
    """Judges moves of one player.

    Args:
        spec: what the spec of the player begins with.
        judge: spec of who judges positions.
    """

    def __init__(self, spec: str, judge: str) -> None:
        self._spec, self._name, self._judge = spec, judge, make_agent(judge)
        self._rng = np.random.default_rng(0)

    def moves(self, number: int, record: GameRecord) -> list[Move]:
        """Return the moves of the player in a game, those of the random opening left out."""
        game = record.replay().game
        if not isinstance(game, Quoridor) or game.num_players != 2:
            raise AgentError("this is for games of Quoridor with two players")
        races, state, found = Races(game), game.new_initial_state(), list[Move]()
        for ply, move in enumerate(record.moves):
            seat, action = state.current_player(), state.string_to_action(move)
            after = state.child(action)
            if ply >= record.opening and record.agents[seat].startswith(self._spec):
                before, better = self._look(state)
                cost = 0.0 if after.is_terminal() else before - (1 - self._look(after)[0])
                left = sum(state.fences_left)
                phase = next(place for place, (_, least) in enumerate(_PHASES) if left >= least)
                kind = kind_of(state, after, races)
                lost = record.returns[seat] < 0
                found.append(Move(number, ply + 1, move, better, kind, phase, before, max(cost, 0.0), lost))
            state.apply_action(action)
        return found

    def _look(self, state: QuoridorState) -> tuple[float, str]:
        """Return the chance to win of the side to move, and its move."""
        self._judge.supports(state.game)
        self._judge.reset()
        decision = self._judge.act(state, self._rng)
        if decision.value is None:
            raise AgentError(f"{self._name} has no opinion of a position: --judge wants a search or a network")
        return (decision.value + 1) / 2, state.action_to_string(decision.action)


def kind_of(state: QuoridorState, after: QuoridorState, races: Races) -> str:
    """Return what kind of move led from a state to the next one."""
    seat, pawn_moves = state.seat, state.game.board_size**2
    if not sum(state.fences_left) and races.plies(state) > 0 and not after.is_terminal() and races.plies(after) >= 0:
        return "race"
    if after.fences_left != state.fences_left:
        return "idle" if after.distances() == state.distances() else "fence"
    if len(state.history()) >= 2 and max(state.history()[-2:]) < pawn_moves:
        earlier = state.clone()
        for _ in range(2):
            earlier.undo_action()
        if earlier.pawns[seat] == after.pawns[seat]:
            return "back"
    return "step"


def show(moves: list[Move], worst: int) -> None:
    """Print what was found."""
    console = Console()
    table = Table(
        "kind", *(phase for phase, _ in _PHASES), "in lost games", "mean cost", title="moves, by fences in hand"
    )
    for kind in _KINDS:
        here = [move for move in moves if move.kind == kind]
        counts = [sum(move.phase == phase for move in here) for phase in range(len(_PHASES))]
        mean = f"{100 * np.mean([move.cost for move in here]):.2f} %" if here else ""
        table.add_row(kind, *map(str, counts), str(sum(move.lost for move in here)), mean)
    console.print(table)
    by_game = defaultdict(list)
    for move in moves:
        if move.lost:
            by_game[move.game].append(move)
    for number, lost in by_game.items():
        dear = sorted(lost, key=lambda move: -move.cost)[:worst]
        told = "; ".join(
            f"ply {move.ply} {move.move} ({move.kind}, {move.before:.0%} less {move.cost:.0%}; {move.better})"
            for move in dear
        )
        console.print(f"game {number}, lost: {told}", soft_wrap=True)


def main() -> None:
    """Annotate, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=Path, help="a file with a record a line, as tournaments write it")
    parser.add_argument("--agent", required=True, help="what the spec of the player begins with")
    parser.add_argument("--judge", default="alphabeta:nodes=100000,leaf=(net:checkpoint=quoridor)")
    parser.add_argument("--worst", type=count(0), default=3, help="moves that are shown of a lost game")
    options = parser.parse_args()
    if not options.agent:
        parser.error("--agent needs a word: what the spec of the player begins with")
    moves = list[Move]()
    with told_in_words(parser):
        annotator = Annotator(options.agent, options.judge)
        for number, record in enumerate(track(list(read_records(options.records)), description="games"), 1):
            moves += annotator.moves(number, record)
    if not moves:
        parser.error(f"nobody whose spec begins with {options.agent!r} played in {options.records}")
    show(moves, options.worst)


if __name__ == "__main__":
    main()
