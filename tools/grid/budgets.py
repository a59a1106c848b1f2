"""Budgets in lines: what the first turns of a case cost, in tokens."""

from typing import Any

from ..exits import Exit, Stop
from ..sides.subject import Subject
from .values import BUDGET, ROWS, Lines


def line_budgets(subject: Subject, items: list[Any]) -> dict[Lines, str]:
    """What the first lines of a case's turns block cost, as the grid's budgets have it.

    A number that the grid has anyway, or that two of them share, is there once. A case that is
    refused has none. Raises Stop when the subject can't say.
    """
    budgets: dict[Lines, str] = {}
    turns = [item for item in items if isinstance(item, dict) and item.get("kind") == "turn"]
    if "ok" not in _bare(subject, turns):
        return budgets
    for value in ROWS[BUDGET].product:
        if isinstance(value, Lines) and value.turns <= len(turns):
            budget = str(_tokens(subject, turns[: value.turns]) - value.less)
            if budget not in {*ROWS[BUDGET].product, *budgets.values()}:
                budgets[value] = budget
    return budgets


def _bare(subject: Subject, turns: list[Any]) -> dict[str, Any]:
    return subject.answer({"op": "render", "env": {}, "items": turns, "question": None})


def _tokens(subject: Subject, turns: list[Any]) -> int:
    answer = _bare(subject, turns)
    if "ok" in answer:
        answer = subject.answer({"op": "count", "text": answer["ok"]})
    if "ok" not in answer:
        raise Stop(f"{subject.source} can't count tokens: {answer}", Exit.BASELINE)
    tokens: int = answer["ok"]
    return tokens
