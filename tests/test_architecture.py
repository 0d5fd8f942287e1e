"""The order of the rooms and the habits of library code, read off the sources."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ["envs", "agents", "arena", "training", "serving", "cli"]  # a room may import from itself and from those before
NEVER = {"training": {"serving"}, "serving": {"training"}}
OUTSIDE = {"tests", "benchmarks", "examples", "docs", "build", "dist"}
FREE_OF_TORCH = {"envs", "arena"}
KERNEL_LINE = re.compile(r"^@(?:kernel|intrinsic)\b", re.MULTILINE)
LEGACY_RANDOM = {
    "default_rng",
    "Generator",
    "SeedSequence",
    "PCG64",
    "Philox",
    "BitGenerator",
}  # what is no global state


def package_files() -> Iterator[Path]:
    """Yield every Python file of the package, the tests and other companions left out."""
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).parts
        if not OUTSIDE & set(parts[:1]) and not any(part.startswith((".", "__pycache__")) for part in parts):
            yield path


FILES = list(package_files())
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


every_file = pytest.mark.parametrize("path", FILES, ids=name_of)


def room_of(path: Path) -> str:
    """The folder at the root that holds the file; empty for the root itself."""
    parts = path.relative_to(ROOT).parts
    return parts[0] if len(parts) > 1 else ""


def imports(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """Yield line, absolute module and imported names of every import of a file; the package itself is called sekisho."""
    package = ["sekisho", *path.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, []
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield node.lineno, module, [alias.name for alias in node.names]


def file_of(module: str) -> Path | None:
    """The file of a module of this package."""
    path = ROOT.joinpath(*module.split(".")[1:])
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate in TREES:
            return candidate
    return None


def imported_rooms(path: Path) -> Iterator[tuple[int, str]]:
    for line, module, names in imports(path):
        parts = module.split(".")
        if parts[0] == "sekisho":
            for room in parts[1:2] or names:
                yield line, room


def test_the_files_are_found() -> None:
    names = set(map(name_of, FILES))
    assert {"__init__.py", "envs/core.py", "envs/quoridor/kernels.py"} <= names
    assert not any(name.startswith("tests/") for name in names)


def test_only_the_version_lives_at_the_root() -> None:
    assert [path.name for path in sorted(ROOT.glob("*.py"))] == ["__init__.py"]
    (docstring, version) = TREES[ROOT / "__init__.py"].body
    assert isinstance(docstring, ast.Expr)
    assert isinstance(version, ast.Assign)
    assert ast.unparse(version.targets[0]) == "__version__"


def test_every_folder_with_code_is_a_known_room() -> None:
    assert {room_of(path) for path in FILES} <= {"", *ROOMS}


def test_the_packages_of_the_distribution_are_the_folders_with_python_files() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = {".".join(["sekisho", *path.relative_to(ROOT).parts[:-1]]) for path in FILES}
    assert sorted(project["tool"]["setuptools"]["packages"]) == sorted(folders)
    assert {name_of(path) for path in FILES if path.name == "__init__.py"} == {
        "/".join([*folder.split(".")[1:], "__init__.py"]) for folder in folders
    }


@every_file
def test_imports_point_to_the_same_room_or_to_one_nearer_the_ground(path: Path) -> None:
    room = room_of(path)
    if not room:
        assert not list(imports(path))
        return
    for line, other in imported_rooms(path):
        if other == "__version__":
            continue
        assert other in ROOMS, f"{name_of(path)}:{line} imports {other}"
        assert ROOMS.index(other) <= ROOMS.index(room), f"{name_of(path)}:{line}: {room} imports {other}"
        assert other not in NEVER.get(room, set()), f"{name_of(path)}:{line}: {room} imports {other}"


@every_file
def test_imports_inside_the_package_are_relative(path: Path) -> None:
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Import):
            assert not any(alias.name.split(".")[0] == "sekisho" for alias in node.names), (
                f"{name_of(path)}:{node.lineno}"
            )
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            assert (node.module or "").split(".")[0] != "sekisho", f"{name_of(path)}:{node.lineno}"


@every_file
def test_torch_stays_out_of_the_rooms_that_live_without_it(path: Path) -> None:
    if room_of(path) in FREE_OF_TORCH:
        for line, module, _ in imports(path):
            assert module.split(".")[0] not in {"torch", "safetensors", "tensorboard"}, f"{name_of(path)}:{line}"


def holds_kernels(path: Path) -> bool:
    return bool(KERNEL_LINE.search(path.read_text(encoding="utf-8")))


def test_some_files_hold_kernels() -> None:
    holders = set(map(name_of, filter(holds_kernels, FILES)))
    assert {"envs/bits.py", "envs/counter_rng.py", "envs/perft.py", "envs/quoridor/kernels.py"} <= holders


def used_by_kernels(path: Path) -> set[str]:
    """Every name that stands inside compiled functions of a file, or in the constants at its top level."""
    names: set[str] = set()
    for node in TREES[path].body:
        compiled = isinstance(node, ast.FunctionDef) and any(
            ast.unparse(decorator).split("(")[0] in {"kernel", "intrinsic"} for decorator in node.decorator_list
        )
        if compiled or isinstance(node, ast.Assign | ast.AnnAssign):
            names |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return names


@pytest.mark.parametrize("path", list(filter(holds_kernels, FILES)), ids=name_of)
def test_what_kernels_use_of_the_package_comes_from_files_that_the_cache_looks_at(path: Path) -> None:
    used = used_by_kernels(path)
    own_names = {alias.asname: alias.name for node in ast.walk(TREES[path]) if isinstance(node, ast.ImportFrom)
                 for alias in node.names if alias.asname}  # fmt: skip
    used |= {own_names[name] for name in used & own_names.keys()}
    for line, module, names in imports(path):
        if module.split(".")[0] != "sekisho":
            continue
        for name in names:
            source = file_of(f"{module}.{name}") or file_of(module)
            assert source is not None, f"{name_of(path)}:{line}"
            watched = holds_kernels(source) or name_of(source) in {"envs/compiling.py", "envs/kernels.py"}
            assert watched or name not in used, f"{name_of(path)}:{line}: {name} comes from {name_of(source)}"


@every_file
def test_library_code_neither_prints_nor_asks_nor_exits(path: Path) -> None:
    if room_of(path) == "cli":
        return
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in {"print", "input", "exit", "quit", "sys.exit", "os._exit"}, (
                f"{name_of(path)}:{node.lineno}"
            )
        if isinstance(node, ast.Raise) and node.exc is not None:
            assert "SystemExit" not in ast.unparse(node.exc), f"{name_of(path)}:{node.lineno}"


@every_file
def test_no_global_random_generator_is_used(path: Path) -> None:
    modules = {module for _, module, _ in imports(path)}
    from_random = {name for _, module, names in imports(path) if module == "random" for name in names}
    assert from_random <= {"Random", "SystemRandom"}
    assert not any(module == "numpy.random" and set(names) - LEGACY_RANDOM for _, module, names in imports(path))
    for node in ast.walk(TREES[path]):
        if isinstance(node, ast.Attribute):
            owner, where = ast.unparse(node.value), f"{name_of(path)}:{node.lineno}"
            assert owner not in {"np.random", "numpy.random"} or node.attr in LEGACY_RANDOM, where
            assert owner != "random" or "random" not in modules or node.attr in {"Random", "SystemRandom"}, where


@every_file
def test_user_input_is_not_checked_by_assert(path: Path) -> None:
    for node in ast.walk(TREES[path]):
        assert not isinstance(node, ast.Assert), f"{name_of(path)}:{node.lineno}"


BETWEEN_PROCESSES = "arena/wire.py"
"""Where a process of a run reads what another process of it has sent, which is no file."""


@every_file
def test_nothing_is_unpickled(path: Path) -> None:
    for line, module, _ in imports(path):
        if name_of(path) == BETWEEN_PROCESSES:
            assert not {"open", "read_bytes"} & {
                part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "")
                for part in ast.walk(TREES[path])
            }
            return
        assert module.split(".")[0] not in {"pickle", "cloudpickle", "dill", "shelve", "marshal", "joblib"}, (
            f"{name_of(path)}:{line}"
        )
