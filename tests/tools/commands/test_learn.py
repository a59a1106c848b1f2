"""`goldens learn`: real programs, a file or none, and what is said."""

import shlex
import sys
from pathlib import Path

import pytest

from reference import wording

ROOT = Path(__file__).parents[3]
ADAPTERS = ROOT / "tests/tools/adapters"
OTHERS = ROOT / "tests/interop/wording.toml"


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def saying(*options):
    return shlex.join([sys.executable, str(ADAPTERS / "other_words.py"), str(OTHERS), *options])


def broken(breach):
    return shlex.join([sys.executable, str(ADAPTERS / "broken.py"), breach])


def test_the_words_of_a_program_are_written_and_swept(inside, tmp_path):
    result = inside(tmp_path, "learn", "--command", saying(), "-o", "words.toml")
    assert result.returncode == 0, result.stderr
    assert wording.load(tmp_path / "words.toml") == wording.load(OTHERS)
    first, *_, last = result.stdout.decode().splitlines()
    assert first == f"words.toml holds the words of {saying()}"
    assert last.startswith("no difference in 14 combinations, ")


def test_without_a_file_the_words_are_all_of_stdout(inside, tmp_path):
    result = inside(tmp_path, "learn", "--command", f"{sys.executable} -m reference")
    assert result.returncode == 0, result.stderr
    assert wording.parse(result.stdout, tmp_path) == wording.load()
    assert b"no difference in" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_program_that_renders_otherwise_is_told_what_differs_first(inside, tmp_path):
    result = inside(tmp_path, "learn", "--command", saying("--uncounted"), "-o", "words.toml")
    assert result.returncode == 1
    assert wording.load(tmp_path / "words.toml") == wording.load(OTHERS)
    assert b"MEMVARA_TOKEN_BUDGET" in result.stdout
    assert b" differences " in result.stdout.splitlines()[-1]


def test_a_shape_that_no_file_can_tell_is_one_line_and_no_file(inside, tmp_path):
    result = inside(tmp_path, "learn", "--command", saying("--bullets"), "-o", "words.toml")
    assert result.returncode == 1
    assert result.stdout == b""
    assert result.stderr.decode() == (
        f"goldens: {saying('--bullets')} can't be learned: the line of an open-ended memory is not "
        "`- [DATES, STATE] TEXT`, line 3: "
        "expected '- [on file since 9002-05-04 04:04; holds from 9002-04-03 03:'…, "
        "found '* [on file since 9002-05-04 04:04; holds from 9002-04-03 03:'…\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("breach", ["crash", "garbled", "silence"])
def test_a_program_that_breaks_the_protocol_is_no_file(inside, tmp_path, breach):
    options = ["-o", "words.toml", "--timeout", "0.5"]
    result = inside(tmp_path, "learn", "--command", broken(breach), *options)
    assert result.returncode == 6
    assert result.stderr.startswith(f"goldens: {broken(breach)}: ".encode())
    assert b"Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_left_alone(inside, tmp_path):
    (tmp_path / "words.toml").write_text("mine")
    result = inside(tmp_path, "learn", "--command", broken("crash"), "-o", "words.toml")
    assert result.returncode == 2
    assert result.stderr == b"goldens: words.toml exists: name a file that does not\n"
    assert (tmp_path / "words.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--command", "cat", "-o", "no/words.toml"], b"there is no folder no"),
        (["--command", "no-such-program"], b"no-such-program can't be started"),
        (["--command", "it's"], b"--command: command can't be split into words"),
        ([], b"--command is missing: which program is to be asked?"),
    ],
    ids=["no_folder", "no_program", "a_quote", "no_command"],
)
def test_bad_input_is_one_line(inside, tmp_path, options, said):
    result = inside(tmp_path, "learn", *options)
    assert result.returncode == 2
    assert said in result.stderr
    assert result.stderr.count(b"\n") == 1


def test_in_a_repository_its_program_is_asked(inside, tmp_path):
    (tmp_path / "goldens.toml").write_text(f"command = {saying('--bullets')!r}\n")
    result = inside(tmp_path, "learn")
    assert result.returncode == 1
    assert f"goldens: {saying('--bullets')} can't be learned".encode() in result.stderr
