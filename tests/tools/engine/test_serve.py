"""`goldens serve` over a real socket: what it says, what it refuses, what a kill leaves behind."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tools.exits import Exit

GOLDENS = [sys.executable, "-m", "tools"]
HERE = Path(__file__).parents[3]


def environment(**more: str) -> dict[str, str]:
    return {n: v for n, v in os.environ.items() if not n.startswith("MEMVARA_")} | more


@contextmanager
def serving(db: Path, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The running server, its address and the line that it printed."""
    with subprocess.Popen(
        [*GOLDENS, "serve", "--db", str(db), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=HERE,
        env=environment(**variables),
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            assert found, process.stderr and process.stderr.read()
            yield process, found[0], line
        finally:
            process.kill()


@pytest.fixture
def refused(inside: Callable[..., subprocess.CompletedProcess[bytes]]) -> Callable[..., str]:
    """What the command prints on stderr when it refuses, after checking that it exits with 2."""

    def run(*arguments: str) -> str:
        done = inside(HERE, "serve", *arguments)
        assert (done.returncode, done.stdout) == (Exit.USAGE, b"")
        return done.stderr.decode()

    return run


def add(client: httpx.Client, session: int) -> dict[str, list[str]]:
    answer = client.post(**request(session))
    assert answer.status_code == 200, answer.text
    return answer.json()


def request(session: int) -> dict[str, object]:
    """One write of 20 turns as httpx takes it."""
    turns = [
        {"role": "user", "content": f"Session {session}, turn {n}: bees, honey and {n} hives."}
        for n in range(20)
    ]
    return {
        "url": "/v1/memories?user=blue",
        "json": {"messages": turns},
        "headers": {"Idempotency-Key": f"blue:s{session}", "Authorization": "Bearer local"},
    }


def test_it_prints_where_it_listens_and_answers_with_the_default_key(tmp_path: Path) -> None:
    with serving(tmp_path / "memory.db") as (_, url, line):
        assert f"store {tmp_path / 'memory.db'}, key: local" in line
        with httpx.Client(base_url=url) as client:
            assert client.get("/v1/health").json()["status"] == "ok"
            assert client.get("/v1/stats?user=blue").status_code == 401
            assert len(add(client, 1)["episode_ids"]) == 20


def test_a_key_of_ones_own_counts_and_is_not_printed(tmp_path: Path) -> None:
    with serving(tmp_path / "memory.db", MEMVARA_API_KEY=" s3cret ") as (_, url, line):
        assert "s3cret" not in line
        assert "key: the one in MEMVARA_API_KEY" in line
        for key, status in (("s3cret", 200), ("local", 401)):
            headers = {"Authorization": f"Bearer {key}"}
            assert httpx.get(f"{url}/v1/whoami", headers=headers).status_code == status


def test_a_blank_key_variable_means_the_default_key(tmp_path: Path) -> None:
    with serving(tmp_path / "memory.db", MEMVARA_API_KEY=" ") as (_, _, line):
        assert "key: local" in line


def test_an_interrupt_ends_it_quietly(tmp_path: Path) -> None:
    with serving(tmp_path / "memory.db") as (process, _, _):
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == Exit.OK
        assert errors == ""


def test_kills_in_the_middle_of_writes_lose_and_repeat_nothing(tmp_path: Path) -> None:
    store, sessions = tmp_path / "memory.db", range(6)
    for session in sessions:
        with serving(store) as (process, url, _):
            if session:  # the write that the last kill interrupted, sent again
                with httpx.Client(base_url=url) as client:
                    assert len(add(client, session - 1)["episode_ids"]) == 20
            send_without_waiting(url, session)
            process.kill()
            process.wait()
    with serving(store) as (_, url, _), httpx.Client(base_url=url) as client:
        receipts = [add(client, session) for session in sessions]
        client.headers["Authorization"] = "Bearer local"
        counts = client.get("/v1/stats?user=blue").json()["tenant_counts"]
        assert counts["episodes"] == counts["embeddings"] == 120
        assert len({i for receipt in receipts for i in receipt["episode_ids"]}) == 120
        body = {"query": "honey", "k": 1000, "include_episodes": True}
        assert client.post("/v1/search?user=blue", json=body).json()["count"] == 120


def send_without_waiting(url: str, session: int) -> None:
    """Put a whole write on the wire and never read the answer."""
    message = httpx.Client(base_url=url).build_request("POST", **request(session))
    head = [f"POST {message.url.raw_path.decode()} HTTP/1.1"]
    head += [f"{name}: {value}" for name, value in message.headers.items()]
    with socket.create_connection((message.url.host, message.url.port)) as wire:
        wire.sendall("\r\n".join([*head, "", ""]).encode() + message.content)


@pytest.mark.parametrize("package", ["memvara", "waitress"])
def test_a_missing_extra_is_one_clear_line(
    tmp_path: Path, package: str, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    said = refused("--db", str(tmp_path / "m.db"))
    assert said.startswith(f"goldens: {package} is not installed")
    assert "extra `engine`" in said
    assert said.count("\n") == 1


def test_a_taken_port_is_one_clear_line(
    tmp_path: Path, goldens: Callable[..., subprocess.CompletedProcess[bytes]]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = goldens(HERE, "serve", "--db", str(tmp_path / "m.db"), "--port", port)
    assert (done.returncode, done.stdout) == (Exit.USAGE, b"")
    assert done.stderr.startswith(f"goldens: cannot listen on 127.0.0.1:{port} ".encode())
    assert done.stderr.count(b"\n") == 1


def test_a_store_in_no_folder_is_one_clear_line(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    said = refused("--db", str(tmp_path / "none" / "m.db"))
    assert re.fullmatch(r"goldens: the folder of .*m\.db does not exist: make it first\n", said)
