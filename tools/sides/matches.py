"""Who is compared with whom: copies of the reference, the reference and a program, two programs."""

import contextlib
import shlex
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from ..exits import Exit, Stop
from ..project import git
from ..project.git import GitError
from ..project.layout import Project
from ..project.settings import Settings
from . import checkouts, program
from .copies import files_behind, in_process, unpacked
from .subject import Subject, counting, introduce

MEMO = 8_192  # counts that each copy may keep: every line as it can be cut, and more
EXPECTED, FOUND = "expected_reference", "found_reference"  # what the copies are loaded as


Opened = Callable[[], AbstractContextManager[Subject]]


class Side(NamedTuple):
    """One of two: where its code comes from, and how a process gets at it."""

    source: str
    opened: Opened  # entered in each process; the subject knows the cases
    ops: frozenset[str] | None = None  # those that it says it knows; None is all


class Match(NamedTuple):
    """Two sides."""

    expected: Side
    found: Side
    by_content: bool  # whether warnings are compared, or only their number

    def lacking(self, op: str) -> str | None:
        """The source of a side that says it does not know an op."""
        for side in (self.expected, self.found):
            if side.ops is not None and op not in side.ops:
                return side.source
        return None


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
    expected_side = copy_side(project, expected, EXPECTED, here, wording)
    found_side = copy_side(project, found, FOUND, there, wording)
    shared = files_behind(EXPECTED) & files_behind(FOUND)
    if shared:
        raise Stop(f"both sides are the same files, such as {min(shared)}: nothing to compare")
    yield Match(expected_side, found_side, by_content=True)


def copy_side(
    project: Project, folder: Path, name: str, source: str, wording: Path | None = None
) -> Side:
    """A copy of the reference, loaded here and shared by the processes forked from here."""
    subject = loaded(project, folder, name, source, wording)
    return Side(source, lambda: contextlib.nullcontext(subject))


@contextlib.contextmanager
def against_program(
    project: Project, command: list[str], timeout: float, wording: Path | None = None
) -> Iterator[Match]:
    """The reference against a program, one process of it for each of ours."""
    found = program_side(project, command, timeout)
    ours = copy_side(project, project.reference, EXPECTED, str(project.reference), wording)
    yield Match(ours, found, by_content=False)


def programs(project: Project, expected: list[str], found: list[str], timeout: float) -> Match:
    """Two programs, one process of each for each of ours. Raises Stop when they are the same."""
    if expected == found:
        raise Stop(f"both sides are {shlex.join(found)}: nothing to compare")
    old, new = (program_side(project, each, timeout) for each in (expected, found))
    return Match(old, new, by_content=False)


@contextlib.contextmanager
def against_commit(
    project: Project, held: Settings, commit: str, cached: bool = True
) -> Iterator[Match]:
    """The program of a repository as it was in a commit, against the one on disk.

    Raises Stop: exit 2 when the old one can't be made ready, exit 3 when git can't be read.
    """
    with at_commit(project, held, commit, cached) as expected:
        yield Match(expected, on_disk(project, held, commit), by_content=False)


@contextlib.contextmanager
def at_commit(project: Project, held: Settings, commit: str, cached: bool = True) -> Iterator[Side]:
    """The program of a repository as it was in a commit. Raises Stop as `against_commit`."""
    try:
        with checkouts.checked_out(held, commit, cached) as old:
            side = program_side(project, old.words, held.timeout, old.folder)
            yield side._replace(source=f"{old.command} of commit {commit[:12]}")
    except GitError as error:
        raise Stop(f"commit {commit[:12]} can't be read: {error}", Exit.NO_PIN) from None


def on_disk(project: Project, held: Settings, commit: str | None = None) -> Side:
    """The program of a repository as its working tree has it."""
    side = program_side(project, held.words, held.timeout, held.folder)
    same = commit is not None and is_same(held, commit)
    return side._replace(source=held.command + (", of equal content" if same else ""))


def is_same(held: Settings, commit: str) -> bool:
    """Whether the pinned files on disk are those of a commit."""
    return checkouts.content_id(held, None) == checkouts.content_id(held, commit)


def program_side(
    project: Project, command: list[str], timeout: float, folder: Path | None = None
) -> Side:
    """A program as a side; it is started once to ask what it knows. Raises Stop."""
    if not command:
        raise Stop("--command names no program")

    ops = program.hello(command, timeout, folder)

    @contextlib.contextmanager
    def opened() -> Iterator[Subject]:
        with program.running(
            command, timeout, lambda subject: introduce(project, subject), folder
        ) as subject:
            yield subject if ops is None or "count" in ops else counting(subject)

    return Side(shlex.join(command), opened, ops)


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
