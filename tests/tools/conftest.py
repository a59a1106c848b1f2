"""A real clone of this repository for each test that needs one, and the command run in it."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
IDENTITY = {
    "GIT_AUTHOR_NAME": "test",
    "GIT_AUTHOR_EMAIL": "test@example.invalid",
    "GIT_COMMITTER_NAME": "test",
    "GIT_COMMITTER_EMAIL": "test@example.invalid",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
OTHERS = ("MEMVARA_", "OPENAI_MODEL_", "GIT_", "NO_COLOR", "FORCE_COLOR")


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(OTHERS)}


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    env = _environment() | IDENTITY
    return subprocess.run(command, capture_output=True, env=env, check=True, text=True).stdout


@pytest.fixture(scope="session")
def git() -> Callable[..., str]:
    """What `git ARGUMENTS` prints in a folder; it must succeed."""
    return _git


@pytest.fixture(scope="session")
def goldens() -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs a checkout's own `goldens ARGUMENTS` as a real process."""

    def run(
        folder: Path, *arguments: str, env: Mapping[str, str] | None = None, **options
    ) -> subprocess.CompletedProcess[bytes]:
        variables = _environment() | {"PYTHONPATH": str(folder)} | dict(env or {})
        command = [sys.executable, "-m", "tools", *arguments]
        options = {"cwd": folder, "timeout": 120} | options
        return subprocess.run(command, env=variables, capture_output=True, **options)

    return run


@pytest.fixture(scope="session")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone of this repository with what is not committed yet as one more commit."""
    folder = tmp_path_factory.mktemp("committed") / "project"
    _git(ROOT, "clone", "-q", str(ROOT), str(folder))
    changed = _git(ROOT, "ls-files", "-z", "--modified", "--others", "--exclude-standard")
    for name in filter(None, changed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_file():
            (folder / name).write_bytes((ROOT / name).read_bytes())
        else:
            (folder / name).unlink()
    _git(folder, "add", "-A")
    _git(folder, "commit", "-q", "--allow-empty", "-m", "what is not committed yet")
    return folder


@pytest.fixture
def clone(committed: Path, tmp_path: Path) -> Path:
    """A clone of `committed` that a test may break."""
    _git(tmp_path, "clone", "-q", str(committed), "clone")
    return tmp_path / "clone"
