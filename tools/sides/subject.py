"""A subject: anything that answers the protocol's requests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..exits import Exit, Stop
from ..project.layout import Project

Answer = dict[str, Any]


@dataclass(frozen=True)
class Subject:
    """Something that answers requests; `source` says where its code comes from.

    An answer holds `ok` (and maybe `warnings`), `refused` or `crashed`. `begin` hands over a
    request and returns what waits for its answer, so that two subjects can work at once.
    """

    source: str
    answer: Callable[[Mapping[str, Any]], Answer]
    begin: Callable[[Mapping[str, Any]], Callable[[], Answer]] | None = None
    command: str | None = None  # of a program: what starts it, to paste into bash

    def begun(self, request: Mapping[str, Any]) -> Callable[[], Answer]:
        """A request handed over; the function returned waits for the answer."""
        if self.begin is not None:
            return self.begin(request)
        answer = self.answer(request)
        return lambda: answer


def introduce(project: Project, subject: Subject) -> None:
    """Hand every case to a subject, once. Raises Stop if it does not take one."""
    for name, items in project.cases.items():
        answer = subject.answer({"op": "items", "name": name, "items": items})
        if "ok" not in answer:
            raise Stop(f"{subject.source} does not take case {name}: {answer}", Exit.MISMATCH)
