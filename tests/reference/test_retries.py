"""How often, how soon and how long a call is tried."""

import json

import pytest

from reference.retries import LIMITS, RETRIED, Limits, asked_wait

NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT


def in_header(value: str, status: int = 503) -> float | None:
    return asked_wait(status, {"retry-after": value}, "", NOW)


def in_body(body: str, status: int = 429) -> float | None:
    return asked_wait(status, {}, body, NOW)


def asking(wait: object) -> str:
    return json.dumps({"error": {"detail": {"retry_after": wait}}})


def test_five_attempts_and_sixty_rate_limits_of_two_minutes_with_waits_of_up_to_five_seconds():
    assert LIMITS == (5, 60, 10.0, 120.0, 0.5, 5.0, 33_554_432)
    assert RETRIED == (408, 425, 429, 500, 502, 503, 504)


def test_a_call_takes_at_most_all_its_attempts_and_all_its_waits():
    # 59 rate limits and 5 failures, the last of them final: 64 attempts and 63 waits.
    assert LIMITS.longest() == 64 * 120 + 63 * 5 == 7995
    assert Limits(attempts=2, limited=3, attempt=0.5, longest_wait=0.25).longest() == 2.75
    assert Limits(attempts=1, limited=1).longest() == 120


def test_what_a_person_is_told_of_it():
    assert LIMITS.promise() == (
        "a request ends within 620 s (5 attempts of at most 120 s, waits of at most 5 s), or "
        "7,995 s where the server limits the rate (60 attempts more)"
    )
    short = Limits(attempts=2, limited=3, attempt=0.5, longest_wait=0.25)
    assert short.promise() == (
        "a request ends within 1.25 s (2 attempts of at most 0.5 s, waits of at most 0.25 s), or "
        "2.75 s where the server limits the rate (3 attempts more)"
    )


def test_a_wait_is_what_was_asked_or_half_a_second_doubling_and_never_above_five():
    assert [LIMITS.wait(None, attempt) for attempt in range(1, 7)] == [0.5, 1, 2, 4, 5, 5]
    assert [LIMITS.wait(0.25, attempt) for attempt in (1, 9)] == [0.25, 0.25]
    assert LIMITS.wait(5.1, 1) == 5.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        ("0.25", 0.25),
        (".5", 0.5),
        (".125", 0.125),
        ("3.", 3.0),
        ("12.", 12.0),
        ("007", 7.0),
        ("9" * 400, float("inf")),
        ("Sun, 06 Nov 1994 08:49:39 GMT", 2.0),
        ("Sunday, 06-Nov-94 08:49:39 GMT", 2.0),
        ("Sun Nov  6 08:49:39 1994", 2.0),
        ("Sun, 06 Nov 1994 09:49:37 GMT", 3600.0),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_says_how_long(value, seconds, status):
    assert asked_wait(status, {"retry-after": value}, asking(4), NOW) == seconds


JUNK = [
    "",
    " ",
    ".",
    "0",
    "0.0",
    "0." + "0" * 400 + "1",
    "-1",
    "+1",
    "1e0",
    "1,5",
    "1..5",
    "1.5.",
    "..5",
    "0x1",
    "1 s",
    "1_0",
    "NaN",
    "inf",
    "soon",
    "2, 3",
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:36 GMT",
    "Sun, 99 Nov 1994 08:49:39 GMT",
    "Sun, 06 Nov 99999999999999999999 08:49:39 GMT",
    "Sun, 06 Nov 0000 08:49:39 GMT",
    "Sun, 06 Nov 1994 08:49:39",
    "Sun, 06 Nov 1994 08:49:39 +0000",
    "Sun, 06 Nov 1994 08:49:39 +0500",
    "Sun, 06 Nov 1994 08:49:39 EST",
    "06 Nov 1994 08:49:39 GMT",
    "Sunday, 06-Nov-94 08:49:39",
    "Sun Nov  6 08:49:39 1994 GMT",
    "1994-11-06T08:49:39Z",
    "٢",
    "２",
    "²",
    "Sun, 06 Nov 199٤ 08:49:39 GMT",
]


@pytest.mark.parametrize("value", JUNK)
def test_anything_else_in_retry_after_falls_through(value):
    assert asked_wait(429, {"retry-after": value}, asking(4), NOW) == 4
    assert in_header(value) is None


def test_no_retry_after_asks_for_nothing():
    assert asked_wait(429, {}, "", NOW) is None


@pytest.mark.parametrize("wait", [2, 0.25, 7, 10**300, 1e-3])
def test_the_body_of_a_rate_limit_says_how_long(wait):
    assert in_body(asking(wait)) == wait


@pytest.mark.parametrize(
    "body",
    [
        "",
        "slow down",
        asking(True),
        asking("2"),
        asking(None),
        asking([2]),
        asking(0),
        asking(-1),
        asking(10**400),
        '{"error":{"detail":{"retry_after":NaN}}}',
        '{"error":{"detail":{"retry_after":Infinity}}}',
        '{"error":{"detail":{"retry_after":1e999}}}',
        '{"error":{"detail":{}}}',
        '{"error":{"detail":null}}',
        '{"error":["detail"]}',
        '{"retry_after":2}',
        "[]",
        "[" * 100_000,
    ],
)
def test_anything_else_in_the_body_of_a_rate_limit_falls_through(body):
    assert in_body(body) is None


@pytest.mark.parametrize("status", [408, 425, 500, 502, 503, 504])
def test_the_body_of_another_status_says_nothing_of_a_wait(status):
    assert in_body(asking(2), status) is None
