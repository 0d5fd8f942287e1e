"""How long a search goes on: by simulations, by time, or both, in one thread or several."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

BATCH_SECONDS = 0.002
"""Time of a batch of simulations, between which the clock is read."""
_FIRST_BATCH = 1
_MOST = 1 << 62
_GROWTH = 4


class Limits:
    """A budget of simulations and a moment to stop, shared by the threads of one search.

    Args:
        simulations: how many; None for no bound.
        end: moment of `time.monotonic` to stop at; None for no bound. One batch is run however late it is.
        between: called between batches, in one of the threads, with the simulations so far.
        stopped: asked between batches in all of them; true ends the search.
    """

    def __init__(
        self,
        simulations: int | None,
        end: float | None,
        between: Callable[[int], None] | None = None,
        stopped: Callable[[], bool] | None = None,
    ) -> None:
        self._left = _MOST if simulations is None else simulations
        self._end = math.inf if end is None else end
        self._between = between
        self._asked_to_stop = stopped or (lambda: False)
        self._lock = threading.Lock()
        self._stopped = False
        self.done = 0

    def run(self, searches: list[Callable[[int], int]]) -> None:
        """Run each search in a thread of its own until the budget is spent.

        Args:
            searches: each runs that many simulations and returns how many it ran; fewer means that it is done.
        """
        if len(searches) == 1:
            self._work(searches[0], self._between)
            return
        errors: list[BaseException] = []

        def guarded(search: Callable[[int], int], between: Callable[[int], None] | None) -> None:
            try:
                self._work(search, between)
            except BaseException as error:  # told to who waits, below
                errors.append(error)
                self._stopped = True

        looking = [self._between, *[None] * len(searches)]
        pairs = zip(searches, looking, strict=False)
        threads = [threading.Thread(target=guarded, args=pair, daemon=True) for pair in pairs]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        finally:  # an interrupted wait must not leave threads at work on the tree
            self._stopped = True
            for thread in threads:
                thread.join()
        if errors:
            raise errors[0]

    def _work(self, search: Callable[[int], int], between: Callable[[int], None] | None) -> None:
        batch, timed = _FIRST_BATCH, math.isfinite(self._end)
        while True:
            wanted = self._take(batch)
            if wanted == 0:
                return
            begin = time.monotonic()
            done = search(wanted)
            now = time.monotonic()
            with self._lock:
                self.done += done
            if between is not None:
                between(self.done)
            if done < wanted or self._stopped or self._asked_to_stop() or now >= self._end:
                self._stopped = True
                return
            spent = max(now - begin, 1e-7)
            room = min(BATCH_SECONDS, self._end - now) if timed else BATCH_SECONDS
            batch = max(1, min(int(wanted * room / spent), wanted * _GROWTH))

    def _take(self, batch: int) -> int:
        """Return how many simulations the caller is to run next."""
        with self._lock:
            wanted = 0 if self._stopped else min(batch, self._left)
            self._left -= wanted
            return wanted
