"""A subject: anything that answers the protocol's requests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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
    ops: frozenset[str] | None = None  # those that it says it knows; None is all

    def knows(self, op: str) -> bool:
        """Whether it knows an op, as far as it says."""
        return self.ops is None or op in self.ops

    def knowing(self, ops: frozenset[str] | None) -> "Subject":
        """The same subject, of which it is known what it knows."""
        return replace(self, ops=ops)

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


def counting(subject: Subject) -> Subject:
    """A subject that does not count, with our counts of o200k tokens."""
    count = None

    def answer(request: Mapping[str, Any]) -> Answer:
        nonlocal count
        if request["op"] != "count":
            return subject.answer(request)
        # Imported here: a reference that does not import is for the sweep to find.
        from reference.tokens import counter

        count = count or counter()
        return {"ok": count(request["text"])}

    return replace(subject, answer=answer)
