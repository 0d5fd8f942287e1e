"""Put a network into checkpoints/ with an entry in the manifest: ``python benchmarks/ship_network.py FILE``.

It takes the place of the one of its game. Measured on the way:

* Tokaido: the exact loss against perfect play with two players, alone and with a turn of expectimax on it;
* Quoridor: 100 games as the leaf of `alphabeta` against its evaluation by hand, 3000 positions a move each.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from sekisho.agents import make_agent, store
from sekisho.agents.exact.policies import Arena
from sekisho.agents.networks.files import StoredNetwork, read_network
from sekisho.arena.tournament import Tournament, play_all, schedule, scores_of_first
from sekisho.envs.files import write_bytes_atomically, write_text_atomically
from sekisho.envs.quoridor.rules import Quoridor
from sekisho.envs.tokaido.rules import Tokaido

GAMES, OPENINGS, NODES = 100, 4, 3000


def loss(arena: Arena, spec: str) -> float:
    """Return what an agent loses against perfect play, in percentage points of the chance to win."""
    seats, _ = arena.meet(arena.ask(make_agent(spec)), arena.perfect())
    return round(-50 * float(seats.mean()), 4)


def of_tokaido(network: StoredNetwork, source: Path) -> dict[str, Any]:
    """Return the exact losses by table and rules."""
    strength: dict[str, Any] = {}
    for forks in network.rules["forks"]:
        for goal in network.rules["goal"]:
            arena = Arena(Tokaido(forks=forks, goal=goal))
            spec = f"net:checkpoint={source}"
            found = {"exact_loss_pp": loss(arena, spec)}
            found["exact_loss_pp_expectimax_1"] = loss(arena, f"expectimax:turns=1,leaf=({spec})")
            strength[f"2 players, {forks}, {goal}"] = found
            print(forks, goal, found, flush=True)
    return strength


def of_quoridor(_network: StoredNetwork, source: Path) -> dict[str, Any]:
    """Return the share of games won against the evaluation by hand."""
    agents = (f"alphabeta:nodes={NODES},leaf=(net:checkpoint={source})", f"alphabeta:nodes={NODES}")
    tournament = Tournament(Quoridor(), agents, GAMES, OPENINGS)
    scores = scores_of_first(tournament, list(play_all(tournament, list(schedule(tournament)))))
    found = {"games": GAMES, "score": round(sum(scores) / len(scores), 3)}
    print(found)
    return {f"leaf of alphabeta against its evaluation by hand, {NODES} nodes a move": found}


def main() -> None:
    """Copy, measure, list."""
    source = Path(sys.argv[1])
    network = read_network(source)
    content = source.read_bytes()
    entry = {
        "file": f"{network.game}.safetensors",
        "kind": "network",
        "game": network.game,
        "encoding": f"observation-{network.version}",
        "rules": {name: list(values) for name, values in network.rules.items()},
        "recipe": f"see docs/models/{network.game}.md",
        "sha256": hashlib.sha256(content).hexdigest(),
        "strength": {"quoridor": of_quoridor, "tokaido": of_tokaido}[network.game](network, source),
    }
    entries = [one for one in store.manifest() if one["file"] != entry["file"]]
    write_bytes_atomically(store.FOLDER / entry["file"], content)
    write_text_atomically(store.FOLDER / "manifest.json", json.dumps({"entries": [*entries, entry]}, indent=2) + "\n")


if __name__ == "__main__":
    main()
