"""The plan of a sweep: which combinations meet which cases and questions, and how many that is."""

import functools
import random
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from .. import grid
from ..grid.budgets import line_budgets
from ..grid.combinations import Combination
from ..grid.places import Place, located
from ..grid.values import CONTEXT_FILE, Lines
from ..project.layout import Project
from ..sides.subject import Subject

ASKED_TWICE = {"thirty": "plain", "hostile": "none"}  # besides the first question


class Part(NamedTuple):
    """Combinations, each of which meets every place."""

    combinations: Sequence[Combination]
    places: tuple[Place, ...]


class Cell(NamedTuple):
    """A place under one complete environment."""

    place: Place
    env: dict[str, str]


@dataclass(frozen=True)
class Narrowing:
    """What a sweep is narrowed or widened to; without any of it, the default grid."""

    full: bool = False
    knobs: tuple[str, ...] = ()
    arms: bool = False
    cases: tuple[str, ...] = ()
    sample: int | None = None
    seed: int = 0
    shard: tuple[int, int] = (1, 1)

    @property
    def whole(self) -> bool:
        """Whether the grid is all there, if maybe in shards."""
        return not (self.knobs or self.arms or self.cases or self.sample is not None)

    def __str__(self) -> str:
        said = []
        if self.knobs:
            said.append(f"knobs {', '.join(self.knobs)}")
        if self.arms:
            said.append("the arms")
        if self.cases:
            said.append(f"cases {', '.join(self.cases)}")
        if self.sample is not None:
            said.append(f"a sample of {self.sample:,}, seed {self.seed}")
        if self.shard != (1, 1):
            said.append("shard {}/{}".format(*self.shard))
        return "; ".join(said)


@dataclass(frozen=True)
class Plan:
    """What is to be compared. Combinations have numbers from 0, over all parts."""

    narrowing: Narrowing
    parts: tuple[Part, ...]
    refusals: Sequence[Combination]  # settings alone, and both sides must refuse
    budgets: Mapping[str, Mapping[Lines, str]]  # by case
    chosen: Sequence[int]  # numbers of combinations
    folder: str  # that relative context files are in
    routes: Sequence[str] = ()  # questions whose routing verdict is compared

    @functools.cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(len(part.combinations) for part in self.parts)]

    def combination(self, number: int) -> tuple[Part, Combination]:
        """The combination of that number, and the part it belongs to."""
        index = bisect_right(self._starts, number) - 1
        part = self.parts[index]
        return part, part.combinations[number - self._starts[index]]

    def cells(self, part: Part, combination: Combination) -> Iterator[Cell]:
        """The cells of one combination; a case without its budget has none."""
        under: dict[str, dict[str, str] | None] = {}
        for place in part.places:
            if place.case not in under:
                under[place.case] = self.env(combination, place.case)
            env = under[place.case]
            if env is not None:
                yield Cell(place, env)

    def env(self, combination: Combination, case: str) -> dict[str, str] | None:
        """The environment of a combination for a case, its context file where it lies."""
        env = combination.under(self.budgets[case])
        if env is not None and CONTEXT_FILE in env:
            env = env | {CONTEXT_FILE: located(self.folder, env[CONTEXT_FILE])}
        return env

    def anywhere(self, combination: Combination) -> dict[str, str]:
        """Its environment for the first case that has its budget, else without one."""
        envs = (self.env(combination, case) for case in self.budgets)
        return next((env for env in envs if env is not None), combination.env)

    @functools.cached_property
    def planned(self) -> int:
        """How many cells there are."""
        alike = Counter(
            (part.places, combination.lines)
            for part, combination in map(self.combination, self.chosen)
        )
        return sum(
            count * sum(lines is None or lines in self.budgets[place.case] for place in places)
            for (places, lines), count in alike.items()
        )


def make(project: Project, narrowing: Narrowing, expected: Subject) -> Plan:
    """The plan for a narrowing; `expected` says what budgets in lines are. Raises Stop."""
    cases = narrowing.cases or tuple(project.cases)
    parts = tuple(_parts(project, narrowing, cases))
    total = sum(len(part.combinations) for part in parts)
    refusals = list(grid.refused(narrowing.knobs or grid.ROWS)) if narrowing.full else []
    first, count = narrowing.shard
    chosen = _chosen(total, narrowing)[first - 1 :: count]
    budgets = {case: line_budgets(expected, project.cases[case]) for case in cases}
    return Plan(
        narrowing,
        parts,
        refusals[first - 1 :: count],
        budgets,
        chosen,
        str(project.goldens),
        project.routing[first - 1 :: count],
    )


def _chosen(total: int, narrowing: Narrowing) -> Sequence[int]:
    if narrowing.sample is None or narrowing.sample >= total:
        return range(total)
    return sorted(random.Random(narrowing.seed).sample(range(total), narrowing.sample))


def _parts(project: Project, narrowing: Narrowing, cases: Collection[str]) -> Iterator[Part]:
    knobs = narrowing.knobs or tuple(grid.ROWS)
    some = tuple(_asked(project, cases))
    every = tuple(Place(case, question) for case in cases for question in project.questions)
    if narrowing.arms:
        yield Part([Combination(arm.env) for arm in project.arms.values()], every)
        return
    for product in grid.accepted(grid.product_values(knobs)):
        yield Part(product, every if narrowing.full else some)
    if narrowing.full:
        yield from (Part(product, some) for product in grid.spelt_otherwise(knobs))


def _asked(project: Project, cases: Collection[str]) -> Iterator[Place]:
    """Every case with the first question, those in ASKED_TWICE with another one too."""
    for case in cases:
        yield Place(case, next(iter(project.questions)))
        if ASKED_TWICE.get(case) in project.questions:
            yield Place(case, ASKED_TWICE[case])
