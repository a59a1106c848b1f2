"""A request ends in time on any connection; here on connections that are made up."""

import ssl
from collections.abc import Callable
from typing import Any

import httpcore
import httpx
import pytest

from reference.retries import Limits
from reference.transport import Backend, Transport, fault

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
TIMEOUT = {"connect": 10, "read": 120, "write": 120, "pool": 120}
LIMITS = Limits(connect=2.0, attempt=9.0)


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Network(httpcore.NetworkBackend, httpcore.NetworkStream):
    """Connects to itself; each thing done takes `seconds`. Reads give the parts of `answer`."""

    def __init__(self, clock: Clock, answer: list[bytes | Exception], seconds: float = 0) -> None:
        self.clock = clock
        self.answer = list(answer)
        self.seconds = seconds
        self.done: list[tuple] = []  # what was done, and in how much time it had to be
        self.written = b""
        self.is_readable = False  # while idle: closed by the other side
        self.context: ssl.SSLContext | None = None

    def _do(self, *what: Any) -> None:
        """Take as long as everything does, or until the timeout, which stands last."""
        self.done.append(what)
        self.clock.now += min(self.seconds, what[-1])
        if self.seconds > what[-1]:
            raise httpcore.ReadTimeout("too slow")

    def connect_tcp(self, host, port, timeout=None, *options, **named):
        given = [name for name, value in named.items() if value is not None]
        self._do("connect", host, port, *options, *given, timeout)
        return self

    def start_tls(self, ssl_context, server_hostname=None, timeout=None):
        self.context = ssl_context
        self._do("tls", server_hostname, timeout)
        return self

    def write(self, buffer, timeout=None):
        self._do("write", len(buffer), timeout)
        self.written += buffer

    def read(self, max_bytes, timeout=None):
        self._do("read", max_bytes, timeout)
        part = self.answer.pop(0)
        if isinstance(part, Exception):
            raise part
        return part

    def close(self):
        self.done.append(("close",))

    def get_extra_info(self, info):
        return self.is_readable if info == "is_readable" else None

    def kinds(self) -> list[Any]:
        return [what[0] for what in self.done]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def transport(clock) -> Callable[..., Transport]:
    def on(network: Network, seconds: float = 120) -> Transport:
        return Transport(seconds, clock=clock, backend=network)

    return on


def request(url: str = "http://memvara.test:81/v1?user=a%20b", body: bytes = b"") -> httpx.Request:
    return httpx.Request("POST", url, content=body, extensions={"timeout": TIMEOUT})


def test_a_request_is_sent_as_it_is_and_its_answer_given(clock, transport):
    network = Network(clock, [OK + b"o", b"k"])
    response = transport(network).handle_request(request(body=b"body"))
    assert (response.status_code, response.headers["content-length"]) == (200, "2")
    assert list(response.stream) == [b"o", b"k"]
    assert network.done[0] == ("connect", "memvara.test", 81, 10)
    assert network.written == (
        b"POST /v1?user=a%20b HTTP/1.1\r\nHost: memvara.test:81\r\nContent-Length: 4\r\n\r\nbody"
    )


def test_https_is_spoken_through_tls(clock, transport):
    network = Network(clock, [OK + b"ok"])
    response = transport(network).handle_request(request("https://memvara.test/"))
    assert list(response.stream) == [b"ok"]
    assert network.done[:2] == [
        ("connect", "memvara.test", 443, 10),
        ("tls", "memvara.test", 10),
    ]


def test_tls_trusts_whom_httpx_trusts(clock, monkeypatch):
    trusting = ssl.create_default_context()
    monkeypatch.setattr(httpx, "create_ssl_context", lambda: trusting)
    network = Network(clock, [OK + b"ok"])
    Transport(9, clock=clock, backend=network).handle_request(request("https://memvara.test/"))
    assert network.context is trusting


def test_a_connection_that_the_other_side_closed_is_not_used_again(clock, transport):
    network = Network(clock, [OK + b"ok", OK + b"ok"])
    ours = transport(network)
    for _ in range(2):
        response = ours.handle_request(request())
        assert list(response.stream) == [b"ok"]
        response.close()
        network.is_readable = True
    assert network.kinds().count("connect") == 2


def test_a_connection_is_used_again_until_the_transport_is_closed(clock, transport):
    network = Network(clock, [OK + b"ok", OK + b"ok"])
    ours = transport(network)
    for _ in range(2):
        response = ours.handle_request(request())
        assert list(response.stream) == [b"ok"]
        response.close()
    assert network.kinds().count("connect") == 1
    assert "close" not in network.kinds()
    ours.close()
    assert network.kinds()[-1] == "close"


def test_a_response_that_is_closed_half_read_closes_its_connection(clock, transport):
    network = Network(clock, [OK + b"o"])
    response = transport(network).handle_request(request())
    assert next(iter(response.stream)) == b"o"
    response.close()
    assert network.kinds()[-1] == "close"


def test_all_that_a_request_does_shares_one_time(clock, transport):
    network = Network(clock, [b"HTTP/1.1 200 OK\r\n", b"Content-Length: 2\r\n\r\no", b"k"], 7.0)
    response = transport(network, 60).handle_request(request("https://memvara.test/"))
    assert list(response.stream) == [b"o", b"k"]
    assert [what[-1] for what in network.done] == [10, 10, 46.0, 39.0, 32.0, 25.0]
    assert network.kinds() == ["connect", "tls", "write", "read", "read", "read"]


def test_the_next_request_has_all_its_time(clock, transport):
    network = Network(clock, [OK + b"ok", OK + b"ok"], 8)
    ours = transport(network, 25)
    for _ in range(2):
        response = ours.handle_request(request())
        assert list(response.stream) == [b"ok"]
        response.close()
    assert [what[-1] for what in network.done] == [10, 17.0, 9.0, 25.0, 17.0]


@pytest.mark.parametrize("seconds", [10, 7, 0.75])
def test_an_answer_that_trickles_in_ends_with_the_time(seconds, clock, transport):
    drip: list[bytes | Exception] = [bytes([byte]) for byte in OK]
    network = Network(clock, drip, seconds)
    with pytest.raises(httpx.ReadTimeout) as caught:
        transport(network, 20).handle_request(request())
    assert clock.now == 1020
    assert isinstance(caught.value.__cause__, httpcore.ReadTimeout)


def test_nothing_is_begun_when_the_time_is_over(clock, transport):
    network = Network(clock, [OK + b"ok"], 10)
    with pytest.raises(httpx.ReadTimeout):
        transport(network, 20).handle_request(request())
    assert network.kinds() == ["connect", "write", "close"]


def test_whatever_has_no_timeout_has_what_is_left(clock):
    network = Network(clock, [b"ab", b"c"])
    backend = Backend(network, lambda timeout: 55.0 if timeout is None else timeout)
    stream = backend.connect_tcp("memvara.test", 1)
    stream.start_tls(ssl.create_default_context())
    stream.write(b"a")
    assert stream.read(2) == b"ab"
    backend.connect_tcp("memvara.test", 1, 2.0, "127.0.0.1", socket_options=[])
    backend.connect_tcp("memvara.test", 1, 2.0).write(b"a", 4.0)
    assert stream.read(3, 5.0) == b"c"
    assert network.done == [
        ("connect", "memvara.test", 1, 55.0),
        ("tls", None, 55.0),
        ("write", 1, 55.0),
        ("read", 2, 55.0),
        ("connect", "memvara.test", 1, "127.0.0.1", "socket_options", 2.0),
        ("connect", "memvara.test", 1, 2.0),
        ("write", 1, 4.0),
        ("read", 3, 5.0),
    ]


def test_a_request_without_timeouts_has_the_time_of_the_whole(clock, transport):
    network = Network(clock, [OK + b"ok"], 1)
    asked = httpx.Request("GET", "http://memvara.test/")
    assert list(transport(network, 50).handle_request(asked).stream) == [b"ok"]
    assert [what[-1] for what in network.done] == [50.0, 49.0, 48.0]


def test_a_body_that_trickles_in_ends_with_the_time(clock, transport):
    network = Network(clock, [OK + b"o", b"k"], 10)
    response = transport(network, 35).handle_request(request())
    with pytest.raises(httpx.ReadTimeout):
        list(response.stream)
    assert clock.now == 1035


def test_a_body_is_written_in_pieces_that_each_have_what_is_left(clock, transport):
    network = Network(clock, [OK + b"ok"], 1)
    body = bytes(range(256)) * 256 + b"ab"
    transport(network, 120).handle_request(request(body=body))
    writes = [what[1:] for what in network.done if what[0] == "write"]
    assert writes[1:] == [(65536, 118.0), (2, 117.0)]
    assert network.written.endswith(body)


@pytest.mark.parametrize("name", ["ConnectError", "ReadError", "ReadTimeout", "ConnectTimeout"])
def test_an_error_has_the_same_name_in_httpx(name, clock, transport):
    network = Network(clock, [getattr(httpcore, name)("why")])
    with pytest.raises(getattr(httpx, name)) as caught:
        transport(network).handle_request(request())
    assert str(caught.value) == "why"
    assert type(caught.value.__cause__) is getattr(httpcore, name)


@pytest.mark.parametrize("answer", [[b"220 mail.test ready\r\n\r\n"], [b""], [OK + b"o", b""]])
def test_an_answer_that_is_no_http_or_breaks_off_is_a_broken_protocol(answer, clock, transport):
    with pytest.raises(httpx.RemoteProtocolError):
        list(transport(Network(clock, answer)).handle_request(request()).stream)


def test_a_pool_that_is_given_nothing_makes_connections_of_the_system():
    with pytest.raises(httpx.ConnectError) as caught:
        Transport(5).handle_request(request("http://127.0.0.1:1/"))
    assert fault(caught.value, LIMITS) == ("no connection", "Connection refused")


# What went wrong, in words


def caused(error: httpx.HTTPError, *cause: Exception) -> httpx.HTTPError:
    """`error`, which comes from an error of httpcore that is made of `cause`."""
    error.__cause__ = httpcore.ConnectError(*cause)
    return error


REFUSED = ConnectionRefusedError(111, "Connection refused")


@pytest.mark.parametrize(
    ("error", "words", "detail"),
    [
        (httpx.ConnectTimeout("x"), "no connection within 2 s", ""),
        (httpx.ReadTimeout("x"), "no whole answer within 9 s", ""),
        (httpx.WriteTimeout("x"), "no whole answer within 9 s", ""),
        (httpx.ConnectError("x"), "no connection", ""),
        (caused(httpx.ConnectError("x"), REFUSED), "no connection", "Connection refused"),
        (caused(httpx.ConnectError("x")), "no connection", ""),
        (caused(httpx.ConnectError("x"), ValueError("y")), "no connection", ""),
        (caused(httpx.ConnectError("x"), OSError("y")), "no connection", ""),
        (httpx.ReadError("x"), "the connection broke", ""),
        (
            caused(httpx.WriteError("x"), BrokenPipeError(32, "Broken pipe")),
            "the connection broke",
            "Broken pipe",
        ),
        (httpx.RemoteProtocolError("x"), "the answer breaks off or is no HTTP", "x"),
        (httpx.LocalProtocolError("x"), "it can't be sent", "x"),
    ],
)
def test_a_fault_is_said_in_words_of_ours_and_one_of_the_system_or_the_server(error, words, detail):
    assert fault(error, LIMITS) == (words, detail)


def test_a_fault_of_tls_is_said_by_its_name():
    error = ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)")
    error.reason = "WRONG_VERSION_NUMBER"
    said = fault(caused(httpx.ConnectError("x"), error), LIMITS)
    assert said == ("no connection", "WRONG_VERSION_NUMBER")
