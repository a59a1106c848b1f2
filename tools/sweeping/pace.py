"""How fast the sweep is: cells a second on one core, beside plain loops that count naively."""

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from reference.lines import Line

from .. import grid
from ..comparing.verdicts import opened
from ..grid.combinations import Combination
from ..grid.places import Place, request_of
from ..grid.values import BUDGET, CONTEXT_FILE
from ..project.layout import Project
from ..sides.copies import in_process
from ..sides.matches import EXPECTED, FOUND, folders
from ..sides.subject import Subject
from .cells import Comparison
from .plan import Narrowing, Part, Plan

CASE = "thirty"
SWEPT = 1_000  # combinations of the sweep; its memos start empty, as in a sweep
LOOPED = 20  # combinations of a plain loop
SEED = 0

Count = Callable[[str], int]


class Pace(NamedTuple):
    """Cells a second of processor time on one core: both copies and the comparison.

    The plain loops hand the items over with each cell, remember no count and decide by counting
    blocks: every candidate, or those whose bytes exceed the budget.
    """

    sweep: float
    every_block: float
    byte_check: float


def every_block(
    lines: Iterable[Line], headings: tuple[Line, Line], budget: int, count: Count
) -> list[Line]:
    """The fill that encodes every candidate block."""
    kept: list[Line] = []
    for line in lines:
        if count(_block([*kept, line], headings)) > budget and kept:
            break
        kept.append(line)
    return kept


def byte_check(
    lines: Iterable[Line], headings: tuple[Line, Line], budget: int, count: Count
) -> list[Line]:
    """The fill that encodes a candidate block once its bytes exceed the budget."""
    kept: list[Line] = []
    for line in lines:
        block = _block([*kept, line], headings)
        if kept and len(block.encode()) > budget and count(block) > budget:
            break
        kept.append(line)
    return kept


def _block(lines: Sequence[Line], headings: tuple[Line, Line]) -> str:
    heading = headings[any(line.is_cut for line in lines)]
    return "\n".join([heading.text, *(line.text for line in lines)])


def cells_per_second(project: Project, budget: int) -> Pace:
    """The pace on the 30-turn case under some of the grid's combinations and one budget (tokens).

    The working tree is compared with a second copy of itself.
    """
    with tempfile.TemporaryDirectory(prefix="goldens-") as temporary:
        other = Path(temporary) / "reference"
        shutil.copytree(project.reference, other)
        return _measure(project, other, _plan(project, budget))


def _measure(project: Project, other: Path, plan: Plan) -> Pace:
    with folders(project, other, project.reference) as match, opened(match) as sides:
        comparison = Comparison(project, plan, sides)
        sweep = _rate(lambda: comparison.combinations(plan.chosen).asked)
        plain = (_loop(project, plan, other, fill) for fill in (every_block, byte_check))
        return Pace(sweep, *map(_rate, plain))


def _plan(project: Project, budget: int) -> Plan:
    knobs = set(grid.ROWS) - {BUDGET, CONTEXT_FILE}
    every = [each for part in grid.accepted(grid.product_values(knobs)) for each in part]
    some = Random(SEED).sample(every, SWEPT)
    chosen = [Combination({**each.env, BUDGET: str(budget)}) for each in some]
    part = Part(chosen, tuple(Place(CASE, question) for question in project.questions))
    return Plan(Narrowing(), (part,), [], {CASE: {}}, range(SWEPT), str(project.goldens))


def _loop(
    project: Project, plan: Plan, other: Path, fill: Callable[..., list[Line]]
) -> Callable[[], int]:
    """A plain loop over the first combinations; it returns the number of its cells."""
    both = [_plain(EXPECTED, other, fill), _plain(FOUND, project.reference, fill)]
    combinations = [plan.combination(number) for number in plan.chosen[:LOOPED]]
    cells = [cell for each in combinations for cell in plan.cells(*each)]

    def loop() -> int:
        for place, env in cells:
            request = request_of(project, "prompt", place, env, project.cases[CASE])
            expected, found = (subject.answer(request) for subject in both)
            assert expected == found
            assert "ok" in expected
        return len(cells)

    return loop


def _plain(copy: str, folder: Path, fill: Callable[..., list[Line]]) -> Subject:
    """A copy with another fill and no memo; its encoder is loaded."""
    name = f"{copy}_{fill.__name__}"
    subject = in_process(folder, name, name)
    sys.modules[f"{name}.context"].fill = fill  # type: ignore[attr-defined]
    subject.answer({"op": "count", "text": "this loads the encoder"})
    return subject


def _rate(compare: Callable[[], int]) -> float:
    """Cells a second of a function that returns how many it compared."""
    start = time.process_time()
    cells = compare()
    return cells / (time.process_time() - start)
