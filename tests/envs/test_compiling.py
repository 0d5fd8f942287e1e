"""The kernel cache, seen from fresh processes: what is compiled when, and what happens to a bad cache folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import sekisho
from sekisho.envs import compiling
from sekisho.envs.compiling import cache_folder
from sekisho.envs.counter_rng import draw, draw_below, mix, new_rng

OLD, YOUNG = "kernels-00000000000000aa", "kernels-00000000000000bb"
PACKAGE = Path(sekisho.__file__).resolve().parent
COMPILING = "sekisho: compiling kernels of this part (once"
DRAW = """
    import numpy as np
    from sekisho.envs.counter_rng import draw, draw_below, mix, new_rng
    rng = new_rng(5)
    print([int(draw_below(rng, 1000)) for _ in range(3)], int(draw(rng)), int(mix(np.uint64(7))))
"""
STEP = "from sekisho.envs.compiling import kernel\n\n\n@kernel\ndef step():\n    return 1\n"
COUNT_MISSES = """
    import sys
    from numba.core.dispatcher import Dispatcher
    kernels = {
        id(value): value
        for name, module in sys.modules.items() if name.startswith("sekisho")
        for value in vars(module).values() if isinstance(value, Dispatcher)
    }
    stats = [kernel.stats for kernel in kernels.values()]
    print(sum(sum(s.cache_hits.values()) for s in stats), sum(sum(s.cache_misses.values()) for s in stats))
"""


@dataclass(frozen=True)
class Place:
    """A folder that holds the package (None: wherever this process has it from), and a cache folder."""

    parent: Path | None
    cache: Path

    def run(self, code: str) -> tuple[str, str]:
        """Run code in a fresh process; return what it printed and what it said on stderr."""
        environment = {**os.environ, "SEKISHO_CACHE_DIR": str(self.cache)}
        if self.parent:
            environment["PYTHONPATH"] = str(self.parent)
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            cwd=self.parent, env=environment, capture_output=True, text=True, timeout=500, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr

    def edit(self, file: str, old: str, new: str) -> None:
        """Change one place of one file."""
        assert self.parent
        path = self.parent / file
        source = path.read_text(encoding="utf-8")
        assert source.count(old) == 1
        path.write_text(source.replace(old, new), encoding="utf-8")


@pytest.fixture
def here(tmp_path: Path) -> Place:
    """Return the package as it is, with an empty cache."""
    return linked(tmp_path)


@pytest.fixture
def copied(tmp_path: Path) -> Place:
    """Return a copy of the package that may be edited, with an empty cache."""
    parent = tmp_path / "path"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE / "envs", parent / "sekisho" / "envs", ignore=ignored)
    shutil.copy(PACKAGE / "__init__.py", parent / "sekisho")
    return Place(parent, tmp_path / "cache")


def test_compiling_is_said_again_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(compiling.time, "monotonic", lambda: now)
    pause = compiling._Pause()
    first = pause.begun()
    now += 20
    assert pause.begun() == first
    now += 100  # one function took long
    pause.end()
    now += 20
    assert pause.begun() == first
    now += 40
    assert pause.begun() != first


@dataclass(frozen=True)
class ColdStart:
    """What happened when `DRAW` ran with a cache folder that held nothing but folders of other times."""

    place: Place
    printed: str
    said: str


@pytest.fixture(scope="module")
def cold_start(tmp_path_factory: pytest.TempPathFactory) -> ColdStart:
    """Run `DRAW` where nothing is cached; tests that change the cache use a copy."""
    place = linked(tmp_path_factory.mktemp("cold"))
    for name, days in ((OLD, 31), (YOUNG, 29), ("kernels-mine", 400)):
        (place.cache / name).mkdir(parents=True)
        stamp = time.time() - 24 * 3600 * days
        os.utime(place.cache / name, (stamp, stamp))
    return ColdStart(place, *place.run(DRAW))


@pytest.fixture
def warm(cold_start: ColdStart, tmp_path: Path) -> Place:
    """Return the package as it is, with a cache of its own that holds what `DRAW` needs."""
    shutil.copytree(cold_start.place.cache, tmp_path / "cache")
    return Place(cold_start.place.parent, tmp_path / "cache")


def linked(folder: Path) -> Place:
    parent = folder / "path"
    parent.mkdir()
    (parent / "sekisho").symlink_to(PACKAGE, target_is_directory=True)
    return Place(parent, folder / "cache")


def expected_numbers() -> str:
    """What `DRAW` prints, from this process."""
    rng = new_rng(5)
    below = [int(draw_below(rng, 1000)) for _ in range(3)]
    return f"{below} {int(draw(rng))} {int(mix(np.uint64(7)))}\n"


def test_a_cold_start_says_once_that_it_compiles_and_a_second_process_compiles_nothing(cold_start: ColdStart) -> None:
    assert cold_start.printed == expected_numbers()
    assert cold_start.said.count(COMPILING) == len(cold_start.said.splitlines()) == 1
    assert cold_start.place.run(DRAW) == (cold_start.printed, "")


def test_folders_that_nobody_used_for_a_month_are_removed_and_others_kept(cold_start: ColdStart) -> None:
    names = sorted(path.name for path in cold_start.place.cache.iterdir())
    assert OLD not in names
    assert {YOUNG, "kernels-mine"} < set(names)
    assert len(names) == 3  # and the one that was made


def test_a_second_process_compiles_nothing_for_play_playouts_and_perft() -> None:
    place = Place(None, cache_folder().absolute())  # the cache of this test run, which other tests fill too
    code = """
        from sekisho.envs import load_game
        from sekisho.envs.perft import perft
        from sekisho.envs.playouts import random_playouts
        for options in ({"board_size": 5}, {"players": 4, "repetition": 3}):
            state = load_game("quoridor", **options).new_initial_state()
            perft(state, 2)
            print(random_playouts(state, 20).plies.tolist())
            while not state.is_terminal():
                state.apply_action(state.legal_actions()[0])
            state.returns(), state.distances(), state.to_dict(), state.game.from_text(state.to_text())
    """
    code = textwrap.dedent(code) + textwrap.dedent(COUNT_MISSES)
    first, _ = place.run(code)
    second, said = place.run(code)
    hits, misses = map(int, second.splitlines()[-1].split())
    assert misses == 0
    assert hits > 10
    assert said == ""
    assert second.splitlines()[:-1] == first.splitlines()[:-1]


def test_an_edit_to_a_kernel_that_is_called_from_another_file_is_seen_and_one_to_other_code_costs_nothing(
    copied: Place,
) -> None:
    code = """
        import numpy as np
        from sekisho.envs.quoridor.kernels import hash, STATE_SIZE
        print(hash(np.zeros(1, np.int64), np.zeros(STATE_SIZE, np.int64)))
    """
    before, _ = copied.run(code)
    copied.edit("sekisho/envs/errors.py", '"""Base of all errors', '"""The base of all errors')
    assert copied.run(code) == (before, "")
    copied.edit("sekisho/envs/counter_rng.py", "np.uint64(0xBF58476D1CE4E5B9)", "np.uint64(0xBF58476D1CE4E5BB)")
    after, said = copied.run(code)
    assert COMPILING in said
    assert after != before


def test_an_edit_to_a_kernel_of_another_package_is_seen(here: Place) -> None:
    assert here.parent
    own = here.parent / "own_game"
    own.mkdir()
    (own / "__init__.py").touch()
    (own / "callee.py").write_text(STEP, encoding="utf-8")
    (own / "caller.py").write_text(
        "from sekisho.envs.compiling import kernel\nfrom own_game.callee import step\n\n\n"
        "@kernel\ndef stride():\n    return 10 * step()\n",
        encoding="utf-8",
    )
    code = "from own_game.caller import stride; print(stride())"
    assert here.run(code)[0] == "10\n"
    here.edit("own_game/callee.py", "return 1", "return 2")
    assert here.run(code)[0] == "20\n"


def test_an_edit_to_a_kernel_in_a_folder_beside_the_code_of_the_package_is_seen(copied: Place) -> None:
    assert copied.parent
    script = copied.parent / "sekisho" / "examples" / "own_kernel.py"
    script.parent.mkdir()
    script.write_text(STEP, encoding="utf-8")
    code = "import sys; sys.path.insert(0, 'sekisho/examples'); import own_kernel; print(own_kernel.step())"
    assert copied.run(code)[0] == "1\n"
    copied.edit("sekisho/examples/own_kernel.py", "return 1", "return 2")
    assert copied.run(code)[0] == "2\n"


def test_a_kernel_that_was_typed_in_works_without_a_cache(here: Place) -> None:
    code = """
        from sekisho.envs.compiling import kernel
        @kernel
        def double(x):
            return 2 * x
        print(double(21))
    """
    assert here.run(code)[0] == "42\n"
    assert not here.cache.exists()


def test_a_cache_folder_that_cannot_be_written_is_named_in_a_warning_and_everything_works(here: Place) -> None:
    here.cache.write_text("no folder\n", encoding="utf-8")
    blocked = here.cache / "below a file"
    printed, said = Place(here.parent, blocked).run(DRAW)
    assert printed == expected_numbers()
    assert said.count(COMPILING) == 1
    assert said.count("sekisho: cannot write the cache folder") == 1
    assert str(blocked) in said
    assert "SEKISHO_CACHE_DIR" in said
    assert "damaged" not in said
    assert here.cache.read_text(encoding="utf-8") == "no folder\n"


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_cache_files_are_replaced_with_a_warning_each(warm: Place, suffix: str) -> None:
    def damage(kernel: str, change: Callable[[bytes], bytes]) -> None:
        files = list(warm.cache.glob(f"kernels-*/counter_rng.{kernel}-*{suffix}"))
        assert files
        for file in files:
            file.write_bytes(change(file.read_bytes()))

    damage("mix", lambda _: b"")
    damage("draw", lambda _: b"\x80\x04 nonsense")
    damage("draw_below", lambda whole: whole[: len(whole) // 2])
    printed, said = warm.run(DRAW)
    assert printed == expected_numbers()
    assert said.count("is damaged") >= 3
    assert str(warm.cache) in said
    assert warm.run(DRAW) == (printed, "")


def test_machine_code_with_a_single_changed_bit_is_never_run(warm: Place) -> None:
    files = list(warm.cache.glob("kernels-*/counter_rng.*.nbc"))
    assert files
    for file in files:
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(bytes(content))
    printed, said = warm.run(DRAW)
    assert printed == expected_numbers()
    assert "does not match its checksum" in said
    assert warm.run(DRAW) == (printed, "")


def test_without_a_home_kernels_are_compiled_anew_with_a_warning(tmp_path: Path) -> None:
    place = linked(tmp_path)
    nowhere = Place(place.parent, Path("~there-is-no-such-user/cache"))
    printed, said = nowhere.run(DRAW)
    assert printed == expected_numbers()
    assert "cannot write the cache folder" in said


def test_importing_the_rules_loads_nothing_heavy(here: Place) -> None:
    code = """
        import sys
        import sekisho.envs
        import sekisho.envs.perft, sekisho.envs.playouts
        sekisho.envs.load_game("quoridor")
        import gymnasium
        assert "sekisho/Quoridor-v0" in gymnasium.registry
        heavy = {"torch", "rich", "pyspiel", "matplotlib", "pandas", "PIL", "sekisho.envs.gymnasium_env"}
        print(sorted(heavy & set(sys.modules)))
    """
    assert here.run(code) == ("[]\n", "")
