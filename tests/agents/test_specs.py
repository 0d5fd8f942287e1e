"""Spec strings: what they mean, what is refused, and that nothing but a refusal in words ever escapes."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sekisho.agents import Agent, agent_names, make_agent
from sekisho.agents.specs import Spec, convert, parse_spec
from sekisho.envs.errors import OptionError, SekishoError, UnknownNameError

VALID = (
    "random",
    "shortest_path",
    "heuristic",
    "mcts:simulations=1000",
    "net:checkpoint=best,simulations=200",
    "expectimax:turns=1,leaf=(net:checkpoint=tokaido,simulations=2)",
    "a:b=((c:d=(e:f=1,g=2)))",
)
PIECES = st.sampled_from([*"():=,;. \t\n", "((", "))", "=,", "é", "\0", "\ud800", "٣", "random", "heuristic", "x=1"])


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("random", "random", {}),
        ("  random\n", "random", {}),
        ("mcts:simulations=1000", "mcts", {"simulations": "1000"}),
        ("mcts: simulations = 1000 , seconds = 0.5", "mcts", {"simulations": "1000", "seconds": "0.5"}),
        ("mcts :seconds=1", "mcts", {"seconds": "1"}),
        (
            "expectimax:turns=1,leaf=(net:checkpoint=tokaido)",
            "expectimax",
            {"turns": "1", "leaf": "net:checkpoint=tokaido"},
        ),
        ("e:leaf=(net:a=1,b=2),turns=3", "e", {"leaf": "net:a=1,b=2", "turns": "3"}),
        ("e:leaf=( net:a=(x:y=1,z=2) )", "e", {"leaf": "net:a=(x:y=1,z=2)"}),
        ("e:a=((b))", "e", {"a": "(b)"}),
        ("e:a=b(c,d)", "e", {"a": "b(c,d)"}),
        ("e:a=b=c", "e", {"a": "b=c"}),
        ("motor:a=b:c", "motor", {"a": "b:c"}),
    ],
)
def test_a_spec_string_is_taken_apart_as_documented(text: str, name: str, options: dict[str, str]) -> None:
    assert parse_spec(text) == Spec(name, options)


def test_a_value_in_parentheses_is_a_spec_string_of_its_own() -> None:
    outer = parse_spec("expectimax:turns=2,leaf=(net:checkpoint=a,inner=(mcts:simulations=5,seconds=1))")
    middle = parse_spec(outer.options["leaf"])
    assert middle == Spec("net", {"checkpoint": "a", "inner": "mcts:simulations=5,seconds=1"})
    assert parse_spec(middle.options["inner"]) == Spec("mcts", {"simulations": "5", "seconds": "1"})


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("random:", "key=value"),
        ("random:x", "'x'"),
        ("random:x=", "'x='"),
        ("random:=1", "'=1'"),
        ("random:x=1,", "''"),
        ("random:x=1,,y=2", "''"),
        ("random:x=1,x=2", "'x' is given twice"),
        ("random:x=(1", "'(' without ')'"),
        ("random:x=1)", "')' without '('"),
        ("random:x=)(", "')' without '('"),
        ("random:x=(a)(b)", "only a part of '(a)(b)'"),
        ("random:x=(a)b", "only a part of '(a)b'"),
        ("random:x=()", "nothing stands between"),
        ("random:x=( )", "nothing stands between"),
    ],
)
def test_a_malformed_spec_string_is_refused_with_the_part_that_is_wrong(text: str, word: str) -> None:
    with pytest.raises(OptionError) as refusal:
        parse_spec(text)
    assert word in str(refusal.value)
    assert repr(text) in str(refusal.value)


@pytest.mark.parametrize("value", [None, 5, b"random", ["random"]])
def test_what_is_no_text_names_no_agent(value: Any) -> None:
    with pytest.raises(OptionError, match="named by a text"):
        make_agent(value)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("randm", "random"),
        ("Random", "random"),
        ("RANDOM", "random"),
        ("heuristics", "heuristic"),
        ("shortest-path", "shortest_path"),
        ("shortestpath", "shortest_path"),
    ],
)
def test_an_unknown_agent_is_refused_with_the_nearest_name(wrong: str, right: str) -> None:
    with pytest.raises(UnknownNameError) as refusal:
        make_agent(wrong)
    assert repr(wrong) in str(refusal.value)
    assert f"did you mean {right!r}?" in str(refusal.value)


@pytest.mark.parametrize("text", ["", " ", ":x=1", "qqqqqq", "(random)"])
def test_a_name_like_no_other_is_refused_with_all_that_exist(text: str) -> None:
    with pytest.raises(UnknownNameError) as refusal:
        make_agent(text)
    for name in agent_names():
        assert name in str(refusal.value)


@pytest.mark.parametrize("name", sorted(agent_names()))
def test_every_listed_agent_can_be_made_and_refuses_an_option_it_does_not_have(name: str) -> None:
    assert isinstance(make_agent(name), Agent)
    assert isinstance(make_agent(f"  {name} "), Agent)
    with pytest.raises(UnknownNameError) as refusal:
        make_agent(f"{name}:no_such_option=1")
    assert "'no_such_option'" in str(refusal.value)
    assert repr(name) in str(refusal.value)


def test_agents_are_listed_in_order_with_one_line_each() -> None:
    names = agent_names()
    assert list(names) == sorted(names)
    assert {"random", "shortest_path", "heuristic"} <= set(names)
    for line in names.values():
        assert line.strip()
        assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [("12", int, 12), ("-3", int, -3), ("0.5", float, 0.5), ("7", float, 7.0), ("7", str, "7")],
)
def test_the_text_of_an_option_becomes_a_value_of_its_kind(text: str, kind: Any, value: Any) -> None:
    converted = convert(text, kind, "option")
    assert (converted, type(converted)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("", int, "a whole number"),
        ("x", int, "a whole number"),
        ("1.0", int, "a whole number"),
        ("1e3", int, "a whole number"),
        ("9" * 5000, int, "a whole number"),
        ("", float, "a number"),
        ("one", float, "a number"),
        ("nan", float, "a number"),
        ("inf", float, "a number"),
        ("-Infinity", float, "a number"),
        ("1e999", float, "a number"),
    ],
)
def test_a_value_that_an_option_cannot_take_is_refused_with_its_name(text: str, kind: Any, words: str) -> None:
    with pytest.raises(OptionError) as refusal:
        convert(text, kind, "seconds")
    assert f"option 'seconds' must be {words}" in str(refusal.value)


@st.composite
def damaged_specs(draw: st.DrawFn) -> str:
    """A valid spec string with a few pieces put in, left out or moved."""
    text = draw(st.sampled_from(VALID))
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(text)))
        end = draw(st.integers(begin, min(len(text), begin + 3)))
        text = text[:begin] + draw(st.one_of(PIECES, st.just(""))) + text[end:]
    return text


@given(st.one_of(damaged_specs(), st.text()))
def test_a_damaged_spec_string_makes_an_agent_or_a_refusal_and_nothing_else(text: str) -> None:
    with contextlib.suppress(SekishoError):
        assert isinstance(make_agent(text), Agent)


@given(damaged_specs())
def test_what_can_be_taken_apart_has_whole_names_and_values(text: str) -> None:
    try:
        spec = parse_spec(text)
    except OptionError:
        return
    for word in (*spec.options, *spec.options.values()):
        assert word == word.strip() != ""


@given(
    st.dictionaries(
        st.from_regex("[a-z_]{1,8}", fullmatch=True),
        st.from_regex("[a-z0-9_.:=,]*[a-z0-9]", fullmatch=True),
        min_size=1,
        max_size=4,
    )
)
def test_any_value_survives_in_parentheses(options: dict[str, str]) -> None:
    text = "name:" + ",".join(f"{key}=({value})" for key, value in options.items())
    assert parse_spec(text) == Spec("name", options)
