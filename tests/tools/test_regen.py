"""`goldens regen` in real repositories: what it writes, what it refuses, what a kill leaves."""

import json
import signal
import subprocess
import sys

import pytest

HEADING = "What was said in earlier conversations, word for word"


def edit_heading(clone):
    path = clone / "reference" / "wording.toml"
    path.write_text(path.read_text().replace(HEADING, "Earlier talks, word for word"))


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


def test_regen_at_the_recorded_tree_keeps_the_recorded_commit(clone, git, goldens):
    goldens(clone, "regen", "--commit", pin(clone)[1])
    git(clone, "commit", "-q", "--allow-empty", "-m", "another commit with the same tree")
    before = snapshot(clone / "goldens")
    assert goldens(clone, "regen", "--commit", pin(clone)[1]).returncode == 0
    assert snapshot(clone / "goldens") == before


def test_a_deliberate_change_is_committed_regenerated_and_amended(clone, git, goldens):
    edit_heading(clone)
    git(clone, "commit", "-q", "-a", "-m", "another heading")
    shown = goldens(clone, "regen")
    assert shown.returncode == 0
    assert b"goldens move" in shown.stdout
    assert b"now    'Earlier talks, word for word" in shown.stdout
    git(clone, "add", "goldens")
    git(clone, "commit", "-q", "--amend", "--no-edit")
    assert goldens(clone, "check").returncode == 0
    assert pin(clone)[0] == git(clone, "rev-parse", "HEAD:reference").strip()
    assert goldens(clone, "regen", "--dry-run").stdout == b"nothing moves\n"


@pytest.mark.parametrize(
    "file", ["reference/wording.toml", "goldens/arms.toml", "goldens/cases/empty.json"]
)
def test_what_is_not_committed_is_refused_with_exit_4(file, clone, goldens):
    with (clone / file).open("a") as opened:
        opened.write("\n")
    done = goldens(clone, "regen")
    assert done.returncode == 4
    assert f"not committed: {file}".encode() in done.stderr


def test_an_untracked_file_in_reference_is_refused_with_exit_4(clone, goldens):
    (clone / "reference" / "new.py").write_text("")
    assert goldens(clone, "regen").returncode == 4


def test_an_unknown_revision_is_one_line_and_exit_2(clone, goldens):
    done = goldens(clone, "regen", "--commit", "nowhere")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert b"no commit 'nowhere' here" in done.stderr


def test_without_git_nothing_is_written_and_the_exit_is_3(clone, goldens, tmp_path):
    before = snapshot(clone / "goldens")
    (tmp_path / "bin").mkdir()
    done = goldens(clone, "regen", env={"PATH": str(tmp_path / "bin")})
    assert done.returncode == 3
    assert snapshot(clone / "goldens") == before


def test_the_repository_and_its_worktrees_are_not_touched(clone, git, goldens):
    index = (clone / ".git" / "index").read_bytes()
    worktrees, status = git(clone, "worktree", "list"), git(clone, "status", "--porcelain")
    assert goldens(clone, "regen", "--dry-run").returncode == 0
    assert (clone / ".git" / "index").read_bytes() == index
    assert git(clone, "worktree", "list") == worktrees
    assert git(clone, "status", "--porcelain") == status


def test_it_works_from_a_subfolder_inside_a_hook(clone, goldens):
    env = {"GIT_DIR": "/nowhere", "GIT_INDEX_FILE": "/nowhere/index", "GIT_WORK_TREE": "/"}
    done = goldens(clone, "regen", "--dry-run", cwd=clone / "tools", env=env)
    assert (done.returncode, done.stdout) == (0, b"nothing moves\n")


def test_it_works_in_a_linked_worktree(clone, git, goldens):
    git(clone, "worktree", "add", "-q", "../linked")
    done = goldens(clone.parent / "linked", "regen")
    assert (done.returncode, done.stdout) == (0, b"nothing moves\n")


def test_it_reads_blobs_past_autocrlf(committed, tmp_path, git, goldens):
    git(tmp_path, "-c", "core.autocrlf=true", "clone", "-q", str(committed), "crlf")
    git(tmp_path / "crlf", "config", "core.autocrlf", "true")
    done = goldens(tmp_path / "crlf", "regen")
    assert (done.returncode, done.stdout) == (0, b"nothing moves\n")


def test_a_start_after_an_interrupted_rename_puts_the_goldens_back(clone, goldens):
    outcomes = clone / "goldens" / "outcomes"
    before = snapshot(outcomes)
    outcomes.rename(outcomes.with_name("outcomes.old"))
    assert goldens(clone, "check").returncode == 0
    assert snapshot(outcomes) == before
    assert not outcomes.with_name("outcomes.old").exists()


STOPPING = """
import os, sys
sys.path.insert(0, {root!r})
from tools import regen
calls = 0
def counted(function):
    def call(*arguments, **options):
        global calls
        calls += 1
        if calls > {stop}:
            os.kill(os.getpid(), 9)
        return function(*arguments, **options)
    return call
regen.Path.rename = counted(regen.Path.rename)
regen.os.fsync = counted(regen.os.fsync)
regen.shutil.rmtree = counted(regen.shutil.rmtree)
sys.exit(regen.command.main([], standalone_mode=False))
"""


@pytest.mark.parametrize("from_the_end", [0, 1, 2, 3, 4, 300])
def test_a_kill_at_any_step_loses_no_golden(from_the_end, clone, git, goldens):
    edit_heading(clone)
    git(clone, "commit", "-q", "-a", "-m", "another heading")
    before = snapshot(clone / "goldens" / "outcomes")
    steps = 2 + len(before) + 4
    script = STOPPING.format(root=str(clone), stop=steps - from_the_end - 1)
    killed = subprocess.run([sys.executable, "-c", script], cwd=clone, capture_output=True)
    assert killed.returncode == -signal.SIGKILL
    goldens(clone, "check")
    after = snapshot(clone / "goldens" / "outcomes")
    tree = json.loads(after["manifest.json"])["tree"]
    assert after == before or tree == git(clone, "rev-parse", "HEAD:reference").strip()
    assert goldens(clone, "regen").returncode == 0
    assert goldens(clone, "check").returncode == 0
    assert not list((clone / "goldens").glob("outcomes.*"))
