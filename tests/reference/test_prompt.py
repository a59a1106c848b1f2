"""The answer prompt, v1 and v2, and the tokens that a context adds to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import prompt, wording
from reference.models import Model
from reference.prompt import answer_prompt, context_tokens, counter_for

V1, V2 = "Q|D|C|read|answer|", "Q|D|C|read\nrules|answer\ninstruction|"


def model(encoding: str | None) -> Model:
    return Model("alias", "id", "provider", True, encoding)


def test_v1_is_question_date_and_context_in_their_places(words):
    assert answer_prompt("Q", "D", "C", "v1", words) == V1


def test_v2_adds_its_rules_and_its_instruction_and_moves_nothing(words):
    assert answer_prompt("Q", "D", "C", "v2", words) == V2


@given(*[st.text("ab \n{}", max_size=9)] * 3)
def test_v2_contains_every_line_of_v1_in_order(question, date, context):
    words = wording.load()
    v1, v2 = (answer_prompt(question, date, context, each, words) for each in ("v1", "v2"))
    rest = iter(v2.split("\n"))
    assert all(line in rest for line in v1.split("\n"))
    assert len(v2.split("\n")) == len(v1.split("\n")) + 4


def test_no_question_is_the_empty_string(words):
    assert answer_prompt(None, "D", "C", "v1", words) == "|D|C|read|answer|"


@pytest.mark.parametrize("date", [None, ""])
def test_no_date_is_a_fixed_phrase(date, words):
    assert answer_prompt("Q", date, "C", "v1", words) == "Q|NO DATE|C|read|answer|"


@pytest.mark.parametrize("date", [" ", "\n", "2023/05/30 (Tue) 23:40"])
def test_any_other_date_is_printed_as_it_is(date, words):
    assert answer_prompt("Q", date, "C", "v1", words) == f"Q|{date}|C|read|answer|"


@pytest.mark.parametrize("text", ["{question}", "{context}{v2_rules}", "%s", "$&", "\\1", "{0}"])
def test_what_fills_a_hole_is_printed_verbatim(text, words):
    assert answer_prompt(text, text, text, "v1", words) == f"{text}|{text}|{text}|read|answer|"


def test_a_known_encoding_counts_exactly(monkeypatch, count):
    monkeypatch.setattr(prompt, "counter", {"o200k_base": count}.__getitem__)
    assert counter_for(model("o200k_base"))("<|endoftext|>") == 7


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("😀😀", 1), ("é" * 9, 3)]
)
def test_an_unknown_encoding_is_estimated_at_four_utf16_units_a_token(text, tokens):
    assert counter_for(model(None))(text) == tokens


def test_context_tokens_are_what_the_prompt_has_more_than_on_an_empty_list():
    assert context_tokens("a" * 12, "a" * 5, len) == 7


def test_context_tokens_are_never_below_zero():
    assert context_tokens("a", "aa", len) == 0
    assert context_tokens("aa", "aa", len) == 0
