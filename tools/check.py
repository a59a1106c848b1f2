"""`goldens check`: whether anything moved, stage by stage, stopping at the first that fails."""

import json
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import click
from rich.console import Console
from rich.markup import escape

from . import git, manifest
from .compare import Mismatch, describe, mismatches, spot_of
from .exits import Exit, Stop
from .git import GitError
from .manifest import Manifest
from .outcomes import derive
from .project import Project, load
from .subject import pinned, working_tree

SHOWN = 5  # mismatches; the rest is a number


class Stage(NamedTuple):
    """What one stage found."""

    name: str
    exit_code: Exit
    detail: str
    mismatches: list[Mismatch]


@click.command(name="check")
@click.option("--json", "as_json", is_flag=True, help="The stages as one JSON object.")
def command(as_json: bool) -> int:
    """Say whether anything moved."""
    project = load()
    console = Console(highlight=False, soft_wrap=True, quiet=as_json)
    done = []
    for stage in run(project):
        done.append(stage)
        _print(console, stage)
    worst = next((stage.exit_code for stage in done if stage.exit_code), Exit.OK)
    if as_json:
        click.echo(json.dumps(report(done, worst), indent=1))
    return worst


def run(project: Project) -> Iterator[Stage]:
    """The stages, each as it ends. A missing pin does not stop the next one; a mismatch does."""
    try:
        stored = manifest.read(project)
    except Stop as stop:
        yield Stage("goldens intact", stop.exit_code, str(stop), [])
        return
    stages: list[Callable[[Project, Manifest], Stage]] = [_intact, _rederive, _working_tree]
    for stage in stages:
        found = stage(project, stored)
        yield found
        if found.exit_code == Exit.MISMATCH:
            return


def _intact(project: Project, stored: Manifest) -> Stage:
    name = "goldens intact"
    found = [
        Mismatch(file, spot_of(_stem(file)), 0, "as the manifest has it", fault)
        for file, fault in manifest.faults(project, stored)
    ]
    total = f"{len(stored.rows)} outcomes of {len(project.arms)} arms"
    return _stage(name, f"{total}, {len(project.cases)} cases", found)


def _rederive(project: Project, stored: Manifest) -> Stage:
    name, pin = "re-derived from the pin", f"tree {stored.tree[:12]}, commit {stored.commit[:12]}"
    try:
        if not git.has(project.root, stored.tree):
            return Stage(name, Exit.NO_PIN, f"{pin} is not in this clone: {_remedy(stored)}", [])
        with pinned(project.root, stored.tree) as subject:
            found = mismatches(manifest.stored(project, stored), derive(subject, project))
            return _stage(name, pin, list(found))
    except GitError as error:
        return Stage(name, Exit.NO_PIN, f"{pin} was not checked: {error}", [])


def _remedy(stored: Manifest) -> str:
    return f"git fetch --unshallow, or git fetch origin {stored.commit}"


def _working_tree(project: Project, stored: Manifest) -> Stage:
    subject = working_tree(project.reference)
    found = mismatches(manifest.stored(project, stored), derive(subject, project))
    return _stage("the working tree renders them", "reference/", list(found))


def _stage(name: str, detail: str, found: list[Mismatch]) -> Stage:
    if found:
        return Stage(name, Exit.MISMATCH, f"{len(found)} mismatches ({detail})", found)
    return Stage(name, Exit.OK, detail, [])


def _stem(file: str) -> str:
    stem = file.removesuffix(".txt").removesuffix(".refused")
    return stem if stem.count("/") == 2 else "routing.jsonl"


def _print(console: Console, stage: Stage) -> None:
    mark, style = ("ok", "green") if stage.exit_code == Exit.OK else ("FAILED", "bold red")
    if stage.exit_code == Exit.NO_PIN:
        mark, style = "NO PIN", "yellow"
    console.print(f"[{style}]{mark:>6}[/]  {stage.name}: {escape(stage.detail)}")
    for mismatch in stage.mismatches[:SHOWN]:
        console.print(describe(mismatch), markup=False)
    if len(stage.mismatches) > SHOWN:
        console.print(f"... and {len(stage.mismatches) - SHOWN} more (--json lists all)")


def report(stages: list[Stage], worst: Exit) -> dict[str, Any]:
    """The stages as `--json` prints them."""
    return {
        "ok": worst == Exit.OK,
        "exit": int(worst),
        "stages": [
            {
                "name": stage.name,
                "exit": int(stage.exit_code),
                "detail": stage.detail,
                "mismatches": [
                    each._asdict() | {"spot": each.spot._asdict()} for each in stage.mismatches
                ],
            }
            for stage in stages
        ],
    }
