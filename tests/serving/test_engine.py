"""The text engine at the other end of a pipe: a referee that knows the rules plays whole games with it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sekisho.envs import load_game
from sekisho.envs.core import State
from support.referee import Referee, stopped_in

GAMES: list[tuple[str, dict[str, Any], str]] = [
    ("quoridor", {"board_size": 5, "fences": 2}, "board_size=5,fences=2"),
    ("quoridor", {"players": 4, "board_size": 5, "fences": 1}, "players=4,board_size=5,fences=1"),
    ("tokaido", {"players": 3}, "players=3"),
    ("picture_sugoroku", {"players": 2, "board": "a_short_walk"}, "board=a_short_walk"),
]
INFO = re.compile(
    r"info depth \d+ nodes \d+ time \d+ nps \d+ score wp [01]\.\d{4}( wps( [01]\.\d{4}){2,6})? multipv \d+ pv \S+.*"
)


@pytest.fixture(scope="module")
def referee() -> Iterator[Referee]:
    with Referee() as found:
        found.send("ugi")
        found.until("ugiok")
        yield found
        status, errors = found.leave()
        assert status == 0
        assert set(errors.splitlines()) <= {
            "sekisho: compiling kernels of this part (once, seconds to a minute or two) ..."
        }


@pytest.fixture(autouse=True)
def idle(referee: Referee) -> Iterator[None]:
    """Each test finds the engine's defaults."""
    referee.send("setoption name Game value tokaido", "setoption name Game value quoridor", "setoption name Rules value",
                 "setoption name Agent value mcts", "setoption name MultiPV value 1", "setoption name Seed value 0",
                 "uginewgame")  # fmt: skip
    assert referee.ready() == []
    yield
    referee.send("stop")


def set_up(referee: Referee, name: str, rules: str, agent: str = "mcts") -> None:
    referee.send(f"setoption name Game value {name}", f"setoption name Rules value {rules}")
    referee.send(f"setoption name Agent value {agent}", "uginewgame")
    assert referee.ready() == []


def expected(state: State) -> dict[str, str]:
    """What the engine must answer, from the verbs of the state alone."""
    player, returns = state.current_player(), state.returns()
    best = [seat for seat, value in enumerate(returns) if value == max(returns)]
    over, chance = state.is_terminal(), state.is_chance_node()
    winner = f"p{best[0] + 1}win" if len(best) == 1 else "draw"
    return {
        "gameover": "true" if over else "false",
        "result": winner if over else "none",
        "player": "none" if over else "chance" if chance else str(player + 1),
        "players": str(state.game.num_players),
        "legalmoves": " ".join(state.action_to_string(action) for action in state.legal_actions()) or "none",
        "position": state.to_text(),
        "ranks": " ".join(str(sorted(returns, reverse=True).index(value) + 1) for value in returns) if over else "none",
    }


@pytest.mark.parametrize(("name", "options", "rules"), GAMES, ids=[rules for *_, rules in GAMES])
def test_a_referee_plays_whole_games_and_every_answer_is_what_the_rules_say(
    referee: Referee, name: str, options: dict[str, Any], rules: str
) -> None:
    set_up(referee, name, rules)
    game, rng = load_game(name, **options), np.random.default_rng(5)
    state = game.new_initial_state()
    asked = 0
    while True:
        moves = state.moves()
        referee.send("position startpos" + (f" moves {' '.join(moves)}" if moves else ""))
        assert {question: referee.ask(question) for question in expected(state)} == expected(state)
        if not state.is_terminal() and not state.is_chance_node():
            assert referee.ask("p1turn") == ("true" if state.current_player() == 0 else "false")
        if state.is_terminal():
            break
        if state.is_chance_node():
            told = referee.ask("chance").split()
            assert sum(map(float, told[1::2])) == pytest.approx(1, abs=1e-4)
            assert told[0::2] == [state.action_to_string(outcome) for outcome, _ in state.chance_outcomes()]
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=chances)))
            continue
        assert referee.ask("chance") == "none"
        if asked < 12 or len(state.legal_actions()) == 1:
            referee.send("go nodes 30")
            *infos, last = referee.until("bestmove")
            assert infos
            assert all(INFO.fullmatch(line) for line in infos), infos
            move = last.removeprefix("bestmove ")
            assert infos[-1].split(" pv ")[1].split()[0] == move
            asked += 1
        else:
            move = state.action_to_string(int(rng.choice(state.legal_actions())))
        state.apply_action(state.string_to_action(move))
    assert asked >= 3
    referee.send("go nodes 5")
    assert referee.hear().startswith("info string error there is nothing to decide here: the game is over")


def test_where_dice_fall_it_does_not_decide(referee: Referee) -> None:
    set_up(referee, "tokaido", "")
    referee.send("go nodes 5")
    assert referee.hear() == "info string error there is nothing to decide here: a die is to be thrown"
    referee.send("makemove [2-5]", "go nodes 5")
    assert referee.until("bestmove")[-1] in ("bestmove 2", "bestmove 5")


def test_it_says_who_it_is_for_either_name_of_the_protocol(referee: Referee) -> None:
    answers = {}
    for name in ("ugi", "uci"):
        referee.send(name)
        answers[name] = referee.until(f"{name}ok")
    assert answers["ugi"][:-1] == answers["uci"][:-1]
    assert answers["ugi"][0].startswith("id name sekisho ")
    assert answers["ugi"][1].startswith("id author ")
    options = {line.split()[2]: line for line in answers["ugi"][2:-1]}
    assert options["Game"] == (
        "option name Game type combo default quoridor var picture_sugoroku var quoridor var tokaido"
    )
    assert options["Seed"] == "option name Seed type spin default 0 min 0 max 9223372036854775807"
    assert options["board_size"] == "option name board_size type spin default 9 min 3 max 9"
    assert options["players"] == "option name players type combo default 2 var 2 var 4"
    assert {"Rules", "Agent", "Threads", "MultiPV"} <= set(options)


def test_rules_can_be_set_one_by_one_or_together_or_as_json(referee: Referee) -> None:
    referee.send("setoption name board_size value 5", "setoption name fences value 3")
    assert referee.ask("position") == "/ / c1 c5 / 3 3 / 1 / 0"
    referee.send("setoption name Rules value players=4,board_size=7")
    assert referee.ask("players") == "4"
    referee.send("setoption name Game value picture_sugoroku")
    board = '{"id":"own","name":{"en":"Own"},"goal":5,"squares":{}}'
    referee.send(f'setoption name Rules value {{"board":{board}}}', "position startpos moves roll [3]")
    assert referee.ask("position") == load_own().to_text()


def load_own() -> State:
    state = load_game(
        "picture_sugoroku", board={"id": "own", "name": {"en": "Own"}, "goal": 5, "squares": {}}
    ).new_initial_state()
    state.apply_moves("roll [3]")
    return state


def test_positions_can_be_given_in_all_ways(referee: Referee) -> None:
    text = "e3 / d5 / e2 e8 / 9 9 / 1 / 4"
    for line in (f"position text {text}", f"position fen {text}", f"setposition {text}", f"setposition text {text}"):
        referee.send("position startpos", line)
        assert referee.ask("position") == text
        referee.send(f"{line} moves f2 f8")
        assert referee.ask("position") == "e3 / d5 / f2 f8 / 9 9 / 1 / 6"
        referee.send("position startpos", line, "makemove f2", "makemove f8 g2")
        assert referee.ask("position") == "e3 / d5 / g2 f8 / 9 9 / 2 / 7"


def test_several_lines_are_the_best_moves_in_order(referee: Referee) -> None:
    referee.send("setoption name MultiPV value 3", "position startpos moves e2", "go nodes 300")
    *infos, best = referee.until("bestmove")
    lines = infos[-3:]
    assert [line.split(" multipv ")[1].split()[0] for line in lines] == ["1", "2", "3"]
    first = [line.split(" pv ")[1].split()[0] for line in lines]
    assert len(set(first)) == 3
    assert best == f"bestmove {first[0]}"
    for line in lines:
        mine = float(line.split(" wp ")[1].split()[0])
        wps = [float(word) for word in line.split(" wps ")[1].split()[:2]]
        assert wps[1] == mine  # seat 2 is to move
        assert sum(wps) == pytest.approx(1, abs=2e-4)


def test_an_agent_that_values_choices_tells_the_next_best_too(referee: Referee) -> None:
    set_up(referee, "tokaido", "", "exact")
    referee.send("setoption name MultiPV value 5", "position text 15 15 / 1 / [1-2]", "go")
    *infos, best = referee.until("bestmove")
    chances = [float(line.split(" wp ")[1].split()[0]) for line in infos]
    assert len(chances) == len(referee.ask("legalmoves").split()) > 1
    assert chances == sorted(chances, reverse=True)
    assert infos[0].endswith(f" multipv 1 pv {best.removeprefix('bestmove ')}")


def test_the_same_seed_and_count_give_the_same_search(referee: Referee) -> None:
    def told(seed: int) -> list[str]:
        referee.send(f"setoption name Seed value {seed}", "uginewgame", "position startpos")
        found = []
        for _ in range(3):
            referee.send("go nodes 100")
            *infos, best = referee.until("bestmove")
            found += [re.sub(r"time \d+ nps \d+ ", "", infos[-1]), best]
            referee.send("makemove " + best.split()[1])
        return found

    assert told(1) == told(1)
    assert len({tuple(told(seed)) for seed in range(4)}) > 1


# --- while it thinks ---------------------------------------------------------------------------------------------------


def test_stop_is_answered_within_50_milliseconds(referee: Referee) -> None:
    spent = []
    for _ in range(8):
        referee.send("go infinite")
        time.sleep(0.3)
        spent.append(stopped_in(referee))
    assert min(spent) < 0.05, spent


def test_stop_is_answered_within_50_milliseconds_by_two_threads(referee: Referee) -> None:
    referee.send("setoption name Threads value 2", "isready")
    referee.until("readyok")
    spent = []
    for _ in range(8):
        referee.send("go infinite")
        time.sleep(0.3)
        spent.append(stopped_in(referee))
    assert sorted(spent)[len(spent) // 2] < 0.05, spent


def test_a_long_line_of_blanks_holds_nothing_up(referee: Referee) -> None:
    referee.send("go infinite")
    begin = time.monotonic()
    referee.send("setoption name a" + " " * 300_000 + "b value", "stop")
    referee.until("bestmove")
    assert time.monotonic() - begin < 2


def test_counting_is_stopped_within_a_second(referee: Referee) -> None:
    referee.send("perft 3")  # which loads the compiled code
    referee.until("nodes")
    referee.send("perft 9")
    time.sleep(0.2)
    begin = time.monotonic()
    referee.send("stop")
    assert referee.until("info")[-1].startswith("info string stopped")
    assert time.monotonic() - begin < 2


def test_while_it_searches_it_reports_and_answers_and_refuses_what_would_disturb(referee: Referee) -> None:
    referee.send("go infinite", "isready")
    assert referee.until("readyok") == ["readyok"]
    infos = [referee.hear() for _ in range(2)]
    assert all(INFO.fullmatch(line) for line in infos)
    nodes = [int(line.split(" nodes ")[1].split()[0]) for line in infos]
    assert nodes[0] < nodes[1]
    for line in ("go nodes 1", "setoption name Seed value 3", "uginewgame", "perft 2"):
        referee.send(line)
        refusal = next(said for said in iter(referee.hear, "") if not said.startswith("info depth"))
        assert refusal == "info string error something is under way: say stop, or wait for it to end"
    referee.send("stop")
    assert referee.until("bestmove")[-1].split()[1] in referee.ask("legalmoves").split()


def test_an_infinite_search_that_has_found_everything_waits_for_stop(referee: Referee) -> None:
    set_up(referee, "quoridor", "board_size=3,fences=0")
    referee.send("position startpos moves b2", "go infinite")
    assert referee.is_silent(0.4) or referee.hear().startswith("info depth")
    referee.send("stop")
    assert referee.until("bestmove")[-1].startswith("bestmove ")


@pytest.mark.parametrize("agent", ["heuristic", "random", "shortest_path", "exact", "mcts:threads=2"])
def test_every_agent_answers(referee: Referee, agent: str) -> None:
    set_up(referee, "quoridor", "board_size=3,fences=1", agent)
    for limits in ("", "movetime 100", "p1time 3000 p2time 3000 p1inc 100 p2inc 100"):
        referee.send(f"go {limits}")
        assert referee.until("bestmove")[-1].split()[1] in referee.ask("legalmoves").split()
    referee.send("go infinite")
    time.sleep(0.05)
    referee.send("stop")
    assert referee.until("bestmove")[-1] != "bestmove (none)"


def test_time_is_kept_and_used(referee: Referee) -> None:
    spent = []
    for _ in range(4):
        begin = time.perf_counter()
        referee.send("go movetime 300")
        referee.until("bestmove")
        spent.append(time.perf_counter() - begin)
    assert 0.25 < min(spent) < 0.35


def test_a_limit_that_the_agent_does_not_know_is_said(referee: Referee) -> None:
    set_up(referee, "quoridor", "", "heuristic")
    referee.send("go nodes 10")
    said = referee.until("bestmove")
    assert said[0] == "info string this agent has no limit of nodes; it thinks as long as it does"


def test_an_agent_that_does_not_play_the_game_says_so_and_nobody_waits(referee: Referee) -> None:
    referee.send("setoption name Agent value larger")
    assert len(referee.ready()) == 1
    referee.send("go")
    said = referee.until("bestmove")
    assert said[0].startswith("info string error agent 'larger'")
    assert said[-1] == "bestmove (none)"


def test_paths_are_counted(referee: Referee) -> None:
    referee.send("setoption name Rules value board_size=5,fences=2", "perft 2")
    *lines, nodes = referee.until("nodes")
    counts = dict(line.split(": ") for line in lines)
    assert set(counts) == set(referee.ask("legalmoves").split())
    assert nodes == f"nodes {sum(map(int, counts.values()))}"


def test_the_board_can_be_drawn_and_help_is_there(referee: Referee) -> None:
    referee.send("position startpos moves e2", "d")
    board = referee.until("position")
    assert board[:-1] == load_drawn()
    assert board[-1] == f"position {referee.ask('position')}"
    referee.send("help")
    assert all(line.startswith("info string ") for line in referee.ready())


def load_drawn() -> list[str]:
    state = load_game("quoridor").new_initial_state()
    state.apply_moves("e2")
    return state.draw().split("\n")


# --- whatever comes ----------------------------------------------------------------------------------------------------

RUBBISH: list[str | bytes] = [
    b"", b"\r", b"   \t ", b"\xff\xfe\x00\x80", b"\0\0\0", b"ugi\0", "関所".encode(), b"x" * 10_000_000,
    b"position " + b"startpos " * 1_000_000, b"position startpos moves " + b"e2 " * 100_000, b"-" * 2**20,
    "position", "position startpos e2", "position text", "position text / / e1 e9", "position startpos moves a1",
    "position fen x moves", "setposition", "makemove", "makemove a1", "makemove e7 a1", "go movetime", "go movetime x",
    "go nodes 99999999999999999999", "go depth 3 depth 4", "go infinite nodes 3", "go perft 3", "go p3time 5",
    "setoption", "setoption name", "setoption name Game", "setoption name Game value chess", "setoption value 3",
    "setoption name Seed value -1", "setoption name Threads value 0", "setoption name board_size value 99",
    "setoption name Agent value nobody", "setoption name Agent value mcts:simulations=0", "setoption name Agent value",
    'setoption name Rules value {"board_size"', "setoption name Rules value [1]", "setoption name Rules value a=b=c",
    "setoption name Nothing value 1", "query", "query everything", "query p1turn now", "perft", "perft 0", "perft x",
    "perft 99999999999999999999999", "ugi now", "isready?", "stop it", "quit now", "d 3", "bestmove e2", "GO INFINITE",
]  # fmt: skip


def test_no_line_kills_it_or_changes_anything(referee: Referee) -> None:
    referee.send("position startpos moves e2 e8 e3h")
    before = referee.ask("position")
    for rubbish in RUBBISH:
        referee.send(rubbish)
        said = referee.ready()
        assert len(said) <= 1, (rubbish[:80], said)
        assert all(line.startswith("info string error ") and len(line) < 500 for line in said)
        assert bool(said) == bool(rubbish.strip()), rubbish[:80]
        assert referee.ask("position") == before, rubbish[:80]
    referee.send("ugi")
    assert "option name Agent type string default mcts" in referee.until("ugiok")


def test_lines_may_end_as_on_any_system(referee: Referee) -> None:
    referee.send(b"position startpos moves e2\r", b"  query   position \r")
    assert referee.hear() == "response / / e2 e9 / 10 10 / 2 / 1"


# --- coming and going --------------------------------------------------------------------------------------------------


def test_the_end_of_the_input_is_the_end_and_what_was_thought_about_is_answered() -> None:
    with Referee() as other:
        other.send("position startpos", "isready")
        other.until("readyok")
        other.send("go infinite")
        other.hear()
        assert other.leave("")[0] == 0
        assert [line for line in iter(lambda: other._lines.get(timeout=5), None) if line.startswith(b"bestmove")]


def test_it_leaves_while_it_thinks() -> None:
    with Referee() as other:
        other.send("go infinite")
        begin = time.perf_counter()
        assert other.leave() == (0, "")
        assert time.perf_counter() - begin < 30
