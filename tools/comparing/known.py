"""Known differences: those that somebody has looked at and accepted, each with its reason."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from .. import grid
from ..exits import Stop
from ..grid.places import NOWHERE, Place, located, request_of
from ..project.layout import Project
from .faults import Fault
from .verdicts import Sides

OPS = ("prompt", "settings", "request")
KEYS = {"reason", "op", "env", "case", "question"}


class Known(NamedTuple):
    """An accepted difference, as a sweep reduces it."""

    place: str  # in the file, for messages
    op: str
    env: dict[str, str]
    case: str | None  # None is any
    question: str | None

    def covers(self, fault: Fault) -> bool:
        """Whether this is the difference that `fault` is."""
        return (
            self.op == fault.op
            and self.env == dict(fault.env)
            and self.case in (None, fault.place.case)
            and self.question in (None, fault.place.question)
        )


def load(path: Path, project: Project) -> list[Known]:
    """The entries of a TOML file, tables named `known`. Raises Stop, naming file and entry."""
    try:
        held = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Stop(f"{path}: {error}") from None
    entries = held.get("known")
    if set(held) != {"known"} or not isinstance(entries, list):
        raise Stop(f"{path} must hold [[known]] tables and nothing else")
    return [_entry(f"{path}, entry {n}", entry, project) for n, entry in enumerate(entries, 1)]


def _entry(place: str, entry: dict[str, Any], project: Project) -> Known:
    for wrong in _faults(entry, project):
        raise Stop(f"{place}: {wrong}")
    env = dict(entry["env"])
    if grid.CONTEXT_FILE in env:
        env[grid.CONTEXT_FILE] = located(str(project.goldens), env[grid.CONTEXT_FILE])
    op = entry.get("op", "prompt")
    return Known(place, op, env, entry.get("case"), entry.get("question"))


def _faults(entry: dict[str, Any], project: Project) -> Iterator[str]:
    unknown = sorted(set(entry) - KEYS)
    if unknown:
        yield f"{unknown[0]} is not one of {', '.join(sorted(KEYS))}"
    if not isinstance(entry.get("reason"), str) or not entry["reason"].strip():
        yield "a reason is missing"
    env = entry.get("env")
    if not isinstance(env, dict) or not all(isinstance(value, str) for value in env.values()):
        yield "env must be a table of strings"
    elif not set(env) <= set(grid.ROWS):
        yield f"{min(set(env) - set(grid.ROWS))} is no swept knob"
    choices = {"op": OPS, "case": project.cases, "question": project.questions}
    for key, allowed in choices.items():
        if entry.get(key, next(iter(allowed))) not in allowed:
            yield f"no {key} {entry[key]!r}: one of {', '.join(allowed)}"


def unknown(faults: Mapping[Fault, int], known: Sequence[Known]) -> dict[Fault, int]:
    """The faults that no entry covers."""
    return {
        fault: cells
        for fault, cells in faults.items()
        if not any(entry.covers(fault) for entry in known)
    }


def stale(
    project: Project,
    sides: Sides,
    known: Sequence[Known],
    faults: Mapping[Fault, int],
    entire: bool,
) -> list[str]:
    """Entries that no longer hold; in an `entire` sweep those that matched nothing too."""
    said = []
    for entry in known:
        if not any(sides.differ(request) for request in _requests(project, entry)):
            said.append(f"{entry.place}: no longer differs; remove it")
        elif entire and not any(entry.covers(fault) for fault in faults):
            said.append(f"{entry.place}: matches nothing: no difference reduces to exactly this")
    return said


def _requests(project: Project, entry: Known) -> Iterator[dict[str, Any]]:
    places = [
        Place(case, question)
        for case in ([entry.case] if entry.case else project.cases)
        for question in ([entry.question] if entry.question else project.questions)
    ]
    for place in [NOWHERE] if entry.op != "prompt" else places:
        yield request_of(project, entry.op, place, entry.env)
