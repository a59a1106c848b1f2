"""A MemoryBench checkout with the adapter at its root, run by real Node and real Bun."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tools.adapters import text

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
INSTALLED = HERE / "node_modules"
RUNTIMES = {"node": "tsx", "bun": "bun"}


def pytest_sessionstart() -> None:
    if not (INSTALLED / "installed").exists():
        pytest.exit("tests/interop needs packages that `make interop` installs", 2)


class Ended(NamedTuple):
    """What a program did between its start and the end of its input."""

    code: int
    lines: list[bytes]
    errors: str

    @property
    def answers(self) -> list[dict[str, Any]]:
        assert self.code == 0, self.errors
        return [json.loads(line) for line in self.lines]


def _made(folder: Path) -> Path:
    shutil.copytree(HERE / "memorybench", folder)
    (folder / "node_modules").symlink_to(INSTALLED)
    (folder / "adapter.ts").write_text(text("memorybench"))
    return folder


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout that no test changes."""
    return _made(tmp_path_factory.mktemp("checkout") / "memorybench")


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[str, str, str], Path]:
    """A checkout in which one text of one file is another; called again, one more."""
    folder = tmp_path / "changed"

    def change(name: str, old: str, new: str) -> Path:
        path = (folder if folder.exists() else _made(folder)) / name
        source = path.read_text()
        assert old in source, f"{name} holds no {old!r}"
        path.write_text(source.replace(old, new, 1))
        return folder

    return change


@pytest.fixture(params=RUNTIMES)
def runtime(request: pytest.FixtureRequest) -> str:
    """What runs TypeScript."""
    return str(INSTALLED / ".bin" / RUNTIMES[request.param])


@pytest.fixture
def ask(runtime: str) -> Callable[..., Ended]:
    """What a checkout's adapter makes of requests, or of bytes, on its stdin."""

    def run(
        folder: Path, *requests: Any, env: dict[str, str] | None = None, adapter: str = "adapter.ts"
    ) -> Ended:
        lines = [
            request
            if isinstance(request, bytes)
            else json.dumps({"id": number, **request}).encode() + b"\n"
            for number, request in enumerate(requests, 1)
        ]
        ended = subprocess.run(
            [runtime, str(folder / adapter)],
            input=b"".join(lines),
            capture_output=True,
            env=os.environ | (env or {}),
            timeout=60,
        )
        *whole, rest = ended.stdout.split(b"\n")
        assert rest == b""
        return Ended(ended.returncode, whole, ended.stderr.decode())

    return run


@pytest.fixture
def sweep() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `goldens sweep` with a program that says the words of wording.toml."""

    def run(runtime: str, program: Path, *options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tools", "sweep", "--command", f"'{runtime}' '{program}'"]
        command += ["--wording", str(HERE / "wording.toml"), *options]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1200)

    return run
