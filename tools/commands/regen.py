"""`goldens regen`: the only writer of goldens; all or nothing, from a committed tree."""

import contextlib

import click

from ..exits import Exit, Stop
from ..goldens import manifest
from ..goldens.manifest import Manifest
from ..goldens.mismatches import describe, mismatches
from ..goldens.outcomes import ROUTING, Outcome, derive
from ..goldens.pins import committed_program, resolve
from ..goldens.writer import write
from ..project import git
from ..project.layout import Project, load
from ..project.settings import NAME
from ..sides.checkouts import last_change
from ..sides.copies import pinned
from ..sides.subject import Subject

SHOWN = 20
SOURCES = ("reference", "goldens/arms.toml", "goldens/cases")


@click.command(name="regen")
@click.option("--commit", "revision", default="HEAD", help="Where the guarded code is taken from.")
@click.option("--dry-run", is_flag=True, help="Show what would move; write nothing.")
@click.option("--no-cache", is_flag=True, help="Make the checkout of a program anew.")
def command(revision: str, dry_run: bool, no_cache: bool) -> int:
    """Write the goldens anew from a commit: those of the reference, or of a program."""
    project = load()
    commit, tree = resolve(project, revision)
    if not dry_run:
        _refuse_ignored(project)
        _refuse_uncommitted(project)
    with _subject(project, commit, tree, not no_cache) as subject:
        fresh, ops = derive(subject, project), subject.ops
    before = _before(project)
    if before is not None and before[0].tree == tree:
        commit = before[0].commit
    elif project.settings is not None:
        commit = last_change(project.settings, commit)
    _show(before[1] if before else {}, fresh)
    new = manifest.build(tree, commit, fresh, ops)
    if not dry_run:
        write(project, new, fresh)
    return Exit.OK


def _subject(
    project: Project, commit: str, tree: str, cached: bool
) -> contextlib.AbstractContextManager[Subject]:
    if project.settings is None:
        return pinned(project.root, tree)
    return committed_program(project, project.settings, commit, cached)


def _sources(project: Project) -> list[str]:
    """What is taken from the working tree, or must be committed in it."""
    if project.settings is None:
        return list(SOURCES)
    held = project.settings
    paths = [held.root / NAME, *(path for path in (held.arms, held.cases) if path is not None)]
    return [str(path) for path in paths]


def _refuse_uncommitted(project: Project) -> None:
    changed = git.uncommitted(project.repository, *_sources(project))
    if changed:
        raise Stop(
            f"not committed: {', '.join(changed[:5])}. Goldens come from a commit: commit first, "
            "or look with --dry-run",
            Exit.DIRTY,
        )


def _refuse_ignored(project: Project) -> None:
    path = project.outcomes / manifest.NAME
    if project.settings is not None and git.is_ignored(project.repository, path):
        raise Stop(
            f"{project.outcomes} is ignored by git: goldens there would guard nothing; take the "
            f"rule out of .gitignore, or name another folder in {NAME}"
        )


def _before(project: Project) -> tuple[Manifest, dict[str, Outcome]] | None:
    if not (manifest.folder(project) / manifest.NAME).is_file():
        return None
    stored = manifest.read(project)
    return stored, manifest.stored(project, stored)


def _show(before: dict[str, Outcome], fresh: dict[str, Outcome]) -> None:
    moved = list(mismatches(before, fresh))
    for mismatch in moved[:SHOWN]:
        click.echo(describe(mismatch))
        here, there = before.get(_stem(mismatch.file)), fresh.get(_stem(mismatch.file))
        click.echo(f"  {_size(here)} -> {_size(there)}")
    if len(moved) > SHOWN:
        click.echo(f"... and {len(moved) - SHOWN} more")
    click.echo(f"{len(moved)} of {len(fresh)} goldens move" if moved else "nothing moves")


def _stem(file: str) -> str:
    return file if file == ROUTING else file.removesuffix(".txt").removesuffix(".refused")


def _size(outcome: Outcome | None) -> str:
    return "nothing" if outcome is None else f"{len(outcome.data)} bytes"
