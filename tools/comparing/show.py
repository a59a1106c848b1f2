"""Showing bytes to a person: the first line that differs, with what is invisible made visible."""

import re
from collections.abc import Callable
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
    lines, others = _lines(expected), _lines(found)
    number = _parting(lines, others)
    here, there = "".join(lines[number : number + 1]), "".join(others[number : number + 1])
    column = _parting(here, there)
    # Two letters may look alike: é and e with an accent, a heart with and without its variant.
    plain = (here[column : column + 1] + there[column : column + 1]).isascii()
    as_literal = repr if plain else ascii
    shown = (_around(side, column, as_literal) for side in (here, there))
    return Difference(number + 1, *shown)


def _lines(data: bytes) -> list[str]:
    """Lines with their ends; LF alone ends one. A byte that is no UTF-8 stays recognizable."""
    return re.findall("[^\n]*\n|[^\n]+", data.decode(errors="surrogateescape"))


def _parting(left: list[str] | str, right: list[str] | str) -> int:
    """The first index at which two sequences differ, or the length of the shorter one."""
    pairs = enumerate(zip(left, right, strict=False))
    common = min(len(left), len(right))
    return next((index for index, (one, other) in pairs if one != other), common)


def _around(line: str, column: int, as_literal: Callable[[str], str]) -> str:
    start, stop = max(0, column - BEFORE), column + AFTER
    shown = as_literal(line[start:stop])
    return f"{'…' if start else ''}{shown}{'…' if stop < len(line) else ''}"
