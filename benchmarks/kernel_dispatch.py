"""How generic compiled code can reach a game: what each way costs. The figures stand in docs/kernels.md.

Four ways play the same random games of Quoridor:

* table: the kernel table and `bind`, as the package does;
* direct: the loop calls Quoridor's kernels by name, as code specialised for one game would (the bound on what one
  dispatch module with a branch a game can reach);
* arguments: the functions are passed as first-class function values in a tuple, numba's documented way;
* jitted: the jitted functions themselves are passed in a tuple.

The loops are cached by numba's own cache. The last column says which of them the process had to compile: run the
script twice, and only what cannot be cached is compiled again.

Run: python benchmarks/kernel_dispatch.py
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numba.experimental.function_type  # noqa: F401
import numpy as np
from numba import njit
from numba.core.types import WrapperAddressProtocol

from sekisho.envs import load_game
from sekisho.envs.counter_rng import new_rng
from sekisho.envs.kernels import SIGNATURES, TERMINAL, Kernels, bind
from sekisho.envs.quoridor import kernels as quoridor

GAMES = 4000


@njit(nogil=True, cache=True)
def play_by_table(table: Any, rules: Any, state: Any, rng: Any, games: int) -> int:
    game = bind(table)
    plies = 0
    for _ in range(games):
        game.reset(rules, state)
        while game.to_move(rules, state) != TERMINAL:
            game.apply(rules, state, game.sample(rules, state, rng))
            plies += 1
    return plies


@njit(nogil=True, cache=True)
def play_directly(rules: Any, state: Any, rng: Any, games: int) -> int:
    plies = 0
    for _ in range(games):
        quoridor.reset(rules, state)
        while quoridor.to_move(rules, state) != TERMINAL:
            quoridor.apply(rules, state, quoridor.sample(rules, state, rng))
            plies += 1
    return plies


def play_by_functions(game: Any, rules: Any, state: Any, rng: Any, games: int) -> int:
    plies = 0
    for _ in range(games):
        game.reset(rules, state)
        while game.to_move(rules, state) != TERMINAL:
            game.apply(rules, state, game.sample(rules, state, rng))
            plies += 1
    return plies


play_by_arguments = njit(nogil=True, cache=True)(play_by_functions)
play_by_jitted = njit(nogil=True, cache=True)(play_by_functions)


class FunctionValue(WrapperAddressProtocol):
    """A kernel as a first-class function value."""

    def __init__(self, function: Any, signature: Any) -> None:
        function.compile(signature.args)
        result = function.overloads[signature.args]
        self._address = result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)
        self._signature = signature

    def __wrapper_address__(self) -> int:
        return int(self._address)

    def signature(self) -> Any:
        return self._signature


def timed(play: Callable[[int], Any], games: int) -> float:
    begin = time.perf_counter()
    play(games)
    return time.perf_counter() - begin


def main() -> None:
    game = load_game("quoridor")
    values = Kernels(*(FunctionValue(f, s) for f, s in zip(game.kernels, SIGNATURES, strict=True)))
    state = np.zeros(game.state_size, dtype=np.int64)
    ways: dict[str, tuple[Any, Callable[[int], Any]]] = {
        "direct": (play_directly, lambda games: play_directly(game.rules, state, new_rng(1), games)),
        "table": (play_by_table, lambda games: play_by_table(game.table, game.rules, state, new_rng(1), games)),
        "arguments": (play_by_arguments, lambda games: play_by_arguments(values, game.rules, state, new_rng(1), games)),
        "jitted": (play_by_jitted, lambda games: play_by_jitted(game.kernels, game.rules, state, new_rng(1), games)),
    }
    for _, play in ways.values():
        play(1)
    runs = [{name: timed(play, GAMES) for name, (_, play) in ways.items()} for _ in range(7)]
    print(f"{'way':<10} {'games/s':>9} {'time / direct':>14} {'empty call, us':>15} {'compiled':>9}")
    for name, (function, play) in ways.items():
        rate = GAMES / statistics.median(run[name] for run in runs)
        ratio = statistics.median(run[name] / run["direct"] for run in runs)
        empty = 1e6 * statistics.median(timed(play, 0) for _ in range(200))
        compiled = "yes" if sum(function.stats.cache_misses.values()) else "no"
        print(f"{name:<10} {rate:>9.0f} {ratio:>14.3f} {empty:>15.1f} {compiled:>9}")


if __name__ == "__main__":
    main()
