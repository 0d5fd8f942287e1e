"""Make the tables of Tokaido that ship, and their entries in the manifest: ``python benchmarks/make_tables.py``."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sekisho.agents import store
from sekisho.agents.exact.policies import Arena
from sekisho.agents.exact.tokaido_library import command
from sekisho.agents.exact.tokaido_solver import solve
from sekisho.agents.exact.tokaido_table import TokaidoTable, identity
from sekisho.envs.files import write_text_atomically
from sekisho.envs.tokaido.rules import Tokaido

MODES = [(forks, goal) for forks in ("three", "miya") for goal in ("exact", "over")]


def strength(table: TokaidoTable) -> dict[str, float]:
    """Return what the choices of a table win against each other, and how sure its values are."""
    arena = Arena(table.game)
    policy = arena.chosen(table.choices)
    (first, second), _ = arena.meet(policy, policy)
    wins = {"win_first": (1 + first) / 2, "win_second": (1 + second) / 2}
    return {**wins, "exact_loss_pp": 0.0, "residual": float(table.facts["residual"])}


def entry(forks: str, goal: str) -> dict[str, Any]:
    """Solve a mode, write its table and return its entry."""
    game = Tokaido(forks=forks, goal=goal)
    table = solve(game)
    table.facts = {name: fact for name, fact in table.facts.items() if name != "seconds"}  # the same file every time
    path = store.FOLDER / f"tokaido_2_{forks}_{goal}.safetensors"
    table.save(path)
    return {
        "file": path.name,
        "kind": "table",
        **identity(game, table.utility),
        "recipe": f"{command(game, table.utility)} --output checkpoints/{path.name}",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "strength": strength(table),
    }


if __name__ == "__main__":
    others = [e for e in store.manifest() if (e["kind"], e["game"]) != ("table", "tokaido")]
    entries = others + [entry(forks, goal) for forks, goal in MODES]
    write_text_atomically(store.FOLDER / "manifest.json", json.dumps({"entries": entries}, indent=2) + "\n")
