"""Outcomes: what a subject makes of every arm, case and question that a golden pins."""

import contextlib
import itertools
import json
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple

from ..exits import Exit, Stop
from ..grid.places import located
from ..project.layout import CONTEXT_FILE, TAG, Arm, Project
from ..sides.subject import Subject

COUNTED = ("render", "prompt")  # the ops whose tokens the manifest states
ROUTING = "routing.jsonl"
CALL = {"call": "search"}  # of which a request's golden holds the headers too


class Spot(NamedTuple):
    """What one golden is the outcome of; `arm` and the rest are empty where they don't matter."""

    op: str
    arm: str = ""
    case: str = ""
    question: str = ""

    @property
    def stem(self) -> str:
        """Path below `outcomes/`, without the extension that says text or refusal."""
        last = "--".join(part for part in (self.case, self.question) if part) or "arm"
        return f"{self.op}/{self.arm}/{last}"


class Outcome(NamedTuple):
    """Exact bytes, or the message of a refusal."""

    data: bytes
    refused: bool
    warnings: tuple[str, ...] = ()
    tokens: int | None = None  # o200k_base

    @property
    def extension(self) -> str:
        """How a file that holds it is called."""
        return ".refused" if self.refused else ".txt"

    def agrees(self, other: "Outcome") -> bool:
        """Whether both are one outcome: bytes, warnings and tokens, or a refusal in any words."""
        if self.refused or other.refused:
            return self.refused and other.refused
        return self == other


def derive(
    subject: Subject, project: Project, only: Collection[str] | None = None
) -> dict[str, Outcome]:
    """Every golden as `subject` has it now, by path without extension; routing by its own name.

    `only` narrows it to some arms. Raises Stop, exit 1, when the subject crashes on one.
    """
    with contextlib.chdir(project.goldens):
        for name, items in project.cases.items():
            _answer(subject, Spot("items", name), {"op": "items", "name": name, "items": items})
        found = {ROUTING: _routing(subject, project)} if subject.knows("route") else {}
        for spot in spots(project, subject.knows):
            if only is None or spot.arm in only:
                found[spot.stem] = _outcome(subject, spot, project)
    return found


def spots(project: Project, knows: Callable[[str], bool] = lambda op: True) -> Iterator[Spot]:
    """Every outcome that is pinned, routing aside: the short ones first, prompts last.

    `knows` says which ops there are; a program is never asked for calls.
    """
    for spot in _spots(project):
        if knows(spot.op) and (project.settings is None or spot.op != "call"):
            yield spot


def _spots(project: Project) -> Iterator[Spot]:
    asking = [name for name, asked in project.questions.items() if asked.question is not None]
    yield from (Spot("settings", arm) for arm in project.arms)
    yield from (Spot("request", arm, "", name) for arm in project.arms for name in asking)
    yield from (Spot("call", "default", name) for name in project.calls)
    for op in COUNTED:
        places = itertools.product(project.arms, project.cases, project.questions)
        yield from (Spot(op, *place) for place in places)


def request_of(spot: Spot, arm: Arm, project: Project) -> dict[str, Any]:
    """The protocol request whose answer is the outcome at `spot`."""
    request: dict[str, Any] = {"op": spot.op, "env": _env(arm, project)}
    if spot.op == "settings":
        return request
    if spot.op == "call":
        return request | project.calls[spot.case]
    asked = project.questions[spot.question]
    if spot.op == "request":
        asking = {"query": asked.question, "tag": TAG}
        return request | asking if project.settings else request | {"op": "call"} | CALL | asking
    request |= {"items": spot.case, "question": asked.question}
    return request | {"question_date": asked.question_date} if spot.op == "prompt" else request


def _env(arm: Arm, project: Project) -> dict[str, str]:
    """An arm's environment; a program runs elsewhere and is told where its context file lies."""
    if project.settings is None or CONTEXT_FILE not in arm.env:
        return arm.env
    path = located(str(project.goldens), arm.env[CONTEXT_FILE])
    return arm.env | {CONTEXT_FILE: path}


def _portable(text: str, project: Project) -> str:
    """A text without the places on this machine that a program was told."""
    if project.settings is None:
        return text
    arms = project.settings.arms
    folders = [project.goldens, *([] if arms is None else [arms.parent])]
    for folder in folders:
        text = text.replace(f"{folder}/", "")
    return text


def _outcome(subject: Subject, spot: Spot, project: Project) -> Outcome:
    answer = _answer(subject, spot, request_of(spot, project.arms[spot.arm], project))
    if "refused" in answer:
        message = _portable(str(answer["refused"]), project)
        return Outcome(message.encode(errors="replace") + b"\n", refused=True)
    text = as_text(spot.op, answer["ok"])
    if spot.op == "settings":
        text = _portable(text, project)
    tokens = None
    if spot.op in COUNTED:
        tokens = _answer(subject, spot, {"op": "count", "text": text})["ok"]
    warnings = tuple(_portable(str(each), project) for each in answer.get("warnings", ()))
    return Outcome(text.encode(errors="replace"), False, warnings, tokens)


def as_text(op: str, value: Any) -> str:
    """What a golden stores of an answer's `ok`."""
    if op == "settings":
        return json.dumps(value, indent=1) + "\n"
    if op in ("request", "call"):
        named = value.get("headers", {}).items()
        headers = "".join(f"{name}: {held}\n" for name, held in named)
        return f"{value['method']} {value['path']}\n{headers}\n{value['body'] or ''}"
    return str(value)


def _routing(subject: Subject, project: Project) -> Outcome:
    rows = []
    for question in project.routing:
        request = {"op": "route", "question": question}
        verdict = _answer(subject, Spot("route"), request)["ok"]
        rows.append(json.dumps({"question": question, "asks_assistant": verdict}) + "\n")
    return Outcome("".join(rows).encode(), refused=False)


def _answer(subject: Subject, spot: Spot, request: dict[str, Any]) -> dict[str, Any]:
    answer = subject.answer(request)
    if "crashed" in answer:
        raise Stop(f"{subject.source} crashed on {spot.stem}: {answer['crashed']}", Exit.MISMATCH)
    return answer
