"""The wheel that `make wheel` built, in virtual environments of its own, far from any clone."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
OTHERS = ("MEMVARA_", "OPENAI_MODEL_", "GIT_", "PYTHON", "NO_COLOR", "FORCE_COLOR", "VIRTUAL_ENV")


def _only(pattern: str) -> Path:
    found = list((ROOT / "dist").glob(pattern))
    if len(found) != 1:
        pytest.exit(f"dist/ holds {len(found)} of {pattern}: `make wheel` builds one", 2)
    return found[0]


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The built wheel."""
    return _only("*.whl")


@pytest.fixture(scope="session")
def sdist() -> Path:
    """The source archive that the wheel was built from."""
    return _only("*.tar.gz")


class Environment(NamedTuple):
    """A virtual environment; nothing that is set here leads its programs back into this clone."""

    folder: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    @property
    def package(self) -> Path:
        """What it has of ours."""
        return next(self.folder.glob("lib/*/site-packages/memvara_goldens"))

    def start(self, folder: Path, name: str, *arguments: str, **options: Any) -> subprocess.Popen:
        """A program of the environment, started in a folder."""
        env = {key: value for key, value in os.environ.items() if not key.startswith(OTHERS)}
        command = [str(self.folder / "bin" / name), *arguments]
        return subprocess.Popen(command, stdout=subprocess.PIPE, cwd=folder, env=env, **options)

    def run(
        self, folder: Path, name: str, *arguments: str, stdin: bytes = b"", code: int = 0
    ) -> tuple[bytes, bytes]:
        """What a program that must exit with `code` writes to stdout and to stderr."""
        pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
        with self.start(folder, name, *arguments, **pipes) as process:
            said = process.communicate(stdin, timeout=300)
        assert process.returncode == code, b"".join(said)
        return said


@pytest.fixture(scope="session")
def installed(
    wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Environment]:
    """Installs the wheel, with an extra or none, in the versions that the lock file has."""

    def install(extra: str) -> Environment:
        folder = tmp_path_factory.mktemp("environment")
        locked = (ROOT / "requirements.lock").read_text()
        versions = re.findall(r"^[a-z].*?(?= \\$)", locked, re.MULTILINE)
        (folder / "versions").write_text("\n".join(versions))
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        environment = Environment(folder / "venv")
        quiet = ("--quiet", "--disable-pip-version-check", "-c", "versions")
        environment.run(folder, "pip", "install", *quiet, f"{wheel}{extra}")
        return environment

    return install


@pytest.fixture(scope="session")
def bare(installed: Callable[[str], Environment]) -> Environment:
    """An environment with the wheel alone and what it cannot do without."""
    return installed("")


@pytest.fixture(scope="session")
def with_engine(installed: Callable[[str], Environment]) -> Environment:
    """An environment with the extra `engine`."""
    return installed("[engine]")
