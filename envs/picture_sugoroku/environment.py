"""Picture sugoroku as a Gymnasium environment."""

from __future__ import annotations

from ..gymnasium_env import GameEnv


class PictureSugorokuEnv(GameEnv):
    """Picture sugoroku: roll a die, go forward, do what the square says.

    ## Description

    Two to six seats roll in turn; squares send a piece forward or back, make it rest, let it roll again. There is
    nothing to choose but to resign, where that is allowed: the environment is a test bed for values and predictions,
    on the boards that ship, your own, or random ones. The rules: ``docs/rules/picture_sugoroku.md``.

    ``sekisho/PictureSugoroku-v0``: every step acts for the seat to move, so one agent plays all seats.

    ## Action space

    ``Discrete(2)``:

    | actions | meaning |
    |---|---|
    | 0..0 | roll |
    | 1..1 | resign (only with ``allow_resign=True``) |

    ``info["action_mask"]`` has the legal ones.

    ## Observation space

    ``Box(0, 1, (179,), float32)``, the same for every board, 2 to 6 players and all options. The seat that looks comes
    first, the others in turn order; what a table has no seat for is 0:

    | features | name | meaning |
    |---|---|---|
    | 0..5 | seat to move | 1 at the seat that rolls; 0 when the game is over |
    | 6..6 | extra rolls | share of the extra rolls of a turn that have been granted |
    | 7..10 | options | 1 for `chain`, `goal="exact"`, `finish="first"` and `allow_resign` |
    | 11..11 | seat +0: present | 1 if the table has such a seat; else the rest of its features is 0 |
    | 12..12 | seat +0: square | square of its piece as a share of the way to the goal |
    | 13..13 | seat +0: rests | rests owed, two as 1 |
    | 14..19 | seat +0: place | 1 at its place in the order of arrivals |
    | 20..20 | seat +0: resigned | 1 if it has resigned |
    | 21..38 | seat +0: faces | for 1 to 6 pips: the square that it leads to, as a share of the way; the rests that it \
costs, two as 1; 1 if it grants another roll |
    | 39..39 | seat +1: present | 1 if the table has such a seat; else the rest of its features is 0 |
    | ... | ... | ... |

    With ``perspective="board"`` the seats come in seat order, seat 0 as +0.

    ## Rewards

    Paid by the step that ends the game, to the seat that acted: place points, ``1 - 2*(rank - 1)/(players - 1)``; 1
    for the first, -1 for the last; equal places share. ``info["rewards"]`` has the rewards of all seats. An illegal
    action ends the episode with -1.

    ## Starting state

    All pieces on the start, seat 0 to roll; with ``random_openings=k`` the position after k random plies (a throw is
    one); with ``reset(options={"position": text})`` any position.

    ## Episode end

    - Terminated: the first piece is at the goal (with ``finish="all_places"``: all but one are); an action was illegal.
    - Truncated: never by the rules; ``make(..., max_episode_steps=…)`` sets a cap.

    ## Arguments

    | argument | default | meaning |
    |---|---|---|
    | render_mode | None | ``human``, ``ansi`` or ``rgb_array`` |
    | observation | 'array' | ``dict``: a dict of ``observation`` and ``action_mask`` |
    | perspective | 'mover' | ``board``: the seats are shown in seat order |
    | random_openings | 0 | random plies before the first decision |
    | players | 2 | 2 to 6 |
    | board | 'round_the_seasons' | a name of those that ship, the path of a file, or a dict |
    | chain | True | the instruction of a square that an instruction leads to is followed too |
    | goal | 'over' | a roll too many arrives; ``exact``: it goes back by the excess |
    | finish | 'first' | play to the first arrival; ``all_places``: until one is left |
    | allow_resign | False | a seat may resign instead of rolling |

    ## Version history

    - v0: first version.
    """

    game_name = "picture_sugoroku"
