"""Whitespace, length and cut are ECMAScript's; what is loaded becomes well-formed."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.text import (
    collapse,
    cut,
    parse_json,
    strip,
    units,
    well_formed,
    well_formed_json,
)

DATA = Path(__file__).parents[1] / "data"

SPACES = [
    *"\t\n\v\f\r \u00a0\u1680",
    *(chr(code) for code in range(0x2000, 0x200B)),
    *"\u2028\u2029\u202f\u205f\u3000\ufeff",
]
OTHERS = "".join(chr(code) for code in range(0x10000) if chr(code) not in SPACES)

# Letters, a combining mark, whitespace of both languages, an emoji, both halves of another.
CHARACTERS = st.sampled_from("aXé\u0301 \t\n\u2028\ufeff\x1c\x85\u200b😀\ud83d\ude01")
TEXTS = st.text(CHARACTERS, max_size=12)
WELL_FORMED = st.text(st.sampled_from("aé\u0301 \n😀\U00010000\U0010ffff\ud7ff\ue000"), max_size=12)


def vectors(name: str) -> list[dict]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


def trimmed(text: str) -> str:
    while text and text[0] in SPACES:
        text = text[1:]
    while text and text[-1] in SPACES:
        text = text[:-1]
    return text


def words(text: str) -> list[str]:
    found = [""]
    for character in text:
        if character in SPACES:
            found.append("")
        else:
            found[-1] += character
    return [word for word in found if word]


def test_strip_takes_every_ecmascript_space_from_both_ends():
    assert [space for space in SPACES if strip(f"{space}{space}a b{space}{space}") != "a b"] == []


def test_strip_takes_nothing_else():
    assert strip(OTHERS) == OTHERS
    assert strip("\x1c\x85a\u200b\x1f") == "\x1c\x85a\u200b\x1f"


@given(TEXTS)
def test_strip_is_trimming_at_both_ends(text):
    assert strip(text) == trimmed(text)


def test_collapse_makes_one_space_of_every_run_of_ecmascript_spaces():
    assert [space for space in SPACES if collapse(f"a{space}{space}b{space}c") != "a b c"] == []


def test_collapse_leaves_everything_else():
    assert collapse(OTHERS) == OTHERS
    assert collapse("\x1ca\x85\x85b\x1f") == "\x1ca\x85\x85b\x1f"


@given(TEXTS)
def test_collapse_joins_words_with_single_spaces(text):
    assert collapse(text) == " ".join(words(text))


@pytest.mark.parametrize("row", vectors("keys"))
def test_two_texts_collapse_to_the_same_as_measured(row):
    assert (collapse(row["a"]) == collapse(row["b"])) is row["same"]


@pytest.mark.parametrize(
    ("text", "length"),
    [("", 0), ("abc", 3), ("é\u0301", 2), ("\uffff", 1), ("\U00010000", 2), ("a\ud83d", 2)],
)
def test_length_is_utf_16_code_units(text, length):
    assert units(text) == length


def test_length_is_a_whole_number():
    assert type(units("abc")) is int


@given(TEXTS)
def test_length_counts_two_units_beyond_the_basic_plane(text):
    assert units(text) == sum(2 if ord(character) > 0xFFFF else 1 for character in text)


@pytest.mark.parametrize("row", vectors("cuts"))
def test_a_text_is_cut_as_measured(row):
    assert cut(row["content"], row["tail_chars"]) == row["kept"]


@pytest.mark.parametrize("character", ["\U00010000", "😀", "\U0010ffff"])
def test_a_cut_inside_a_code_point_drops_its_first_half(character):
    assert cut(f"a{character}b", 2) == "a"
    assert cut(f"a{character}b", 3) == f"a{character}"


@pytest.mark.parametrize("character", ["\ud7ff", "\ue000", "\uffff"])
def test_a_cut_keeps_a_last_character_of_one_unit(character):
    assert cut(f"a{character}b", 2) == f"a{character}"


def test_a_cut_looks_at_no_more_characters_than_it_may_keep():
    taken = []

    class Text(str):
        def __getitem__(self, place):
            taken.append(super().__getitem__(place))
            return taken[-1]

    assert cut(Text("😀bcde"), 3) == "😀b"
    assert taken == ["😀bc"]


def test_a_cut_keeps_a_lone_half_that_it_did_not_make():
    assert cut("\ud83dab\ude00c", 4) == "\ud83dab\ude00"


@given(WELL_FORMED, st.integers(0, 15))
def test_a_cut_is_the_longest_prefix_that_fits(text, length):
    fitting = [text[:end] for end in range(len(text) + 1) if units(text[:end]) <= length]
    assert cut(text, length) == fitting[-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\ud83d", "a\ufffd"),
        ("\ude00a", "\ufffda"),
        ("\ud83da\ude00", "\ufffda\ufffd"),
        ("\ud83d\ude00", "😀"),
    ],
)
def test_a_lone_surrogate_becomes_u_fffd_and_a_pair_its_code_point(text, expected):
    assert well_formed(text) == expected


@given(WELL_FORMED)
def test_well_formed_text_is_not_normalized(text):
    assert well_formed(text + "e\u0301\r\n") == text + "e\u0301\r\n"


def test_every_string_in_a_json_value_becomes_well_formed_keys_included():
    value = {"\ud83d": ["a\ude00", {"b": "\ud83d"}], "n": [1, 1.5, None, True, False]}
    expected = {"\ufffd": ["a\ufffd", {"b": "\ufffd"}], "n": [1, 1.5, None, True, False]}
    assert well_formed_json(value) == expected
    assert well_formed_json("\ud83d") == "\ufffd"


def test_what_becomes_well_formed_is_a_copy():
    value = [{"a": ["\ud83d", {"b": "\ud83d"}]}]
    well_formed_json(value)
    assert value == [{"a": ["\ud83d", {"b": "\ud83d"}]}]


def test_a_json_value_of_any_depth_becomes_well_formed():
    value: object = "\ud83d"
    for _ in range(5_000):
        value = [{"a": value}]
    value = well_formed_json(value)
    for _ in range(5_000):
        value = value[0]["a"]
    assert value == "\ufffd"


# JSON


def refusal(text: str) -> str:
    with pytest.raises(ValueError, match=r"^not JSON: ") as caught:
        parse_json(text)
    assert caught.value.__suppress_context__
    return str(caught.value).removeprefix("not JSON: ")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | WELL_FORMED,
    lambda values: st.lists(values) | st.dictionaries(WELL_FORMED, values),
).filter(lambda value: "Infinity" not in json.dumps(value))


@given(VALUES, st.booleans())
def test_json_is_read_as_it_was_written(value, is_indented):
    assert parse_json(json.dumps(value, indent=is_indented or None)) == value


@pytest.mark.parametrize("number", ["1e308", "-1.7976931348623157e308", "1" + "0" * 308, "1e-999"])
def test_a_number_that_a_double_holds_is_read(number):
    value = parse_json(f"[{number}]")[0]
    assert (value, type(value)) == (json.loads(number), type(json.loads(number)))


@pytest.mark.parametrize(
    "number",
    ["NaN", "Infinity", "-Infinity", "1e999", "-1E+309", "1.8e308", "0.1e310", "1" + "0" * 309],
)
def test_a_number_that_no_double_holds_is_refused_with_its_place(number):
    said = f"{number[:20]} is not finite"
    assert refusal(number) == f"{said}: line 1 column 1"
    assert refusal(f'{{"é": 1,\n "a": [{number}, 1') == f"{said}: line 2 column 8"


@pytest.mark.parametrize(
    "before",
    ['"1e999"', '"\\"1e999"', '{"1e999": "\\\\", "b": 1}', '"a\\n[1e999"', f"0.{'0' * 999}1e999"],
)
def test_the_place_is_that_of_the_number_and_not_of_text_that_is_like_it(before):
    start = f"[{before}, "
    said = f"1e999 is not finite: line 1 column {len(start) + 1}"
    assert refusal(f"{start}1e999, 1e999]") == said


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("", "line 1 column 1"),
        ("\ufeff1", "line 1 column 1"),
        ("<html>", "line 1 column 1"),
        ('{"a":', "line 1 column 6"),
        ('{\n"a":1\n"b":2}', "line 3 column 1"),
        ("1 2", "line 1 column 3"),
        ('["a', "line 1 column 2"),
        ("[1 2\n]", "line 1 column 4"),
        ('["a\n"]', "line 1 column 4"),
    ],
)
def test_what_is_no_json_is_refused_with_its_place(text, place):
    assert refusal(text) == place


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[1,]", "line 1 column 4"),
        ('{"a":1, \t\r\n }', "line 2 column 2"),
        ("[1,, 2]", "line 1 column 6"),
        ("[1,,,2]", "line 1 column 5"),
    ],
)
def test_a_comma_too_many_has_one_place_in_every_python(text, place):
    assert refusal(text) == place


def test_json_that_is_nested_too_deeply_is_refused_in_words_of_no_pythons_version():
    assert refusal("[" * 100_000) == "nested too deeply"
