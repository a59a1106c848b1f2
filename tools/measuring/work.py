"""The two passes of a measurement, shared out to processes: retrieve, then look at what is there.

A process takes questions in the order of the data set, which it reads for itself: no conversation
crosses from one process to another, and none stays in memory.
"""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from reference.client import ClientError
from reference.provider import ProviderError

from ..exits import Stop
from ..processes import workers
from ..project.files import write_whole
from ..project.longmemeval import Question, questions
from ..project.refusals import refusals
from .curves import Selection, Spot, spots
from .engines import Engine
from .plan import Chosen, Plan, labelled_texts
from .question import Asked, Renderer, measure, retrieve, tag_of
from .run import Run, entry, file_name


def retrieve_all(
    plan: Plan, run: Run, left: list[Chosen], engine: Engine, renderer: Renderer, jobs: int
) -> Iterator[None]:
    """Retrieve and measure the questions `left`; yields after each, when it is on disk.

    Raises Stop.
    """

    @contextmanager
    def opened() -> Iterator[Callable[[int], tuple[str, dict[str, Any]]]]:
        _end_with_parent()
        read = _reader(plan.dataset)
        yield lambda task: _retrieved(plan, run, engine, renderer, read(left[task]))

    for question_id, finished in workers.run(opened, len(left), jobs):
        run.finish(question_id, finished)
        yield


def _retrieved(
    plan: Plan, run: Run, engine: Engine, renderer: Renderer, question: Question
) -> tuple[str, dict[str, Any]]:
    name = question.question_id
    asked = Asked(question.question, question.date, labelled_texts(question))
    with _faults(name):
        with engine(tag_of(name)) as provider:
            found = retrieve(question, plan.arms, provider)
            passed_over = provider.client.passed_over
        measured = {
            arm.name: measure(asked, found[arm.retrieval], arm.knobs, renderer) for arm in plan.arms
        }
        files = {retrieval: run.keep(question, retrieval, found[retrieval]) for retrieval in found}
        return name, entry(question, plan.arms, files, measured, passed_over)


def look_all(
    plan: Plan,
    run: Run,
    renderer: Renderer,
    jobs: int,
    prompts: Path | None,
    selections: list[Selection],
) -> Iterator[list[Spot]]:
    """From a finished run: the prompts into a folder, and the spots of curves. Raises Stop."""
    if prompts is not None:
        for arm in plan.arms:
            (prompts / arm.name).mkdir(parents=True, exist_ok=True)

    @contextmanager
    def opened() -> Iterator[Callable[[int], list[Spot]]]:
        _end_with_parent()

        def work(task: int) -> list[Spot]:
            chosen = plan.questions[task]
            with _faults(chosen.id):
                if prompts is not None:
                    _write_prompts(plan, run, renderer, chosen, prompts)
                return spots(selections, renderer, lambda name: run.recorded(chosen.id, name))

        yield work

    yield from workers.run(opened, len(plan.questions), jobs)


def _write_prompts(plan: Plan, run: Run, renderer: Renderer, chosen: Chosen, prompts: Path) -> None:
    for arm in plan.arms:
        prompt = measure(*run.recorded(chosen.id, arm.retrieval), arm.knobs, renderer).prompt
        write_whole(prompts / arm.name / f"{file_name(chosen.id)}.txt", prompt.encode())


def _reader(dataset: Path) -> Callable[[Chosen], Question]:
    """Reads a data set forwards: each question asked for must come after the one before."""
    every = enumerate(questions(dataset))
    return lambda chosen: next(each for position, each in every if position == chosen.position)


@contextmanager
def _faults(question_id: str) -> Iterator[None]:
    """Whatever a question meets, in one line that names it."""
    try:
        with refusals():
            yield
    except Stop as stop:
        raise Stop(f"{question_id}: {stop}", stop.exit_code) from None
    except (ClientError, ProviderError, OSError) as error:
        raise Stop(f"{question_id}: {error}") from None


def _end_with_parent() -> None:
    """Leave no worker behind when the process that started it is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)
