"""The embedded memvara: its routes, its scopes, its keys, and what a kill leaves behind."""

import importlib.metadata
import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from tools.engine import Memory, application, library, open_memory
from tools.engine.receipts import Receipts
from tools.exits import Exit, Stop

KEY = "local"
TURNS = [
    {"role": "user", "content": "My neighbour lends me her cargo bike on Fridays."},
    {"role": "assistant", "content": "A cargo bike is handy for the market, then."},
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with open_memory(tmp_path / "memory.db") as opened:
        yield opened


@pytest.fixture
def client(memory: Memory) -> Iterator[httpx.Client]:
    with client_of(memory) as opened:
        yield opened


def client_of(memory: Memory) -> httpx.Client:
    return httpx.Client(
        transport=httpx.WSGITransport(app=application(memory, KEY)),
        base_url="http://embedded",
        headers={"Authorization": f"Bearer {KEY}"},
    )


def add(
    client: httpx.Client, tag: str = "blue", key: str | None = "blue:s1", turns: Any = TURNS
) -> httpx.Response:
    headers = {"Idempotency-Key": key} if key else {}
    body = {"messages": turns, "ts": "2024-03-01T09:30:00+00:00"}
    return client.post("/v1/memories", params={"user": tag}, json=body, headers=headers)


def search(client: httpx.Client, query: str, tag: str = "blue", **more: Any) -> dict[str, Any]:
    body = {"query": query, "k": 30, "min_score": 0, "include_episodes": True} | more
    answer = client.post("/v1/search", params={"user": tag}, json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


def turns_found(client: httpx.Client, query: str, tag: str = "blue") -> list[str]:
    results = search(client, query, tag)["results"]
    return [hit["episode"]["content"] for hit in results if hit["kind"] == "episode"]


def counts(client: httpx.Client) -> dict[str, int]:
    return client.get("/v1/stats", params={"user": "blue"}).json()["tenant_counts"]


def erase(client: httpx.Client, tag: str, scope: Any) -> httpx.Response:
    return client.post("/v1/erasures", params={"user": tag}, json={"scope": scope})


def test_whoami_and_health_answer_what_a_client_checks_first(client: httpx.Client) -> None:
    who = client.get("/v1/whoami").json()
    assert who["scope"]["tenant"] == "default"
    assert who["read_only"] is False
    assert {"token_id", "effective_privilege"} <= who.keys()
    assert client.get("/v1/health").json() == {
        "status": "ok",
        "memvara_version": importlib.metadata.version("memvara"),
    }


def test_a_write_answers_the_ids_of_its_episodes(client: httpx.Client) -> None:
    receipt = add(client).json()
    assert len(receipt["episode_ids"]) == 2
    assert receipt["added"] == []
    assert counts(client)["episodes"] == 2


def test_a_turn_comes_back_verbatim_with_its_role_and_time(client: httpx.Client) -> None:
    add(client)
    (first, *_) = search(client, "cargo bike Fridays")["results"]
    assert first.keys() == {"kind", "score", "episode"}
    assert first["episode"] | {"id": ""} == {
        "id": "",
        "role": "user",
        "ts": "2024-03-01T09:30:00+00:00",
        "content": TURNS[0]["content"],
    }


def test_a_message_keeps_its_own_time_over_the_sessions(client: httpx.Client) -> None:
    add(client, turns=[TURNS[0] | {"ts": "2023-01-02T03:04:00"}])
    (hit,) = search(client, "cargo bike")["results"]
    assert hit["episode"]["ts"] == "2023-01-02T03:04:00+00:00"


def test_a_claim_comes_back_with_both_clocks(client: httpx.Client) -> None:
    receipt = add(client, turns=[{"role": "user", "content": "I live in Porto."}]).json()
    (memory,) = receipt["added"]
    claims = [h for h in search(client, "Where do I live?")["results"] if h["kind"] == "claim"]
    assert [hit["memory"]["id"] for hit in claims] == [memory["id"]]
    assert memory["object"] == "Porto"
    assert memory["state"] == "live"
    assert memory["valid_time"] == {"valid_from": "2024-03-01T09:30:00+00:00", "valid_to": None}
    assert memory["transaction_time"].keys() == {"recorded_at", "invalidated_at"}
    assert memory["source_ids"] == receipt["episode_ids"]


def test_k_limits_what_is_found(client: httpx.Client) -> None:
    add(client)
    assert search(client, "cargo bike", k=1)["count"] == 1
    assert search(client, "cargo bike", k=2)["count"] == 2


def test_tags_share_nothing(client: httpx.Client) -> None:
    add(client, tag="blue")
    for other in ("green", "Blue", "blue/s1", "blu%65"):
        assert search(client, "cargo bike", tag=other) == {"count": 0, "results": []}


def test_a_tag_is_any_text(client: httpx.Client) -> None:
    add(client, tag="a b+c&d=é/😀")
    assert len(turns_found(client, "cargo bike", tag="a b+c&d=é/😀")) == 2


def test_a_key_that_comes_again_replays_the_first_receipt(client: httpx.Client) -> None:
    first = add(client)
    assert add(client).content == first.content
    assert counts(client)["episodes"] == 2


def test_a_key_belongs_to_one_tag(client: httpx.Client) -> None:
    add(client, tag="blue", key="s1")
    add(client, tag="green", key="s1")
    assert counts(client)["episodes"] == 4


def test_a_key_outlives_the_process(tmp_path: Path) -> None:
    receipts = []
    for _ in range(2):
        with open_memory(tmp_path / "memory.db") as memory, client_of(memory) as client:
            receipts.append(add(client).json())
    assert receipts[0] == receipts[1]


def test_a_key_used_for_other_messages_is_a_conflict(client: httpx.Client) -> None:
    add(client)
    answer = add(client, turns=TURNS[:1])
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "conflict"


def test_a_write_without_a_key_is_stored_too(client: httpx.Client) -> None:
    add(client, key=None)
    add(client, key=None, turns=[{"role": "user", "content": "My neighbour moved away in May."}])
    assert counts(client)["episodes"] == 3


# Each process adds one session and dies on the spot where {where} says.
DYING_WRITER = """
import os, sys
from pathlib import Path
import tools.engine.memory as memory
from tools.engine import bodies

{where}

with memory.open_memory(Path(sys.argv[1])) as opened:
    opened.add("blue", bodies.messages(sys.stdin.buffer.read()), "blue:s1")
    os._exit(9)
"""
PLACES = {
    "before the receipt is kept": """
memory.receipt_json = lambda receipt: os._exit(9)
""",
    "between the receipt and the engine's commit": """
keep = memory.Receipts.keep
memory.Receipts.keep = lambda *args: (keep(*args), os._exit(9))
""",
    "between the engine's commit and the answer": "",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_write_killed_anywhere_is_stored_once_when_it_is_sent_again(
    tmp_path: Path, place: str
) -> None:
    store = tmp_path / "memory.db"
    body = json.dumps({"messages": TURNS, "ts": "2024-03-01T09:30:00+00:00"}).encode()
    killed = subprocess.run(
        [sys.executable, "-c", DYING_WRITER.format(where=PLACES[place]), store],
        input=body,
        cwd=Path(__file__).parents[3],
    )
    assert killed.returncode == 9
    with open_memory(store) as memory, client_of(memory) as client:
        receipt = add(client).json()
        assert len(receipt["episode_ids"]) == 2
        assert receipt["repeated"] == 0
        assert counts(client)["episodes"] == 2
        assert counts(client)["embeddings"] == 2
        assert sorted(turns_found(client, "cargo bike")) == sorted(t["content"] for t in TURNS)


def test_a_failed_write_leaves_nothing_and_answers_json(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(Receipts, "keep", lambda *args: 1 / 0)
        answer = add(client)
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal"
    assert counts(client)["episodes"] == 0
    assert add(client).status_code == 200


def test_erasure_takes_one_tag_and_leaves_the_others(client: httpx.Client) -> None:
    add(client, tag="blue")
    add(client, tag="green")
    answer = erase(client, "blue", {"user": "blue"})
    assert answer.status_code == 200
    assert answer.json()["counts"]["episodes"] == 2
    assert search(client, "cargo bike", tag="blue")["count"] == 0
    assert search(client, "cargo bike", tag="green")["count"] == 2


def test_an_erased_session_can_be_stored_again_under_its_key(client: httpx.Client) -> None:
    first = add(client).json()
    erase(client, "blue", {"user": "blue"})
    again = add(client).json()
    assert again["episode_ids"] == first["episode_ids"]
    assert counts(client)["episodes"] == 2


def test_keys_that_outlive_an_interrupted_erasure_count_for_nothing(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(client)
    with monkeypatch.context() as broken:
        broken.setattr(Receipts, "forget", lambda *args: 1 / 0)
        assert erase(client, "blue", {"user": "blue"}).status_code == 500
    assert counts(client)["episodes"] == 0
    add(client)
    assert counts(client)["episodes"] == 2


@pytest.mark.parametrize("scope", [{}, {"user": None}, {"user": ""}, {"user": "*"}])
def test_an_erasure_of_the_whole_tenant_is_refused(client: httpx.Client, scope: Any) -> None:
    add(client)
    answer = erase(client, "blue", scope)
    assert answer.status_code == 403
    assert "whole tenant" in answer.json()["error"]["message"]
    assert counts(client)["episodes"] == 2


def test_an_erasure_that_names_two_users_is_refused(client: httpx.Client) -> None:
    add(client)
    assert erase(client, "blue", {"user": "green"}).status_code == 403
    assert counts(client)["episodes"] == 2


def test_a_ranked_search_without_a_selector_says_unconfigured(client: httpx.Client) -> None:
    add(client)
    answer = search(client, "cargo bike", ranked=True)
    assert answer["selection"]["outcome"] == "unconfigured"
    assert [hit["ranking"] for hit in answer["results"]] == [{"selected": None, "span": None}] * 2


def test_a_plain_search_has_neither_selection_nor_ranking(client: httpx.Client) -> None:
    add(client)
    answer = search(client, "cargo bike")
    assert answer.keys() == {"count", "results"}
    assert all("ranking" not in hit for hit in answer["results"])


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("memories", {"messages": TURNS, "colour": 1}, "body has unknown fields: colour"),
        ("memories", {"messages": [TURNS[0] | {"name": "x"}]}, "messages[0] has unknown fields"),
        ("search", {"query": "q", "kk": 1}, "body has unknown fields: kk"),
        ("erasures", {"scope": {"user": "blue"}, "x": 1}, "body has unknown fields: x"),
        ("erasures", {"scope": {"agent": "blue"}}, "scope has unknown fields: agent"),
        ("memories", {}, "body.messages is missing"),
        ("memories", {"messages": []}, "body.messages must be a list of at least one message"),
        ("memories", {"messages": ["hi"]}, "messages[0] must be an object"),
        ("memories", {"messages": [{"role": "user"}]}, "messages[0].content is missing"),
        ("memories", {"messages": [{"role": 1, "content": ""}]}, "role must be a string"),
        ("memories", {"messages": TURNS, "ts": "today"}, "messages[0].ts must be an ISO 8601"),
        ("search", {"query": None}, "body.query is missing"),
        ("search", {"query": "q", "k": 0}, "body.k must be an integer from 1 to 10000"),
        ("search", {"query": "q", "k": 10_001}, "body.k must be an integer from 1 to 10000"),
        ("search", {"query": "q", "k": True}, "body.k must be an integer"),
        ("search", {"query": "q", "min_score": 2}, "body.min_score must be a number from 0 to 1"),
        ("search", {"query": "q", "ranked": 1}, "body.ranked must be true or false"),
        ("search", {"query": "q", "ranked": True}, "include_episodes"),
        ("search", [], "body must be an object"),
    ],
)
def test_a_body_that_is_not_what_the_route_takes_gets_422(
    client: httpx.Client, path: str, body: Any, said: str
) -> None:
    answer = client.post(f"/v1/{path}", params={"user": "blue"}, json=body)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "invalid_request"
    assert said in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b'{"query": NaN}',
        b'{"query": "\\ud800"}',
        b"[" * 100_000,
    ],
    ids=["empty", "truncated", "not-UTF-8", "NaN", "lone-surrogate", "too-deep"],
)
def test_a_body_that_is_no_json_gets_422(client: httpx.Client, body: bytes) -> None:
    answer = client.post("/v1/search", params={"user": "blue"}, content=body)
    assert answer.status_code == 422
    assert "the body" in answer.json()["error"]["message"]


@pytest.mark.parametrize("query", ["", "?user=", "?user=*", "?tag=blue"])
def test_a_request_without_a_tag_gets_422(client: httpx.Client, query: str) -> None:
    answer = client.get(f"/v1/stats{query}")
    assert answer.status_code == 422
    assert "user=TAG" in answer.json()["error"]["message"]


@pytest.mark.parametrize("shown", ["", "Bearer", "Bearer loca", "local", "Basic local"])
def test_every_route_but_health_needs_the_key(memory: Memory, shown: str) -> None:
    with client_of(memory) as client:
        client.headers["Authorization"] = shown
        assert client.get("/v1/stats", params={"user": "blue"}).status_code == 401
        assert client.get("/v1/whoami").json()["error"]["code"] == "unauthenticated"
        assert client.get("/v1/health").status_code == 200


def test_an_unknown_path_gets_404_and_a_wrong_method_405(client: httpx.Client) -> None:
    assert client.get("/v2/stats").status_code == 404
    answer = client.get("/v1/search")
    assert answer.status_code == 405
    assert answer.json()["error"]["message"] == "/v1/search takes POST, not GET"


def test_threads_write_and_search_side_by_side(client: httpx.Client) -> None:
    def work(number: int) -> int:
        turns = [{"role": "user", "content": f"Note {number}: the cargo bike, day {number}."}]
        for _ in range(2):
            assert add(client, tag=f"t{number}", key=f"k{number}", turns=turns).status_code == 200
        return search(client, "cargo bike", tag=f"t{number}")["count"]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(24))) == [1] * 24
    assert counts(client)["episodes"] == 24


def test_equal_data_gives_equal_answers_up_to_ids_and_recording_times(tmp_path: Path) -> None:
    def answer(name: str) -> dict[str, Any]:
        with open_memory(tmp_path / name) as memory, client_of(memory) as client:
            add(client, turns=[*TURNS, {"role": "user", "content": "I live in Porto."}])
            return unstamped(search(client, "cargo bike in Porto"))

    assert answer("one") == answer("two")


def test_a_file_that_is_no_store_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("These are my notes. " * 100)
    with pytest.raises(Stop, match=r"cannot open the memory .*notes\.txt"), open_memory(path):
        pass
    assert path.read_text() == "These are my notes. " * 100


def test_the_rest_of_the_process_keeps_its_own_sqlite() -> None:
    before = sys.modules["sqlite3"]
    library.load_memvara()
    assert sys.modules["sqlite3"] is before


def test_a_missing_memvara_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "memvara", None)
    with pytest.raises(Stop, match=r"memvara is not installed.*extra `engine`") as stop:
        library.load_memvara()
    assert stop.value.exit_code == Exit.USAGE


def test_no_new_enough_sqlite_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "OLDEST_SQLITE", (99, 0, 0))
    monkeypatch.setitem(sys.modules, "pysqlite3", None)
    with pytest.raises(Stop, match=r"needs SQLite 99.0.0 or newer .* extra `engine`"):
        library.load_memvara()


def unstamped(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer without what differs from run to run: ids and recording times."""
    for hit in answer["results"]:
        if hit["kind"] == "episode":
            del hit["episode"]["id"]
        else:
            del hit["memory"]["id"], hit["memory"]["source_ids"]
            del hit["memory"]["transaction_time"]["recorded_at"]
    return answer
