"""Warm workers: they have collected and run the tests, and swap the code of one function."""

import ast
import gc
import os
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

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
    blocks = {file: _blocks(Path(file).read_bytes()) for file in watched.values()}
    gc.collect()
    gc.freeze()

    def child(task: Task, say: Say) -> Result:
        if task.file is not None and not _swap(live, blocks[task.file], task):
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


class Block(NamedTuple):
    """A function or class at the top of a file: the piece that is compiled anew."""

    line: int
    start: int  # in bytes, as `after`
    after: int  # how much of the file follows it


def _blocks(code: bytes) -> dict[str, Block]:
    lines = code.splitlines(keepends=True)
    blocks = {}
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            start = sum(map(len, lines[: first - 1]))
            blocks[node.name] = Block(first, start, sum(map(len, lines[node.end_lineno :])))
    return blocks


def _swap(live: Live, blocks: dict[str, Block], task: Task) -> bool:
    """Give the changed function, wherever it is held, its new code. False: it is not held."""
    assert task.file is not None
    assert task.function is not None
    block = blocks.get(task.function.split(".")[0])
    if block is None:
        return False
    text = task.code[block.start : len(task.code) - block.after]
    whole = compile(b"\n" * (block.line - 1) + text, os.path.abspath(task.file), "exec")
    swapped = False
    for code in _codes(whole):
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
