"""Whether this installation works, and what to do where not.

Nothing but the standard library is imported before a check runs, so that a broken library is found and not met.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .. import __version__

LEAST_PYTHON = (3, 11)
NEEDED = ("numpy", "numba", "gymnasium", "pettingzoo", "tyro", "rich", "filelock", "platformdirs", "PIL", "resvg_py")
"""Modules without which something everybody uses fails."""
SOMETIMES = {
    "torch": "used by networks and their training",
    "safetensors": "used by the weights of networks",
    "tensorboard": "used by training",
    "matplotlib": 'optional: pictures of solved games, and render_mode="human"',
    "pyspiel": "optional: OpenSpiel's algorithms, and sekisho bench compares with it",
    "ray": "optional: games on many machines",
    "sb3_contrib": "optional: the learner in examples/",
}
"""Modules that only some things use, and which."""
_EXTRAS = {"matplotlib": "plots", "pyspiel": "openspiel", "ray": "ray", "sb3_contrib": "examples"}
"""The extra of this package that installs an optional module."""
_DISTRIBUTIONS = {"PIL": "pillow", "pyspiel": "open_spiel", "sb3_contrib": "sb3-contrib"}
"""What pip calls a module that has another name."""
SHOWN = ("numpy", "numba", "gymnasium", "pettingzoo", "torch")
"""Distributions whose versions explain most differences between two machines."""
_COLUMNS = 80
"""In which every board can be drawn; lines use up to 100."""
_LETTERS = "│━→関é"

OK, WARNING, BROKEN = "ok", "warning", "broken"


@dataclass(frozen=True)
class Check:
    """What a look at one thing found.

    Attributes:
        name: of the thing.
        status: `OK`, `WARNING` (something optional, or a nuisance), or `BROKEN` (something needed).
        found: what is there.
        advice: what to do; empty where all is well.
    """

    name: str
    status: str
    found: str
    advice: str = ""


def versions() -> dict[str, str]:
    """Return the versions that matter, this package's and Python's first; nothing is imported for it."""
    found = {"sekisho": __version__, "python": platform.python_version()}
    for name in SHOWN:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def examine() -> list[Check]:
    """Return what was found, thing by thing."""
    checks = [_python(), *_modules(), *_sometimes()]
    looks: dict[str, Callable[[], Check]] = {
        "cache folder": _cache, "kernels": _kernels, "tables": _tables, "networks": _networks,
        "games folder": _games_folder, "terminal": _terminal,
    }  # fmt: skip
    for name, look in looks.items():
        try:
            checks.append(look())
        except Exception as error:  # whatever is broken must become a line of the report
            checks.append(Check(name, BROKEN, f"{type(error).__name__}: {error}", "see the lines above"))
    return checks


def report(checks: list[Check]) -> str:
    """Return the checks as lines for people."""
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        lines.append(f"{check.status:<8} {check.name:<{width}}  {check.found}")
        if check.advice:
            lines.append(f"{'':<8} {'':<{width}}  -> {check.advice}")
    broken = sum(check.status == BROKEN for check in checks)
    return "\n".join([*lines, f"{broken} broken" if broken else "Everything needed works."])


def _python() -> Check:
    found = f"{platform.python_version()} on {platform.system()} {platform.machine()}, {sys.executable}"
    if sys.version_info[:2] < LEAST_PYTHON:
        wanted = ".".join(map(str, LEAST_PYTHON))
        return Check("python", BROKEN, found, f"install Python {wanted} or newer and make a new environment with it")
    return Check("python", OK, found)


def _modules() -> list[Check]:
    return [
        _module(name, BROKEN, "install again from the sources, as the README says: make clean tournament")
        for name in NEEDED
    ]


def _module(name: str, otherwise: str, advice: str) -> Check:
    try:
        module = importlib.import_module(name)
    except Exception as error:  # libraries with compiled parts fail in all kinds of ways
        return Check(_distribution(name), otherwise, f"cannot be imported: {error}".splitlines()[0], advice)
    return Check(_distribution(name), OK, _version(name) or getattr(module, "__version__", "installed"))


def _distribution(module: str) -> str:
    return _DISTRIBUTIONS.get(module, module)


def _version(module: str) -> str:
    try:
        return importlib.metadata.version(_distribution(module))
    except importlib.metadata.PackageNotFoundError:
        return ""


def _sometimes() -> list[Check]:
    """Look for modules that not everything uses without importing them, which would take seconds."""
    checks = []
    for name, purpose in SOMETIMES.items():
        if importlib.util.find_spec(name) is not None:
            checks.append(Check(_distribution(name), OK, _version(name) or "installed"))
        else:
            extra = f"[{_EXTRAS[name]}]" if name in _EXTRAS else ""
            advice = f'for it, in the folder of the sources: pip install -e ".{extra}"'
            checks.append(Check(_distribution(name), OK, f"not installed; {purpose}", advice))
    return checks


def _writable(folder: Path) -> str:
    """Return why a folder cannot be written, empty if it can be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _cache() -> Check:
    from ..envs.compiling import CACHE_VARIABLE, cache_folder

    folder = cache_folder()
    why = _writable(folder)
    if why:
        advice = f"set {CACHE_VARIABLE} to a folder that can be written; until then every start compiles for a minute"
        return Check("cache folder", WARNING, f"{folder}: {why}", advice)
    used = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    return Check(
        "cache folder", OK, f"{folder} ({used / 1e6:.0f} MB, {shutil.disk_usage(folder).free / 1e9:.1f} GB free)"
    )


def _kernels() -> Check:
    """Play a random game of each kind in compiled code; the first time this compiles."""
    from ..envs.playouts import random_playouts
    from ..envs.registry import game_names, load_game

    begin = time.perf_counter()
    for name in game_names():
        random_playouts(load_game(name), 1)
    seconds = time.perf_counter() - begin
    return Check("kernels", OK, f"a game of {', '.join(game_names())} played in {seconds:.1f} s")


def _tables() -> Check:
    """Look whether the tables that ship are whole and belong to the rules of this version."""
    from ..agents import store
    from ..agents.exact import quoridor_table, tokaido_table
    from ..agents.exact.table_identity import identity_of
    from ..envs.errors import SekishoError
    from ..envs.registry import load_game

    encodings = {"quoridor": quoridor_table.ENCODING, "tokaido": tokaido_table.ENCODING}
    faults = []
    entries = [entry for entry in store.manifest() if entry["kind"] == "table"]
    for entry in entries:
        try:
            store.require_listed(entry)
            wanted = identity_of(load_game(entry["game"], **entry["rules"]), encodings.get(entry["game"], ""))
        except SekishoError as error:
            faults.append(str(error))
            continue
        if not wanted.items() <= entry.items():
            faults.append(f"{entry['file']} was made for another version of the rules of {entry['game']}")
    if faults:
        advice = "games are solved again on first use; install sekisho again, or python benchmarks/make_tables.py"
        return Check("tables", WARNING, "; ".join(faults), advice)
    return Check("tables", OK, f"{len(entries)} solved games ship, as the manifest lists them")


def _networks() -> Check:
    """Look whether the networks that ship are whole and look at games as this version shows them."""
    from ..agents import store
    from ..agents.networks.files import read_network, version_of
    from ..envs.errors import SekishoError

    faults, found = [], []
    for name, entry in store.shipped_networks().items():
        try:
            network = read_network(store.require_listed(entry))
        except SekishoError as error:
            faults.append(str(error))
            continue
        wanted = f"observation-{version_of(network.game, network.config, network.shape.seats)}"
        if (network.game, wanted) != (entry["game"], entry.get("encoding")):
            listed = f"{entry['game']}, {entry.get('encoding')}"
            faults.append(f"{entry['file']} is listed as one for {listed}, but it is for {network.game}, {wanted}")
        else:
            found.append(name)
    if faults:
        advice = (
            "agents `net` without a file of your own fail: install sekisho again; after a change of the observation train "
            "anew (docs/models) and put the file in its place with python benchmarks/ship_network.py"
        )
        return Check("networks", WARNING, "; ".join(faults), advice)
    return Check("networks", OK, f"{', '.join(found) or 'none'}, as the manifest lists them")


def _games_folder() -> Check:
    from .saved import games_folder

    folder = games_folder()
    why = _writable(folder)
    if why:
        advice = "sekisho play keeps games in the folder for temporary files instead; name a file with --save"
        return Check("games folder", WARNING, f"{folder}: {why}", advice)
    return Check("games folder", OK, str(folder))


def spells_boards(encoding: str | None) -> bool:
    """Return whether an encoding has the letters that boards are drawn with."""
    try:
        _LETTERS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def narrowness() -> str:
    """Return what is wrong with the width of the terminal, empty where it is wide enough or stdout is none."""
    columns = shutil.get_terminal_size().columns
    if not sys.stdout.isatty() or columns >= _COLUMNS:
        return ""
    return f"boards want {_COLUMNS} columns; this terminal has {columns}: widen it, or lines wrap"


def _terminal() -> Check:
    encoding = sys.stdout.encoding or "ascii"
    columns = shutil.get_terminal_size().columns
    found = f"{encoding}, {columns} columns" if sys.stdout.isatty() else f"{encoding}, not a terminal"
    if not spells_boards(encoding):
        advice = (
            "boards are drawn with letters it cannot spell: set PYTHONUTF8=1, or a UTF-8 locale such as LANG=C.UTF-8"
        )
        return Check("terminal", WARNING, found, advice)
    if narrowness():
        return Check("terminal", WARNING, found, narrowness())
    if os.environ.get("TERM") == "dumb":
        return Check("terminal", OK, f"{found}, TERM=dumb: no line editing")
    return Check("terminal", OK, found)
