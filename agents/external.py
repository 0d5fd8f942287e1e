"""Another program as an agent: it is asked by UGI (https://github.com/kz04px/cutegames/blob/master/ugi.md) or UCI."""

from __future__ import annotations

import math
import shlex
import time
from dataclasses import dataclass, field

import numpy as np

from ..envs.core import Game, State
from ..envs.errors import AgentError, EngineFault, OptionError, SekishoError, UnknownNameError, nearest, shown
from ..envs.options import spell_options
from .agent import Agent, Decision, Watch, require_decision
from .engine_answers import Told
from .engine_process import EngineProcess, command_line
from .specs import options_of

DEFAULT_SECONDS = 0.5
"""Time of a decision where nothing else limits it: for many programs a bare ``go`` is without end."""
_UGI_SECONDS = 3.0
_TICK = 0.02
_MAX_SEED = 2**31


@dataclass
class ExternalAgent(Agent):
    """A program that speaks UGI or UCI, started when it first decides and kept for later decisions.

    The position is always sent whole, as the start and everything played since in the notation of the game, throws
    included. A program that fails is ended, `EngineFault` is raised, and the next decision starts it again. It is told
    the game and its rules if it has options of the names ``Game`` and ``Rules``, and at the beginning of each game a
    seed if it has an option ``Seed``.

    Args:
        command: its command line, in words as a shell would have them; no shell sees it.
        seconds: for a decision, above 0; half a second where nothing limits it.
        nodes: for a decision, at least 1.
        depth: for a decision, in plies, at least 1.
        options: of the program, ``Name=value,Name=value``.
        handshake: seconds in which it must say who it is.
        loading: seconds in which it must be ready for a game.
        grace: seconds that a decision may take beyond its time.
        patience: seconds after which a program that does not answer counts as hung: without a limit of time from the
            beginning of the decision, else from the end of its time.
    """

    command: str
    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    options: str = ""
    handshake: float = 10.0
    loading: float = 120.0
    grace: float = 0.5
    patience: float = 30.0
    _process: EngineProcess | None = field(default=None, init=False, repr=False, compare=False)
    _game: Game | None = field(default=None, init=False, repr=False, compare=False)
    _told: Told = field(default_factory=Told, init=False, repr=False, compare=False)
    _game_begins: bool = field(default=True, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("seconds", "nodes", "depth", "handshake", "loading", "grace", "patience"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise OptionError(f"engine: option {name!r} must be above 0, not {value}")
        try:
            self._words = shlex.split(self.command)
        except ValueError as error:
            raise OptionError(f"engine: {shown(self.command)} is no command line: {error}") from error
        if not self._words:
            raise OptionError("engine: expected the command line of a program")
        self._chosen = options_of(self.options, self.command) if self.options else {}

    def supports(self, game: Game) -> None:
        """See `Agent.supports`. The program is looked for, not started: what it plays is found out when it is."""
        if command_line(self._words) is None:
            raise AgentError(f"engine: there is no program {shown(self._words[0])}")

    def reset(self) -> None:
        """See `Agent.reset`; the program is told when it is next to decide."""
        self._game_begins = True

    def close(self) -> None:
        """End the program; a later decision starts it again."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def act(self, state: State, rng: np.random.Generator, deadline: float | None = None) -> Decision:
        """See `Agent.act`; whether the same generator gives the same decision is up to the program.

        The statistics are ``seconds`` and, as far as the program says so, ``depth`` and ``nodes``.

        Raises:
            EngineFault: if the program fails; it is ended then.
            AgentError: if it says that it does not play this game.
            UnknownNameError: if it lacks an option that it was to be given.
        """
        require_decision(state)
        watch = self.watch
        try:
            process = self._ready(state.game)
            if self._game_begins:
                self._begin_game(process, rng)
            self._send(process, _position(state))
            self._await_ready(process, self.patience)
            return self._ask(process, state, deadline, watch)
        except BaseException:  # interrupted, it would go on thinking and answer the next question with this answer
            self.close()
            raise

    # --- beginning ---------------------------------------------------------------------------------------------------

    def _ready(self, game: Game) -> EngineProcess:
        """Return the program, started and told what is played."""
        if self._process is not None and self._game == game:
            return self._process
        self.close()
        self._process = process = EngineProcess(self._words, self.command)
        self._game, self._told, self._game_begins = game, Told(), True
        self._shake_hands(process)
        options = self._told.options
        if "game" in options:
            if options["game"] and game.name not in options["game"]:
                raise AgentError(f"engine {shown(self.command)} does not play {game.name}")
            self._set(process, "Game", game.name)
        if "rules" in options:
            self._set(process, "Rules", spell_options(game.options))
        for name, value in self._chosen.items():
            if name.lower() not in options:
                raise UnknownNameError(f"engine {shown(self.command)} has no option {name!r}; {nearest(name, options)}")
            self._set(process, name, value)
        return process

    def _shake_hands(self, process: EngineProcess) -> None:
        """Find out by which of the two names the program knows the protocol, and its options."""
        begin = time.monotonic()
        end = begin + self.handshake
        for greeting, until in (("ugi", min(begin + _UGI_SECONDS, end)), ("uci", end)):
            self._send(process, greeting)
            while (line := process.receive(until)) is not None:
                if self._told.hear(line) in ("ugiok", "uciok"):
                    return
        raise EngineFault(self.command, "handshake", f"neither ugiok nor uciok within {self.handshake:g} s")

    def _begin_game(self, process: EngineProcess, rng: np.random.Generator) -> None:
        if "seed" in self._told.options and "seed" not in map(str.lower, self._chosen):
            self._set(process, "Seed", str(int(rng.integers(_MAX_SEED))))
        self._send(process, "uginewgame" if self._told.speaks == "ugiok" else "ucinewgame")
        try:
            self._await_ready(process, self.loading)
        except EngineFault as fault:
            if fault.kind != "hung":
                raise
            raise EngineFault(self.command, "handshake", f"no readyok within {self.loading:g} s") from fault
        self._game_begins = False

    def _await_ready(self, process: EngineProcess, seconds: float) -> None:
        """Wait for an answer that comes after everything that was said before."""
        self._send(process, "isready")
        until = time.monotonic() + seconds
        while (line := process.receive(until)) is not None:
            if self._told.hear(line) == "readyok":
                return
        raise EngineFault(self.command, "hung", f"no readyok within {seconds:g} s")

    def _set(self, process: EngineProcess, name: str, value: str) -> None:
        self._send(process, f"setoption name {name} value {value}")

    def _send(self, process: EngineProcess, line: str) -> None:
        process.send(line, time.monotonic() + self.patience)

    # --- deciding ----------------------------------------------------------------------------------------------------

    def _ask(self, process: EngineProcess, state: State, deadline: float | None, watch: Watch | None) -> Decision:
        begin = time.monotonic()
        seconds = self._seconds(begin, deadline)
        self._told.begin()
        self._send(process, self._go(seconds))
        if seconds is None:
            end = math.inf if deadline == math.inf and watch is not None else begin + self.patience
        else:
            end = begin + seconds + self.grace
        late = stopped = False
        while self._hear(process, min(end, time.monotonic() + _TICK)) != "bestmove":
            now = time.monotonic()
            asked = watch is not None and watch.stopped and not stopped
            if now >= end and (late or stopped or seconds is None):
                raise EngineFault(self.command, "hung", f"no bestmove within {now - begin:.1f} s")
            if asked or now >= end:
                stopped, late, end = stopped or asked, now >= end, now + self.patience
                self._send(process, "stop")
        spent = time.monotonic() - begin
        if late or (seconds is not None and not stopped and spent > seconds + self.grace):
            allowed = f"allowed were {seconds:.3f} s, and {self.grace:g} s of grace"
            raise EngineFault(self.command, "overstepped", f"bestmove after {spent:.3f} s; {allowed}")
        return self._decision(state, spent)

    def _hear(self, process: EngineProcess, until: float) -> str:
        line = process.receive(until)
        return "" if line is None else self._told.hear(line)

    def _seconds(self, begin: float, deadline: float | None) -> float | None:
        """Return the time of a decision, None if nothing limits it."""
        limits = [] if self.seconds is None else [self.seconds]
        if deadline is not None and deadline < math.inf:
            limits.append(max(deadline - begin, 0.001))
        if not limits and self.nodes is None and self.depth is None and deadline is None:
            limits = [DEFAULT_SECONDS]
        return min(limits, default=None)

    def _go(self, seconds: float | None) -> str:
        limits = [] if seconds is None else [f"movetime {max(int(1000 * seconds), 1)}"]
        limits += [f"nodes {self.nodes}"] if self.nodes is not None else []
        limits += [f"depth {self.depth}"] if self.depth is not None else []
        return " ".join(["go", *(limits or ["infinite"])])

    def _decision(self, state: State, spent: float) -> Decision:
        told = self._told
        try:
            action = state.string_to_action(told.best)
        except SekishoError as error:
            why = f"{error}" + (f"; it said: {told.complaint}" if told.complaint else "")
            raise EngineFault(self.command, "illegal move", f"bestmove {told.best[:40]!r}: {why}") from error
        return Decision(
            action,
            value=told.value(),
            line=told.line(state, action),
            statistics={"seconds": spent, **told.statistics()},
        )


def _position(state: State) -> str:
    """Return the line that says where the game stands: where it began and what was played since."""
    form = state.to_dict()
    start, moves = form["start"], form["moves"]
    place = "startpos" if start == state.game.new_initial_state().to_text() else f"fen {start}"
    return " ".join(["position", place, *(["moves", *moves] if moves else [])])
