"""The provider against a real server that misbehaves on purpose, a row of a table for each way.

Whatever it does, a call ends within the promised time, in success or in one line; the key is in
no output and reaches no other host; and every session is stored exactly once in the end.
"""

import gzip
import json
import logging
import os
import re
import socket
import socketserver
import struct
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from reference.client import Client, ClientError
from reference.items import Turn
from reference.knobs import Knobs
from reference.provider import Provider, Session, initialize
from reference.requests import RequestError
from reference.retries import LIMITS, Limits

KEY = "k3y-of-the-test"
TAG = "run 1"
NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT
SESSIONS = [
    Session(f"q-session-{number}", None, [{"role": "user", "content": f"é {number}"}])
    for number in range(3)
]
ROOT = Path(__file__).parents[3]
WRITES, READS = "/v1/memories", "/v1/search"
HIT = {"kind": "episode", "score": 1, "episode": {"role": "user", "ts": "T", "content": "Hello"}}
FOUND = [Turn("user", "Hello", "T", score=1)]
PLAIN = {
    "/v1/whoami": {
        "token_id": "t1",
        "scope": {"tenant": "acme"},
        "effective_privilege": "write",
        "read_only": False,
    },
    "/v1/health": {"status": "ok", "memvara_version": "0.21.0"},
    "/v1/stats": {"visible": 3, "tenant_counts": {}},
    "/v1/erasures": {},
    READS: {"count": 1, "results": [HIT]},
}
SHORT = Limits(attempts=2, connect=0.1, attempt=0.1)  # for a server that says nothing or drips


class Fault(NamedTuple):
    """What the server does instead of answering, and whether it has stored the write by then."""

    act: Callable[["Connection", bytes], None]
    stores: bool = False


class Memvara(socketserver.ThreadingTCPServer):
    """Stores each session once, whatever it answers: a key that it knows gets its first receipt."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Connection)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.faults: dict[str, list[Fault]] = defaultdict(list)
        self.stored: list[tuple[str, str]] = []  # key and what was said, in order
        self.receipts: dict[str, bytes] = {}
        self.seen: list[tuple[str, bytes]] = []  # key and body of every write, stored or not
        self.heads: list[str] = []
        self.is_over = threading.Event()

    def answer(self, path: str, key: str, body: bytes) -> bytes:
        """What a server that behaves would send."""
        if path != WRITES:
            return json.dumps(PLAIN[path]).encode()
        if key not in self.receipts:
            self.stored.append((key, json.loads(body)["messages"][0]["content"]))
            receipt = {"episode_ids": [f"e{len(self.stored)}"], "added": 1}
            self.receipts[key] = json.dumps(receipt).encode()
        return self.receipts[key]

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: the client went away."""


class Connection(socketserver.StreamRequestHandler):
    """One connection, kept alive until an act closes it."""

    server: Memvara
    is_open = True

    def handle(self) -> None:
        """Misbehave as long as there is a fault for a path, then behave."""
        while self.is_open and (head := self._head()):
            path = re.split("[ ?]", head)[1]
            length = re.search(r"(?i)^content-length: (\d+)", head, re.MULTILINE)
            key = re.search(r"(?i)^idempotency-key: (\S+)", head, re.MULTILINE)
            body = self.rfile.read(int(length[1])) if length else b""
            self.server.heads.append(head)
            named = key[1] if key else ""
            if path == WRITES:
                self.server.seen.append((named, body))
            faults = self.server.faults[path]
            fault = faults.pop(0) if faults else Fault(Connection.reply, stores=True)
            fault.act(self, self.server.answer(path, named, body) if fault.stores else b"")

    def _head(self) -> str:
        lines = []
        while (line := self.rfile.readline()) not in (b"\r\n", b""):
            lines.append(line.decode("latin-1").strip())
        return "\n".join(lines)

    def say(self, data: bytes) -> None:
        """Send raw bytes."""
        self.connection.sendall(data)

    def reply(self, body: bytes, status: int = 200, headers: str = "", missing: int = 0) -> None:
        """Send a response that lacks the last `missing` bytes that it promises."""
        length = len(body) + missing
        head = f"HTTP/1.1 {status} Status\r\nContent-Length: {length}\r\n{headers}\r\n"
        self.say(head.encode() + body)
        self.is_open = not missing

    def go_on(self) -> None:
        """Take the next request."""

    def hang_up(self) -> None:
        """Close the connection."""
        self.is_open = False

    def reset(self) -> None:
        """Cut the connection so that the other side sees a reset."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(self.connection.detach())
        self.is_open = False


# Acts


def answers(status: int, body: bytes | str = b"", headers: str = "", stores: bool = False) -> Fault:
    sent = body if isinstance(body, bytes) else body.encode()
    return Fault(lambda connection, _: connection.reply(sent, status, headers), stores)


def says(*parts: bytes, then: Callable[[Connection], None] = Connection.hang_up) -> Fault:
    """Nothing but these bytes, in which RECEIPT stands for the right body; the write is stored."""

    def act(connection: Connection, receipt: bytes) -> None:
        for part in parts:
            connection.say(part.replace(b"RECEIPT", receipt))
        then(connection)

    return Fault(act, stores=True)


def drips(start: bytes, drop: bytes, seconds: float, stores: bool = True) -> Fault:
    """After `start` a drop at a time, until the other side or the test is over."""

    def act(connection: Connection, receipt: bytes) -> None:
        connection.say(start)
        while not connection.server.is_over.wait(seconds):
            connection.say(drop)

    return Fault(act, stores)


def falls_silent(connection: Connection, receipt: bytes) -> None:
    connection.server.is_over.wait()


def limited(header: str = "", body: str = "") -> Fault:
    return answers(429, body, header and f"Retry-After: {header}\r\n")


def chunked(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)


OK = b"HTTP/1.1 200 OK\r\n"
WHOLE = OK + b"Content-Length: 35\r\n\r\nRECEIPT"  # of receipts of this length
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
LARGE = 64 * 2**20


class Row(NamedTuple):
    """The faults of the first write, and what comes of them."""

    faults: list[Fault]
    waits: Sequence[float] | None = ()  # before success or failure; None: as it happens
    line: str = ""  # after method and path; none: every session is stored
    limits: Limits = LIMITS


FAILED = [0.5, 1.0, 2.0, 4.0]
BROKEN = "the answer breaks off or is no HTTP: "
TABLE = {
    # Connections
    "reset-before-the-answer-and-not-stored": Row(
        [Fault(lambda connection, _: connection.reset())], [0.5]
    ),
    "reset-before-the-answer-and-stored": Row([says(then=Connection.reset)] * 4, FAILED),
    "reset-in-the-head": Row([says(OK[:9], then=Connection.reset)], [0.5]),
    "reset-in-the-body": Row([says(WHOLE[:-3], then=Connection.reset)], [0.5]),
    "reset-after-the-body": Row([says(WHOLE, then=Connection.reset)], waits=None),
    "closed-before-the-answer": Row([says()], [0.5]),
    "closed-in-the-head": Row([says(OK)], [0.5]),
    "always-closed": Row([says()] * 5, FAILED, BROKEN + "'Server disconnected"),
    # Time
    "silent": Row([Fault(falls_silent)] * 2, [0.5], "no whole answer within 0.1 s", SHORT),
    "silent-once-it-is-stored": Row(
        [Fault(falls_silent, stores=True)] * 2, [0.5], "no whole answer within 0.1 s", SHORT
    ),
    "a-head-that-drips": Row(
        [drips(OK, b"X", 0.01)] * 2, [0.5], "no whole answer within 0.1 s", SHORT
    ),
    "a-body-that-drips": Row(
        [drips(WHOLE[:-7], b" ", 0.01)] * 2, [0.5], "no whole answer within 0.1 s", SHORT
    ),
    "a-body-that-drips-at-every-wait": Row(
        [drips(b"HTTP/1.1 429 Slow\r\nContent-Length: 99\r\n\r\n", b" ", 0.01)] * 2,
        [0.5],
        "no whole answer within 0.1 s",
        SHORT,
    ),
    "a-head-that-is-only-announced-for-ever": Row(
        [drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.0001)] * 2,
        [0.5],
        "no whole answer within 0.1 s",
        SHORT,
    ),
    # HTTP
    "another-protocol": Row([says(b"220 mail.test ready\r\n\r\n")], [0.5]),
    "half-a-status-line": Row([says(b"HTTP/1.1 2")], [0.5]),
    "a-head-without-an-end": Row([says(OK + b"A: " + b"a" * 200_000)] * 5, FAILED, BROKEN),
    "two-lengths": Row(
        [says(OK + b"Content-Length: 5\r\nContent-Length: 35\r\n\r\nRECEIPT")] * 5, FAILED, BROKEN
    ),
    "a-body-cut-short": Row(
        [Fault(lambda connection, body: connection.reply(body[:-5], missing=5), True)], [0.5]
    ),
    "chunks": Row(
        [says(CHUNKED + chunked(b'{"episode_ids":[],', b'"added":0}', b""), then=Connection.go_on)]
    ),
    "chunks-cut-short": Row([says(CHUNKED + chunked(b'{"episode_ids":[],'))], [0.5]),
    "chunks-of-no-size": Row([says(CHUNKED + b"junk\r\n")] * 5, FAILED, BROKEN),
    "no-length-at-all": Row([says(b"HTTP/1.0 200 OK\r\n\r\nRECEIPT")]),
    "more-than-the-length": Row([says(WHOLE + b"RECEIPT")], waits=None),
    "a-key-that-comes-back-in-the-protocol": Row(
        [says(OK + b"Bad header " + KEY.encode() + b"\r\n\r\n")] * 5, FAILED, BROKEN
    ),
    # Statuses
    "a-rate-limit-in-seconds": Row([limited("1")], [1.0]),
    "a-rate-limit-in-parts-of-a-second": Row([limited("0.25")], [0.25]),
    "a-rate-limit-of-an-hour": Row([limited("3600")], [5.0]),
    "a-rate-limit-with-a-date": Row([limited("Sun, 06 Nov 1994 08:49:40 GMT")], [3.0]),
    "a-rate-limit-with-an-old-date": Row([limited("Sunday, 06-Nov-94 08:49:40 GMT")], [3.0]),
    "a-rate-limit-with-the-oldest-date": Row([limited("Sun Nov  6 08:49:40 1994")], [3.0]),
    "a-rate-limit-in-its-body": Row(
        [limited(body='{"error":{"detail":{"retry_after":1.5}}}')], [1.5]
    ),
    "rate-limits-with-junk": Row(
        [
            limited("soon", '{"error":{"detail":{"retry_after":true}}}'),
            limited("-1", "\ud83d".encode("utf-16", "surrogatepass").decode("latin-1")),
            limited("2\r\nRetry-After: 3"),
        ],
        [0.5, 1.0, 2.0],
    ),
    "59-rate-limits": Row([limited()] * 59, [*FAILED, *[5.0] * 55]),
    "60-rate-limits": Row([limited(body="slow")] * 60, [*FAILED, *[5.0] * 55], "429: 'slow'$"),
    "a-storm-that-passes": Row([answers(status) for status in (500, 502, 503, 504)], FAILED),
    "a-storm-that-stays": Row(
        [answers(503, f"down, {KEY}")] * 5, FAILED, re.escape("503: 'down, ***'") + "$"
    ),
    "too-early-and-too-slow": Row([answers(425), answers(408)], [0.5, 1.0]),
    "an-error-once-it-is-stored": Row([answers(500, "oops", stores=True)], [0.5]),
    "a-refused-key": Row(
        [answers(401, "." * 297 + KEY)], line=re.escape(f"401: '{'.' * 297}***'") + "$"
    ),
    "nothing-to-say": Row([answers(204)], line="204: ''$"),
    "an-answer-that-moves-the-cursor": Row(
        [answers(400, "\x1b[2J\r\n\u202e\u2028\x85\x00")],
        line=re.escape(r"400: '\x1b[2J\r\n\u202e\u2028\x85\x00'") + "$",
    ),
    "a-redirect-to-a-path": Row(
        [answers(302, headers=f"Location: /login?key={KEY}\r\n")],
        line=r"302: '': it points to 'http://127\.0\.0\.1:\d+/login'$",
    ),
    "a-redirect-to-nowhere": Row(
        [answers(301, headers="Location: http://x:y/\r\n")],
        line="301: '': it points to 'what is no URL'$",
    ),
    # Bodies
    "a-byte-order-mark": Row([says(b"HTTP/1.0 200 OK\r\n\r\n\xef\xbb\xbfRECEIPT")]),
    "a-login-page": Row(
        [answers(200, f"<html>\n<p>Sign in, {KEY}")],
        line=re.escape("200: '<html>\\n<p>Sign in, ***': not JSON: line 1 column 1") + "$",
    ),
    "nothing": Row([answers(200)], line="200: '': not JSON: line 1 column 1$"),
    "null": Row([answers(200, "null")], line="200: 'null': expected a JSON object$"),
    "NaN": Row([answers(200, '{"added":NaN}')], line=".*: not JSON: NaN is not finite: line 1 "),
    "1e999": Row([answers(200, '{"added":1e999}')], line=".*: not JSON: 1e999 is not finite: "),
    "JSON-cut-short": Row([says(OK + b"\r\nRECEIPT"[:-3])], line="200: "),
    "brackets-without-end": Row(
        [answers(200, "[" * 2**20)], line=r"200: '\[{300}': not JSON: nested too deeply$"
    ),
    "gzip": Row(
        [answers(200, gzip.compress(b'{"added":1}'), "Content-Encoding: gzip\r\n")],
        line="200: '.x1f.*: 'utf-8' codec can't decode",
    ),
    "UTF-16": Row([answers(200, '{"added":1}'.encode("utf-16"))], line="200: .*utf-8. codec can't"),
    "another-shape": Row([answers(200, '{"added":1}')], line=".*: expected a field episode_ids$"),
    "64-MiB": Row(
        [answers(200, b" " * LARGE)], line="200: ' {300}': longer than 33,554,432 bytes$"
    ),
    "64-MiB-of-bytes-that-are-no-text": Row(
        [answers(404, b"\xff" * LARGE)], line="404: '\ufffd{300}'$"
    ),
}


@contextmanager
def served() -> Iterator[Memvara]:
    with Memvara() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.is_over.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def memvara() -> Iterator[Memvara]:
    with served() as server:
        yield server


class Said:
    """All that a client says: before its waits, in its logs and in its errors."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.told: list[str] = []


@pytest.fixture
def said(caplog, capfd) -> Iterator[Said]:
    """In the end the key stands in none of it, nor in any output, and every line is one."""
    caplog.set_level(logging.DEBUG, logger="memvara")
    found = Said()
    yield found
    records = caplog.get_records("setup") + caplog.get_records("call")
    lines = [*found.told, *(record.getMessage() for record in records)]
    assert all(line.isprintable() for line in lines)
    assert KEY not in "".join([*lines, *capfd.readouterr()])


def provider(memvara: Memvara, said: Said, limits: Limits = LIMITS) -> Provider:
    client = Client(
        memvara.url,
        KEY,
        limits=limits,
        tell=said.told.append,
        sleep=said.waits.append,
        now=lambda: NOW,
    )
    return Provider(client, Knobs.from_env({}))


def is_stored_once(memvara: Memvara) -> bool:
    """Whether every session was stored once, in order, and every retry was the same write."""
    expected = [(f"run%201:q-session-{number}", f"é {number}") for number in range(3)]
    return memvara.stored == expected and len(set(memvara.seen)) == 3


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_a_call_ends_in_time_in_success_or_one_line_and_every_session_is_stored_once(
    row, memvara, said
):
    memvara.faults[WRITES] = list(row.faults)
    hostile = provider(memvara, said, row.limits)
    start = time.monotonic()
    failure = ""
    try:
        hostile.ingest(TAG, SESSIONS)
    except ClientError as error:
        failure = str(error)
    took = time.monotonic() - start
    hostile.client.close()

    assert memvara.faults[WRITES] == []
    assert bool(failure) is bool(row.line)
    assert re.match(f"POST /v1/memories\\?user=run%201: {row.line}" if row.line else "$", failure)
    assert failure.isprintable()
    assert len(failure) < 3500
    said.told.append(failure)
    assert row.waits is None or said.waits == list(row.waits)
    assert took + sum(said.waits) < row.limits.longest() * len(SESSIONS)

    later = provider(memvara, said)
    assert later.ingest(TAG, SESSIONS) == 3
    assert later.search("q", TAG) == FOUND
    later.client.close()
    assert is_stored_once(memvara)


def test_every_session_is_stored_once_through_all_that_can_be_survived_in_turn(memvara, said):
    hostile = provider(memvara, said)
    for row in TABLE.values():
        if not row.line:
            memvara.faults[WRITES] = list(row.faults)
            assert hostile.ingest(TAG, SESSIONS) == 3
    hostile.client.close()
    assert is_stored_once(memvara)


def test_every_call_survives_a_fault(memvara, said):
    cut = Fault(lambda connection, body: connection.reply(body[:-5], missing=5), stores=True)
    asked = ["/v1/whoami", "/v1/health", READS, "/v1/stats"]
    for path in asked:
        memvara.faults[path] = [answers(503), Fault(lambda connection, _: connection.reset()), cut]
    env = {"MEMVARA_API_KEY": KEY, "MEMVARA_BASE_URL": memvara.url}
    found = initialize(env, sleep=said.waits.append, tell=said.told.append)
    assert found.search("q", TAG) == FOUND
    assert found.await_indexing(TAG) == PLAIN["/v1/stats"]
    found.client.close()
    assert said.waits == [0.5, 1.0, 2.0] * len(asked)
    assert [line.partition(": ")[0] for line in said.told[::3]] == [
        "GET /v1/whoami",
        "GET /v1/health",
        "POST /v1/search?user=run%201",
        "GET /v1/stats?user=run%201",
    ]


@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308])
def test_a_redirect_to_another_host_is_named_and_nothing_is_sent_there(status, memvara, said):
    with served() as other:
        location = f"http://user:{KEY}@127.0.0.1:{other.server_address[1]}/v1/search?key={KEY}"
        memvara.faults[READS] = [answers(status, "moved", f"Location: {location}\r\n")]
        hostile = provider(memvara, said)
        with pytest.raises(ClientError) as caught:
            hostile.search("q", TAG)
        hostile.client.close()
        assert str(caught.value) == (
            f"POST /v1/search?user=run%201: {status}: 'moved': it points to '{other.url}/v1/search'"
        )
        assert other.heads == []
    assert (len(memvara.heads), said.waits) == (1, [])


def test_hits_of_unknown_kinds_are_passed_over_and_counted(memvara, said):
    kinds = [{"kind": "fact"}, {"kind": f"\n{KEY}"}, {"kind": None}, "episode"]
    body = json.dumps({"results": [*kinds, HIT, {"kind": "fact"}]})
    memvara.faults[READS] = [answers(200, body)]
    hostile = provider(memvara, said)
    assert hostile.search("q", TAG) == hostile.search("q", TAG) == FOUND
    hostile.client.close()
    assert hostile.client.passed_over == {"'fact'": 2, "'\\n***'": 1, "null": 1, "'episode'": 1}
    assert said.told == []


def test_a_hit_without_its_fields_is_named_by_its_position(memvara, said):
    lacking = json.dumps({"results": [HIT, {"kind": "episode"}]})
    memvara.faults[READS] = [answers(200, lacking)]
    hostile = provider(memvara, said)
    with pytest.raises(ClientError) as caught:
        hostile.search("q", TAG)
    hostile.client.close()
    assert str(caught.value) == (
        f"POST /v1/search?user=run%201: 200: '{lacking}': "
        "results[1].episode: expected an object, found nothing"
    )


def test_a_server_that_is_not_there_is_tried_five_times(said):
    with socket.socket() as taken:  # bound and not listening: connections are refused
        taken.bind(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        env = {"MEMVARA_API_KEY": KEY, "MEMVARA_BASE_URL": base_url}
        with pytest.raises(ClientError) as caught:
            initialize(env, sleep=said.waits.append, tell=said.told.append)
    assert str(caught.value) == "GET /v1/whoami: no connection: 'Connection refused'"
    assert said.waits == [0.5, 1.0, 2.0, 4.0]
    assert said.told[3].endswith(": failed attempt 4 of 5, the next attempt in 4 s")


@pytest.mark.parametrize("host", ["memvara..test", "x" * 64])
def test_a_host_that_no_resolver_takes_fails_before_anything_is_sent(host):
    env = {"MEMVARA_API_KEY": KEY, "MEMVARA_BASE_URL": f"http://{host}"}
    with pytest.raises(RequestError, match="the base URL must be"):
        initialize(env)


def test_a_proxy_in_the_environment_is_not_asked(memvara, said, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    found = provider(memvara, said)
    assert found.await_indexing(TAG) == PLAIN["/v1/stats"]
    found.client.close()


# The command


def test_a_run_says_what_it_waits_for_and_counts_unknown_hits_and_keeps_the_key_to_itself(
    memvara, inside, tmp_path
):
    question = {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "How many hives?",
        "question_date": "2024/05/02 (Thu) 08:15",
        "answer": 3,
        "haystack_dates": ["2024/05/01 (Wed) 07:00"],
        "haystack_session_ids": ["s1"],
        "haystack_sessions": [[{"role": "user", "content": "Three.", "has_answer": True}]],
    }
    data = tmp_path / "data.json"
    data.write_text(json.dumps([question, question | {"question_id": "q2"}]))
    memvara.faults[WRITES] = [
        limited("0.001", f"slow, {KEY}"),
        answers(503, "", "Retry-After: .001\r\n"),
    ]
    unknown = json.dumps({"results": [HIT, {"kind": "fact"}, {"kind": f"\n{KEY}"}]})
    memvara.faults[READS] = [answers(200, unknown), answers(200, unknown)]
    run = ("arms", str(data), "--arms", "default", "--jobs", "1", "--run", str(tmp_path / "run"))
    done = inside(ROOT, *run, "--url", memvara.url, "--json", env={"MEMVARA_API_KEY": KEY})
    assert done.returncode == 0
    note = "hits of unknown kinds were passed over: 2 'fact', 2 '\\n***'"
    write = "goldens: POST /v1/memories?user=goldens-q1"
    assert done.stderr.decode().splitlines() == [
        f"goldens: {memvara.url}: {LIMITS.promise()}",
        f"{write}: 429: 'slow, ***': rate limit 1 of 60, the next attempt in 0.001 s",
        f"{write}: 503: '': failed attempt 1 of 5, the next attempt in 0.001 s",
        f"goldens: warning: {note}",
    ]
    assert json.loads(done.stdout)["notes"] == [note]
    assert [key for key, _ in memvara.stored] == [
        "goldens-q1:q1-session-0",
        "goldens-q2:q2-session-0",
    ]
    again = inside(ROOT, *run, "--url", memvara.url, env={"MEMVARA_API_KEY": KEY})
    assert again.stderr.decode().splitlines()[1:] == [f"goldens: warning: {note}"]
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in each for each in (*written, done.stdout, again.stdout))
