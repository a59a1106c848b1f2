"""When a call is tried again, after how long a wait, and how long it can take in all."""

import re
import time
from calendar import timegm
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from .text import parse_json

RATE_LIMITED = 429
RETRIED = (408, 425, RATE_LIMITED, 500, 502, 503, 504)

_SECONDS = re.compile(r"[0-9]+\.?[0-9]*|\.[0-9]+")
_DATES = (  # the three forms of an HTTP date, which is always GMT
    "%a, %d %b %Y %H:%M:%S GMT",
    "%A, %d-%b-%y %H:%M:%S GMT",
    "%a %b %d %H:%M:%S %Y",
)


class Limits(NamedTuple):
    """How often a call is tried, and how long and how large each part of it may be.

    Attempts that end in a rate limit are counted apart: in a long ingest they are a normal thing.
    """

    attempts: int = 5  # that end otherwise than in a rate limit
    limited: int = 60  # that end in one
    connect: float = 10.0  # seconds to a connection
    attempt: float = 120.0  # seconds from there to the last byte, whatever trickles in
    first_wait: float = 0.5  # seconds, doubling
    longest_wait: float = 5.0
    body: int = 32 * 2**20  # bytes of an answer; parsed, it may take twenty times as much memory

    def longest(self) -> float:
        """The seconds after which a call has ended, whatever the server does."""
        return self._seconds(self.attempts + self.limited - 1)

    def _seconds(self, attempts: int) -> float:
        return attempts * self.attempt + (attempts - 1) * self.longest_wait

    def promise(self) -> str:
        """How long a call can take, as a person is told."""
        return (
            f"a request ends within {self._seconds(self.attempts):,g} s ({self.attempts} attempts "
            f"of at most {self.attempt:g} s, waits of at most {self.longest_wait:g} s), or "
            f"{self.longest():,g} s where the server limits the rate ({self.limited} attempts more)"
        )

    def wait(self, asked: float | None, attempt: int) -> float:
        """The seconds to wait after attempt number `attempt` (from 1), if the server asked so."""
        doubled = self.first_wait * 2.0 ** (attempt - 1)
        return min(doubled if asked is None else asked, self.longest_wait)


LIMITS = Limits()


def asked_wait(status: int, headers: Mapping[str, str], body: str, now: float) -> float | None:
    """The seconds above 0 that a server asks to wait, if it does.

    `headers` by lower-case name; `now` in seconds since 1970. Only a rate limit asks in its body.
    """
    asked = _in_header(headers, now)
    return _in_body(body) if asked is None and status == RATE_LIMITED else asked


def _in_header(headers: Mapping[str, str], now: float) -> float | None:
    value = headers.get("retry-after")
    if value is None or not value.isascii():
        return None
    return _positive(float(value)) if _SECONDS.fullmatch(value) else _until(value, now)


def _until(date: str, now: float) -> float | None:
    """From `now` to an HTTP date."""
    for form in _DATES:
        with suppress(ValueError):
            return _positive(timegm(time.strptime(date, form)) - now)
    return None


def _in_body(text: str) -> float | None:
    """What stands at error.detail.retry_after."""
    try:
        asked = parse_json(text)["error"]["detail"]["retry_after"]
    except (ValueError, LookupError, TypeError):
        return None
    return _positive(asked) if type(asked) in (int, float) else None


def _positive(seconds: float) -> float | None:
    return seconds if seconds > 0 else None
