"""A mutant: a file, a span in it and a replacement, whoever made it."""

import difflib
import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple


class Edit(NamedTuple):
    """A change of one file: the bytes from `start` up to `end` become `replacement`."""

    start: int
    end: int
    replacement: bytes
    operator: str

    def applied(self, code: bytes) -> bytes:
        """The whole file, changed."""
        return code[: self.start] + self.replacement + code[self.end :]

    def trimmed(self, code: bytes) -> "Edit":
        """The same change without what it replaces by itself: equal changes become equal edits."""
        old, new = code[self.start : self.end].decode(), self.replacement.decode()
        shorter = min(len(old), len(new))
        head = next((i for i in range(shorter) if old[i] != new[i]), shorter)
        shorter -= head
        tail = next((i for i in range(shorter) if old[-1 - i] != new[-1 - i]), shorter)
        start = self.start + len(old[:head].encode())
        end = self.end - len(old[len(old) - tail :].encode())
        return Edit(start, end, new[head : len(new) - tail].encode(), self.operator)


@dataclass(frozen=True)
class Mutant:
    """An edit with its place. Its name comes from its content and survives edits elsewhere."""

    name: str
    file: str  # relative to the project, with forward slashes
    edit: Edit
    line: int  # from 1
    function: str | None  # qualified name of the outermost function whose body is changed
    before: str  # the whole lines that are changed, and what they become
    after: str

    def diff(self) -> str:
        """The change as a unified diff without its file lines."""
        before, after = self.before.splitlines(), self.after.splitlines()
        lines = list(difflib.unified_diff(before, after, lineterm="", n=1))[3:]
        return "\n".join(lines)


class Function(NamedTuple):
    """An outermost function: a change inside its body is a change of that function alone."""

    name: str  # qualified, as in `__qualname__`
    start: int  # of its body, in bytes
    end: int


def mutants_of(
    file: str, code: bytes, edits: Iterable[Edit], functions: Iterable[Function]
) -> list[Mutant]:
    """Name the edits of one file: equal changes become one mutant, the first maker's."""
    outermost = list(functions)
    unique: dict[tuple[int, int, bytes], Edit] = {}
    for edit in edits:
        short = edit.trimmed(code)
        if code[short.start : short.end] != short.replacement:
            unique.setdefault(short[:3], short)
    seen: Counter[str] = Counter()
    return [_named(file, code, edit, outermost, seen) for edit in sorted(unique.values())]


def _named(
    file: str, code: bytes, edit: Edit, functions: list[Function], seen: Counter[str]
) -> Mutant:
    around = [each.name for each in functions if each.start <= edit.start and edit.end <= each.end]
    function = around[0] if around else None
    before, after = _lines(code, edit)
    content = "\0".join([file, function or "", before, after])
    seen[content] += 1
    digest = hashlib.sha256(f"{content}\0{seen[content]}".encode()).hexdigest()[:8]
    path = PurePosixPath(file)
    place = path.stem if path.suffix == ".py" else path.name
    name = f"{place}.{function}#{digest}" if function else f"{place}#{digest}"
    line = code.count(b"\n", 0, edit.start) + 1
    return Mutant(name, file, edit, line, function, before, after)


def _lines(code: bytes, edit: Edit) -> tuple[str, str]:
    """The whole lines that the edit touches, without the indentation, before and after."""
    start = code.rfind(b"\n", 0, edit.start) + 1
    end = code.find(b"\n", edit.end)
    end = len(code) if end < 0 else end
    before = code[start:end]
    after = code[start : edit.start] + edit.replacement + code[edit.end : end]
    return before.decode(errors="replace").strip(), after.decode(errors="replace").strip()
