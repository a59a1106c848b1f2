"""From ten thousand differences to a few groups, each with its smallest example."""

import json
import os
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..grid.places import request_of
from ..project.installed import reference_program
from ..project.layout import Project
from .faults import Fault
from .reduce import fewest_items, shortest_texts
from .show import first_difference
from .verdicts import Answer, Sides


class Group(NamedTuple):
    """The differences that take the same knobs."""

    op: str
    knobs: tuple[str, ...]
    cells: int
    more: int  # cells that differ only with further knobs beside these
    example: Fault


class Example(NamedTuple):
    """One difference to look at."""

    command: str  # to paste into bash, in the project's folder
    items: list[Any] | None
    line: int  # of the text, from 1; 0 when it is not about a line
    expected: str
    found: str


def grouped(faults: Mapping[Fault, int], order: Iterable[str]) -> list[Group]:
    """The groups of some faults, fewest knobs first; `order` is that of the cases.

    What differs only with more knobs than a group needs is counted there: most likely it is the
    same difference, half hidden.
    """
    counts: Counter[tuple[str, frozenset[str]]] = Counter()
    for fault, cells in faults.items():
        counts[fault.op, fault.knobs] += cells
    least = [
        (op, knobs)
        for op, knobs in counts
        if not any(other == op and fewer < knobs for other, fewer in counts)
    ]
    cases = list(order)
    groups = []
    for op, knobs in least:
        alike = [fault for fault in faults if (fault.op, fault.knobs) == (op, knobs)]
        wider = [key for key in counts if key[0] == op and knobs < key[1]]
        more = sum(counts[key] for key in wider)
        example = min(alike, key=lambda fault: _weight(fault, cases))
        groups.append(Group(op, tuple(sorted(knobs)), counts[op, knobs], more, example))
    return sorted(groups, key=lambda group: (len(group.knobs), -group.cells, group[:2]))


def _weight(fault: Fault, cases: list[str]) -> tuple[Any, ...]:
    """What makes an example small: short values, then the first case and question."""
    case = cases.index(fault.place.case) if fault.place.case else -1
    return len(str(fault.env)), case, fault


def example(project: Project, sides: Sides, fault: Fault) -> Example:
    """A fault as something to look at and to paste, with the fewest items that show it."""
    env = dict(fault.env)
    if not fault.place.case:
        request = request_of(project, fault.op, fault.place, env)
        return _shown(_asking(project, sides, request), None, *sides.ask(request))

    def differs(items: list[Any]) -> bool:
        return sides.differ(request_of(project, fault.op, fault.place, env, items))

    items = project.cases[fault.place.case]
    if differs(items):
        items = shortest_texts(differs, fewest_items(differs, items))
    request = request_of(project, "render", fault.place, env, items)
    whole = not sides.asks("render") or not sides.differ(request)  # the blocks are the same
    if whole:
        request = request_of(project, "prompt", fault.place, env, items)
    line = _command(project, fault, items, whole)
    if sides.found.command is not None:
        line = _asking(project, sides, request)
    return _shown(line, items, *sides.ask(request))


def _asking(project: Project, sides: Sides, request: Mapping[str, Any]) -> str:
    """The line that puts a request to the program that was found to differ, or to the reference."""
    asked = {"id": 1, **request}
    if "env" in asked:
        asked["env"] = _relative(project, asked["env"])
    program = sides.found.command or reference_program()
    return f"{program} <<< {_quoted(json.dumps(asked))}"


def _shown(command: str, items: list[Any] | None, expected: Answer, found: Answer) -> Example:
    if "ok" in expected and "ok" in found:
        texts = [
            json.dumps(each["ok"]) if not isinstance(each["ok"], str) else each["ok"]
            for each in (expected, found)
        ]
        difference = first_difference(*(text.encode(errors="backslashreplace") for text in texts))
        if difference:
            return Example(command, items, *difference)
    return Example(command, items, 0, _summary(expected), _summary(found))


def _summary(answer: Answer) -> str:
    for name in ("crashed", "refused"):
        if name in answer:
            return f"{name}: {answer[name]}"
    return f"the same text, with warnings {list(answer.get('warnings', ()))!r}"


def _command(project: Project, fault: Fault, items: list[Any], whole: bool) -> str:
    """The line to paste into bash."""
    question, date = project.questions[fault.place.question]
    env = _relative(project, dict(fault.env))
    words = [f"{name}={_quoted(value)}" for name, value in env.items()]
    words += ["goldens", "render", "-"]
    words += [] if question is None else ["--question", _quoted(question)]
    words += ["--prompt"] if whole else []
    words += ["--question-date", _quoted(date)] if whole and date is not None else []
    return " ".join([*words, "<<<", _quoted(json.dumps(items))])


def _relative(project: Project, env: dict[str, str]) -> dict[str, str]:
    """Paths as they are from the project's folder."""
    root = f"{project.root}{os.sep}"
    return {name: value.replace(root, "") for name, value in env.items()}


def _quoted(text: str) -> str:
    """`text` as one word of bash, with what can't be seen spelt out."""
    if text.isprintable():
        return shlex.quote(text)
    shown = "".join(
        char if char.isprintable() else f"\\u{ord(char):04x}"
        for char in text.replace("\\", "\\\\").replace("'", "\\'")
    )
    return f"$'{shown}'"
