"""The provider against a real server that misbehaves on purpose: it survives, or says one line."""

import json
import logging
import os
import socket
import struct
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

import pytest

from reference.client import ClientError
from reference.items import Turn
from reference.provider import Provider, Session, initialize

KEY = "k3y-of-the-test"
TAG = "run 1"
NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT
SESSIONS = [
    Session(f"q-session-{number}", None, [{"role": "user", "content": f"é {number}"}])
    for number in range(3)
]
WRITES, READS = "/v1/memories", "/v1/search"
HIT = {"kind": "episode", "score": 1, "episode": {"role": "user", "ts": "T", "content": "Hello"}}
PLAIN = {
    "/v1/whoami": {
        "token_id": "t1",
        "scope": {"tenant": "acme"},
        "effective_privilege": "write",
        "read_only": False,
    },
    "/v1/health": {"status": "ok", "memvara_version": "0.21.0"},
    "/v1/stats": {"visible": 3, "tenant_counts": {}},
    READS: {"count": 1, "results": [HIT]},
}


class Fault(NamedTuple):
    """What the server does instead of answering, and whether it has stored the write by then."""

    act: Callable[["Handler", bytes], None]
    stores: bool = False


class Memvara(ThreadingHTTPServer):
    """Stores each session once, whatever it answers: a key that it knows gets its first receipt."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.faults: dict[str, list[Fault]] = defaultdict(list)
        self.stored: list[tuple[str, str]] = []  # key and what was said, in order
        self.receipts: dict[str, bytes] = {}
        self.seen: list[tuple[str, bytes]] = []  # key and body of every write, stored or not
        self.calls = 0

    def answer(self, path: str, key: str, body: bytes) -> bytes:
        """What a server that behaves would send."""
        if path != WRITES:
            return json.dumps(PLAIN[path]).encode()
        if key not in self.receipts:
            self.stored.append((key, json.loads(body)["messages"][0]["content"]))
            receipt = {"episode_ids": [f"e{len(self.stored)}"], "added": 1}
            self.receipts[key] = json.dumps(receipt).encode()
        return self.receipts[key]


class Handler(BaseHTTPRequestHandler):
    """One connection, kept alive."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet per answer: two would wait for each other
    server: Memvara

    def do_POST(self) -> None:
        """Misbehave as long as there is a fault for this path, then behave."""
        self.server.calls += 1
        path = self.path.partition("?")[0]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        key = self.headers.get("Idempotency-Key", "")
        if path == WRITES:
            self.server.seen.append((key, body))
        faults = self.server.faults[path]
        fault = faults.pop(0) if faults else Fault(Handler.reply, stores=True)
        fault.act(self, self.server.answer(path, key, body) if fault.stores else b"")

    do_GET = do_POST

    def reply(
        self,
        body: bytes,
        status: int = 200,
        missing: int = 0,
        headers: dict[str, str] | None = None,
    ) -> None:
        """Send a response that lacks the last `missing` bytes that it promises."""
        self.send_response(status)
        for name, value in {**(headers or {}), "Content-Length": str(len(body) + missing)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = missing > 0

    def reset(self, _: bytes) -> None:
        """Cut the connection so that the other side sees a reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())
        self.close_connection = True

    def hang_up(self, _: bytes) -> None:
        """Close the connection without an answer."""
        self.close_connection = True

    def babble(self, _: bytes) -> None:
        """Answer in no protocol at all."""
        self.wfile.write(b"220 mail.test ready\r\n\r\n")
        self.close_connection = True

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing."""


def answers(status: int, body: bytes | str = b"", stores: bool = False, **headers: str) -> Fault:
    sent = body if isinstance(body, bytes) else body.encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Fault(lambda handler, _: handler.reply(sent, status, headers=named), stores)


def truncated(handler: Handler, answer: bytes) -> None:
    handler.reply(answer[:-5], missing=5)


@pytest.fixture
def memvara() -> Iterator[Memvara]:
    with Memvara() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def provider(memvara: Memvara, waits, caplog, capfd) -> Iterator[Provider]:
    """A provider that has met `memvara`; in the end the key stands in no output and no log."""
    caplog.set_level(logging.DEBUG)
    host, port = memvara.server_address[:2]
    env = {"MEMVARA_API_KEY": KEY, "MEMVARA_BASE_URL": f"http://{host}:{port}"}
    found = initialize(env, sleep=waits.append, now=lambda: NOW)
    yield found
    found.client.close()
    records = caplog.get_records("setup") + caplog.get_records("call")
    said = "\n".join(record.getMessage() for record in records)
    assert "memvara 0.21.0 at http://127.0.0.1" in said
    assert KEY not in said + "".join(capfd.readouterr())


def is_stored_once(memvara: Memvara) -> bool:
    """Whether every session was stored once, in order, and every retry was the same write."""
    expected = [(f"run%201:q-session-{number}", f"é {number}") for number in range(3)]
    return memvara.stored == expected and len(set(memvara.seen)) == 3


SURVIVED = {
    "a-rate-limit-with-seconds": ([answers(429, Retry_After="0.25")], [0.25]),
    "a-rate-limit-with-a-date": (
        [answers(429, Retry_After="Sun, 06 Nov 1994 08:49:40 GMT")],
        [3.0],
    ),
    "a-rate-limit-with-a-wait-in-its-body": (
        [answers(429, '{"error":{"detail":{"retry_after":1.5}}}')],
        [1.5],
    ),
    "rate-limits-with-junk": (
        [
            answers(429, '{"error":{"detail":{"retry_after":true}}}', Retry_After="soon"),
            answers(429, b"\xff", Retry_After="-1"),
        ],
        [0.5, 1.0],
    ),
    "a-server-that-is-not-there-yet": ([answers(503), answers(502), answers(504)], [0.5, 1.0, 2.0]),
    "a-reset-before-the-write-was-stored": ([Fault(Handler.reset)], [0.5]),
    "a-reset-after-the-write-was-stored": ([Fault(Handler.reset, stores=True)] * 4, [0.5, 1, 2, 4]),
    "a-connection-closed-after-the-write-was-stored": (
        [Fault(Handler.hang_up, stores=True)],
        [0.5],
    ),
    "an-error-after-the-write-was-stored": ([answers(500, "oops", stores=True)], [0.5]),
    "a-body-cut-short-after-the-write-was-stored": ([Fault(truncated, stores=True)], [0.5]),
    "another-protocol": ([Fault(Handler.babble)], [0.5]),
    "59-rate-limits-in-a-row": ([answers(429)] * 59, [0.5, 1.0, 2.0, 4.0] + [5.0] * 55),
}


@pytest.mark.parametrize(("faults", "expected"), SURVIVED.values(), ids=SURVIVED)
def test_every_session_is_stored_once_through(faults, expected, memvara, provider, waits):
    memvara.faults[WRITES] = list(faults)
    assert provider.ingest(TAG, SESSIONS) == 3
    assert is_stored_once(memvara)
    assert waits == expected


def test_every_session_is_stored_once_through_all_of_them_in_turn(memvara, provider):
    for faults, _ in SURVIVED.values():
        memvara.faults[WRITES] = list(faults)
        assert provider.ingest(TAG, SESSIONS) == 3
    assert is_stored_once(memvara)


def test_every_call_survives_a_fault(memvara, provider, waits):
    for path in ("/v1/search", "/v1/stats"):
        memvara.faults[path] = [answers(503), Fault(Handler.reset), Fault(truncated, stores=True)]
    assert provider.search("q", TAG) == [Turn("user", "Hello", "T", score=1)]
    assert provider.await_indexing(TAG) == PLAIN["/v1/stats"]
    assert waits == [0.5, 1.0, 2.0] * 2


SEARCH = "POST /v1/search?user=run%201"
LACKING = json.dumps({"results": [HIT, {"kind": "episode"}]})
REFUSED = {
    "a-login-page": (
        answers(200, f"<html>\n<p>Sign in, {KEY}"),
        f"{SEARCH}: 200: '<html>\\n<p>Sign in, ***': Expecting value: line 1 column 1 (char 0)",
    ),
    "NaN": (
        answers(200, '{"results":[NaN]}'),
        f"{SEARCH}: 200: '{{\"results\":[NaN]}}': NaN is no JSON value",
    ),
    "JSON-cut-short": (
        answers(200, '{"results":['),
        f"{SEARCH}: 200: '{{\"results\":[': Expecting value: line 1 column 13 (char 12)",
    ),
    "nothing": (answers(200), f"{SEARCH}: 200: '': Expecting value: line 1 column 1 (char 0)"),
    "a-hit-without-its-episode": (
        answers(200, LACKING),
        f"{SEARCH}: 200: '{LACKING}': results[1].episode: expected an object, found nothing",
    ),
    "a-body-that-is-not-gzip": (
        answers(200, "plain", Content_Encoding="gzip"),
        f"{SEARCH}: 200: 'plain': Expecting value: line 1 column 1 (char 0)",
    ),
    "a-redirect": (answers(302, Location="/login"), f"{SEARCH}: 302: ''"),
    "a-refused-key": (
        answers(401, "." * 297 + KEY),
        f"{SEARCH}: 401: '{'.' * 297}***'",
    ),
}


@pytest.mark.parametrize(("fault", "line"), REFUSED.values(), ids=REFUSED)
def test_one_line_is_said_at_once_of(fault, line, memvara, provider, waits):
    memvara.faults[READS] = [fault]
    calls = memvara.calls
    with pytest.raises(ClientError) as caught:
        provider.search("q", TAG)
    assert str(caught.value) == line
    assert (memvara.calls - calls, waits) == (1, [])
    assert provider.search("q", TAG) == [Turn("user", "Hello", "T", score=1)]


LOST = {
    "a-server-that-stays-down": ([answers(503, "down")] * 5, "503: 'down'", 5),
    "a-server-that-always-hangs-up": (
        [Fault(Handler.hang_up)] * 5,
        "RemoteProtocolError: Server disconnected without sending a response.",
        5,
    ),
    "sixty-rate-limits-in-a-row": ([answers(429, "slow")] * 60, "429: 'slow'", 60),
}


@pytest.mark.parametrize(("faults", "line", "attempts"), LOST.values(), ids=LOST)
def test_one_line_is_said_in_the_end_of(faults, line, attempts, memvara, provider, waits):
    memvara.faults[WRITES] = list(faults)
    with pytest.raises(ClientError) as caught:
        provider.ingest(TAG, SESSIONS)
    assert str(caught.value) == f"POST /v1/memories?user=run%201: {line}"
    assert (len(memvara.seen), len(waits)) == (attempts, attempts - 1)
    assert memvara.stored == []
    assert provider.ingest(TAG, SESSIONS) == 3
    assert is_stored_once(memvara)


def test_a_server_that_is_not_there_is_tried_five_times():
    with socket.socket() as taken:  # bound and not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        waits: list[float] = []
        env = {"MEMVARA_API_KEY": KEY, "MEMVARA_BASE_URL": base_url}
        with pytest.raises(ClientError, match="GET /v1/whoami: ConnectError: ") as caught:
            initialize(env, sleep=waits.append)
    assert "\n" not in str(caught.value)
    assert waits == [0.5, 1.0, 2.0, 4.0]


@pytest.mark.parametrize("host", ["memvara..test", "x" * 64])
def test_a_host_that_no_resolver_takes_fails_at_once(host):
    waits: list[float] = []
    env = {"MEMVARA_API_KEY": KEY, "MEMVARA_BASE_URL": f"http://{host}"}
    with pytest.raises(ClientError, match="GET /v1/whoami: UnicodeError: "):
        initialize(env, sleep=waits.append)
    assert waits == []


def test_a_proxy_in_the_environment_is_not_asked(memvara, provider, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    host, port = memvara.server_address[:2]
    env = {"MEMVARA_API_KEY": KEY, "MEMVARA_BASE_URL": f"http://{host}:{port}"}
    found = initialize(env)
    assert found.await_indexing(TAG) == PLAIN["/v1/stats"]
    found.client.close()
