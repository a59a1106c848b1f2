"""Reading LongMemEval: what a question holds, what is refused, and how much memory it takes."""

import json
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tools.exits import Exit, Stop
from tools.project.longmemeval import Malformed, Turn, items, questions, timestamp

REAL = Path(__file__).parents[4] / "shared" / "data"
HERE = Path(__file__).parents[3]


def item(**fields: Any) -> dict[str, Any]:
    return {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "How many hives do I keep?",
        "question_date": "2024/05/02 (Thu) 08:15",
        "answer": 3,
        "answer_session_ids": ["s2"],
        "haystack_dates": ["2024/04/30 (Tue) 21:07", "2024/05/01 (Wed) 07:00"],
        "haystack_session_ids": ["s1", "s2"],
        "haystack_sessions": [
            [{"role": "user", "content": "Hello."}],
            [
                {"role": "user", "content": "I keep three hives.", "has_answer": True},
                {"role": "assistant", "content": "Three hives!", "has_answer": False},
            ],
        ],
    } | fields


def written(tmp_path: Path, *every: Any) -> Path:
    path = tmp_path / "data.json"
    path.write_text(json.dumps(list(every)), encoding="utf-8")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(Stop) as stop:
        list(questions(path))
    assert stop.value.exit_code == Exit.USAGE
    assert "\n" not in str(stop.value)
    return str(stop.value)


def test_a_question_holds_its_fields_and_its_sessions_in_order(tmp_path: Path) -> None:
    (question,) = questions(written(tmp_path, item()))
    assert question.question_id == "q1"
    assert question.type == "multi-session"
    assert question.question == "How many hives do I keep?"
    assert question.date == "2024/05/02 (Thu) 08:15"
    assert [session.date for session in question.sessions] == [
        "2024-04-30T21:07:00+00:00",
        "2024-05-01T07:00:00+00:00",
    ]
    assert question.sessions[1].turns == (
        Turn("user", "I keep three hives.", labelled=True),
        Turn("assistant", "Three hives!", labelled=False),
    )


def test_sessions_are_keyed_by_position_even_where_their_ids_repeat(tmp_path: Path) -> None:
    (question,) = questions(written(tmp_path, item(haystack_session_ids=["s1", "s1"])))
    assert [session.key for session in question.sessions] == ["q1-session-0", "q1-session-1"]


@pytest.mark.parametrize("answer", [3, 0, "three", ""])
def test_an_answer_stays_an_integer_or_a_string(tmp_path: Path, answer: int | str) -> None:
    (question,) = questions(written(tmp_path, item(answer=answer)))
    assert question.answer == answer
    assert type(question.answer) is type(answer)


@pytest.mark.parametrize("date", [None, "", "next Tuesday"])
def test_a_question_date_is_kept_as_it_is(tmp_path: Path, date: str | None) -> None:
    (question,) = questions(written(tmp_path, item(question_date=date)))
    assert question.date == date


def test_a_question_without_a_date_has_none(tmp_path: Path) -> None:
    undated = item()
    del undated["question_date"]
    (question,) = questions(written(tmp_path, undated))
    assert question.date is None


def test_lone_surrogates_become_replacement_characters(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "a\ud800b \udc00 \U0001f41d"}]
    (question,) = questions(
        written(tmp_path, item(haystack_sessions=[turns, []], question="\udfff?"))
    )
    assert question.sessions[0].turns[0].content == "a\ufffdb \ufffd \U0001f41d"
    assert question.question == "\ufffd?"


def test_all_other_text_stays_as_it_is(tmp_path: Path) -> None:
    text = " e\u0301\r\n\u2028\u0085\ufeff<|endoftext|>\x00\t "
    turns = [{"role": "user", "content": text}]
    (question,) = questions(written(tmp_path, item(haystack_sessions=[turns, []])))
    assert question.sessions[0].turns[0].content == text


@pytest.mark.parametrize(
    ("date", "time"),
    [
        ("2023/05/30 (Tue) 23:40", "2023-05-30T23:40:00+00:00"),
        ("2024/02/29 (Thu) 00:00", "2024-02-29T00:00:00+00:00"),
        ("2023/05/30 (Mon) 23:40", "2023-05-30T23:40:00+00:00"),
    ],
)
def test_a_date_is_read_without_its_weekday(date: str, time: str) -> None:
    assert timestamp(date, "here") == time


@pytest.mark.parametrize(
    "date",
    [
        "2023/02/29 (Wed) 10:00",
        "2023/05/30 (Tue) 24:00",
        "2023/5/30 (Tue) 23:40",
        "2023/05/30 (tue) 23:40",
        "2023/05/30 (Die) 23:40",
        "2023/05/30 23:40",
        "2023-05-30T23:40",
        " 2023/05/30 (Tue) 23:40",
        "2023/05/30 (Tue) 23:40\n",
        "2023/05/30 (Tue) 23:40:00",
        "٢٠٢٣/05/30 (Tue) 23:40",
        "",
        None,
        20230530,
    ],
)
def test_any_other_date_is_refused(date: Any) -> None:
    with pytest.raises(Malformed, match=r"^here must be a date like 2023/05/30 \(Tue\) 23:40, not"):
        timestamp(date, "here")


def test_a_bad_session_date_is_refused_with_question_and_session(tmp_path: Path) -> None:
    dates = ["2024/04/30 (Tue) 21:07", "yesterday"]
    path = written(tmp_path, item(haystack_dates=dates))
    assert refusal(path) == (
        f"{path}: q1: haystack_dates[1] must be a date like 2023/05/30 (Tue) 23:40, not 'yesterday'"
    )


@pytest.mark.parametrize("label", [1, "true", []])
def test_a_bad_label_is_refused_with_question_and_turn(tmp_path: Path, label: Any) -> None:
    turns = [{"role": "user", "content": ""}, {"role": "user", "content": "", "has_answer": label}]
    path = written(tmp_path, item(haystack_sessions=[[], turns]))
    assert "q1: haystack_sessions[1][1].has_answer: expected true" in refusal(path)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"question_id": None}, "item 1: question_id must be a string"),
        ({"question_id": "q1"}, "q1: two questions have this id"),
        ({"question_type": 7}, "q2: question_type must be a string"),
        ({"question": None}, "q2: question must be a string"),
        ({"question_date": 2024}, "q2: question_date must be a string"),
        ({"answer": None}, "q2: answer must be a string or an integer"),
        ({"answer": True}, "q2: answer must be a string or an integer"),
        ({"haystack_sessions": {}}, "q2: haystack_sessions must be a list"),
        ({"haystack_dates": []}, "q2: haystack_dates and haystack_sessions differ in length"),
        ({"haystack_sessions": [[], 7]}, "q2: haystack_sessions[1] must be a list"),
        ({"haystack_sessions": [[], ["Hi."]]}, "q2: haystack_sessions[1][0] must be an object"),
        ({"haystack_sessions": [[{}], []]}, "q2: haystack_sessions[0][0]: role must be a string"),
        (
            {"haystack_sessions": [[{"role": "user", "content": None}], []]},
            "q2: haystack_sessions[0][0]: content must be a string",
        ),
    ],
)
def test_an_item_of_another_shape_is_refused_with_its_place(
    tmp_path: Path, fields: dict[str, Any], said: str
) -> None:
    path = written(tmp_path, item(), item(question_id="q2") | fields)
    assert refusal(path) == f"{path}: {said}"


def test_an_empty_list_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert refusal(path) == f"{path} holds no questions"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "expected '[' (character 0)"),
        (b'{"question_id": "q1"}', "expected '[' (character 0)"),
        (b" 7", "expected '[' (character 1)"),
        (b"\xef\xbb\xbf[]", "expected '[' (character 0)"),
        (b"[", "Expecting value (character 1)"),
        (b"[{", "Expecting property name enclosed in double quotes (character 2)"),
        (b'["\x01"]', "Invalid control character at (character 2)"),
        (b'["', "Unterminated string starting at (character 1)"),
        (b"[1", "the file ends inside the list"),
        (b"[NaN]", "NaN is not a JSON number"),
        (b"[] 7", "expected nothing more (character 3)"),
        (b'["\xff"]', "'utf-8' codec can't decode byte 0xff in position 2: invalid start byte"),
        (b"[" * 200_000, "maximum recursion depth exceeded"),
    ],
)
def test_a_file_that_is_no_json_list_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "data.json"
    path.write_bytes(data)
    assert refusal(path).startswith(f"{path} is not a JSON list: {said}")


@pytest.mark.parametrize("between", ["", " 7", "]", "}", ", ,", " {"])
def test_what_may_not_follow_an_item_is_refused(tmp_path: Path, between: str) -> None:
    path = tmp_path / "data.json"
    path.write_text(f"[{json.dumps(item())}{between}{json.dumps(item(question_id='q2'))}]")
    assert f"{path} is not a JSON list: " in refusal(path)


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    assert refusal(tmp_path / name).startswith("cannot read the data set ")


def test_a_question_arrives_before_the_rest_of_the_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    # More than one read's worth of broken rest: it is an error, but not yet.
    path.write_text(json.dumps([item()])[:-1] + ", \n" + "oops " * 100_000)
    stream = questions(path)
    assert next(stream).question_id == "q1"
    with pytest.raises(Stop, match="is not a JSON list"):
        next(stream)


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def peak(count: int) -> int:
        path = tmp_path / f"{count}.json"
        turns = [{"role": "user", "content": f"Hive {n}. " * 150} for n in range(8)]
        with path.open("w") as file:
            for number in range(count):
                file.write(",\n" if number else "[")
                json.dump(item(question_id=f"q{number}", haystack_sessions=[turns, turns]), file)
            file.write("]")
        tracemalloc.start()
        try:
            assert sum(1 for _ in questions(path)) == count
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert peak(500) < 1.5 * peak(50)


def test_raw_items_keep_all_that_the_file_says(tmp_path: Path) -> None:
    assert list(items(written(tmp_path, item(more={"x": [1.5, None]})))) == [
        item(more={"x": [1.5, None]})
    ]


@pytest.mark.skipif(not REAL.is_dir(), reason="the real data is not beside this clone")
def test_the_real_item_is_read_whole() -> None:
    (question,) = questions(REAL / "longmemeval_s_one_item.json")
    turns = [turn for session in question.sessions for turn in session.turns]
    assert question.answer == "Business Administration"
    assert len(question.sessions) == 53
    assert len(turns) == 550
    assert Counter(turn.role for turn in turns if turn.labelled) == {"user": 1, "assistant": 1}


@pytest.mark.skipif(not REAL.is_dir(), reason="the real data is not beside this clone")
def test_a_real_abstention_item_may_have_a_labelled_turn() -> None:
    both = list(questions(REAL / "longmemeval_oracle_two_items.json"))
    (abstention,) = [question for question in both if question.question_id.endswith("_abs")]
    assert any(turn.labelled for session in abstention.sessions for turn in session.turns)
