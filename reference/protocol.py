"""The protocol other programs speak: one JSON request a line, one JSON answer a line.

A request is an object with an `op`, maybe an `id`, which its answer repeats, and these fields:

    items     name items
    render    env items question
    prompt    env items question question_date
    settings  env
    request   env query tag
    call      call, and what that call needs: tag env query messages session stamp
    route     question
    count     text

`items` is a list or the name of one, `env` an object of strings; question, question_date and stamp
may be null. `call` is the name of a call of the REST client, and its answer the whole request:
method, path, headers, body.
"""

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TextIO, TypeVar

from . import items, overrides, wording
from .context import Rendered, RenderError, render_context
from .items import Item, ItemError, found
from .knobs import KnobError, Knobs
from .overrides import ContextFile, ContextFileError
from .prompt import answer_prompt
from .requests import (
    Request,
    RequestError,
    add_request,
    erase_request,
    health_request,
    search_request,
    stats_request,
    whoami_request,
)
from .routing import asks_assistant
from .text import parse_json, well_formed, well_formed_json
from .tokens import Count, TokenError, counter
from .wording import Wording

T = TypeVar("T")

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

    Raises ProtocolError for a request of no op, and for a field missing or of another type.
    """
    op = _chosen(request, "op", OPS)
    try:
        return {"id": request.get("id"), **op(request, session)}
    except REFUSALS as refusal:
        return {"id": request.get("id"), "refused": str(refusal)}
    except ProtocolError as error:
        raise ProtocolError(f"{request['op']}: {error}") from None


def _field(holder: Any, name: str, *kinds: str) -> Any:
    """A field that must be there, and of one of these kinds if there are any."""
    if not isinstance(holder, dict) or name not in holder:
        raise ProtocolError(f"no {name!r}")
    value = holder[name]
    if kinds and found(value) not in kinds:
        raise _unexpected(name, value, *kinds)
    return value


def _unexpected(name: str, value: Any, *kinds: str) -> ProtocolError:
    return ProtocolError(f"{name!r}: expected {' or '.join(kinds)}, found {found(value)}")


def _string(holder: Any, name: str) -> str:
    text: str = _field(holder, name, "a string")
    return text


def _text(request: Mapping[str, Any], name: str) -> str | None:
    """A field of loaded text or null."""
    text = _field(request, name, "a string", "null")
    return None if text is None else well_formed(text)


def _chosen(request: Mapping[str, Any], name: str, table: Mapping[str, T]) -> T:
    """The entry of a table that a field names."""
    chosen = _string(request, name)
    if chosen not in table:
        raise ProtocolError(f"unknown {name} {chosen!r}: one of {', '.join(table)}")
    return table[chosen]


def _knobs(request: Mapping[str, Any]) -> Knobs:
    env: dict[str, str] = _field(request, "env", "an object")
    for name, value in env.items():
        if not isinstance(value, str):
            raise _unexpected(name, value, "a string")
    return Knobs.from_env(env)


def _messages(request: Mapping[str, Any]) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = well_formed_json(_field(request, "messages", "a list"))
    for message in messages:
        for name in ("role", "content"):
            _string(message, name)
    return messages


def _items(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    load = functools.partial(items.from_json, _field(request, "items"))
    session.lists[_string(request, "name")] = functools.cache(load)
    return {"ok": None}


def _listed(request: Mapping[str, Any], session: Session) -> list[Item]:
    """The items of a request: a list, or the name of one, which is loaded once."""
    named = _field(request, "items")
    if not isinstance(named, str):
        return items.from_json(named)
    if named not in session.lists:
        raise ProtocolError("items: there is no list of that name")
    return session.lists[named]()


def _rendered(request: Mapping[str, Any], session: Session) -> tuple[Rendered, Knobs]:
    knobs = _knobs(request)
    rendered = render_context(
        _listed(request, session),
        _text(request, "question"),
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
    question, date = _text(request, "question"), _text(request, "question_date")
    text = answer_prompt(question, date, rendered.text, knobs.answer_prompt, session.words)
    return {"ok": text, "warnings": list(rendered.warnings)}


def _settings(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    return {"ok": _knobs(request).settings()}


def _request(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    sent = CALLS["search"](request)
    return {"ok": {"method": sent.method, "path": sent.path, "body": sent.body}}


def _call(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    return {"ok": _chosen(request, "call", CALLS)(request)._asdict()}


def _route(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    return {"ok": asks_assistant(_text(request, "question"))}


def _count(request: Mapping[str, Any], session: Session) -> dict[str, Any]:
    return {"ok": session.count(well_formed(_string(request, "text")))}


CALLS: dict[str, Callable[[Mapping[str, Any]], Request]] = {
    "whoami": lambda request: whoami_request(),
    "health": lambda request: health_request(),
    "add": lambda request: add_request(
        _messages(request),
        _string(request, "tag"),
        _string(request, "session"),
        _text(request, "stamp"),
    ),
    "search": lambda request: search_request(
        well_formed(_string(request, "query")), _string(request, "tag"), _knobs(request)
    ),
    "stats": lambda request: stats_request(_string(request, "tag")),
    "erase": lambda request: erase_request(_string(request, "tag")),
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
            reply = answer(_parsed(line), session)
        except ProtocolError as error:
            errors.write(f"line {number}: no request of the protocol: {error}\n")
            return 2
        output.write(json.dumps(reply).encode() + b"\n")
        output.flush()
    return 0


def _parsed(line: bytes) -> Any:
    try:
        return parse_json(line.decode())
    except ValueError as error:
        raise ProtocolError(error) from None
