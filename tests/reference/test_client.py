"""How calls are sent, answered, tried again and refused: no network, no sleep, no clock."""

import inspect
import json
import time
from collections.abc import Iterator

import httpcore
import httpx
import pytest

from reference.client import LOG, Client, ClientError, Transient
from reference.items import Memory, Selection, Turn
from reference.knobs import Knobs
from reference.requests import RequestError
from reference.retries import Limits

BASE = "http://memvara.test:8080/base"
KEY = "k3y-of-the-test"
NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT
WHO = {
    "token_id": "t1",
    "scope": {"tenant": "acme"},
    "effective_privilege": "write",
    "read_only": False,
}
HEALTH = {"status": "ok", "memvara_version": "0.21.0"}
RECEIPT = {"episode_ids": ["e1"], "added": 1}
STATS = {"visible": 3, "tenant_counts": {}}
EPISODE = {"id": "e1", "role": "user", "ts": "T", "content": "Hello"}
HIT = {"kind": "episode", "score": 0.25, "episode": EPISODE}
DEFAULTS = Knobs.from_env({})


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    """A call that reaches for the network fails at once."""

    def handle(pool, request):
        raise AssertionError(f"there is no network here: {request.url}")

    monkeypatch.setattr(httpcore.ConnectionPool, "handle_request", handle)


class Server:
    """Gives its answers in turn, raises those that are errors, and fails when it has no more."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []
        self.told: list[str] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self, base_url: str = BASE, key: str = KEY, **options) -> Client:
        """A client of this server that notes its waits and what it says of them."""
        options = {"tell": self.told.append, "sleep": self.waits.append} | options
        transport = httpx.MockTransport(self)
        return Client(base_url, key, transport=transport, now=lambda: NOW, **options)


class Stream(httpx.SyncByteStream):
    """A body as it comes from the network, raising those of its parts that are errors."""

    def __init__(self, *parts: bytes | Exception) -> None:
        self.parts = parts
        self.is_closed = False

    def __iter__(self) -> Iterator[bytes]:
        for part in self.parts:
            if isinstance(part, Exception):
                raise part
            yield part

    def close(self) -> None:
        self.is_closed = True


def limited(**options) -> httpx.Response:
    return httpx.Response(429, **options)


def answered(content: bytes | str, status: int = 200) -> httpx.Response:
    return httpx.Response(status, content=content)


def refusal(*answers, call=Client.whoami, key: str = KEY, **options) -> str:
    """What a call says that fails after exactly these answers."""
    server = Server(*answers)
    with pytest.raises(ClientError) as caught:
        call(server.client(key=key, **options))
    assert server.answers == []
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return str(caught.value)


def waits(*answers) -> list[float]:
    """The waits of a call that succeeds after these answers."""
    server = Server(*answers, httpx.Response(200, json=WHO))
    assert server.client().whoami() == WHO
    return server.waits


# What is sent


@pytest.mark.parametrize(
    ("call", "answer", "method", "path", "body"),
    [
        (Client.whoami, WHO, "GET", "/v1/whoami", ""),
        (Client.health, HEALTH, "GET", "/v1/health", ""),
        (
            lambda client: client.add([{"role": "user", "content": "Où?"}], "t'1", "s 1", "T"),
            RECEIPT,
            "POST",
            "/v1/memories?user=t'1",
            '{"messages":[{"role":"user","content":"Où?","ts":"T","metadata":{"sessionId":"s 1"}}],'
            '"ts":"T"}',
        ),
        (lambda client: client.stats("t 1"), STATS, "GET", "/v1/stats?user=t%201", ""),
        (
            lambda client: client.erase("(t)*!~/"),
            {},
            "POST",
            "/v1/erasures?user=(t)*!~%2F",
            '{"scope":{"user":"(t)*!~/"}}',
        ),
    ],
    ids=["whoami", "health", "add", "stats", "erase"],
)
def test_a_call_sends_its_request_and_gives_the_answer(call, answer, method, path, body):
    server = Server(httpx.Response(200, json=answer))
    assert call(server.client()) == answer
    (request,) = server.requests
    assert request.method == method
    assert str(request.url.copy_with(raw_path=b"/")) == "http://memvara.test:8080/"
    assert request.url.raw_path.decode() == f"/base{path}"
    assert request.content.decode() == body


def test_a_search_sends_its_request_and_gives_items():
    response = {"count": 1, "results": [HIT], "selection": {"outcome": "kept"}}
    server = Server(httpx.Response(200, json=response))
    items = server.client().search("Où?", "t", Knobs.from_env({"MEMVARA_RANKED": "1"}))
    assert items == [Turn("user", "Hello", "T", score=0.25), Selection(outcome="kept")]
    (request,) = server.requests
    assert request.url.raw_path == b"/base/v1/search?user=t"
    assert request.content.decode() == (
        '{"query":"Où?","k":30,"min_score":0,"include_episodes":true,"ranked":true}'
    )


@pytest.mark.parametrize("k", [1, 200])
def test_a_search_asks_for_as_many_hits_as_the_knob_says(k):
    server = Server(httpx.Response(200, json={"results": []}))
    knobs = Knobs.from_env({"MEMVARA_SEARCH_K": str(k)})
    assert server.client().search("q", "t", knobs) == []
    sent = json.loads(server.requests[0].content)
    assert sent == {"query": "q", "k": k, "min_score": 0, "include_episodes": True}


def test_every_request_carries_the_key_and_the_headers_of_its_call():
    server = Server(httpx.Response(200, json=WHO), httpx.Response(200, json=RECEIPT))
    client = server.client()
    client.whoami()
    client.add([], "t", "s", None)
    read, write = (request.headers.raw for request in server.requests)
    assert (b"Authorization", b"Bearer k3y-of-the-test") in read
    assert (b"Authorization", b"Bearer k3y-of-the-test") in write
    assert (b"Content-Type", b"application/json") in write
    assert (b"Idempotency-Key", b"t:s") in write


def test_every_request_asks_for_a_body_that_needs_no_decoding():
    server = Server(httpx.Response(200, json=WHO))
    server.client().whoami()
    assert (b"Accept-Encoding", b"identity") in server.requests[0].headers.raw


def test_a_cookie_that_a_server_sets_is_not_sent_back():
    server = Server(
        httpx.Response(503, headers={"Set-Cookie": "a=b; Path=/"}), httpx.Response(200, json=WHO)
    )
    server.client().whoami()
    assert [request.headers.get("Cookie") for request in server.requests] == [None, None]


def test_connecting_may_take_ten_seconds_and_anything_else_two_minutes():
    server = Server(httpx.Response(200, json=WHO))
    server.client().whoami()
    timeout = server.requests[0].extensions["timeout"]
    assert timeout == {"connect": 10, "read": 120, "write": 120, "pool": 120}


def test_a_proxy_in_the_environment_changes_nothing(monkeypatch):
    pools = []

    def handle(pool, request):
        pools.append(type(pool))
        raise httpcore.LocalProtocolError("there is no network here")

    monkeypatch.setattr(httpcore.ConnectionPool, "handle_request", handle)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://proxy.test:1")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    client = Client(BASE, KEY)
    with pytest.raises(ClientError):
        client.whoami()
    client.close()
    assert pools == [httpcore.ConnectionPool]


@pytest.mark.parametrize(
    "base_url",
    [
        "http://memvara.test",
        "https://memvara.test:1/",
        "http://127.0.0.1:65535//",
        "http://127.0.0.1:0",
        "http://[::1]:58080/a/X",
    ],
)
def test_paths_are_joined_to_the_base_url_by_one_slash(base_url):
    server = Server(httpx.Response(200, json=WHO))
    client = server.client(base_url=base_url)
    client.whoami()
    assert client.base_url == base_url.rstrip("/")
    assert server.requests[0].url == f"{client.base_url}/v1/whoami"


# What can't be sent


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "/",
        "memvara.test",
        "memvara.test:58080",
        "ftp://memvara.test",
        "http://",
        "http:///v1",
        "http://memvara.test:65536",
        "http://memvara.test:port",
        "http://xn--",
        "http://memvara..test",
        f"http://{'x' * 64}.test",
        "http://memvara.test/\n",
        "http://memvara.test/\ud800",
        "http://memvara.test?",
        "http://memvara.test#",
        "http://user:password@memvara.test",
    ],
)
def test_a_bad_base_url_is_refused_without_showing_it(base_url):
    with pytest.raises(RequestError) as caught:
        Server().client(base_url=base_url)
    assert str(caught.value) == (
        "the base URL must be http:// or https://, a host, maybe a port and a path, and nothing "
        "else: no user, query or fragment"
    )


@pytest.mark.parametrize("key", ["", *(f"k{bad}y" for bad in '"\\!#&<>@[`{| \n\x1f\x7fé\ud800')])
def test_a_key_that_is_no_bearer_token_is_refused_without_showing_it(key):
    with pytest.raises(RequestError) as caught:
        Server().client(key=key)
    assert str(caught.value) == "the key must be ASCII letters, digits and -._~+/= alone"


@pytest.mark.parametrize("key", ["a", "AZaz09-._~+/=="])
def test_a_key_of_letters_digits_and_a_few_signs_is_sent_as_it_is(key):
    server = Server(httpx.Response(200, json=WHO))
    server.client(key=key).whoami()
    assert server.requests[0].headers["Authorization"] == f"Bearer {key}"


def test_text_that_utf_8_cannot_encode_fails_before_anything_is_sent():
    server = Server()
    with pytest.raises(RequestError) as caught:
        server.client().add([{"role": "user", "content": "\ud800"}], f"t-{KEY}", "s", None)
    assert str(caught.value) == (
        "POST /v1/memories?user=t-***: 'utf-8' codec can't encode character '\\ud800' in "
        "position 39: surrogates not allowed"
    )
    assert caught.value.__suppress_context__
    assert (server.requests, server.waits) == ([], [])


def test_a_url_that_is_too_long_fails_before_anything_is_sent():
    server = Server()
    with pytest.raises(RequestError, match="URL too long"):
        server.client().stats("t" * 65536)
    assert (server.requests, server.waits) == ([], [])


@pytest.mark.parametrize(
    "error",
    [
        httpx.UnsupportedProtocol,
        httpx.LocalProtocolError,
        httpx.ProxyError,
        httpx.DecodingError,
    ],
)
def test_an_error_that_another_attempt_cannot_mend_fails_at_once(error):
    said = refusal(error(f"no {KEY} here"), call=lambda client: client.stats(f"a{KEY}z"))
    assert said == "GET /v1/stats?user=a***z: it can't be sent: 'no *** here'"


# What is tried again


@pytest.mark.parametrize(
    "error",
    [
        httpx.ConnectError,
        httpx.ReadError,
        httpx.WriteError,
        httpx.CloseError,
        httpx.ConnectTimeout,
        httpx.ReadTimeout,
        httpx.WriteTimeout,
        httpx.PoolTimeout,
        httpx.RemoteProtocolError,
    ],
)
def test_a_network_error_a_timeout_and_a_broken_protocol_are_tried_again(error):
    assert waits(error("broken")) == [0.5]


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_status_that_may_pass_is_tried_again(status):
    assert waits(httpx.Response(status)) == [0.5]


@pytest.mark.parametrize("status", [200, 201, 202])
def test_a_status_of_success_is_an_answer(status):
    assert Server(httpx.Response(status, json=WHO)).client().whoami() == WHO


@pytest.mark.parametrize(
    "status",
    [199, 203, 204, 302, 307, 400, 401, 403, 404, 407, 409, 422, 424, 426, 428, 430, 499, 501, 505],
)
def test_any_other_status_fails_at_once(status):
    assert refusal(answered("why", status)) == f"GET /v1/whoami: {status}: 'why'"


@pytest.mark.parametrize("status", [300, 301, 302, 303, 307, 308, 399])
def test_a_redirect_fails_at_once_and_names_where_it_points(status):
    headers = {"Location": f"https://user:{KEY}@login.test/a{KEY}/?next={KEY}#{KEY}"}
    said = refusal(httpx.Response(status, headers=headers, text="moved"))
    assert said == f"GET /v1/whoami: {status}: 'moved': it points to 'https://login.test/a***/'"


def test_a_redirect_to_a_path_points_to_the_server_that_was_asked():
    said = refusal(httpx.Response(302, headers={"Location": "/login"}))
    assert said == "GET /v1/whoami: 302: '': it points to 'http://memvara.test:8080/login'"


@pytest.mark.parametrize("status", [299, 400])
def test_a_location_without_a_redirect_is_not_named(status):
    said = refusal(httpx.Response(status, headers={"Location": "/login"}))
    assert said == f"GET /v1/whoami: {status}: ''"


def test_a_body_that_breaks_off_is_tried_again_and_closed():
    broken = Stream(b'{"token_id":', httpx.ReadError("cut"))
    assert waits(httpx.Response(200, stream=broken)) == [0.5]
    assert broken.is_closed


def test_a_body_comes_in_parts_and_is_closed():
    whole = Stream(*(bytes([byte]) for byte in json.dumps(WHO).encode()))
    assert Server(httpx.Response(200, stream=whole)).client().whoami() == WHO
    assert whole.is_closed


def test_a_body_that_its_encoding_does_not_fit_is_tried_again_when_its_status_is():
    def unpackable(status):
        return httpx.Response(status, headers={"Content-Encoding": "gzip"}, stream=Stream(b"junk"))

    assert waits(unpackable(503), unpackable(429)) == [0.5, 1.0]
    assert refusal(unpackable(403)) == "GET /v1/whoami: 403: 'junk'"
    assert refusal(unpackable(200)) == ("GET /v1/whoami: 200: 'junk': not JSON: line 1 column 1")


def test_five_attempts_that_end_otherwise_than_in_a_rate_limit_are_all():
    def four():
        return [
            httpx.Response(503),
            httpx.ReadError("cut"),
            httpx.Response(500),
            httpx.Response(408),
        ]

    assert waits(*four()) == [0.5, 1.0, 2.0, 4.0]
    assert refusal(*four(), answered("down", 504)) == "GET /v1/whoami: 504: 'down'"
    assert refusal(*four(), httpx.ReadError("cut")) == "GET /v1/whoami: the connection broke"


def test_sixty_rate_limits_are_all():
    assert len(waits(*(limited() for _ in range(59)))) == 59
    assert refusal(*(limited(text="slow") for _ in range(60))) == "GET /v1/whoami: 429: 'slow'"


def test_rate_limits_and_other_failures_are_counted_apart():
    def down():
        return [httpx.Response(503) for _ in range(4)]

    def slow(times):
        return [limited() for _ in range(times)]

    assert len(waits(*slow(30), *down(), *slow(29))) == 63
    assert refusal(*slow(59), *down(), answered("down", 503)) == "GET /v1/whoami: 503: 'down'"
    assert refusal(*down(), *slow(59), limited(text="slow")) == "GET /v1/whoami: 429: 'slow'"


def test_the_error_of_the_last_attempt_is_raised_as_it_is():
    with pytest.raises(Transient):
        Server(*(httpx.Response(503) for _ in range(5))).client().whoami()


def test_a_write_is_tried_again_with_the_same_bytes_and_the_same_key():
    server = Server(httpx.ReadError("cut"), limited(), httpx.Response(201, json=RECEIPT))
    assert server.client().add([{"role": "user", "content": "é"}], "t", "s", "T") == RECEIPT
    first, *others = [
        (request.method, request.url.raw_path, request.headers.raw, request.content)
        for request in server.requests
    ]
    assert others == [first, first]
    assert first[2].count((b"Idempotency-Key", b"t:s")) == 1


# How long it waits


def test_the_wait_doubles_with_each_wait_of_a_call_up_to_five_seconds():
    assert waits(*(limited() for _ in range(6))) == [0.5, 1.0, 2.0, 4.0, 5.0, 5.0]


def test_a_wait_that_the_server_asked_for_counts_as_a_doubling():
    answers = [limited(headers={"Retry-After": "0.25"}), limited(), httpx.ReadError("cut")]
    assert waits(*answers) == [0.25, 1.0, 2.0]


def test_the_next_call_starts_with_half_a_second_and_all_its_attempts():
    ok = httpx.Response(200, json=WHO)
    down = [httpx.Response(503) for _ in range(8)]
    server = Server(*down[:4], ok, *down[4:], httpx.Response(200, json=WHO))
    client = server.client()
    client.whoami()
    client.whoami()
    assert server.waits == [0.5, 1.0, 2.0, 4.0] * 2


@pytest.mark.parametrize(
    ("value", "seconds"), [("0.25", 0.25), ("Sun, 06 Nov 1994 08:49:39 GMT", 2.0), ("9", 5.0)]
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_waited_for_up_to_five_seconds(value, seconds, status):
    answer = httpx.Response(status, headers={"Retry-After": value}, json=_asking(4))
    assert waits(answer) == [seconds]


def test_retry_after_that_is_sent_twice_falls_through():
    assert waits(limited(headers=[("Retry-After", "2"), ("Retry-After", "3")])) == [0.5]


def _asking(wait: object) -> dict:
    return {"error": {"detail": {"retry_after": wait}}}


def test_the_body_of_a_rate_limit_is_waited_for():
    assert waits(limited(json=_asking(2)), limited(text="slow down")) == [2, 1.0]
    assert waits(limited(text="\ufeff" + json.dumps(_asking(2)))) == [2]


def test_by_default_it_sleeps_and_warns_and_the_clock_is_the_systems():
    defaults = inspect.signature(Client).parameters
    assert defaults["tell"].default == LOG.warning
    assert defaults["sleep"].default is time.sleep
    assert defaults["now"].default is time.time


# What it says of its waits


def test_each_wait_is_told_once_with_its_reason_its_length_and_its_number():
    server = Server(
        httpx.ReadError("cut"),
        limited(text=f"slow, {KEY}", headers={"Retry-After": "1.23456"}),
        httpx.Response(503),
        limited(),
        httpx.Response(200, json=STATS),
    )
    server.client().stats(f"a{KEY}z")
    assert server.told == [
        "GET /v1/stats?user=a***z: the connection broke: "
        "failed attempt 1 of 5, the next attempt in 0.5 s",
        "GET /v1/stats?user=a***z: 429: 'slow, ***': "
        "rate limit 1 of 60, the next attempt in 1.23 s",
        "GET /v1/stats?user=a***z: 503: '': failed attempt 2 of 5, the next attempt in 2 s",
        "GET /v1/stats?user=a***z: 429: '': rate limit 2 of 60, the next attempt in 4 s",
    ]


def test_a_call_that_does_not_wait_tells_nothing():
    server = Server(httpx.Response(200, json=WHO), httpx.Response(404))
    client = server.client()
    client.whoami()
    with pytest.raises(ClientError):
        client.whoami()
    assert server.told == []


def test_a_wait_is_told_before_it_begins():
    server = Server(httpx.Response(503), httpx.Response(200, json=WHO))
    order: list[str] = []
    client = server.client(
        tell=lambda line: order.append("told"), sleep=lambda seconds: order.append("slept")
    )
    client.whoami()
    assert order == ["told", "slept"]


def test_limits_that_are_given_are_kept():
    limits = Limits(attempts=2, limited=3, connect=0.25, attempt=0.5, first_wait=0.125)
    server = Server(limited(), limited(), httpx.Response(503), answered("down", 503))
    with pytest.raises(ClientError, match="503: 'down'"):
        server.client(limits=limits).whoami()
    assert server.waits == [0.125, 0.25, 0.5]
    assert server.requests[0].extensions["timeout"] == {
        "connect": 0.25,
        "read": 0.5,
        "write": 0.5,
        "pool": 0.5,
    }
    assert "rate limit 2 of 3" in server.told[1]
    assert "failed attempt 1 of 2" in server.told[2]


# What an error says


def test_an_error_shows_the_first_300_characters_of_the_body_on_one_line():
    said = refusal(answered("<p>\n" + "é" * 300, 404))
    assert said == "GET /v1/whoami: 404: '<p>\\n" + "é" * 296 + "'"


def test_the_key_is_in_no_error():
    body = "." * (300 - len("***")) + KEY + "tail"
    said = refusal(answered(body, 401), call=lambda client: client.erase(f"a{KEY}z"))
    assert said == "POST /v1/erasures?user=a***z: 401: '" + "." * 297 + "***'"


def test_the_key_is_never_half_shown_where_the_body_is_cut():
    for start in range(300 - len(KEY), 301):
        said = refusal(answered("." * start + KEY, 401))
        assert said == "GET /v1/whoami: 401: '" + ("." * start + "***")[:300] + "'"


def test_a_key_of_one_letter_is_masked_wherever_it_stands():
    assert refusal(answered("aha", 401), key="h") == "GET /v1/w***oami: 401: 'a***a'"


def test_a_body_that_is_not_utf_8_is_shown_all_the_same():
    assert refusal(answered(b"a\xff\xfez", 400)) == "GET /v1/whoami: 400: 'a\ufffd\ufffdz'"


def test_the_charset_that_a_server_names_changes_nothing():
    headers = {"Content-Type": "text/plain; charset=hex"}
    said = refusal(httpx.Response(400, content="é".encode(), headers=headers))
    assert said == "GET /v1/whoami: 400: 'é'"


# Answers that are not what was asked for


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("", "not JSON: line 1 column 1"),
        ("<html>Sign in</html>", "not JSON: line 1 column 1"),
        ('{"token_id":"t1"', "not JSON: line 1 column 17"),
        ('{"token_id":NaN}', "not JSON: NaN is not finite: line 1 column 13"),
        ('{"token_id":\n -1e999}', "not JSON: -1e999 is not finite: line 2 column 2"),
        ("{} {}", "not JSON: line 1 column 4"),
        ("[]", "expected a JSON object"),
        ("null", "expected a JSON object"),
    ],
)
@pytest.mark.parametrize("status", [200, 201, 202])
def test_a_body_that_is_not_the_json_asked_for_fails_at_once(body, why, status):
    said = refusal(answered(body, status))
    assert said == f"GET /v1/whoami: {status}: {body!r}: {why}"


def test_one_byte_order_mark_before_an_answer_is_passed_over():
    marked = "\ufeff" + json.dumps(WHO)
    assert Server(answered(marked)).client().whoami() == WHO
    assert refusal(answered("\ufeff\ufeff{}")) == (
        "GET /v1/whoami: 200: '\\ufeff{}': not JSON: line 1 column 1"
    )


def test_an_answer_longer_than_the_limit_fails_at_once():
    body = json.dumps(WHO)
    length = len(body)
    assert Server(answered(body)).client(limits=Limits(body=length)).whoami() == WHO
    said = refusal(answered(body), limits=Limits(body=length - 1))
    assert said == f"GET /v1/whoami: 200: {body!r}: longer than {length - 1} bytes"


def test_no_more_of_an_answer_is_read_than_shows_that_it_is_too_long():
    endless = Stream(b"12345", b"67890", AssertionError("read on"))
    said = refusal(httpx.Response(200, stream=endless), limits=Limits(body=9))
    assert said == "GET /v1/whoami: 200: '1234567890': longer than 9 bytes"
    assert endless.is_closed


def test_an_answer_that_is_not_utf_8_fails_at_once():
    assert refusal(answered(b'{"token_id":"\xff"}')) == (
        "GET /v1/whoami: 200: '{\"token_id\":\"\ufffd\"}': 'utf-8' codec can't decode byte 0xff "
        "in position 13: invalid start byte"
    )


def test_an_answer_nested_too_deeply_fails_at_once():
    said = refusal(answered("[" * 100_000))
    assert said == "GET /v1/whoami: 200: '" + "[" * 300 + "': not JSON: nested too deeply"


@pytest.mark.parametrize(
    ("call", "answer", "field"),
    [
        *((Client.whoami, WHO, field) for field in WHO),
        *((Client.health, HEALTH, field) for field in ("status", "memvara_version")),
        *(
            (lambda client: client.add([], "t", "s", None), RECEIPT, field)
            for field in ("episode_ids", "added")
        ),
        *((lambda client: client.stats("t"), STATS, f) for f in ("visible", "tenant_counts")),
    ],
)
def test_an_answer_without_one_of_its_fields_fails_at_once(call, answer, field):
    lacking = {name: value for name, value in answer.items() if name != field}
    said = refusal(httpx.Response(200, json=lacking), call=call)
    assert said.endswith(f": expected a field {field}")


@pytest.mark.parametrize(
    ("scope", "why"),
    [({}, "expected a field tenant"), (None, "expected a JSON object")],
)
def test_who_the_key_belongs_to_includes_the_tenant(scope, why):
    assert refusal(httpx.Response(200, json=WHO | {"scope": scope})).endswith(f": {why}")


def test_an_erasure_is_answered_by_an_object():
    said = refusal(answered("[]"), call=lambda client: client.erase("t"))
    assert said == "POST /v1/erasures?user=t: 200: '[]': expected a JSON object"


@pytest.mark.parametrize(
    ("second", "why"),
    [
        ({"kind": "episode"}, "results[1].episode: expected an object, found nothing"),
        ({"kind": "claim"}, "results[1].memory: expected an object, found nothing"),
        (
            {"kind": "episode", "episode": {"role": "user", "ts": "T"}},
            "results[1].content: expected a string, found nothing",
        ),
    ],
)
def test_a_hit_without_its_fields_is_named_by_its_position(second, why):
    response = httpx.Response(200, json={"results": [HIT, second]})
    said = refusal(response, call=lambda client: client.search("q", "t", DEFAULTS))
    assert said.startswith('POST /v1/search?user=t: 200: \'{"results":[{"kind"')
    assert said.endswith(f": {why}")


def test_hits_of_unknown_kinds_are_counted_over_all_searches():
    def found(*kinds):
        return httpx.Response(200, json={"results": [HIT, *({"kind": kind} for kind in kinds)]})

    client = Server(found("fact", f"x{KEY}"), found(), found("fact", 1)).client()
    for _ in range(3):
        assert client.search("q", "t", DEFAULTS) == [Turn("user", "Hello", "T", score=0.25)]
    assert client.passed_over == {"'fact'": 2, "'x***'": 1, "a number": 1}


def test_a_claim_becomes_a_memory():
    memory = {
        "text": "x",
        "state": "active",
        "valid_time": {"valid_from": "T1"},
        "transaction_time": {"recorded_at": "T2"},
    }
    server = Server(httpx.Response(200, json={"results": [{"kind": "claim", "memory": memory}]}))
    assert server.client().search("q", "t", DEFAULTS) == [Memory("x", "active", "T1", "T2")]


# The rate limit


def test_what_is_left_of_the_rate_limit_is_readable_after_any_answer():
    server = Server(
        limited(headers={"RateLimit-Remaining": "0"}),
        httpx.Response(200, json=WHO),
        httpx.Response(200, headers={"RateLimit-Remaining": "041"}, json=WHO),
        httpx.Response(403, headers={"RateLimit-Remaining": "7"}),
    )
    client = server.client()
    seen = [client.rate_limit_remaining]
    for _ in range(2):
        client.whoami()
        seen.append(client.rate_limit_remaining)
    with pytest.raises(ClientError):
        client.whoami()
    assert [*seen, client.rate_limit_remaining] == [None, 0, 41, 7]


@pytest.mark.parametrize("junk", ["", " ", "-1", "+1", "1.5", "1e3", "many", "5, 6", "9" * 5000])
def test_junk_in_what_is_left_of_the_rate_limit_changes_nothing(junk):
    server = Server(
        httpx.Response(200, headers={"RateLimit-Remaining": "98"}, json=WHO),
        httpx.Response(200, headers={"RateLimit-Remaining": junk}, json=WHO),
    )
    client = server.client()
    client.whoami()
    client.whoami()
    assert client.rate_limit_remaining == 98
