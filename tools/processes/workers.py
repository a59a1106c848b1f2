"""Work shared out to forked processes: numbered tasks, results as they come."""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from ..exits import Exit, Stop
from . import keeper

T = TypeVar("T")

PATIENCE = 2.0  # seconds a worker gets to tidy up before it is killed


def run(
    opened: Callable[[], AbstractContextManager[Callable[[int], T]]], tasks: int, jobs: int
) -> Iterator[T]:
    """The results of tasks 0 to `tasks` - 1 in the order they end, from `jobs` processes.

    `opened` is entered once in each. One job needs no process. Raises what a task raised; a
    process that dies is a Stop. Whatever happens, none is left behind.
    """
    if jobs == 1:
        with opened() as work:
            yield from map(work, range(tasks))
        return
    keeper.ensure()
    context = multiprocessing.get_context("fork")
    taken = context.Value("q", 0)
    workers: dict[Connection, BaseProcess] = {}
    try:
        for _ in range(min(jobs, tasks)):
            receiver, sender = context.Pipe(duplex=False)
            ends = [*workers, receiver]
            process = context.Process(target=_work, args=(opened, tasks, taken, sender, ends))
            process.start()
            keeper.watch(process.pid or 0)
            sender.close()
            workers[receiver] = process
        yield from _results(dict(workers))
    finally:
        _end(workers)


def _results(workers: dict[Connection, BaseProcess]) -> Iterator[Any]:
    while workers:
        for receiver in wait(list(workers)):
            assert isinstance(receiver, Connection)
            try:
                kind, value = receiver.recv()
            except EOFError:
                process = workers[receiver]
                process.join()
                raise Stop(f"a worker died: exit {process.exitcode}", Exit.BASELINE) from None
            if kind == "raised":
                raise value
            if kind == "done":
                del workers[receiver]
            else:
                yield value


def _work(
    opened: Callable[[], Any], tasks: int, taken: Any, sender: Connection, ends: list[Connection]
) -> None:
    keeper.forked()
    parent = os.getppid()  # it may be killed, and nobody then wants the rest
    for receiver in ends:  # a pipe that someone could still read from blocks when it is full
        receiver.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    signal.signal(signal.SIGTERM, _terminate)
    try:
        with opened() as work:
            while (task := _next(taken)) < tasks and os.getppid() == parent:
                sender.send(("result", work(task)))
        sender.send(("done", None))
    except BrokenPipeError:
        return  # the parent is gone
    except Stop as stop:
        sender.send(("raised", stop))
    except Exception as error:
        sender.send(("raised", Stop(f"a worker failed: {error!r}", Exit.BASELINE)))


def _terminate(*_: Any) -> None:
    raise SystemExit(1)


def _next(taken: Any) -> int:
    with taken.get_lock():
        task: int = taken.value
        taken.value += 1
    return task


def _end(workers: dict[Connection, BaseProcess]) -> None:
    for process in workers.values():
        process.terminate()
    for receiver, process in workers.items():
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()
        keeper.forget(process.pid or 0)
        receiver.close()
