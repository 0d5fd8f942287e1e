"""The text engine: a superset of UGI (https://github.com/kz04px/cutegames/blob/master/ugi.md) that also answers UCI.

Lines go in, lines come out. A line that is wrong is answered with ``info string error`` and changes nothing.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable

from .. import __version__
from ..agents.agent import require_decision
from ..agents.lines import MOST_BYTES, in_one_line
from ..envs.core import State
from ..envs.errors import OptionError, SekishoError, nearest, shown
from .jobs import Counting, Job
from .limits import read_limits
from .queries import QUERIES, answer
from .settings import Settings
from .thinking import Mind, Thinking

_LAST_SECONDS = 2.0
_MOST_PLIES = 20
_VALUE = re.compile(r"\svalue(?=\s|$)")

HELP = (
    "ugi | uci: who this is and which options there are",
    "setoption name NAME value VALUE: Game, Rules (players=4,board_size=7), each rule by its name, Agent (a spec string), "
    "Seed, Threads, MultiPV",
    "isready: answered readyok when the agent is loaded | uginewgame: forget the last game, go to the start",
    "position startpos [moves MOVE ...] | position text POSITION [moves MOVE ...] (fen for text; setposition for both)",
    "makemove MOVE ...: from where it stands; throws of the dice are moves such as [2-5], this engine never rolls",
    "go movetime MS | nodes N | depth N | infinite | p1time MS p2time MS p1inc MS p2inc MS movestogo N",
    "stop: answer now | quit",
    "query " + "|".join(QUERIES),
    "d: the board | perft N: paths of N plies | help",
)


class Engine:
    """A game, and somebody who thinks about it.

    Args:
        write: is given the lines that are to go out together; it may be called from several threads, one at a time.
    """

    def __init__(self, write: Callable[[list[str]], None]) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._settings = Settings()
        self._now: State | None = None
        self._mind: Mind | None = None
        self._job: Job | None = None
        self._does: dict[str, Callable[[list[str]], None]] = {
            "ugi": self._introduce, "uci": self._introduce, "isready": self._is_ready, "uginewgame": self._new_game,
            "ucinewgame": self._new_game, "position": self._position, "setposition": self._set_position,
            "makemove": self._make_move, "go": self._go, "stop": self._stop, "query": self._query, "d": self._draw,
            "perft": self._perft, "help": self._help,
        }  # fmt: skip

    def run(self, lines: Iterable[str | None]) -> None:
        """Obey lines until ``quit`` or their end; what is thought about then is answered first, if that can be soon.

        Args:
            lines: without their ends; None for one that was too long to be kept.
        """
        for line in lines:
            if line is not None and line.split() == ["quit"]:
                break
            self.obey(line)
        job = self._job
        if job is not None:
            job.stop()
            job.wait(_LAST_SECONDS)

    def obey(self, line: str | None) -> None:
        """Do what a line says, or complain."""
        try:
            if line is None:
                raise OptionError(f"a line has at most {MOST_BYTES} bytes")
            words = line.split()
            if not words:
                return
            if words[0] == "quit":
                _alone(words)
            elif words[0] == "setoption":
                self._set_option(line.strip().removeprefix("setoption").strip())
            elif words[0] in self._does:
                self._does[words[0]](words)
            else:
                known = [*self._does, "setoption", "quit"]
                raise OptionError(f"there is no command {shown(words[0])}; {nearest(words[0], known)}")
        except SekishoError as error:
            self._say([f"info string error {error}"])

    @property
    def state(self) -> State:
        """The position; the start is made when it is first asked for, which takes longer than to say who this is."""
        if self._now is None:
            self._now = self._settings.game.new_initial_state()
        return self._now

    def _say(self, lines: list[str]) -> None:
        with self._lock:
            self._write([in_one_line(line) if line.startswith("info string") else line for line in lines])

    def _over(self, lines: list[str]) -> None:
        """Say the last lines of what was under way; whoever reads them finds that nothing is any more."""
        with self._lock:
            self._job = None
            self._write([in_one_line(line) if line.startswith("info string") else line for line in lines])

    def _begin(self, job: Job) -> None:
        self._job = job
        job.start()

    def _require_idle(self) -> None:
        if self._job is not None:
            raise OptionError("something is under way: say stop, or wait for it to end")

    # --- who, and how ------------------------------------------------------------------------------------------------

    def _introduce(self, words: list[str]) -> None:
        _alone(words)
        done = f"{words[0]}ok"
        self._say(
            [f"id name sekisho {__version__}", "id author the sekisho authors", *self._settings.described(), done]
        )

    def _set_option(self, text: str) -> None:
        self._require_idle()
        found = _VALUE.search(text)
        words, value = (text[: found.start()], text[found.end() :]) if found else (text, "")
        first, *name = words.split()[:100] or [""]
        if first != "name" or not name:
            raise OptionError(f"expected setoption name NAME value VALUE, not {shown(text)}")
        settings = self._settings
        game, spec, seed, threads = settings.game, settings.agent, settings.seed, settings.threads
        settings.set(" ".join(name), value.strip())
        if settings.game != game:
            self._now = None
        if settings.game != game or (settings.agent, settings.threads) != (spec, threads):
            self._mind = None
        elif settings.seed != seed and self._mind is not None:
            self._mind.new_game(settings.seed)

    def _is_ready(self, words: list[str]) -> None:
        _alone(words)
        if self._job is None:
            self._load(self._agent())  # whose clock runs after the answer must not find out what compiling takes
        self._say(["readyok"])

    def _load(self, mind: Mind) -> None:
        try:
            mind.load()
        except SekishoError as error:
            self._say([f"info string error {error}"])

    def _agent(self) -> Mind:
        if self._mind is None:
            self._mind = Mind(self._settings.agent, self._settings.game, self._settings.threads)
            self._mind.new_game(self._settings.seed)
        return self._mind

    def _help(self, words: list[str]) -> None:
        _alone(words)
        self._say([f"info string {line}" for line in HELP])

    # --- positions ---------------------------------------------------------------------------------------------------

    def _new_game(self, words: list[str]) -> None:
        _alone(words)
        self._require_idle()
        self._now = None
        if self._mind is not None:
            self._mind.new_game(self._settings.seed)

    def _position(self, words: list[str]) -> None:
        end = words.index("moves") if "moves" in words else len(words)
        kind, text = words[1] if len(words) > 1 else "", " ".join(words[2:end])
        if kind == "startpos" and not text:
            state = self._settings.game.new_initial_state()
        elif kind in ("text", "fen") and text:
            state = self._settings.game.from_text(text)
        else:
            raise OptionError(
                "expected position startpos or position text POSITION, and then moves MOVE … if there are"
            )
        state.apply_moves(" ".join(words[end + 1 :]))
        self._now = state

    def _set_position(self, words: list[str]) -> None:
        named = words[1:2] and words[1] in ("startpos", "text", "fen")
        self._position(["position", *([] if named else ["text"]), *words[1:]])

    def _make_move(self, words: list[str]) -> None:
        if len(words) < 2:
            raise OptionError("expected makemove and a move, or several")
        self.state.apply_moves(" ".join(words[1:]))

    def _query(self, words: list[str]) -> None:
        if len(words) != 2:
            raise OptionError(f"expected query and one of {', '.join(QUERIES)}")
        self._say([f"response {answer(words[1], self.state)}"])

    def _draw(self, words: list[str]) -> None:
        _alone(words)
        self._say([*self.state.draw().split("\n"), f"position {self.state.to_text()}"])

    # --- thinking ----------------------------------------------------------------------------------------------------

    def _go(self, words: list[str]) -> None:
        self._require_idle()
        state = self.state.clone()
        require_decision(state)
        limits = read_limits(words[1:], state.current_player(), state.game.num_players)
        self._begin(Thinking(self._agent(), state, limits, self._settings.lines, self._say, self._over))

    def _stop(self, words: list[str]) -> None:
        _alone(words)
        job = self._job
        if job is not None:
            job.stop()

    def _perft(self, words: list[str]) -> None:
        self._require_idle()
        depth = words[1] if len(words) == 2 and words[1].isascii() and words[1].isdigit() else ""
        if not 1 <= int(depth[:3] or 0) <= _MOST_PLIES:
            raise OptionError(f"expected perft and 1 to {_MOST_PLIES} plies, not {shown(' '.join(words[1:]))}")
        self._begin(Counting(self.state.clone(), int(depth), self._over))


def _alone(words: list[str]) -> None:
    if len(words) > 1:
        raise OptionError(f"{words[0]} stands alone, not with {shown(' '.join(words[1:]))}")
