"""`goldens regen` in real repositories: what it writes, what it refuses, what a kill leaves."""

import json
import signal
import subprocess
import sys

import pytest


def edit_default(folder):
    path = folder / "reference" / "knobs.py"
    changed = path.read_text().replace('"search_k", 30', '"search_k", 31')
    assert changed != path.read_text()
    path.write_text(changed)


def snapshot(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def pin(clone):
    manifest = json.loads((clone / "goldens/outcomes/manifest.json").read_text())
    return manifest["tree"], manifest["commit"]


def test_a_dry_run_right_after_a_clone_moves_nothing(clone, goldens):
    before = snapshot(clone / "goldens")
    done = goldens(clone, "regen", "--commit", "HEAD", "--dry-run")
    assert (done.returncode, done.stdout) == (0, b"nothing moves\n")
    assert snapshot(clone / "goldens") == before


def test_regen_at_the_recorded_tree_keeps_the_recorded_commit(slim, git, inside):
    git(slim, "commit", "-q", "--allow-empty", "-m", "another commit with the same tree")
    before = snapshot(slim / "goldens")
    assert inside(slim, "regen").returncode == 0
    assert inside(slim, "regen", "--commit", pin(slim)[1]).returncode == 0
    assert snapshot(slim / "goldens") == before


def test_a_deliberate_change_is_committed_regenerated_and_amended(slim, git, inside):
    edit_default(slim)
    git(slim, "commit", "-q", "-a", "-m", "another default")
    shown = inside(slim, "regen")
    assert shown.returncode == 0
    assert b"goldens move" in shown.stdout
    assert b'"search_k": 31' in shown.stdout
    git(slim, "add", "goldens")
    git(slim, "commit", "-q", "--amend", "--no-edit")
    assert inside(slim, "check").returncode == 0
    assert pin(slim)[0] == git(slim, "rev-parse", "HEAD:reference").strip()
    assert inside(slim, "regen", "--dry-run").stdout == b"nothing moves\n"


@pytest.mark.parametrize(
    "file", ["reference/wording.toml", "goldens/arms.toml", "goldens/cases/refused.json"]
)
def test_what_is_not_committed_is_refused_with_exit_4(file, slim, inside):
    with (slim / file).open("a") as opened:
        opened.write("\n")
    done = inside(slim, "regen")
    assert done.returncode == 4
    assert f"not committed: {file}".encode() in done.stderr


def test_an_untracked_file_in_reference_is_refused_with_exit_4(slim, inside):
    (slim / "reference" / "new.py").write_text("")
    assert inside(slim, "regen").returncode == 4


def test_an_unknown_revision_is_one_line_and_exit_2(slim, inside):
    done = inside(slim, "regen", "--commit", "nowhere")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert b"no commit 'nowhere' here" in done.stderr


def test_without_git_nothing_is_written_and_the_exit_is_3(slim, goldens, tmp_path):
    before = snapshot(slim / "goldens")
    (tmp_path / "bin").mkdir()
    done = goldens(slim, "regen", env={"PATH": str(tmp_path / "bin")})
    assert done.returncode == 3
    assert snapshot(slim / "goldens") == before


def test_the_repository_and_its_worktrees_are_not_touched(slim, git, goldens):
    index = (slim / ".git" / "index").read_bytes()
    worktrees, status = git(slim, "worktree", "list"), git(slim, "status", "--porcelain")
    assert goldens(slim, "regen", "--dry-run").returncode == 0
    assert (slim / ".git" / "index").read_bytes() == index
    assert git(slim, "worktree", "list") == worktrees
    assert git(slim, "status", "--porcelain") == status


def test_it_works_from_a_subfolder_inside_a_hook(slim, goldens):
    env = {"GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index", "GIT_WORK_TREE": "/"}
    done = goldens(slim, "regen", "--dry-run", cwd=slim / "tools", env=env)
    assert (done.returncode, done.stdout) == (0, b"nothing moves\n")


def test_it_works_in_a_linked_worktree(slim, git, goldens):
    git(slim, "worktree", "add", "-q", "../linked")
    done = goldens(slim.parent / "linked", "regen")
    assert (done.returncode, done.stdout) == (0, b"nothing moves\n")


def test_it_reads_blobs_past_autocrlf(committed_slim, tmp_path, git, goldens):
    git(tmp_path, "-c", "core.autocrlf=true", "clone", "-q", str(committed_slim), "crlf")
    git(tmp_path / "crlf", "config", "core.autocrlf", "true")
    done = goldens(tmp_path / "crlf", "regen")
    assert (done.returncode, done.stdout) == (0, b"nothing moves\n")


def test_a_start_after_an_interrupted_rename_puts_the_goldens_back(slim, inside):
    outcomes = slim / "goldens" / "outcomes"
    before = snapshot(outcomes)
    outcomes.rename(outcomes.with_name("outcomes.old"))
    assert inside(slim, "check").returncode == 0
    assert snapshot(outcomes) == before
    assert not outcomes.with_name("outcomes.old").exists()


# Counts the steps on disk, kills before the one after {last}, or says how many there were.
STOPPING = """
import os, sys
sys.path.insert(0, {root!r})
from tools.commands import regen
from tools.goldens import writer
steps = 0
def counted(function):
    def call(*arguments, **options):
        global steps
        steps += 1
        if steps > {last}:
            os.kill(os.getpid(), 9)
        return function(*arguments, **options)
    return call
writer.Path.rename = counted(writer.Path.rename)
writer.os.fsync = counted(writer.os.fsync)
writer.shutil.rmtree = counted(writer.shutil.rmtree)
regen.command.main([], standalone_mode=False)
print("steps:", steps)
"""


def stopped(folder, last):
    script = STOPPING.format(root=str(folder), last=last)
    return subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True)


@pytest.fixture(scope="module")
def all_steps(committed_slim, tmp_path_factory, git):
    """How many steps on disk one `regen` takes."""
    folder = tmp_path_factory.mktemp("steps")
    git(folder, "clone", "-q", str(committed_slim), "slim")
    return int(stopped(folder / "slim", last=10**9).stdout.split(b"steps: ")[1])


# The last six are around the two renames; before them nothing but outcomes.new is touched.
@pytest.mark.parametrize("missing", [1, 2, 3, 4, 5, 6, 20, 40])
def test_a_kill_at_any_step_loses_no_golden(missing, all_steps, slim, git, inside):
    edit_default(slim)
    git(slim, "commit", "-q", "-a", "-m", "another default")
    before = snapshot(slim / "goldens" / "outcomes")
    assert missing < all_steps
    assert stopped(slim, all_steps - missing).returncode == -signal.SIGKILL
    inside(slim, "check")
    after = snapshot(slim / "goldens" / "outcomes")
    tree = json.loads(after["manifest.json"])["tree"]
    assert after == before or tree == git(slim, "rev-parse", "HEAD:reference").strip()
    assert inside(slim, "regen").returncode == 0
    assert inside(slim, "check").returncode == 0
    assert not list((slim / "goldens").glob("outcomes.*"))
