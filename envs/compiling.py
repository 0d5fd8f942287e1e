"""How kernels are compiled and cached: the decorator `kernel` and its cache folder.

numba's own cache looks only at the file of the function that it loads, so it serves stale machine code when a
function that is *called* changes in another file. Here the name of the cache folder is a hash of every file that
holds kernels: any edit leads to a fresh folder, and nothing in an old one can be found again.

A file takes part in the hash when it defines compiled code (a line starts with ``@kernel`` or ``@intrinsic``). Kernels
and the constants they read must therefore come from such files; a test enforces it.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, overload

import numba
import numba.extending
import platformdirs
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator

from .files import write_text_atomically

CACHE_VARIABLE = "SEKISHO_CACHE_DIR"
"""Environment variable that moves the cache folder."""

_PACKAGE = Path(__file__).resolve().parent.parent
_KERNEL_LINE = re.compile(rb"^@(?:kernel|intrinsic)\b", re.MULTILINE)
_FOLDER_NAME = re.compile(r"kernels-[0-9a-f]{16}")
_PAUSE_SECONDS = 30.0
"""Without compiling, after which it is said again that something is compiled."""
_STALE_SECONDS = 30 * 24 * 3600.0

_log = logging.getLogger("sekisho")


def cache_folder() -> Path:
    """Return the folder in which this package keeps what it can always make again."""
    chosen = os.environ.get(CACHE_VARIABLE)
    try:
        return Path(chosen).expanduser() if chosen else Path(platformdirs.user_cache_dir("sekisho", appauthor=False))
    except RuntimeError:  # nobody's home: a folder that cannot be, of which `_open_folder` then warns
        return Path(os.devnull, "sekisho")


@overload
def kernel(function: Callable[..., Any]) -> Any: ...
@overload
def kernel(*, allocates: bool) -> Callable[[Callable[..., Any]], Any]: ...
def kernel(function: Callable[..., Any] | None = None, *, allocates: bool = False) -> Any:
    """Compile `function` with numba on its first call; keep the machine code for later processes.

    The result runs without the GIL, divides as numpy does (no exception on zero) and is never compiled twice for the
    same sources, argument types, numba and processor.

    Args:
        function: what to compile; left out when the decorator is given options.
        allocates: whether it makes arrays. Only then does numba count references, which can cost a small function
            more than all of its work.
    """
    if function is None:
        return functools.partial(kernel, allocates=allocates)
    compiled = numba.njit(nogil=True, error_model="numpy", _nrt=allocates)(function)
    if Path(inspect.getfile(function)).is_file():  # else it was typed in, and there is no source to tell an edit by
        compiled._cache = _KernelCache(function)
    return compiled


def intrinsic(function: Callable[..., Any]) -> Any:
    """Make `function` write machine code itself wherever compiled code calls it (numba's decorator, typed)."""
    return numba.extending.intrinsic(function)


def kernel_files(root: Path) -> Iterator[Path]:
    """Yield the Python files of the package `root` that hold kernels, in a fixed order."""
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if Path(folder, name, "__init__.py").is_file())
        for name in sorted(files):
            path = Path(folder, name)
            if name.endswith(".py") and _KERNEL_LINE.search(path.read_bytes()):
                yield path


@functools.cache
def sources_hash(root: Path) -> str:
    """Return a hash of all kernel sources of this package and, for foreign kernels, of those of the package `root`."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for base in dict.fromkeys((_PACKAGE, root)):
        for path in kernel_files(base) if base.is_dir() else [base]:
            digest.update(str(path.relative_to(base)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _source_root(path: Path) -> Path:
    """Return the outermost package around `path`, or `path` itself if it is a lone script."""
    root = path.resolve()
    while (root.parent / "__init__.py").is_file():
        root = root.parent
    return root


def _remove_stale_folders(parent: Path) -> None:
    """Delete kernel folders that no process has used for a month."""
    for folder in parent.glob("kernels-*"):
        try:
            if _FOLDER_NAME.fullmatch(folder.name) and time.time() - folder.stat().st_mtime > _STALE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:  # another process was quicker
            continue


@functools.cache
def _open_folder(folder: Path) -> bool:
    """Make `folder` ready for writing; warn once where that is impossible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        _log.warning(
            "sekisho: cannot write the cache folder %s (%s): kernels are compiled anew in every process. "
            "Set %s to a folder that can be written.",
            folder, error.strerror, CACHE_VARIABLE,
        )  # fmt: skip
        return False
    _remove_stale_folders(folder.parent)
    return True


@functools.cache
def _mark_used(folder: Path) -> None:
    """Note, once a process, that a folder is in use; one that cannot be written cannot be removed either."""
    with contextlib.suppress(OSError):
        os.utime(folder)


@functools.cache
def _say_compiling(_quiet_since: float) -> None:
    """Tell the person who waits why; once for all that is compiled without a pause."""
    _log.warning("sekisho: compiling kernels of this part (once, seconds to a minute or two) ...")


class _KernelLocator(_CacheLocator):  # type: ignore[misc]
    """Places a kernel's machine code in the folder that carries the hash of the sources."""

    def __init__(self, path: Path) -> None:
        root = _source_root(path)
        self._name = str(path.resolve().relative_to(root.parent))
        self._hash = sources_hash(root)

    def get_cache_path(self) -> str:
        return str(cache_folder() / f"kernels-{self._hash}")

    def get_source_stamp(self) -> str:
        return self._hash

    def get_disambiguator(self) -> str:
        return hashlib.sha256(self._name.encode()).hexdigest()[:8]

    @classmethod
    def from_function(cls, _function: Callable[..., Any], path: str) -> _KernelLocator:
        return cls(Path(path))


class _KernelCacheImpl(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_KernelLocator,)


class _CheckedFile(IndexDataCacheFile):  # type: ignore[misc]
    """numba's cache files, each with a checksum beside it: machine code with a flipped bit must not run."""

    def _save_data(self, name: str, data: Any) -> None:
        super()._save_data(name, data)
        path = Path(self._data_path(name))
        write_text_atomically(path.with_name(path.name + ".sha256"), _digest(path))

    def _load_data(self, name: str) -> Any:
        path = Path(self._data_path(name))
        if path.with_name(path.name + ".sha256").read_text(encoding="utf-8") != _digest(path):
            raise ValueError(f"{path.name} does not match its checksum")
        return super()._load_data(name)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


class _Pause:
    """When compiling was last taken up again after nothing had been compiled for a while."""

    def __init__(self) -> None:
        self._begun = self._last = -_PAUSE_SECONDS

    def begun(self) -> float:
        """Return that moment, which is now if nothing was compiled lately."""
        now = time.monotonic()
        if now - self._last >= _PAUSE_SECONDS:
            self._begun = now
        self._last = now
        return self._begun

    def end(self) -> None:
        """Note that something has just been compiled."""
        self._last = time.monotonic()


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """numba's function cache, in our folder, that survives a damaged or unwritable one."""

    _impl_class = _KernelCacheImpl
    _pause = _Pause()

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFile(self.cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)
        except OSError:  # nothing can be read there; what happens on saving is said by `_open_folder`
            found = None
        except Exception as error:  # any kind of damage: a truncated file raises whatever its bytes spell
            _log.warning("sekisho: a cached kernel in %s is damaged (%s); compiling it again.", self.cache_path, error)
            found = None
            with contextlib.suppress(OSError):
                self.flush()
        if found is None:
            _say_compiling(self._pause.begun())
        else:
            _mark_used(Path(self.cache_path))
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        self._pause.end()
        if not _open_folder(Path(self.cache_path)):
            return
        try:
            super().save_overload(sig, data)
        except OSError as error:  # a full disk must not stop a game
            _log.warning("sekisho: cannot keep a compiled kernel in %s (%s).", self.cache_path, error)
