"""A run on disk, in MemoryBench's shape: what is written, and how a run continues.

RUN/checkpoint.json                  settings, and the phases of each question
RUN/results/RETRIEVAL/QUESTION.json  what one search found
RUN/stores/                          embedded stores of questions at work

A question counts as finished when the checkpoint says so, and that is written last. All else of a
killed run is written anew. No clock is in a run: two runs differ in ids and `recorded_at` alone.
"""

import fcntl
import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from reference import items
from reference.items import Item

from ..exits import Stop
from ..project.files import write_whole
from ..project.json_files import read_json
from ..project.longmemeval import Question
from .plan import Arm, Chosen
from .question import Asked, Measured, tag_of

CHECKPOINT = "checkpoint.json"
LOCK = ".lock"
PHASES = ("ingest", "indexing", "search", "answer")
DIFFERENCES = {
    "dataset": "other questions or haystacks",
    "reference": "another state of reference/",
    "arms": "other arms, or other knobs for one of them",
}


class Run:
    """A run that this process and its workers alone write."""

    def __init__(self, folder: Path, checkpoint: dict[str, Any]) -> None:
        self.folder = folder
        self.checkpoint = checkpoint

    @property
    def stores(self) -> Path:
        """Where embedded stores may be made."""
        return self.folder / "stores"

    def phases(self, question_id: str) -> dict[str, Any]:
        """The phases of a question."""
        phases: dict[str, Any] = self.checkpoint["questions"][question_id]["phases"]
        return phases

    def figures(self, question_id: str, arm: str) -> dict[str, Any]:
        """What an arm made of a finished question."""
        figures: dict[str, Any] = self.phases(question_id)["answer"]["arms"][arm]
        return figures

    def is_finished(self, question_id: str) -> bool:
        """Whether nothing is left to do for a question."""
        return bool(self.phases(question_id)["search"]["status"] == "completed")

    def finish(self, question_id: str, entry: dict[str, Any]) -> None:
        """Put a question's entry into the checkpoint; its result files are there already."""
        self.checkpoint["questions"][question_id] = entry
        self.write()

    def passed_over(self) -> Counter[str]:
        """How many hits of which unknown kinds all searches of the run had."""
        phases = [self.phases(question_id) for question_id in self.checkpoint["questions"]]
        return sum((Counter(each["search"].get("passedOver", {})) for each in phases), Counter())

    def write(self) -> None:
        """Write the checkpoint."""
        _write_json(self.folder / CHECKPOINT, self.checkpoint)

    def keep(self, question: Question, retrieval: str, found: list[Item]) -> str:
        """Write what one search found; the path of the file inside the run."""
        name = f"results/{retrieval}/{file_name(question.question_id)}.json"
        labelled = [turn for each in question.sessions for turn in each.turns if turn.labelled]
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        value = _identity(question) | {
            "labelledTurns": [{"role": turn.role, "content": turn.content} for turn in labelled],
            "results": [items.to_json(item) for item in found],
        }
        _write_json(self.folder / name, value)
        return name

    def recorded(self, question_id: str, retrieval: str) -> tuple[Asked, list[Item]]:
        """What was asked and what one search found, as `keep` wrote it."""
        path = self.folder / self.phases(question_id)["search"]["resultFiles"][retrieval]
        value = read_json(path)
        labelled = [turn["content"] for turn in value["labelledTurns"]]
        asked = Asked(value["question"], value["questionDate"], labelled)
        return asked, items.from_json(value["results"])


def file_name(question_id: str) -> str:
    """A question's id as a file is named, whatever characters it has."""
    return quote(question_id, safe="").replace(".", "%2E")


def entry(
    question: Question,
    arms: list[Arm],
    files: Mapping[str, str],
    measured: Mapping[str, Measured],
    passed_over: Mapping[str, int],
) -> dict[str, Any]:
    """What the checkpoint says of a finished question. No model was asked for an answer yet."""
    scored = next((arm for arm in arms if arm.knobs.ranked), arms[0])  # by `goldens score`
    return _identity(question) | {
        "phases": {
            "ingest": {"status": "completed"},
            "indexing": {"status": "completed"},
            "search": {
                "status": "completed",
                "resultFile": files[scored.retrieval],
                "resultFiles": dict(files),
                **({"passedOver": dict(passed_over)} if passed_over else {}),
            },
            "answer": {
                "status": "pending",
                "arms": {name: _figures(each) for name, each in measured.items()},
            },
        }
    }


def _identity(question: Question) -> dict[str, Any]:
    return {
        "questionId": question.question_id,
        "questionType": question.type,
        "question": question.question,
        "questionDate": question.date,
        "groundTruth": question.answer,
        "containerTag": tag_of(question.question_id),
    }


def _figures(measured: Measured) -> dict[str, Any]:
    return {
        "promptTokens": measured.prompt_tokens,
        "basePromptTokens": measured.base_prompt_tokens,
        "contextTokens": measured.context_tokens,
        "labelledTurnsKept": measured.kept,
        "warnings": list(measured.warnings),
    }


@contextmanager
def opened(folder: Path, settings: Mapping[str, Any], questions: list[Chosen]) -> Iterator[Run]:
    """The run in `folder`, begun or continued.

    Raises Stop when the folder holds something else or can't be written, and when another process
    is at work in it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _locked(folder):
            run = Run(folder, _checkpoint(folder, settings, questions))
            _clear_away(run)
            run.write()
            run.stores.mkdir()
            yield run
            shutil.rmtree(run.stores)
    except OSError as error:
        raise Stop(f"{error.filename or folder}: {error.strerror}") from None


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with (folder / LOCK).open("w") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # a forked worker does not hold it
        except OSError:
            raise Stop(f"{folder}: another process is at work in this run") from None
        yield


def _checkpoint(
    folder: Path, settings: Mapping[str, Any], questions: list[Chosen]
) -> dict[str, Any]:
    """The checkpoint to go on from."""
    if not (folder / CHECKPOINT).exists():
        if any(not path.name.startswith(".") for path in folder.iterdir()):
            raise Stop(f"{folder} is not empty and holds no run: give --run another folder")
        return {**settings, "questions": {each.id: _pending(each) for each in questions}}
    stored = read_json(folder / CHECKPOINT)
    for name, value in settings.items():
        found = stored.get(name) if isinstance(stored, dict) else None
        if found != value:
            other = DIFFERENCES.get(name, f"{name} {found!r} instead of {value!r}")
            raise Stop(f"{folder} was made with {other}: give --run another folder")
    return dict(stored)


def _pending(chosen: Chosen) -> dict[str, Any]:
    return {
        "questionId": chosen.id,
        "questionType": chosen.type,
        "phases": {phase: {"status": "pending"} for phase in PHASES},
    }


def _clear_away(run: Run) -> None:
    """Remove what a killed process left: stores, and files that were not whole yet."""
    if run.stores.exists():
        shutil.rmtree(run.stores)
    for pattern in (f".{CHECKPOINT}.*", "results/*/.*.json.*"):  # as write_whole names them
        for path in run.folder.glob(pattern):
            path.unlink()


def _write_json(path: Path, value: Any) -> None:
    write_whole(path, json.dumps(value, ensure_ascii=False).encode() + b"\n")
