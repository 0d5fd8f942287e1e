"""Lines of any kind: how they are read, and that one that is refused changes nothing."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sekisho.agents.lines import MOST_BYTES, in_one_line, read_lines
from sekisho.envs.errors import OptionError
from sekisho.serving.engine import Engine
from sekisho.serving.limits import GoLimits, read_limits

VOCABULARY = (
    "position startpos text fen moves e2 e8 e3h a1 [2-5] 5 crossing roll setposition makemove go nodes depth movetime "
    "infinite p1time p2time p1inc movestogo 1 0 -7 1e9 99999999999 setoption name value Game Rules Agent Seed Threads "
    "MultiPV tokaido quoridor picture_sugoroku players=3 board_size=5,fences=2 players board_size random heuristic "
    "engine: query p1turn gameover result player legalmoves position chance ranks d perft help ugi uci isready stop / "
    ", = { } null é \0 \x1b[2J"
)
WORDS = st.sampled_from(VOCABULARY.split(" "))
COMMANDS = st.one_of(
    st.lists(WORDS, max_size=8).map(" ".join),
    st.text(max_size=40).map(lambda text: text.replace("\n", " ")),
    st.tuples(st.just("setoption name"), WORDS, st.just("value"), WORDS).map(" ".join),
    st.tuples(
        st.sampled_from(["position startpos moves", "position text", "makemove", "go", "query"]), WORDS, WORDS
    ).map(" ".join),
)


class Spoken:
    """An engine in this process with what it says."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.engine = Engine(self.lines.extend)
        self.tell("setoption name Agent value random", "setoption name Rules value board_size=5,fences=2")

    def tell(self, *lines: str) -> list[str]:
        """Return what is said to some lines; what they begin is over then."""
        self.lines.clear()
        for line in lines:
            self.engine.obey(line)
            job = self.engine._job
            if job is not None:
                job.stop()
                job.wait(60)
        return self.lines[:]

    def stands(self) -> tuple[str, ...]:
        """Return all that lines may change."""
        return (*self.tell("query position", "query players", "ugi"), self.engine._settings.agent)


@settings(max_examples=60)
@given(st.lists(COMMANDS, max_size=6))
def test_a_line_that_is_refused_changes_nothing_and_the_next_one_is_heard(lines: list[str]) -> None:
    spoken = Spoken()
    for line in lines:
        before = spoken.stands()
        said = spoken.tell(line)
        assert all("\n" not in told and "\r" not in told for told in said)
        if any(told.startswith("info string error") for told in said):
            assert spoken.stands() == before, line
        assert spoken.tell("isready")[-1] == "readyok"


@given(st.binary(max_size=200))
def test_bytes_become_the_lines_that_stand_in_them(content: bytes) -> None:
    lines = list(read_lines(io.BytesIO(content)))
    expected = content.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    assert lines == [line.decode("utf-8", "replace").rstrip("\r") for line in expected]


@pytest.mark.parametrize("surplus", [-1, 0, 1, 2, 3, MOST_BYTES, 3 * MOST_BYTES + 7])
@pytest.mark.parametrize("end", [b"\n", b""])
def test_a_line_that_is_too_long_is_passed_over_and_the_next_one_is_whole(surplus: int, end: bytes) -> None:
    long = b"x" * (MOST_BYTES + surplus)
    following = ["after"] if end else []
    lines = list(read_lines(io.BytesIO(long + end + (b"after\n" if end else b""))))
    assert lines[1:] == following
    assert lines[0] == (long.decode() if surplus <= 0 or (surplus == 1 and end) else None)


def test_messages_are_one_line_without_control_characters() -> None:
    assert in_one_line("a\nb\x1b[2Jc\r") == "a b [2Jc "
    assert len(in_one_line("x" * 10_000)) <= 400


# --- limits ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "limits"),
    [
        ("", GoLimits()),
        ("nodes 400", GoLimits(nodes=400)),
        ("nodes 1", GoLimits(nodes=1)),
        ("depth 3 nodes 5", GoLimits(nodes=5, depth=3)),
        ("infinite", GoLimits(infinite=True)),
        ("movetime 0", GoLimits(seconds=0.001)),
    ],
)
def test_limits_are_read(words: str, limits: GoLimits) -> None:
    assert read_limits(words.split(), 0, 2) == limits


def seconds(words: str, seat: int = 0, players: int = 2) -> float:
    found = read_limits(words.split(), seat, players).seconds
    assert found is not None
    return found


def test_a_clock_is_shared_out_so_that_it_lasts() -> None:
    left, moves = 60.0, 0
    while left > 0.2:
        spent = seconds(f"p1time {int(1000 * left)} p2time 5 p1inc 0") + 0.02
        assert 0.02 < spent < left / 4
        left, moves = left - spent, moves + 1
    assert moves > 60
    assert seconds("p1time 60000 p2time 60000 p1inc 1000") > seconds("p1time 60000 p2time 60000")
    assert seconds("p1time 60000 p1inc 1000") < 5
    assert seconds("p1time 60000 movestogo 1") <= 30
    assert seconds("p1time -50 p1inc 0") == 0.001


def test_the_clock_of_the_seat_to_move_counts_under_either_name() -> None:
    both = "p1time 600000 p2time 6000"
    assert seconds(both, seat=0) > 50 * seconds(both, seat=1)
    assert seconds("wtime 600000 btime 6000 winc 7 binc 8", 1) == seconds("p1time 600000 p2time 6000 p2inc 8", 1)
    assert seconds("p1time 9 p2time 9 p3time 60000", seat=2, players=3) > 1
    assert seconds("movetime 100 p1time 600000") == pytest.approx(0.08)


@pytest.mark.parametrize(
    "words",
    ["movetime", "movetime x", "movetime 1.5", "nodes 10000000000000", "depth 1 depth 1", "wtime 1 p1time 1", "ponder",
     "infinite nodes 1", "p3time 5", "nodes ٣"],
)  # fmt: skip
def test_limits_that_make_no_sense_are_refused(words: str) -> None:
    with pytest.raises(OptionError):
        read_limits(words.split(), 0, 2)


@pytest.mark.parametrize(
    ("words", "seat", "reason"),
    [
        ("nodes 0", 0, "go: nodes is 1 or more, not 0"),
        ("nodes -3", 0, "go: nodes is 1 or more, not -3"),
        ("depth 0", 0, "go: depth is 1 or more, not 0"),
        ("movetime -5", 0, "go: movetime is 0 or more, not -5"),
        ("p1time 100 movestogo 0", 0, "go: movestogo is 1 or more, not 0"),
        ("p2time 100", 0, "go: it is seat 1's turn, and p2time says nothing without p1time"),
        ("wtime 100 winc 5", 1, "go: it is seat 2's turn, and p1time says nothing without p2time"),
        ("movetime 100 p1inc 5", 0, "p1inc says nothing without p1time"),
        ("movestogo 5", 0, "movestogo says nothing without p1time"),
    ],
)  # fmt: skip
def test_limits_that_would_be_passed_over_are_refused(words: str, seat: int, reason: str) -> None:
    with pytest.raises(OptionError, match=reason):
        read_limits(words.split(), seat, 2)
