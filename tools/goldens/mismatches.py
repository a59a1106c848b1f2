"""Comparing two sets of outcomes: every mismatch by file, arm, case and question."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..comparing.show import first_difference
from .outcomes import ROUTING, Outcome, Spot


class Mismatch(NamedTuple):
    """One golden that is not what it should be."""

    file: str
    spot: Spot
    line: int  # of the first difference, from 1; 0 when there is no line to show
    expected: str
    found: str


def mismatches(expected: Mapping[str, Outcome], found: Mapping[str, Outcome]) -> Iterator[Mismatch]:
    """Where the two disagree, in the order of `found`; what only one has is a mismatch too."""
    for stem in {**found, **expected}:
        here, there = expected.get(stem), found.get(stem)
        if here is None or there is None:
            sides = ("nothing" if side is None else "an outcome" for side in (here, there))
            yield Mismatch(stem, spot_of(stem), 0, *sides)
        elif not here.agrees(there):
            yield _mismatch(stem, here, there)


def _mismatch(stem: str, here: Outcome, there: Outcome) -> Mismatch:
    file = stem if stem == ROUTING else stem + here.extension
    if here.refused != there.refused or here.data == there.data:
        return Mismatch(file, spot_of(stem), 0, _summary(here), _summary(there))
    difference = first_difference(here.data, there.data)
    assert difference is not None
    return Mismatch(file, spot_of(stem), *difference)


def _summary(outcome: Outcome) -> str:
    if outcome.refused:
        return f"refused: {outcome.data.decode(errors='replace').strip()}"
    tokens = "" if outcome.tokens is None else f", {outcome.tokens} tokens"
    return f"{len(outcome.data)} bytes{tokens}, warnings {list(outcome.warnings)}"


def spot_of(path: str) -> Spot:
    """What the golden at this path, with or without extension, is the outcome of."""
    parts = path.removesuffix(".txt").removesuffix(".refused").split("/")
    if path == ROUTING or len(parts) != 3:
        return Spot("route" if path == ROUTING else "unknown")
    op, arm, last = parts
    if last == "arm":
        return Spot(op, arm)
    if op == "call":
        return Spot(op, arm, last)
    case, _, question = last.rpartition("--")
    return Spot(op, arm, case, question)


def describe(mismatch: Mismatch) -> str:
    """One mismatch in a few lines."""
    spot = mismatch.spot
    parts = {"arm": spot.arm, "case": spot.case, "question": spot.question}
    where = ", ".join(f"{name} {value}" for name, value in parts.items() if value)
    line = f" line {mismatch.line}" if mismatch.line else ""
    return (
        f"{mismatch.file}:{line} ({spot.op}{': ' if where else ''}{where})\n"
        f"  golden {mismatch.expected}\n"
        f"  now    {mismatch.found}"
    )
