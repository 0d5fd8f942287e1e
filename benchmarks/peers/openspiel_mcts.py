"""Make OpenSpiel's compiled ``MCTSBot``, with random rollouts, an engine of the text protocol that plays Quoridor.

    python benchmarks/peers/openspiel_mcts.py --seconds 1

It makes as many simulations for a move as it would in so many seconds: how many it makes in a second is measured when it
starts, on the empty board and with 10 and 18 fences on it, and read off between these. Games of two players on the
common board, from the start; needs ``pip install open_spiel``. For a tournament:

    sekisho tournament quoridor --agents alphabeta:seconds=1 "engine:python benchmarks/peers/openspiel_mcts.py"
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from functools import partial
from typing import Any

import numpy as np
import pyspiel

from sekisho.arena import openspiel_peer
from sekisho.arena.speed import quoridor_positions
from sekisho.envs.quoridor.notation import convert_moves

SIMULATIONS = 500
"""For each position, to measure the rate."""
_FENCES = {"": 0, "10 fences": 10, "18 fences": 18}
_POSITIONS = 3
_DAY = 86400
_MEGABYTES = 2000  # memory of a tree; a bot that has no more stops to grow it


def rates(exploration: float) -> dict[int, float]:
    """Return the simulations per second by the number of fences on the board, on this machine, now."""
    lines = {"": [""]} | quoridor_positions()
    return {
        fences: openspiel_peer.simulations_meter(lines[kind][:_POSITIONS], SIMULATIONS, exploration)()
        for kind, fences in _FENCES.items()
    }


def simulations_at(measured: dict[int, float], fences: int, seconds: float) -> int:
    """Return how many simulations fit into a move, its rate read off in between (linear in its logarithm)."""
    logs = np.log(list(measured.values()))
    return max(1, round(seconds * float(np.exp(np.interp(fences, list(measured), logs)))))


class Bot:
    """The position that it was told, and how it searches."""

    def __init__(self, seconds: float, exploration: float, seed: int) -> None:
        self._seconds, self._exploration = seconds, exploration
        self._rng = random.Random(seed)
        self._game = pyspiel.load_game("quoridor(players=2,board_size=9,wall_count=10)")
        self._rates: dict[int, float] = {}
        self._state = self._game.new_initial_state()
        self._fences = 0

    def measure(self) -> None:
        """Measure its speed, once."""
        self._rates = self._rates or rates(self._exploration)

    def position(self, moves: list[str]) -> None:
        """Go to the position after moves in standard notation."""
        self._state = self._game.new_initial_state()
        for move in convert_moves(" ".join(moves), "standard", "openspiel").split():
            self._state.apply_action(self._state.string_to_action(move))
        self._fences = sum(len(move) == 3 for move in moves)

    def move(self) -> str:
        """Search, and return the best move."""
        self.measure()
        simulations = simulations_at(self._rates, self._fences, self._seconds)
        seed = self._rng.randrange(2**31)
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(
            self._game, evaluator, self._exploration, simulations, _MEGABYTES, True, seed, False
        )  # fmt: skip
        action = bot.step(self._state)
        return convert_moves(
            self._state.action_to_string(self._state.current_player(), action), "openspiel", "standard"
        )


def answer(bot: Any, line: str, say: Any) -> bool:
    """Obey a line; return whether to go on."""
    words = line.split()
    match words[:1]:
        case ["ugi" | "uci"]:
            say("id name OpenSpiel MCTSBot")
            say("id author the OpenSpiel authors")
            say(words[0] + "ok")
        case ["isready"]:
            bot.measure()
            say("readyok")
        case ["position"] if words[1:2] != ["startpos"]:
            say("info string error only games from 'startpos' can be played")
        case ["position"]:
            bot.position(words[3:])
        case ["go"]:
            say("bestmove " + bot.move())
        case ["quit"]:
            return False
    return True


def main() -> None:
    """Answer lines until there are no more."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="for a move")
    parser.add_argument("--exploration", type=float, default=2.0, help="its uct_c")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    if not 0 < chosen.seconds <= _DAY:
        parser.error(f"--seconds must be above 0 and at most {_DAY} (a day), not {chosen.seconds}")
    if not 0 <= chosen.exploration < math.inf:
        parser.error(f"--exploration must be a number from 0 on, not {chosen.exploration}")
    bot, say = Bot(chosen.seconds, chosen.exploration, chosen.seed), partial(print, flush=True)
    for line in sys.stdin:
        try:
            if not answer(bot, line, say):
                return
        except (pyspiel.SpielError, ValueError, RuntimeError) as error:
            say(f"info string error {error}")


if __name__ == "__main__":
    main()
