"""`goldens sweep`: every knob combination, against the pin or anybody's program."""

import json
import shlex
from pathlib import Path
from typing import Any

import click

from ..comparing import known
from ..exits import Stop
from ..goldens import manifest
from ..project import git
from ..project.layout import Project, load
from ..sides.matches import against_program, against_tree
from ..sweeping.plan import Narrowing
from ..sweeping.progress import progress
from ..sweeping.sweep import sweep
from .narrowing import checked, narrowed

FILE = click.Path(path_type=Path)
TIMEOUT = 30.0  # seconds for one answer of another program


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
    from ..project.refusals import load_wording, refusals

    with refusals():
        load_wording(path)


def _pin(project: Project, revision: str | None) -> tuple[str, str]:
    """Tree and commit to compare with: those of `revision`, else the pin. Raises Stop."""
    if revision is not None:
        commit, tree = git.resolve(project.root, revision)
        return tree, commit
    stored = manifest.read(project)
    return stored.tree, stored.commit
