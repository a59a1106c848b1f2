"""`goldens sweep`: every knob combination, against the pin or anybody's program."""

import contextlib
import json
import shlex
from pathlib import Path
from typing import Any

import click

from ..comparing import known
from ..exits import Stop
from ..goldens import manifest
from ..goldens.pins import against_pin, resolve
from ..project.layout import Project, load
from ..project.settings import TIMEOUT
from ..sides.matches import Match, against_commit, against_program, against_tree, programs
from ..sweeping.plan import Narrowing
from ..sweeping.progress import progress
from ..sweeping.sweep import sweep
from .narrowing import checked, narrowed

FILE = click.Path(path_type=Path)


@click.command(name="sweep")
@click.option("--command", "program", help="Compare with a program that speaks the protocol.")
@click.option("--against", help="Compare --command with this program, not with the reference.")
@click.option("--commit", help="Compare with this commit, not with the pin.")
@click.option("--wording", "wording_file", type=FILE, help="Other words.")
@click.option("--known", "known_file", type=FILE, help="Accepted differences.")
@narrowed
@click.option("--jobs", type=click.IntRange(min=1), help="Processes; by default one per core.")
@click.option("--timeout", type=float, help=f"Seconds per answer; by default {TIMEOUT:g}.")
@click.option("--no-cache", is_flag=True, help="Make the checkout of a program anew.")
@click.option("--json", "as_json", is_flag=True, help="The result as one JSON object.")
def command(
    program: str | None,
    against: str | None,
    commit: str | None,
    wording_file: Path | None,
    known_file: Path | None,
    jobs: int | None,
    timeout: float | None,
    no_cache: bool,
    as_json: bool,
    **chosen: Any,
) -> int:
    """Compare every knob combination with the pin or another program.

    In a repository with a goldens.toml, that is its program as the pin, or another commit, has it
    against its program as it lies there.
    """
    project = load()
    held = project.settings
    narrowing = checked(project, Narrowing(**chosen))
    if program and commit:
        raise Stop("give --command or --commit, not both")
    if against and not program:
        raise Stop("--against names the old program: name the new one with --command")
    if held is not None:
        wording_file, known_file = wording_file or held.wording, known_file or held.known
        jobs, timeout = jobs or held.jobs, timeout or held.timeout
    if wording_file is not None:
        _check_wording(wording_file)
    entries = known.load(known_file, project) if known_file else []
    with contextlib.ExitStack() as stack:
        if program and against:
            match = programs(project, _words(against), _words(program), timeout or TIMEOUT)
        elif program:
            chosen_match = against_program(
                project, _words(program), timeout or TIMEOUT, wording_file
            )
            match = stack.enter_context(chosen_match)
        else:
            match = stack.enter_context(_own(project, commit, wording_file, not no_cache))
        result = sweep(project, narrowing, match, entries, jobs, progress)
    click.echo(json.dumps(result.as_json(), indent=1) if as_json else "\n".join(result.lines()))
    return result.exit_code


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError as error:
        raise Stop(f"{command!r} can't be split into words: {error}") from None


def _own(
    project: Project, revision: str | None, wording: Path | None, cached: bool
) -> contextlib.AbstractContextManager[Match]:
    """The working tree against a commit, or against the pin."""
    if revision is None:
        return against_pin(project, manifest.read(project), wording, cached)
    commit, tree = resolve(project, revision)
    if project.settings is not None:
        return against_commit(project, project.settings, commit, cached)
    return against_tree(project, tree, commit, wording)


def _check_wording(path: Path) -> None:
    # Imported here: a reference that does not import is for the sweep to find.
    from ..project.refusals import load_wording, refusals

    with refusals():
        load_wording(path)
