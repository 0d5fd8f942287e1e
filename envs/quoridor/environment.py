"""Quoridor as a Gymnasium environment."""

from __future__ import annotations

from ..gymnasium_env import GameEnv


class QuoridorEnv(GameEnv):
    """Quoridor: bring the pawn to the far side, or place a fence in somebody's way.

    ## Description

    Two or four seats move in turn. A turn is one step of the pawn, or one fence of two squares' length; no fence may
    cut a pawn off from its goal line. The first pawn on its goal line wins. The rules: ``docs/rules/quoridor.md``.

    ``sekisho/Quoridor-v0``: every step acts for the seat to move, so one agent plays all seats.

    ## Action space

    ``Discrete(209)`` on the board of 9x9; on one of n squares a side, with m = n - 1, ``n*n + 2*m*m``:

    | actions | meaning |
    |---|---|
    | 0..80 | the pawn goes to square ``rank*n + file`` |
    | 81..144 | a horizontal fence at anchor ``rank*m + file`` |
    | 145..208 | a vertical fence at the same anchors |

    With ``perspective="mover"`` squares and anchors are those of the board turned so that the seat to move walks north
    (to the last rank); with ``"board"`` those of the board as it lies. A pass is the pawn's own square, legal only
    where nothing else is. ``info["action_mask"]`` has the legal ones.

    ## Observation space

    ``Box(0, 1, (9, 9, 9), float32)``: planes of squares ``[plane, rank, file]``; with 4 players there are 15 planes.
    The seat that looks comes first, the others in turn order:

    | planes | name | meaning |
    |---|---|---|
    | 0..1 | pawns | 1 where the pawn of the seat stands; a plane for each seat |
    | 2..2 | horizontal fences | 1 at the anchor of each, the square to the south-west of its middle |
    | 3..3 | vertical fences | 1 at the anchor of each |
    | 4..5 | fences in hand | share of its fences that the seat still has, all over its plane |
    | 6..7 | seat to move | 1 all over the plane of the seat to move; 0 when the game is over |
    | 8..8 | plies | share of `max_plies` that has been played, all over; 0 without a cap |

    With ``perspective="board"`` the board is not turned and the planes of the seats come in seat order. What counts
    for ``repetition`` is not in the observation.

    ## Rewards

    Paid by the step that ends the game, to the seat that acted: 1 for a win; a draw is 0. ``info["rewards"]`` has the
    rewards of all seats: the winner 1, the others ``-1/(players - 1)``. An illegal action ends the episode with -1.

    ## Starting state

    The empty board, each pawn in the middle of its side, ten fences a seat (five with 4 players); with
    ``random_openings=k`` the position after k random plies; with ``reset(options={"position": text})`` any position.

    ## Episode end

    - Terminated: a pawn is on its goal line; a position has occurred for the third time (only with ``repetition=3``);
      an action was illegal.
    - Truncated: ``max_plies`` plies were played without a winner, a draw: 324 on the board of 9x9.

    ## Arguments

    | argument | default | meaning |
    |---|---|---|
    | render_mode | None | ``human``, ``ansi`` or ``rgb_array`` |
    | observation | 'array' | ``dict``: a dict of ``observation`` and ``action_mask`` |
    | perspective | 'mover' | ``board``: neither observations nor actions are turned |
    | random_openings | 0 | random plies before the first decision |
    | players | 2 | 2 or 4 |
    | board_size | 9 | squares a side, 3 to 9 |
    | fences | 10 | fences in hand of each seat at the start; 5 with 4 players |
    | max_plies | 324 | plies after which the game is a draw, or None; ``4 * board_size**2`` |
    | third_pawn | 'blocks' | a pawn behind the jumped one: no jump at all, or with ``diagonal`` the diagonals |
    | repetition | None | 3: the third occurrence of a position is a draw |

    ## Version history

    - v0: first version.
    """

    game_name = "quoridor"
