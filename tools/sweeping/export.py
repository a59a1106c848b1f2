"""Goldens and a grid as protocol requests, with the answers they must get."""

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..exits import Exit, Stop
from ..goldens import manifest
from ..goldens.outcomes import request_of as golden_request
from ..goldens.outcomes import spots
from ..grid import CONTEXT_FILE
from ..grid.places import NOWHERE, request_of
from ..project.git import GitError, files_of
from ..project.layout import TAG, Project
from ..project.trees import tree_id
from ..sides.copies import unpacked
from ..sides.matches import EXPECTED, loaded
from ..sides.subject import Subject
from .plan import Narrowing, make

OPS = ("settings", "request", "render", "prompt")  # what other programs are asked of the goldens


@contextlib.contextmanager
def pinned(project: Project) -> Iterator[Subject]:
    """The pinned reference. Raises Stop, exit 3, when it is not here."""
    stored = manifest.read(project)
    is_here = tree_id(files_of(project.reference)) == stored.tree  # with or without git
    try:
        with (
            contextlib.nullcontext(project.reference)
            if is_here
            else unpacked(project.root, stored.tree)
        ) as folder:
            yield loaded(project, folder, EXPECTED, f"git tree {stored.tree}", None)
    except GitError as error:
        raise Stop(f"the pinned tree {stored.tree} is not here: {error}", Exit.NO_PIN) from None


def write(folder: Path, project: Project, narrowing: Narrowing, subject: Subject) -> int:
    """Write the export whole, with the context files it needs; the number of requests."""
    folder.absolute().parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.absolute().parent, prefix=".export-") as temporary:
        made = Path(temporary) / "export"
        made.mkdir()
        number = 0
        with (
            (made / "requests.jsonl").open("w", encoding="ascii") as requests,
            (made / "answers.jsonl").open("w", encoding="ascii") as answers,
            contextlib.chdir(project.goldens),  # context files are named from there
        ):
            for number, request in enumerate(_requests(project, narrowing, subject), 1):
                answer = subject.answer(request)
                if "crashed" in answer:
                    raise Stop(f"the pin crashed on {request}: {answer}", Exit.MISMATCH)
                requests.write(json.dumps({"id": number, **request}) + "\n")
                answers.write(json.dumps({**answer, "id": number}) + "\n")
        _copy_context_files(project, made)
        os.rename(made, folder)
    return number


def _requests(project: Project, narrowing: Narrowing, subject: Subject) -> Iterator[dict[str, Any]]:
    for name, items in project.cases.items():
        yield {"op": "items", "name": name, "items": items}
    yield from ({"op": "route", "question": question} for question in project.routing)
    yield from _of_goldens(project)
    yield from _of_grid(project, narrowing, subject)


def _of_goldens(project: Project) -> Iterator[dict[str, Any]]:
    for spot in spots(project):
        arm = project.arms[spot.arm]
        if spot.op == "request":
            query = project.questions[spot.question].question
            yield {"op": "request", "env": arm.env, "query": query, "tag": TAG}
        elif spot.op in OPS:
            yield golden_request(spot, arm, project)


def _of_grid(project: Project, narrowing: Narrowing, subject: Subject) -> Iterator[dict[str, Any]]:
    plan = replace(make(project, narrowing, subject), folder="")
    for combination in plan.refusals:
        yield request_of(project, "settings", NOWHERE, plan.anywhere(combination))
    for number in plan.chosen:
        part, combination = plan.combination(number)
        for op in ("settings", "request"):
            yield request_of(project, op, NOWHERE, plan.anywhere(combination))
        for cell in plan.cells(part, combination):
            yield request_of(project, "prompt", *cell)


def _copy_context_files(project: Project, folder: Path) -> None:
    """Put the context files where the requests say, seen from the export."""
    envs = [arm.env for arm in project.arms.values()]
    paths = {env[CONTEXT_FILE].strip() for env in envs if CONTEXT_FILE in env}
    for path in sorted(path for path in paths if (project.goldens / path).is_file()):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(project.goldens / path, folder / path)
