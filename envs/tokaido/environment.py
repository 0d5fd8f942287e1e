"""Tokaido sugoroku as a Gymnasium environment."""

from __future__ import annotations

from ..gymnasium_env import GameEnv


class TokaidoEnv(GameEnv):
    """Tokaido sugoroku: from Nihonbashi to Kyoto by one of two dice, choosing the road at the forks.

    ## Description

    Two to six seats throw two dice in turn and choose by which of the two numbers to advance; at a fork they choose
    the crossing, which a die decides, or the detour. Stations have events. Dice are thrown by the environment, so each
    step is a choice. The rules: ``docs/rules/tokaido.md``.

    ``sekisho/Tokaido-v0``: every step acts for the seat to move, so one agent plays all seats.

    ## Action space

    ``Discrete(12)``, whatever the options:

    | actions | meaning |
    |---|---|
    | 0..5 | advance by 1 to 6 |
    | 6..8 | advance by 8, 10, 12: the sums that only doubles give |
    | 9..9 | take the crossing |
    | 10..10 | take the detour |
    | 11..11 | resign (only with ``allow_resign=True``) |

    ``info["action_mask"]`` has the legal ones: two numbers, or the two roads.

    ## Observation space

    ``Box(0, 1, (498,), float32)``, the same for 2 to 6 players and all options, so that one network serves every
    table. The seat that looks comes first, the others in turn order; what a table has no seat for is 0:

    | features | name | meaning |
    |---|---|---|
    | 0..5 | seat to move | 1 at the seat that decides; 0 when the game is over |
    | 6..10 | waits for | turn, road, crossing, dice, or the choice of a number |
    | 11..19 | numbers | 1 at the actions 0 to 8 between which the roll leaves the choice |
    | 20..28 | options | 1 for each rule option that has not its default value: `VARIANT` names them |
    | 29..29 | turns | share of `max_turns` that has been taken; 0 without a cap |
    | 30..30 | seat +0: present | 1 if the table has such a seat; else the rest of its features is 0 |
    | 31..31 | seat +0: rests | rests owed, 8 or more as 1 |
    | 32..107 | seat +0: spot | 1 at the spot of its piece: `SPOT_NAMES`, in the order of the journey |
    | 108..108 | seat +1: present | 1 if the table has such a seat; else the rest of its features is 0 |
    | ... | ... | ... |

    The options are forks (miya), goal (over), bounce_events (False), rests_add_up (False), detour_rejoins
    (shortcut_target), after_crossing (end_turn), rechoice (uses_turn), finish (first) and allow_resign (True). With
    ``perspective="board"`` the seats come in seat order, seat 0 as +0. A spot is ``sekisho.envs.tokaido.tables.SPOTS``
    of its name: resigned, the stations with the forks' crossings and detours, and the six places in Kyoto.

    ## Rewards

    Paid by the step that ends the game, to the seat that acted: place points, ``1 - 2*(rank - 1)/(players - 1)``; 1
    for the first, -1 for the last; equal places share. ``info["rewards"]`` has the rewards of all seats. An illegal
    action ends the episode with -1.

    ## Starting state

    All pieces on Nihonbashi, seat 0 has thrown; with ``random_openings=k`` the position after k random plies (a throw
    is one); with ``reset(options={"position": text})`` any position.

    ## Episode end

    - Terminated: all pieces but one have arrived (with ``finish="first"``: one has); an action was illegal.
    - Truncated: ``max_turns`` turns were taken; places count as they stand: 1000 unless told otherwise.

    ## Arguments

    | argument | default | meaning |
    |---|---|---|
    | render_mode | None | ``human``, ``ansi`` or ``rgb_array`` |
    | observation | 'array' | ``dict``: a dict of ``observation`` and ``action_mask`` |
    | perspective | 'mover' | ``board``: the seats are shown in seat order |
    | random_openings | 0 | random plies before the first decision |
    | players | 2 | 2 to 6 |
    | forks | 'three' | ``miya``: only the fork at Miya divides the road |
    | goal | 'exact' | Kyoto needs the exact number; ``over``: whatever leads over it |
    | bounce_events | True | events happen after bouncing back from Kyoto too |
    | rests_add_up | True | rests owed add up; else one at most |
    | detour_rejoins | 'next_station' | where a detour ends; ``shortcut_target``: where the crossing leads to |
    | after_crossing | 'roll' | after a crossing the turn goes on with two dice; ``end_turn``: it ends |
    | rechoice | 'same_turn' | after choosing a road at its start a turn goes on; ``uses_turn``: it is used up |
    | finish | 'all_places' | play until one is left; ``first``: until the first arrives |
    | allow_resign | False | a seat may resign |
    | max_turns | 1000 | turns of all seats after which the game is truncated, or None |

    ## Version history

    - v0: first version.
    """

    game_name = "tokaido"
