"""A sweep from end to end: compare, reduce, group, and say what came of it."""

from collections.abc import Sequence
from pathlib import Path

from ..comparing import known
from ..comparing.groups import example, grouped
from ..comparing.known import Known
from ..comparing.verdicts import OPS, opened
from ..goldens.manifest import Manifest
from ..goldens.pins import against_pin
from ..project.layout import Project
from ..sides.matches import Match, folders
from . import engine
from .plan import Narrowing, make
from .progress import Progressing, progress, unseen
from .report import SweepResult


def default_sweep(
    project: Project,
    stored: Manifest,
    jobs: int | None = None,
    sample: int | None = None,
    cached: bool = True,
) -> SweepResult:
    """The default grid, or a sample of it, working tree against the pin.

    Raises Stop: exit 3 when the pin is not here, exit 1 when a copy can't be asked.
    """
    with against_pin(project, stored, cached=cached) as match:
        narrowing = Narrowing(sample=sample)
        return sweep(project, narrowing, match, jobs=jobs, progress=progress)


def sweep_folders(
    project: Project,
    expected: Path,
    found: Path,
    narrowing: Narrowing | None = None,
    jobs: int | None = None,
) -> SweepResult:
    """Any two copies of the reference, each in its folder. Raises Stop as `default_sweep`."""
    with folders(project, expected, found) as match:
        return sweep(project, narrowing or Narrowing(), match, jobs=jobs)


def sweep(
    project: Project,
    narrowing: Narrowing,
    match: Match,
    entries: Sequence[Known] = (),
    jobs: int | None = None,
    progress: Progressing = unseen,
) -> SweepResult:
    """Compare, reduce and group. Raises Stop when a side can't be asked."""
    with match.expected.opened() as expected:
        plan = make(project, narrowing, expected)
    with progress(plan) as advance:
        done = engine.run(project, plan, match, jobs, advance)
    faults = known.unknown(done.tally.faults, entries)
    accepted = done.tally.faults.total() - sum(faults.values())
    groups, stale = [], []
    if faults or entries:
        with opened(match) as sides:
            groups = [
                (group, example(project, sides, group.example))
                for group in grouped(faults, project.cases)
            ]
            stale = known.stale(project, sides, entries, done.tally.faults, done.entire)
    return SweepResult(
        match.expected.source, match.found.source, done, groups, accepted, stale, left_out(match)
    )


def left_out(match: Match) -> list[str]:
    """What was not compared, and who does not know it."""
    lacking = {op: match.lacking(op) for op in OPS}
    return [f"{op}, which {source} does not know" for op, source in lacking.items() if source]
