"""Picture sugoroku's tool for the search: nobody resigns in a guided rollout."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...envs.compiling import kernel
from ...envs.picture_sugoroku.kernels import ROLL


@kernel
def policy(_rules: Any, _state: Any, _data: Any, _rng: Any) -> Any:
    """Roll."""
    return np.int64(ROLL)
