"""What is said and done otherwise in an installed wheel."""

import shlex
import sys

import pytest

from tools import cli
from tools.exits import Exit
from tools.project import git as repository
from tools.project import installed


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """This process as if it ran from a wheel, below a repository of somebody else."""
    package = tmp_path / "theirs" / "site-packages" / "memvara_goldens"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    for module in (installed, repository):
        monkeypatch.setattr(module, "ROOT", package)
    return package


def test_this_checkout_is_no_wheel():
    assert not installed.in_a_wheel()


def test_lines_to_paste_are_those_of_the_wheel(wheel):
    assert installed.in_a_wheel()
    python = shlex.quote(sys.executable)
    assert installed.reference_program() == f"{python} -m memvara_goldens.reference"
    assert "(pip install 'memvara-goldens[engine]')" in installed.with_extra("engine")


def test_lines_to_paste_are_those_of_a_working_tree():
    assert installed.reference_program() == "python -m reference"
    assert "(pip install -e '.[plot]')" in installed.with_extra("plot")


def test_a_repository_around_the_wheel_is_not_asked(wheel, git, tmp_path):
    git(tmp_path / "theirs", "init", "-q")
    assert repository.git(tmp_path / "theirs", "rev-parse", "--git-dir") == b".git\n"
    with pytest.raises(repository.GitError, match="not a git repository"):
        repository.git(wheel, "rev-parse", "--git-dir")


@pytest.mark.parametrize("options", [(), ("--help",)], ids=["run", "help"])
def test_the_gate_needs_a_clone(wheel, inside, tmp_path, options):
    done = inside(tmp_path, "mutate", *options)
    assert done.returncode == Exit.USAGE
    said = b"goldens: mutate needs a clone of this repository: run make mutate in one\n"
    assert (done.stdout, done.stderr) == (b"", said)


def test_what_needs_a_clone_is_a_make_target():
    makefile = (installed.ROOT / "Makefile").read_text()
    assert all(f"\n{name}:" in makefile for name in cli.CLONE_ONLY)
