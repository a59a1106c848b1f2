"""Request bodies, checked: what the six routes accept, and a clear refusal of the rest."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple, NoReturn

MOST_RESULTS = 10_000  # the engine looks at a multiple of k, and SQLite counts in 64 bits


class BadRequest(Exception):
    """A request that the service answers with 422 and this message."""


class Kind(NamedTuple):
    """What a field may hold: in words, and as a test."""

    words: str
    holds: Callable[[Any], bool]


STRING = Kind("a string", lambda value: isinstance(value, str))
BOOLEAN = Kind("true or false", lambda value: isinstance(value, bool))
OBJECT = Kind("an object", lambda value: isinstance(value, dict))
MESSAGES = Kind("a list of at least one message", lambda v: isinstance(v, list) and bool(v))
COUNT = Kind(
    f"an integer from 1 to {MOST_RESULTS}", lambda v: type(v) is int and 1 <= v <= MOST_RESULTS
)
SHARE = Kind("a number from 0 to 1", lambda v: type(v) in (int, float) and 0 <= v <= 1)

ADD = {"messages": MESSAGES, "ts": STRING}
MESSAGE = {"role": STRING, "content": STRING, "ts": STRING, "metadata": OBJECT}
SEARCH = {
    "query": STRING,
    "k": COUNT,
    "min_score": SHARE,
    "include_episodes": BOOLEAN,
    "ranked": BOOLEAN,
}
ERASURE = {"scope": OBJECT}
SCOPE = {"user": STRING}


@dataclass(frozen=True)
class Message:
    """One turn to store; `ts` is None when the request dates neither it nor the session."""

    role: str
    content: str
    ts: datetime | None
    metadata: dict[str, Any]


@dataclass(frozen=True)
class Query:
    """One search."""

    query: str
    k: int = 10
    min_score: float = 0.0
    include_episodes: bool = False
    ranked: bool = False


def messages(body: bytes) -> list[Message]:
    """The turns of an add. Raises BadRequest."""
    fields = checked(parsed(body), ADD, "body", required=("messages",))
    session_time = fields.get("ts")
    return [
        _message(message, session_time, f"messages[{index}]")
        for index, message in enumerate(fields["messages"])
    ]


def _message(value: object, session_time: str | None, where: str) -> Message:
    fields = checked(value, MESSAGE, where, required=("role", "content"))
    ts = fields.get("ts", session_time)
    return Message(
        role=fields["role"],
        content=fields["content"],
        ts=None if ts is None else instant(ts, f"{where}.ts"),
        metadata=fields.get("metadata", {}),
    )


def query(body: bytes) -> Query:
    """A search. Raises BadRequest."""
    return Query(**checked(parsed(body), SEARCH, "body", required=("query",)))


def erased_user(body: bytes) -> str | None:
    """The user that an erasure names, None when it names the whole tenant. Raises BadRequest."""
    fields = checked(parsed(body), ERASURE, "body", required=("scope",))
    user: str | None = checked(fields["scope"], SCOPE, "scope").get("user")
    return user


def parsed(body: bytes) -> object:
    """`body` as JSON: well-formed text, no NaN. Raises BadRequest."""
    try:
        value = json.loads(body, parse_constant=_no_constant)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeError as error:
        raise BadRequest("the body holds text that is not well-formed Unicode") from error
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"the body is not JSON: {error}") from error
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def checked(
    value: object, kinds: Mapping[str, Kind], where: str, required: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The fields of `value` that are not null, each of its kind. Raises BadRequest."""
    if not isinstance(value, dict):
        raise BadRequest(f"{where} must be an object")
    unknown = sorted(value.keys() - kinds.keys())
    if unknown:
        raise BadRequest(f"{where} has unknown fields: {', '.join(unknown)}")
    fields = {name: field for name, field in value.items() if field is not None}
    for name in required:
        if name not in fields:
            raise BadRequest(f"{where}.{name} is missing")
    for name, field in fields.items():
        if not kinds[name].holds(field):
            raise BadRequest(f"{where}.{name} must be {kinds[name].words}")
    return fields


def instant(text: str, where: str) -> datetime:
    """An ISO 8601 time, in UTC when it names no zone. Raises BadRequest."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise BadRequest(f"{where} must be an ISO 8601 time") from error
    return time if time.tzinfo else time.replace(tzinfo=UTC)
