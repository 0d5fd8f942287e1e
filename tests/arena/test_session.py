"""A game in progress: the same seed and moves are the same game, whatever was undone, saved or taken over between."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from sekisho.agents import Decision
from sekisho.arena.players import make_player
from sekisho.arena.resigning import resign_action, without_resigning
from sekisho.arena.saved import from_document, to_document
from sekisho.arena.session import CONCEDED, MAX_SEED, STAND_IN, Before, Session
from sekisho.envs import CHANCE, TERMINAL, State, load_game
from sekisho.envs.errors import AgentError, IllegalActionError, OptionError, RunError, SekishoError

GAMES = {
    "quoridor": load_game("quoridor", board_size=5, fences=2),
    "quoridor4": load_game("quoridor", players=4, board_size=5, fences=1),
    "tokaido": load_game("tokaido", players=3, allow_resign=True),
    "picture_sugoroku": load_game("picture_sugoroku", board="a_short_walk", allow_resign=True),
}
every_game = pytest.mark.parametrize("name", GAMES)


def new(name: str, *seats: str, seed: int = 7) -> Session:
    game = GAMES[name]
    return Session(game.new_initial_state(), seats or ("human",) * game.num_players, seed)


def go_on(session: Session, choose: Callable[[State], int], plies: int = 10_000) -> Session:
    """Play so many plies, or to the end; `choose` decides for people."""
    for _ in range(plies):
        if session.is_over:
            break
        if session.asks_a_person:
            session.play(choose(session.state))
        elif session.mover < 0:
            session.throw()
        else:
            session.play(session.decide().action)
    return session


def first(state: State) -> int:
    return without_resigning(state).legal_actions()[0]


def last(state: State) -> int:
    return without_resigning(state).legal_actions()[-1]


@every_game
def test_a_game_is_its_seed_and_its_choices(name: str) -> None:
    seats = ("heuristic", *["random"] * (GAMES[name].num_players - 1))
    played = [go_on(new(name, *seats, seed=seed), first).state.moves() for seed in (1, 1, 2, 3)]
    assert played[0] == played[1]
    assert len({tuple(moves) for moves in played}) > 1


@every_game
@pytest.mark.parametrize("plies", [0, 1, 5, 12])
def test_a_game_that_was_saved_goes_on_as_it_would_have(name: str, plies: int) -> None:
    seats = ("human", "heuristic", *["random"] * (GAMES[name].num_players - 2))
    session = go_on(new(name, *seats), first, plies)
    again = from_document(to_document(session))
    assert again.state == session.state
    assert again.state.history() == session.state.history()
    assert go_on(again, last).state.moves() == go_on(session, last).state.moves()


@pytest.mark.parametrize("name", ["tokaido", "picture_sugoroku"])
def test_undo_is_no_way_to_throw_the_dice_again(name: str) -> None:
    session = go_on(new(name), first, 14)
    before = session.state.moves()
    back = session.undo()
    assert back == before[len(before) - len(back) :]
    assert go_on(session, first, len(back)).state.moves() == before


@every_game
def test_undo_goes_back_to_the_last_decision_of_a_person(name: str) -> None:
    game = GAMES[name]
    session = new(name, "heuristic", "human", *["random"] * (game.num_players - 2))
    with pytest.raises(IllegalActionError, match="no person has decided"):
        session.undo()
    asked = []
    while len(asked) < 3:
        if session.asks_a_person:
            asked.append((session.state.clone(), session.ply))
        go_on(session, first, 1)
    for state, ply in reversed(asked):
        session.undo()
        assert session.asks_a_person
        assert (session.state, session.ply) == (state, ply)
    with pytest.raises(IllegalActionError, match="no person has decided"):
        session.undo()
    assert session.state == asked[0][0]


def test_resigning_by_the_rules_where_they_know_it() -> None:
    session = go_on(new("tokaido"), first, 1)
    assert "resigns" in session.resign()
    assert session.state.moves()[-1] == "resign"
    assert session.conceded is None
    assert not session.is_over
    while not session.is_over:
        if session.asks_a_person:
            session.resign()
        else:
            session.throw()
    assert session.end_reason() == "resigned"
    assert session.returns() == session.state.returns() != [0, 0, 0]


@pytest.mark.parametrize(("plies", "returns"), [(2, [-1.0, 1.0]), (3, [1.0, -1.0])])
def test_in_quoridor_for_two_who_resigns_has_lost(plies: int, returns: list[float]) -> None:
    session = go_on(new("quoridor"), first, plies)
    session.resign()
    assert (session.is_over, session.mover, session.end_reason()) == (True, TERMINAL, CONCEDED)
    assert session.returns() == returns
    assert not session.state.is_terminal()
    with pytest.raises(IllegalActionError, match="over"):
        session.play(session.state.legal_actions()[0])
    again = from_document(to_document(session))
    assert (again.end_reason(), again.returns(), again.notes) == (CONCEDED, returns, session.notes)
    assert again.undo() == ["resign"]
    assert (again.is_over, again.mover, again.ply) == (False, plies % 2, plies)


def test_in_quoridor_for_four_a_cpu_player_plays_on_for_who_resigns() -> None:
    session = go_on(new("quoridor4"), first, 5)
    session.resign()
    assert [player.is_human for player in session.players] == [True, False, True, True]
    assert not session.is_over
    assert session.notes[0].ply == 5
    assert session.decide().action in session.state.legal_actions()


def test_who_resigned_in_a_game_of_four_can_take_it_back_and_plays_the_next_game() -> None:
    session = new("quoridor4", "human:name=Ann", "human:name=Ben", "heuristic", "heuristic")
    session.resign()
    go_on(session, first, 1)
    session.resign()
    assert not any(player.is_human for player in session.players)
    assert session.has_people
    go_on(session, first, 6)
    session = from_document(to_document(session))
    assert [player.spec for player in session.rematch().players] == [
        "human:name=Ben", "heuristic", "heuristic", "human:name=Ann",
    ]  # fmt: skip
    for name in ("Ben", "Ann"):
        assert session.undo()[0] == "resign"
        assert session.players[session.mover].name == name
    assert session.ply == 0
    assert not session.given_up
    with pytest.raises(IllegalActionError):
        session.undo()
    session.resign()
    session.take_over(0, "random")  # somebody else sits there now
    assert not session.given_up


def test_what_people_decide_after_another_has_resigned_is_taken_back_first() -> None:
    session = new("quoridor4", "human", "human", "random", "random")
    session.resign()
    go_on(session, first, 2)
    assert (len(session.undo()), session.ply, session.mover) == (1, 1, 1)
    assert (session.undo()[0], session.ply, session.players[0].is_human) == ("resign", 0, True)


def test_nobody_resigns_where_the_rules_say_so() -> None:
    for name in ("tokaido", "picture_sugoroku"):
        session = Session(load_game(name, allow_resign=False).new_initial_state(), ("human", "human"), 1)
        while not session.asks_a_person:
            session.throw()
        with pytest.raises(IllegalActionError, match="allow_resign=false"):
            session.resign()
        assert not session.is_over


def test_notes_do_not_reach_beyond_the_position() -> None:
    session = go_on(new("tokaido"), first, 8)
    session.take_over(1, "heuristic")
    session.undo()
    assert [note.ply for note in session.notes] == [session.ply]
    assert from_document(to_document(session)).notes == session.notes


def test_only_a_person_who_is_to_move_can_resign() -> None:
    session = new("quoridor", "random", "human")
    with pytest.raises(IllegalActionError, match="whose turn"):
        session.resign()


@every_game
def test_a_seat_can_be_taken_over_in_mid_game_and_given_back(name: str) -> None:
    session = go_on(new(name), first, 4)
    position = session.state.clone()
    session.take_over(0, "heuristic")
    assert session.state == position
    assert not session.players[0].is_human
    session.take_over(0, " human:name=Aki ")
    assert (session.players[0].is_human, session.players[0].name) == (True, "Aki")
    assert [note.ply for note in session.notes] == [4, 4]
    for seat, spec, error in ((9, "random", OptionError), (-1, "random", OptionError), (0, "heuristik", SekishoError)):
        with pytest.raises(error):
            session.take_over(seat, spec)
    assert session.players[0].name == "Aki"


def test_an_agent_that_does_not_play_the_game_gets_no_seat() -> None:
    with pytest.raises(AgentError, match="larger"):
        new("quoridor", "human", "larger")
    session = new("quoridor")
    with pytest.raises(AgentError, match="larger"):
        session.take_over(1, "larger")
    assert session.players[1].is_human


@every_game
def test_a_rematch_moves_everybody_one_seat_further(name: str) -> None:
    seats = ("human:name=Aki", "human", *["heuristic"] * (GAMES[name].num_players - 2))
    session = go_on(new(name, *seats), first, 6)
    entrants = {(session.entrant(seat), player.spec) for seat, player in enumerate(session.players)}
    played = session
    for number in range(1, len(seats) + 1):
        played = played.rematch()
        specs = [player.spec for player in played.players]
        assert specs == [*seats[number:], *seats[:number]]
        assert {(played.entrant(seat), spec) for seat, spec in enumerate(specs)} == entrants
        assert played.state == GAMES[name].new_initial_state()
        assert (played.round, played.seed, played.ply) == (number, 7, 0)


@pytest.mark.parametrize("name", ["tokaido", "picture_sugoroku"])
def test_a_rematch_has_other_dice(name: str) -> None:
    games = [go_on(new(name), first, 30)]
    for _ in range(3):
        games.append(go_on(games[-1].rematch(), first, 30))
    assert len({tuple(game.state.moves()) for game in games}) == 4


def test_cpu_players_are_not_asked_whether_they_resign() -> None:
    session = new("tokaido", *["random"] * 3)
    assert "resign" not in go_on(session, first).state.moves()
    assert session.end_reason() == "goal"


@every_game
def test_without_resigning_nothing_else_changes(name: str) -> None:
    session = go_on(new(name), first, 9)
    if session.mover == CHANCE:
        session.throw()
    with pytest.raises(IllegalActionError, match="no dice"):
        session.throw()
    plain, resigning = without_resigning(session.state), resign_action(session.state)
    assert plain.to_text() == session.state.to_text()
    assert set(session.state.legal_actions()) - set(plain.legal_actions()) == {resigning} - {None}
    assert resign_action(plain) is None


def test_the_dice_have_the_probabilities_of_the_rules() -> None:
    counts = np.zeros(6)
    for seed in range(1200):
        session = new("picture_sugoroku", seed=seed)
        session.play(0)
        counts[session.throw()] += 1
    expected = 1200 / 6
    assert ((counts - expected) ** 2 / expected).sum() < 20.5  # chi-square, 5 degrees, 0.1 %


def test_an_illegal_answer_is_named_and_nothing_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    session = new("quoridor", "random", "human")
    agent = session.players[0].agent
    monkeypatch.setattr(type(agent), "act", lambda *_: Decision(0))
    with pytest.raises(RunError, match="RandomAgent on seat 1"):
        session.decide()
    assert session.ply == 0


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1])
def test_a_seed_out_of_range_is_refused(seed: int) -> None:
    with pytest.raises(OptionError, match="seed"):
        new("quoridor", seed=seed)


@pytest.mark.parametrize(
    ("spec", "hint"),
    [("humn", "did you mean 'human'"), ("human:nam=x", "did you mean 'name'"), ("human:", "key=value"), ("", "''")],
)
def test_a_player_that_does_not_exist_is_named(spec: str, hint: str) -> None:
    with pytest.raises(SekishoError, match=hint):
        make_player(spec)


def test_where_nobody_can_resign_cpu_players_see_the_history_whichever_game_was_asked_about_before() -> None:
    for _ in range(2):  # the second time the same rules are another object
        state = load_game("quoridor", repetition=3).new_initial_state()
        state.apply_moves("e2 e8 e1 e9")
        assert without_resigning(state) is state


def test_who_sat_on_a_seat_before_is_known_and_undo_and_return_forget_it() -> None:
    session = new("quoridor", "human", "human")
    session.take_over(0, "random")
    session.take_over(0, "human")
    assert session.before == []  # nobody has played yet
    go_on(session, first, plies=4)
    session.take_over(0, "random")
    session.take_over(0, "heuristic")  # random has not played
    assert session.before == [Before(0, 4, "human")]
    session.take_over(0, "human")
    assert session.before == []
    session.take_over(1, "random")
    go_on(session, first, plies=2)
    session.take_over(1, "human")
    assert session.before == [Before(1, 4, "human"), Before(1, 6, "random")]
    assert from_document(to_document(session)).before == session.before
    while session.ply > 3:
        session.undo()
    assert session.before == []  # the same person from the first ply on


def test_a_seat_that_is_given_away_at_the_end_was_played_by_who_sat_there() -> None:
    session = go_on(new("quoridor", "heuristic", "random"), first)
    session.take_over(1, "human")
    assert session.before == []


def test_resigning_at_a_table_of_four_is_a_take_over_and_taking_it_back_is_none() -> None:
    session = go_on(new("quoridor4", "human", "random", "random", "random"), first, plies=4)
    session.resign()
    assert session.before == [Before(0, 4, "human")]
    assert session.players[0].spec == STAND_IN
    session.undo()
    assert session.before == []
