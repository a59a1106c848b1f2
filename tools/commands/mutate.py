"""`goldens mutate`: the gate that fails whenever a change of the watched code goes unnoticed."""

import os
import re
import signal
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..exits import Exit, Stop
from ..mutation import changes, exemptions, from_mutmut, report
from ..mutation.equivalence import renders_whole_grid_equal
from ..mutation.gate import Gate
from ..mutation.generate import generate
from ..mutation.mutants import Mutant
from ..mutation.plan import Plan
from ..mutation.runner import Runner
from ..mutation.tasks import Status, Test
from ..mutation.verdicts import Report

FAST = 0.01  # seconds that a test may take in the matrix


class Project(NamedTuple):
    """What pyproject.toml says under [tool.mutmut]."""

    root: Path
    watched: list[str]
    tests: list[str]

    def contents(self) -> dict[Path, bytes]:
        """Every source and data file that a verdict depends on."""
        folders = [self.root / folder for folder in (*self.watched, *self.tests)]
        paths = [path for folder in folders for path in sorted(folder.rglob("*"))]
        return {path: path.read_bytes() for path in paths if path.suffix in (".py", ".toml")}


class Part(NamedTuple):
    """One of several disjoint parts that cover everything, the same on every machine."""

    number: int
    parts: int

    def holds(self, name: str) -> bool:
        """Whether the mutant or test `name` is in this part."""
        return zlib.crc32(name.encode()) % self.parts == self.number - 1


class Selection(NamedTuple):
    """What of all mutants to run."""

    changed: str | None  # since this commit
    part: Part
    mutants: tuple[str, ...]  # these alone, if any


@click.command(name="mutate")
@click.option(
    "--changed",
    is_flag=False,
    flag_value="HEAD",
    metavar="[REV]",
    help="Only what differs from a commit, HEAD by default; demands no witnesses.",
)
@click.option("--shard", default="1/1", metavar="K/N", help="Only the K-th of N parts.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=len(os.sched_getaffinity(0)),
    help="How many run at once.",
)
@click.option(
    "--mutant",
    "names",
    multiple=True,
    metavar="NAME",
    help="One mutant (or several) and every test that reaches it.",
)
@click.option("--test", metavar="NODEID", help="One test and every mutant that it reaches.")
@click.option("--matrix", is_flag=True, help="Every mutant and every fast test that reaches it.")
@click.option("--list", "listed", is_flag=True, help="Every behaviour, its mutant and its test.")
@click.option("--json", "as_json", is_flag=True, help="In the mutation-testing-elements schema.")
def command(
    changed: str | None,
    shard: str,
    jobs: int,
    names: tuple[str, ...],
    test: str | None,
    matrix: bool,
    listed: bool,
    as_json: bool,
) -> int:
    """Change reference/ in every way the operators know; fail unless a test notices each change.

    What is watched, and by which tests, stands under [tool.mutmut] in pyproject.toml. A mutant
    passes when a test fails on it, when it never ends, or when it is exempt.
    """
    start = time.monotonic()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the same end as Ctrl-C
    selection = Selection(changed, _part(shard), names)
    root = from_mutmut.find_root()
    project = Project(root, *from_mutmut.settings(root))
    exempt = exemptions.load(project.root / project.tests[0])
    with _proven_gate(project, jobs) as gate:
        if test is not None:
            return _column(gate, test)
        if matrix:
            return _matrix(gate)
        found = _run(gate, project, selection, exempt)
    found.seconds = time.monotonic() - start
    if as_json:
        click.echo(report.as_json(found, gate.generated.files))
    elif listed:
        click.echo("\n".join(report.behaviours(found)))
    else:
        click.echo(report.text(found))
    return Exit.OK if found.passes else Exit.MISMATCH


def _part(shard: str) -> Part:
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", shard)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise Stop(f"--shard {shard}: must be K/N with 1 <= K <= N")
    return Part(int(match[1]), int(match[2]))


@contextmanager
def _proven_gate(project: Project, jobs: int) -> Iterator[Gate]:
    """The gate after it has seen green and red, and again green when the run is over."""
    before = project.contents()
    with Runner(*project, jobs) as runner:
        generated = generate(project.root, project.watched)
        if not generated.mutants:
            where = " ".join(project.watched)
            raise Stop(f"nothing was measured: {where} has nothing to mutate", Exit.BASELINE)
        gate = Gate(runner, generated, Plan(project.root, runner.baseline(), generated.files), jobs)
        gate.prove()
        yield gate
        gate.still_green()
    if project.contents() != before:
        raise Stop("nothing was measured: files changed during the run", Exit.BASELINE)


def _run(
    gate: Gate, project: Project, selection: Selection, exempt: list[dict[str, str]]
) -> Report:
    """The verdicts on what is selected, and a witness for each test."""
    mutants = _selected(gate, project, selection)
    with _progress("mutants") as seen:
        outcomes = gate.verdicts(mutants, bool(selection.mutants), seen)
    wanted: list[Test] = []
    if selection.changed is None and not selection.mutants:
        wanted = [
            test
            for test in gate.plan.tests.values()
            if selection.part.holds(test.id) and not test.is_structure
        ]
    with _progress("witnesses") as seen:
        witnesses = gate.witnesses(outcomes, wanted, seen)
    proof = partial(renders_whole_grid_equal, project.root, gate.generated.files)
    problems = exemptions.apply(exempt, gate.generated.mutants, outcomes, proof)
    return Report(
        outcomes,
        list(gate.plan.tests.values()),
        witnesses,
        [test.id for test in wanted],
        gate.generated.blind_spots,
        problems,
    )


def _selected(gate: Gate, project: Project, selection: Selection) -> list[Mutant]:
    mutants = gate.generated.mutants
    for name in selection.mutants:
        if all(mutant.name != name for mutant in mutants):
            raise Stop(f"--mutant {name}: there is none of this name")
    if selection.mutants:
        mutants = [mutant for mutant in mutants if mutant.name in selection.mutants]
    if selection.changed is not None:
        folders = [*project.watched, *project.tests]
        mutants = changes.touched(project.root, selection.changed, folders, gate.generated)
        if not mutants:
            raise Stop(f"no mutant lies in what changed since {selection.changed}", Exit.OK)
    mutants = [mutant for mutant in mutants if selection.part.holds(mutant.name)]
    if not mutants:
        raise Stop("nothing was measured: no mutant in this part", Exit.BASELINE)
    return mutants


def _column(gate: Gate, test: str) -> int:
    """Print what one test does to each mutant; a test that kills none is a mismatch."""
    if test not in gate.plan.tests:
        raise Stop(f"--test {test}: pytest collects no test of this name")
    with _progress("mutants") as seen:
        column = gate.column(gate.plan.tests[test], seen)
    for mutant, result in column:
        click.echo(f"{result.status}: {report.place(mutant)}")
    kills = sum(result.status is Status.KILLED for _, result in column)
    click.echo(f"{test} kills {kills} of the {len(column)} mutants that it reaches")
    return Exit.OK if kills else Exit.MISMATCH


def _matrix(gate: Gate) -> int:
    """Print, for each mutant, all the fast tests that kill it."""
    with _progress("mutants") as seen:
        rows = gate.matrix(FAST, seen)
    for mutant, result in rows:
        click.echo(f"{report.place(mutant)}: {len(result.failed)} of {len(result.ran)}")
        for test in result.failed:
            click.echo(f"    {test}")
    return Exit.OK


@contextmanager
def _progress(title: str) -> Iterator[Callable[[int, int], None]]:
    """A bar with rate and time left on a terminal, nothing in a pipe."""
    console = Console(stderr=True)
    quiet = not console.is_terminal
    columns = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.speed:.0f}/s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=quiet) as bar:
        task = bar.add_task(title)
        yield lambda done, total: bar.update(task, completed=done, total=total)
