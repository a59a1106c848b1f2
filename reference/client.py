"""The REST client: calls that are sent, tried again and read."""

import logging
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from typing import Any, TypeVar

import httpx
from tenacity import Retrying, retry_if_exception_type

from . import answers
from .items import Item, from_response, note_unknown
from .knobs import Knobs
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
from .retries import LIMITS, RATE_LIMITED, RETRIED, Limits, asked_wait
from .transport import Transport, fault

T = TypeVar("T")

LOG = logging.getLogger("memvara")
DONE = (200, 201, 202)
FAULTS = (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError)

_IDNA = "idna"  # as a host is looked up
_COUNT = re.compile(r"[0-9]{1,15}")
_KEY = re.compile(r"[A-Za-z0-9._~+/=-]+")


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
        limits: Limits = LIMITS,
        tell: Callable[[str], None] = LOG.warning,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        """`tell` gets a line before each wait; `sleep` takes, `now` gives seconds (since 1970).

        Raises RequestError for a key that is no bearer token and a URL that is no base.
        """
        if not _KEY.fullmatch(key):  # one that JSON escapes could not be masked
            raise RequestError("the key must be ASCII letters, digits and -._~+/= alone")
        self.base_url = _base(base_url)
        self.rate_limit_remaining: int | None = None  # as the server last said
        self.passed_over: Counter[str] = Counter()  # hits of unknown kinds, by kind
        self._key = key
        self._sleep = sleep
        self._now = now
        self._limits = limits
        self._tell = tell
        self._transport = transport or Transport(limits.attempt)

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def whoami(self) -> dict[str, Any]:
        """`token_id`, `scope.tenant`, `effective_privilege`, `read_only`."""
        return self._call(whoami_request(), answers.whoami)

    def health(self) -> dict[str, Any]:
        """`status` and `memvara_version`."""
        return self._call(health_request(), answers.having("status", "memvara_version"))

    def add(
        self, messages: Iterable[Mapping[str, Any]], tag: str, session: str, stamp: str | None
    ) -> dict[str, Any]:
        """Store one session, once however often it is tried: `episode_ids`, `added` and more."""
        read = answers.having("episode_ids", "added")
        return self._call(add_request(messages, tag, session, stamp), read)

    def search(self, query: str, tag: str, knobs: Knobs) -> list[Item]:
        """The hits for `query` as items, ranked; those of unknown kinds are counted."""

        def read(response: Any) -> list[Item]:
            items = from_response(response)
            note_unknown(response, self.passed_over, self.masked)
            return items

        return self._call(search_request(query, tag, knobs), read)

    def stats(self, tag: str) -> dict[str, Any]:
        """`visible` and `tenant_counts`."""
        return self._call(stats_request(tag), answers.having("visible", "tenant_counts"))

    def erase(self, tag: str) -> dict[str, Any]:
        """Erase what is stored under `tag`; what the server says of it."""
        return self._call(erase_request(tag), answers.having())

    def _call(self, request: Request, read: Callable[[Any], T]) -> T:
        """What `read` makes of the answer to `request`, tried again while that may help."""
        most = {False: self._limits.attempts, True: self._limits.limited}
        ended: Counter[bool] = Counter()

        def spent(state: Any) -> bool:
            limited = state.outcome.exception().limited
            ended[limited] += 1
            return ended[limited] == most[limited]

        def wait(state: Any) -> float:
            return self._limits.wait(state.outcome.exception().wait, state.attempt_number)

        def tell(state: Any) -> None:
            fault = state.outcome.exception()
            what = "rate limit" if fault.limited else "failed attempt"
            many = f"{what} {ended[fault.limited]} of {most[fault.limited]}"
            self._tell(f"{fault}: {many}, the next attempt in {state.next_action.sleep:.3g} s")

        retrying = Retrying(
            sleep=self._sleep,
            stop=spent,
            wait=wait,
            before_sleep=tell,
            retry=retry_if_exception_type(Transient),
            reraise=True,
        )
        what = self.masked(f"{request.method} {request.path}")
        answer: T = retrying(self._attempt, self._built(request, what), what, read)
        return answer

    def _built(self, request: Request, what: str) -> httpx.Request:
        timeout = httpx.Timeout(self._limits.attempt, connect=self._limits.connect)
        try:
            return httpx.Request(
                request.method,
                self.base_url + request.path,
                headers={"Authorization": f"Bearer {self._key}", "Accept-Encoding": "identity"}
                | request.headers,
                content=request.body,
                extensions={"timeout": timeout.as_dict()},
            )
        except (UnicodeEncodeError, httpx.InvalidURL) as error:
            raise RequestError(f"{what}: {error}") from None

    def _attempt(self, request: httpx.Request, what: str, read: Callable[[Any], T]) -> T:
        status, headers, body = self._sent(request, what)
        self._note_rate_limit(headers)
        why = ""
        if status in DONE:
            try:
                return read(answers.value_of(body, self._limits.body))
            except ValueError as error:
                why = f": {error}"
        elif status in answers.REDIRECTS and "location" in headers:
            to = answers.target(request.url, headers["location"])
            why = f": it points to {self._shown(to)}"
        text = answers.text_of(body)
        said = f"{what}: {status}: {self._shown(text)}{why}"
        if status in RETRIED:
            asked = asked_wait(status, headers, text, self._now())
            raise Transient(said, status == RATE_LIMITED, asked)
        raise ClientError(said)

    def _sent(self, request: httpx.Request, what: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers by lower-case name, and the body as far as a value is made of it."""
        try:
            with closing(self._transport.handle_request(request)) as response:
                stream: Any = response.stream  # never async
                body = answers.taken(stream, self._limits.body)
                return response.status_code, {**response.headers}, body
        except httpx.HTTPError as error:
            why, detail = fault(error, self._limits)
            said = f"{what}: {why}" + (f": {self._shown(detail)}" if detail else "")
            if isinstance(error, FAULTS):
                raise Transient(said, limited=False, wait=None) from None
            raise ClientError(said) from None

    def _note_rate_limit(self, headers: Mapping[str, str]) -> None:
        remaining = headers.get("ratelimit-remaining")
        if remaining is not None and _COUNT.fullmatch(remaining):
            self.rate_limit_remaining = int(remaining)

    def _shown(self, text: str) -> str:
        """Masked before it is cut: no half of a key stays."""
        return answers.shown(self.masked(text))

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
            parsed.raw_host.decode().encode(_IDNA)  # refuses a..b
            return url.rstrip("/")
    except (httpx.InvalidURL, UnicodeError):
        pass
    raise RequestError(
        "the base URL must be http:// or https://, a host, maybe a port and a path, and nothing "
        "else: no user, query or fragment"
    )
