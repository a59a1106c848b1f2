"""Lines as they are printed, and what of them is worked out once, not once for each render."""

import copy
import json
import pickle
import tracemalloc
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import items, lines
from reference.context import render_context
from reference.items import Memory, Turn
from reference.knobs import Knobs
from reference.lines import Line, when
from reference.text import cut, units

DATA = Path(__file__).parents[1] / "data"
STAMP = "2026-03-04T05:06:07Z"
CONTENTS = ["x" * 40, "short", "y" * 50]
OPENING = "- [2026-03-04 05:06] user: "
SETTINGS = [
    {},
    {"MEMVARA_TAIL_CHARS": "8"},
    {"MEMVARA_TAIL_CHARS": "8", "MEMVARA_HEAD_WHOLE": "1"},
    {"MEMVARA_TAIL_CHARS": "8", "MEMVARA_TOKEN_BUDGET": "90"},
    {"MEMVARA_TOKEN_BUDGET": "90"},
    {"MEMVARA_TOKEN_BUDGET": "900"},
]


def vectors(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / name).read_bytes().splitlines()[1:]]


def turn(content: str, **fields: str) -> Turn:
    return Turn(**{"role": "user", "content": content, "ts": STAMP} | fields)


def listed() -> list[items.Item]:
    """Two memories, of which one has an end, and three turns, of which two are cut."""
    return [
        Memory("a", "live", STAMP, STAMP),
        Memory("b", "live", STAMP, STAMP, STAMP),
        *map(turn, CONTENTS),
    ]


@pytest.fixture
def render_all(words):
    """Renders items under all settings, twice."""

    def rendered(some: list[items.Item]) -> None:
        for env in SETTINGS * 2:
            render_context(some, None, Knobs.from_env(env), words=words, count=len)

    return rendered


@pytest.fixture
def called(monkeypatch):
    """Records the first argument of each call of a function, wherever it is called from."""

    def recorded(function) -> list[str]:
        arguments = []

        def call(text: str, *more: object):
            arguments.append(text)
            return function(text, *more)

        for module in (lines, items):
            if hasattr(module, function.__name__):
                monkeypatch.setattr(module, function.__name__, call)
        return arguments

    return recorded


# A line


def test_a_line_is_whole_unless_it_is_said_to_be_cut():
    assert Line("a") == Line("a", False) != Line("a", True)


def test_a_line_ends_with_a_newline_and_weighs_the_bytes_of_its_text():
    assert (Line("ᾧ").ended, Line("ᾧ").octets) == ("ᾧ\n", 3)


def test_a_lone_surrogate_weighs_as_many_bytes_as_the_replacement_character():
    assert Line("\ud800").octets == Line("\ufffd").octets == 3


def test_the_bytes_of_a_line_are_counted_once():
    class Text(str):
        encoded = 0

        def encode(self, *arguments, **options):
            Text.encoded += 1
            return super().encode(*arguments, **options)

    line = Line(Text("abc"))
    assert [line.octets, line.octets, Text.encoded] == [3, 3, 1]


def test_a_line_is_ended_once():
    line = Line("abc")
    assert line.ended is line.ended


# A turn as printed


def test_a_turn_is_its_date_role_and_content():
    assert turn("abc").line(0, "…") == Line(f"{OPENING}abc", False)


def test_a_content_longer_than_the_length_is_cut_to_it_and_gets_the_ellipsis():
    assert turn("abc").line(2, "…") == Line(f"{OPENING}ab…", True)
    assert turn("abc").line(1, "...") == Line(f"{OPENING}a...", True)


def test_a_content_as_long_as_the_length_or_shorter_is_whole():
    assert turn("abc").line(3, "…") == turn("abc").line(4, "…") == Line(f"{OPENING}abc", False)


def test_a_turn_that_was_cut_otherwise_before_is_cut_as_it_is_asked():
    said = turn("abc")
    asked = [(2, "…"), (0, "…"), (1, "…"), (1, "!"), (2, "…"), (9, "!")]
    assert [said.line(*each) for each in asked] == [turn("abc").line(*each) for each in asked]


def test_the_whole_line_and_the_one_last_cut_are_made_once():
    said = turn("abc")
    whole, cut = said.line(0, "…"), said.line(2, "…")
    assert said.line(0, "!") is said.line(3, "…") is whole
    assert said.line(2, "…") is cut
    assert said.line(1, "…") is said.line(1, "…") is not cut


def test_a_long_line_is_made_for_each_render():
    longest = turn("x" * (2**14 - 1 - len(OPENING)))
    assert longest.line(0, "") is longest.line(0, "")
    longer = turn("x" * (2**14 - len(OPENING)))
    assert longer.line(0, "") is not longer.line(0, "")
    assert longer.line(0, "") == longer.line(0, "")


def test_a_turn_of_a_long_text_holds_it_once(render_all):
    long = [turn("é" * (1 << 20))]
    tracemalloc.start()
    render_all(long)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1 << 18


# What is asked of an item again and again


def test_each_stamp_of_an_item_is_printed_once_however_often_it_is_rendered(render_all, called):
    stamps = called(when)
    render_all(listed())
    assert stamps == [STAMP] * 8


def test_a_content_is_measured_once(render_all, called):
    measured = called(units)
    render_all(listed())
    assert measured == CONTENTS


def test_a_content_is_cut_once_at_one_length(render_all, called):
    cuts = called(cut)
    render_all(listed())
    assert cuts == [CONTENTS[0], CONTENTS[2]]


def test_the_texts_of_a_turn_are_searched_for_blanks_once(render_all, monkeypatch):
    searched = []
    monkeypatch.setattr(lines, "_BLANKS", SimpleNamespace(search=searched.append))
    render_all(listed())
    assert searched == [text for content in CONTENTS for text in ("user", content, STAMP)]


def test_without_a_budget_nothing_is_searched_for_blanks(words, monkeypatch):
    monkeypatch.setattr(lines, "_BLANKS", None)
    assert render_context(listed(), None, Knobs.from_env({}), words=words).text


@given(st.lists(st.sampled_from(SETTINGS), max_size=6), st.sampled_from(SETTINGS))
def test_a_render_does_not_depend_on_those_before_it(new_words, before, env):
    def render(some: list, env: dict[str, str]) -> str:
        knobs = Knobs.from_env(env)
        return render_context(some, None, knobs, words=new_words(), count=len).text

    rendered = listed()
    for each in before:
        render(rendered, each)
    assert render(rendered, env) == render(listed(), env)


def test_items_that_were_rendered_are_the_items_they_were(render_all):
    rendered = listed()
    render_all(rendered)
    assert rendered == listed()
    assert [*map(hash, rendered)] == [*map(hash, listed())]
    assert [*map(repr, rendered)] == [*map(repr, listed())]
    assert [*map(items.to_json, rendered)] == [*map(items.to_json, listed())]
    assert pickle.loads(pickle.dumps(rendered)) == copy.deepcopy(rendered) == listed()


def test_an_item_with_another_field_is_printed_with_it():
    said = turn("abc")
    said.line(0, "")
    assert replace(said, content="d").line(0, "").text == f"{OPENING}d"
    remembered = Memory("a", "live", STAMP, STAMP)
    assert remembered.dates.keys() == {"valid_from", "recorded_at"}
    assert replace(remembered, valid_to=STAMP).dates["valid_to"] == "2026-03-04 05:06"


def test_a_line_and_a_turn_are_immutable():
    with pytest.raises(FrozenInstanceError):
        Line("a").text = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        turn("a").content = "b"  # type: ignore[misc]


# Stamps


@pytest.mark.parametrize("vector", vectors("when.jsonl"))
def test_a_stamp_is_shown_to_the_minute_or_unchanged(vector):
    assert when(vector["stamp"]) == vector["shown"]


@pytest.mark.parametrize(
    "stamp",
    [
        "x2026-03-04T05:06",
        "202-03-04T05:06",
        "2026-3-04T05:06",
        "2026-03-4T05:06",
        "2026-03-04T5:06",
        "2026-03-04T05:6",
        "2026-03-04t05:06",
        "2026-03-04T05.06",
        "2026/03-04T05:06",
        "2026-03/04T05:06",
        "2026-03-04T05:0٦",
    ],
)
def test_any_other_stamp_is_unchanged(stamp):
    assert when(stamp) == stamp
