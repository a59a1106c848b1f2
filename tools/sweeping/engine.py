"""Running a sweep: a plan shared out to workers, and the tally of what they compared."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial

from ..project import Project
from ..subject import Subject
from . import workers
from .bite import LEAST_BLOCKS, toothless
from .cells import Comparison
from .plan import Narrowing, Plan
from .sides import Sides
from .tally import Tally

CHUNK = 64  # combinations that a worker takes at a time

Opened = Callable[[], AbstractContextManager[Subject]]
Task = Callable[[], Tally]


@dataclass
class Run:
    """What a sweep covered and found."""

    plan: Plan
    narrowing: Narrowing
    tally: Tally = field(default_factory=Tally)
    interrupted: bool = False
    seconds: float = 0.0

    @property
    def unsound(self) -> list[str]:
        """Why this sweep proves nothing, whatever it found."""
        tally, planned = self.tally, self.plan.planned()
        recorded = sum(tally.cells.values())
        few = self.narrowing.whole and self.narrowing.shard == (1, 1)
        reasons = {
            f"planned {planned:,}, run {tally.asked:,}, recorded {recorded:,} cells": (
                not planned == tally.asked == recorded > 0
            ),
            f"of {len(self.plan.chosen):,} combinations {tally.combinations:,} were run": (
                tally.combinations != len(self.plan.chosen)
            ),
            f"of {len(self.plan.refusals):,} refusals {tally.refusals.total():,} were asked for": (
                tally.refusals.total() != len(self.plan.refusals)
            ),
            f"only {len(tally.blocks):,} distinct blocks came out, not {LEAST_BLOCKS:,}": (
                few and not tally.faults and len(tally.blocks) < LEAST_BLOCKS
            ),
        }
        return [reason for reason, holds in reasons.items() if holds] + tally.toothless


def available() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    project: Project,
    plan: Plan,
    narrowing: Narrowing,
    expected: Subject,
    found: Opened,
    *,
    by_content: bool = True,
    jobs: int | None = None,
    advance: Callable[[Tally], None] = lambda tally: None,
) -> Run:
    """Compare every cell of a plan; Ctrl-C ends it early, with what was covered until then.

    Both subjects must know the cases; `found` is entered once in each process. `by_content` says
    whether warnings are compared or only counted. Raises Stop when a worker can't go on.
    """
    begin, done = time.monotonic(), Run(plan, narrowing)

    @contextlib.contextmanager
    def comparing() -> Iterator[Callable[[int], Tally]]:
        with found() as subject:
            tasks = _tasks(project, plan, narrowing, Sides(expected, subject, by_content))
            yield lambda number: tasks[number]()

    total = len(_chunks(plan)) + 2
    try:
        for tally in workers.run(comparing, total, jobs or available()):
            done.tally.add(tally)
            advance(tally)
    except KeyboardInterrupt:
        done.interrupted = True
    done.seconds = time.monotonic() - begin
    return done


def _tasks(project: Project, plan: Plan, narrowing: Narrowing, sides: Sides) -> list[Task]:
    """What is to be done, in any order and by anyone."""
    comparison = Comparison(project, plan, sides)

    def bite() -> Tally:
        found = toothless(project, plan, sides.expected) if narrowing.whole else []
        return Tally(toothless=[str(each) for each in found])

    chunks = (partial(comparison.combinations, chunk) for chunk in _chunks(plan))
    return [bite, comparison.refusals, *chunks]


def _chunks(plan: Plan) -> list[Sequence[int]]:
    return [plan.chosen[start : start + CHUNK] for start in range(0, len(plan.chosen), CHUNK)]
