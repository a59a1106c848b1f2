"""The knobs: what each accepts, what each is when off, and what is refused in which words."""

import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.knobs import KNOBS, KnobError, Knobs, edits

DATA = Path(__file__).parents[1] / "data"

NAMES = (
    "MEMVARA_SEARCH_K",
    "MEMVARA_ROLE_SELECT",
    "MEMVARA_TOKEN_BUDGET",
    "MEMVARA_HEAD_WHOLE",
    "MEMVARA_TAIL_CHARS",
    "MEMVARA_TURNS_ONLY",
    "MEMVARA_ANSWER_PROMPT",
    "MEMVARA_CONTEXT_FILE",
    "MEMVARA_RANKED",
    "OPENAI_MODEL_PREFIX",
)
INTEGERS = (
    ("MEMVARA_SEARCH_K", "search_k", 1),
    ("MEMVARA_TOKEN_BUDGET", "token_budget", 1),
    ("MEMVARA_HEAD_WHOLE", "head_whole", 0),
    ("MEMVARA_TAIL_CHARS", "tail_chars", 0),
)
DEFAULTS = {
    "search_k": 30,
    "role_select": "off",
    "token_budget": None,
    "head_whole": 0,
    "tail_chars": 0,
    "turns_only": False,
    "answer_prompt": "v1",
    "context_file": None,
    "ranked": False,
}
TEXTS = st.text(st.sampled_from("01v2eou\u0663 \n\ufeff\x85\udc80"), max_size=6)
BLANKS = st.text(st.sampled_from("\t\n\v\f\r \u00a0\u1680\u2003\u2028\u202f\u3000\ufeff"))


def vectors(name: str) -> list[dict]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


def refusal(env: dict[str, str]) -> str:
    with pytest.raises(KnobError) as caught:
        Knobs.from_env(env)
    return str(caught.value)


def test_unset_knobs_are_off():
    assert Knobs.from_env({}) == Knobs(**DEFAULTS, model_prefix="")


@given(st.sampled_from(NAMES), BLANKS)
def test_a_blank_knob_is_an_unset_one(name, blank):
    assert Knobs.from_env({name: blank}) == Knobs.from_env({})


@given(st.dictionaries(st.sampled_from(NAMES), BLANKS))
def test_any_number_of_blank_knobs_is_none(env):
    assert Knobs.from_env(env) == Knobs.from_env({})


@pytest.mark.parametrize("row", vectors("knobs"))
def test_an_environment_resolves_as_measured(row):
    try:
        resolved = Knobs.from_env(row["env"]).settings()
    except KnobError:
        resolved = None
    assert resolved == row.get("settings")


@pytest.mark.parametrize(
    ("env", "field", "value"),
    [
        ({"MEMVARA_SEARCH_K": "200"}, "search_k", 200),
        ({"MEMVARA_ROLE_SELECT": "off"}, "role_select", "off"),
        ({"MEMVARA_ROLE_SELECT": "user"}, "role_select", "user"),
        ({"MEMVARA_ROLE_SELECT": "route"}, "role_select", "route"),
        ({"MEMVARA_TOKEN_BUDGET": "720"}, "token_budget", 720),
        ({"MEMVARA_HEAD_WHOLE": "5"}, "head_whole", 5),
        ({"MEMVARA_TAIL_CHARS": "400"}, "tail_chars", 400),
        ({"MEMVARA_TURNS_ONLY": "1"}, "turns_only", True),
        ({"MEMVARA_ANSWER_PROMPT": "v1"}, "answer_prompt", "v1"),
        ({"MEMVARA_ANSWER_PROMPT": "v2"}, "answer_prompt", "v2"),
        ({"MEMVARA_CONTEXT_FILE": "\ufeff a b.jsonl\n"}, "context_file", "a b.jsonl"),
        ({"MEMVARA_RANKED": "1"}, "ranked", True),
        ({"OPENAI_MODEL_PREFIX": " openai/ "}, "model_prefix", " openai/ "),
    ],
)
def test_a_knob_sets_its_own_field_and_no_other(env, field, value):
    assert Knobs.from_env(env) == Knobs(**DEFAULTS | {"model_prefix": ""} | {field: value})


@pytest.mark.parametrize(("name", "field", "least"), INTEGERS)
def test_an_integer_is_trimmed_ascii_digits_from_its_least_to_the_largest_safe_one(
    name, field, least
):
    for text, number in (
        (str(least), least),
        ("\u00a0\t30\ufeff", 30),
        ("007", 7),
        ("0" * 5000 + "9", 9),
        ("9007199254740991", 9007199254740991),
    ):
        assert getattr(Knobs.from_env({name: text}), field) == number


@pytest.mark.parametrize(("name", "field", "least"), INTEGERS)
def test_an_integer_out_of_range_is_refused(name, field, least):
    for text in (str(least - 1), "9007199254740992", "9" * 5000):
        assert (
            refusal({name: text}) == f"{name}='{text}' is not accepted: give an integer >= {least}"
        )


@pytest.mark.parametrize(
    "text",
    [
        "80O",
        "-1",
        "-0",
        "1.5",
        "1e3",
        "0x10",
        "5.0",
        "+5",
        "1_000",
        "1 0",
        "٣",
        "１２",
        "²",
        "\x1c5",
    ],
)
def test_an_integer_in_any_other_notation_is_refused(text):
    expected = f"MEMVARA_TAIL_CHARS={text!r} is not accepted: give an integer >= 0"
    assert refusal({"MEMVARA_TAIL_CHARS": text}) == expected


@pytest.mark.parametrize(
    ("name", "value", "accepts"),
    [
        ("MEMVARA_ROLE_SELECT", "user ", "exactly off, user or route"),
        ("MEMVARA_ROLE_SELECT", "Route", "exactly off, user or route"),
        ("MEMVARA_TURNS_ONLY", "0", "exactly 1"),
        ("MEMVARA_TURNS_ONLY", " 1", "exactly 1"),
        ("MEMVARA_ANSWER_PROMPT", "V2", "exactly v1 or v2"),
        ("MEMVARA_RANKED", "true", "exactly 1"),
    ],
)
def test_an_enumeration_is_exact_and_its_refusal_says_what_is_accepted(name, value, accepts):
    assert refusal({name: value}) == f"{name}='{value}' is not accepted: give {accepts}"


def test_knobs_that_take_any_text_say_so():
    assert KNOBS["MEMVARA_CONTEXT_FILE"].accepts == "a path"
    assert KNOBS["OPENAI_MODEL_PREFIX"].accepts == "any text"


@given(st.dictionaries(st.sampled_from(NAMES), TEXTS))
def test_an_environment_resolves_or_is_refused(env):
    try:
        knobs = Knobs.from_env(env)
    except KnobError:
        return
    assert isinstance(knobs, Knobs)


def test_a_value_is_never_made_well_formed():
    assert Knobs.from_env({"MEMVARA_CONTEXT_FILE": "\udc80"}).context_file == "\udc80"


def test_a_typo_is_refused_where_another_knob_makes_it_irrelevant():
    env = {"MEMVARA_CONTEXT_FILE": "blocks.jsonl", "MEMVARA_TOKEN_BUDGET": "80O"}
    expected = "MEMVARA_TOKEN_BUDGET='80O' is not accepted: give an integer >= 1"
    assert refusal(env) == expected


@pytest.mark.parametrize(
    ("env", "names"),
    [
        ({"MEMVARA_ROLE_SELECT": "user"}, "MEMVARA_ROLE_SELECT"),
        ({"MEMVARA_CONTEXT_FILE": "x"}, "MEMVARA_CONTEXT_FILE"),
        ({"MEMVARA_TAIL_CHARS": "1"}, "MEMVARA_TAIL_CHARS"),
        (
            {
                "MEMVARA_TAIL_CHARS": "9",
                "MEMVARA_CONTEXT_FILE": "x",
                "MEMVARA_ROLE_SELECT": "route",
            },
            "MEMVARA_ROLE_SELECT and MEMVARA_CONTEXT_FILE and MEMVARA_TAIL_CHARS",
        ),
    ],
)
def test_ranked_is_refused_with_every_knob_that_hides_its_order(env, names):
    assert refusal(env | {"MEMVARA_RANKED": "1"}) == (
        f"MEMVARA_RANKED=1 keeps the server's own order, which {names} would hide: unset one side"
    )
    assert Knobs.from_env(env).ranked is False


def test_ranked_goes_with_the_knobs_that_keep_its_order():
    env = {
        "MEMVARA_RANKED": "1",
        "MEMVARA_ROLE_SELECT": "off",
        "MEMVARA_TAIL_CHARS": "0",
        "MEMVARA_HEAD_WHOLE": "3",
        "MEMVARA_TOKEN_BUDGET": "720",
        "MEMVARA_TURNS_ONLY": "1",
        "MEMVARA_ANSWER_PROMPT": "v2",
        "MEMVARA_SEARCH_K": "200",
        "OPENAI_MODEL_PREFIX": "openai/",
    }
    assert Knobs.from_env(env).ranked is True


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("MEMVARA_TOKEN_BUGDET", "MEMVARA_TOKEN_BUDGET"),
        ("MEMVARA_RANK", "MEMVARA_RANKED"),
        ("MEMVARA_RANKEd", "MEMVARA_RANKED"),
        ("MEMVARA_SERCH_K", "MEMVARA_SEARCH_K"),
        ("MEMVARA__HEAD_WHOLES", "MEMVARA_HEAD_WHOLE"),
        ("OPENAI_MODEL_PREFX", "OPENAI_MODEL_PREFIX"),
    ],
)
def test_a_name_one_or_two_edits_from_a_knob_is_refused_whatever_its_value(name, meant):
    for value in ("1", "", "anything"):
        assert refusal({name: value}) == f"{name} is no knob: did you mean {meant}?"


@pytest.mark.parametrize(
    "name",
    [
        "MEMVARA_API_KEY",
        "MEMVARA_BASE_URL",
        "MEMVARA_RAN",
        "MEMVARA_ranked",
        "MEMVARARANKED",
        "OPENAI_MODEL",
        "OPENAI_MODELPREFIX",
        "OPENAI_MODEL_NAME",
        "memvara_RANKED",
        "XMEMVARA_RANKED",
    ],
)
def test_another_name_is_none_of_ours(name):
    assert Knobs.from_env({name: "80O"}) == Knobs.from_env({})


@cache
def distance(left: str, right: str) -> int:
    if not left or not right:
        return len(left) + len(right)
    return min(
        distance(left[1:], right[1:]) + (left[0] != right[0]),
        distance(left[1:], right) + 1,
        distance(left, right[1:]) + 1,
    )


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("", "", 0),
        ("", "abc", 3),
        ("abc", "", 3),
        ("kitten", "sitting", 3),
        ("abcd", "bcda", 2),
        ("ab", "ba", 2),
        ("abc", "xabc", 1),
        ("aabc", "abc", 1),
    ],
)
def test_an_edit_inserts_deletes_or_replaces_one_character(left, right, expected):
    assert edits(left, right) == expected


@given(st.text("ab", max_size=5), st.text("ab", max_size=5))
def test_edits_are_as_few_as_possible(left, right):
    assert edits(left, right) == distance(left, right)


def test_settings_hold_every_knob_that_changes_a_render_or_a_request():
    assert Knobs.from_env({"OPENAI_MODEL_PREFIX": "openai/"}).settings() == DEFAULTS


def test_knobs_do_not_change():
    with pytest.raises(AttributeError):
        Knobs.from_env({}).search_k = 1
