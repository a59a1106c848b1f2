"""The gate's side of the test processes: start them, hand out tasks, take the results."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self, TypeVar

from ..exits import Exit, Stop
from .tasks import Baseline, Order, Result, Status, Task

# What a shell may have set and no verdict may depend on.
KNOBS = ("MEMVARA_", "OPENAI_MODEL_", "PYTEST_", "HYPOTHESIS_")
PYTHON = ("PYTHONPATH", "PYTHONSAFEPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONOPTIMIZE")

Key = TypeVar("Key")


class Job(NamedTuple):
    """A task and whether it needs a fresh import."""

    task: Task
    is_cold: bool


class Runner:
    """The test processes of one project. Leaving the context ends them all."""

    def __init__(self, root: Path, watched: list[str], tests: list[str], jobs: int) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="goldens-", dir=_fast_folder())
        self._control, control = Pipe()
        pairs = {kind: [Pipe() for _ in range(jobs)] for kind in (False, True)}
        self._workers = {kind: [ours for ours, _ in pairs[kind]] for kind in pairs}
        theirs = {kind: [their for _, their in pairs[kind]] for kind in pairs}
        numbers = {kind: [each.fileno() for each in theirs[kind]] for kind in theirs}
        order: Order = {
            "root": str(root),
            "watched": watched,
            "tests": tests,
            "scratch": self._scratch.name,
            "control": control.fileno(),
            "warm": numbers[False],
            "cold": numbers[True],
        }
        self._log = Path(self._scratch.name, "log")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", f"{__package__}.server", json.dumps(order)],
                cwd=Path(__file__).parents[2],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[control.fileno(), *numbers[False], *numbers[True]],
                start_new_session=True,
            )
        for each in [control, *theirs[False], *theirs[True]]:
            each.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._scratch.cleanup()

    def baseline(self) -> Baseline:
        """Wait for the tests on the unchanged code. Raises Stop when they can't be run."""
        try:
            found = self._control.recv()
        except EOFError:
            raise Stop(f"the tests can't be run:\n{self._said()}", Exit.BASELINE) from None
        problem = found if isinstance(found, str) else found.problem
        if problem:
            raise Stop(f"nothing was measured: {problem}", Exit.BASELINE)
        assert isinstance(found, Baseline)
        return found

    def run(self, jobs: Iterable[tuple[Key, Job]], workers: int) -> Iterator[tuple[Key, Result]]:
        """Run all tasks, `workers` at a time; results come as they are ready."""
        waiting = iter(jobs)
        idle = {kind: list(self._workers[kind]) for kind in self._workers}
        busy: dict[Connection, tuple[Key, Job]] = {}
        again: deque[tuple[Key, Job]] = deque()
        while True:
            while len(busy) < workers:
                found = again.popleft() if again else next(waiting, None)
                if found is None:
                    break
                key, job = found
                worker = idle[job.is_cold].pop()
                with contextlib.suppress(BrokenPipeError):  # its end is seen when it is read
                    worker.send(job.task)
                busy[worker] = found
            if not busy:
                return
            for worker in [each for each in wait(list(busy)) if isinstance(each, Connection)]:
                key, job = busy.pop(worker)
                idle[job.is_cold].append(worker)
                result = self._received(worker)
                if result.status is Status.ELSEWHERE:
                    again.append((key, job._replace(is_cold=True)))
                else:
                    yield key, result

    def _received(self, worker: Connection) -> Result:
        try:
            result = worker.recv()
        except EOFError:
            raise Stop(f"a test process ended:\n{self._said()}", Exit.BASELINE) from None
        assert isinstance(result, Result)
        return result

    def _said(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")[-2000:].strip()


def _fast_folder() -> str | None:
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _environment() -> dict[str, str]:
    """The caller's environment without anything that could change a verdict."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(KNOBS) and name not in PYTHON
    }
    return kept | {"PYTHONHASHSEED": "0"}
