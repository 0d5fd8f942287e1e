"""Dash: a small race game, to show how a game of your own joins (see docs/adding_a_game.md).

    python examples/dash_race.py        # 200 random games of it

Two pawns race to the square `length`. A turn is a throw of 1, 2 or 3 pips (chances 1/2, 1/3, 1/6), then a choice: go as
far as thrown (action 0) or, after more than 1, a single square (action 1). The first to arrive wins.
"""

import re
from typing import Any

import numpy as np

from sekisho.envs import CHANCE, TERMINAL, Game, Preview, State
from sekisho.envs.compiling import kernel
from sekisho.envs.counter_rng import draw_below, mix
from sekisho.envs.errors import IllegalActionError, NotationError, PositionError
from sekisho.envs.kernels import Kernels
from sekisho.envs.observations import Part
from sekisho.envs.options import Option

# --- the rules, compiled: functions over two vectors of integers -----------------------------------------------------
LENGTH = 0  # the rules vector
PAWN, SEAT, THROWN = 0, 2, 3  # the state vector: two words for the pawns; THROWN is 0 before the throw
ALL, ONE = 0, 1  # actions; the outcomes of the throw are its pips


@kernel
def reset(_rules: Any, state: Any) -> None:
    """Write the start position."""
    state[:] = 0


@kernel
def to_move(rules: Any, state: Any) -> Any:
    """Return the seat that decides, or that a die is thrown, or that the game is over."""
    if state[PAWN] >= rules[LENGTH] or state[PAWN + 1] >= rules[LENGTH]:
        return TERMINAL
    return state[SEAT] if state[THROWN] else CHANCE


@kernel
def legal(rules: Any, state: Any, mask: Any) -> Any:
    """Fill the mask of legal actions and return their number."""
    mask[:] = 0
    if to_move(rules, state) < 0:
        return 0
    mask[ALL] = 1
    mask[ONE] = state[THROWN] > 1
    return 2 if state[THROWN] > 1 else 1


@kernel
def chance(rules: Any, state: Any, outcomes: Any, probabilities: Any) -> Any:
    """Write what can be thrown, with its probabilities; return how many outcomes there are."""
    if to_move(rules, state) != CHANCE:
        return 0
    for pips in range(1, 4):
        outcomes[pips - 1] = pips
        probabilities[pips - 1] = (4 - pips) / 6.0
    return 3


@kernel
def sample(rules: Any, state: Any, rng: Any) -> Any:
    """Draw a legal action, or an outcome by its probability."""
    if to_move(rules, state) == CHANCE:
        ticket = draw_below(rng, 6)
        return 1 if ticket < 3 else 2 if ticket < 5 else 3
    return draw_below(rng, 2 if state[THROWN] > 1 else 1)


@kernel
def apply(_rules: Any, state: Any, action: Any) -> None:
    """Play an action, or let an outcome fall."""
    if state[THROWN] == 0:
        state[THROWN] = action
    else:
        state[PAWN + state[SEAT]] += 1 if action == ONE else state[THROWN]
        state[SEAT], state[THROWN] = 1 - state[SEAT], 0


@kernel
def returns(rules: Any, state: Any, out: Any) -> None:
    """Write what each seat is paid: 1 for the winner, -1 for the other."""
    for seat in range(2):
        out[seat] = np.float64(state[PAWN + seat] >= rules[LENGTH]) - np.float64(
            state[PAWN + 1 - seat] >= rules[LENGTH]
        )


@kernel
def capped(_rules: Any, _state: Any) -> Any:
    """Return whether a cap cut the game short: there is none."""
    return 0


@kernel
def hash(_rules: Any, state: Any) -> Any:  # noqa: A001  the name in the contract
    """Return a number that tells positions apart."""
    value = np.uint64(0)
    for word in range(4):
        value = mix(value + np.uint64(state[word]) + np.uint64(word + 1))
    return value


@kernel
def observe(rules: Any, state: Any, seat: Any, out: Any) -> None:
    """Write what a seat sees: its own pawn first."""
    own = max(seat, 0)  # -1 is nobody's view: the seats in their order
    out[0], out[1] = min(1.0, state[own] / rules[LENGTH]), min(1.0, state[1 - own] / rules[LENGTH])
    out[2], out[3] = state[THROWN] / 3.0, np.float32(state[SEAT] == own)


# --- the game on top: options, notation, drawings ----------------------------------------------------------------------
WORDS = {"all": ALL, "one": ONE}


class Dash(Game):
    """The race, as long as `length` says."""

    name, title = "dash", "Dash"
    OPTIONS = (Option("length", 5, "square of the goal", minimum=1, maximum=60),)
    kernels = Kernels(reset, to_move, legal, chance, sample, apply, returns, capped, hash, observe)
    observation_parts = (
        Part("pawns", 2, "share of the way gone, the own pawn first"),
        Part("thrown", 1, "pips of the throw, three as 1"),
        Part("turn", 1, "1 if the seat that looks is to move"),
    )
    num_players, num_actions, max_chance_outcomes, state_size = 2, 2, 3, 4

    def __init__(self, /, **options: Any) -> None:
        super().__init__(**options)
        self.max_game_length = 4 * self.options["length"]
        self.rules = np.array([self.options["length"]], dtype=np.int64)

    def new_initial_state(self) -> "DashState":
        """Return the start."""
        return DashState(self, np.zeros(self.state_size, dtype=np.int64))

    def from_text(self, text: str) -> "DashState":
        """Read ``pawn pawn seat thrown``."""
        if not re.fullmatch(r"\d{1,2} \d{1,2} [01] [0-3]", text, re.ASCII):
            raise PositionError(f"expected 'pawn pawn seat thrown', not {text!r}")
        return DashState(self, np.array(text.split(), dtype=np.int64))


class DashState(State):
    """A position of Dash."""

    def end_reason(self) -> str | None:
        """Return ``goal`` when somebody has arrived."""
        return "goal" if self.is_terminal() else None

    def action_to_string(self, action: int) -> str:
        """Return ``all`` or ``one``; ``[2]`` for a throw."""
        return f"[{action}]" if self.is_chance_node() else list(WORDS)[action]

    def string_to_action(self, text: str) -> int:
        """Return the action, or the outcome of a throw, that `text` names."""
        names = {f"[{pips}]": pips for pips in range(1, 4)} if self.is_chance_node() else WORDS
        if text not in names:
            raise NotationError(f"expected one of {', '.join(names)}, not {text!r}")
        if not self.is_chance_node() and names[text] not in self.legal_actions():
            raise IllegalActionError(f"{text}: {self.explain_illegal(names[text])}")
        return names[text]

    def to_text(self) -> str:
        """Return ``pawn pawn seat thrown``."""
        return " ".join(str(word) for word in self.words)

    def preview(self, action: int) -> Preview:
        """Return where an action leads."""
        after = self.child(action)
        return Preview(f"{self.action_to_string(action)}: {after.draw()}", {"position": after.to_text()})

    def draw(self, columns: int = 100) -> str:
        """Return the track with both pawns."""
        track = ["."] * (self.game.options["length"] + 3)
        track[self.words[PAWN + 1]], track[self.words[PAWN]] = "B", "A"
        return "".join(track)

    def draw_svg(self) -> str:
        """Return the same as an SVG document."""
        return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 30"><text y="20">{self.draw()}</text></svg>'


def main() -> None:
    """Play random games of it."""
    from sekisho.agents import make_agent
    from sekisho.arena.match import play_game

    players = [make_agent("random")] * 2
    played = [play_game(Dash().new_initial_state(), players, [seed], [seed]) for seed in range(200)]
    print(f"the first player won {sum(game.state.returns()[0] > 0 for game in played)} of 200 games")


if __name__ == "__main__":
    main()
