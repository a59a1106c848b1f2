"""Comparing cells: what agrees is counted, what differs is reduced to the fewest knobs."""

import functools
from collections.abc import Iterable

from ..comparing.faults import Fault
from ..comparing.reduce import Env, fewest_knobs
from ..comparing.verdicts import Sides, Verdict
from ..exits import Exit, Stop
from ..grid.places import NOWHERE, Place, request_of
from ..project.layout import Project
from .plan import Plan
from .tally import Tally

GLIMPSE = 61  # of so many characters one is looked at; blocks may be missed, never invented
REMEMBERED = 65_536  # reduced environments whose verdict is kept, to reduce many cells to one


class Comparison:
    """The cells of a plan, compared combination by combination."""

    def __init__(self, project: Project, plan: Plan, sides: Sides) -> None:
        self.project = project
        self.plan = plan
        self.sides = sides
        self.differ = functools.lru_cache(REMEMBERED)(self._differ)
        self.glimpsed: set[int] = set()

    def combinations(self, numbers: Iterable[int]) -> Tally:
        """Compare every cell of these combinations, their settings and their request."""
        tally = Tally()
        for number in numbers:
            part, combination = self.plan.combination(number)
            env = self.plan.anywhere(combination)
            for op in filter(self.sides.asks, ("settings", "request")):
                self._compare(tally, op, NOWHERE, env)
            for cell in self.plan.cells(part, combination):
                tally.asked += 1
                tally.cells[self._compare(tally, self.sides.text_op, *cell)] += 1
            tally.combinations += 1
        return tally

    def routes(self) -> Tally:
        """Compare what both say of the questions whose routing verdict is pinned."""
        tally = Tally()
        for question in self.plan.routes if self.sides.asks("route") else ():
            tally.routes[self._compare(tally, "route", Place("", question), {})] += 1
        return tally

    def refusals(self) -> Tally:
        """Compare the settings that both must refuse."""
        tally = Tally()
        for combination in self.plan.refusals:
            env = self.plan.anywhere(combination)
            verdict = self._compare(tally, "settings", NOWHERE, env)
            if verdict is Verdict.ACCEPTED:
                raise Stop(f"the grid says that {env} is refused, and both take it", Exit.BASELINE)
            tally.refusals[verdict] += 1
        return tally

    def _compare(self, tally: Tally, op: str, place: Place, env: dict[str, str]) -> Verdict:
        expected, found = self.sides.ask(request_of(self.project, op, place, env))
        verdict = self.sides.verdict(expected, found)
        if verdict is Verdict.DIFFERS:
            reduced = fewest_knobs(lambda some: self.differ(op, place, some), env)
            tally.faults[Fault(op, place, reduced)] += 1
        elif place.case and verdict is Verdict.ACCEPTED:
            self._note_block(tally, place, env, expected["ok"])
        return verdict

    def _differ(self, op: str, place: Place, env: Env) -> bool:
        return self.sides.differ(request_of(self.project, op, place, dict(env)))

    def _note_block(self, tally: Tally, place: Place, env: dict[str, str], prompt: str) -> None:
        """Count the block of a prompt that looks new; a glimpse is far cheaper than the block."""
        glimpse = hash((place, len(prompt), prompt[::GLIMPSE]))
        if glimpse not in self.glimpsed:
            self.glimpsed.add(glimpse)
            block = {"ok": prompt}
            if self.sides.asks("render"):
                block = self.sides.expected.answer(request_of(self.project, "render", place, env))
            tally.blocks.add(hash(block.get("ok")))
