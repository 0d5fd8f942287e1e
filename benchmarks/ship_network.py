"""Put a network for Tokaido into checkpoints/ with an entry in the manifest: ``python benchmarks/ship_network.py FILE``.

Measured on the way: the exact loss against perfect play with two players, alone and with a turn of expectimax on it.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

from sekisho.agents import make_agent, store
from sekisho.agents.exact.policies import Arena
from sekisho.agents.networks.files import read_network
from sekisho.envs.files import write_bytes_atomically, write_text_atomically
from sekisho.envs.tokaido.rules import Tokaido

NAME = "tokaido"
CARD = "docs/models/tokaido.md"


def loss(arena: Arena, spec: str) -> float:
    """Return what an agent loses against perfect play, in percentage points of the chance to win."""
    seats, _ = arena.meet(arena.ask(make_agent(spec)), arena.perfect())
    return round(-50 * float(seats.mean()), 4)


def main() -> None:
    """Copy, measure, list."""
    source = Path(sys.argv[1])
    network = read_network(source)
    strength: dict[str, dict[str, float]] = {}
    for forks in network.rules["forks"]:
        for goal in network.rules["goal"]:
            arena = Arena(Tokaido(forks=forks, goal=goal))
            spec = f"net:checkpoint={source}"
            found = {"exact_loss_pp": loss(arena, spec)}
            found["exact_loss_pp_expectimax_1"] = loss(arena, f"expectimax:turns=1,leaf=({spec})")
            strength[f"2 players, {forks}, {goal}"] = found
            print(forks, goal, found, flush=True)
    content = source.read_bytes()
    entry = {
        "file": f"{NAME}.safetensors",
        "kind": "network",
        "game": network.game,
        "encoding": f"observation-{network.version}",
        "rules": {name: list(values) for name, values in network.rules.items()},
        "recipe": f"see {CARD}",
        "sha256": hashlib.sha256(content).hexdigest(),
        "strength": strength,
    }
    entries = [one for one in store.manifest() if one["file"] != entry["file"]]
    write_bytes_atomically(store.FOLDER / entry["file"], content)
    write_text_atomically(store.FOLDER / "manifest.json", json.dumps({"entries": [*entries, entry]}, indent=2) + "\n")


if __name__ == "__main__":
    main()
