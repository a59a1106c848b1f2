"""Which mutants a change touches: those of the functions and lines that differ from a commit."""

import re
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from ..exits import Exit, Stop
from ..project.git import GitError, git
from .generate import Generated
from .mutants import Mutant

HUNK = re.compile(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
Lines = dict[str, set[int]]


def touched(
    root: Path, revision: str, folders: Sequence[str], generated: Generated
) -> list[Mutant]:
    """The mutants in what differs between `revision` and the working tree.

    A changed line selects its whole function; a changed file of tests, `test_NAME.py`, selects
    the module NAME. Raises Stop when git does not know the revision.
    """
    try:
        lines = _changed_lines(root, revision, folders)
    except GitError as error:
        raise Stop(f"--changed {revision}: {error}", Exit.USAGE) from None
    modules = {
        PurePosixPath(file).stem.removeprefix("test_")
        for file in lines
        if PurePosixPath(file).name.startswith("test_")
    }
    return [
        mutant
        for mutant in generated.mutants
        if PurePosixPath(mutant.file).stem in modules or _is_touched(mutant, lines, generated)
    ]


def _is_touched(mutant: Mutant, lines: Lines, generated: Generated) -> bool:
    changed = lines.get(mutant.file, set())
    code = generated.files[mutant.file]
    start, end = mutant.edit.start, mutant.edit.end
    for function in generated.functions.get(mutant.file, []):
        if function.name == mutant.function:
            start, end = function.start, function.end
    first, last = (code.count(b"\n", 0, at) + 1 for at in (start, end))
    return any(first <= line <= last for line in changed)


def _changed_lines(root: Path, revision: str, folders: Sequence[str]) -> Lines:
    """The changed lines by file, as the working tree numbers them."""
    found: Lines = {}
    options = ("--unified=0", "--no-color", "--no-ext-diff", "--no-prefix", "--relative")
    diff = git(root, "diff", *options, "--end-of-options", revision, "--", *folders)
    file = ""
    for line in diff.decode(errors="replace").splitlines():
        if line.startswith("+++ "):
            file = line[4:]
        elif hunk := HUNK.match(line):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            # After a deletion nothing is left but the place where it was.
            found.setdefault(file, set()).update(range(first, first + max(count, 1)))
    untracked = git(root, "ls-files", "--others", "--exclude-standard", "-z", "--", *folders)
    for name in filter(None, untracked.decode().split("\0")):
        found[name] = set(range(1, len((root / name).read_bytes().splitlines()) + 2))
    return found
