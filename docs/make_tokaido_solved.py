"""Make ``docs/tokaido_solved.md`` and its pictures anew: ``python docs/make_tokaido_solved.py`` (extra ``plots``).

Everything is computed, nothing is sampled. Only what four players need, ten minutes and 3 GB, is not worked out here:
``tokaido_four_players.json`` has what ``sekisho solve`` said, with the command beside it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from numpy.typing import NDArray

from sekisho.agents import make_agent
from sekisho.agents.exact import tokaido_kernels as compiled
from sekisho.agents.exact import tokaido_library
from sekisho.agents.exact.policies import Arena, Policy
from sekisho.agents.exact.tokaido_nodes import state_at
from sekisho.agents.exact.tokaido_solver import solve, start_values
from sekisho.agents.exact.tokaido_table import TokaidoTable
from sekisho.envs.tokaido import kernels
from sekisho.envs.tokaido.road import ROAD
from sekisho.envs.tokaido.rules import OPTIONS, Tokaido
from sekisho.envs.tokaido.tables import ROLLS, SPOT_NAMES, SPOTS, station_of

FOLDER = Path(__file__).resolve().parent
GAME = Tokaido()
GOAL = ROAD.goal
INK, RED, BLUE, GREEN, SAND = "#33291f", "#c0392b", "#0072B2", "#009E73", "#E69F00"
FOUR_PLAYERS = json.loads((FOLDER / "tokaido_four_players.json").read_text(encoding="utf-8"))["runs"]
"""What was measured of four players, with the command of each run: too long to be worked out for a page."""
CRITICAL = 7.0
"""Points that the worse number costs in a critical zone."""
POINT = 50  # percentage points of the chance to win in one unit of return


class Decisions:
    """Every decision of the two-player game under perfect play: how often it comes up and what is at stake.

    Attributes (one entry a decision):
        station: of the mover.
        weight: how often a game comes to it.
        gain: what the second choice (larger number, detour) gains over the first, in percentage points.
        road: whether it is a choice of road.
    """

    def __init__(self, arena: Arena, table: TokaidoTable, policy: Policy) -> None:
        nodes, game = arena.nodes, arena.game
        self.visits = arena.visits(policy)
        words = np.array([state_at(game, int(key)).words if kind != compiled.END else np.zeros(15, np.int64)
                          for key, kind in zip(nodes.keys, nodes.kinds, strict=True)])  # fmt: skip
        self.stations = np.array([station_of(name) if name != "R" else 0 for name in SPOT_NAMES])[words[:, :2]]
        after, shift = (nodes.links // compiled.SHIFTS).clip(0), nodes.links % compiled.SHIFTS
        own = np.where(shift == 0, table.values[after, 0], table.values[after, 1]) * POINT
        first, second, weight, node = [], [], [], []
        numbers = game.rules[kernels.NUMBERS :][:42].reshape(21, 2)
        throws, roads = (np.flatnonzero(nodes.kinds == kind) for kind in (compiled.THROW, compiled.CHOOSE_ROAD))
        for roll, (low, high) in enumerate(numbers):
            node.append(throws)
            first.append(own[throws, low])
            second.append(own[throws, high])
            weight.append(self.visits[throws] * game.rules[kernels.WEIGHTS + roll] / 36)
        self.gain = np.concatenate([*second, own[roads, 1]]) - np.concatenate([*first, own[roads, 0]])
        self.weight = np.concatenate([*weight, self.visits[roads]])
        self.node = np.concatenate([*node, roads])
        self.station = self.stations[self.node, 0]
        self.rival = self.stations[self.node, 1]
        self.road = np.repeat([False, True], [21 * throws.size, roads.size])


def lead_table(table: TokaidoTable) -> NDArray[np.float64]:
    """Return the mover's chance to win by the stations of both, float64 ``[54, 54]`` (own, rival's)."""
    chances = np.empty((GOAL, GOAL))
    for own in range(GOAL):
        for rival in range(GOAL):
            state = GAME.from_text(f"{own} {rival} / 1 / turn")
            chances[own, rival] = (1 + table.seat_values(state)[0]) / 2
    return chances


def landing_worth(table: TokaidoTable, reach: int = 5) -> dict[int, float]:
    """Return what landing on each station by dice is worth, in points, against the mean of its surroundings.

    Both are meant over rivals up to `reach` stations away; the rival moves next unless the station says otherwise.
    """
    values: dict[int, float] = {}
    for station in range(1, GOAL):
        found = _way_onto(station)
        if found is None:
            continue
        place, action = found
        rivals = range(max(station - reach, 0), min(station + reach, GOAL - 1) + 1)
        texts = [f"{place} {rival} / 1 / {_roll_with(action)}" for rival in rivals]
        values[station] = float(
            np.mean([table.action_values(GAME.from_text(text))[action][0] * POINT for text in texts])
        )
    around = {s: [values[o] for o in values if o != s and abs(o - s) <= reach] for s in values}
    return {station: value - float(np.mean(around[station])) for station, value in values.items()}


def _way_onto(station: int) -> tuple[str, int] | None:
    """Return a place and an action from where dice lead exactly onto a station."""
    for action in range(6):
        for place in GAME.walker.next:
            plain = place in SPOTS and not place.endswith("c") and place not in GAME.walker.forks
            if plain and GAME.walker.landing(place, action + 1).stop == str(station):
                landing = GAME.walker.landing(place, action + 1)
                if not landing.bounced and landing.used == action + 1:
                    return place, action
    return None


def _roll_with(action: int) -> str:
    """Return a throw after which the number of an action (1 to 6) can be taken."""
    return f"[1-{action + 1}]"


def mean_of(law: NDArray[np.float64]) -> float:
    """Return the mean of a law of counts."""
    return float(law @ np.arange(law.size))


# --- pictures --------------------------------------------------------------------------------------------------------


def save(figure: Any, name: str) -> str:
    """Write a picture and return the line that shows it."""
    figure.savefig(FOLDER / "pictures" / f"{name}.svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    return f"pictures/{name}.svg"


def axes(width: float = 9.0, height: float = 3.6, rows: int = 1) -> Any:
    """Return a figure and its axes, plain and without frames."""
    figure, made = plt.subplots(rows, 1, figsize=(width, height), squeeze=False)
    for axis in made[:, 0]:
        axis.spines[["top", "right"]].set_visible(False)
        axis.set_xlim(-0.8, GOAL + 0.2)
        axis.set_xticks(range(0, GOAL + 1, 5))
    return figure, made[:, 0]


def picture_lead(chances: NDArray[np.float64]) -> str:
    """Draw who is ahead, by the stations of both."""
    figure, axis = plt.subplots(figsize=(6.8, 5.8))
    shown = axis.imshow(100 * chances.T, origin="lower", cmap="RdBu", vmin=0, vmax=100, interpolation="nearest")
    axis.contour(100 * chances.T, levels=[25, 75], colors=INK, linewidths=0.6)
    axis.contour(100 * chances.T, levels=[50], colors=INK, linewidths=1.6)
    axis.plot([0, GOAL - 1], [0, GOAL - 1], color=INK, linewidth=0.8, linestyle=":")
    for at, words in (((5, 36), "25 %"), ((13, 15), "50 %"), ((36.5, 8), "75 %"), ((23, 19), "level")):
        axis.annotate(
            words, at, fontsize=8, ha="center", va="center", bbox={"boxstyle": "round,pad=0.15", "fc": "w", "lw": 0}
        )
    axis.text(2, 50.5, "the rival is far ahead", fontsize=8, color="white")
    axis.text(51, 2, "the one to move is far ahead", fontsize=8, color="white", rotation=90, ha="center")
    for side in (axis.set_xticks, axis.set_yticks):
        side([0, 9, 23, 30, 41, 48])
    axis.set_xlabel("station of the one to move (forks 9, 30, 41; river 23; pass 48)")
    axis.set_ylabel("station of the rival")
    axis.set_title("Chance to win of the one to move", loc="left")
    figure.colorbar(shown, label="%", shrink=0.8)
    return save(figure, "tokaido_solved_lead")


def happening(station: int) -> str:
    """Return the word for what happens on a station, with where it leads; empty where nothing does."""
    if station in ROAD.forks:
        return "fork"
    event = ROAD.events.get(station)
    if event is None:
        return ""
    return event.kind if event.to is None else f"{event.kind}, to {event.to}"


def picture_stations(worth: dict[int, float]) -> str:
    """Draw what landing on each station is worth, the road from top to bottom."""
    figure, axis = plt.subplots(figsize=(7.2, 9.4))
    axis.spines[["top", "right", "left"]].set_visible(False)
    axis.axvline(0, color=INK, linewidth=0.8)
    for station, value in worth.items():
        words = happening(station)
        colour = SAND if not words else GREEN if value > 0 else RED
        axis.barh(station, value, color=colour, alpha=1.0 if words else 0.45, height=0.8)
        if words:
            axis.annotate(words, (value, station), fontsize=7, va="center", ha="left" if value > 0 else "right",
                          xytext=(3 if value > 0 else -3, 0), textcoords="offset points")  # fmt: skip
    axis.set_yticks(list(worth), [f"{ROAD.stations[s].romaji} {s}" for s in worth], fontsize=6.5)
    axis.tick_params(axis="y", length=0)
    axis.set_ylim(GOAL - 0.2, 0.2)
    axis.set_xlim(min(worth.values()) - 7, max(worth.values()) + 6)
    axis.grid(axis="x", linewidth=0.3)
    axis.set_axisbelow(True)
    axis.set_xlabel("points of chance to win")
    axis.set_title("What landing on a station is worth, against landing within five of it", loc="left")
    return save(figure, "tokaido_solved_stations")


def road_gains(table: TokaidoTable, fork: int, moment: str) -> NDArray[np.float64]:
    """Return what the crossing gains over the detour, in points, by the rival's station.

    Args:
        table: of perfect play.
        fork: station of the mover.
        moment: ``road``, the choice on arrival, which ends the turn, or ``turn``, the choice that begins a turn.
    """
    after = [table.action_values(GAME.from_text(f"{fork} {rival} / 1 / {moment}")) for rival in range(GOAL)]
    return np.array([(a[kernels.CROSSING][0] - a[kernels.DETOUR][0]) * POINT for a in after])


def later_detours(table: TokaidoTable) -> str:
    """Return in words where the detour is the better road at the start of a turn."""
    places = []
    for fork in ROAD.forks:
        gains = road_gains(table, fork, "turn")
        rivals = [rival for rival in range(GOAL) if gains[rival] < -1e-7]
        if rivals:
            most = f"by up to {-gains.min():.1f} points, on {gains.argmin()}"
            places.append(f"{ROAD.stations[fork].romaji} {fork} with the rival on {ranges(rivals)} ({most})")
    return ";\n".join(places)


def picture_roads(table: TokaidoTable) -> tuple[str, dict[int, NDArray[np.float64]]]:
    """Draw which road is right by the rival's station."""
    figure, (axis,) = axes()
    found = {}
    axis.axhspan(-10, 0, color=SAND, alpha=0.15, linewidth=0)
    for fork, colour in zip(ROAD.forks, (BLUE, RED, GREEN), strict=True):
        gains = found[fork] = road_gains(table, fork, "road")
        axis.plot(range(GOAL), gains, color=colour)
        axis.plot(fork, gains[fork], "o", color=colour)
        axis.annotate(f"{ROAD.stations[fork].romaji} {fork}", (GOAL - 1, gains[-1]), color=colour, va="center",
                      xytext=(6, 0), textcoords="offset points")  # fmt: skip
    axis.axhline(0, color=INK, linewidth=0.8)
    axis.set_ylim(min(map(min, found.values())) - 0.6, max(map(max, found.values())) + 0.6)
    axis.text(26, -1.3, "below the line the detour is better", color=INK, fontsize=8)
    axis.set_xlabel("station of the rival (dot: the fork itself)")
    axis.set_ylabel("points of chance to win")
    axis.set_title("What the crossing gains over the detour", loc="left")
    return save(figure, "tokaido_solved_roads"), found


def by_station(decisions: Decisions, of: NDArray[np.float64], where: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weighted mean of something over the decisions at each station."""
    weight = np.bincount(decisions.station[where], decisions.weight[where], minlength=GOAL)
    total = np.bincount(decisions.station[where], (decisions.weight * of)[where], minlength=GOAL)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / weight)


def zones_of(stakes: NDArray[np.float64]) -> list[range]:
    """Return the stretches of at least two stations on which the worse number costs `CRITICAL` points or more."""
    zones, first = [], None
    for station in range(GOAL + 1):
        hot = station < GOAL and stakes[station] >= CRITICAL  # not where no dice are thrown: NaN
        if hot and first is None:
            first = station
        elif not hot and first is not None:
            zones.append(range(first, station))
            first = None
    return [zone for zone in zones if len(zone) > 1]


def picture_numbers(decisions: Decisions, stakes: NDArray[np.float64]) -> str:
    """Draw where the smaller number is right, and where the choice matters."""
    figure, (upper, lower) = axes(height=5.8, rows=2)
    real = ~decisions.road & (np.abs(decisions.gain) > 1e-7)
    upper.bar(range(GOAL), 100 * by_station(decisions, decisions.gain < 0, real), color=SAND)
    upper.set_ylabel("% of the throws that matter")
    upper.set_title("How often the smaller number is right, by the station of the mover", loc="left")
    lower.bar(range(GOAL), stakes, color=RED)
    lower.axhline(CRITICAL, color=INK, linewidth=0.6, linestyle=":")
    for zone in zones_of(stakes):
        for axis in (upper, lower):
            axis.axvspan(zone[0] - 0.5, zone[-1] + 0.5, color=BLUE, alpha=0.1, linewidth=0, zorder=0)
        lower.annotate(f"{zone[0]} to {zone[-1]}", ((zone[0] + zone[-1]) / 2, np.nanmax(stakes) * 1.06), fontsize=8,
                       ha="center", color=BLUE)  # fmt: skip
    lower.set_ylim(0, np.nanmax(stakes) * 1.18)
    lower.set_ylabel("points")
    lower.set_xlabel("station of the mover (none where dice are never thrown in perfect play)")
    lower.set_title("What the worse number costs; shaded: the critical zones", loc="left")
    figure.tight_layout()
    return save(figure, "tokaido_solved_numbers")


def picture_turns(law: NDArray[np.float64], random: NDArray[np.float64]) -> str:
    """Draw how long games are."""
    figure, axis = plt.subplots(figsize=(9, 3.2))
    axis.spines[["top", "right"]].set_visible(False)
    axis.fill_between(range(len(law)), 100 * law, color=BLUE, alpha=0.35, label="perfect play")
    axis.plot(range(len(random)), 100 * random, color=RED, label="random play")
    axis.set_xlim(8, 75)
    axis.set_ylim(0)
    axis.set_xlabel("turns of both players together")
    axis.set_ylabel("% of games")
    axis.set_title("How long a game of two is", loc="left")
    axis.legend(frameon=False)
    return save(figure, "tokaido_solved_turns")


# --- tables ----------------------------------------------------------------------------------------------------------


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in rows)]
    return "\n".join(f"| {line} |" for line in lines)


def options_table(base: float) -> str:
    """Return what each option changes on its own."""
    rows = []
    for option in OPTIONS:
        if option.name in ("players", "allow_resign", "max_turns", "finish"):
            continue
        for value in option.choices[1:]:
            game = Tokaido(**{option.name: value})
            arena = Arena(game)
            table = solve(game)
            chance = (1 + start_values(table)[0]) / 2
            turns = mean_of(arena.turns_law(arena.chosen(table.choices)))
            rows.append(
                [
                    f"`{option.name}={str(value).lower()}`",
                    f"{chance:.6f}",
                    f"{100 * (chance - base):+.2f}",
                    f"{turns:.1f}",
                ]
            )
    return markdown_table(["option", "first player wins", "points more", "turns"], rows)


def modes_table() -> str:
    """Return the four modes that ship."""
    rows = []
    for forks in ("three", "miya"):
        for goal in ("exact", "over"):
            table = solve(Tokaido(forks=forks, goal=goal))
            arena = Arena(table.game)
            turns = mean_of(arena.turns_law(arena.chosen(table.choices)))
            chance = (1 + start_values(table)[0]) / 2
            rows.append([forks, goal, f"{chance:.8f}", f"{table.facts['states']:,}", f"{turns:.1f}"])
    return markdown_table(["forks", "goal", "first player wins", "turn starts", "turns a game"], rows)


def players_table() -> str:
    """Return the values of each seat for two to four players; those of four are measured, not worked out anew."""
    found = []
    for players, utility in ((2, "place_points"), (3, "place_points"), (3, "first_only")):
        game = Tokaido(players=players)
        table = tokaido_library.find(game, utility) or tokaido_library.solve_and_keep(game, utility)
        found.append({**table.facts, "utility": utility, "values": start_values(table)})
    rows = []
    for run in (*found, *FOUR_PLAYERS):
        values = " ".join(f"{value:+.6f}" for value in run["values"])
        cells = f"{run['states']:,}", f"{run['sweeps']}", f"{run['residual']:.0e}", f"{run['epsilon']:.1e}"
        rows.append([str(len(run["values"])), run["utility"], values, *cells])
    return markdown_table(
        ["players", "utility", "value of each seat", "turn starts", "sweeps", "residual", "epsilon"], rows
    )


def four_players_table() -> str:
    """Return what the runs for four players took."""
    rows = [
        [f"`{run['command']}`", f"{run['minutes']:.1f}", f"{run['processor_minutes']:.1f}", f"{run['gigabytes']:.1f}"]
        for run in FOUR_PLAYERS
    ]
    return markdown_table(["command", "minutes", "of processor time", "GB of memory"], rows)


def policies_table(arena: Arena, perfect: Policy) -> str:
    """Return what the simple agents lose."""
    rows = []
    for spec in ("heuristic", "pocket", "larger", "random", "smaller"):
        first, second = (1 + arena.meet(arena.ask(make_agent(spec)), perfect)[0]) / 2
        rows.append([f"`{spec}`", f"{first:.4f}", f"{second:.4f}", f"{50 - 50 * (first + second):.2f}"])
    return markdown_table(["agent", "wins as first", "wins as second", "loss, points"], rows)


def first_throw_table(table: TokaidoTable) -> str:
    """Return the value of each number of the first throw."""
    rows = []
    for roll, (low, high) in enumerate(ROLLS):
        state = GAME.new_initial_state().child(roll)
        values = {action: (1 + v[0]) * POINT for action, v in table.action_values(state).items()}
        best = table.choice(state, table.action_values(state))
        worth = ", ".join(f"{'**' if a == best else ''}{state.action_to_string(a)}: {v:.2f} %{'**' if a == best else ''}"
                          for a, v in values.items())  # fmt: skip
        rows.append([f"{low}-{high}", worth, f"{abs(np.subtract(*values.values())):.2f}"])
    return markdown_table(["throw", "chance to win after each number", "difference"], rows)


def page() -> str:
    """Compute everything, draw the pictures and return the page."""
    mpl.rcParams.update({"font.size": 9, "axes.edgecolor": INK, "text.color": INK, "svg.hashsalt": "sekisho"})
    table = tokaido_library.find(GAME)
    if table is None:
        raise SystemExit("the table that ships is missing")
    arena = Arena(GAME)
    perfect, random = arena.chosen(table.choices), arena.ask(make_agent("random"))
    decisions = Decisions(arena, table, perfect)
    law, random_law = arena.turns_law(perfect), arena.turns_law(random)
    worth = landing_worth(table)
    roads_picture, roads = picture_roads(table)
    base = (1 + start_values(table)[0]) / 2
    counts = np.arange(law.size)
    real = ~decisions.road & (np.abs(decisions.gain) > 1e-7)
    smaller = decisions.weight[real & (decisions.gain < 0)].sum() / decisions.weight[real].sum()
    equal = decisions.weight[~decisions.road & ~real].sum() / decisions.weight[~decisions.road].sum()
    stakes = by_station(decisions, np.abs(decisions.gain), ~decisions.road)
    zones = ", ".join(
        f"{ROAD.stations[zone[0]].romaji} {zone[0]} to {ROAD.stations[zone[-1]].romaji} {zone[-1]} "
        f"(up to {np.nanmax(stakes[zone[0] : zone[-1] + 1]):.1f})"
        for zone in zones_of(stakes)
    )
    best, worst = (sorted(worth, key=lambda s: sign * worth[s])[:6] for sign in (-1, 1))

    def named(places: Sequence[int], values: Any) -> str:
        return ", ".join(f"{ROAD.stations[s].romaji} {s} ({values[s]:+.1f})" for s in places)

    road_lines = []
    for fork, gains in roads.items():
        right = decisions.road & (decisions.station == fork)
        share = decisions.weight[right & (decisions.gain <= 1e-7)].sum() / decisions.weight[right].sum()
        detours = [rival for rival in range(GOAL) if gains[rival] < -1e-7]
        against = f"the detour is better with the rival on {ranges(detours)}" if detours else "it is never worse"
        road_lines.append(
            f"- **{ROAD.stations[fork].romaji} {fork}**: the crossing is right in {100 * share:.1f} % of the choices that "
            f"perfect play meets; with the rival level it gains {gains[fork]:+.1f} points; {against}."
        )
    return TEXT.format(
        base=f"{base:.8f}", modes=modes_table(), players=players_table(), throws=first_throw_table(table),
        lead=picture_lead(lead_table(table)), stations=picture_stations(worth), best=named(best, worth),
        worst=named(worst, worth), mean=f"{mean_of(law):.1f}", random_mean=f"{mean_of(random_law):.1f}",
        low=int(counts[np.cumsum(law) >= 0.05][0]), high=int(counts[np.cumsum(law) >= 0.95][0]),
        turns=picture_turns(law, random_law), roads=roads_picture, road_lines="\n".join(road_lines),
        later_detours=later_detours(table),
        smaller=f"{100 * smaller:.1f}", equal=f"{100 * equal:.1f}", numbers=picture_numbers(decisions, stakes),
        zones=zones, critical=f"{CRITICAL:g}", four_players=four_players_table(),
        options=options_table(base), policies=policies_table(arena, perfect),
    )  # fmt: skip


def ranges(numbers: Sequence[int]) -> str:
    """Return numbers in words: ``3 to 5, 9``."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number == groups[-1][-1] + 1:
            groups[-1].append(number)
        else:
            groups.append([number])
    return ", ".join(str(g[0]) if len(g) == 1 else f"{g[0]} to {g[-1]}" for g in groups)


TEXT = (FOLDER / "tokaido_solved.template").read_text(encoding="utf-8")

if __name__ == "__main__":
    (FOLDER / "tokaido_solved.md").write_text(page(), encoding="utf-8")
