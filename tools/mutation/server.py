"""The process that runs tests: it loads pytest once, then forks, one child for each mutant.

It keeps two kinds of workers. *Warm* ones have collected the tests and swap the code of one
function. *Cold* ones have loaded all but the watched package, which each child imports anew from
a copy that holds the change.
"""

import gc
import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import groupby
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NoReturn

import pytest

from .pytests import Tests, baseline, limit_memory
from .tasks import Result, Status, Task

MEMORY = 1 << 30  # bytes that a mutant may take beyond what its process has
IMPORT_LIMIT = 10.0  # seconds for importing the watched package and one file of tests
FAST = ("-p", "no:cacheprovider", "--assert=plain", "--tb=short", "-q", "--capture=no")


def main(order: dict[str, Any]) -> None:
    """Serve until the gate hangs up. `order` holds folders and inherited connections."""
    os.chdir(order["root"])
    sys.path.insert(0, order["root"])
    _few_examples()
    arguments = [*order["tests"], *FAST, "--rootdir", order["root"], "-c", "pyproject.toml"]
    sys.exit(pytest.main(arguments, plugins=[_Takeover(order)]))


class _Takeover:
    """Takes over from pytest where it would collect."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._order = order

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        try:
            _serve(session, self._order)
        except BaseException:
            traceback.print_exc()
            os._exit(1)


def _serve(session: pytest.Session, order: dict[str, Any]) -> None:
    _few_examples()  # again, since a conftest may have chosen its own profile
    control = Connection(order["control"])
    watched = _modules(order["watched"])
    early = sorted(watched.keys() & sys.modules.keys())
    if early:
        control.send(f"a conftest imports {early[0]} while loading: import it inside the fixtures")
        return
    for plugin in session.config.pluginmanager.get_plugins():
        if hasattr(plugin, "warm") and getattr(plugin, "__file__", "").endswith("conftest.py"):
            plugin.warm()
    ours, theirs = Pipe()
    fork(_warm_server, session, order, watched, theirs)
    theirs.close()
    _keep(order, order["cold"])
    with suppress(EOFError):
        _cold_server(session, order, ours.recv())
    _wait()


def _keep(order: dict[str, Any], kept: list[int]) -> None:
    """Close the other connections: the gate sees a process end when nobody else holds its own."""
    for number in [order["control"], *order["warm"], *order["cold"]]:
        if number not in kept:
            with suppress(OSError):
                os.close(number)


def _wait() -> NoReturn:
    """End when all workers have."""
    with suppress(ChildProcessError):
        while True:
            os.wait()
    os._exit(0)


def _modules(folders: list[str]) -> dict[str, str]:
    """The watched modules by name, with their files."""
    files = [path for folder in folders for path in sorted(Path(folder).rglob("*.py"))]
    return {module_name(path.as_posix()): path.as_posix() for path in files}


def module_name(file: str) -> str:
    """The name that the module in `file` is imported by."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _few_examples() -> None:
    from hypothesis import HealthCheck, Phase, settings
    from hypothesis.internal.conjecture import providers

    # It would draw constants out of whatever modules are loaded: other verdicts after any edit.
    vars(providers)["is_local_module_file"] = lambda path: False
    settings.register_profile(
        "mutation",
        max_examples=15,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("mutation")


# Warm workers


def _warm_server(
    session: pytest.Session, order: dict[str, Any], watched: dict[str, str], cold: Connection
) -> None:
    tests = Tests(session)
    measured = baseline(tests, order["tests"], watched)
    Connection(order["control"]).send(measured)
    cold.send(measured.modules)
    live = _live_functions(watched)
    gc.collect()
    gc.freeze()

    def child(task: Task, say: Callable[[Any], None]) -> Result:
        if task.file is not None and not _swap(live, task):
            return Result(Status.ELSEWHERE, [], [], False, "")
        return _run(tests, task, task.tests, say)

    for number in order["warm"]:
        fork(_work, order, number, child)
    _keep(order, [])
    _wait()


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


# Cold workers


def _cold_server(session: pytest.Session, order: dict[str, Any], modules: list[str]) -> None:
    for name in modules:
        with suppress(Exception):
            importlib.import_module(name)
    _try_hypothesis()
    tests = Tests(session)
    tests.find(order["tests"])
    gc.collect()
    gc.freeze()
    for number in order["cold"]:
        fork(_cold_worker, tests, order, number)
    _keep(order, [])


def _try_hypothesis() -> None:
    """Run one property, so that no child has to load what a first one loads."""
    from hypothesis import given
    from hypothesis import strategies as st

    given(st.text(), st.integers(), st.lists(st.booleans()))(lambda text, number, flags: None)()


def _cold_worker(tests: Tests, order: dict[str, Any], number: int) -> None:
    sys.dont_write_bytecode = True
    shadow = Path(tempfile.mkdtemp(prefix="mutants-", dir=order["scratch"]))
    for folder in order["watched"]:
        shutil.copytree(folder, shadow / folder)
    sys.path.insert(0, str(shadow))

    def child(task: Task, say: Callable[[Any], None]) -> Result:
        if task.file is not None:
            (shadow / task.file).write_bytes(task.code)
            os.utime(shadow / task.file, (1, 1))  # no compiled copy is of this time
        return _run_cold(tests, task, say)

    _work(order, number, child, lambda task: _restore(shadow, task))


def _restore(shadow: Path, task: Task) -> None:
    if task.file is not None:
        shutil.copy2(task.file, shadow / task.file)


def _run_cold(tests: Tests, task: Task, say: Callable[[Any], None]) -> Result:
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
    for file, group in groupby(task.tests, _file):
        say(IMPORT_LIMIT)
        there = set(tests.collect(file))
        parts.append(_run(tests, task, [test for test in group if test[0] in there], say))
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


def _file(test: tuple[str, float]) -> str:
    return test[0].split("::")[0]


ENDING = (Status.MEMORY, Status.KILLED)
RANK = [*ENDING, Status.SURVIVED, Status.SKIPPED]


# Both


def _work(
    order: dict[str, Any],
    number: int,
    child: Callable[[Task, Callable[[Any], None]], Result],
    after: Callable[[Task], None] = lambda _: None,
) -> None:
    """Take tasks until the gate hangs up; each runs in a child of its own."""
    _keep(order, [number])
    connection = Connection(number)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(_attempt(task, child))
        after(task)


def _attempt(task: Task, child: Callable[[Task, Callable[[Any], None]], Result]) -> Result:
    """What the child says; killed from here when it says nothing for as long as it asked for."""
    ours, theirs = Pipe(duplex=False)
    pid = fork(_child, task, child, theirs)
    theirs.close()
    said: Any = 60.0
    ran: list[str] = []
    while True:
        if not ours.poll(said):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return Result(Status.TIMEOUT, [], ran, False, f"no end within {said:.1f} s")
        try:
            said = ours.recv()
        except EOFError:
            _, code = os.waitpid(pid, 0)
            return Result(Status.CRASHED, [], ran, False, _ending(code))
        if isinstance(said, Result):
            os.waitpid(pid, 0)
            return said
        if isinstance(said, tuple):
            ran.append(said[0])
            said = said[1]


def _ending(code: int) -> str:
    if os.WIFSIGNALED(code):
        return f"the process was ended by {signal.Signals(os.WTERMSIG(code)).name}"
    return f"the process ended with exit code {os.WEXITSTATUS(code)}"


def _child(
    task: Task, child: Callable[[Task, Callable[[Any], None]], Result], theirs: Connection
) -> None:
    limit_memory(MEMORY)
    try:
        result = child(task, theirs.send)
    except BaseException as error:
        status = Status.MEMORY if isinstance(error, MemoryError) else Status.INTERNAL
        result = Result(status, [], [], False, f"{type(error).__name__}: {error}")
    theirs.send(result)


def _run(
    tests: Tests, task: Task, chosen: list[tuple[str, float]], say: Callable[[Any], None]
) -> Result:
    failed: list[str] = []
    ran: list[str] = []
    first, skipped = "", True
    for test in chosen:
        say(test)
        ran.append(test[0])
        outcome, note = tests.run(test[0])
        if outcome == Status.MEMORY:
            return Result(Status.MEMORY, [], ran, False, test[0])
        skipped &= outcome == "skipped"
        if outcome == "failed":
            failed.append(test[0])
            first = first or note
            if not task.every:
                break
    alive = Status.SKIPPED if skipped else Status.SURVIVED
    return Result(Status.KILLED if failed else alive, failed, ran, False, first)


def fork(target: Callable[..., None], *arguments: Any) -> int:
    """Run `target` in a child that ends with it; the child's process id."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            target(*arguments)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return pid


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
