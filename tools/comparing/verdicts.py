"""Two subjects side by side, and whether they agree."""

import contextlib
import json
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple

from ..exits import Stop
from ..sides.matches import Match
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
    left_out: frozenset[str] = frozenset()  # ops that one of them does not know

    def asks(self, op: str) -> bool:
        """Whether both know an op, as far as they say."""
        return op not in self.left_out

    @property
    def text_op(self) -> str:
        """The op by which cells are compared: whole prompts where both know them."""
        return "prompt" if self.asks("prompt") else "render"

    def ask(self, request: Mapping[str, Any]) -> tuple[Answer, Answer]:
        """What both answer. Programs work at the same time."""
        found = self.found.begun(request)
        expected = self.expected.begun(request)
        return expected(), found()

    def verdict(self, expected: Answer, found: Answer) -> Verdict:
        """What two answers come to."""
        return verdict(expected, found, self.by_content)

    def differ(self, request: Mapping[str, Any]) -> bool:
        """Whether the two disagree about a request."""
        return self.verdict(*self.ask(request)) is Verdict.DIFFERS


OPS = ("settings", "request", "route", "render", "prompt")  # what is compared


@contextlib.contextmanager
def opened(match: Match) -> Iterator[Sides]:
    """Both sides of a match in this process. Raises Stop."""
    left_out = frozenset(op for op in OPS if match.lacking(op) is not None)
    if {"render", "prompt"} <= left_out:
        raise Stop(f"{match.lacking('prompt')} knows neither render nor prompt")
    with match.expected.opened() as expected, match.found.opened() as found:
        yield Sides(expected, found, match.by_content, left_out)


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
