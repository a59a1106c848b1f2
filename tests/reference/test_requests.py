"""The REST requests, byte for byte."""

import pytest

from reference.knobs import Knobs
from reference.requests import (
    RequestError,
    add_request,
    erase_request,
    health_request,
    search_request,
    stats_request,
    whoami_request,
)

JSON = {"Content-Type": "application/json"}
TAG = "Zoë's (run) 1/2~a-b_c.d!e*f"
TAG_IN_URL = "Zo%C3%AB's%20(run)%201%2F2~a-b_c.d!e*f"


def test_who_is_asked_with_a_bare_get():
    assert whoami_request() == ("GET", "/v1/whoami", {}, None)


def test_health_is_asked_with_a_bare_get():
    assert health_request() == ("GET", "/v1/health", {}, None)


def test_stats_are_asked_for_one_tag():
    assert stats_request(TAG) == ("GET", f"/v1/stats?user={TAG_IN_URL}", {}, None)


def test_an_erasure_names_its_tag_in_path_and_body_and_is_never_wider():
    body = '{"scope":{"user":"Zoë\'s (run) 1/2~a-b_c.d!e*f"}}'
    assert erase_request(TAG) == ("POST", f"/v1/erasures?user={TAG_IN_URL}", JSON, body)


def test_a_search_asks_for_k_hits_with_episodes_and_no_least_score():
    body = '{"query":"Où \\"ça\\"?\\u0001 😀","k":7,"min_score":0,"include_episodes":true}'
    path = f"/v1/search?user={TAG_IN_URL}"
    knobs = Knobs.from_env({"MEMVARA_SEARCH_K": "7"})
    assert search_request('Où "ça"?\x01 😀', TAG, knobs) == ("POST", path, JSON, body)


def test_a_ranked_search_appends_one_key_and_changes_nothing_else():
    body = '{"query":"q","k":30,"min_score":0,"include_episodes":true,"ranked":true}'
    knobs = Knobs.from_env({"MEMVARA_RANKED": "1"})
    assert search_request("q", "t", knobs) == ("POST", "/v1/search?user=t", JSON, body)


def test_an_add_stores_a_session_under_a_key_of_tag_and_session():
    messages = [
        {"role": "user", "content": "Où?", "ts": "2026-03-04T05:06:07Z", "has_answer": True},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "x", "ts": None},
    ]
    sent = add_request(messages, TAG, "s/1 é", "2026-03-04T05:06:00+00:00")
    assert sent.method == "POST"
    assert sent.path == f"/v1/memories?user={TAG_IN_URL}"
    assert sent.headers == JSON | {"Idempotency-Key": f"{TAG_IN_URL}:s%2F1%20%C3%A9"}
    assert sent.body == (
        '{"messages":['
        '{"role":"user","content":"Où?","ts":"2026-03-04T05:06:07Z",'
        '"metadata":{"sessionId":"s/1 é"}},'
        '{"role":"assistant","content":"","ts":"2026-03-04T05:06:00+00:00",'
        '"metadata":{"sessionId":"s/1 é"}},'
        '{"role":"user","content":"x","ts":"2026-03-04T05:06:00+00:00",'
        '"metadata":{"sessionId":"s/1 é"}}],'
        '"ts":"2026-03-04T05:06:00+00:00"}'
    )


@pytest.mark.parametrize("stamp", [None, ""])
def test_an_add_without_a_date_sends_no_ts_but_a_messages_own(stamp):
    messages = [
        {"role": "user", "content": "a", "ts": stamp},
        {"role": "user", "content": "b", "ts": "T"},
    ]
    assert add_request(messages, "t", "s", stamp).body == (
        '{"messages":[{"role":"user","content":"a","metadata":{"sessionId":"s"}},'
        '{"role":"user","content":"b","ts":"T","metadata":{"sessionId":"s"}}]}'
    )


def test_a_tag_or_session_that_no_url_can_hold_is_refused():
    message = "'a\\ud800' can't be sent in a URL: surrogates not allowed"
    for request in (
        lambda: stats_request("a\ud800"),
        lambda: erase_request("a\ud800"),
        lambda: search_request("q", "a\ud800", Knobs.from_env({})),
        lambda: add_request([], "t", "a\ud800", None),
    ):
        with pytest.raises(RequestError) as refusal:
            request()
        assert str(refusal.value) == message
        assert refusal.value.__suppress_context__
