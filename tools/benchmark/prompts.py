"""Prompts a second on one core: the same ones from two sides, their counts remembered."""

import time
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from ..comparing.verdicts import Verdict, opened
from ..exits import Exit, Stop
from ..grid.places import Place, request_of
from ..project.layout import Project
from ..sides.matches import Match
from ..sides.subject import Subject

CASE = "thirty"
GRID: Mapping[str, tuple[str | None, ...]] = {
    "MEMVARA_ROLE_SELECT": (None, "user", "route"),
    "MEMVARA_TOKEN_BUDGET": (None, "300", "720", "1500", "2500"),
    "MEMVARA_HEAD_WHOLE": (None, "5"),
    "MEMVARA_TAIL_CHARS": (None, "80", "400"),
    "MEMVARA_TURNS_ONLY": (None, "1"),
    "MEMVARA_ANSWER_PROMPT": (None, "v2"),
}
PASSES = 7  # over all prompts; the fastest counts


def requests(project: Project) -> Iterator[dict[str, Any]]:
    """Every combination of the grid with every question: 1,080 with the shipped three."""
    for question in project.questions:
        for values in product(*GRID.values()):
            env = {name: value for name, value in zip(GRID, values, strict=True) if value}
            yield request_of(project, "prompt", Place(CASE, question), env)


def rates(project: Project, match: Match) -> tuple[float, float]:
    """Prompts a second of processor time, of the expected and of the found side.

    The first pass of each is not timed, but compared. Raises Stop, exit 1, where they differ.
    """
    asked = [*requests(project)]
    with opened(match) as sides:
        if any(sides.verdict(*sides.ask(each)) is Verdict.DIFFERS for each in asked):
            raise Stop(
                f"{match.found.source} gives other prompts than {match.expected.source}",
                Exit.MISMATCH,
            )
        passes = [
            (_seconds(sides.expected, asked), _seconds(sides.found, asked)) for _ in range(PASSES)
        ]
    expected, others = zip(*passes, strict=True)
    return len(asked) / min(expected), len(asked) / min(others)


def _seconds(subject: Subject, asked: list[dict[str, Any]]) -> float:
    start = time.process_time()
    for request in asked:
        subject.answer(request)
    return time.process_time() - start
