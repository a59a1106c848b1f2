"""Whether the grid bites: values of a knob that no cell tells apart prove nothing."""

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from .. import grid
from ..comparing.verdicts import Sides
from ..grid.combinations import Combination, Product
from ..grid.places import NOWHERE, request_of
from ..grid.values import Value
from ..project.layout import Project
from .plan import Plan

LEAST_BLOCKS = 1_000  # distinct ones that a whole grid must give
TRIED = 4_000  # settings of the other knobs, of which one must tell two values apart
SEED = 0


class Alike(NamedTuple):
    """Two values of a knob between which no difference was found."""

    knob: str
    left: Value
    right: Value

    def __str__(self) -> str:
        return f"nothing tells {self.knob}={self.left!r} from {self.right!r}"


def toothless(project: Project, plan: Plan, sides: Sides) -> list[Alike]:
    """The values that nothing in the default grid tells apart, less those declared synonyms."""
    pairs = [
        Alike(knob, left, right)
        for knob, row in grid.ROWS.items()
        for left, right in combinations(row.product, 2)
        if {left, right} not in grid.SYNONYMS
    ]
    return [pair for pair in pairs if not _told_apart(project, plan, sides, pair)]


def _told_apart(project: Project, plan: Plan, sides: Sides, pair: Alike) -> bool:
    def outcomes(op: str, combination: Combination) -> dict[Any, Any]:
        cells = [(NOWHERE, combination.env)]
        if op != "request":
            cells = list(plan.cells(plan.parts[0], combination))
        return {cell[0]: sides.expected.answer(request_of(project, op, *cell)) for cell in cells}

    ops = [op for op in ("request", sides.text_op) if sides.asks(op)]
    return any(
        _differ(outcomes(op, left), outcomes(op, right))
        for left, right in _neighbours(pair)
        for op in ops
    )


def _neighbours(pair: Alike) -> Iterator[tuple[Combination, Combination]]:
    """Combinations that differ in this knob alone: the plain ones, then some of all."""
    values = grid.product_values()
    left, right = (Product({**values, pair.knob: (value,)}) for value in (pair.left, pair.right))
    yield left[0], right[0]
    for number in Random(SEED).sample(range(len(left)), min(len(left), TRIED)):
        yield left[number], right[number]


def _differ(left: dict[Any, Any], right: dict[Any, Any]) -> bool:
    """Whether two outcomes of one place differ; a refusal is none."""
    both = [(left[place], right[place]) for place in left.keys() & right.keys()]
    return any(one != other for one, other in both if "ok" in one and "ok" in other)
