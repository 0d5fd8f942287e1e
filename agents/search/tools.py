"""Which tools the games bring for the leaves of a search."""

from __future__ import annotations

from typing import Any

from numba import types

from .leaf import SIGNATURES


def address(function: Any, place: int) -> int:
    """Return the address of a compiled tool, compiling or loading it as needed.

    Args:
        function: decorated with `kernel`; it must stay alive as long as the address is used.
        place: of the tool in the vector of tools; it says which signature the function must have.
    """
    signature = SIGNATURES[place]
    function.compile(signature.args)
    result = function.overloads[signature.args]
    if types.unliteral(result.signature.return_type) != signature.return_type:
        raise TypeError(f"{function.py_func.__qualname__} must return {signature.return_type}")
    return int(result.library.get_pointer_to_function(result.fndesc.llvm_func_name))
