"""The shipped data set: committed as generated, and with the properties that arms are shown on."""

import json
from collections import Counter
from pathlib import Path

import pytest

from reference.routing import asks_assistant
from reference.tokens import counter
from tools import synthetic_dataset
from tools.project.longmemeval import Question, questions

CASES = Path(__file__).parents[3] / "goldens" / "cases"
FILE = CASES / "longmemeval_synthetic.json"


@pytest.fixture(scope="module")
def every() -> dict[str, Question]:
    return {question.question_id: question for question in questions(FILE)}


def turns(question: Question) -> list[tuple[str, str, bool]]:
    return [
        (turn.role, turn.content, turn.labelled)
        for session in question.sessions
        for turn in session.turns
    ]


def test_it_is_committed_as_it_is_generated() -> None:
    for name, data in synthetic_dataset.files().items():
        assert (CASES / name).read_bytes() == data


def test_it_says_that_it_is_synthetic_and_how_it_is_made(every: dict[str, Question]) -> None:
    note = (CASES / "longmemeval_synthetic.md").read_text("utf-8")
    assert note.startswith("longmemeval_synthetic.json is synthetic")
    assert "python -m tools.synthetic_dataset" in note
    assert all(name.startswith("synthetic_") for name in every)


def test_its_items_have_the_fields_of_longmemeval() -> None:
    for item in json.loads(FILE.read_text("utf-8")):
        assert item.keys() == {
            "question_id",
            "question_type",
            "question",
            "question_date",
            "answer",
            "answer_session_ids",
            "haystack_dates",
            "haystack_session_ids",
            "haystack_sessions",
        }
        assert len(item["haystack_session_ids"]) == len(item["haystack_sessions"])
        assert set(item["answer_session_ids"]) <= set(item["haystack_session_ids"])


def test_it_has_twelve_questions_of_all_six_types(every: dict[str, Question]) -> None:
    assert Counter(question.type for question in every.values()) == {
        "single-session-user": 3,
        "single-session-assistant": 2,
        "single-session-preference": 1,
        "multi-session": 2,
        "knowledge-update": 2,
        "temporal-reasoning": 2,
    }


def test_only_the_question_that_can_not_be_answered_has_no_label(
    every: dict[str, Question],
) -> None:
    unlabelled = [
        name
        for name, question in every.items()
        if not any(labelled for _, _, labelled in turns(question))
    ]
    assert unlabelled == ["synthetic_user_3_abs"]


def test_turns_of_both_roles_are_labelled(every: dict[str, Question]) -> None:
    roles = {
        role for question in every.values() for role, _, labelled in turns(question) if labelled
    }
    assert roles == {"user", "assistant"}


def test_one_answer_is_an_integer(every: dict[str, Question]) -> None:
    assert [q.answer for q in every.values() if isinstance(q.answer, int)] == [3]


def test_the_routing_rule_fires_on_three_questions(every: dict[str, Question]) -> None:
    assert [name for name, q in every.items() if asks_assistant(q.question)] == [
        "synthetic_user_2",  # about the user's own history: what the fitted phrasings cost
        "synthetic_assistant_1",
        "synthetic_assistant_2",
    ]


def test_no_two_turns_of_a_haystack_are_alike(every: dict[str, Question]) -> None:
    for question in every.values():
        texts = [content for _, content, _ in turns(question)]
        assert len(set(texts)) == len(texts)


def test_a_budget_of_720_tokens_cuts_into_the_turns_of_either_role(
    every: dict[str, Question],
) -> None:
    count = counter()
    for question in every.values():
        for kept in ("user", "assistant"):
            assert sum(count(text) for role, text, _ in turns(question) if role == kept) > 720


def test_sessions_come_in_order_of_time_and_before_the_question(
    every: dict[str, Question],
) -> None:
    for question in every.values():
        dates = [session.date for session in question.sessions]
        assert dates == sorted(dates)
        assert question.date is not None
        assert dates[-1][:10] < question.date[:10].replace("/", "-")
        assert 10 <= len(dates) <= 15
