"""A run on disk: it survives kills and Ctrl-C, is continued by the same settings alone, streams."""

import fcntl
import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tools.exits import Exit

ROOT = Path(__file__).parents[3]
SESSIONS = 3
ARMS = ("--arms", "default,turns_only,ranked", "--model", "opus-4.5")

# Puts `act` in the place of the Nth step that a process takes: a write to the store, a search, a
# file that becomes whole.
STEPS = """
import os, signal
from tools.engine.memory import Memory
left = {nth}
def counted(step):
    def counting(*arguments, **named):
        global left
        left -= 1
        if left == 0:
            {act}
        return step(*arguments, **named)
    return counting
Memory.add, Memory.search = counted(Memory.add), counted(Memory.search)
os.replace = counted(os.replace)
"""
KILL = "os.kill(os.getpid(), signal.SIGKILL)"
KILL_PARENT = "os.kill(os.getppid(), signal.SIGKILL)"
INTERRUPT = "os.kill(os.getpid(), signal.SIGINT)"
INTERRUPT_PARENT = "os.kill(os.getppid(), signal.SIGINT)"
# Forks a run for each step until {last}, in which it kills itself there, and prints their ends.
KILLS = """
import os, sys
from tools.commands import arms
from tools.engine import library
library.load_memvara()
for nth in range(1, {last} + 1):
    child = os.fork()
    if not child:
        exec({steps!r}.replace("NTH", str(nth)))
        main()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
sys.exit()
"""
Run = Callable[..., tuple[int, bytes, bytes]]


def started(
    *arguments: Any, first: str = "", last: str = "", stderr: int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    """`goldens arms` with some code before and after it."""
    start = "sys.argv[0] = 'goldens'; from tools.cli import main"
    code = f"import sys\n{start}\n{first}\ntry: main()\nfinally:\n pass\n {last}"
    env = {n: v for n, v in os.environ.items() if not n.startswith(("MEMVARA_", "OPENAI_MODEL_"))}
    command = [sys.executable, "-c", code, "arms", *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=stderr, cwd=ROOT, env=env)


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr; a process that it started and that lives on would hold both."""
    with process:
        out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def spawned(*arguments: Any, **code: str) -> tuple[int, bytes, bytes]:
    """What `goldens arms` comes to in a process of its own."""
    return ended(started(*arguments, **code))


@pytest.fixture
def arms(inside: Callable[..., subprocess.CompletedProcess[bytes]]) -> Run:
    """What `goldens arms` comes to in this process."""

    def run(*arguments: Any) -> tuple[int, bytes, bytes]:
        done = inside(ROOT, "arms", *map(str, arguments))
        return done.returncode, done.stdout, done.stderr

    return run


def item(number: int, sessions: int = SESSIONS, padding: int = 0) -> dict[str, Any]:
    return {
        "question_id": f"q{number}",
        "question_type": "multi-session",
        "question": f"How many hives did I keep in year {number}?",
        "question_date": "2024/05/02 (Thu) 08:15",
        "answer": number,
        "haystack_dates": [f"2024/05/0{1 + each} (Wed) 07:00" for each in range(sessions)],
        "haystack_session_ids": ["s1"] * sessions,
        "haystack_sessions": [
            [
                {
                    "role": "user",
                    "content": f"I like bees, and kept {number + each} hives." + " " * padding,
                    "has_answer": each == 0,
                }
            ]
            for each in range(sessions)
        ],
    }


def dataset(path: Path, *every: dict[str, Any]) -> Path:
    path.write_text(json.dumps(every))
    return path


def files(run: Path) -> dict[str, Any]:
    """What a run holds besides stores of questions at work, `recorded_at` aside."""

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(each) for each in value]
        if isinstance(value, dict):
            return {name: plain(each) for name, each in value.items() if name != "recorded_at"}
        return value

    return {
        str(path.relative_to(run)): plain(json.loads(path.read_bytes() or b"0"))
        for path in run.rglob("*")
        if path.is_file() and path.parent.parent.name != "stores"
    }


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return dataset(tmp_path_factory.mktemp("data") / "data.json", *map(item, range(6)))


class Finished(NamedTuple):
    """A run that nothing disturbed, made by two processes."""

    folder: Path
    said: tuple[int, bytes, bytes]
    files: dict[str, Any]


@pytest.fixture(scope="module")
def uninterrupted(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    run = tmp_path_factory.mktemp("uninterrupted") / "run"
    said = spawned(data, *ARMS, "--run", run, "--jobs", 2)
    assert (said[0], said[2]) == (0, b"")
    return Finished(run, said, files(run))


@pytest.fixture(scope="module")
def killed(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was killed early."""
    run = tmp_path_factory.mktemp("killed") / "run"
    assert spawned(data, *ARMS, "--run", run, "--jobs", 1, first=act(KILL, 2))[0] == -9
    return run


@pytest.fixture
def unfinished(killed: Path, tmp_path: Path) -> Path:
    """A copy of a run that was killed early."""
    return shutil.copytree(killed, tmp_path / "run")


def act(what: str, nth: Any) -> str:
    return STEPS.format(act=what, nth=nth)


# Kills


def test_the_run_killed_at_each_kind_of_step_ends_as_the_uninterrupted_one(
    data: Path, uninterrupted: Finished, tmp_path: Path, arms: Run
) -> None:
    run = tmp_path / "run"
    kills = KILLS.format(last=12, steps=act(KILL, "NTH"))
    code, out, err = spawned(data, *ARMS, "--run", run, "--jobs", 1, first=kills)
    assert (code, out, err) == (0, b"-9\n" * 12, b"")
    done = json.loads((run / "checkpoint.json").read_bytes())["questions"].values()
    states = [question["phases"]["search"]["status"] for question in done]
    assert 0 < states.count("completed") < states.count("pending")
    assert any((run / "stores").iterdir())
    code, _, err = arms(data, *ARMS, "--run", run, "--jobs", 2)
    assert (code, err) == (0, b"")
    assert files(run) == uninterrupted.files
    assert {path.name for path in run.iterdir()} == {"checkpoint.json", "results", ".lock"}


def test_no_worker_outlives_a_killed_run_and_it_continues(
    data: Path, uninterrupted: Finished, tmp_path: Path, arms: Run
) -> None:
    run = tmp_path / "run"
    arguments = (data, *ARMS, "--run", run, "--jobs", 2)
    code, out, _ = spawned(*arguments, first=act(KILL_PARENT, 12))
    assert (code, out) == (-9, b"")
    assert arms(*arguments)[0] == 0
    assert files(run) == uninterrupted.files


@pytest.mark.parametrize(("jobs", "interrupt"), [(1, INTERRUPT), (2, INTERRUPT_PARENT)])
def test_ctrl_c_exits_130_and_leaves_a_run_that_continues(
    data: Path, uninterrupted: Finished, tmp_path: Path, jobs: int, interrupt: str, arms: Run
) -> None:
    run = tmp_path / "run"
    arguments = (data, *ARMS, "--run", run, "--jobs", jobs)
    code, out, err = spawned(*arguments, first=act(interrupt, 12))
    assert (code, out, err.strip()) == (Exit.INTERRUPTED, b"", b"goldens: interrupted")
    assert list((run / "stores").iterdir()) == []
    assert arms(*arguments)[0] == 0
    assert files(run) == uninterrupted.files


def test_a_finished_run_is_not_ingested_again(
    data: Path, uninterrupted: Finished, tmp_path: Path
) -> None:
    run = shutil.copytree(uninterrupted.folder, tmp_path / "run")
    # One file becomes whole, the checkpoint; a second step would kill.
    again = spawned(data, *ARMS, "--run", run, first=act(KILL, 2))
    assert again == uninterrupted.said
    assert files(run) == uninterrupted.files


# Settings


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (["--model", "gpt-4o"], "answeringModel 'opus-4.5' instead of 'gpt-4o'"),
        (["--arms", "default,turns_only"], "other arms, or other knobs for one of them"),
        (["--questions", "5"], "other questions or haystacks"),
    ],
)
def test_a_run_made_for_other_settings_is_refused(
    data: Path, unfinished: Path, arms: Run, other: list[str], said: str
) -> None:
    before = files(unfinished)
    code, out, err = arms(data, *ARMS, *other, "--run", unfinished)
    expected = f"goldens: {unfinished} was made with {said}: give --run another folder\n"
    assert (code, out, err.decode()) == (Exit.USAGE, b"", expected)
    assert files(unfinished) == before


def test_a_run_made_by_another_reference_is_refused(
    data: Path, unfinished: Path, arms: Run
) -> None:
    path = unfinished / "checkpoint.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"reference": "0" * 64}))
    _, _, err = arms(data, *ARMS, "--run", unfinished)
    assert b"another state of reference/" in err


def test_a_folder_that_holds_something_else_is_refused_and_left_alone(
    data: Path, tmp_path: Path, arms: Run
) -> None:
    (tmp_path / "stores").mkdir()
    (tmp_path / "stores" / "thesis.txt").write_text("mine")
    code, _, err = arms(data, *ARMS, "--run", tmp_path)
    said = f"goldens: {tmp_path} is not empty and holds no run: give --run another folder\n"
    assert (code, err.decode()) == (Exit.USAGE, said)
    assert (tmp_path / "stores" / "thesis.txt").read_text() == "mine"


def test_a_checkpoint_that_is_none_is_refused(data: Path, tmp_path: Path, arms: Run) -> None:
    (tmp_path / "checkpoint.json").write_text("[]")
    code, _, err = arms(data, *ARMS, "--run", tmp_path)
    assert (code, err.count(b"\n")) == (Exit.USAGE, 1)


def test_a_run_that_another_process_works_on_is_refused(data: Path, tmp_path: Path) -> None:
    with (tmp_path / ".lock").open("w") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        code, _, err = spawned(data, *ARMS, "--run", tmp_path)
    said = f"goldens: {tmp_path}: another process is at work in this run\n"
    assert (code, err.decode()) == (Exit.USAGE, said)


def test_a_place_that_can_t_be_written_is_one_clear_line(
    data: Path, tmp_path: Path, arms: Run
) -> None:
    (tmp_path / "file").write_text("")
    code, _, err = arms(data, *ARMS, "--run", tmp_path / "file")
    assert (code, err.count(b"\n")) == (Exit.USAGE, 1)
    assert b"file: File exists" in err


# Memory

# Of this program alone: what getrusage says is never below what its parent held when it forked.
STATUS = Path("/proc/self/status")
PEAK = f"print(open('{STATUS}').read().split('VmHWM:')[1].split()[0], file=sys.stderr)"


@contextmanager
def fast_folder() -> Iterator[Path]:
    """A folder in memory where there is such a thing: 70 stores wait for the disk a lot."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.mark.skipif(not STATUS.exists(), reason="the system does not say how much memory it took")
def test_memory_does_not_grow_with_the_data_set() -> None:
    padding = 400_000
    with fast_folder() as folder:
        small, large = (
            dataset(
                folder / f"{count}.json",
                *(item(number, sessions=1, padding=padding) for number in range(count)),
            )
            for count in (5, 65)
        )
        options = ("--arms", "default", "--model", "opus-4.5", "--jobs", 1, "--run")
        both = [started(path, *options, folder / path.stem, last=PEAK) for path in (small, large)]
        peaks = []
        for process in both:
            code, out, err = ended(process)
            assert code == 0, err
            peaks.append(int(err) * 1024)
        assert b" 65 " in out
        grown = large.stat().st_size - small.stat().st_size
    assert grown > 60 * padding
    assert peaks[1] - peaks[0] < grown / 2


# Progress


def test_a_terminal_sees_a_bar_and_a_pipe_does_not(data: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = started(data, "--arms", "default", "--model", "opus-4.5", stderr=theirs)
    os.close(theirs)
    code, out, _ = ended(process)
    with open(ours, "rb") as terminal:
        seen = os.read(terminal.fileno(), 1 << 16).decode()
    assert code == 0
    counts = re.findall(r"(\d)/6\S* questions", seen)
    assert (counts[0], counts[-1]) == ("0", "6")
    assert b"/6" not in out
