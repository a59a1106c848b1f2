"""The provider as a harness drives it, over a server that only notes what it is asked."""

import json
import logging

import httpcore
import httpx
import pytest

from reference.client import ClientError
from reference.items import Turn
from reference.knobs import KnobError
from reference.provider import Provider, ProviderError, Session, initialize
from reference.requests import RequestError

KEY = "k3y-of-the-test"
ENV = {"MEMVARA_API_KEY": KEY}
WHO = {
    "token_id": "t1",
    "scope": {"tenant": "acme"},
    "effective_privilege": "write",
    "read_only": False,
}
HEALTH = {"status": "ok", "memvara_version": "0.21.0"}
STATS = {"visible": 3, "tenant_counts": {"acme": 3}}
HIT = {"kind": "episode", "score": 1, "episode": {"role": "user", "ts": "T", "content": "Hello"}}
ANSWERS = {
    "/v1/whoami": WHO,
    "/v1/health": HEALTH,
    "/v1/memories": {"episode_ids": [], "added": 0},
    "/v1/search": {"results": [HIT]},
    "/v1/stats": STATS,
    "/v1/erasures": {},
}


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    """A call that reaches for the network fails at once."""

    def handle(pool, request):
        raise AssertionError(f"there is no network here: {request.url}")

    monkeypatch.setattr(httpcore.ConnectionPool, "handle_request", handle)


class Memvara(httpx.MockTransport):
    """Answers every path with the same JSON each time; an answer of None is a refusal."""

    def __init__(self, answers: dict | None = None) -> None:
        super().__init__(self._answer)
        self.answers = ANSWERS | (answers or {})
        self.requests: list[httpx.Request] = []
        self.is_closed = False

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers[request.url.path]
        return httpx.Response(403 if answer is None else 200, json=answer)

    def close(self) -> None:
        self.is_closed = True

    @property
    def asked(self) -> list[str]:
        """What was asked so far: method and path with its query."""
        return [f"{each.method} {each.url.raw_path.decode()}" for each in self.requests]


def provider(memvara: Memvara, env: dict[str, str] | None = None) -> Provider:
    """A provider that has just met `memvara`."""
    found = initialize(ENV | (env or {}), transport=memvara)
    memvara.requests.clear()
    return found


# initialize


def test_initialize_asks_who_it_is_and_then_which_memvara_it_talks_to():
    memvara = Memvara()
    initialize(ENV, transport=memvara)
    assert memvara.asked == ["GET /v1/whoami", "GET /v1/health"]
    assert {request.headers["Authorization"] for request in memvara.requests} == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    ("value", "base_url"),
    [
        (None, "http://127.0.0.1:58080"),
        ("", "http://127.0.0.1:58080"),
        (" \t", "http://127.0.0.1:58080"),
        (" https://memvara.test/base/\n", "https://memvara.test/base"),
    ],
)
def test_the_base_url_comes_from_the_environment(value, base_url):
    memvara = Memvara({"/base/v1/whoami": WHO, "/base/v1/health": HEALTH})
    env = ENV if value is None else ENV | {"MEMVARA_BASE_URL": value}
    assert initialize(env, transport=memvara).client.base_url == base_url
    assert [str(request.url) for request in memvara.requests] == [
        f"{base_url}/v1/whoami",
        f"{base_url}/v1/health",
    ]


@pytest.mark.parametrize("env", [{}, {"MEMVARA_API_KEY": ""}, {"MEMVARA_API_KEY": " \n\ufeff"}])
def test_initialize_refuses_a_missing_key(env):
    memvara = Memvara()
    with pytest.raises(ProviderError) as caught:
        initialize(env, transport=memvara)
    assert str(caught.value) == ("MEMVARA_API_KEY is not set: give the key of the memvara to use")
    assert memvara.asked == []


def test_blanks_around_the_key_are_not_sent():
    memvara = Memvara()
    initialize({"MEMVARA_API_KEY": f" {KEY}\n"}, transport=memvara)
    assert memvara.requests[0].headers["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("read_only", [True, None, "false", 0])
def test_initialize_refuses_a_credential_that_is_not_known_to_write(read_only):
    memvara = Memvara({"/v1/whoami": WHO | {"read_only": read_only}})
    with pytest.raises(ProviderError) as caught:
        initialize(ENV, transport=memvara)
    assert str(caught.value) == (
        "MEMVARA_API_KEY is read-only: ingesting needs a key that may write"
    )
    assert memvara.asked == ["GET /v1/whoami"]
    assert memvara.is_closed


@pytest.mark.parametrize("path", ["/v1/whoami", "/v1/health"])
def test_initialize_leaves_nothing_open_when_a_call_fails(path):
    memvara = Memvara({path: None})
    with pytest.raises(ClientError) as caught:
        initialize(ENV, transport=memvara)
    assert str(caught.value) == f"GET {path}: 403: ''"
    assert memvara.is_closed


def test_a_provider_stays_open():
    memvara = Memvara()
    client = initialize(ENV, transport=memvara).client
    assert not memvara.is_closed
    client.close()
    assert memvara.is_closed


def test_initialize_refuses_a_bad_knob_before_it_asks_anything():
    memvara = Memvara()
    with pytest.raises(KnobError, match="MEMVARA_SEARCH_K"):
        initialize({"MEMVARA_SEARCH_K": "0"}, transport=memvara)
    assert memvara.asked == []


def test_initialize_refuses_a_base_url_with_a_password_and_does_not_log_it(caplog):
    caplog.set_level(logging.DEBUG)
    env = ENV | {"MEMVARA_BASE_URL": "http://user:pa55word@memvara.test"}
    with pytest.raises(RequestError, match="the base URL must be") as caught:
        initialize(env, transport=Memvara())
    assert "pa55word" not in str(caught.value) + caplog.text


def test_initialize_logs_whom_it_met_and_every_resolved_knob(caplog):
    caplog.set_level(logging.INFO, logger="memvara")
    env = {
        "MEMVARA_BASE_URL": "http://memvara.test/",
        "MEMVARA_SEARCH_K": "200",
        "MEMVARA_TOKEN_BUDGET": "720",
        "OPENAI_MODEL_PREFIX": "openai/",
    }
    initialize(ENV | env, transport=Memvara())
    met, knobs = (record for record in caplog.records if record.name == "memvara")
    assert (met.levelname, knobs.levelname) == ("INFO", "INFO")
    assert met.getMessage() == (
        "memvara 0.21.0 at http://memvara.test, tenant acme, privilege write"
    )
    name, _, values = knobs.getMessage().partition(" ")
    assert name == "knobs"
    assert json.loads(values) == {
        "search_k": 200,
        "role_select": "off",
        "token_budget": 720,
        "head_whole": 0,
        "tail_chars": 0,
        "turns_only": False,
        "answer_prompt": "v1",
        "context_file": None,
        "ranked": False,
        "model_prefix": "openai/",
    }


def test_the_key_is_in_no_log(caplog):
    caplog.set_level(logging.DEBUG)
    who = WHO | {"scope": {"tenant": f"a{KEY}z"}}
    env = {"OPENAI_MODEL_PREFIX": f"p{KEY}/", "MEMVARA_CONTEXT_FILE": f"/{KEY}"}
    found = provider(Memvara({"/v1/whoami": who}), env)
    found.ingest("t", [Session("s", None, [{"role": "user", "content": "Hello"}])])
    found.search("q", "t")
    found.clear("t")
    assert "tenant a***z" in caplog.text
    assert '"context_file": "/***"' in caplog.text
    assert '"model_prefix": "p***/"' in caplog.text
    assert KEY not in caplog.text


def test_a_percent_sign_is_logged_as_it_is(caplog):
    caplog.set_level(logging.INFO, logger="memvara")
    initialize(ENV, transport=Memvara({"/v1/whoami": WHO | {"effective_privilege": "100%s"}}))
    assert "privilege 100%s" in caplog.text


# The rest


def test_ingest_writes_once_per_session_and_skips_those_without_messages():
    memvara = Memvara()
    sessions = [
        Session("q-session-0", "2026-03-04T05:06:00+00:00", [{"role": "user", "content": "a"}]),
        Session("q-session-1", None, []),
        Session("q-session-2", None, [{"role": "user", "content": "b", "ts": "T"}]),
    ]
    assert provider(memvara).ingest("t 1", iter(sessions)) == 2
    assert memvara.asked == ["POST /v1/memories?user=t%201"] * 2
    first, second = memvara.requests
    assert first.headers["Idempotency-Key"] == "t%201:q-session-0"
    assert second.headers["Idempotency-Key"] == "t%201:q-session-2"
    assert json.loads(first.content) == {
        "messages": [
            {
                "role": "user",
                "content": "a",
                "ts": "2026-03-04T05:06:00+00:00",
                "metadata": {"sessionId": "q-session-0"},
            }
        ],
        "ts": "2026-03-04T05:06:00+00:00",
    }
    assert json.loads(second.content) == {
        "messages": [
            {"role": "user", "content": "b", "ts": "T", "metadata": {"sessionId": "q-session-2"}}
        ]
    }


def test_ingest_stops_at_the_first_session_that_cannot_be_stored():
    memvara = Memvara({"/v1/memories": None})
    sessions = [Session(name, None, [{"role": "user", "content": "a"}]) for name in "ab"]
    with pytest.raises(ClientError):
        provider(memvara).ingest("t", sessions)
    assert memvara.asked == ["POST /v1/memories?user=t"]


def test_await_indexing_reads_the_stats_once():
    memvara = Memvara()
    assert provider(memvara).await_indexing("t 1") == STATS
    assert memvara.asked == ["GET /v1/stats?user=t%201"]


@pytest.mark.parametrize(
    ("env", "body"),
    [
        ({}, '{"query":"q","k":30,"min_score":0,"include_episodes":true}'),
        (
            {"MEMVARA_SEARCH_K": "200", "MEMVARA_RANKED": "1"},
            '{"query":"q","k":200,"min_score":0,"include_episodes":true,"ranked":true}',
        ),
    ],
)
def test_search_asks_as_the_knobs_say(env, body):
    memvara = Memvara()
    assert provider(memvara, env).search("q", "t 1") == [Turn("user", "Hello", "T", score=1)]
    assert memvara.asked == ["POST /v1/search?user=t%201"]
    assert memvara.requests[0].content.decode() == body


def test_clear_erases_one_tag():
    memvara = Memvara()
    assert provider(memvara).clear("t 1") is None
    assert memvara.asked == ["POST /v1/erasures?user=t%201"]
    assert memvara.requests[0].content.decode() == '{"scope":{"user":"t 1"}}'
