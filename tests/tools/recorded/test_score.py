"""`goldens score`: its three lines, its JSON, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
DATASET = [
    {
        "question_id": name,
        "question_type": "multi-session",
        "question": "Which bird was it?",
        "question_date": "2024/05/02 (Thu) 08:15",
        "answer": answer,
        "haystack_dates": ["2024/05/01 (Wed) 07:00"],
        "haystack_session_ids": ["s1"],
        "haystack_sessions": [turns],
    }
    for name, answer, turns in (
        (
            "q1",
            "a heron",
            [
                {"role": "user", "content": "I saw a \n heron\ud800.", "has_answer": True},
                {"role": "assistant", "content": "Lovely.", "has_answer": False},
            ],
        ),
        ("q2", 3, [{"role": "user", "content": "Three herons!", "has_answer": True}]),
        ("q3_abs", "unknown", [{"role": "user", "content": "Good night.", "has_answer": None}]),
    )
]


def turn(content: str, **selected: Any) -> dict[str, Any]:
    return {"kind": "turn", "role": "user", "content": content, "ts": ""} | selected


def searched(name: str, *results: Any) -> dict[str, Any]:
    return {"questionId": name, "phases": {"search": {"results": list(results)}}}


RUN = {
    "questions": {
        "q1": searched(
            "q1",
            turn("I saw a heron\udfff. ", selected=True),
            turn("Lovely.", selected=True),
            turn("Anything else?", selected=None),
        ),
        "q2": searched("q2", turn("Three\u00a0herons!", selected=False), turn("Good night.")),
        "q3": searched("q3_abs", turn("Good night.", selected=False)),
        "elsewhere": searched("q9", turn("Good night.", selected=True)),
    }
}


@pytest.fixture
def paths(tmp_path: Path) -> tuple[Path, Path]:
    """A run's folder and a data set."""
    run, dataset = tmp_path / "run", tmp_path / "data.json"
    run.mkdir()
    (run / "checkpoint.json").write_text(json.dumps(RUN))
    dataset.write_text(json.dumps(DATASET))
    return run, dataset


def scored(inside: Any, *arguments: Any) -> str:
    done = inside(ROOT, "score", *map(str, arguments))
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    return done.stdout.decode()


def refused(inside: Any, *arguments: Any) -> str:
    done = inside(ROOT, "score", *map(str, arguments))
    assert done.returncode == 2
    assert done.stdout == b""
    said = done.stderr.decode()
    assert said.startswith("goldens: ")
    assert said.count("\n") == 1
    return said


def test_it_prints_questions_recall_and_rate(inside: Any, paths: tuple[Path, Path]) -> None:
    assert scored(inside, *paths) == (
        "questions scored  3\n"
        "gold kept         1 of 2  recall 0.500\n"
        "non-gold kept     1 of 3  rate   0.333\n"
    )


def test_a_checkpoint_is_scored_as_its_folder_is(inside: Any, paths: tuple[Path, Path]) -> None:
    run, dataset = paths
    assert scored(inside, run / "checkpoint.json", dataset) == scored(inside, run, dataset)


def test_results_in_files_of_their_own_are_followed(inside: Any, paths: tuple[Path, Path]) -> None:
    run, dataset = paths
    expected = scored(inside, *paths)
    (run / "results").mkdir()
    questions = {}
    for name, question in RUN["questions"].items():
        file = f"results/{name}.json"
        (run / file).write_text(json.dumps(question["phases"]["search"]))
        questions[name] = question | {"phases": {"search": {"resultFile": file}}}
    (run / "checkpoint.json").write_text(json.dumps({"questions": questions}))
    assert scored(inside, *paths) == expected
    assert scored(inside, run / "checkpoint.json", dataset) == expected
    (run / "results" / "q1.json").write_text('{"results": null}')
    assert 'q1.json: expected {"results": [...]}' in refused(inside, *paths)
    (run / "results" / "q1.json").unlink()
    assert "q1.json: " in refused(inside, *paths)


def test_json_has_the_counts_and_the_shares(inside: Any, paths: tuple[Path, Path]) -> None:
    assert json.loads(scored(inside, *paths, "--json")) == {
        "questions": 3,
        "gold_kept": 1,
        "gold": 2,
        "other_kept": 1,
        "other": 3,
        "recall": "0.500",
        "rate": "0.333",
    }


def test_a_run_of_null_verdicts_is_refused(inside: Any, paths: tuple[Path, Path]) -> None:
    run, dataset = paths
    checkpoint = {"questions": {"q1": searched("q1", turn("Lovely.", selected=None))}}
    (run / "checkpoint.json").write_text(json.dumps(checkpoint))
    assert refused(inside, run, dataset) == (
        f"goldens: {run}: nothing to score: no turn of this run is selected true or false\n"
    )


def test_a_bad_label_is_refused_with_question_and_turn(
    inside: Any, paths: tuple[Path, Path]
) -> None:
    run, dataset = paths
    dataset.write_text(json.dumps(DATASET).replace("null", "1"))
    assert refused(inside, run, dataset) == (
        f"goldens: {dataset}: q3_abs: haystack_sessions[0][0].has_answer: "
        "expected true, false, null or nothing, found a number\n"
    )


@pytest.mark.parametrize("text", ["", "[]", '{"questions": [', "\ud800"])
def test_what_is_no_checkpoint_is_refused(inside: Any, paths: tuple[Path, Path], text: str) -> None:
    run, dataset = paths
    (run / "checkpoint.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    refused(inside, run, dataset)


def test_missing_files_are_refused(inside: Any, paths: tuple[Path, Path]) -> None:
    run, dataset = paths
    assert "missing.json" in refused(inside, run / "missing.json", dataset)
    assert "missing.json" in refused(inside, run, dataset / "missing.json")
