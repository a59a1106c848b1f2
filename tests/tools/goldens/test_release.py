"""`goldens --version`: the version, and which reference is here."""

import json
import tomllib
from pathlib import Path

import pytest

from tools.exits import Exit
from tools.goldens import release

ROOT = Path(__file__).parents[3]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


@pytest.fixture
def pin(slim, monkeypatch):
    """The pin of the clone that is installed."""
    monkeypatch.setattr(release, "ROOT", slim)
    return json.loads((slim / "goldens" / "outcomes" / "manifest.json").read_text())


def test_the_pinned_reference_is_named_with_its_commit(pin, inside, tmp_path):
    done = inside(tmp_path, "--version")
    tree, commit = pin["tree"][:12], pin["commit"][:12]
    said = f"goldens {VERSION}, reference tree {tree} (commit {commit})\n"
    assert (done.returncode, done.stdout.decode()) == (Exit.OK, said)


def test_another_reference_than_the_pinned_one_is_said_to_be(pin, slim, inside, git, tmp_path):
    with (slim / "reference" / "text.py").open("a") as file:
        file.write("\n")
    git(slim, "add", "-A")
    tree = git(slim, "write-tree", "--prefix=reference/").strip()
    done = inside(tmp_path, "--version")
    pinned = f"not the pinned tree {pin['tree'][:12]} of commit {pin['commit'][:12]}"
    assert done.stdout.decode().endswith(f", reference tree {tree[:12]} ({pinned})\n")


def test_a_release_without_a_pin_is_damage(pin, slim, inside, tmp_path):
    (slim / "goldens" / "outcomes" / "manifest.json").unlink()
    done = inside(tmp_path, "--version")
    assert done.returncode == Exit.MISMATCH
    assert done.stderr.decode().startswith("goldens: goldens/outcomes/manifest.json is missing")
