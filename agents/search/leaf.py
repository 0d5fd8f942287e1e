"""What a new leaf of the tree is worth: a random game from it, a guided one, or an evaluation.

All of it is chosen by addresses in one vector, the *tools*: the kernel table of the game, then the words named here. An
address of 0 means that the tool is not there. So the search is compiled once, and any game, also one of another
package, can bring

* a policy ``(rules, state, data, rng) -> action``: draws a move of a guided rollout at a decision;
* an evaluation ``(rules, state, data, out)``: writes the expected return of every seat (float64 ``[players]``);
* a playout ``(rules, state, rng, out)``: plays to the end, every legal action equally likely, faster than `sample` and
  `apply` would, and writes the returns;
* priors ``(rules, state, data, mask, out)``: writes how promising each legal action of a decision looks, by its number
  (float64 ``[num_actions]``, 0 or more, of any sum above 0);
* a table ``(rules, state, data, out) -> known``: writes the exact returns where it knows them and answers 1 + the plies
  to the end with best play, or 1 if it does not know how many; 0 where it knows nothing. It may hold back, and answer 0,
  when something is asked for the first time.

``data`` (float64) is whatever numbers they work with: a table of the game, or the weights of a network small enough to
be compiled into the search. Only the table may write to it: one thread at a time asks it, while the other tools may be
at work in several.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba.experimental.function_type  # noqa: F401  teaches numba to call functions by address
from numba import types
from numba.core import cgutils

from ...envs.compiling import intrinsic, kernel
from ...envs.kernels import CHANCE, TERMINAL

POLICY, EVALUATION, PLAYOUT, TABLE, PRIORS = 10, 11, 12, 13, 14  # addresses, behind the ten of the kernel table
CUTOFF = 15  # plies after which a rollout stops and the evaluation is asked; -1 for never
TOOLS_SIZE = 16

_words = types.Array(types.int64, 1, "C")
_keys = types.Array(types.uint64, 1, "C")
_mask = types.Array(types.int8, 1, "C")
_floats = types.Array(types.float64, 1, "C")

SIGNATURES = {
    POLICY: types.int64(_words, _words, _floats, _keys),
    EVALUATION: types.void(_words, _words, _floats, _floats),
    PLAYOUT: types.void(_words, _words, _keys, _floats),
    TABLE: types.int64(_words, _words, _floats, _floats),
    PRIORS: types.void(_words, _words, _floats, _mask, _floats),
}
"""The types of the tools, by their place."""


def _function_at(place: int) -> Any:
    """Return an intrinsic that makes the tool at a place callable."""

    @intrinsic
    def tool(_context: Any, tools: Any) -> tuple[Any, Callable[..., Any]]:
        kind = types.FunctionType(SIGNATURES[place])

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
            address = builder.load(cgutils.gep_inbounds(builder, data, place))
            function = cgutils.create_struct_proxy(kind)(context, builder)
            function.jit_addr = builder.inttoptr(address, context.get_value_type(types.voidptr))
            return function._getvalue()

        return kind(tools), generate

    return tool


policy_of, evaluation_of = _function_at(POLICY), _function_at(EVALUATION)
playout_of, table_of, priors_of = _function_at(PLAYOUT), _function_at(TABLE), _function_at(PRIORS)


@kernel
def rollout(tools: Any, data: Any, game: Any, rules: Any, state: Any, rng: Any, out: Any) -> None:
    """Write the returns of a game played on from `state`, or its evaluation where it is cut off; `state` is played on.

    Repetition is not looked for: random play comes back to positions too often for that to mean anything.
    """
    cutoff = tools[CUTOFF]
    if cutoff < 0 and tools[PLAYOUT] != 0 and tools[POLICY] == 0:
        playout_of(tools)(rules, state, rng, out)
        return
    plies = 0
    while True:
        mover = game.to_move(rules, state)
        if mover == TERMINAL:
            game.returns(rules, state, out)
            return
        if plies == cutoff:
            evaluation_of(tools)(rules, state, data, out)
            return
        if mover != CHANCE and tools[POLICY] != 0:
            action = policy_of(tools)(rules, state, data, rng)
        else:
            action = game.sample(rules, state, rng)
        game.apply(rules, state, action)
        plies += 1
