"""Real connections, on which a request ends in time whatever trickles in."""

import time
from collections.abc import Callable, Iterator
from ssl import SSLContext, SSLError
from typing import Any

import httpcore
import httpx

from .retries import Limits

ERRORS = (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError)
PIECE = 65536  # bytes written at once: each write has a time of its own

Left = Callable[[float | None], float]  # what is left of a timeout in seconds


class Transport(httpx.BaseTransport):
    """What `httpx.HTTPTransport` is, with a limit to the whole of a request.

    A timeout of httpx is for one read: a byte every few seconds holds a caller for ever.
    """

    def __init__(
        self,
        seconds: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        backend: httpcore.NetworkBackend | None = None,
    ) -> None:
        """A request may take `seconds` from its start to the end of the answer's body."""
        self._seconds = seconds
        self._clock = clock
        self._end: float  # by the clock
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            network_backend=Backend(backend or httpcore.SyncBackend(), self._left),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request; the body of the answer is read as it is iterated over."""
        self._end = self._clock() + self._seconds
        url = request.url
        sent = httpcore.Request(
            request.method,
            httpcore.URL(
                scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        try:
            found = self._pool.handle_request(sent)
        except ERRORS as error:
            raise _named_by_httpx(error) from error
        return httpx.Response(found.status, headers=found.headers, stream=_Body(found))

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def _left(self, timeout: float | None) -> float:
        left = self._end - self._clock()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left if timeout is None else min(timeout, left)


def fault(error: httpx.HTTPError, limits: Limits) -> tuple[str, str]:
    """Why nothing whole came back: in words of ours, and what the system or the server said."""
    match error:
        case httpx.ConnectTimeout():
            return f"no connection within {limits.connect:g} s", ""
        case httpx.TimeoutException():
            return f"no whole answer within {limits.attempt:g} s", ""
        case httpx.ConnectError():
            return "no connection", _of_system(error)
        case httpx.NetworkError():
            return "the connection broke", _of_system(error)
        case httpx.RemoteProtocolError():
            return "the answer breaks off or is no HTTP", str(error)
    return "it can't be sent", str(error)


def _of_system(error: httpx.HTTPError) -> str:
    """What the system said. The text of its error would change with the version of Python."""
    made_of = error.__cause__.args if error.__cause__ else ()  # httpcore's error, made of it
    match made_of:
        case (SSLError(reason=str(word)),) | (OSError(strerror=str(word)),):
            return word
    return ""


def _named_by_httpx(error: Exception) -> httpx.HTTPError:
    """An error of httpcore as the one of httpx that has its name."""
    named: httpx.HTTPError = getattr(httpx, type(error).__name__)(error)
    return named


class _Body(httpx.SyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._response.iter_stream()
        except ERRORS as error:
            raise _named_by_httpx(error) from error

    def close(self) -> None:
        self._response.close()


class Backend(httpcore.NetworkBackend):
    """Connects as another backend does, in what is left of the time."""

    def __init__(self, backend: httpcore.NetworkBackend, left: Left) -> None:
        self._backend = backend
        self._left = left

    def connect_tcp(
        self, host: str, port: int, timeout: float | None = None, *options: Any, **named: Any
    ) -> httpcore.NetworkStream:
        stream = self._backend.connect_tcp(host, port, self._left(timeout), *options, **named)
        return Stream(stream, self._left)


class Stream(httpcore.NetworkStream):
    """Reads and writes in what is left of the time."""

    def __init__(self, stream: httpcore.NetworkStream, left: Left) -> None:
        self._stream = stream
        self._left = left

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        for start in range(0, len(buffer), PIECE):
            self._stream.write(buffer[start : start + PIECE], self._left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        inner = self._stream.start_tls(ssl_context, server_hostname, self._left(timeout))
        return Stream(inner, self._left)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
