"""`sekisho play` through a pipe, as scripts use it: moves in, boards out, and nothing is lost at the end of input."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import re
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len

from sekisho.arena import reading
from sekisho.arena import saved as saving
from sekisho.arena.saved import read_session
from sekisho.arena.session import Session
from sekisho.cli import shelf
from sekisho.cli.keyboard import undisturbed
from sekisho.cli.main import main
from sekisho.cli.table_help import HELP
from sekisho.cli.words import message, wrapped
from sekisho.envs import State, game_names, load_game, register_game, registry
from sekisho.envs.errors import IllegalActionError, NotationError

SMALL = ("play", "quoridor", "--rules", "board_size=5,fences=2", "--seed", "1")
ESCAPE = "\x1b"
TORN = re.compile(r"(\bseat\n *\d|->\n|\n *->|\bseat \d:\n)")
"""Where a line breaks within a number or what became of it, or between a seat and its number."""


@pytest.fixture(autouse=True)
def _games_are_kept_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def run(*words: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode("utf-8", "surrogateescape"))))
        status = main(words)
        out, err = capsys.readouterr()
        assert ESCAPE not in out + err
        assert "Traceback" not in out + err
        for line in out.splitlines():
            assert len(line) <= 100 or "/" in line, line  # the name of a file may be as long as it is
        return status, out, err

    return run


def kept(out: str) -> Path:
    """The file that the last words name."""
    (path,) = re.findall(r"^(?:Go on: +sekisho play --load|Look at it: sekisho replay) (.*)$", out, re.MULTILINE)
    return Path(shlex.split(path)[0])


def moves_of(path: Path) -> list[str]:
    return read_session(path).state.moves()


def test_a_whole_game_is_played_and_kept(play, tmp_path: Path) -> None:
    status, out, err = play(*SMALL, "--save", str(tmp_path / "g.json"), "--seats", "human", "human",
                            typed="c2\nc4\nc3\nd4\nc4\nd3\nc5\n")  # fmt: skip
    assert (status, err) == (0, "")
    assert "seat 1 (person 1) wins (goal). Returns: seat 1: +1, seat 2: -1" in out
    assert kept(out) == tmp_path / "g.json"
    assert moves_of(tmp_path / "g.json") == ["c2", "c4", "c3", "d4", "c4", "d3", "c5"]


def test_the_end_of_input_loses_nothing_and_the_game_goes_on_from_there(play) -> None:
    status, out, err = play(*SMALL, typed="c2\nb3h\n")
    assert (status, err) == (0, "")
    path = kept(out)
    played = moves_of(path)
    assert (len(played), played[0], played[2]) == (4, "c2", "b3h")
    status, out, err = play("play", "--load", str(path), typed="resign\n")
    assert (status, err) == (0, "")
    assert "seat 2 has won" in out
    assert kept(out) == path
    assert moves_of(path) == played
    assert read_session(path).returns() == [-1.0, 1.0]


@pytest.mark.parametrize("game", game_names())
def test_every_choice_shows_where_it_leads_before_it_is_made(play, game: str) -> None:
    out = play("play", game, "--seed", "4")[1]
    assert "seat 1 (you)>" in out
    shown = {"quoridor": "pawn to e2; steps to go by seat: 8 -> 7, 8", "picture_sugoroku": "2: to 2, jump to 8",
             "tokaido": "from Nihonbashi to"}  # fmt: skip
    assert shown[game] in out


def test_looking_plays_nothing(play) -> None:
    status, out, _ = play(*SMALL, typed="look b3h c2\nlook\nlook zz\nlook c4\nmoves\nposition\n")
    assert status == 0
    assert "fence b3h; steps to go" in out
    assert "name a move, as in: look" in out
    assert "'zz' is no move" in out
    assert "c4: the pawn on c1 cannot go there" in out
    assert "a1h b1h" in out
    assert "/ / c1 c5 / 2 2 / 1 / 0\nseed 1, game 1" in out
    assert "Nothing was played, so nothing was saved." in out


def test_what_cannot_be_played_says_why_and_changes_nothing(play) -> None:
    status, out, _ = play(*SMALL, typed="c5\ne9\nc2 c3\nundu\nc2é\n\n\udcff\nb2h\nseat\nseat 9 random\nseat 1 zz\n"
                                        "hint zz\nhint larger\nload\nload nope.json\n? zz\n" + "x" * 3000 + "\n")  # fmt: skip
    assert status == 0
    for hint in ("the pawn on c1 cannot go there", "'e9' is no move", "'c2 c3' is no move", "did you mean 'undo'",
                 "expected a number and who plays", "seats are 1..2, not 9", "there is no player 'zz'",
                 "there is no agent 'zz'", "plays tokaido, not quoridor", "cannot read nope.json",
                 "there is no word 'zz'"):  # fmt: skip
        assert hint in " ".join(out.split()), hint
    assert moves_of(kept(out))[0] == "b2h"


def test_every_word_has_help(play) -> None:
    out = play(*SMALL, typed="?\n" + "".join(f"? {word}\n" for word in HELP))[1]
    for entry in HELP.values():
        assert out.count(f"{entry.usage}  ") >= 1
        assert f"{entry.usage}: {entry.line}."[:60] in out


@pytest.mark.parametrize(
    ("words", "example"),
    [
        (SMALL, "look b1 d1"),
        (("play", "tokaido", "--seed", "1"), "look 2 3"),
        (("play", "picture_sugoroku", "--seed", "1"), "look roll"),
    ],
)
def test_the_example_of_look_is_one_of_the_position(play, words: tuple[str, ...], example: str) -> None:
    out = play(*words, typed=f"? look\n{example}\n")[1]
    assert f"As in: {example}" in out
    assert "is no move" not in out
    over = play(*words, typed="resign\n? look\nlook\n")[1]
    assert "As in: look" not in over
    assert "there is nothing to decide here" in over


def test_the_notation_of_fences_is_told_and_is_true(play) -> None:
    for asked in ("?\n", "? moves\n"):
        told = " ".join(play(*SMALL, typed=asked)[1].split())
        assert "b2h lies between ranks 2 and 3 over files b and c" in told
        assert "b2v between files b and c along ranks 2 and 3" in told
    steps = {"b2h": {"b2 b3", "c2 c3"}, "b2v": {"b2 c2", "b3 c3"}}  # what each closes
    for fence, closed in steps.items():
        for step in set().union(*steps.values()):
            start, end = step.split()
            state = load_game("quoridor", board_size=5, fences=1).from_text(f"/ / {start} e4 / 1 1 / 2 / 1")
            state.apply_moves(fence)
            targets = [state.action_to_string(action) for action in state.legal_actions()]
            assert (end in targets) == (step not in closed)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("quoridor", "c2 is the pawn to c2"),
        ("tokaido", "A number, as 5, is the die"),
        ("picture_sugoroku", "roll throws the die"),
    ],
)
def test_every_game_says_how_moves_are_written(play, game: str, words: str) -> None:
    for asked in ("?\n", "? moves\n"):
        assert words in " ".join(play("play", game, "--seed", "1", typed=asked)[1].split())
    for move in re.findall(r"\[\d(?:-\d)?\]|crossing|detour|roll\b|\b[a-i]\d[hv]?\b", load_game(game).move_notation):
        for state in random_states(game):
            with contextlib.suppress(IllegalActionError, NotationError):
                state.string_to_action(move)
                break
        else:
            pytest.fail(f"{move} is never a move of {game}")


def random_states(game: str) -> Iterator[State]:
    rng = random.Random(1)
    for _ in range(20):
        state = load_game(game).new_initial_state()
        while not state.is_terminal():
            yield state
            state.apply_action(rng.choice(state.legal_actions() or [number for number, _ in state.chance_outcomes()]))


def test_enter_where_there_is_a_choice_says_what_can_be_typed(play) -> None:
    out = play("play", "tokaido", "--seed", "1", typed="\n")[1]
    assert "There is a choice. Type one: 2, 3, resign; or ? for help." in out


def test_a_seat_given_away_at_the_end_counts_from_the_rematch_on(play) -> None:
    status, out, _ = play(*SMALL, typed="resign\nseat 1 random\nrematch\nquit\n")
    assert status == 0
    assert "The game is over: seat 1 (random) plays from the rematch on, and has seat 2 there." in out
    assert "plays on" not in out
    assert out.count("rematch, undo, journal or quit> ") == 3
    assert out.count("The game you leave is kept in\n") == 1
    session = read_session(kept(out))
    assert [player.spec for player in session.players] == ["heuristic", "random"]
    assert session.is_over


def test_of_two_who_resigns_shares_nothing(play) -> None:
    words = ("play", "picture_sugoroku", "--seed", "1", "--seats", "human")
    assert "seat 1 resigns: seat 2 wins" in play(*words, "human", typed="resign\n")[1]
    assert "seat 1 resigns and shares the last rank\n" in play(*words, "human", "human", typed="resign\n")[1]


def test_undo_takes_back_what_followed_too(play) -> None:
    out = play(*SMALL, typed="undo\nc2\nundo\nb1\n")[1]
    assert "nothing can be taken back" in out
    assert re.search(r"taken back: c2 \w+", out)
    assert moves_of(kept(out))[0] == "b1"
    assert len(moves_of(kept(out))) == 2


def test_a_hint_names_a_legal_move_and_plays_nothing(play) -> None:
    out = play(*SMALL, typed="hint\nhint random\n")[1]
    assert "heuristic would play c2: pawn to c2" in out
    assert "its best of" in out
    assert "are equal to it" not in out
    assert "random would play" in out
    assert "Nothing was played" in out


def test_a_hint_names_the_move_that_it_lists_first_and_says_which_are_equal(play) -> None:
    words = ("play", "quoridor", "--rules", "board_size=5,fences=0", "--seats", "human", "human", "--seed")
    named = set()
    for seed in range(5):  # the pawns meet, and straight on is as long as round either side
        out = play(*words, str(seed), typed="b1\nb5\nb2\nb4\nhint\n")[1]
        ((move, listed, told),) = re.findall(r"would play (\w+): .*\nits best of \d+ \(steps\): (.*?)(;.*)?\n", out)
        choices = [entry.split() for entry in listed.split(", ")]
        assert choices[0][0] == move
        assert len({value for _, value in choices}) == 1
        assert told == "; the first 3 are equal to it"
        named.add(move)
    assert len(named) > 1


def test_several_moves_are_looked_at_each_alone_and_that_is_said(play) -> None:
    out = play(*SMALL, typed="look c2 b1\nlook c2\nlook c2 zz\n? look\n")[1]
    alone = "each is looked at alone, from the position on the board"
    assert out.count(f"({alone})") == 1
    assert f"Of several moves {alone};" in " ".join(out.split())
    asked = out.partition("> look c2 zz")[2].partition("> ?")[0]
    assert "pawn to c2" in asked
    assert "'zz' is no move" in asked


def test_of_moves_that_are_looked_at_the_legal_ones_are_shown_and_each_other_has_its_reason(play) -> None:
    status, out, _ = play(*SMALL, typed="look e9 c2 c4 b1\n")
    assert status == 0
    told = out.partition("> look")[2]
    asked = [told.index(words) for words in ("'e9' is no move", "pawn to c2; steps", "c4: the pawn on c1 cannot",
                                             "pawn to b1; steps", "(each is looked at")]  # fmt: skip
    assert asked == sorted(asked)


@pytest.mark.parametrize("typed", ["hepl\n", "resign\nhepl\n"])
def test_other_spellings_are_among_the_words_that_may_have_been_meant(play, typed: str) -> None:
    out = play(*SMALL, typed=typed + "? hepl\n")[1]
    assert out.count("did you mean 'help'?") == 2
    assert "did you mean" not in play(*SMALL, typed="c2\nresign\nzzzzzz\n")[1]


def test_a_seat_that_was_given_away_is_no_decision_that_nobody_made(play) -> None:
    words = (*SMALL, "--seats", "human:name=Aki", "human")
    out = " ".join(play(*words, typed="undo\nc2\nseat 1 random\nundo\n")[1].split())
    assert out.count("no person has decided anything yet") == 1  # before the move
    assert "on seat 1, has left it to random; give the seat back by seat 1 human:name=Aki, and undo" in out
    out = play(*words, typed="c2\nseat 1 random\nseat 1 human:name=Aki\nundo\nb1\n")[1]
    assert "taken back: c2" in out
    assert moves_of(kept(out)) == ["b1"]
    out = play(*SMALL, "--seats", "human", "human", typed="seat 1 random\nundo\n")[1]
    assert "no person has decided anything yet" in out  # the seat was given away before any move


def test_after_the_only_person_has_given_the_seat_away_the_table_is_offered_as_ever(play) -> None:
    status, out, _ = play(*SMALL, typed="c2\nseat 1 heuristic\njournal\nseat 1 human\nrematch\nquit\n")
    assert status == 0
    assert out.count("rematch, undo, journal or quit> ") == 3
    assert "1. c2" in out or "c2" in out.partition("> journal")[2]
    assert "seat 1 (you) plays from the rematch on, and has seat 2 there" in out
    assert "seat 2 (you)> quit" in out


def test_the_kept_games_are_named_by_their_numbers_and_bare_names(play, tmp_path: Path) -> None:
    first = kept(play(*SMALL, typed="c2\n")[1])
    os.utime(first, (1000, 1000))
    second = kept(play(*SMALL, "--seats", "human:name=Aki", "human", typed="b1\n")[1])
    for name in ("2", first.name, first.stem):
        out = play("play", "--load", name, typed="undo\nc2\n")[1]
        assert kept(out) == first
        os.utime(first, (1000, 1000))
    out = play(*SMALL, "--save", str(tmp_path / "x.json"), typed="load 1\nload 3\nquit\n")[1]
    assert kept(out) == second
    assert "no kept game has the number 3 (known: 1..2)" in out
    for words in (("replay", first.stem), ("analyze", first.name)):
        assert play(*words)[0] == 0
    status, _, err = play("play", "--load", "7")
    assert status == 2
    assert "no kept game has the number 7" in err


def test_a_number_means_the_list_that_was_shown(play, tmp_path: Path) -> None:
    """The game at the table is written after each move, and so moves up in the list."""
    old = kept(play(*SMALL, typed="c2\n")[1])
    out = play(*SMALL, typed="load\nb1\nload 1\nquit\n")[1]
    assert kept(out) == old


def test_the_list_of_kept_games_calls_people_by_their_names_on_one_row(play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    play(*SMALL, "--seats", "human:name=Aki", "human:name=Haruko", typed="c2\n")
    path = kept(play(*SMALL, "--seats", "human:name=Aki", "human", typed="c2\n")[1])
    out = play("play", "--load")[1]
    assert "human" not in out
    assert re.search(r"Aki, Haruko +goes on, ply 1\b", out)
    (row,) = re.findall(rf"^\d +{path.stem} .*Aki, a person +goes on, ply 1 *$", out, re.MULTILINE)
    assert len(row) <= 80


@pytest.mark.parametrize("content", [b"", b" \n", b"{", b'{"kind": "sekisho ga', b"\xff\xfe\x00", b"[" * 100_000, None])
def test_what_is_no_saved_game_is_refused_in_the_same_plain_words_everywhere(
    play, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "bad.json"
    path.mkdir() if content is None else path.write_bytes(content)
    told = [" ".join(play(*SMALL, typed=f"load {path}\n")[1].split())]
    for words in (("play", "--load"), ("replay",), ("analyze",)):
        status, out, err = play(*words, str(path))
        assert (status, out) == (2 if content is None else 1, "")
        told.append(" ".join(err.split()))
    for words in told[: 2 if content is None else 4]:
        assert re.search(r"bad\.json( is empty| is no text|(, line 1)?: not JSON| is a folder)", words), words
    assert not re.search("Expecting|codec|char 0|recursion|Errno", " ".join(told))


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device without an end")
def test_a_device_is_not_read(play) -> None:
    for words in (("play", "--load"), ("replay",), ("analyze",)):
        status, out, err = play(*words, "/dev/zero")
        assert (status, out) == (1, "")
        assert "/dev/zero is a device or a pipe" in err
    assert "/dev/zero is a device or a pipe" in play(*SMALL, typed="load /dev/zero\n")[1]


def test_a_file_that_is_too_long_is_not_read_to_its_end(play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1 << 20)
    path = tmp_path / "long.json"
    path.write_bytes(b" " * (1 << 20) + b"{}")
    for words in (("play", "--load"), ("replay",), ("analyze",)):
        status, _, err = play(*words, str(path))
        assert status == 1
        assert "is longer than 1 MiB" in err


@pytest.mark.parametrize("rules", [",", ",,", "board_size=5,", ",board_size=5", "board_size=5,,fences=2"])
def test_a_comma_too_many_is_no_rule(play, rules: str) -> None:
    status, out, err = play("play", "quoridor", "--rules", rules)
    assert (status, out) == (2, "")
    assert "rules are key=value pairs, a comma between two" in err


def test_a_seat_is_taken_over_in_mid_game_and_the_game_goes_on_to_its_end(play) -> None:
    status, out, _ = play(*SMALL, typed="c2\nseat 1 heuristic\n")
    assert status == 0
    assert "seat 1 (heuristic) plays on" in out
    session = read_session(kept(out))
    assert session.is_over
    assert [note.text for note in session.notes] == ["seat 1: heuristic takes over from human"]


def test_a_rematch_starts_one_seat_further_and_keeps_both_games(play, tmp_path: Path) -> None:
    path = tmp_path / "series.json"
    status, out, _ = play(*SMALL, "--save", str(path), typed="resign\nrematch\nc4\nquit\n")
    assert status == 0
    assert "seat 2 (you)>" in out
    assert kept(out) == tmp_path / "series-2.json"
    assert read_session(path).returns() == [-1.0, 1.0]
    second = read_session(tmp_path / "series-2.json")
    assert [player.spec for player in second.players] == ["heuristic", "human"]
    assert second.round == 1
    assert second.state.moves()[1] == "c4"


def test_saving_elsewhere_and_loading_at_the_table(play, tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    out = play(*SMALL, typed=f"c2\nsave {one}\nb2h\nsave {two}\nload {one}\nundo\nundo\nb1\nquit\n")[1]
    assert str(one) in out
    assert f"The game you leave is kept in\n{two}\n" in out
    assert f"\nThe game is kept in\n{two}\n" in out
    assert moves_of(one)[0] == "b1"
    assert moves_of(two)[0::2][:2] == ["c2", "b2h"]


def test_the_table_lists_what_can_be_loaded(play) -> None:
    assert "No games are kept in" in play(*SMALL, typed="load\n")[1]
    path = kept(play(*SMALL, typed="c2\n")[1])
    out = play(*SMALL, typed="load\n")[1]
    assert "goes on, ply 2" in out
    assert out.count(f"load 1, which is\n{path}\n") == 1
    out = play(*SMALL, typed=f"load {path}\nundo\nquit\n")[1]
    assert moves_of(path) == []


def test_what_is_there_is_not_written_over(play, tmp_path: Path) -> None:
    other = tmp_path / "notes.txt"
    other.write_text("mine", encoding="utf-8")
    saved = tmp_path / "saved.json"
    play(*SMALL, "--save", str(saved), typed="c2\n")
    before = saved.read_bytes()
    for path, hint in ((other, "exists already"), (saved, "go on with it by --load"), (tmp_path, "exists already"),
                       (tmp_path / "no" / "x.json", f"the folder {tmp_path / 'no'} does not exist"),
                       (other / "x.json", "is a file, no folder")):  # fmt: skip
        status, out, err = play(*SMALL, "--save", str(path), typed="c2\n")
        assert (status, out) == (2, "")
        assert hint in err
    out = play(*SMALL, typed=f"c2\nsave {other}\n")[1]
    assert "exists already" in out
    assert other.read_text(encoding="utf-8") == "mine"
    assert saved.read_bytes() == before


@pytest.mark.parametrize("name", ["missing/x.json", "missing/deeper/x.json", "./missing/x.json"])
def test_no_folder_is_made_for_a_file_that_is_to_be_kept_in_one(
    play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    out = play(*SMALL, typed=f"c2\nsave {name}\nsave {tmp_path / name}\n")[1]
    for path in (Path(name), tmp_path / name):
        assert f"the folder {path.parent} does not exist; make it, or name another file" in " ".join(out.split())
    assert not (tmp_path / "missing").exists()
    assert moves_of(kept(out))[0] == "c2"


def test_a_folder_that_is_removed_during_the_game_is_not_made_again(play, tmp_path: Path) -> None:
    folder = tmp_path / "series"
    folder.mkdir()
    shelved = shelf.Shelf(folder / "g.json")
    session = Session(load_game("quoridor", board_size=3).new_initial_state(), ("human", "human"), 1)
    shelved.probe(session)
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    following = shelved.next()
    assert not folder.exists()
    assert following.keep(session)
    assert following.path is not None
    assert following.path.parent != folder
    assert not folder.exists()


def test_a_folder_that_cannot_be_written_is_said_and_another_is_found(play, tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be", encoding="utf-8")
    status, out, _ = play(*SMALL, typed="c2\n")
    assert status == 0
    path = kept(out)
    assert moves_of(path)[0] == "c2"
    path.unlink()


# --- a game is never lost, and never said to be where it is not --------------------------------------------------------


def breaks(monkeypatch: pytest.MonkeyPatch, *beginnings: Path | str) -> None:
    """Let every write fail into a file whose path begins so, after the first write into it."""
    seen: set[str] = set()
    write = saving.write_text_atomically

    def broken(path: Path, text: str) -> None:
        if str(path) in seen and any(str(path).startswith(str(beginning)) for beginning in beginnings):
            raise OSError(28, "No space left on device")
        seen.add(str(path))
        write(path, text)

    monkeypatch.setattr(saving, "write_text_atomically", broken)


def test_a_named_file_that_cannot_be_written_any_more_is_left_for_another_and_that_is_no_success(
    play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    breaks(monkeypatch, tmp_path / "g.json")
    status, out, err = play(*SMALL, "--save", str(tmp_path / "g.json"), typed="c2\n")
    assert status == 1
    assert err.count("No space left on device") == 2  # when it happened, and at the end
    assert kept(out) != tmp_path / "g.json"
    assert moves_of(kept(out))[0] == "c2"


def test_a_game_that_cannot_be_written_anywhere_is_not_said_to_be_saved(
    play, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for save in ((), ("--save", str(tmp_path / "g.json"))):
        with monkeypatch.context() as patch:
            breaks(patch, tmp_path / "g.json")
            patch.setattr(shelf, "games_folder", lambda: Path("/proc/nowhere"))
            patch.setattr(shelf.tempfile, "gettempdir", lambda: "/proc/nowhere")
            status, out, err = play(*SMALL, *save, typed="c2\nrematch\nresign\nrematch\nsave\nquit\n")
        assert status == 1
        assert "cannot" in err
        assert "could not be saved" in out
        assert "seed 1: c2" in out
        assert "this game would be lost" in out
        assert "The game is not saved" in out
        for lie in ("is saved in", "The game is in", "is kept in", "Nothing was played", "(game 2)"):
            assert lie not in out


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder in which nobody can write")
@pytest.mark.parametrize("name", ["/proc/x.json", "{folder}/" + "x" * 300])
def test_a_file_that_cannot_be_written_is_refused_before_the_game(play, tmp_path: Path, name: str) -> None:
    status, out, err = play(*SMALL, "--save", name.format(folder=tmp_path), typed="c2\n")
    assert (status, out) == (2, "")
    assert "name another file" in err
    assert list(tmp_path.iterdir()) == []


def test_what_was_taken_back_is_not_in_the_file_any_more(play, tmp_path: Path) -> None:
    for save in (("--save", str(tmp_path / "u.json")), ()):
        out = play(*SMALL, *save, typed="c2\nundo\nquit\n")[1]
        assert moves_of(kept(out)) == []


def test_a_game_without_a_move_is_where_it_is_said_to_be(play, tmp_path: Path) -> None:
    status, out, _ = play(*SMALL, "--save", str(tmp_path / "n.json"), typed="quit\n")
    assert status == 0
    assert kept(out) == tmp_path / "n.json"
    assert moves_of(tmp_path / "n.json") == []
    assert list(tmp_path.iterdir()) == [tmp_path / "n.json"]


def test_a_file_belongs_to_one_process_at_a_time(play, tmp_path: Path) -> None:
    path, other = tmp_path / "g.json", tmp_path / "other.json"
    play(*SMALL, "--save", str(path), typed="c2\n")
    before = path.read_bytes()
    held = shelf.Shelf(path)
    status, out, err = play("play", "--load", str(path), typed="c3\n")
    assert (status, out) == (2, "")
    assert "another sekisho keeps its game in" in err
    out = play(*SMALL, "--save", str(other), typed=f"c2\nload {path}\n")[1]
    assert "another sekisho keeps its game in" in out
    assert kept(out) == other
    assert path.read_bytes() == before
    held.release()
    assert play("play", "--load", str(path), typed=f"c3\nload {path}\nhint\n")[0] == 0
    assert sorted(tmp_path.glob("*.json*")) == [path, other]
    assert not [file for file in tmp_path.iterdir() if file.name.startswith(".")]


def test_games_that_begin_in_the_same_second_have_files_of_their_own(tmp_path: Path) -> None:
    first, second = (shelf._claimed_free(tmp_path / "g.json") for _ in range(2))  # before either is written
    assert first[0] != second[0]
    for path, lock in (first, second):
        shelf._released(path, lock)
    assert list(tmp_path.iterdir()) == []


def test_games_among_cpu_players_are_written_while_they_play(play, monkeypatch: pytest.MonkeyPatch) -> None:
    plies: list[int] = []
    write = shelf.write_session

    def counted(path: Path, session: Session) -> None:
        plies.append(session.ply)
        write(path, session)

    monkeypatch.setattr(shelf, "write_session", counted)
    play("play", "tokaido", "--seats", "larger", "random", "--seed", "2")
    assert plies[0] == 1
    plies.clear()
    monkeypatch.setattr(shelf, "_SECONDS", 0.0)
    play("play", "tokaido", "--seats", "larger", "random", "--seed", "2")
    assert set(plies) == set(range(1, plies[-1] + 1))


@pytest.mark.parametrize("game", ["tokaido", "picture_sugoroku"])
def test_the_dice_are_those_of_the_seed_and_the_journal_tells_the_events(play, game: str) -> None:
    typed = "\n" * 3 + "journal\nresign\n"
    runs = [play("play", game, "--seed", str(seed), "--seats", "human", "human", typed=typed)[1] for seed in (5, 5, 6)]
    assert strip_names(runs[0]) == strip_names(runs[1])
    assert strip_names(runs[0]) != strip_names(runs[2])
    assert re.search(r"throws \[\d", runs[0])
    assert re.search(r"^ *1\. ", runs[0], re.MULTILINE)
    assert "resigns" in runs[0]


def strip_names(out: str) -> str:
    return re.sub(r"\S*\.json", "", out)


def test_a_fresh_seed_is_shown_so_that_it_can_be_repeated(play) -> None:
    out = play("play", "tokaido", typed="")[1]
    (seed,) = re.findall(r"--seed (\d+)", out)
    again = play("play", "tokaido", "--seed", seed, typed="")[1]
    assert strip_names(out) == strip_names(again)


def test_enter_rolls_the_die_where_nothing_else_is_to_be_done(play) -> None:
    out = play("play", "picture_sugoroku", "--seed", "3", typed="\n\n")[1]
    assert "(Enter plays roll)" in out
    assert moves_of(kept(out)).count("roll") >= 2


def test_cpu_players_among_themselves_need_nobody(play) -> None:
    status, out, _ = play("play", "tokaido", "--seats", "heuristic", "larger", "random", "--seed", "2")
    assert status == 0
    assert read_session(kept(out)).is_over
    assert json.loads(kept(out).read_text(encoding="utf-8"))["state"]["rules"]["allow_resign"] is False


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("play",), "name a game"),
        (("play", "quoridr"), "did you mean 'quoridor'"),
        (("play", "quoridor", "--seats", "human"), "--seats names 1 player; quoridor has 2 or 4"),
        (("play", "tokaido", "--seats", *["human"] * 7), "--seats names 7 players; tokaido has 2 to 6"),
        (("play", "quoridor", "--seed", "abc"), "--seed takes INT, not 'abc'; see: sekisho play --help"),
        (("play", "--load", "{saved.parent}"), "is a folder; play goes on with one saved game"),
        (("play", "quoridor", "--seats"), "--seats names nobody"),
        (("play", "quoridor", "--seats", "human", "heuristik"), "did you mean 'heuristic'"),
        (("play", "quoridor", "--seats", "human", "larger"), "larger"),
        (("play", "quoridor", "--seats", "human", "human", "--players", "4"), "--seats names 2"),
        (("play", "quoridor", "--players", "4", "--rules", "players=2"), "contradicts"),
        (("play", "quoridor", "--seed", "-1"), "seed must be"),
        (("play", "quoridor", "--seed", "9" * 40), "seed must be"),
        (("play", "quoridor", "--load", ""), "no file can be named"),
        (("play", "quoridor", "--save", ""), "no file can be named"),
        (("play", "quoridor", "--save", "a\0b"), "no file can be named"),
        (("play", "--load", "nope.json"), "cannot read nope.json"),
        (("play", "tokaido", "--load", "{saved}"), "one of quoridor, not of tokaido"),
        (("play", "--load", "{saved}", "--rules", "board_size=5"), "what --rules would"),
        (("play", "--load", "{saved}", "--players", "2"), "what --players would"),
        (("play", "--load", "{saved}", "--seed", "1"), "what --seed would"),
        (("play", "--load", "{saved}", "--seats", "human"), "--seats names 1"),
    ],
)
def test_wrong_use_is_answered_in_words(play, tmp_path: Path, words: tuple[str, ...], hint: str) -> None:
    saved = tmp_path / "saved.json"
    play(*SMALL, "--save", str(saved), typed="c2\n")
    status, out, err = play(*(word.format(saved=saved) if "{" in word else word for word in words))
    assert (status, out) == (2, "")
    assert hint in err


def test_words_that_stand_alone_take_no_others(play) -> None:
    out = play(*SMALL, typed="c2\nundo undo\nresign now\nmoves all\nquit now\n")[1]
    for word in ("undo", "resign", "moves", "quit"):
        assert f"{word} stands alone" in out
    assert moves_of(kept(out))[0] == "c2"
    assert not read_session(kept(out)).is_over


@pytest.mark.parametrize(("game", "words"), [("quoridor", "choices of CPU players"), ("tokaido", "dice")])
def test_the_seed_is_said_to_repeat_what_there_is(play, game: str, words: str) -> None:
    assert f"(--seed 1 gives the same {words} again)" in play("play", game, "--seed", "1", typed="quit\n")[1]


def test_seats_are_called_seats_on_the_board_too(play) -> None:
    out = play("play", "picture_sugoroku", "--seed", "1", "--seats", "human:name=Aki", "human", typed="\n")[1]
    assert "Seat 1 to roll" in out
    assert "Player" not in out


def test_a_printed_name_can_be_pasted_back(play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("two  blanks.json", "it's one.json", 'a "quoted" one.json', "'left open.json"):
        path = tmp_path / name
        printed = shlex.quote(str(path))
        out = play(*SMALL, typed=f"c2\nsave {printed}\n")[1]
        assert kept(out) == path
        out = play(*SMALL, typed=f"load {printed}\nload {path}\nundo\n")[1]
        assert moves_of(path) == []
    assert kept(play(*SMALL, typed="c2\nsave ~/home.json\n")[1]) == tmp_path / "home.json"
    assert kept(play(*SMALL, typed="c2\nsave two   blanks.json\n")[1]) == Path("two   blanks.json")


def test_foreign_text_does_nothing_to_the_terminal_and_fits_on_it(play) -> None:
    name = "A\x1b[31m\nB\u202e" + "長" * 100
    status, out, _ = play(*SMALL, "--seats", f"human:name={name}", "heuristic", typed="c2\x1b[2J\x07\n" + "関" * 200)
    assert status == 0
    assert not re.search("[\x00-\x09\x0b-\x1f\u202e]", out)
    assert "seat 1 (A�[31m�B�長" in out
    assert max(cell_len(line) for line in out.splitlines() if "/" not in line) <= 100


def test_people_are_not_called_by_the_number_of_another_seat(play) -> None:
    out = play("play", "picture_sugoroku", "--seed", "3", "--seats", "human", "human", typed="resign\nrematch\n")[1]
    assert "seat 1 (person 2)> " in out
    assert "(player" not in out


def test_after_all_people_have_resigned_they_are_asked_for_a_rematch(play) -> None:
    words = ("play", "quoridor", "--rules", "board_size=5,fences=1", "--seed", "1", "--seats")
    status, out, _ = play(*words, "human:name=Ann", *["heuristic"] * 3, typed="resign\nrematch\n")
    assert status == 0
    assert "rematch, undo, journal or quit> " in out
    assert "seat 4 (Ann)> " in out


def test_a_game_of_another_package_without_a_number_of_players(play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_games", dict(registry._games))
    register_game("dash", "dash_race:Dash")
    status, out, err = play("play", "dash", "--seats", "human", "random", "--seed", "1", typed="all\n")
    assert (status, err) == (0, "")
    assert "Type a move" in out
    status, _, err = play("play", "dash", "--seats", "human", "random", "random")
    assert status == 2
    assert "2 seats" in err


@pytest.mark.parametrize(
    "words",
    [
        ("play", "quoridor", "--seats", "human", "x" * 15000), ("play", "x" * 15000), ("x" * 15000,),
        ("play", "quoridor", "--rules", "x" * 15000),
    ],
)  # fmt: skip
def test_messages_are_not_much_longer_than_a_terminal(play, words: tuple[str, ...]) -> None:
    status, out, err = play(*words)
    assert (status, out) == (2, "")
    assert 0 < len(err) < 1500


def test_messages_are_as_wide_as_a_terminal_but_for_names_of_files() -> None:
    path = "/" + "関" * 90
    rows = message(f"cannot read {path}: \x1b[31m {'no such thing ' * 20}{'y' * 9999}").split("\n")
    assert path in " ".join(rows)
    assert all(cell_len(row) <= 100 for row in rows if path not in row and "y" * 99 not in row)
    assert max(map(len, rows)) < 320
    assert "\x1b" not in "".join(rows)


@pytest.mark.parametrize(
    "words",
    [
        ("quoridor",), ("quoridor", "--players", "4"), ("quoridor", "--rules", "board_size=3"), ("tokaido",),
        ("tokaido", "--players", "6"), ("picture_sugoroku",),
    ],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize("columns", [80, 100])
def test_everything_at_the_table_fits_on_the_terminal_and_no_number_is_torn(
    play, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    helped = "".join(f"? {word}\n" for word in HELP)
    typed = f"?\n{helped}moves\nhint\nposition\nlook zz\nseat 1 zz\n\njournal\nresign\nquit\n"
    out = play("play", *words, "--seed", "3", typed=typed)[1]
    lines = [line for line in out.splitlines() if "/state/" not in line]
    assert max(map(cell_len, lines)) <= columns
    assert not re.search(TORN, "\n".join(lines))


def test_numbers_are_not_torn_wherever_a_line_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "seat 4 (heuristic) plays b8h: fence; Returns: seat 1: -0.33, seat 2: +1; by seat: 8 -> 9, 10 -> 11"
    for columns in range(40, 101):
        monkeypatch.setenv("COLUMNS", str(columns))
        rows = wrapped(text)
        assert " ".join(rows) == text
        assert max(map(len, rows)) <= columns
        assert not re.search(TORN, "\n".join(rows))


def test_a_long_line_at_the_table_is_not_echoed_in_full(play) -> None:
    out = play(*SMALL, typed="".join(f"{word}{'x' * 15000}\n" for word in ("", "? ", "seat 1 ", "hint ")))[1]
    assert len(out) < 5000


@pytest.mark.parametrize(("rows", "wholes"), [(24, 2), (90, 5), (0, 5)])
def test_a_board_that_would_scroll_off_is_shown_whole_once_and_when_asked_for(
    play, monkeypatch: pytest.MonkeyPatch, rows: int, wholes: int
) -> None:
    monkeypatch.setenv("LINES", str(rows))
    out = play("play", "tokaido", "--seed", "1", "--seats", "human", "human", typed="2\n2\n4\nshow\n")[1]
    assert out.count("東海道双六  Tokaido sugoroku\n") == 5
    assert out.count("tailwind: on, and throw again") == out.count("Kyoto") - out.count("to Kyoto") == wholes
    assert out.count("(show tells the whole board)") == 5 - wholes
    for before in out.split("(show tells the whole board)")[:-1]:
        brief = before.rpartition("Tokaido sugoroku\n")[2]
        assert len(brief.splitlines()) < 24
        assert re.search(r"^> seat \d: ", brief, re.MULTILINE)


def test_whoever_seats_a_player_is_told_that_one_that_searches_is_compiled_first(play) -> None:
    assert "seconds to a minute" in " ".join(play(*SMALL, typed="? seat\n")[1].split())
    assert "seconds to a minute" in " ".join(re.sub("[│\\s]+", " ", play("play", "--help")[1]).split())


def test_help_names_a_command(play) -> None:
    assert play("help", "play") == play("play", "--help")
    assert "--seats" in play("help", "play")[1]


def test_moves_may_be_typed_in_capitals(play) -> None:
    out = play(*SMALL, typed="B3H\n")[1]
    assert moves_of(kept(out))[0] == "b3h"


def test_a_loaded_game_can_have_other_players(play, tmp_path: Path) -> None:
    saved = tmp_path / "saved.json"
    play(*SMALL, "--save", str(saved), typed="c2\n")
    copy = tmp_path / "copy.json"
    before = saved.read_bytes()
    out = play("play", "--load", str(saved), "--save", str(copy), "--seats", "human", "random", typed="c3\n")[1]
    assert "seat 2 (random)" in out
    assert moves_of(copy)[2] == "c3"
    assert saved.read_bytes() == before


def test_nothing_interrupts_the_last_write() -> None:
    before = signal.getsignal(signal.SIGINT)
    with undisturbed():
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.raise_signal(getattr(signal, name))
    assert signal.getsignal(signal.SIGINT) is before


# --- programs --------------------------------------------------------------------------------------------------------

WAYWARD = f"{shlex.quote(sys.executable)} {Path(__file__).parent.parent / 'support' / 'wayward_engine.py'}"


def test_a_program_that_fails_is_asked_again_or_gives_its_seat_to_another(play, tmp_path: Path) -> None:
    program = f"engine:(handshake=60,patience=2){WAYWARD} crash"
    save = str(tmp_path / "g.json")
    status, out, _ = play(
        "play", "quoridor", "--seats", program, "human", "--save", save, typed="\nseat 1 heuristic\n\nquit\n"
    )
    assert status == 0
    told = " ".join(out.split())
    assert told.count("crashed: it exited with status 3; its last words: segmentation of a fence") == 2
    assert "Enter asks it again; seat 1 heuristic has another player go on" in told
    assert len(moves_of(tmp_path / "g.json")) == 1


def test_a_program_plays_at_the_table(play, tmp_path: Path) -> None:
    program = f"engine:(handshake=60){WAYWARD} fine"
    save = str(tmp_path / "g.json")
    status, out, _ = play("play", "quoridor", "--seats", program, "human", "--save", save, typed="e8\nquit\n")
    assert status == 0
    assert out.endswith(f"Go on:     sekisho play --load {save} --seats {shlex.join([program, 'human'])}\n")
    assert moves_of(tmp_path / "g.json") == ["e2", "e8", "e3"]
    status, _, err = play("play", "--load", save)
    assert status == 2
    assert "would start a program for seat 1" in " ".join(err.split())
    assert play("play", "--load", save, "--seats", program, "human", typed="e7\nquit\n")[0] == 0
    assert moves_of(tmp_path / "g.json") == ["e2", "e8", "e3", "e7", "e4"]
    status, out, _ = play("play", "quoridor", typed=f"load {save}\nquit\n")
    assert "would start a program for seat 1" in " ".join(out.split())
