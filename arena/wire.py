"""What is said between whoever hands work out and whoever does it: functions, tasks and answers as bytes.

This is the one place where anything is unpickled: only what a process of this run has sent to another one of it, on this
machine or in the cluster that somebody has named, and never a file.
"""

from __future__ import annotations

import hashlib
import pickle
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..envs.errors import SekishoError

Encode = Callable[[Any], bytes]


def encode(value: Any) -> bytes:
    """Return a value as bytes."""
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def decode(content: bytes) -> Any:
    """Return what `encode` made the bytes from; arrays in it are its own and may be written to."""
    return pickle.loads(content)  # noqa: S301  from a process of this run


def digest_of(content: bytes) -> str:
    """Return the name of a content: its SHA-256."""
    return hashlib.sha256(content).hexdigest()


class Job(NamedTuple):
    """A task on its way.

    Attributes:
        content: function and task.
        digests: of the values that all tasks of its run are given.
        shared: the contents of these by their digests.
    """

    content: bytes
    digests: tuple[str, ...]
    shared: Mapping[str, bytes]


class Failure(NamedTuple):
    """An answer that is none: what the function raised."""

    error: Exception


class Desk:
    """Where a worker works. It keeps the shared values of the run that it works for, and so is sent each of them once.

    Args:
        encoder: makes bytes of answers.
    """

    def __init__(self, encoder: Encode = encode) -> None:
        self._encode = encoder
        self._shared: dict[str, Any] = {}

    def work(self, content: bytes, digests: Sequence[str], fetch: Callable[[str], bytes]) -> bytes:
        """Call the function of a job; return the answer, or the `Failure`, as bytes.

        Args:
            content: of the job.
            digests: of the values that it needs; all others are forgotten.
            fetch: returns the content of one that is not here yet.
        """
        try:
            here = self._shared
            self._shared = {digest: here[digest] if digest in here else decode(fetch(digest)) for digest in digests}
            function, task = decode(content)
            return self._encode(function(task, *(self._shared[digest] for digest in digests)))
        except Exception as error:
            if not isinstance(error, SekishoError):
                error.add_note(traceback.format_exc())  # where it happened does not travel otherwise
            return _as_bytes(error)


def _as_bytes(error: Exception) -> bytes:
    try:
        content = encode(Failure(error))
        decode(content)  # some can be sent and not received
    except Exception:
        return encode(Failure(RuntimeError(f"{type(error).__name__}: {error}")))
    return content
