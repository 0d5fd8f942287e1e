"""Picture sugoroku leaves one sensible choice: to roll."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...envs.core import State
from ...envs.picture_sugoroku.kernels import ROLL


def scores(_state: State) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the roll as the one action worth a look."""
    return np.array([ROLL]), np.zeros(1)
