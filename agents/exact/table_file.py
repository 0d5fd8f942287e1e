"""Table files: arrays with a description, a checksum over both, and nothing that could run; networks are kept so too.

The form is that of safetensors, so other programs can read it too; large arrays are mapped, not read. The description
is JSON in its metadata.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...envs.errors import SekishoError, TableError
from ...envs.files import replaced

FORMAT = "sekisho-table-1"


class Form(NamedTuple):
    """What is kept in a file of this kind.

    Attributes:
        name: of the form and its version, as the file says it.
        noun: what it is called in messages.
        error: raised for a file that is something else or damaged.
    """

    name: str
    noun: str
    error: type[SekishoError]


TABLE = Form(FORMAT, "table", TableError)
_KNOWN = {
    FORMAT: "a table of a solved game, which the agent `exact` plays by",
    "sekisho-network-1": "a network, which the agent `net` plays by",
    "sekisho-weights-1": "the weights of a network of your own, which `sekisho.training.own_network.own_player` plays by",
    "sekisho-learner-1": "what the optimiser of a training run remembers: its network is beside it",
    "sekisho-positions-1": "positions of a training run",
    "sekisho-searched-1": "positions of a training run",
}
"""What files of the forms of this package are, for messages."""
HALF = ".sekisho-half"
"""Ending of the file in which a table is written before it is put in its place."""
Arrays = dict[str, NDArray[Any]]

_TYPES = {"I64": np.int64, "I32": np.int32, "I16": np.int16, "I8": np.int8, "F64": np.float64, "F32": np.float32}
_LONGEST_HEADER = 1 << 20
_Place = tuple[Any, tuple[int, ...], int, int]
"""Type, shape, offset and length in bytes of an array."""


def _content(array: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def digest(arrays: Mapping[str, NDArray[Any]], description: Mapping[str, Any]) -> str:
    """Return the checksum (SHA-256, hexadecimal) of a description and its arrays."""
    whole = hashlib.sha256(json.dumps(description, sort_keys=True).encode())
    for name in sorted(arrays):
        whole.update(f"\0{name}\0{arrays[name].dtype.name}\0{arrays[name].shape}\0".encode())
        whole.update(_content(arrays[name]))
    return whole.hexdigest()


def write_table(path: Path, arrays: Arrays, description: Mapping[str, Any], form: Form = TABLE) -> None:
    """Write a table beside `path`, then put it in its place.

    Args:
        path: of the file.
        arrays: int8, int16, int32, int64, float32 or float64.
        description: JSON values.
        form: what it is a file of.

    Raises:
        OSError: if it cannot be written; what stood at `path` is untouched.
    """
    metadata = {"format": form.name, "description": json.dumps(description, sort_keys=True)}
    metadata["sha256"] = digest(arrays, description)
    header: dict[str, Any] = {"__metadata__": metadata}
    at = 0
    for name in sorted(arrays):
        array = arrays[name]
        kind = next(key for key, dtype in _TYPES.items() if array.dtype == dtype)
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    words = json.dumps(header).encode()
    words += b" " * (-len(words) % 8)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replaced(path, HALF) as file:
        file.write(len(words).to_bytes(8, "little") + words)
        for name in sorted(arrays):
            file.write(_content(arrays[name]))


def read_table(path: Path, private: bool = False, form: Form = TABLE) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays of a table, mapped and checked against the checksum, and its description.

    Args:
        path: of the file.
        private: map the arrays as if they could be written to, which never reaches the file: compiled code has one
            form for such arrays and would need another for read-only ones, which is what they are otherwise.
        form: what it is to be a file of.

    Raises:
        TableError: if it is no table, or was cut off or altered; of another form its own error.
        OSError: if it cannot be read.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise form.error(f"{path} is a device or a pipe, no {form.noun}")  # reading might wait for ever
    with path.open("rb") as file:  # one file to the end, should another be put in its place meanwhile
        size = os.fstat(file.fileno()).st_size
        length, places, description, written = _header(path, file, size, form)
        if 8 + length + max((at + nbytes for _, _, at, nbytes in places.values()), default=0) != size:
            raise form.error(f"{path} was cut off or altered: its length is not what its beginning says")
        arrays = {
            name: np.memmap(file, dtype, "c" if private else "r", 8 + length + at, shape)
            if nbytes
            else np.zeros(shape, dtype)
            for name, (dtype, shape, at, nbytes) in places.items()
        }
    if digest(arrays, description) != written:
        raise form.error(f"{path} was altered or damaged: it does not match its checksum")
    return {name: np.asarray(array) for name, array in arrays.items()}, description


def description_of(path: Path) -> dict[str, Any] | None:
    """Return what a file says of itself if it begins like a table of this package, whole or not; else None.

    Raises:
        OSError: if it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return _header(path, file, os.fstat(file.fileno()).st_size, TABLE)[2]
    except TableError:
        return None


def _header(path: Path, file: BinaryIO, size: int, form: Form) -> tuple[int, dict[str, _Place], dict[str, Any], str]:
    """Return the length of the header, where each array lies, the description and the checksum."""
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > min(_LONGEST_HEADER, size - 8):
        raise form.error(f"{path} is no {form.noun} of sekisho, or its beginning is damaged")
    words = file.read(length)
    try:
        header = json.loads(words)
        metadata = header.pop("__metadata__")
        description = json.loads(metadata["description"])
        written, said = metadata["sha256"], metadata["format"]
        places = {name: _place(entry) for name, entry in header.items()}
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise form.error(f"{path} is no {form.noun} of sekisho, or its beginning is damaged") from error
    if said != form.name or not isinstance(description, dict):
        raise form.error(f"{path}: expected a {form.noun} ({form.name}), not {_KNOWN.get(str(said), repr(said)[:80])}")
    return length, places, description, written


def _place(entry: Mapping[str, Any]) -> _Place:
    """Return type, shape, offset and length in bytes of an array; raise `ValueError` if they contradict each other."""
    dtype, shape = _TYPES[entry["dtype"]], tuple(int(length) for length in entry["shape"])
    first, last = (int(offset) for offset in entry["data_offsets"])
    nbytes = int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
    if min((0, first, *shape)) < 0 or last - first != nbytes:
        raise ValueError(entry)
    return dtype, shape, first, nbytes
