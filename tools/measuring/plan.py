"""What is measured: arms, the retrievals that they share, and the questions chosen."""

import functools
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import reference
from reference import overrides
from reference.knobs import Knobs
from reference.models import Model
from reference.overrides import ContextFile

from ..exits import Stop
from ..project.git import files_of
from ..project.layout import Project, arm_env
from ..project.longmemeval import Question, questions
from ..project.refusals import refusals

MOST_DIGITS = 6  # a longer number is a question's id: many of LongMemEval's are digits alone


class Arm(NamedTuple):
    """An arm, its environment resolved."""

    name: str
    knobs: Knobs

    @property
    def retrieval(self) -> str:
        """What this arm asks of the server; arms of one name share one search."""
        return f"k{self.knobs.search_k}{'_ranked' if self.knobs.ranked else ''}"


class Chosen(NamedTuple):
    """A question that is measured, and where the data set has it."""

    position: int
    id: str
    type: str


@dataclass(frozen=True)
class Plan:
    """A measurement; `digest` stands for all that the data set says of the chosen questions."""

    dataset: Path
    goldens: Path  # the folder that paths in arms are relative to
    arms: list[Arm]
    model: Model
    questions: list[Chosen]
    labelled: int  # turns
    digest: str

    def settings(self, engine: str, version: str) -> dict[str, Any]:
        """What a run on disk must have been made with, to be continued by this measurement."""
        return {
            "benchmark": "longmemeval",
            "provider": "memvara",
            "engine": engine,
            "memvaraVersion": version,
            "dataset": self.digest,
            "reference": _digest_of_reference(),
            "answeringModel": self.model.alias,
            "contextTokensEstimated": self.model.encoding is None,
            "arms": {
                arm.name: {"retrieval": arm.retrieval, "knobs": arm.knobs._asdict()}
                for arm in self.arms
            },
        }


def make(project: Project, dataset: Path, names: Iterable[str], model: Model, wanted: str) -> Plan:
    """Read the chosen questions once, so that whatever is wrong is said before anything is stored.

    `wanted` is empty for all questions, a number for the first so many, or ids with commas.
    Raises Stop.
    """
    with refusals():
        arms = [Arm(name, Knobs.from_env(arm_env(project, name))) for name in dict.fromkeys(names)]
        if not arms:
            raise Stop(f"--arms names no arm: one of {', '.join(project.arms)}")
        load_context = context_loader(project.goldens)
        chosen, labelled, digest = [], 0, hashlib.sha256()
        for position, question in _chosen(dataset, wanted):
            _refuse_missing_blocks(question, arms, load_context)
            chosen.append(Chosen(position, question.question_id, question.type))
            labelled += len(labelled_texts(question))
            digest.update(repr(question).encode())
    return Plan(dataset, project.goldens, arms, model, chosen, labelled, digest.hexdigest())


def context_loader(folder: Path) -> Callable[[str], ContextFile]:
    """Loads context files once each; their paths start in `folder`."""
    return functools.cache(lambda path: overrides.load(str(folder / path)))


def labelled_texts(question: Question) -> list[str]:
    """The turns that hold the answer, in the order of the data set."""
    return [turn.content for each in question.sessions for turn in each.turns if turn.labelled]


def _chosen(dataset: Path, wanted: str) -> Iterator[tuple[int, Question]]:
    every = enumerate(questions(dataset))
    if not wanted:
        yield from every
    elif wanted.isdecimal() and len(wanted) <= MOST_DIGITS:
        yield from _first(every, int(wanted))
    else:
        yield from _named(every, [name.strip() for name in wanted.split(",")], dataset)


def _first(every: Iterator[tuple[int, Question]], count: int) -> Iterator[tuple[int, Question]]:
    if count == 0:
        raise Stop("--questions 0 leaves nothing to measure")
    for position, question in every:
        yield position, question
        if position + 1 == count:
            return


def _named(
    every: Iterator[tuple[int, Question]], names: list[str], dataset: Path
) -> Iterator[tuple[int, Question]]:
    missing = set(names)
    for position, question in every:
        if question.question_id in missing:
            missing.remove(question.question_id)
            yield position, question
            if not missing:
                return
    raise Stop(f"{dataset} has no question {', '.join(sorted(missing))}")


def _refuse_missing_blocks(
    question: Question, arms: Iterable[Arm], load_context: Callable[[str], ContextFile]
) -> None:
    for arm in arms:
        if arm.knobs.context_file is not None:
            file = load_context(arm.knobs.context_file)
            overrides.block(file, question.question, arm.knobs.context_file)


def _digest_of_reference() -> str:
    files: Mapping[str, bytes] = files_of(Path(reference.__file__ or "").parent)
    digest = hashlib.sha256()
    for path, data in files.items():
        digest.update(f"{path} {len(data)}\n".encode() + data)
    return digest.hexdigest()
