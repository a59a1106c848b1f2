"""A run of the gate from end to end: prove it, take what is selected, find witnesses."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..exits import Exit, Stop
from . import changes, exemptions
from .equivalence import Equal, renders_whole_grid_equal
from .gate import Gate
from .generate import generate
from .mutants import Mutant
from .plan import Plan
from .runner import Runner
from .tasks import Test
from .verdicts import Report


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


@contextmanager
def proven_gate(project: Project, jobs: int) -> Iterator[Gate]:
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


def run(
    gate: Gate,
    project: Project,
    selection: Selection,
    exempt: list[dict[str, str]],
    equal: Equal,
) -> Report:
    """The verdicts on what is selected, and a witness for each test.

    `equal` is asked of mutants that are exempt.
    """
    mutants = _selected(gate, project, selection)
    with progress("mutants") as seen:
        outcomes = gate.verdicts(mutants, bool(selection.mutants), seen)
    wanted: list[Test] = []
    if selection.changed is None and not selection.mutants:
        wanted = [
            test
            for test in gate.plan.tests.values()
            if selection.part.holds(test.id) and not test.is_structure
        ]
    with progress("witnesses") as seen:
        witnesses = gate.witnesses(outcomes, wanted, seen)
    proof = partial(renders_whole_grid_equal, gate.generated.files, equal)
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


@contextmanager
def progress(title: str) -> Iterator[Callable[[int, int], None]]:
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
