"""What comes back from memvara: read as JSON, or shown in one line where it is none."""

from collections.abc import Callable, Iterable
from typing import Any

import httpx

from .text import parse_json

SHOWN = 300  # characters of anything that a server says, in an error
REDIRECTS = range(300, 400)

_BOM = b"\xef\xbb\xbf"


def taken(stream: Iterable[bytes], most: int) -> bytes:
    """A body; of one longer than `most` bytes no more than the part with which it is."""
    body = bytearray()
    for part in stream:
        body += part
        if len(body) > most:
            break
    return bytes(body)


def value_of(body: bytes, most: int) -> Any:
    """The JSON value of a body; one byte order mark before it is passed over.

    Raises ValueError for what is not JSON in UTF-8, and for more than `most` bytes.
    """
    if len(body) > most:
        raise ValueError(f"longer than {most:,} bytes")
    return parse_json(body.removeprefix(_BOM).decode())


def text_of(body: bytes) -> str:
    """A body as text, whatever it holds; one byte order mark before it is passed over."""
    return body.removeprefix(_BOM).decode(errors="replace")


def shown(text: str) -> str:
    """The first characters of `text` as a literal on one line: what can't be printed is escaped."""
    return repr(text[:SHOWN])


def target(url: httpx.URL, location: str) -> str:
    """Where an answer of `url` points to: scheme, host and path, no user and no query."""
    try:
        to = url.join(location)
    except (httpx.InvalidURL, ValueError):
        return "what is no URL"
    path = to.raw_path.decode().partition("?")[0]
    return f"{to.scheme}://{to.netloc.decode()}{path}" if to.raw_host else "what has no host"


def having(*names: str) -> Callable[[Any], dict[str, Any]]:
    """Reads an object that must have these fields."""

    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValueError("expected a JSON object")
        for name in names:
            if name not in value:
                raise ValueError(f"expected a field {name}")
        return value

    return read


def whoami(value: Any) -> dict[str, Any]:
    """Reads who a key belongs to. Raises ValueError."""
    found = having("token_id", "scope", "effective_privilege", "read_only")(value)
    having("tenant")(found["scope"])
    return found
