"""Search the numbers of the agent `pocket`: ``python benchmarks/search_pocket_rules.py`` (a few minutes).

Starts from round numbers, changes one at a time to whatever loses least against perfect play with two players, exactly,
and then adds corrections of single stations as long as one gains 0.2 points of the chance to win.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sekisho.agents import pocket
from sekisho.agents.exact import tokaido_kernels as compiled
from sekisho.agents.exact import tokaido_sweeps as sweeps
from sekisho.agents.exact.policies import Arena, Policy
from sekisho.agents.exact.tokaido_nodes import state_at
from sekisho.envs.tokaido import kernels
from sekisho.envs.tokaido.rules import Tokaido
from sekisho.envs.tokaido.tables import LAST, SPOT_NAMES, SPOTS

ROUND = {"far_enough": 48, "again": 8, "rest": 8}
TRIED = {"far_enough": range(45, 55), "again": range(4, 12), "rest": range(3, 12)}
CORRECTIONS = (-8, -6, -4, -3, -2, 2, 3, 4, 6, 8)
WORTH_A_RULE = 0.2  # points


class Search:
    """Scores every number at every place at once, as the agent would, and works out the exact loss."""

    def __init__(self) -> None:
        self.arena = Arena(Tokaido())
        self.perfect = self.arena.perfect()
        nodes, game = self.arena.nodes, self.arena.game
        words = np.array([state_at(game, key).words if kind != compiled.END else np.zeros(kernels.STATE_SIZE, np.int64)
                          for key, kind in zip(nodes.keys.tolist(), nodes.kinds, strict=True)])  # fmt: skip
        after, shift = (nodes.links // compiled.SHIFTS).clip(0), nodes.links % compiled.SHIFTS
        stays = shift == 0
        spots, rests = words[after][:, :, kernels.SPOT :][:, :, :2], words[after][:, :, kernels.RESTS :][:, :, :2]
        self.spot = np.where(stays[..., None], spots, spots[..., ::-1])  # [nodes, links, own and rival's]
        self.rests = np.where(stays[..., None], rests, rests[..., ::-1])
        self.ends = nodes.kinds[after] == compiled.END
        choosing = (nodes.kinds[after] == compiled.CHOOSE_ROAD) & (words[after][:, :, kernels.WAITS] == kernels.ROAD)
        self.again = stays & ~self.ends & ~choosing
        self.values = np.zeros((nodes.keys.size, 2))
        sweeps.fill_ends(game.rules, nodes.keys, nodes.kinds, sweeps.PLACE_POINTS, self.values)

    def loss(self, numbers: dict[str, int], better: dict[str, int]) -> float:
        """Return the loss in points of the chance to win."""
        policy, values, change = self.policy(numbers, better), self.values.copy(), 1.0
        while change > 1e-7:
            change = sweeps.sweep_policies(
                self.arena.game.rules, *self.arena.nodes[:3], *policy, *self.perfect, values
            )  # fmt: skip
        return float(-50 * values[self.arena.start].mean())

    def policy(self, numbers: dict[str, int], better: dict[str, int]) -> Policy:
        """Return what the agent does with these numbers."""
        far: NDArray[np.float64] = np.array([pocket.stations(spot, numbers["far_enough"]) for spot in range(LAST + 1)])
        far = np.concatenate([far, np.zeros(len(SPOT_NAMES) - LAST - 1)])
        own = far.copy()
        for name, more in better.items():
            own[SPOTS[name]] += more
        lead = own[self.spot[..., 0]] - far[self.spot[..., 1]]
        lead += numbers["rest"] * (self.rests[..., 1] - self.rests[..., 0]) + numbers["again"] * self.again
        lead[self.ends] = pocket.ARRIVAL
        second = np.zeros((len(lead), kernels.FACES))
        for roll, (low, high) in enumerate(self.arena.game.rules[kernels.NUMBERS :][:42].reshape(21, 2)):
            second[:, roll] = lead[:, high] >= lead[:, low] - 1e-9
        second[self.arena.nodes.kinds == compiled.CHOOSE_ROAD] = 0.0
        return Policy(second, np.zeros((len(lead), 0)))


def main() -> None:
    """Search, and print each step."""
    search, numbers, better = Search(), dict(ROUND), dict[str, int]()
    for name, values in TRIED.items():
        found: Any = min((search.loss({**numbers, name: value}, better), value) for value in values)
        numbers[name] = found[1]
        print(f"{name} = {found[1]}: {found[0]:.3f}")
    best = search.loss(numbers, better)
    while True:
        tried = [(search.loss(numbers, {**better, name: more}), name, more)
                 for name in map(str, range(10, 54)) if name not in better for more in CORRECTIONS]  # fmt: skip
        loss, name, more = min(tried)
        if loss > best - WORTH_A_RULE:
            return
        best, better[name] = loss, more
        print(f"station {name}: {more:+d}: {loss:.3f}")


if __name__ == "__main__":
    main()
