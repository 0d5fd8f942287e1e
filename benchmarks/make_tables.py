"""Make the tables that ship, and their entries in the manifest: ``python benchmarks/make_tables.py [GAME ...]``."""

from __future__ import annotations

import argparse
import hashlib
import json
from typing import Any

from wanted import told_in_words

from sekisho.agents import store
from sekisho.agents.exact import quoridor_solver, quoridor_table
from sekisho.agents.exact.policies import Arena
from sekisho.agents.exact.tokaido_library import command
from sekisho.agents.exact.tokaido_solver import solve
from sekisho.agents.exact.tokaido_table import TokaidoTable, identity
from sekisho.envs.files import write_text_atomically
from sekisho.envs.quoridor.rules import Quoridor
from sekisho.envs.tokaido.rules import Tokaido

MODES = [(forks, goal) for forks in ("three", "miya") for goal in ("exact", "over")]

BOARDS = [(3, fences) for fences in range(1, 5)] + [(4, fences) for fences in range(1, 3)]
"""Boards of Quoridor: squares on a side, fences each."""


def board_entry(size: int, fences: int) -> dict[str, Any]:
    """Solve a board of Quoridor, write its table and return its entry."""
    game = quoridor_table.solved_game(Quoridor(board_size=size, fences=fences))
    table = quoridor_solver.solve(game)
    table.facts = {name: fact for name, fact in table.facts.items() if name != "seconds"}
    path = store.FOLDER / f"quoridor_{size}_{fences}.safetensors"
    table.save(path)
    plies = table.plies(game.new_initial_state())
    return {
        "file": path.name,
        "kind": "table",
        **quoridor_table.identity(game),
        "recipe": f"sekisho solve quoridor --rules board_size={size},fences={fences} --output checkpoints/{path.name}",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "strength": {"value": (plies > 0) - (plies < 0), "plies": abs(plies)},
    }


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


MAKERS = {
    "quoridor": lambda: [board_entry(*board) for board in BOARDS],
    "tokaido": lambda: [entry(forks, goal) for forks, goal in MODES],
}


def main() -> None:
    """Solve, write the tables and the manifest."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"{' and '.join(MAKERS)}, by default all")
    games = parser.parse_args().games or list(MAKERS)
    for game in games:
        if game not in MAKERS:
            parser.error(f"there are tables of {' and '.join(MAKERS)}, not of {game!r:.40}")
    with told_in_words(parser):
        entries = [e for e in store.manifest() if e["kind"] != "table" or e["game"] not in games]
        for game in dict.fromkeys(games):
            entries += MAKERS[game]()
        write_text_atomically(store.FOLDER / "manifest.json", json.dumps({"entries": entries}, indent=2) + "\n")


if __name__ == "__main__":
    main()
