"""`goldens regen`: the only writer of goldens; all or nothing, from a committed tree."""

import click

from ..exits import Exit, Stop
from ..goldens import manifest
from ..goldens.manifest import Manifest
from ..goldens.mismatches import describe, mismatches
from ..goldens.outcomes import ROUTING, Outcome, derive
from ..goldens.writer import write
from ..project import git
from ..project.layout import Project, load
from ..sides.copies import pinned

SHOWN = 20
SOURCES = ("reference", "goldens/arms.toml", "goldens/cases")


@click.command(name="regen")
@click.option("--commit", "revision", default="HEAD", help="Where reference/ is taken from.")
@click.option("--dry-run", is_flag=True, help="Show what would move; write nothing.")
def command(revision: str, dry_run: bool) -> int:
    """Write the goldens anew from a commit."""
    project = load()
    commit, tree = git.resolve(project.root, revision)
    if not dry_run:
        _refuse_uncommitted(project)
    with pinned(project.root, tree) as subject:
        fresh = derive(subject, project)
    before = _before(project)
    if before is not None and before[0].tree == tree:
        commit = before[0].commit
    _show(before[1] if before else {}, fresh)
    new = manifest.build(tree, commit, fresh)
    if not dry_run:
        write(project, new, fresh)
    return Exit.OK


def _refuse_uncommitted(project: Project) -> None:
    changed = git.uncommitted(project.root, *SOURCES)
    if changed:
        raise Stop(
            f"not committed: {', '.join(changed[:5])}. Goldens come from a commit: commit first, "
            "or look with --dry-run",
            Exit.DIRTY,
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
