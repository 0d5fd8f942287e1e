"""Make ``docs/strength.md`` anew: who is how strong, and how quick, in every game.

    python benchmarks/make_strength.py                               # measures what is missing: hours
    python benchmarks/make_strength.py --only tokaido --games 100    # a part of it
    python benchmarks/make_strength.py --page-only                   # from the results that are there

Results are kept in ``benchmarks/results/strength.jsonl``. What is there is not measured again, unless another network of
the same name ships or ``--again`` is given; a run that is stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.progress import Progress
from strength_cells import Cell, Chances, Loss, Meeting, Rules, SolvedBoard, plays, seconds_of
from strength_page import Ladder, Plan, Quality, page_of
from strength_results import OutOfBudget, Results, here
from wanted import amount, count

from sekisho.agents import store
from sekisho.envs.errors import SekishoError
from sekisho.envs.files import write_text_atomically

ROOT = Path(__file__).resolve().parent.parent
RESULTS, PAGE = ROOT / "benchmarks" / "results" / "strength.jsonl", ROOT / "docs" / "strength.md"

NETWORK = "{network}"
"""Stands in a spec string for every network that ships for the game and can play so."""
NEIGHBOURS = 2
"""An agent meets so many of those that follow it in its list."""

LADDERS: dict[str, Ladder] = {
    "quoridor": Ladder("quoridor", (), 40, (
        "random", "shortest_path", "heuristic", "mcts:simulations=100", "net:checkpoint={network}",
        "mcts:simulations=1000", "mcts:seconds=0.1", "alphabeta:seconds=0.01",
        "alphabeta:seconds=0.01,leaf=(net:checkpoint=quoridor)", "mcts:seconds=1", "alphabeta:seconds=0.1",
        "alphabeta:seconds=0.1,leaf=(net:checkpoint=quoridor)", "alphabeta:seconds=1",
        "alphabeta:seconds=1,leaf=(net:checkpoint=quoridor)",
    )),
    "quoridor_4": Ladder("quoridor", (("players", 4),), 56, (
        "random", "shortest_path", "heuristic", "net:checkpoint={network}", "mcts:simulations=100",
        "mcts:simulations=1000", "mcts:simulations=1000,rivals=2,exploration=0.3,leaf=(net:checkpoint={network})",
        "mcts:seconds=0.1", "mcts:seconds=0.1,rivals=2,exploration=0.3,leaf=(net:checkpoint={network})", "mcts:seconds=1",
        "mcts:seconds=1,rivals=2,exploration=0.3,leaf=(net:checkpoint={network})",
    )),
    "tokaido": Ladder("tokaido", (), 400, (
        "smaller", "random", "larger", "pocket", "heuristic", "mcts:simulations=100", "mcts:simulations=1000",
        "expectimax:turns=0", "expectimax:turns=1", "net:checkpoint={network}", "expectimax:turns=2",
        "expectimax:turns=1,leaf=(net:checkpoint={network})", "exact",
    )),
    "tokaido_3": Ladder("tokaido", (("players", 3),), 300, (
        "smaller", "random", "larger", "pocket", "heuristic", "mcts:simulations=100", "mcts:simulations=1000",
        "expectimax:turns=1", "expectimax:turns=2", "net:checkpoint={network}",
        "expectimax:turns=1,leaf=(net:checkpoint={network})", "exact",
    )),
    "tokaido_5": Ladder("tokaido", (("players", 5),), 300, (
        "smaller", "random", "larger", "pocket", "heuristic", "mcts:simulations=100", "mcts:simulations=1000",
        "expectimax:turns=1", "expectimax:turns=2", "net:checkpoint={network}",
        "expectimax:turns=1,leaf=(net:checkpoint={network})",
    )),
}  # fmt: skip
"""Who meets whom for a rating: a word for ``--only``, the game, its options, games a meeting, agents from the weakest on."""

MODES: tuple[Rules, ...] = tuple(
    (("forks", forks), ("goal", goal)) for forks in ("three", "miya") for goal in ("exact", "over")
)
LOSSES: dict[str, Quality] = {
    "tokaido_loss": Quality(MODES, (
        "smaller", "random", "larger", "pocket", "heuristic", "expectimax:turns=0", "expectimax:turns=1",
        "expectimax:turns=2", "net:checkpoint={network}", "expectimax:turns=1,leaf=(net:checkpoint={network})",
    )),
    "tokaido_3_loss": Quality(((("players", 3),),), ("larger", "heuristic", "net:checkpoint={network}")),
}  # fmt: skip
"""Who is asked for every decision of the solved games of Tokaido."""

BOARDS: dict[str, Quality] = {
    "quoridor_board": Quality(((("board_size", 4), ("fences", 2)),), (
        "random", "shortest_path", "heuristic", "mcts:simulations=100", "mcts:simulations=1000", "alphabeta:nodes=100",
        "alphabeta:nodes=1000", "alphabeta:seconds=0.01",
    )),
    "quoridor_5x5_1": Quality(((("board_size", 5), ("fences", 1)),), (
        "heuristic", "mcts:simulations=100", "alphabeta:nodes=100", "net:checkpoint={network},simulations=100",
    )),
    "quoridor_5x5_2": Quality(((("board_size", 5), ("fences", 2)),), (
        "heuristic", "mcts:simulations=100", "alphabeta:nodes=100", "net:checkpoint={network},simulations=100",
    )),
}  # fmt: skip
"""Who plays the solved boards of Quoridor."""
POSITIONS, GAMES_WITH_PERFECT_PLAY = 2000, 40

SEATS = range(2, 7)
"""Tables of picture sugoroku."""


def plan(games: int | None = None) -> Plan:
    """Return all that is to be measured, by the words of ``--only``.

    Args:
        games: of every meeting; default: as the lists say.
    """
    ladders = {
        word: ladder._replace(agents=_named(ladder.agents, ladder.game, ladder.rules), games=games or ladder.games)
        for word, ladder in LADDERS.items()
    }
    losses = {
        word: asked._replace(agents=_named(asked.agents, "tokaido", asked.rules[0])) for word, asked in LOSSES.items()
    }
    boards = {
        word: asked._replace(agents=_named(asked.agents, "quoridor", asked.rules[0])) for word, asked in BOARDS.items()
    }
    cells: dict[str, list[Cell]] = {word: list(_meetings(ladder)) for word, ladder in ladders.items()}
    for word, asked in losses.items():
        cells[word] = [Loss(rules, agent) for rules in asked.rules for agent in asked.agents]
    for word, asked in boards.items():
        cells[word] = [
            SolvedBoard(rules, agent, POSITIONS, GAMES_WITH_PERFECT_PLAY)
            for rules in asked.rules
            for agent in asked.agents
        ]
    cells["picture_sugoroku"] = [Chances((("players", players),)) for players in SEATS]
    return Plan(ladders, losses, boards, cells)


def _named(agents: Sequence[str], game: str, rules: Rules) -> tuple[str, ...]:
    """Put every network that ships for a game in its place, where it can play so."""
    networks = sorted(name for name, entry in store.shipped_networks().items() if entry["game"] == game)
    named = []
    for spec in agents:
        specs = [spec.replace(NETWORK, network) for network in networks] if NETWORK in spec else [spec]
        named += [each for each in specs if NETWORK not in spec or plays(each, game, rules)]
    return tuple(named)


def _meetings(ladder: Ladder) -> Iterator[Meeting]:
    for place, agent in enumerate(ladder.agents):
        for other in ladder.agents[place + 1 : place + 1 + NEIGHBOURS]:
            yield Meeting(ladder.game, ladder.rules, (agent, other), ladder.games)


def measure(cells: Sequence[Cell], results: Results, again: bool = False) -> None:
    """Measure what is missing, and keep it whatever happens.

    Args:
        cells: what is wanted.
        results: where it is kept.
        again: forget what is there of these cells, and measure them anew.

    Raises:
        OutOfBudget: if the processor time is spent.
    """
    try:
        with Progress(disable=not sys.stderr.isatty()) as bar:
            for cell in bar.track(cells, description="cells"):
                record = None if again else results.find(cell.key())
                if record and cell.is_done(record):
                    continue
                if record is None or not here().items() <= record.items():  # begun elsewhere: times would be mixed
                    record = results.new(cell.key())
                results.require_budget()
                cell.measure(record, results)
    finally:
        results.save()


def main(words: Sequence[str] | None = None) -> int:
    """Measure, write the page, and return an exit status."""
    full = plan()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--only", nargs="+", choices=sorted(full.cells), metavar="PART", help=", ".join(full.cells))
    parser.add_argument("--games", type=count(), help="of every meeting (default: as the lists say)")
    parser.add_argument(
        "--max-seconds", type=amount(), default=float("inf"), help="leave out who takes longer for a move"
    )
    parser.add_argument(
        "--minutes", type=amount(zero=True), default=float("inf"), help="of processor time, after which it stops"
    )
    parser.add_argument("--again", action="store_true", help="measure what is there anew")
    parser.add_argument("--page-only", action="store_true", help="measure nothing")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file of the results")
    parser.add_argument("--page", type=Path, default=PAGE, help="file of the page")
    options = parser.parse_args(words)
    try:
        results = Results(options.results, 60 * options.minutes)
        if not options.page_only:
            wanted = plan(options.games).cells
            chosen = [cell for word in options.only or wanted for cell in wanted[word]]
            quick = [cell for cell in chosen if max(map(seconds_of, cell.agents), default=0) <= options.max_seconds]
            measure(quick, results, options.again)
            results.drop_all_but([cell.key() for part in wanted.values() for cell in part])
            results.save()
        write_text_atomically(options.page, page_of(full, results))
    except OutOfBudget:
        write_text_atomically(options.page, page_of(full, results))
        print("stopped after its processor time; the same command goes on", file=sys.stderr)
    except KeyboardInterrupt:
        print("stopped; the same command goes on", file=sys.stderr)
        return 130
    except (SekishoError, OSError) as error:
        print(f"make_strength: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
