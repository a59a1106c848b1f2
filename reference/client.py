"""The REST client: requests as pure functions, exact to the byte, and the calls that send them."""

import json
import re
import time
from calendar import timegm
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote

import httpx
from tenacity import Retrying, retry_if_exception_type

from .items import Item, from_response
from .knobs import Knobs
from .text import parse_json

T = TypeVar("T")

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


# Attempts of one call that may end in something other than a rate limit, and in one: during a
# long ingest a rate limit is a normal thing.
ATTEMPTS = 5
LIMITED_ATTEMPTS = 60
RATE_LIMITED = 429
RETRIED = (408, 425, RATE_LIMITED, 500, 502, 503, 504)
DONE = (200, 201, 202)
FIRST_WAIT, LONGEST_WAIT = 0.5, 5.0  # seconds
SHOWN = 300  # characters of a body in an error
TIMEOUT = httpx.Timeout(120, connect=10).as_dict()  # seconds
FAULTS = (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError)

_SECONDS = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+")
_COUNT = re.compile(r"[0-9]{1,15}")
_KEY = re.compile(r"[A-Za-z0-9._~+/=-]+")
_DATES = (  # the three forms of an HTTP date, which is always GMT
    "%a, %d %b %Y %H:%M:%S GMT",
    "%A, %d-%b-%y %H:%M:%S GMT",
    "%a %b %d %H:%M:%S %Y",
)


class ClientError(Exception):
    """A call that failed for good: method, path, and what came back. The key is never in it."""


class Transient(ClientError):
    """A failure that another attempt may mend."""

    def __init__(self, message: str, limited: bool, wait: float | None) -> None:
        super().__init__(message)
        self.limited = limited
        self.wait = wait  # seconds the server asks for


class Client:
    """The calls, with retries. Not for several threads at once.

    They go straight to a transport: nothing above it follows a redirect, keeps a cookie or
    decodes a body.
    """

    def __init__(
        self,
        base_url: str,
        key: str,
        *,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`sleep` takes seconds, `now` gives seconds since 1970.

        Raises RequestError for a key that is no bearer token and a URL that is no base.
        """
        if not _KEY.fullmatch(key):  # one that JSON escapes could not be masked
            raise RequestError("the key must be ASCII letters, digits and -._~+/= alone")
        self.base_url = _base(base_url)
        self.rate_limit_remaining: int | None = None  # as the server last said
        self._key = key
        self._sleep = sleep
        self._now = now
        self._transport = transport or httpx.HTTPTransport()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def whoami(self) -> dict[str, Any]:
        """`token_id`, `scope.tenant`, `effective_privilege`, `read_only`."""
        return self._call(whoami_request(), _whoami)

    def health(self) -> dict[str, Any]:
        """`status` and `memvara_version`."""
        return self._call(health_request(), _has("status", "memvara_version"))

    def add(
        self, messages: Iterable[Mapping[str, Any]], tag: str, session: str, stamp: str | None
    ) -> dict[str, Any]:
        """Store one session, once however often it is tried: `episode_ids`, `added` and more."""
        return self._call(add_request(messages, tag, session, stamp), _has("episode_ids", "added"))

    def search(self, query: str, tag: str, knobs: Knobs) -> list[Item]:
        """The hits for `query` as items, ranked."""
        return self._call(search_request(query, tag, knobs), from_response)

    def stats(self, tag: str) -> dict[str, Any]:
        """`visible` and `tenant_counts`."""
        return self._call(stats_request(tag), _has("visible", "tenant_counts"))

    def erase(self, tag: str) -> dict[str, Any]:
        """Erase what is stored under `tag`; what the server says of it."""
        return self._call(erase_request(tag), _has())

    def _call(self, request: Request, read: Callable[[Any], T]) -> T:
        """What `read` makes of the answer to `request`, tried again while that may help."""
        left = {False: ATTEMPTS, True: LIMITED_ATTEMPTS}

        def spent(state: Any) -> bool:
            limited = state.outcome.exception().limited
            left[limited] -= 1
            return left[limited] == 0

        def wait(state: Any) -> float:
            asked: float | None = state.outcome.exception().wait
            doubled = FIRST_WAIT * 2.0 ** (state.attempt_number - 1)
            return min(doubled if asked is None else asked, LONGEST_WAIT)

        retrying = Retrying(
            sleep=self._sleep,
            stop=spent,
            wait=wait,
            retry=retry_if_exception_type(Transient),
            reraise=True,
        )
        what = self.masked(f"{request.method} {request.path}")
        answer: T = retrying(self._attempt, self._built(request, what), what, read)
        return answer

    def _built(self, request: Request, what: str) -> httpx.Request:
        try:
            return httpx.Request(
                request.method,
                self.base_url + request.path,
                headers={"Authorization": f"Bearer {self._key}", "Accept-Encoding": "identity"}
                | request.headers,
                content=request.body,
                extensions={"timeout": TIMEOUT},
            )
        except (UnicodeEncodeError, httpx.InvalidURL) as error:
            raise RequestError(f"{what}: {error}") from None

    def _attempt(self, request: httpx.Request, what: str, read: Callable[[Any], T]) -> T:
        response, body = self._sent(request, what)
        text = body.decode(errors="replace")
        said = f"{what}: {response.status_code}: {self.masked(text)[:SHOWN]!r}"
        headers = {**response.headers}  # by lower-case name
        self._note_rate_limit(headers)
        if response.status_code in RETRIED:
            limited = response.status_code == RATE_LIMITED
            asked = _seconds_in_header(headers, self._now())
            if limited and asked is None:
                asked = _seconds_in_body(text)
            raise Transient(said, limited, asked)
        if response.status_code not in DONE:
            raise ClientError(said)
        try:
            return read(parse_json(body.decode()))
        except (ValueError, RecursionError) as error:
            raise ClientError(f"{said}: {error}") from None

    def _sent(self, request: httpx.Request, what: str) -> tuple[httpx.Response, bytes]:
        """The response, closed, and the bytes of its body as they came."""
        try:
            with closing(self._transport.handle_request(request)) as response:
                return response, b"".join(response.stream)  # type: ignore[arg-type] # never async
        except (httpx.HTTPError, UnicodeError) as error:  # the second for a host like a..b
            said = self.masked(f"{what}: {type(error).__name__}: {error}")
            if isinstance(error, FAULTS):
                raise Transient(said, limited=False, wait=None) from None
            raise ClientError(said) from None

    def _note_rate_limit(self, headers: Mapping[str, str]) -> None:
        remaining = headers.get("ratelimit-remaining")
        if remaining is not None and _COUNT.fullmatch(remaining):
            self.rate_limit_remaining = int(remaining)

    def masked(self, text: str) -> str:
        """`text` without the key, as everything that is printed or logged must be."""
        return text.replace(self._key, "***")


def _base(url: str) -> str:
    """`url` without a slash at its end. Raises RequestError if no path can follow it.

    A user in it would take the key's place; and since it may hold a password, it is never shown.
    """
    try:
        parsed = httpx.URL(url)
        if (
            parsed.scheme in ("http", "https")
            and parsed.host != ""
            and (parsed.port is None or parsed.port in range(65536))
            and not set("@?#") & set(url)
        ):
            return url.rstrip("/")
    except (httpx.InvalidURL, UnicodeError):
        pass
    raise RequestError(
        "the base URL must be http:// or https://, a host, maybe a port and a path, and nothing "
        "else: no user, query or fragment"
    )


def _seconds_in_header(headers: Mapping[str, str], now: float) -> float | None:
    """The wait above 0 that Retry-After asks for."""
    value = headers.get("retry-after")
    if value is None or not value.isascii():
        return None
    return _positive(float(value)) if _SECONDS.fullmatch(value) else _seconds_until(value, now)


def _seconds_until(date: str, now: float) -> float | None:
    """From `now` to an HTTP date."""
    for form in _DATES:
        with suppress(ValueError):
            return _positive(timegm(time.strptime(date, form)) - now)
    return None


def _seconds_in_body(text: str) -> float | None:
    """The wait above 0 at error.detail.retry_after of a rate limit's body."""
    try:
        asked = parse_json(text)["error"]["detail"]["retry_after"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return None
    return _positive(asked) if type(asked) in (int, float) else None


def _positive(seconds: float) -> float | None:
    return seconds if seconds > 0 else None


def _has(*names: str) -> Callable[[Any], dict[str, Any]]:
    """Reads an object that must have these fields."""

    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValueError("expected a JSON object")
        for name in names:
            if name not in value:
                raise ValueError(f"expected a field {name}")
        return value

    return read


def _whoami(value: Any) -> dict[str, Any]:
    found = _has("token_id", "scope", "effective_privilege", "read_only")(value)
    _has("tenant")(found["scope"])
    return found
