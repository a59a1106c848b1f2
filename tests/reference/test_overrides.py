"""The context file: which rows it takes, what a question finds, and what is refused where."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.overrides import ContextFile, ContextFileError, block, key, load, parse

DATA = Path(__file__).parents[1] / "data"
PATH = "blocks.jsonl"
SHAPE = 'expected {"question": string, "block": string}'

LINES = st.sampled_from(
    [
        b'{"question":"q","block":"b"}',
        b'{"question":" q\\ud83d","block":"c"}',
        b'{"question":1,"block":"b"}',
        b'["question","block"]',
        b"\xef\xbb\xbf",
        b"\xff",
        b" \r",
        b"NaN",
        b"7",
        b"{",
    ]
)


def vectors(name: str) -> list[dict]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


def refusal(data: bytes) -> str:
    with pytest.raises(ContextFileError) as caught:
        parse(data, PATH)
    return str(caught.value)


# Keys


@pytest.mark.parametrize("row", vectors("keys"))
def test_two_questions_have_one_key_as_measured(row):
    assert (key(row["a"]) == key(row["b"])) is row["same"]


def test_a_key_is_trimmed_and_collapsed_and_keeps_its_case():
    assert key("\ufeff Which\u3000 Café\n?") == "Which Café ?"
    assert key("e\u0301") == "e\u0301"


def test_no_question_has_the_empty_key():
    assert key(None) == ""
    assert key(" \n") == ""


# Rows


def test_each_row_gives_its_block_to_its_question():
    data = b'{"question":" A  b\\n","block":" one\\n"}\n{"id":7,"block":"","question":"c"}\n'
    assert parse(data, PATH) == ContextFile({"A b": " one\n", "c": ""}, ())


def test_an_empty_file_has_no_blocks():
    assert parse(b"", PATH) == ContextFile({}, ())


def test_a_byte_order_mark_before_the_first_row_is_tolerated():
    data = b'\xef\xbb\xbf{"question":"q","block":"b"}'
    assert parse(data, PATH).blocks == {"q": "b"}


def test_blank_lines_are_skipped():
    row = '{"question":"q","block":"b"}'
    data = f"\n \t\r\n\u2028\ufeff\n{row}\r\n\n".encode()
    assert parse(data, PATH) == ContextFile({"q": "b"}, ())


def test_records_are_separated_by_lf_alone():
    row = '{"question":"a\u2028b\u0085c","block":"x\u2028y\u2029z\u0085"}\r'
    assert parse(row.encode(), PATH).blocks == {"a b\u0085c": "x\u2028y\u2029z\u0085"}


def test_questions_and_blocks_become_well_formed():
    data = b'{"question":"a\\ud83d","block":"b\\ude00"}'
    assert parse(data, PATH).blocks == {"a\ufffd": "b\ufffd"}


def test_the_last_of_two_rows_for_one_question_wins_with_a_warning():
    data = b'\n{"question":"q","block":"b"}\n{"question":" q ","block":"c"}'
    warning = "blocks.jsonl:3: a second, different block for one question; it wins"
    assert parse(data, PATH) == ContextFile({"q": "c"}, (warning,))


def test_two_rows_with_one_block_are_no_reason_to_warn():
    data = b'{"question":"q","block":""}\n{"question":"q","block":""}'
    assert parse(data, PATH) == ContextFile({"q": ""}, ())


# Refusals


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON: line 1 column 2"),
        (b"<html>", "not JSON: line 1 column 1"),
        (b'\xef\xbb\xbf{"question":"q","block":"b"}', "not JSON: line 1 column 1"),
        (b'\xc2\xa0{"question":"q","block":"b"}', "not JSON: line 1 column 1"),
        (b"[" * 100_000, "not JSON: nested too deeply"),
        (b'{"question":"q","block":"b","n":NaN}', "not JSON: NaN is not finite: line 1 column 33"),
        (b'{"question":"q","block":"b","n":-Infinity}', "not JSON: -Infinity is not finite: "),
        (b'{"question":"q","block":"b","n":1e999}', "not JSON: 1e999 is not finite: "),
        (b"\xff", "not UTF-8: invalid start byte"),
        (b'{"question":"\xed\xa0\xbd","block":"b"}', "not UTF-8: invalid continuation byte"),
        (b"[]", SHAPE),
        (b"7", SHAPE),
        (b'{"question":"q"}', SHAPE),
        (b'{"block":"b"}', SHAPE),
        (b'{"question":null,"block":"b"}', SHAPE),
        (b'{"question":"q","block":["b"]}', SHAPE),
    ],
)
def test_a_line_that_is_no_row_is_refused_with_path_and_line(line, reason):
    data = b'\n{"question":"q","block":"b"}\n' + line + b"\n"
    assert refusal(data).startswith(f"blocks.jsonl:3: {reason}")


@given(st.lists(LINES, max_size=4))
def test_bytes_are_a_context_file_or_refused(lines):
    try:
        file = parse(b"\n".join(lines), PATH)
    except ContextFileError:
        return
    assert file.blocks.keys() <= {"q", "q\ufffd"}


def test_a_file_is_loaded_from_its_path(tmp_path):
    path = tmp_path / "blocks.jsonl"
    path.write_bytes(b'{"question":"q","block":"b"}\n{"question":"q","block":"c"}\n{')
    with pytest.raises(ContextFileError) as caught:
        load(str(path))
    assert str(caught.value).startswith(f"{path}:3: not JSON")
    path.write_bytes(path.read_bytes()[:-1])
    assert load(str(path)).blocks == {"q": "c"}


def test_a_path_that_cannot_be_read_is_refused(tmp_path):
    for path, reason in (
        (str(tmp_path / "none"), "[Errno 2] No such file or directory: "),
        (str(tmp_path), "[Errno 21] Is a directory: "),
        ("a\0b", "embedded null byte"),
    ):
        with pytest.raises(ContextFileError) as caught:
            load(path)
        start = f"MEMVARA_CONTEXT_FILE={path!r} can't be read: {reason}"
        assert str(caught.value).startswith(start)


# Lookup


def test_a_question_finds_its_block_verbatim():
    file = ContextFile({"Which Café ?": " one\r\n", "": "none"}, ())
    assert block(file, "  Which\nCafé ?", PATH) == " one\r\n"
    assert block(file, None, PATH) == "none"


def test_an_empty_block_is_a_block():
    assert block(ContextFile({"q": ""}, ()), "q", PATH) == ""


def test_a_question_that_the_file_lacks_aborts():
    question = " What  " + "x" * 70
    shown = "What " + "x" * 55
    with pytest.raises(ContextFileError) as caught:
        block(ContextFile({"what": ""}, ()), question, PATH)
    assert str(caught.value) == (
        f"blocks.jsonl: no block for the question '{shown}'; an arm must not mix renders"
    )
