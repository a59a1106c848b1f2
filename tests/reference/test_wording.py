"""The wording: its file, its holes, and every sentence that ships."""

from dataclasses import FrozenInstanceError, asdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import wording
from reference.lines import Line
from reference.wording import Wording, WordingError, load, parse

PROMPT = "{question}{question_date}{context}{v2_rules}{v2_instruction}"
TEXTS = {
    "memories_heading": "Memories:",
    "turns_heading": "Turns:",
    "turns_heading_cut": "Turns, cut:",
    "dates_open": "since {valid_from}",
    "dates_ended": "until {valid_to}",
    "empty": "Nothing.",
    "ellipsis": "...",
    "no_date": "unknown",
    "prompt": PROMPT,
    "v2_rules": "",
    "v2_instruction": "!",
}


def toml(texts: dict[str, str]) -> bytes:
    return "".join(f'{name} = "{text}"\n' for name, text in texts.items()).encode()


def refusal(data: bytes) -> str:
    with pytest.raises(WordingError) as caught:
        parse(data, Path("own.toml"))
    return str(caught.value)


def filled(template: str, values: dict[str, str]) -> str:
    return Wording(**TEXTS | {"dates_open": template}).filled("dates_open", values)


# Filling


def test_holes_are_filled_in_one_pass():
    values = {"a_1": "{b}", "b": "%s $& \\1 \\g<0> {a_1}"}
    assert filled("x{a_1}y{b}{b}z", values) == "x{b}y" + values["b"] + values["b"] + "z"


def test_a_brace_that_opens_no_hole_is_text():
    for text in ("{}", "{ a}", "{A}", "{a", "a}", "{a-b}", "{0.1}"):
        assert filled(text + "{a}", {"a": "1"}) == text + "1"


@given(st.text(st.sampled_from("{}ab_1 \\$%"), max_size=12))
def test_what_fills_a_hole_is_printed_as_it_is(value):
    assert filled("<{a}|{b}>", {"a": value, "b": value}) == f"<{value}|{value}>"


def test_holes_are_found_once_however_often_they_are_filled(monkeypatch):
    searched = []
    monkeypatch.setattr(wording, "_HOLE", SimpleNamespace(split=lambda text: [text, *searched]))
    words = Wording(**TEXTS)
    first = words.filled("dates_open", {})
    searched.append("again")
    assert words.filled("dates_open", {}) == first


def test_the_headings_of_turns_are_made_once():
    words = Wording(**TEXTS)
    assert words.turns_headings == (Line("Turns:"), Line("Turns, cut:"))
    assert words.turns_headings is words.turns_headings


# Loading


def test_a_file_of_the_same_shape_is_loaded(tmp_path):
    path = tmp_path / "own.toml"
    path.write_bytes(toml(TEXTS))
    assert load(path) == Wording(**TEXTS)


def test_a_wording_does_not_change():
    with pytest.raises(FrozenInstanceError):
        Wording(**TEXTS).empty = "x"


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "own.toml")


def test_an_error_names_the_path(tmp_path):
    path = tmp_path / "own.toml"
    path.write_bytes(b"")
    with pytest.raises(WordingError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: missing or unknown: dates_ended, dates_open")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"=", "Invalid statement (at line 1, column 1)"),
        (b"a = '\xff'", "'utf-8' codec can't decode byte 0xff in position 5"),
        (b"a = " + b"[" * 100_000, ""),
    ],
    ids=["no-TOML", "no-UTF-8", "nested-too-deeply"],
)
def test_a_file_that_is_no_toml_is_refused(data, reason):
    assert refusal(data).startswith(f"own.toml: no TOML file in UTF-8: {reason}")


def test_missing_and_unknown_texts_are_refused_by_name():
    texts = {"zebra": "", "apple": ""} | TEXTS
    del texts["prompt"], texts["empty"]
    assert refusal(toml(texts)) == "own.toml: missing or unknown: apple, empty, prompt, zebra"


@pytest.mark.parametrize("value", [b"1", b"true", b'["a"]', b'{ a = "b" }'])
def test_a_text_that_is_no_string_is_refused(value):
    data = toml(TEXTS).replace(b'empty = "Nothing."', b"empty = " + value)
    assert refusal(data) == "own.toml: empty must be a string"


@pytest.mark.parametrize(
    ("name", "text", "hole"),
    [
        ("memories_heading", "{question}", "question"),
        ("empty", "{question} {b1} {a_2} {context}", "a_2"),
        ("v2_rules", "{context}", "context"),
        ("dates_open", "{valid_from} {recorded_at} {valid_to}", "valid_to"),
        ("dates_ended", "{valid_from} {valid_to} {recorded_at} {question}", "question"),
        ("prompt", PROMPT + "{valid_from}", "valid_from"),
    ],
)
def test_a_hole_in_the_wrong_place_is_refused(name, text, hole):
    assert refusal(toml(TEXTS | {name: text})) == f"own.toml: {name} can't have {{{hole}}}"


@pytest.mark.parametrize(
    "hole", ["question", "question_date", "context", "v2_rules", "v2_instruction"]
)
def test_a_prompt_that_lacks_a_hole_is_refused(hole):
    text = PROMPT.replace(f"{{{hole}}}", "")
    assert refusal(toml(TEXTS | {"prompt": text})) == f"own.toml: prompt lacks {{{hole}}}"


def test_the_first_of_several_missing_holes_is_named():
    assert refusal(toml(TEXTS | {"prompt": "{context}"})) == "own.toml: prompt lacks {question}"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dates_open", ""),
        ("dates_open", "{valid_from} {recorded_at}"),
        ("dates_ended", "{valid_from} {valid_to} {recorded_at}"),
        ("empty", "{} {A} { a } 100% $&"),
        ("prompt", PROMPT + PROMPT),
    ],
)
def test_a_text_may_leave_holes_out_and_repeat_them(name, text):
    assert getattr(parse(toml(TEXTS | {name: text}), Path("own.toml")), name) == text


# What ships

SHIPPED = {
    "memories_heading": (
        "What memory holds about the user, best match first. Each entry says when it became true, "
        "and until when if it no longer is:"
    ),
    "turns_heading": ("What was said in earlier conversations, word for word, best match first:"),
    "turns_heading_cut": (
        'What was said in earlier conversations, best match first. A message that ends in "[cut]" '
        "goes on in the original:"
    ),
    "dates_open": "true since {valid_from}, noted {recorded_at}",
    "dates_ended": "true from {valid_from} until {valid_to}, noted {recorded_at}",
    "empty": "Memory holds nothing that bears on this question.",
    "ellipsis": "… [cut]",
    "no_date": "not given",
    "prompt": """\
You answer a user's question from what a memory system has kept of their earlier conversations.

QUESTION
{question}

DATE OF THE QUESTION
{question_date}

MEMORY
{context}

HOW TO READ THE MEMORY
- Use nothing but the memory above: no general knowledge about the user, no guesses.
- Every entry opens with its date. Work out words like "yesterday", "last week" or "two months \
ago" from the date of the entry they stand in, not from the date of the question.
- Order events by their dates. The order of the entries says how well they match the question and \
nothing about time.
- What the user says about themselves counts as fact. What the assistant says counts as an answer \
it gave, not as a fact about the user.
- An entry may match the question's words and still be about something else: leave it out.\
{v2_rules}

HOW TO ANSWER
- First write down, step by step, which entries bear on the question, with their dates and the \
values they hold.
- Do sums, counts and date differences explicitly, one line each.
- Then give the answer on a last line of its own, as short as the question allows.
- If the memory does not hold the answer, say "I don't know" and nothing more.{v2_instruction}""",
    "v2_rules": """
- When two entries give different values for the same thing, the one with the later date is current.
- Before you count or add anything up, list every entry that matches, each with its date.
- When the question asks for advice or a recommendation, build it on the preferences the user has \
stated.""",
    "v2_instruction": """
- If your reasoning already holds the values that the question needs, answer from them; say "I \
don't know" only when nothing in the memory bears on the question.""",
}


def test_the_texts_that_ship_are_these():
    assert asdict(load()) == SHIPPED
