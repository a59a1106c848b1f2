"""A real clone of this repository for each test that needs one, and the command run in it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from reference.tokens import counter
from tools import cli
from tools.project import layout as project

ROOT = Path(__file__).parents[2]
IDENTITY = {
    "GIT_AUTHOR_NAME": "test",
    "GIT_AUTHOR_EMAIL": "test@example.invalid",
    "GIT_COMMITTER_NAME": "test",
    "GIT_COMMITTER_EMAIL": "test@example.invalid",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
# For where the number of tokens is beside the point: there is then no encoder to load. Like
# tokens, blanks and line ends are fewer than bytes, and those of lines add up.
BLANKS_FOR_TOKENS = """

def counter(encoding="o200k_base"):
    return lambda text: sum(map(text.count, " \\n"))
"""
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
def count() -> Callable[[str], int]:
    """The real number of o200k tokens in a text."""
    return counter()


def _count_quickly(reference: Path) -> None:
    with (reference / "tokens.py").open("a", encoding="utf-8") as file:
        file.write(BLANKS_FOR_TOKENS)


@pytest.fixture(scope="session")
def count_quickly() -> Callable[[Path], None]:
    """Makes a copy of the reference count blanks for tokens, without an encoder."""
    return _count_quickly


@pytest.fixture(scope="session")
def characters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What to link as `.hypothesis`: tables of characters that it takes a second or two to make."""
    return tmp_path_factory.mktemp("hypothesis")


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


@pytest.fixture
def inside(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Callable[..., subprocess.CompletedProcess[bytes]]:
    """Runs this checkout's `goldens ARGUMENTS` in this process, with a folder to stand in.

    For what needs no process of its own: bad input above all.
    """

    def run(
        folder: Path, *arguments: str, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        terminated = signal.getsignal(signal.SIGTERM)  # some commands take it for Ctrl-C
        with monkeypatch.context() as here:
            for name in set(os.environ) - set(_environment()):
                here.delenv(name)
            for name, value in dict(env or {}).items():
                here.setenv(name, value)
            here.chdir(folder)
            here.setattr(sys, "argv", ["goldens", *arguments])
            here.setattr(sys, "path", sys.path[:])
            here.setattr(sys, "dont_write_bytecode", True)  # a test edits one file twice a second
            capfdbinary.readouterr()
            with pytest.raises(SystemExit) as exit:
                cli.main()
        signal.signal(signal.SIGTERM, terminated)
        return subprocess.CompletedProcess(arguments, exit.value.code, *capfdbinary.readouterr())

    return run


@pytest.fixture(scope="session")
def committed(
    goldens: Callable[..., subprocess.CompletedProcess[bytes]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """A clone of this repository, what is not committed yet committed, the pin its `reference/`."""
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
    manifest = (folder / "goldens" / "outcomes" / "manifest.json").read_text()
    if _git(folder, "rev-parse", "HEAD:reference").strip() not in manifest:
        # Else every `goldens check` in a clone of it would sweep the whole grid.
        assert goldens(folder, "regen").returncode == 0
        _git(folder, "add", "-A")
        _git(folder, "commit", "-q", "--allow-empty", "-m", "a new pin")
    return folder


@pytest.fixture
def clone(committed: Path, tmp_path: Path) -> Path:
    """A clone of `committed` that a test may break."""
    _git(tmp_path, "clone", "-q", str(committed), "clone")
    return tmp_path / "clone"


@pytest.fixture(scope="session")
def committed_slim(
    committed: Path,
    goldens: Callable[..., subprocess.CompletedProcess[bytes]],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """`committed` with few arms and the refused case alone: no token is counted for its goldens."""
    folder = tmp_path_factory.mktemp("slim") / "project"
    _git(committed, "clone", "-q", str(committed), str(folder))
    for case in set(project.load(folder).cases) - {"refused"}:
        (folder / "goldens" / "cases" / f"{case}.json").unlink()
    arms = folder / "goldens" / "arms.toml"
    kept = re.findall(r"^\[(?:default|user|budget1)\]\n.+\n.+\n", arms.read_text(), re.MULTILINE)
    arms.write_text("\n".join(kept))
    _git(folder, "commit", "-q", "-a", "-m", "fewer arms and cases")
    assert goldens(folder, "regen").returncode == 0
    _git(folder, "commit", "-q", "-a", "-m", "their goldens")
    return folder


@pytest.fixture
def slim(committed_slim: Path, tmp_path: Path) -> Path:
    """A clone of `committed_slim` that a test may break."""
    _git(tmp_path, "clone", "-q", str(committed_slim), "slim")
    return tmp_path / "slim"


@pytest.fixture(scope="session")
def committed_quick(committed: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone whose committed reference counts blanks for tokens, without an encoder."""
    folder = tmp_path_factory.mktemp("quick") / "project"
    _git(committed, "clone", "-q", str(committed), str(folder))
    _count_quickly(folder / "reference")
    _git(folder, "commit", "-q", "-a", "-m", "blanks are counted")
    return folder


@pytest.fixture
def quick(committed_quick: Path, tmp_path: Path) -> Path:
    """A clone of `committed_quick` that a test may break."""
    _git(tmp_path, "clone", "-q", str(committed_quick), "quick")
    return tmp_path / "quick"
