"""A worker: it takes tasks one by one and runs each in a child of its own."""

import os
import resource
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import Any, NoReturn

from .pytests import Tests
from .tasks import Order, Result, Status, Task

MEMORY = 1 << 30  # bytes that a mutant may take beyond what its process has
FIRST_WORD = 60.0  # seconds up to the first word of a child

Say = Callable[[Any], None]
Child = Callable[[Task, Say], Result]


def work(
    order: Order,
    number: int,
    child: Child,
    after: Callable[[Task], None] = lambda _: None,
) -> None:
    """Take tasks until the gate hangs up; each runs in a child of its own."""
    keep(order, [number])
    connection = Connection(number)
    memory = _memory() + MEMORY
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(_attempt(task, child, memory))
        after(task)


def _memory() -> int:
    """The bytes of address space that this process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _attempt(task: Task, child: Child, memory: int) -> Result:
    """What the child says; killed from here when it says nothing for as long as it asked for."""
    ours, theirs = Pipe(duplex=False)
    pid = fork(_child, task, child, theirs, memory)
    theirs.close()
    said: Any = FIRST_WORD
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


def _child(task: Task, child: Child, theirs: Connection, memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    try:
        result = child(task, theirs.send)
    except BaseException as error:
        status = Status.MEMORY if isinstance(error, MemoryError) else Status.INTERNAL
        result = Result(status, [], [], False, f"{type(error).__name__}: {error}")
    theirs.send(result)


def run(tests: Tests, task: Task, chosen: list[tuple[str, float]], say: Say) -> Result:
    """Run these tests one after the other, up to the first that fails unless all are asked for."""
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


def keep(order: Order, kept: list[int]) -> None:
    """Close the other connections: the gate sees a process end when nobody else holds its own."""
    for number in [order["control"], *order["warm"], *order["cold"]]:
        if number not in kept:
            with suppress(OSError):
                os.close(number)


def wait() -> NoReturn:
    """End when all workers have."""
    with suppress(ChildProcessError):
        while True:
            os.wait()
    os._exit(0)
