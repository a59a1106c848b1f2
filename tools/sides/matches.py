"""Who is compared with whom: two copies of the reference, or the reference and a program."""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from ..exits import Exit, Stop
from ..project import git
from ..project.git import GitError
from ..project.layout import Project
from . import program as external
from .copies import files_behind, in_process, unpacked
from .subject import Subject, introduce

MEMO = 8_192  # counts that each copy may keep: every line as it can be cut, and more
EXPECTED, FOUND = "expected_reference", "found_reference"  # what the copies are loaded as


Opened = Callable[[], AbstractContextManager[Subject]]


class Match(NamedTuple):
    """Two sides that know the cases."""

    expected: Subject
    found: Opened  # entered in each process
    found_source: str
    by_content: bool  # whether warnings are compared, or only their number


@contextlib.contextmanager
def against_tree(
    project: Project, tree: str, commit: str, wording: Path | None = None
) -> Iterator[Match]:
    """The working tree against a tree of the repository. Raises Stop, exit 3 without that tree."""
    pin = f"git tree {tree[:12]} of commit {commit[:12]}"
    try:
        if not git.has(project.root, tree):
            raise Stop(f"{pin} is not in this clone: git fetch --unshallow", Exit.NO_PIN)
        same = git.read_tree(project.root, tree) == git.files_of(project.reference)
        with unpacked(project.root, tree) as folder:
            source = str(project.reference) + (", of equal content" if same else "")
            with folders(project, folder, project.reference, wording, (pin, source)) as match:
                yield match
    except GitError as error:
        raise Stop(f"{pin} can't be read: {error}", Exit.NO_PIN) from None


@contextlib.contextmanager
def folders(
    project: Project,
    expected: Path,
    found: Path,
    wording: Path | None = None,
    sources: tuple[str, str] | None = None,
) -> Iterator[Match]:
    """The copies in two folders, side by side in this process and in those forked from it.

    Raises Stop when one does not import, or when both would be the same files.
    """
    here, there = sources or (str(expected), str(found))
    sides = [
        loaded(project, expected, EXPECTED, here, wording),
        loaded(project, found, FOUND, there, wording),
    ]
    shared = files_behind(EXPECTED) & files_behind(FOUND)
    if shared:
        raise Stop(f"both sides are the same files, such as {min(shared)}: nothing to compare")
    yield Match(sides[0], lambda: contextlib.nullcontext(sides[1]), there, by_content=True)


@contextlib.contextmanager
def against_program(
    project: Project, command: list[str], timeout: float, wording: Path | None = None
) -> Iterator[Match]:
    """The working tree against a program, one process of it for each of ours."""
    if not command:
        raise Stop("--command names no program")
    ours = loaded(project, project.reference, EXPECTED, str(project.reference), wording)

    def opened() -> AbstractContextManager[Subject]:
        return external.running(command, timeout, lambda subject: introduce(project, subject))

    yield Match(ours, opened, " ".join(command), by_content=False)


def loaded(project: Project, folder: Path, name: str, source: str, wording: Path | None) -> Subject:
    """A copy that knows the cases and has its encoder, so that processes forked from here share it.

    Raises Stop when it can't be asked.
    """
    subject = in_process(folder, name, source, memo=MEMO, wording=wording)
    introduce(project, subject)
    answer = subject.answer({"op": "count", "text": "this loads the encoder"})
    if "ok" not in answer:
        raise Stop(f"{source} can't count tokens: {answer}", Exit.MISMATCH)
    return subject
