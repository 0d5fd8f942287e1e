"""Who meets whom on which seat, that the same tournament is the same games, and standings worked out by hand."""

from __future__ import annotations

import itertools
import json
import math
import multiprocessing
from collections import Counter
from contextlib import closing
from typing import Any

import pytest

from sekisho.agents import make_agent
from sekisho.arena.executors import Executor
from sekisho.arena.processes import Processes
from sekisho.arena.records import GameRecord
from sekisho.arena.report import standings_document
from sekisho.arena.tournament import (
    Pairing,
    Result,
    Standing,
    Tournament,
    num_games,
    play,
    play_all,
    ranks,
    schedule,
    seatings,
    standings,
    unbalanced,
)
from sekisho.envs import Game, load_game
from sekisho.envs.errors import AgentError, OptionError, SekishoError, UnknownNameError
from support.dice_race import DiceRace

DUEL = load_game("quoridor", board_size=5, fences=2)
TABLE = load_game("quoridor", players=4, board_size=5, fences=1)
THREE = ("heuristic", "random", "shortest_path")


@pytest.fixture
def made_up_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any name is an agent that plays at random."""
    monkeypatch.setattr("sekisho.arena.tournament.make_agent", lambda spec: make_agent("random"))


def rotations(seating: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [seating[turn:] + seating[:turn] for turn in range(len(seating))]


def surjections(agents: int, seats: int) -> int:
    """Arrangements of `agents` on `seats` that miss nobody, by inclusion and exclusion."""
    return sum((-1) ** k * math.comb(agents, k) * (agents - k) ** seats for k in range(agents + 1))


# --- seatings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("agents", "seats"), [(2, 2), (2, 3), (2, 4), (3, 3), (3, 4), (4, 4)])
def test_the_seatings_are_all_arrangements_that_miss_nobody_and_give_everybody_every_seat_equally_often(
    agents: int, seats: int
) -> None:
    names = tuple("ABCD"[:agents])
    ways = seatings(names, seats)
    assert set(ways) == {way for way in itertools.product(names, repeat=seats) if set(way) == set(names)}
    assert len(ways) == len(set(ways)) == surjections(agents, seats)
    for seat in range(seats):
        assert set(Counter(way[seat] for way in ways).values()) == {len(ways) // agents}


def test_two_agents_fill_a_table_of_four_in_fourteen_ways() -> None:
    ways = seatings(("A", "B"), 4)
    assert len(ways) == 14
    assert [Counter(way[seat] for way in ways)["A"] for seat in range(4)] == [7, 7, 7, 7]
    assert Counter(way.count("A") for way in ways) == {1: 4, 2: 6, 3: 4}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_as_many_agents_as_seats_sit_in_all_orders_and_rotate_first(seats: int) -> None:
    names = tuple("ABCD"[:seats])
    ways = seatings(names, seats)
    assert sorted(ways) == sorted(itertools.permutations(names))
    assert ways[:seats] == rotations(names)
    for begin in range(0, len(ways), seats):
        assert ways[begin : begin + seats] == rotations(ways[begin])


# --- schedules -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "agents", "games", "tables"),
    [
        (DUEL, THREE[:2], 7, 1),
        (DUEL, THREE, 10, 3),
        (TABLE, THREE[:2], 14, 1),
        (TABLE, THREE, 36, 1),
        (TABLE, tuple("ABCDEF"), 2, 15),
        (DiceRace(players=3), tuple("ABCD"), 6, 4),
    ],
)
@pytest.mark.usefixtures("made_up_agents")
def test_the_schedule_has_the_games_asked_for_of_every_table(
    game: Game, agents: tuple[str, ...], games: int, tables: int
) -> None:
    tournament = Tournament(game, agents, games)
    pairings = list(schedule(tournament))
    assert num_games(tournament) == len(pairings) == tables * games
    assert Counter(pairing.table for pairing in pairings) == dict.fromkeys(range(tables), games)
    for table in range(tables):
        own = [pairing for pairing in pairings if pairing.table == table]
        assert [pairing.number for pairing in own] == list(range(games))
        assert len({frozenset(pairing.seats) for pairing in own}) == 1


def test_every_pair_of_agents_has_a_table_at_a_duel_and_each_opening_both_colours() -> None:
    pairings = list(schedule(Tournament(DUEL, THREE, 6)))
    assert {frozenset(pairing.seats) for pairing in pairings} == set(map(frozenset, itertools.combinations(THREE, 2)))
    for table, number in itertools.product(range(3), range(3)):
        first, second = [p.seats for p in pairings if (p.table, p.round) == (table, number)]
        assert first == second[::-1]


@pytest.mark.parametrize(("games", "multiple"), [(14, 0), (28, 0), (1, 14), (13, 14), (15, 14)])
def test_games_that_do_not_fill_every_arrangement_are_noticed(games: int, multiple: int) -> None:
    assert unbalanced(Tournament(TABLE, THREE[:2], games)) == multiple
    assert unbalanced(Tournament(DUEL, THREE, games)) == (2 if games % 2 else 0)


@pytest.mark.parametrize(
    ("agents", "options", "kind", "word"),
    [
        ((), {}, OptionError, "at least two agents, apart by blanks, not 0"),
        (("random",), {}, OptionError, "at least two agents, apart by blanks, not 1"),
        (("random", "heuristic", "random"), {}, OptionError, "'random' is named twice"),
        (("random", " random "), {}, OptionError, "'random' is named twice, once as ' random '"),
        (("random", "randm"), {}, UnknownNameError, "did you mean 'random'"),
        (("random", "heuristic:depth=2"), {}, UnknownNameError, "no option 'depth'"),
        (("random", "heuristic:"), {}, OptionError, "key=value"),
        (THREE, {"games": 0}, OptionError, "games must be 1..1000000, not 0"),
        (THREE, {"games": -1}, OptionError, "games must be 1..1000000, not -1"),
        (THREE, {"games": 10**30}, OptionError, "games must be 1..1000000"),
        (THREE, {"opening_plies": -1}, OptionError, "openings must be 0..1000000, not -1"),
        (THREE, {"opening_plies": 10**30}, OptionError, "openings must be 0..1000000"),
        (THREE, {"seed": -1}, OptionError, "seed must be 0 or more, not -1"),
    ],
)
def test_a_tournament_that_makes_no_sense_is_refused_in_words(
    agents: tuple[str, ...], options: dict[str, int], kind: type[SekishoError], word: str
) -> None:
    with pytest.raises(kind) as refusal:
        Tournament(DUEL, agents, **{"games": 2} | options)
    assert word in str(refusal.value)


def test_an_agent_that_does_not_play_the_game_is_refused_before_anything_is_played() -> None:
    with pytest.raises(AgentError, match="'heuristic' does not play dice_race"):
        Tournament(DiceRace(), ("random", "heuristic"), 2)


# --- playing ---------------------------------------------------------------------------------------------------------


def records(tournament: Tournament, executor: Executor | None = None) -> list[str]:
    return [result.record.to_json() for result in play_all(tournament, list(schedule(tournament)), executor)]


@pytest.mark.parametrize("game", [DUEL, TABLE])
def test_games_of_a_round_share_their_opening_and_another_round_has_another(game: Game) -> None:
    tournament = Tournament(game, THREE[:2], 28, opening_plies=4, seed=9)
    results = list(play_all(tournament, list(schedule(tournament))))
    openings: dict[int, set[tuple[str, ...]]] = {}
    for result in results:
        assert result.record.opening == 4
        assert result.record.round == result.pairing.round
        openings.setdefault(result.record.round, set()).add(result.record.moves[:4])
    assert {len(found) for found in openings.values()} == {1}
    assert len({next(iter(found)) for found in openings.values()}) == len(openings) == 28 // (2 if game is DUEL else 14)


@pytest.mark.usefixtures("made_up_agents")
def test_dice_are_the_same_in_every_game_of_a_round_and_differ_between_rounds() -> None:
    tournament = Tournament(DiceRace(goal=40), ("one", "other"), 6, seed=8)
    thrown: dict[int, list[list[str]]] = {}
    for result in play_all(tournament, list(schedule(tournament))):
        throws = [move for move in result.record.moves if move.startswith("throw")]
        thrown.setdefault(result.record.round, []).append(throws[:15])
    assert sorted(thrown) == [0, 1, 2]
    assert all(first == second for first, second in thrown.values())
    assert thrown[0] != thrown[1] != thrown[2] != thrown[0]


def test_a_record_says_what_the_schedule_asked_for_and_can_be_played_again() -> None:
    tournament = Tournament(TABLE, THREE, 5, opening_plies=3, seed=12)
    for pairing in schedule(tournament):
        record = play(tournament, pairing).record
        assert (record.game, record.rules, record.agents) == ("quoridor", dict(TABLE.options), pairing.seats)
        assert (record.seed, record.table, record.round) == (12, pairing.table, pairing.round)
        record.replay()


def test_the_same_tournament_is_the_same_games_and_another_seed_another() -> None:
    tournament = Tournament(DUEL, THREE, 6, opening_plies=2, seed=1)
    assert records(tournament) == records(tournament)
    other = records(Tournament(DUEL, THREE, 6, opening_plies=2, seed=2))
    assert [json.loads(line)["moves"] for line in other] != [json.loads(line)["moves"] for line in records(tournament)]


def test_a_game_is_the_same_whatever_was_played_before_it() -> None:
    tournament = Tournament(DUEL, THREE, 6, opening_plies=2, seed=1)
    pairings = list(schedule(tournament))
    assert [play(tournament, pairing).record.to_json() for pairing in pairings[::-1]][::-1] == records(tournament)


def test_more_processes_play_the_same_games_in_the_same_order() -> None:
    tournament = Tournament(DUEL, THREE, 40, opening_plies=2, seed=4)
    with closing(Processes(2)) as executor:
        assert records(tournament, executor) == records(tournament)


def test_a_process_that_dies_is_replaced_and_its_games_are_played_again() -> None:
    tournament = Tournament(DUEL, THREE, 60, opening_plies=2, seed=4)
    found = []
    with closing(Processes(2)) as executor:
        for result in play_all(tournament, list(schedule(tournament)), executor):
            found.append(result.record.to_json())
            if len(found) in (5, 20, 60):
                multiprocessing.active_children()[0].kill()
    assert found == records(tournament)
    assert not multiprocessing.active_children()


# --- standings -------------------------------------------------------------------------------------------------------


def tournament_with(game: Game, outcomes: list[tuple[str, str]]) -> tuple[Any, Any]:
    """A tournament of made-up agents with made-up results: the seats' agents and the seat that won ('-' for a draw)."""
    seats = game.num_players
    results = []
    for number, (agents, winner) in enumerate(outcomes):
        paid = [0.0] * seats
        if winner != "-":
            paid = [1.0 if str(seat) == winner else -1 / (seats - 1) for seat in range(1, seats + 1)]
        record = GameRecord(
            *(game.name, dict(game.options), tuple(agents), 0, 0, number, 0, ("e2",) * (number + 1), tuple(paid)),
            end="max_plies" if winner == "-" else "goal",
        )
        seconds, decisions = tuple(0.001 * (seat + 1) for seat in range(seats)), (2,) * seats
        results.append(Result(Pairing(0, number, number, tuple(agents)), record, seconds, decisions))
    return Tournament(game, tuple(sorted({agent for agents, _ in outcomes for agent in agents})), 2), results


def table(lines: list[Standing]) -> dict[str, tuple[int, int, float]]:
    return {line.agent: (line.games, line.wins, pytest.approx(line.score)) for line in lines}


@pytest.mark.usefixtures("made_up_agents")
def test_standings_of_a_duel_worked_out_by_hand() -> None:
    outcomes = [("AB", "1"), ("BA", "1"), ("AB", "-"), ("BA", "2"), ("AC", "1"), ("CA", "2"), ("BC", "1"), ("CB", "-")]
    tournament, results = tournament_with(DUEL, outcomes)
    lines = standings(tournament, results)
    # A: won 4 of 6, drew 1; B: won 2 of 6, drew 2; C: won 0 of 4, drew 1
    assert table(lines) == {"A": (6, 4, 4.5 / 6), "B": (6, 2, 3 / 6), "C": (4, 0, 0.5 / 4)}
    assert [line.agent for line in lines] == ["A", "B", "C"]
    assert lines[0].rating > lines[1].rating > lines[2].rating
    assert sum(line.rating for line in lines) == pytest.approx(3 * 1500)
    for line in lines:
        assert line.rating_low <= line.rating <= line.rating_high
    # A sat first 3 times (1 ms for 2 decisions) and second 3 times (2 ms for 2 decisions)
    assert lines[0].milliseconds == pytest.approx((3 * 1 + 3 * 2) / 12)


@pytest.mark.usefixtures("made_up_agents")
def test_standings_of_a_table_of_four_worked_out_by_hand() -> None:
    outcomes = [("ABBB", "1"), ("BABB", "2"), ("AABB", "3"), ("ABAB", "-"), ("AAAB", "2")]
    tournament, results = tournament_with(TABLE, outcomes)
    lines = standings(tournament, results)
    # a win is worth 1, another place (-1/3 + 1) / 2 = 1/3, a draw 1/2 for everybody
    a = 1 + 1 + 2 / 3 + 2 / 2 + (1 + 2 / 3)
    b = 3 / 3 + 3 / 3 + (1 + 1 / 3) + 2 / 2 + 1 / 3
    assert table(lines) == {"A": (9, 3, a / 9), "B": (11, 1, b / 11)}
    assert [line.agent for line in lines] == ["A", "B"]
    assert a + b == pytest.approx(5 * 2)


@pytest.mark.usefixtures("made_up_agents")
def test_equal_agents_are_listed_by_name_with_equal_ratings() -> None:
    tournament, results = tournament_with(DUEL, [("BA", "1"), ("AB", "1"), ("AB", "-")])
    lines = standings(tournament, results)
    assert [(line.agent, line.score) for line in lines] == [("A", 0.5), ("B", 0.5)]
    assert lines[0].rating == pytest.approx(lines[1].rating) == pytest.approx(1500)


@pytest.mark.usefixtures("made_up_agents")
def test_an_agent_that_wins_more_has_the_higher_rating_and_stands_first() -> None:
    outcomes = [("AZ", "2")] * 3 + [("ZA", "1")] * 3 + [("AZ", "1")]
    lines = standings(*tournament_with(DUEL, outcomes))
    assert [line.agent for line in lines] == ["Z", "A"]
    assert lines[0].rating - lines[1].rating == pytest.approx(400 * math.log10(6), rel=0.02)


@pytest.mark.parametrize(
    ("returns", "expected"),
    [
        ((1.0, -1.0), (1, 2)),
        ((-1.0, 1.0), (2, 1)),
        ((0.0, 0.0), (1, 1)),
        ((-1 / 3, 1.0, -1 / 3, -1 / 3), (2, 1, 2, 2)),
        ((0.5, 1.0, -1.0, 0.5), (2, 1, 4, 2)),
    ],
)
def test_ranks_count_the_seats_that_were_paid_more(returns: tuple[float, ...], expected: tuple[int, ...]) -> None:
    assert ranks(returns) == expected


@pytest.mark.usefixtures("made_up_agents")
def test_the_document_of_the_standings_counts_games_plies_and_ends() -> None:
    tournament, results = tournament_with(DUEL, [("BA", "1"), ("AB", "1"), ("AB", "-")])
    document = standings_document(tournament, standings(tournament, results), results)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert (document["games_played"], document["mean_plies"], document["players"]) == (3, 2.0, 2)
    assert document["ends"] == {"goal": 2, "max_plies": 1}
    assert set(document["agents"][0]) >= {"agent", "games", "wins", "score", "rating", "rating_low", "rating_high"}


def test_a_tournament_of_real_agents_is_won_by_the_better_one() -> None:
    tournament = Tournament(load_game("quoridor", board_size=7, fences=5), THREE, 20, opening_plies=4, seed=2)
    lines = standings(tournament, list(play_all(tournament, list(schedule(tournament)))))
    assert [line.agent for line in lines] == ["heuristic", "shortest_path", "random"]
    assert [line.games for line in lines] == [40, 40, 40]
    assert sum(line.score for line in lines) == pytest.approx(1.5)
