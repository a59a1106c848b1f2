"""Warm workers: they have collected and run the tests, and swap the code of one function."""

import gc
import os
from collections.abc import Iterator
from multiprocessing.connection import Connection
from types import CodeType, FunctionType

import pytest

from .pytests import Tests, baseline
from .tasks import Order, Result, Status, Task
from .work import Say, fork, keep, run, wait, work


def serve(session: pytest.Session, order: Order, watched: dict[str, str], cold: Connection) -> None:
    """Measure the baseline, tell the gate and the cold side of it, and start the workers."""
    tests = Tests(session)
    measured = baseline(tests, order["tests"], watched)
    Connection(order["control"]).send(measured)
    cold.send(measured.modules)
    live = _live_functions(watched)
    gc.collect()
    gc.freeze()

    def child(task: Task, say: Say) -> Result:
        if task.file is not None and not _swap(live, task):
            return Result(Status.ELSEWHERE, [], [], False, "")
        return run(tests, task, task.tests, say)

    for number in order["warm"]:
        fork(work, order, number, child)
    keep(order, [])
    wait()


Live = dict[tuple[str, str, int], list[FunctionType]]


def _live_functions(watched: dict[str, str]) -> Live:
    """Every function of a watched module by file, qualified name and first line."""
    live: Live = {}
    for found in gc.get_objects():
        if isinstance(found, FunctionType):
            file = watched.get(found.__globals__.get("__name__", ""))
            if file is not None:
                code = found.__code__
                key = file, code.co_qualname, code.co_firstlineno
                live.setdefault(key, []).append(found)
    return live


def _swap(live: Live, task: Task) -> bool:
    """Give the changed function, wherever it is held, its new code. False: it is not held."""
    assert task.file is not None
    swapped = False
    for code in _codes(compile(task.code, os.path.abspath(task.file), "exec", dont_inherit=True)):
        if code.co_qualname.split(".<locals>")[0] != task.function:
            continue
        for function in live.get((task.file, code.co_qualname, code.co_firstlineno), []):
            if len(function.__code__.co_freevars) != len(code.co_freevars):
                return False
            function.__code__ = code
            swapped |= code.co_qualname == task.function
    return swapped


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
