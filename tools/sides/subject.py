"""A subject: anything that answers the protocol's requests."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ..exits import Exit, Stop
from ..project.layout import Project


@dataclass(frozen=True)
class Subject:
    """Something that answers requests; `source` says where its code comes from.

    An answer holds `ok` (and maybe `warnings`), `refused` or `crashed`.
    """

    source: str
    answer: Callable[[Mapping[str, Any]], dict[str, Any]]


def introduce(project: Project, subject: Subject) -> None:
    """Hand every case to a subject, once. Raises Stop if it does not take one."""
    for name, items in project.cases.items():
        answer = subject.answer({"op": "items", "name": name, "items": items})
        if "ok" not in answer:
            raise Stop(f"{subject.source} does not take case {name}: {answer}", Exit.MISMATCH)
