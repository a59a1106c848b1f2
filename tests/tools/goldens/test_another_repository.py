"""Another repository: its program guarded by its own goldens, old against new."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools.exits import Exit
from tools.project import settings

ROOT = Path(__file__).parents[3]
COMMAND = f"{sys.executable} -m provider"
CASES = ("--cases", "thirty,hostile", "--jobs", "1")


@pytest.fixture(scope="session")
def committed_provider(committed_quick, git, inside_home, tmp_path_factory):
    """A repository with somebody's provider, its goldens.toml and its goldens, all committed."""
    folder = tmp_path_factory.mktemp("provider") / "their répo's"
    shutil.copytree(committed_quick / "reference", folder / "provider")
    (folder / "README").write_text("a provider\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "a provider")
    for arguments in (("init", "--command", COMMAND), ("regen",)):
        done = inside_home(folder, *arguments)
        assert done.returncode == Exit.OK, done.stderr
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", arguments[0])
    return folder


@pytest.fixture(scope="session")
def inside_home(goldens, tmp_path_factory):
    """`goldens` of this checkout in another repository, with a cache of its own."""
    cache = tmp_path_factory.mktemp("cache")

    def run(folder, *arguments, **options):
        env = {"PYTHONPATH": f"{ROOT}", "XDG_CACHE_HOME": str(cache)}
        return goldens(folder, *arguments, env=env, **options)

    return run


@pytest.fixture
def provider(committed_provider, git, tmp_path):
    """A clone that a test may break."""
    git(tmp_path, "clone", "-q", str(committed_provider), "their répo's")
    return tmp_path / "their répo's"


@pytest.fixture
def run(inside, monkeypatch, tmp_path):
    """`goldens ARGUMENTS` in a folder, in this process."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", "")
    return inside


def plant(folder, file, old, new):
    path = folder / "provider" / file
    text = path.read_text()
    assert text.count(old) >= 1, old
    path.write_text(text.replace(old, new))


def goldens_of(folder):
    base = folder / "goldens"
    return {path.name: path.read_bytes() for path in base.rglob("*") if path.is_file()}


def test_a_clone_with_its_own_goldens_passes_every_stage(provider, run):
    done = run(provider, "check")
    assert (done.returncode, done.stderr) == (Exit.OK, b"")
    assert done.stdout.count(b"    ok  ") == 4
    assert b"runs from the pinned files" in done.stdout


def test_a_pure_refactor_agrees_old_against_new(provider, run):
    plant(provider, "budget.py", "_counted", "_tokens_of")
    done = run(provider, "check", "--sample", "40")
    assert done.returncode == Exit.OK, done.stdout
    assert "no difference in 40 combinations" in done.stdout.decode()
    assert "a sample of 40" in done.stdout.decode()


FAULTS = {
    "a_heading": ("wording.toml", 'turns_heading = "', 'turns_heading = "!', ()),
    "a_dropped_phrasing": ("routing.py", "you created", "you never created", ()),
    "a_budget_that_stops_at_its_limit": (
        "budget.py",
        "_counted(line.text, position, count) > room",
        "_counted(line.text, position, count) >= room",
        ("--knobs", "MEMVARA_TOKEN_BUDGET"),
    ),
    "a_lost_warning": (
        "context.py",
        'return Rendered("\\n\\n".join(blocks) or words.empty, warnings)',
        'return Rendered("\\n\\n".join(blocks) or words.empty, ())',
        ("--knobs", "MEMVARA_ROLE_SELECT", "--cases", "user_only,assistant_only"),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_named_with_a_line_that_runs_their_program(provider, run, fault):
    file, old, new, narrowed = FAULTS[fault]
    plant(provider, file, old, new)
    options = narrowed or ("--knobs", "MEMVARA_ROLE_SELECT")
    cases = () if "--cases" in options else CASES
    done = run(provider, "sweep", "--commit", "HEAD", *options, *cases)
    assert done.returncode == Exit.MISMATCH, done.stdout
    line = re.search(r"^ +(\S*python\S* -m provider <<< .*)$", done.stdout.decode(), re.MULTILINE)
    assert line, done.stdout
    pasted = ["bash", "-c", line[1]]
    assert subprocess.run(pasted, cwd=provider, capture_output=True, check=True).stdout


def test_regen_from_the_old_commit_brings_back_the_old_goldens(provider, run, git):
    before, old = goldens_of(provider), git(provider, "rev-parse", "HEAD").strip()
    plant(provider, "wording.toml", 'turns_heading = "', 'turns_heading = "Quoted. ')
    git(provider, "commit", "-qam", "a heading")
    assert run(provider, "check").returncode == Exit.MISMATCH
    assert run(provider, "regen").returncode == Exit.OK
    assert goldens_of(provider) != before
    assert run(provider, "check").returncode == Exit.OK
    assert run(provider, "regen", "--commit", old).returncode == Exit.OK
    assert goldens_of(provider) == before


def test_the_pin_is_found_after_an_amend(provider, run, git):
    plant(provider, "wording.toml", 'turns_heading = "', 'turns_heading = "Quoted. ')
    git(provider, "commit", "-qam", "a heading")
    assert run(provider, "regen").returncode == Exit.OK
    git(provider, "add", "-A")
    git(provider, "commit", "-q", "--amend", "--no-edit")
    git(provider, "reflog", "expire", "--expire=now", "--all")
    git(provider, "gc", "-q", "--prune=now")
    assert run(provider, "check").returncode == Exit.OK


def test_two_programs_are_compared_with_one_another(provider, run):
    old = shlex.join([sys.executable, "-I", str(provider / "old.py")])
    (provider / "old.py").write_text(
        f"import runpy, sys\nsys.path.insert(0, {str(provider)!r})\n"
        "runpy.run_module('provider', run_name='__main__')\n"
    )
    options = ("--arms", "--cases", "empty", "--jobs", "1")
    done = run(provider, "sweep", "--command", COMMAND, "--against", old, *options)
    assert done.returncode == Exit.OK, done.stderr
    assert f"expected  {old}\n" in done.stdout.decode()
    same = run(provider, "sweep", "--command", COMMAND, "--against", COMMAND, *options)
    assert same.returncode == Exit.USAGE
    assert b"nothing to compare" in same.stderr


def test_an_op_that_the_program_lacks_is_left_out_and_named(provider, run, git):
    (provider / "provider" / "__main__.py").write_text(
        "import json, sys\n"
        "from . import protocol\n"
        "session = protocol.Session()\n"
        "for line in sys.stdin.buffer:\n"
        "    request = json.loads(line)\n"
        "    if request['op'] == 'hello':\n"
        "        ok = {'name': 'p', 'version': '1', 'ops': ['items', 'render', 'route']}\n"
        "        answer = {'id': request['id'], 'ok': ok}\n"
        "    elif request['op'] in ('items', 'render', 'route'):\n"
        "        answer = protocol.answer(request, session)\n"
        "    else:\n"
        "        sys.exit('asked for ' + request['op'])\n"
        "    print(json.dumps(answer), flush=True)\n"
    )
    git(provider, "commit", "-qam", "fewer ops")
    options = ("--arms", "--cases", "thirty", "--jobs", "1")
    done = run(provider, "sweep", "--commit", "HEAD", *options)
    assert done.returncode == Exit.OK, done.stderr
    for op in ("settings", "request", "prompt"):
        assert f"not compared: {op}, which" in done.stdout.decode()
    assert run(provider, "regen").returncode == Exit.OK
    assert sorted(path.name for path in (provider / "goldens" / "outcomes").iterdir()) == [
        "manifest.json",
        "render",
        "routing.jsonl",
    ]
    git(provider, "add", "-A")
    git(provider, "commit", "-qm", "fewer goldens")
    assert run(provider, "check").returncode == Exit.OK


def lines_of(text, **changed):
    held = {"command": COMMAND} | changed
    return "".join(f"{name} = {value!r}\n" for name, value in held.items()) + text


BAD = {
    "an_unknown_key": (lines_of("timeut = 3\n"), b"timeut is no key: timeout?"),
    "another_type": (lines_of("jobs = 0\n"), b"jobs must be an integer above 0, not 0"),
    "no_command": ("timeout = 3\n", b"command is missing"),
    "no_toml": ("command =\n", b"goldens.toml: "),
    "open_quotes": ('command = "it\'s"\n', b"can't be split into words"),
    "a_setup_that_fails": (
        lines_of("setup = 'echo fetching; echo no network >&2; exit 3'\n"),
        b"ended with exit 3:\n  fetching\n  no network",
    ),
    "a_setup_that_hangs": (
        lines_of("setup = 'sleep 60'\nsetup_timeout = 0.2\n"),
        b"took over 0.2 s",
    ),
    "paths_without_a_file": (lines_of("pinned = ['nowhere']\n"), b"names no file in commit"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_settings_are_one_clear_message(provider, run, git, name):
    text, said = BAD[name]
    (provider / settings.NAME).write_text(text)
    git(provider, "commit", "-qam", "bad")
    before = goldens_of(provider)
    done = run(provider, "regen")
    assert done.returncode == Exit.USAGE
    assert said in done.stderr
    assert b"Traceback" not in done.stderr
    assert goldens_of(provider) == before


def test_a_repository_without_a_commit_is_told_so(tmp_path, run, git):
    git(tmp_path, "init", "-q")
    (tmp_path / settings.NAME).write_text(lines_of(""))
    done = run(tmp_path, "regen")
    assert done.returncode == Exit.USAGE
    assert b"no commit 'HEAD' here" in done.stderr


def test_goldens_in_an_ignored_folder_are_refused(provider, run, git):
    (provider / ".gitignore").write_text("goldens/\n")
    git(provider, "rm", "-rq", "--cached", "goldens")
    git(provider, "add", "-A")
    git(provider, "commit", "-qm", "ignored")
    done = run(provider, "regen")
    assert done.returncode == Exit.USAGE
    assert b"is ignored by git" in done.stderr


def test_a_commit_without_the_program_is_told_with_its_last_words(provider, run, git):
    old = git(provider, "rev-parse", "HEAD").strip()
    git(provider, "mv", "provider", "moved")
    git(provider, "commit", "-qm", "moved")
    git(provider, "mv", "moved", "provider")
    done = run(provider, "sweep", "--commit", "HEAD", "--arms", "--cases", "empty", "--jobs", "1")
    assert done.returncode == Exit.CRASHED
    assert b"No module named provider" in done.stderr
    assert old


def test_a_submodule_and_a_pointer_that_are_pinned_are_refused(provider, run, git, tmp_path):
    pointer = provider / "model.bin"
    pointer.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    git(provider, "add", "-A")
    git(provider, "commit", "-qm", "a pointer")
    done = run(provider, "regen")
    assert (done.returncode, b"model.bin is a pointer of Git LFS" in done.stderr) == (2, True)
    git(provider, "rm", "-q", "model.bin")
    commit = git(provider, "rev-parse", "HEAD").strip()
    git(provider, "update-index", "--add", "--cacheinfo", f"160000,{commit},vendored")
    git(provider, "commit", "-qm", "a submodule")
    done = run(provider, "regen")
    assert (done.returncode, b"vendored is a submodule" in done.stderr) == (2, True)
    (provider / settings.NAME).write_text(lines_of("pinned = ['provider']\n"))
    git(provider, "add", settings.NAME)
    git(provider, "commit", "-qm", "named")
    assert run(provider, "regen", "--dry-run").returncode == Exit.OK


def test_an_old_commit_is_unpacked_without_touching_the_repository(provider, run, git):
    (provider / "provider" / "tool.sh").write_text("#!/bin/sh\n")
    (provider / "provider" / "tool.sh").chmod(0o755)
    (provider / "link").symlink_to("README")
    git(provider, "add", "-A")
    git(provider, "commit", "-qm", "a tool and a link")
    index = (provider / ".git" / "index").read_bytes()
    done = run(provider, "sweep", "--commit", "HEAD", "--arms", "--cases", "empty", "--jobs", "1")
    assert done.returncode == Exit.OK, done.stderr
    assert (provider / ".git" / "index").read_bytes() == index
    assert not (provider / ".git" / "worktrees").exists()
    files = next((provider.parent / "cache").rglob("link"))
    assert files.is_symlink()
    assert os.access(files.parent / "provider" / "tool.sh", os.X_OK)


def test_a_setup_runs_once_for_a_tree_and_again_without_the_cache(provider, run, git):
    count = provider.parent / "count"
    (provider / settings.NAME).write_text(lines_of(f"setup = 'echo x >> {count}'\n"))
    git(provider, "commit", "-qam", "a setup")
    narrowed = ("--arms", "--cases", "empty", "--jobs", "1")
    for options, times in (((), 1), ((), 1), (("--no-cache",), 2)):
        done = run(provider, "sweep", "--commit", "HEAD", *narrowed, *options)
        assert done.returncode == Exit.OK, done.stderr
        assert count.read_text() == "x\n" * times


def groups_with(mark):
    """The processes whose command line holds a mark, by process group."""
    found = set()
    for path in Path("/proc").glob("[0-9]*"):
        try:
            line = (path / "cmdline").read_bytes()
            state = (path / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if mark.encode() in line and state[0] != "Z":
            found.add(int(state[2]))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="counts processes in /proc")
def test_no_process_is_left_after_a_kill_at_any_moment(provider, git, tmp_path):
    (provider / "provider" / "__main__.py").write_text(
        "import os, subprocess, sys\n"
        "from .protocol import serve\n"
        f"child = subprocess.Popen(['sleep', '86{os.getpid()}'])\n"  # one that never ends by itself
        "sys.exit(serve(sys.stdin.buffer, sys.stdout.buffer, sys.stderr))\n"
    )
    git(provider, "commit", "-qam", "a child")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "tools", "sweep", "--commit", "HEAD", "--jobs", "2"]
    for moment in (0.3, 0.6, 0.9, 1.3):
        process = subprocess.Popen(
            command, cwd=provider, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        process.wait()
        deadline = time.monotonic() + 10
        while groups_with(f"86{os.getpid()}") and time.monotonic() < deadline:
            time.sleep(0.01)
        assert groups_with(f"86{os.getpid()}") == set()
