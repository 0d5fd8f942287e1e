"""Where everything lies in the picture of the Tokaido: the road winds from Edo, upper right, to Kyoto, lower left.

All measures are in units of the picture; a station's card and its place are named by the number of the station, those
of a detour as ``9d2``.
"""

from __future__ import annotations

from .road import ROAD
from .view import View, names_of

Point = tuple[float, float]

WIDTH, HEIGHT = 1240, 1160
PER_ROW = 11  # stations
COLUMN = 107  # from a station to the next
CARD, DETOUR_CARD = (91, 100), (78, 76)  # width and height
EAST = WIDTH - (WIDTH - PER_ROW * COLUMN) / 2 - COLUMN / 2  # centre of the easternmost column
DETOUR_COLUMN = 84
LANE = 62  # from the centre of a detour's cards to the upper edge of the row below
ROW_TOPS = (168, 314, 530, 746, 900)  # upper edges of the rows; above the first, third and fourth runs a detour


def column_of(station: int) -> int:
    """Return the column of a station, from 0 in the east; rows run to and fro."""
    row, index = divmod(station, PER_ROW)
    return index if row % 2 == 0 else PER_ROW - 1 - index


def heading_of(station: int) -> int:
    """Return the direction in which the road runs in the row of a station: -1 to the west, 1 to the east."""
    return 1 if station // PER_ROW % 2 else -1


def top_of(station: int) -> float:
    """Return the upper edge of the card of a station."""
    return ROW_TOPS[station // PER_ROW]


def centre(station: int) -> Point:
    """Return the centre of the card of a station."""
    return EAST - COLUMN * column_of(station), top_of(station) + CARD[1] / 2


def detour_centres(fork: int) -> list[Point]:
    """Return the centres of the cards of a detour, in walking order, in the lane above the row of its fork."""
    x, _ = centre(fork)
    heading, number = heading_of(fork), len(ROAD.forks[fork].detour_stations)
    middle = x + heading * COLUMN / 2
    xs = [middle + heading * DETOUR_COLUMN * (index - (number - 1) / 2) for index in range(number)]
    low, high = DETOUR_CARD[0] / 2 + 24, WIDTH - DETOUR_CARD[0] / 2 - 24
    shift = max(low - min(xs), 0) + min(high - max(xs), 0)
    return [(at + shift, top_of(fork) - LANE) for at in xs]


def cards(view: View) -> dict[str, Point]:
    """Return the centre of every card that is drawn, by place."""
    found = {str(station): centre(station) for station in range(len(ROAD.stations))}
    for fork in view.forks.values():
        places = [place for place, _ in names_of(fork)]
        found |= zip(places, detour_centres(fork.station), strict=True)
    return found


def main_road() -> str:
    """Return the path of the main road."""
    steps = []
    for station in range(len(ROAD.stations)):
        x, y = centre(station)
        bends = station and station % PER_ROW == 0
        if bends:  # a half circle outside the column
            side = -heading_of(station) * (COLUMN / 2 - 6)
            upper = centre(station - 1)[1]
            steps.append(f"C{x + side:g} {upper + 20:g} {x + side:g} {y - 20:g} {x:g} {y:g}")
        else:
            steps.append(f"{'L' if station else 'M'}{x:g} {y:g}")
    return "".join(steps)


def detour_road(fork: int, rejoins: int) -> str:
    """Return the path of a detour from its fork to the station where it ends."""
    (x, y), (end_x, end_y) = centre(fork), centre(rejoins)
    stops = detour_centres(fork)
    (first_x, lane), (last_x, _) = stops[0], stops[-1]
    start = f"M{x:g} {y:g}C{x:g} {lane + 40:g} {first_x:g} {lane + 30:g} {first_x:g} {lane:g}H{last_x:g}"
    if top_of(rejoins) == top_of(fork):
        return start + f"C{last_x:g} {lane + 30:g} {end_x:g} {lane + 40:g} {end_x:g} {end_y:g}"
    outside = end_x + heading_of(fork) * (CARD[0] / 2 + 7)  # round the end of the row
    return (
        start + f"H{outside + 14:g}Q{outside:g} {lane:g} {outside:g} {lane + 14:g}V{end_y - 14:g}L{end_x:g} {end_y:g}"
    )


def crossing_way(fork: int) -> tuple[str, Point]:
    """Return the path of a crossing, below the row of its fork, and where its name stands."""
    far = ROAD.forks[fork].far_side
    (x, y), (end_x, end_y) = centre(fork), centre(far)
    low = y + CARD[1] / 2
    if top_of(far) != top_of(fork):
        start, end = x - 18, end_x + 26
        path = f"M{start:g} {low + 2:g}C{start:g} {low + 26:g} {end:g} {low + 14:g} {end:g} {end_y - CARD[1] / 2 - 5:g}"
        return path, (x + 108, low + 22)
    deep = low + (46 if abs(end_x - x) > COLUMN else 32)
    end = end_x - heading_of(fork) * 18
    path = f"M{x:g} {low + 2:g}C{x:g} {deep:g} {end:g} {deep:g} {end:g} {low + 5:g}"
    return path, ((x + end) / 2, deep + 4)
