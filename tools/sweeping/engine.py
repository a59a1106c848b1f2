"""Running a sweep: a plan shared out to workers, and the tally of what they compared."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from ..comparing.verdicts import Sides, opened
from ..processes import workers
from ..project.layout import Project
from ..sides.matches import Match
from .bite import LEAST_BLOCKS, toothless
from .cells import Comparison
from .plan import Plan
from .tally import Tally

CHUNK = 64  # combinations that a worker takes at a time

Task = Callable[[], Tally]


@dataclass
class Run:
    """What a sweep covered and found."""

    plan: Plan
    tally: Tally = field(default_factory=Tally)
    routes: int = 0  # questions whose routing verdict both can give
    interrupted: bool = False
    seconds: float = 0.0

    @property
    def entire(self) -> bool:
        """Whether the grid was all there and in one piece."""
        narrowing = self.plan.narrowing
        return narrowing.whole and narrowing.shard == (1, 1) and not self.interrupted

    def unsound(self) -> list[str]:
        """Why this sweep proves nothing, whatever it found."""
        tally, plan = self.tally, self.plan
        planned, recorded = plan.planned, tally.cells.total()
        reasons = list(tally.toothless)
        if not planned == tally.asked == recorded > 0:
            reasons.append(f"planned {planned:,}, run {tally.asked:,}, recorded {recorded:,} cells")
        for what, wanted, done in (
            ("combinations", len(plan.chosen), tally.combinations),
            ("refusals", len(plan.refusals), tally.refusals.total()),
            ("routed questions", self.routes, tally.routes.total()),
        ):
            if wanted != done:
                reasons.append(f"of {wanted:,} {what} {done:,} were run")
        if self.entire and not tally.faults and len(tally.blocks) < LEAST_BLOCKS:
            reasons.append(f"{len(tally.blocks):,} distinct blocks came out, not {LEAST_BLOCKS:,}")
        return reasons


def available() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(
    project: Project,
    plan: Plan,
    match: Match,
    jobs: int | None = None,
    advance: Callable[[Tally], None] = lambda tally: None,
) -> Run:
    """Compare every cell of a plan; Ctrl-C ends it early, with what was covered until then.

    `advance` is told of each tally as it comes. Raises Stop when a worker can't go on.
    """
    routes = 0 if match.lacking("route") else len(plan.routes)
    begin, done = time.monotonic(), Run(plan, routes=routes)

    @contextlib.contextmanager
    def comparing() -> Iterator[Callable[[int], Tally]]:
        with opened(match) as sides:
            tasks = _tasks(project, plan, sides)
            yield lambda number: tasks[number]()

    total = len(_chunks(plan)) + 3
    try:
        for tally in workers.run(comparing, total, jobs or available()):
            done.tally.add(tally)
            advance(tally)
    except KeyboardInterrupt:
        done.interrupted = True
    done.seconds = time.monotonic() - begin
    return done


def _tasks(project: Project, plan: Plan, sides: Sides) -> list[Task]:
    """What is to be done, in any order and by anyone: three tasks and one for each chunk."""
    comparison = Comparison(project, plan, sides)

    def bite() -> Tally:
        found = toothless(project, plan, sides) if plan.narrowing.whole else []
        return Tally(toothless=[str(each) for each in found])

    chunks = (partial(comparison.combinations, chunk) for chunk in _chunks(plan))
    return [bite, comparison.refusals, comparison.routes, *chunks]


def _chunks(plan: Plan) -> list[Sequence[int]]:
    return [plan.chosen[start : start + CHUNK] for start in range(0, len(plan.chosen), CHUNK)]
