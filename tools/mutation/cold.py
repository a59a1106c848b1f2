"""Cold workers: they have loaded all but the watched package, which each child imports anew."""

import gc
import importlib
import os
import shutil
import sys
import tempfile
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import pytest

from .pytests import Tests
from .tasks import Order, Result, Status, Task, module_name
from .work import Say, fork, keep, run, work

ENDING = (Status.MEMORY, Status.KILLED)
RANK = [*ENDING, Status.SURVIVED, Status.SKIPPED]  # what one file says outranks another
IMPORT_LIMIT = 10.0  # seconds for importing the watched package and one file of tests


def serve(session: pytest.Session, order: Order, modules: list[str]) -> None:
    """Import `modules`, which are not watched, find the tests and start the workers."""
    for name in modules:
        with suppress(Exception):
            importlib.import_module(name)
    _try_hypothesis()
    tests = Tests(session)
    tests.find(order["tests"])
    gc.collect()
    gc.freeze()
    for number in order["cold"]:
        fork(_worker, tests, order, number)
    keep(order, [])


def _try_hypothesis() -> None:
    """Run one property, so that no child has to load what a first one loads."""
    from hypothesis import given
    from hypothesis import strategies as st

    given(st.text(), st.integers(), st.lists(st.booleans()))(lambda text, number, flags: None)()


def _worker(tests: Tests, order: Order, number: int) -> None:
    sys.dont_write_bytecode = True
    shadow = Path(tempfile.mkdtemp(prefix="mutants-", dir=order["scratch"]))
    for folder in order["watched"]:
        shutil.copytree(folder, shadow / folder)
    sys.path.insert(0, str(shadow))

    def child(task: Task, say: Say) -> Result:
        if task.file is not None:
            (shadow / task.file).write_bytes(task.code)
            os.utime(shadow / task.file, (1, 1))  # no compiled copy is of this time
        return _by_file(tests, task, say)

    work(order, number, child, lambda task: _restore(shadow, task))


def _restore(shadow: Path, task: Task) -> None:
    if task.file is not None:
        shutil.copy2(task.file, shadow / task.file)


def _by_file(tests: Tests, task: Task, say: Say) -> Result:
    """Collect file by file: most mutants die in the first."""
    say(IMPORT_LIMIT)
    at_import = False
    if task.file is not None and task.file.endswith(".py"):
        try:
            importlib.import_module(module_name(task.file))
        except BaseException:
            at_import = True
        if at_import and not task.unimportable:
            return Result(Status.SKIPPED, [], [], True, "")
    parts = [Result(Status.SKIPPED, [], [], at_import, "")]
    for file, group in groupby(task.tests, lambda test: test[0].split("::")[0]):
        say(IMPORT_LIMIT)
        there = set(tests.collect(file))
        parts.append(run(tests, task, [test for test in group if test[0] in there], say))
        if parts[-1].status in ENDING and not task.every:
            break
    worst = min(parts, key=lambda part: RANK.index(part.status))
    return Result(
        worst.status,
        [test for part in parts for test in part.failed],
        [test for part in parts for test in part.ran],
        at_import or bool(tests.errors),
        worst.note,
    )
