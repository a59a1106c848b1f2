"""Showing bytes to a person: the first line that differs, with what is invisible made visible."""

from typing import NamedTuple

BEFORE, AFTER = 30, 60  # characters around the first difference


class Difference(NamedTuple):
    """Where two byte strings part."""

    line: int  # from 1
    expected: str  # that line around the difference, as a Python literal shows it
    found: str


def first_difference(expected: bytes, found: bytes) -> Difference | None:
    """The first line in which the two differ, or None. Line ends are part of their line."""
    if expected == found:
        return None
    left, right = (data.decode(errors="backslashreplace") for data in (expected, found))
    lines, others = left.split("\n"), right.split("\n")
    number = _parting(lines, others)
    here, there = (_line(side, number) for side in (lines, others))
    column = _parting(here, there)
    return Difference(number + 1, _around(here, column), _around(there, column))


def _parting(left: list[str] | str, right: list[str] | str) -> int:
    """The first index at which two sequences differ, or the length of the shorter one."""
    pairs = enumerate(zip(left, right, strict=False))
    common = min(len(left), len(right))
    return next((index for index, (one, other) in pairs if one != other), common)


def _line(lines: list[str], number: int) -> str:
    if number >= len(lines):
        return ""
    return lines[number] + ("\n" if number + 1 < len(lines) else "")


def _around(line: str, column: int) -> str:
    start, stop = max(0, column - BEFORE), column + AFTER
    shown = repr(line[start:stop])
    return f"{'…' if start else ''}{shown}{'…' if stop < len(line) else ''}"
