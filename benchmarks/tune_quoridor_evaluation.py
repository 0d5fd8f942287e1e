"""Fit the weights of `alphabeta`'s evaluation to the results of games that it plays against itself.

    python benchmarks/tune_quoridor_evaluation.py --games 1000 --nodes 2500

plays games of Quoridor on the common board from random openings, now and then with a random move, and fits by
logistic regression how likely the side to move won, from what the evaluation looks at. A fifth of the games is held
back: the error on them (cross-entropy, nats) is printed with the weights, which go by hand into
``agents/search/alphabeta/evaluation.py``. 1000 games of 2500 nodes a move: about ten minutes of one core.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from wanted import count, run_in_words

from sekisho.agents.search.alphabeta import frames
from sekisho.agents.search.alphabeta.agent import AlphaBetaAgent
from sekisho.agents.search.alphabeta.evaluation import MEAN, WEIGHTS_SIZE, WORST, harm
from sekisho.envs.quoridor.kernels import LEFT, PLY, SEAT, distance
from sekisho.envs.quoridor.rules import Quoridor

RANDOM_MOVES = 0.04
LONGEST = 160
"""Plies after which a game counts as a draw."""
_RIDGE = 1e-2
_FEWEST = 10  # games of which there are always some to fit and some to hold back

Floats = NDArray[np.float64]


def play(game: Quoridor, agent: AlphaBetaAgent, rng: np.random.Generator) -> tuple[list[NDArray[np.int64]], float]:
    """Return the positions of one game, and the return of seat 0."""
    state, positions = game.new_initial_state(), []
    agent.reset()
    for _ in range(rng.integers(2, 7)):
        state.apply_action(int(rng.choice(state.legal_actions())))
    while not state.is_terminal() and state.words[PLY] < LONGEST:
        if rng.random() < RANDOM_MOVES:
            state.apply_action(int(rng.choice(state.legal_actions())))
            continue
        decision = agent.act(state, rng)
        positions.append(state.words.copy())
        if decision.statistics["proven"]:
            return positions, float(decision.value or 0) * (1 if state.current_player() == 0 else -1)
        state.apply_action(decision.action)
    return positions, state.returns()[0]


def features(game: Quoridor, words: NDArray[np.int64]) -> Floats:
    """Return what the evaluation looks at, for the side to move, float64 ``[positions, 13]``."""
    rows, scratch = [], np.zeros((frames.SCRATCH_ROWS, 2), np.uint64)
    only = {place: np.eye(WEIGHTS_SIZE)[place] for place in (WORST, MEAN)}
    for position in words:
        frame: NDArray[Any] = np.zeros(frames.FRAME_SIZE, np.int64)
        frame[: position.size] = position
        steps = [int(distance(game.rules, position, seat)) for seat in range(2)]
        frame[frames.STEPS : frames.STEPS + 2] = steps
        seat = int(position[SEAT])
        mine, theirs = int(position[LEFT + seat]), int(position[LEFT + 1 - seat])
        forms = np.array([1.0, (mine + theirs) / 20, np.exp(-(mine + theirs) / 3)])
        harms = [
            (harm(game.rules, frame, 1 - seat, scratch, only[place]) if mine else 0)
            - (harm(game.rules, frame, seat, scratch, only[place]) if theirs else 0)
            for place in (WORST, MEAN)
        ]
        lead = steps[1 - seat] - steps[seat]
        rows.append(np.concatenate([forms * lead, forms * (mine - theirs), forms, harms]))
    return np.array(rows)


def fit(inputs: Floats, won: Floats) -> Floats:
    """Return the weights of a logistic regression, by Newton's method, slightly drawn to zero."""
    weights = np.zeros(inputs.shape[1])
    for _ in range(30):
        chances = 1 / (1 + np.exp(-inputs @ weights))
        curvature = (inputs * (chances * (1 - chances))[:, None]).T @ inputs + _RIDGE * np.eye(weights.size)
        weights += np.linalg.solve(curvature, inputs.T @ (won - chances) - _RIDGE * weights)
    return weights


def main() -> None:
    """Play, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--games", type=count(_FEWEST), default=1000)
    parser.add_argument("--nodes", type=count(), default=2500, help="that the search looks at for a move")
    parser.add_argument("--seed", type=count(0), default=0)
    chosen = parser.parse_args()
    game, rng = Quoridor(), np.random.default_rng(chosen.seed)
    agent = AlphaBetaAgent(nodes=chosen.nodes)
    words, won, number = [], [], []
    for index in track(range(chosen.games), description="games"):
        positions, result = play(game, agent, rng)
        for position in positions:
            if position[LEFT] + position[LEFT + 1] > 0:
                words.append(position)
                won.append((1 + result * (1 if position[SEAT] == 0 else -1)) / 2)
                number.append(index)
    inputs, outcome, held_back = features(game, np.array(words)), np.array(won), np.array(number) % 5 == 0
    weights = fit(inputs[~held_back], outcome[~held_back])
    chances = np.clip(1 / (1 + np.exp(-inputs[held_back] @ weights)), 1e-9, 1 - 1e-9)
    truth = outcome[held_back]
    error = -np.mean(truth * np.log(chances) + (1 - truth) * np.log(1 - chances))
    print(f"{len(words)} positions, error on those held back {error:.4f}")
    for name, numbers in zip(("LEAD", "FENCES", "TURN"), weights[:9].reshape(3, 3), strict=True):
        print(f"{name:7}", *(f"{number:.3f}" for number in numbers))
    print("WORST, MEAN", *(f"{number:.3f}" for number in weights[9:]))


if __name__ == "__main__":
    run_in_words(main)
