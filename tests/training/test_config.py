"""Configurations: every field is explained, every mistake named."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sekisho.agents.networks.config import NetworkConfig
from sekisho.envs.errors import OptionError, UnknownNameError
from sekisho.training.config import SECTIONS, Config, help_of, parse_setting, settings_of, with_settings
from sekisho.training.presets import PRESETS, preset_config, presets_of
from sekisho.training.sections import Evaluation, Keeping, Learning, Searches, SelfPlay, Values

METHODS = ("selfplay", "values", "search", "imitation")
ALL = [Config(game="tokaido" if method == "values" else "quoridor", method=method) for method in METHODS]
EVERY = sorted({name for config in ALL for name in settings_of(config)})


@pytest.mark.parametrize("name", EVERY)
def test_every_setting_has_a_line_of_help(name: str) -> None:
    line = help_of(name)
    assert 8 < len(line) < 140
    assert "\n" not in line


def test_every_field_is_a_setting() -> None:
    fields = {f"{name}.{field.name}" for name, section in SECTIONS.items() for field in dataclasses.fields(section)}
    assert fields <= set(EVERY)


@pytest.mark.parametrize(("game", "preset"), [(game, preset) for game in PRESETS for preset in PRESETS[game]])
def test_presets_survive_json(game: str, preset: str) -> None:
    assert PRESETS[game].keys() >= {"tiny", "laptop", "full", "imitation_tiny", "imitation_laptop"}
    config = preset_config(game, preset)
    assert Config.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    assert config.preset == preset


def test_the_page_lists_all_presets() -> None:
    page = (Path(__file__).resolve().parent.parent.parent / "docs" / "training.md").read_text(encoding="utf-8")
    rows = [f"| {game} | `{name}` | {preset.help} |" for game in PRESETS for name, preset in PRESETS[game].items()]
    assert "\n".join(rows) in page


def test_settings_are_changed_one_by_one() -> None:
    config = with_settings(preset_config("tokaido", "selfplay_tiny"), {"selfplay.games": 3, "seed": 7})
    assert (config.selfplay.games, config.seed) == (3, 7)
    assert config.selfplay.simulations == preset_config("tokaido", "selfplay_tiny").selfplay.simulations


@pytest.mark.parametrize(
    ("word", "name", "value"),
    [
        ("selfplay.games=1_000", "selfplay.games", 1000),
        ("learning.learning_rate=3e-4", "learning.learning_rate", 3e-4),
        ("learning.symmetries=off", "learning.symmetries", False),
        (" network.kind = tower ", "network.kind", "tower"),
    ],
)
def test_words_become_settings(word: str, name: str, value: object) -> None:
    assert parse_setting(word) == (name, value)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"selfplay.simulation": 3}, "did you mean 'selfplay.simulations'"),
        ({"simulations": 3}, "selfplay.simulations"),
        ({"selfplay.batch_size": 3}, "learning.batch_size"),
        ({"iteration": 3}, "did you mean 'iterations'"),
    ],
)
def test_unknown_settings_name_the_nearest(changes: dict[str, int], told: str) -> None:
    with pytest.raises(UnknownNameError, match=told):
        with_settings(preset_config("tokaido", "selfplay_tiny"), changes)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("selfplay.games", 0), ("selfplay.full_share", 0.0), ("learning.reuse_limit", 128), ("seed", -1),
        ("learning.optimizer", "adam"), ("learning.learning_rate", float("nan")), ("selfplay.games", 2.0),
        ("learning.symmetries", 1), ("network.width", 0), ("network.kind", "transformer"), ("device", "tpu"),
        ("values.decay", 1.5), ("values.most_players", 7), ("values.start", 1), ("values.games", 0), ("values.three", 0.4),
        ("search.nodes", 1), ("search.held_back", 1), ("search.result", 1.5), ("search.start", 0),
        ("imitation.games", 0), ("imitation.explore", 1.5), ("imitation.student", -0.1), ("imitation.opening", -1),
        ("imitation.teacher", 5), ("imitation.teacher_value", 2.0),
    ],
)  # fmt: skip
def test_impossible_values_are_refused(name: str, value: object) -> None:
    known = {
        "values": ("tokaido", "tiny"),
        "search": ("quoridor", "search_tiny"),
        "imitation": ("tokaido", "imitation_tiny"),
    }
    config = preset_config(*known.get(name.partition(".")[0], ("quoridor", "tiny")))
    with pytest.raises(OptionError, match=name.rpartition(".")[2]):
        with_settings(config, {name: value})


@pytest.mark.parametrize(("name", "told"), [("rules", "--rules"), ("game", "first word"), ("method", "--config")])
def test_what_is_no_setting_is_said_to_be_elsewhere(name: str, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        with_settings(preset_config("quoridor", "tiny"), {name: "x"})


@pytest.mark.parametrize("value", [5, ["x"], None])
@pytest.mark.parametrize("name", ["game", "preset"])
def test_words_of_a_configuration_are_words(name: str, value: object) -> None:
    with pytest.raises(OptionError, match=f"{name!r} must be a word"):
        Config.from_dict(preset_config("quoridor", "tiny").to_dict() | {name: value})


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Config(game="quoridor", iterations="3"), "'iterations' must be a whole number, not '3'"),
        (lambda: Config(game="quoridor", iterations=True), "'iterations' must be a whole number, not True"),
        (lambda: Config(game="quoridor", seed=1.0), "'seed' must be a whole number"),
        (lambda: Config(game="quoridor", device=None), "'device' must be a word"),
        (lambda: Config(game=5), "'game' must be a word"),
        (lambda: Config(game="quoridor", method=["selfplay"]), "'method' must be a word"),
        (lambda: Config(game="quoridor", preset=None), "'preset' must be a word"),
        (lambda: Config(game="quoridor", rules=[("players", 2)]), "'rules' of a configuration must be rule options"),
        (lambda: Config(game="quoridor", selfplay={}), "'selfplay' of a configuration must be a SelfPlay, not {}"),
        (lambda: Config(game="quoridor", network=None), "'network' of a configuration must be a NetworkConfig"),
        (lambda: SelfPlay(games="3"), "'selfplay.games' must be a whole number, not '3'"),
        (lambda: SelfPlay(full_share=True), "'selfplay.full_share' must be a number, not True"),
        (lambda: Learning(symmetries=1), "'learning.symmetries' must be true or false, not 1"),
        (lambda: Learning(learning_rate=float("inf")), "'learning.learning_rate' must be a number, not inf"),
        (lambda: Values(two="a"), "'values.two' must be a number, not 'a'"),
        (lambda: Searches(start=None), "'search.start' must be a word, not None"),
        (lambda: Evaluation(games=2.0), "'evaluation.games' must be a whole number"),
        (lambda: Keeping(last=None), "'keeping.last' must be a whole number"),
        (lambda: NetworkConfig(width="8"), "'width' must be a whole number 1..4096, not '8'"),
        (lambda: NetworkConfig(depth=True), "'depth' must be a whole number 1..64, not True"),
        (lambda: NetworkConfig(kind=None), "did you mean|known"),
        (lambda: with_settings(Config(game="quoridor"), {3: 4}), "there is no setting 3"),  # type: ignore[dict-item]
    ],
)  # fmt: skip
def test_what_is_made_in_python_is_checked_as_what_is_read(make: Callable[[], Any], told: str) -> None:
    with pytest.raises((OptionError, UnknownNameError), match=told):
        make()


def test_whole_numbers_are_numbers() -> None:
    assert SelfPlay(full_share=1).full_share == 1
    assert Config(game="quoridor", learning=Learning(learning_rate=0)).learning.learning_rate == 0


def test_settings_of_another_method_are_refused_and_not_written() -> None:
    values, selfplay = preset_config("tokaido", "tiny"), preset_config("tokaido", "selfplay_tiny")
    with pytest.raises(OptionError, match=r"no part in a run whose method is 'values'.*values, evaluation"):
        with_settings(values, {"selfplay.games": 3})
    with pytest.raises(OptionError, match="no part in a run whose method is 'selfplay'"):
        with_settings(selfplay, {"values.games": 3})
    assert "selfplay" not in values.to_dict()
    assert "values" not in selfplay.to_dict()
    with pytest.raises(OptionError, match="did you mean 'values'"):
        Config(game="tokaido", method="value")


@pytest.mark.parametrize("word", ["selfplay.games", "selfplay.games=few", "learning.symmetries=2", "seed="])
def test_words_that_are_no_settings_are_refused(word: str) -> None:
    with pytest.raises(OptionError):
        parse_setting(word)


def test_unknown_presets_games_and_rules_are_named() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'laptop'"):
        preset_config("quoridor", "labtop")
    with pytest.raises(UnknownNameError, match="did you mean 'quoridor'"):
        preset_config("quorridor")
    with pytest.raises(UnknownNameError, match="did you mean 'board_size'"):
        preset_config("quoridor", rules={"boardsize": 5})


def test_a_preset_keeps_its_number_of_players_unless_another_is_named() -> None:
    rules = {"board_size": 6}
    assert preset_config("quoridor", "search_four_tiny", rules).rules == {"players": 4, "board_size": 6}
    assert preset_config("quoridor", "search_four_tiny", {"players": 2}).load_game().num_players == 2
    assert preset_config("quoridor", "search_tiny", rules).rules == rules


def test_a_game_without_choices_is_refused_with_the_way_to_its_values() -> None:
    with pytest.raises(OptionError, match="sekisho solve picture_sugoroku"):
        presets_of("picture_sugoroku")


def test_configurations_that_are_older_than_a_setting_have_it_as_it_was() -> None:
    config = preset_config("quoridor", "imitation_tiny")
    data = config.to_dict()
    for section, name in (
        ("learning", "start"),
        ("imitation", "opponent"),
        ("imitation", "doubt"),
        ("imitation", "weigh"),
    ):
        del data[section][name]
    assert Config.from_dict(data) == config
    del data["imitation"]["student"]
    with pytest.raises(OptionError, match="section 'imitation'"):
        Config.from_dict(data)


@pytest.mark.parametrize("change", ["drop", "add", "format", "kind", "section"])
def test_damaged_configurations_are_refused(change: str) -> None:
    data = preset_config("tokaido", "selfplay_tiny").to_dict()
    if change == "drop":
        del data["selfplay"]["games"]
    elif change == "add":
        data["learning"]["momentun"] = 1
    elif change == "format":
        data["format"] = 1
    elif change == "kind":
        data["selfplay"]["games"] = "many"
    else:
        data["keeping"] = []
    with pytest.raises(OptionError):
        Config.from_dict(data)
