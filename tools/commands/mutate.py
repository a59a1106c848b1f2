"""`goldens mutate`: the gate that fails whenever a change of the watched code goes unnoticed."""

import os
import re
import signal
import time
from functools import partial
from pathlib import Path

import click

from ..exits import Exit, Stop
from ..mutation import against_mutmut, exemptions, from_mutmut, report
from ..mutation.gate import Gate
from ..mutation.run import Part, Project, Selection, progress, proven_gate, run
from ..mutation.tasks import Status

FAST = 0.01  # seconds that a test may take in the matrix


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
@click.option(
    "--against-mutmut",
    "against",
    is_flag=True,
    help="After `mutmut run`: fail too on a mutant that one kills and the other does not.",
)
@click.option("--json", "as_json", is_flag=True, help="In the mutation-testing-elements schema.")
def command(
    changed: str | None,
    shard: str,
    jobs: int,
    names: tuple[str, ...],
    test: str | None,
    matrix: bool,
    listed: bool,
    against: bool,
    as_json: bool,
) -> int:
    """Change reference/ in every way the operators know; fail unless a test notices each change.

    What is watched, and by which tests, stands under [tool.mutmut] in pyproject.toml. A mutant
    passes when a test fails on it, when it never ends, or when it is exempt.
    """
    start = time.monotonic()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the same end as Ctrl-C
    selection = Selection(changed, _part(shard), names)
    if against and (changed is not None or shard != "1/1" or names):
        raise Stop("--against-mutmut compares all mutants: leave --changed, --shard, --mutant out")
    root = from_mutmut.find_root()
    project = Project(root, *from_mutmut.settings(root))
    exempt = exemptions.load(project.root / project.tests[0])
    with proven_gate(project, jobs) as gate:
        if test is not None:
            return _column(gate, test)
        if matrix:
            return _matrix(gate)
        mutmuts = against_mutmut.said(root, gate.generated) if against else []
        found = run(gate, project, selection, exempt, partial(_equal, root))
    found.problems += against_mutmut.differences(mutmuts, found.outcomes)
    found.seconds = time.monotonic() - start
    if as_json:
        click.echo(report.as_json(found, gate.generated.files))
    elif listed:
        click.echo("\n".join(report.behaviours(found)))
    else:
        click.echo(report.text(found))
        if against:
            click.echo(f"compared with mutmut's own verdicts on its {len(mutmuts)} mutants")
    return Exit.OK if found.passes else Exit.MISMATCH


def _equal(root: Path, expected: Path, found: Path) -> bool:
    """Whether the sweep's whole grid tells no difference between two copies of the reference."""
    # Imported here: these read the watched package, which may not even import.
    from ..project.layout import load
    from ..sweeping.sweep import sweep_folders

    return sweep_folders(load(root), expected, found).exit_code is Exit.OK


def _part(shard: str) -> Part:
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", shard)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise Stop(f"--shard {shard}: must be K/N with 1 <= K <= N")
    return Part(int(match[1]), int(match[2]))


def _column(gate: Gate, test: str) -> int:
    """Print what one test does to each mutant; a test that kills none is a mismatch."""
    if test not in gate.plan.tests:
        raise Stop(f"--test {test}: pytest collects no test of this name")
    with progress("mutants") as seen:
        column = gate.column(gate.plan.tests[test], seen)
    for mutant, result in column:
        click.echo(f"{result.status}: {report.place(mutant)}")
    kills = sum(result.status is Status.KILLED for _, result in column)
    click.echo(f"{test} kills {kills} of the {len(column)} mutants that it reaches")
    return Exit.OK if kills else Exit.MISMATCH


def _matrix(gate: Gate) -> int:
    """Print, for each mutant, all the fast tests that kill it."""
    with progress("mutants") as seen:
        rows = gate.matrix(FAST, seen)
    for mutant, result in rows:
        click.echo(f"{report.place(mutant)}: {len(result.failed)} of {len(result.ran)}")
        for test in result.failed:
            click.echo(f"    {test}")
    return Exit.OK
