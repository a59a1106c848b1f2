"""A sweep from end to end: compare, reduce, group, and say what came of it."""

from collections.abc import Sequence
from pathlib import Path

from ..comparing import known
from ..comparing.groups import example, grouped
from ..comparing.known import Known
from ..comparing.verdicts import Sides
from ..project.layout import Project
from ..sides.matches import Match, against_tree, folders
from . import engine
from .plan import Narrowing, make
from .progress import Progressing, progress, unseen
from .report import SweepResult


def default_sweep(project: Project, tree: str, commit: str, jobs: int | None = None) -> SweepResult:
    """The default grid, working tree against the tree `tree` of commit `commit`.

    Raises Stop: exit 3 when the tree is not here, exit 1 when a copy can't be asked.
    """
    with against_tree(project, tree, commit) as match:
        return sweep(project, Narrowing(), match, jobs=jobs, progress=progress)


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
    plan = make(project, narrowing, match.expected)
    with progress(plan) as advance:
        done = engine.run(project, plan, match, jobs, advance)
    faults = known.unknown(done.tally.faults, entries)
    accepted = done.tally.faults.total() - sum(faults.values())
    groups, stale = [], []
    if faults or entries:
        with match.found() as found:
            sides = Sides(match.expected, found, match.by_content)
            groups = [
                (group, example(project, sides, group.example))
                for group in grouped(faults, project.cases)
            ]
            stale = known.stale(project, sides, entries, done.tally.faults, done.entire)
    return SweepResult(match.expected.source, match.found_source, done, groups, accepted, stale)
