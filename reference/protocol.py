"""The protocol other programs speak: one JSON request a line, one JSON answer a line."""

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TextIO

from . import items, overrides, wording
from .client import (
    Request,
    RequestError,
    add_request,
    erase_request,
    health_request,
    search_request,
    stats_request,
    whoami_request,
)
from .context import Rendered, RenderError, render_context
from .items import Item, ItemError
from .knobs import KnobError, Knobs
from .overrides import ContextFile, ContextFileError
from .prompt import answer_prompt
from .routing import asks_assistant
from .text import well_formed_json
from .tokens import Count, TokenError, counter
from .wording import Wording

# What a render may refuse with. Anything else is a crash.
REFUSALS = (KnobError, ItemError, RenderError, ContextFileError, TokenError, RequestError)


class ProtocolError(ValueError):
    """A line that is no request."""


@dataclass
class Session:
    """What outlives a request: named lists, and what is slow to load."""

    words: Wording = field(default_factory=wording.load)
    count: Count = field(default_factory=counter)
    load_context: Callable[[str], ContextFile] = field(
        default_factory=lambda: functools.cache(overrides.load)
    )
    lists: dict[str, Callable[[], list[Item]]] = field(default_factory=dict)


def answer(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    """The answer to one request: `ok`, or `refused` with the reason.

    Raises ProtocolError for a request that has no such op or lacks a field.
    """
    op = request.get("op")
    if op not in OPS:
        raise ProtocolError(f"unknown op {op!r}: one of {', '.join(OPS)}")
    try:
        return {"id": request.get("id"), **OPS[op](request, session)}
    except REFUSALS as refusal:
        return {"id": request.get("id"), "refused": str(refusal)}
    except KeyError as missing:
        raise ProtocolError(f"{op}: no {missing}") from None


def _items(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    load = functools.partial(items.from_json, request["items"])
    session.lists[request["name"]] = functools.cache(load)
    return {"ok": None}


def _listed(request: Mapping[str, Any], session: Session) -> list[Item]:
    """The items of a request: a list, or the name of one, which is loaded once."""
    named = request["items"]
    return session.lists[named]() if isinstance(named, str) else items.from_json(named)


def _rendered(request: Mapping[str, Any], session: Session) -> tuple[Rendered, Knobs]:
    knobs = Knobs.from_env(request["env"])
    rendered = render_context(
        _listed(request, session),
        well_formed_json(request["question"]),
        knobs,
        words=session.words,
        load_context=session.load_context,
        count=session.count,
    )
    return rendered, knobs


def _render(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    rendered, _ = _rendered(request, session)
    return {"ok": rendered.text, "warnings": list(rendered.warnings)}


def _prompt(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    rendered, knobs = _rendered(request, session)
    question = well_formed_json(request["question"])
    date = well_formed_json(request["question_date"])
    text = answer_prompt(question, date, rendered.text, knobs.answer_prompt, session.words)
    return {"ok": text, "warnings": list(rendered.warnings)}


def _settings(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    return {"ok": Knobs.from_env(request["env"]).settings()}


def _request(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    knobs = Knobs.from_env(request["env"])
    sent = search_request(well_formed_json(request["query"]), request["tag"], knobs)
    return {"ok": {"method": sent.method, "path": sent.path, "body": sent.body}}


def _call(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    return {"ok": CALLS[request["call"]](well_formed_json(request))._asdict()}


def _route(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    return {"ok": asks_assistant(request["question"])}


def _count(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    return {"ok": session.count(well_formed_json(request["text"]))}


CALLS: dict[str, Callable[[Mapping[str, Any]], Request]] = {
    "whoami": lambda call: whoami_request(),
    "health": lambda call: health_request(),
    "add": lambda call: add_request(call["messages"], call["tag"], call["session"], call["stamp"]),
    "search": lambda call: search_request(call["query"], call["tag"], Knobs.from_env(call["env"])),
    "stats": lambda call: stats_request(call["tag"]),
    "erase": lambda call: erase_request(call["tag"]),
}

OPS: dict[str, Callable[[Mapping[str, Any], Session], dict[str, Any]]] = {
    "items": _items,
    "render": _render,
    "prompt": _prompt,
    "settings": _settings,
    "request": _request,
    "call": _call,
    "route": _route,
    "count": _count,
}


def serve(lines: BinaryIO, output: BinaryIO, errors: TextIO) -> int:
    """Answer every line; 0, or 2 after the first line that is no request."""
    session = Session()
    for number, line in enumerate(lines, 1):
        try:
            reply = answer(json.loads(line), session)
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            errors.write(f"line {number}: no request of the protocol: {error}\n")
            return 2
        output.write(json.dumps(reply).encode() + b"\n")
        output.flush()
    return 0
