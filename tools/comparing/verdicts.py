"""Two subjects side by side, and whether they agree."""

import json
from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

from ..sides.subject import Subject

Answer = Mapping[str, Any]

_canonical = json.JSONEncoder(sort_keys=True).encode


class Verdict(Enum):
    """What two answers to one request come to."""

    ACCEPTED = "both rendered, and the same"
    REFUSED = "both refused"
    DIFFERS = "they differ, or one crashed"


class Sides(NamedTuple):
    """What is expected, and what is found."""

    expected: Subject
    found: Subject
    by_content: bool = True  # warnings; another program's are only counted

    def ask(self, request: Mapping[str, Any]) -> tuple[Answer, Answer]:
        """What both answer."""
        return self.expected.answer(request), self.found.answer(request)

    def verdict(self, expected: Answer, found: Answer) -> Verdict:
        """What two answers come to."""
        return verdict(expected, found, self.by_content)

    def differ(self, request: Mapping[str, Any]) -> bool:
        """Whether the two disagree about a request."""
        return self.verdict(*self.ask(request)) is Verdict.DIFFERS


def verdict(expected: Answer, found: Answer, by_content: bool) -> Verdict:
    """Whether two answers are one outcome. A crash never agrees with anything."""
    if "refused" in expected and "refused" in found:
        return Verdict.REFUSED
    if "ok" not in expected or "ok" not in found or not _alike(expected["ok"], found["ok"]):
        return Verdict.DIFFERS
    if not _warn_alike(expected.get("warnings", ()), found.get("warnings", ()), by_content):
        return Verdict.DIFFERS
    return Verdict.ACCEPTED


def _alike(expected: Any, found: Any) -> bool:
    """Whether two JSON values are the same; Python alone takes 1, 1.0 and true for equal."""
    if isinstance(expected, str):
        return bool(expected == found)
    return _canonical(expected) == _canonical(found)


def _warn_alike(expected: list[str], found: list[str], by_content: bool) -> bool:
    return expected == found if by_content else len(expected) == len(found)
