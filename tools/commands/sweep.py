"""`goldens sweep`: every knob combination, against the pin or anybody's program."""

import contextlib
import json
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from ..comparing import known
from ..comparing.groups import example, grouped
from ..comparing.known import Known
from ..comparing.verdicts import Sides
from ..exits import Stop
from ..goldens import manifest
from ..grid import values as grid
from ..project import git
from ..project.layout import Project, load
from ..sides.matches import Match, against_program, against_tree, folders
from ..sweeping import engine
from ..sweeping.plan import Narrowing, Plan, make
from ..sweeping.report import SweepResult
from ..sweeping.tally import Tally

FILE = click.Path(path_type=Path)
TIMEOUT = 30.0  # seconds for one answer of another program

Progressing = Callable[[Plan], contextlib.AbstractContextManager[Callable[[Tally], None]]]


def _shard(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, int]:
    first, _, count = value.partition("/")
    if not (first.isdecimal() and count.isdecimal() and 1 <= int(first) <= int(count)):
        raise click.BadParameter(f"{value!r} is not K/N with 1 <= K <= N")
    return int(first), int(count)


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


NARROWING = [
    click.option("--full", is_flag=True, help="Millions of cells: other spellings, refusals."),
    click.option("--knobs", callback=_names, help="Vary these alone: A,B."),
    click.option("--arms", is_flag=True, help="The named arms instead of the product."),
    click.option("--cases", callback=_names, help="These cases alone: A,B."),
    click.option("--sample", type=click.IntRange(min=1), help="That many combinations, at random."),
    click.option("--seed", default=0, show_default=True, help="Of the sample."),
    click.option("--shard", callback=_shard, default="1/1", help="Part K of N, from 1/N to N/N."),
]


def narrowed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that choose a grid."""
    for option in reversed(NARROWING):
        function = option(function)
    return function


def checked(project: Project, narrowing: Narrowing) -> Narrowing:
    """The narrowing, if the knobs and cases in it exist. Raises Stop."""
    for kind, named, there in (
        ("knob", narrowing.knobs, grid.ROWS),
        ("case", narrowing.cases, project.cases),
    ):
        for name in named:
            if name not in there:
                raise Stop(f"no {kind} {name!r}: one of {', '.join(there)}")
    return narrowing


@click.command(name="sweep")
@click.option("--command", "program", help="Compare with a program that speaks the protocol.")
@click.option("--commit", help="Compare with this commit, not with the pin.")
@click.option("--wording", "wording_file", type=FILE, help="Other words.")
@click.option("--known", "known_file", type=FILE, help="Accepted differences.")
@narrowed
@click.option("--jobs", type=click.IntRange(min=1), help="Processes; by default one per core.")
@click.option("--timeout", default=TIMEOUT, show_default=True, help="Seconds per answer.")
@click.option("--json", "as_json", is_flag=True, help="The result as one JSON object.")
def command(
    program: str | None,
    commit: str | None,
    wording_file: Path | None,
    known_file: Path | None,
    jobs: int | None,
    timeout: float,
    as_json: bool,
    **chosen: Any,
) -> int:
    """Compare every knob combination with the pin or another program."""
    project = load()
    narrowing = checked(project, Narrowing(**chosen))
    if program and commit:
        raise Stop("give --command or --commit, not both")
    if wording_file is not None:
        _check_wording(wording_file)
    entries = known.load(known_file, project) if known_file else []
    if program:
        match = against_program(project, shlex.split(program), timeout, wording_file)
    else:
        match = against_tree(project, *_pin(project, commit), wording_file)
    with match as sides:
        result = sweep(project, narrowing, sides, entries, jobs, progress)
    click.echo(json.dumps(result.as_json(), indent=1) if as_json else "\n".join(result.lines()))
    return result.exit_code


def _check_wording(path: Path) -> None:
    # Imported here: a reference that does not import is for the sweep to find.
    from .render import load_wording, refusals

    with refusals():
        load_wording(path)


def _pin(project: Project, revision: str | None) -> tuple[str, str]:
    """Tree and commit to compare with: those of `revision`, else the pin. Raises Stop."""
    if revision is not None:
        commit, tree = git.resolve(project.root, revision)
        return tree, commit
    stored = manifest.read(project)
    return stored.tree, stored.commit


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


@contextlib.contextmanager
def unseen(plan: Plan) -> Iterator[Callable[[Tally], None]]:
    """Show no progress."""
    yield lambda tally: None


@contextlib.contextmanager
def progress(plan: Plan) -> Iterator[Callable[[Tally], None]]:
    """A bar on a terminal's stderr with rate and time left; nothing in a pipe."""
    console = Console(stderr=True)
    columns = (
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} cells, {task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
    )
    quiet = not console.is_terminal
    # No refreshing thread: the workers are forked from here.
    with Progress(
        *columns, console=console, transient=True, disable=quiet, auto_refresh=False
    ) as bar:
        task = bar.add_task("", total=plan.planned, rate=0)

        def advance(tally: Tally) -> None:
            rate = bar.tasks[task].speed or 0
            bar.update(task, advance=tally.asked, rate=rate, refresh=True)

        yield advance


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
