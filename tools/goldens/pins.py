"""The pin: what the goldens were derived from, found again in git."""

import contextlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from ..exits import Exit, Stop
from ..project import git
from ..project.git import GitError
from ..project.layout import Project
from ..project.settings import Settings
from ..sides import checkouts
from ..sides.copies import pinned, working_tree
from ..sides.matches import Match, against_commit, against_tree, at_commit, is_same, on_disk
from ..sides.subject import Subject
from .manifest import Manifest


@contextlib.contextmanager
def pinned_subject(project: Project, stored: Manifest, cached: bool = True) -> Iterator[Subject]:
    """What the goldens were derived from, ready to be asked. Raises Stop, exit 3 without it."""
    if project.settings is None:
        with _tree(project, stored) as subject:
            yield subject
        return
    commit = checkouts.find_commit(project.settings, stored.commit, stored.tree)
    with committed_program(project, project.settings, commit, cached) as subject:
        yield subject


@contextlib.contextmanager
def _tree(project: Project, stored: Manifest) -> Iterator[Subject]:
    pin = f"tree {stored.tree[:12]}, commit {stored.commit[:12]}"
    try:
        if not git.has(project.root, stored.tree):
            remedy = f"git fetch --unshallow, or git fetch origin {stored.commit}"
            raise Stop(f"{pin} is not in this clone: {remedy}", Exit.NO_PIN)
        with pinned(project.root, stored.tree) as subject:
            yield subject
    except GitError as error:
        raise Stop(f"{pin} was not checked: {error}", Exit.NO_PIN) from None


@contextlib.contextmanager
def committed_program(
    project: Project, held: Settings, commit: str, cached: bool = True
) -> Iterator[Subject]:
    """The program of a repository at a commit, ready to be asked. Raises Stop."""
    with at_commit(project, held, commit, cached) as side, side.opened() as subject:
        yield subject.knowing(side.ops)


@contextlib.contextmanager
def working_subject(project: Project) -> Iterator[Subject]:
    """What the working tree has, ready to be asked. Raises Stop."""
    if project.settings is None:
        yield working_tree(project.reference)
        return
    side = on_disk(project, project.settings)
    with side.opened() as subject:
        yield subject.knowing(side.ops)


def is_pinned(project: Project, stored: Manifest) -> bool:
    """Whether the working tree is the pin, file for file. Raises GitError and Stop."""
    if project.settings is None:
        return git.read_tree(project.root, stored.tree) == git.files_of(project.reference)
    commit = checkouts.find_commit(project.settings, stored.commit, stored.tree)
    return is_same(project.settings, commit)


def resolve(project: Project, revision: str) -> tuple[str, str]:
    """Commit and pin of `revision`. Raises Stop: exit 3 without git, exit 2 if it is none."""
    if project.settings is None:
        return git.resolve(project.root, revision)
    commit = git.resolve_commit(project.settings.root, revision)
    return commit, checkouts.content_id(project.settings, commit)


def against_pin(
    project: Project, stored: Manifest, wording: Path | None = None, cached: bool = True
) -> AbstractContextManager[Match]:
    """The working tree against the pin. Entering it raises Stop, exit 3 without the pin."""
    if project.settings is None:
        return against_tree(project, stored.tree, stored.commit, wording)
    commit = checkouts.find_commit(project.settings, stored.commit, stored.tree)
    return against_commit(project, project.settings, commit, cached)
