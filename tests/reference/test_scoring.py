"""Scoring: labels, what counts as kept, the two shares, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from reference.scoring import (
    ScoringError,
    Tally,
    gold_texts,
    is_labelled,
    score,
    share,
)

ROUNDING = Path(__file__).parents[1] / "data" / "rounding.jsonl"
GOLD = {"q1": frozenset({"I flew to Oslo."}), "q2_abs": frozenset[str]()}


def said(content: str, **fields: Any) -> dict[str, Any]:
    return {"kind": "turn", "role": "user", "content": content, "ts": "", "score": 1} | fields


def searched(name: Any, results: Any) -> dict[str, Any]:
    return {"questionId": name, "phases": {"search": {"results": results}}}


def run(*questions: Any) -> dict[str, Any]:
    return {"questions": {f"key {number}": question for number, question in enumerate(questions)}}


def tally(*results: Any, name: str = "q1") -> Tally:
    return score(run(searched(name, list(results))), GOLD)


# Labels


@pytest.mark.parametrize(
    ("turn", "labelled"),
    [
        ({"has_answer": True}, True),
        ({"has_answer": False}, False),
        ({"has_answer": None}, False),
        ({}, False),
    ],
)
def test_only_true_labels_a_turn(turn: dict[str, Any], labelled: bool) -> None:
    assert is_labelled(turn, "here") is labelled


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        (1, "a number"),
        (0, "a number"),
        ("true", "a string"),
        ([], "a list"),
        (1.0, "a number"),
    ],
)
def test_a_label_of_another_type_is_refused_without_its_text(label: Any, shown: str) -> None:
    with pytest.raises(ScoringError) as refusal:
        is_labelled({"has_answer": label}, "here")
    assert str(refusal.value) == (
        f"here.has_answer: expected true, false, null or nothing, found {shown}"
    )


def test_gold_texts_are_those_of_labelled_turns_with_whitespace_collapsed() -> None:
    sessions = [
        [{"content": "  I flew\u00a0to\n\nOslo.\ufeff", "has_answer": True}, {"content": "Nice!"}],
        [{"content": "And then on to Bergen.", "has_answer": True}],
        [{"content": "No.", "has_answer": False}],
    ]
    item = {"question_id": "q1", "haystack_sessions": sessions}
    assert gold_texts(item) == frozenset({"I flew to Oslo.", "And then on to Bergen."})


def test_a_bad_label_is_refused_with_question_and_turn() -> None:
    sessions = [[], [{"content": ""}, {"content": ""}, {"content": "", "has_answer": "yes"}]]
    with pytest.raises(ScoringError) as refusal:
        gold_texts({"question_id": "q7", "haystack_sessions": sessions})
    assert str(refusal.value).startswith("q7: haystack_sessions[1][2].has_answer: expected true")


# What counts


def test_true_is_kept_and_false_and_absent_are_missed() -> None:
    gold = "I flew to Oslo."
    assert tally(said(gold, selected=True), said(gold, selected=False), said(gold)) == Tally(
        questions=1, gold_kept=1, gold=3, other_kept=0, other=0
    )


def test_turns_that_are_not_gold_are_counted_apart() -> None:
    assert tally(
        said("Hm.", selected=True), said("Hm.", selected=True), said("Hm.", selected=False)
    ) == Tally(questions=1, gold_kept=0, gold=0, other_kept=2, other=3)


def test_null_is_skipped() -> None:
    gold = "I flew to Oslo."
    assert tally(
        said(gold, selected=None), said("Hm.", selected=None), said(gold, selected=True)
    ) == Tally(questions=1, gold_kept=1, gold=1, other_kept=0, other=0)


def test_a_turn_is_gold_whatever_its_whitespace() -> None:
    (gold, other) = ("\tI  flew\r\nto\u3000Oslo. ", "I flew toOslo.")
    assert tally(said(gold, selected=True), said(other, selected=True)) == Tally(1, 1, 1, 1, 1)


def test_only_turns_count() -> None:
    assert tally(
        said("I flew to Oslo.", selected=True),
        {"kind": "memory", "text": "I flew to Oslo.", "selected": True},
        {"kind": "selection", "outcome": "applied"},
        "turn",
        None,
        {},
    ) == Tally(1, 1, 1, 0, 0)


def test_gold_is_gold_for_its_own_question_only() -> None:
    assert tally(said("I flew to Oslo.", selected=True), name="q2_abs") == Tally(1, 0, 0, 1, 1)


def test_a_question_without_a_labelled_turn_counts_in_full() -> None:
    assert score(
        run(
            searched("q1", [said("I flew to Oslo.", selected=True)]),
            searched("q2_abs", [said("Hm.", selected=True), said("So.", selected=False)]),
        ),
        GOLD,
    ) == Tally(questions=2, gold_kept=1, gold=1, other_kept=1, other=2)


def test_an_empty_results_list_is_a_question_scored() -> None:
    one = searched("q1", [said("I flew to Oslo.", selected=True)])
    assert score(run(one, searched("q2_abs", [])), GOLD) == Tally(2, 1, 1, 0, 0)


@pytest.mark.parametrize(
    "question",
    [
        searched("q9", [said("Hm.", selected=True)]),
        searched("q1", None),
        searched("q1", {"0": said("Hm.", selected=True)}),
        searched(["q1"], [said("Hm.", selected=True)]),
        searched(None, [said("Hm.", selected=True)]),
        {"questionId": "q1"},
        {"questionId": "q1", "phases": []},
        {"questionId": "q1", "phases": {"search": {"status": "pending"}}},
        {"phases": {"search": {"results": [said("Hm.", selected=True)]}}},
        [],
        None,
    ],
)
def test_a_question_that_is_unknown_or_was_not_searched_counts_nowhere(question: Any) -> None:
    one = searched("q1", [said("I flew to Oslo.", selected=True)])
    assert score(run(question, one), GOLD) == Tally(1, 1, 1, 0, 0)


# Refusals


@pytest.mark.parametrize(
    "results",
    [
        [],
        [said("I flew to Oslo.", selected=None), said("Hm.", selected=None)],
        [said("I flew to Oslo."), said("Hm.")],
        [{"kind": "memory", "text": "Hm.", "selected": True}],
    ],
    ids=["no-turns", "all-null", "all-absent", "memories-only"],
)
def test_a_run_that_no_selector_ranked_is_refused(results: list[Any]) -> None:
    with pytest.raises(ScoringError) as refusal:
        score(run(searched("q1", results)), GOLD)
    assert str(refusal.value) == "nothing to score: no turn of this run is selected true or false"


def test_one_turn_that_is_false_is_enough_to_score() -> None:
    assert tally(said("Hm.", selected=False)) == Tally(1, 0, 0, 0, 1)


@pytest.mark.parametrize("questions", [[], [searched("q9", [said("Hm.", selected=True)])]])
def test_a_run_of_another_data_set_is_refused(questions: list[Any]) -> None:
    with pytest.raises(ScoringError) as refusal:
        score(run(*questions), GOLD)
    assert str(refusal.value) == (
        "nothing to score: the data set knows no question that this run searched"
    )


@pytest.mark.parametrize("checkpoint", [[], None, {}, {"questions": []}, "run", {"runId": 1}])
def test_what_is_no_checkpoint_is_refused(checkpoint: Any) -> None:
    with pytest.raises(ScoringError) as refusal:
        score(checkpoint, GOLD)
    assert str(refusal.value) == 'not a run: expected a checkpoint, {"questions": {...}}'


def test_a_verdict_of_another_type_is_refused_with_question_and_item_and_without_its_text() -> None:
    with pytest.raises(ScoringError) as refusal:
        tally(said("Hm."), said("Hm.", selected="true"))
    assert str(refusal.value) == (
        "q1: results[1].selected: expected true, false, null or nothing, found a string"
    )


@pytest.mark.parametrize("content", [None, 7, ["Hm."]])
def test_a_turn_without_text_is_refused_with_question_and_item(content: Any) -> None:
    with pytest.raises(ScoringError) as refusal:
        tally(said("Hm."), said("Hm."), said("Hm.") | {"content": content})
    assert str(refusal.value) == "q1: results[2].content: expected a string"


# The two shares


def test_recall_and_rate_are_shares_of_gold_and_of_the_rest() -> None:
    counted = Tally(questions=3, gold_kept=1, gold=2, other_kept=1, other=8)
    assert counted.recall() == "0.500"
    assert counted.rate() == "0.125"


def test_none_of_none_is_not_a_number() -> None:
    assert Tally(1, 0, 0, 1, 1).recall() == "n/a"
    assert Tally(1, 1, 1, 0, 0).rate() == "n/a"


@pytest.mark.parametrize(
    ("kept", "of", "shown"),
    [
        (1, 1, "1.000"),
        (0, 1, "0.000"),
        (999, 1000, "0.999"),
        (1999, 2000, "1.000"),
    ],
)
def test_a_share_has_three_decimals(kept: int, of: int, shown: str) -> None:
    assert share(kept, of) == shown


def test_halves_round_up_on_the_integers() -> None:
    _, *rows = [json.loads(line) for line in ROUNDING.read_text("utf-8").splitlines()]
    assert len(rows) == 7
    assert [share(row["kept"], row["of"]) for row in rows] == [row["shown"] for row in rows]
