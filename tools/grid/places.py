"""Where a cell lies, and the protocol request that asks for it."""

import functools
import os
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..project.layout import TAG, Project

_PATH = re.compile(r"[^\s\ufeff](?:.*[^\s\ufeff])?")


class Place(NamedTuple):
    """A case and a question by their names."""

    case: str
    question: str


NOWHERE = Place("", "")  # of a combination's settings and request


def request_of(
    project: Project, op: str, place: Place, env: Mapping[str, str], items: Any = None
) -> dict[str, Any]:
    """The protocol request for `op` in a place; `items` instead of the case's own."""
    request: dict[str, Any] = {"op": op, "env": env}
    if op == "settings":
        return request
    if op == "route":  # whose place holds the question itself
        return {"op": op, "question": place.question}
    if op == "request":
        asked = (each.question for each in project.questions.values())
        query = next(question for question in asked if question is not None)
        return request | {"query": query, "tag": TAG}
    request["items"] = place.case if items is None else items
    request["question"], request["question_date"] = project.questions[place.question]
    return request


@functools.cache
def located(folder: str, value: str) -> str:
    """A context file's value with its path made absolute, the blanks around it kept."""
    return _PATH.sub(lambda path: os.path.join(folder, path[0]), value, count=1)
