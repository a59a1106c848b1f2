"""Curves: what each way of selecting turns keeps, over budgets, from the searches of one run."""

import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import NamedTuple

from reference.items import Item
from reference.knobs import Knobs

from .plan import Arm
from .question import Asked, Renderer, measure

BUDGETS = (90, 180, 360, 720, 1440, 2880, 5760)  # tokens


class Selection(NamedTuple):
    """Arms that differ in budget and prompt at most, and the budgets to try (None is none)."""

    name: str
    arms: list[Arm]
    budgets: list[int | None]


class Spot(NamedTuple):
    """What one question contributes to one point of a curve."""

    selection: str
    budget: int | None
    context_tokens: int
    kept: int  # labelled turns
    labelled: int


class Point(NamedTuple):
    """A curve at one budget: median context tokens, and the share of labelled turns kept."""

    budget: int | None
    context_tokens: float
    kept: float


def selections(arms: Iterable[Arm]) -> list[Selection]:
    """The curves that these arms lie on; an arm with a context file lies on none."""
    grouped: dict[Knobs, list[Arm]] = defaultdict(list)
    for arm in arms:
        if arm.knobs.context_file is None:
            grouped[_without_budget(arm.knobs)].append(arm)
    return [Selection(_name(knobs), each, _budgets(each)) for knobs, each in grouped.items()]


def spots(
    selections: Iterable[Selection],
    renderer: Renderer,
    recorded: Callable[[str], tuple[Asked, list[Item]]],
) -> list[Spot]:
    """One question at every budget of every selection; `recorded` reads a retrieval."""
    found = []
    for selection in selections:
        first = selection.arms[0]
        asked, items = recorded(first.retrieval)
        for budget in selection.budgets:
            knobs = first.knobs._replace(token_budget=budget)
            measured = measure(asked, items, knobs, renderer)
            kept, labelled = sum(measured.kept), len(measured.kept)
            found.append(Spot(selection.name, budget, measured.context_tokens, kept, labelled))
    return found


def points(spots: Iterable[Spot]) -> dict[str, list[Point]]:
    """The points of each selection's curve, in the order of its budgets."""
    grouped: dict[tuple[str, int | None], list[Spot]] = defaultdict(list)
    for spot in spots:
        grouped[spot.selection, spot.budget].append(spot)
    curves: dict[str, list[Point]] = defaultdict(list)
    for (name, budget), each in grouped.items():
        tokens = statistics.median(spot.context_tokens for spot in each)
        kept = sum(spot.kept for spot in each) / sum(spot.labelled for spot in each)
        curves[name].append(Point(budget, tokens, kept))
    return dict(curves)


def _without_budget(knobs: Knobs) -> Knobs:
    return knobs._replace(token_budget=None, answer_prompt="v1", model_prefix="")


def _budgets(arms: Iterable[Arm]) -> list[int | None]:
    own = {arm.knobs.token_budget for arm in arms if arm.knobs.token_budget is not None}
    return [*sorted(own | set(BUDGETS)), None]


def _name(knobs: Knobs) -> str:
    """The knobs of a selection in words."""
    roles = {"off": "all turns", "user": "user turns", "route": "routed turns"}
    words = [roles[knobs.role_select], f"k {knobs.search_k}"]
    if knobs.ranked:
        words.append("ranked")
    if knobs.turns_only:
        words.append("no claims")
    if knobs.tail_chars:
        words.append(f"cut to {knobs.tail_chars} from rank {knobs.head_whole}")
    return ", ".join(words)
