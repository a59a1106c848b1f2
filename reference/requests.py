"""The requests of the REST client as pure functions, exact to the byte."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from .knobs import Knobs

# What encodeURIComponent leaves alone and quote would not: ! ' ( ) *
_UNESCAPED = (0x21, 0x27, 0x28, 0x29, 0x2A)
_COMPACT: dict[str, Any] = {"ensure_ascii": False, "separators": (",", ":")}
_JSON = {"Content-Type": "application/json"}


class RequestError(ValueError):
    """A request that can't be sent, whatever the server."""


class Request(NamedTuple):
    """One request to memvara, less the base URL and the key."""

    method: str
    path: str
    headers: dict[str, str]
    body: str | None  # sent as UTF-8


def whoami_request() -> Request:
    """Who the key belongs to, and what it may do."""
    return Request("GET", "/v1/whoami", {}, None)


def health_request() -> Request:
    """Whether the server is up, and its version."""
    return Request("GET", "/v1/health", {}, None)


def add_request(
    messages: Iterable[Mapping[str, Any]], tag: str, session: str, stamp: str | None
) -> Request:
    """Store one session: `messages` have role, content and maybe a ts of their own.

    `stamp` is the session's date (`YYYY-MM-DDTHH:MM:00+00:00`), None or empty for none. The
    idempotency key names tag and session, so that a retried write is stored once. Raises
    RequestError.
    """
    body: dict[str, Any] = {"messages": [_message(each, session, stamp) for each in messages]}
    if stamp:
        body["ts"] = stamp
    key = f"{_escaped(tag)}:{_escaped(session)}"
    return _post("/v1/memories", tag, body, {"Idempotency-Key": key})


def _message(message: Mapping[str, Any], session: str, stamp: str | None) -> dict[str, Any]:
    sent = {"role": message["role"], "content": message["content"]}
    ts = message.get("ts") or stamp
    if ts:
        sent["ts"] = ts
    return sent | {"metadata": {"sessionId": session}}


def search_request(query: str, tag: str, knobs: Knobs) -> Request:
    """Ask for the `knobs.search_k` best hits for `query`. Raises RequestError."""
    body = {"query": query, "k": knobs.search_k, "min_score": 0, "include_episodes": True}
    if knobs.ranked:
        body["ranked"] = True
    return _post("/v1/search", tag, body)


def stats_request(tag: str) -> Request:
    """How much is stored under `tag`. Raises RequestError."""
    return Request("GET", f"/v1/stats?user={_escaped(tag)}", {}, None)


def erase_request(tag: str) -> Request:
    """Erase what is stored under `tag`, and never more than that. Raises RequestError."""
    return _post("/v1/erasures", tag, {"scope": {"user": tag}})


def _post(
    path: str, tag: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Request:
    text = json.dumps(body, **_COMPACT)
    return Request("POST", f"{path}?user={_escaped(tag)}", _JSON | dict(headers or {}), text)


def _escaped(text: str) -> str:
    """`text` as encodeURIComponent escapes it."""
    try:
        return quote(text, safe=_UNESCAPED)
    except UnicodeEncodeError as error:
        raise RequestError(f"{text!r} can't be sent in a URL: {error.reason}") from None
