"""Put a network into checkpoints/ with an entry in the manifest: ``python benchmarks/ship_network.py FILE [NAME]``.

NAME is how it is called in ``net:checkpoint=NAME``, by default as its game; it takes the place of the one of that name.
Measured on the way:

* Tokaido: the exact loss against perfect play with two players, alone and with a turn of expectimax on it, and the place
  points against the equilibrium with three;
* Quoridor: 100 games as the leaf of `alphabeta` against its evaluation by hand, 3000 positions a move each, and 400 games
  alone against `heuristic`; with four players 100 games as the leaf of one `mcts` against three without it, 500
  simulations a move each; on boards that are solved the share of positions whose value is kept with 100 simulations a move.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

from one_against_three import one_against_three
from wanted import told_in_words

from sekisho.agents import make_agent, store
from sekisho.agents.exact.policies import Arena
from sekisho.agents.networks.files import StoredNetwork, read_network
from sekisho.arena.tournament import Tournament, play_all, schedule, scores_of_first
from sekisho.cli.main import main as sekisho
from sekisho.envs.errors import OptionError
from sekisho.envs.files import write_bytes_atomically, write_text_atomically
from sekisho.envs.quoridor.rules import Quoridor
from sekisho.envs.tokaido.rules import Tokaido

ALONE_GAMES = 400
GAMES, OPENINGS, NODES, SIMULATIONS, FOUR_SIMULATIONS = 100, 4, 3000, 100, 500


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
    found = evaluated("tokaido", "--players", "3", "--agent", f"net:checkpoint={source}")
    strength["3 players, three, exact"] = {"place_points": round(sum(found["values"]) / 3, 5)}
    return strength


def evaluated(*words: str) -> dict[str, Any]:
    """Return what `sekisho evaluate` says."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        status = sekisho(["evaluate", *words, "--json"])
    if status:
        sys.exit(status)
    found: dict[str, Any] = json.loads(said.getvalue())
    return found


def of_quoridor(network: StoredNetwork, source: Path) -> dict[str, Any]:
    """Return the share of games won against the evaluation by hand, or the share of values that are kept."""
    if network.rules["players"] == (4,):
        if network.config.kind != "nnue":
            sys.exit("with four players only a network of kind nnue is measured, as the leaf of mcts")
        spec = f"mcts:simulations={FOUR_SIMULATIONS},rivals=2,exploration=0.3,leaf=(net:checkpoint={source})"
        wins = one_against_three(spec, f"mcts:simulations={FOUR_SIMULATIONS}", GAMES, OPENINGS, 0).wins
        found = {"games": GAMES, "won": sum(wins)}
        print(found)
        return {f"leaf of mcts, one against three without it, {FOUR_SIMULATIONS} simulations a move": found}
    if network.config.kind != "nnue":
        (size,), (fences,) = network.rules["board_size"], network.rules["fences"]
        spec = f"net:checkpoint={source},simulations={SIMULATIONS}"
        rules = f"board_size={size},fences={fences}"
        found = evaluated("quoridor", "--rules", rules, "--agent", spec, "--positions", "3000", "--games", "200")
        shares = {"in its games with itself": found["kept_in_self_play"], "of all positions": found["kept"]}
        print(shares)
        return {
            f"values kept with {SIMULATIONS} simulations {where}": {key: share[key] for key in ("share", "positions")}
            for where, share in shares.items()
        }
    spec = f"net:checkpoint={source}"
    leaf = (f"alphabeta:nodes={NODES},leaf=({spec})", f"alphabeta:nodes={NODES}")
    return {
        f"leaf of alphabeta against its evaluation by hand, {NODES} nodes a move": match(leaf, GAMES),
        "alone against heuristic": match((spec, "heuristic"), ALONE_GAMES),
    }


def match(agents: tuple[str, str], games: int) -> dict[str, Any]:
    """Return the score of the first of two agents."""
    tournament = Tournament(Quoridor(), agents, games, OPENINGS)
    scores = scores_of_first(tournament, list(play_all(tournament, list(schedule(tournament)))))
    found = {"games": games, "score": round(sum(scores) / len(scores), 3)}
    print(*agents, found)
    return found


MEASURES = {"quoridor": of_quoridor, "tokaido": of_tokaido}


def main() -> None:
    """Copy, measure, list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE", help="a network")
    parser.add_argument("name", nargs="?", metavar="NAME", help="how it is called; default: as its game")
    options = parser.parse_args()
    if options.name is not None and not re.fullmatch(r"\w[\w.-]*", options.name):
        parser.error(f"NAME must be a plain word, with no folder, not {options.name!r:.40}")
    with told_in_words(parser):
        ship(options.file, options.name)


def ship(source: Path, name: str | None) -> None:
    """Measure a network and put it in its place."""
    network = read_network(source)
    if network.game not in MEASURES:
        raise OptionError(f"{source} plays {network.game}: networks of {' and '.join(MEASURES)} ship")
    content = source.read_bytes()
    entry = {
        "file": f"{name or network.game}.safetensors",
        "kind": "network",
        "game": network.game,
        "encoding": f"observation-{network.version}",
        "rules": {option: list(values) for option, values in network.rules.items()},
        "recipe": f"see docs/models/{network.game}.md",
        "sha256": hashlib.sha256(content).hexdigest(),
        "strength": MEASURES[network.game](network, source),
    }
    entries = [one for one in store.manifest() if one["file"] != entry["file"]]
    write_bytes_atomically(store.FOLDER / entry["file"], content)
    write_text_atomically(store.FOLDER / "manifest.json", json.dumps({"entries": [*entries, entry]}, indent=2) + "\n")


if __name__ == "__main__":
    main()
