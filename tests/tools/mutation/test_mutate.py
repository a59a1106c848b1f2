"""`goldens mutate` on small planted projects: what passes, and every way in which it must not."""

import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tools.mutation import from_mutmut

ROOT = Path(__file__).parents[3]
PYPROJECT = """
[tool.mutmut]
source_paths = ["reference"]
pytest_add_cli_args_test_selection = ["tests/reference"]
process_isolation = "forkserver"

[tool.pytest.ini_options]
addopts = ["--import-mode=importlib"]
markers = ["structure: holds for the shape of the source"]
"""
LIMIT = '''"""A limit."""

LIMIT = 3


def over(count: int) -> bool:
    """Whether `count` is more than the limit."""
    return count > LIMIT
'''
LIMIT_TEST = """
from reference.limit import over

def test_the_limit_is_not_over():
    assert over(3) is False

def test_one_more_is_over():
    assert over(4) is True
"""
IMPORT_TEST = """
from importlib import import_module

def test_the_module_can_be_imported():
    import_module("reference.limit")
"""
GREETING = '''"""A greeting."""

import tomllib
from collections import Counter
from pathlib import Path


def greeting(name: str) -> str:
    """The greeting for `name`."""
    text = Path(__file__).with_name("greeting.toml").read_text()
    return tomllib.loads(text)["greeting"].replace("{name}", name)
'''
GREETING_TEST = """
from reference.greeting import greeting

def test_the_greeting_is_exact():
    assert greeting("Ada") == "Dear Ada,"
    assert greeting("Bob") == "Dear Bob,"
"""


@pytest.fixture
def plant(tmp_path, characters):
    """Writes a project: its files by path; a test file by itself stands for tests/reference/."""
    (tmp_path / ".hypothesis").symlink_to(characters)

    def write(files, pyproject=PYPROJECT):
        files = {"pyproject.toml": pyproject, "reference/__init__.py": '"""Toy."""\n'} | files
        for name, text in files.items():
            path = tmp_path / ("tests/reference/" + name if name.startswith("test_") else name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


@pytest.fixture
def mutate(inside):
    """Runs `goldens mutate` in a folder, in this process."""

    def run(folder, *arguments):
        done = inside(folder, "mutate", *arguments)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        return done

    return run


def command(folder, *arguments, **variables):
    """The command line, and the environment and folder to run it in."""
    env = dict(os.environ) | {"PYTHONPATH": str(ROOT)} | variables
    return [sys.executable, "-m", "tools", "mutate", *arguments], {"env": env, "cwd": folder}


def spawned(folder, *arguments, **variables):
    """Runs `goldens mutate` as a process of its own, under these variables."""
    line, where = command(folder, *arguments, **variables)
    return subprocess.run(line, **where, capture_output=True, text=True, timeout=120)


def verdicts(done):
    """Name, place and status reason of every mutant in a --json report."""
    files = json.loads(done.stdout)["files"].items()
    return {
        mutant["id"]: (file, mutant["location"]["start"]["line"], mutant["statusReason"])
        for file, found in files
        for mutant in found["mutants"]
    }


def test_a_project_whose_tests_notice_everything_passes(plant, mutate):
    done = mutate(
        plant(
            {
                "reference/limit.py": LIMIT,
                "test_limit.py": LIMIT_TEST,
                "reference/greeting.py": GREETING,
                "reference/greeting.toml": 'greeting = "Dear {name},"\n',
                "test_greeting.py": GREETING_TEST,
            }
        )
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(
        r"^\d+ mutants in .* 0 survived, 0 untested; 3 of 3 tests can fail$", done.stdout
    )
    assert done.stderr == ""


def test_the_verdict_depends_on_no_hash_seed_order_knob_or_number_of_jobs(plant):
    backwards = "def pytest_collection_modifyitems(items):\n    items.reverse()\n"
    weak = LIMIT_TEST.replace("over(3)", "over(2)")
    folder = plant({"reference/limit.py": LIMIT, "test_limit.py": weak})
    one = spawned(folder, "--json", "--jobs", "1", PYTHONHASHSEED="1")
    plant({"tests/conftest.py": backwards})
    knobs = {"MEMVARA_TOKEN_BUDGET": "1", "MEMVARA_TURNS_ONLY": "yes", "OPENAI_MODEL_PREFIX": "x"}
    two = spawned(folder, "--json", "--jobs", "2", PYTHONHASHSEED="random", **knobs)
    assert one.returncode == two.returncode == 1
    assert verdicts(one).keys() == verdicts(two).keys()
    statuses = [
        {
            mutant["id"]: mutant["status"]
            for mutant in json.loads(done.stdout)["files"]["reference/limit.py"]["mutants"]
        }
        for done in (one, two)
    ]
    assert statuses[0] == statuses[1]
    assert set(statuses[0].values()) == {"Killed", "Survived"}


def test_a_survivor_is_named_with_its_place_its_change_and_the_tests_that_ran(plant, mutate):
    weak = LIMIT_TEST.replace("over(3)", "over(2)")
    done = mutate(plant({"reference/limit.py": LIMIT, "test_limit.py": weak}))
    assert done.returncode == 1
    found = done.stdout.split("survived: ")[1:]
    assert "limit.over#" in "".join(found)
    place, *diff = next(each for each in found if "+return count >= LIMIT" in each).splitlines()
    assert "reference/limit.py:8" in place
    assert "    -return count > LIMIT" in diff
    assert "      tests/reference/test_limit.py::test_the_limit_is_not_over" in diff


def test_gutting_an_assertion_after_a_green_run_lets_mutants_survive(plant, mutate):
    folder = plant({"reference/limit.py": LIMIT, "test_limit.py": LIMIT_TEST})
    assert mutate(folder).returncode == 0
    plant({"test_limit.py": LIMIT_TEST.replace("is True", "is not None")})
    done = mutate(folder)
    assert done.returncode == 1
    assert "survived: limit" in done.stdout


VACUOUS = """
from contextlib import suppress

import pytest

from tools.mutation import from_mutmut
from reference.limit import over

def test_nothing():
    with suppress(Exception):
        over(3)

@pytest.mark.structure
def test_of_structure():
    assert True
"""


def test_a_test_that_no_mutant_makes_fail_is_named(plant, mutate):
    files = {"reference/limit.py": LIMIT, "test_limit.py": LIMIT_TEST, "test_vacuous.py": VACUOUS}
    done = mutate(plant(files))
    assert done.returncode == 1
    assert "no mutant makes this test fail: tests/reference/test_vacuous.py::test_nothing\n" in (
        done.stdout
    )
    assert "test_of_structure" not in done.stdout


MISDEEDS = '''"""Functions whose mutants come to every kind of end."""

import os
import signal

LIMIT = int("3")


def room(size: int) -> int:
    """Memory that no mutant must get."""
    return len(bytes(size - 10**12))


def echoed(data: bytes, reading: int, writing: int) -> bytes:
    """What is read from a pipe: endless unless it was written first."""
    os.write(writing, data)
    return os.read(reading, 9)


def gone(leave: bool) -> int:
    """Ends the process."""
    if leave:
        os.kill(os.getpid(), signal.SIGKILL)
    return 7


def ready() -> bool:
    """What a test skips itself without."""
    return True


def unseen() -> int:
    """Reached by no test."""
    return 1
'''
MISDEEDS_TEST = """
import os

import pytest

from tools.mutation import from_mutmut
from reference.misdeeds import LIMIT, echoed, gone, ready, room

def test_room():
    assert room(10**12 + 5) == 5
    assert LIMIT == 3

def test_echoed():
    assert echoed(b"x", *os.pipe()) == b"x"

def test_gone():
    assert gone(False) == 7

def test_ready():
    if not ready():
        pytest.skip("not ready")
"""


def test_every_end_of_a_mutant_has_its_own_name(plant, mutate):
    files = {"reference/misdeeds.py": MISDEEDS, "test_misdeeds.py": MISDEEDS_TEST}
    done = mutate(plant(files), "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    counts = document["config"]["counts"]
    ends = ("killed", "endless", "untested", "suspicious", "skipped", "crashed", "out of memory")
    assert [end for end in ends if counts[end] == 0] == []
    assert sum(counts.values()) == len(verdicts(done))
    mutants = {
        mutant["id"]: mutant for mutant in document["files"]["reference/misdeeds.py"]["mutants"]
    }
    by_status = {
        status: {name.split("#")[0] for name, each in mutants.items() if each["status"] == status}
        for status in ("Timeout", "NoCoverage")
    }
    assert by_status == {"Timeout": {"misdeeds.echoed"}, "NoCoverage": {"misdeeds.unseen"}}
    reasons = {each["statusReason"] for each in mutants.values()}
    assert "the process was ended by SIGKILL" in reasons
    assert "it can't be imported, and no test that imports it fails" in reasons


def test_a_mutant_that_can_t_be_imported_is_killed_by_a_test_that_imports(plant, mutate):
    computed = LIMIT.replace("LIMIT = 3", 'LIMIT = int("3")')
    files = {"reference/limit.py": computed, "test_limit.py": LIMIT_TEST, "test_i.py": IMPORT_TEST}
    done = mutate(plant(files))
    assert done.returncode == 0, done.stdout
    assert re.search(r"[1-9]\d* killed at import", done.stdout)


def test_a_red_baseline_measures_nothing(plant, mutate):
    red = LIMIT_TEST.replace("is True", "is False")
    done = mutate(plant({"reference/limit.py": LIMIT, "test_limit.py": red}))
    assert done.returncode == 5
    assert done.stderr.startswith("goldens: nothing was measured: the tests are red")
    assert "test_limit.py::test_one_more_is_over" in done.stderr


def test_nothing_to_mutate_is_nothing_measured(plant, mutate):
    done = mutate(plant({"test_limit.py": "def test_true():\n    assert True\n"}))
    assert done.returncode == 5
    assert "reference has nothing to mutate" in done.stderr


def test_tests_that_call_nothing_watched_measure_nothing(plant, mutate):
    files = {"reference/limit.py": LIMIT, "test_limit.py": "def test_true():\n    assert True\n"}
    done = mutate(plant(files))
    assert done.returncode == 5
    assert "no test calls a watched function" in done.stderr


def test_a_test_that_clears_the_environment_measures_nothing(plant, mutate):
    clearing = LIMIT_TEST + "    import os\n    os.environ.clear()\n"
    done = mutate(plant({"reference/limit.py": LIMIT, "test_limit.py": clearing}))
    assert done.returncode == 5
    assert "test_limit.py::test_one_more_is_over leaves os.environ changed" in done.stderr


def test_a_conftest_that_imports_the_watched_package_measures_nothing(plant, mutate):
    files = {"reference/limit.py": LIMIT, "test_limit.py": LIMIT_TEST}
    done = mutate(plant(files | {"tests/conftest.py": "import reference.limit\n"}))
    assert done.returncode == 5
    assert "a conftest imports reference while loading" in done.stderr


def test_tests_that_can_t_be_collected_measure_nothing(plant, mutate):
    done = mutate(plant({"reference/limit.py": LIMIT, "test_limit.py": "import nowhere\n"}))
    assert done.returncode == 5
    assert "No module named 'nowhere'" in done.stderr


@pytest.mark.parametrize(
    ("pyproject", "said"),
    [
        (PYPROJECT.replace("source_paths", "sources"), "'sources', which mutmut does not know"),
        (PYPROJECT.replace('["reference"]', '["nowhere"]'), "source_paths must list folders"),
        (PYPROJECT + "[[[", "pyproject.toml: "),
    ],
)
def test_a_bad_configuration_is_refused(plant, pyproject, said, mutate):
    done = mutate(plant({}, pyproject))
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("reference/limit.py", "def over(:\n", "reference/limit.py:1: invalid syntax"),
        ("reference/limit.toml", "a = \n", "reference/limit.toml: Invalid value"),
    ],
)
def test_a_watched_file_that_does_not_parse_measures_nothing(plant, file, text, said, mutate):
    done = mutate(plant({file: text, "test_limit.py": LIMIT_TEST}))
    assert done.returncode == 5
    assert done.stderr.startswith(f"goldens: nothing was measured: {said}")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "1/0", "a/b"])
def test_a_shard_that_is_none_is_refused(plant, shard, mutate):
    done = mutate(plant({}), "--shard", shard)
    assert done.returncode == 2
    assert f"--shard {shard}: must be K/N" in done.stderr


EXEMPT = """
[[exempt]]
file = "reference/limit.py"
before = "return count > LIMIT"
after = "return count >= LIMIT"
reason = "planted"

[[exempt]]
file = "reference/limit.py"
before = "return count > LIMIT"
after = "return count ≥ LIMIT"
reason = "matches nothing"

[[exempt]]
file = "reference/limit.py"
before = "LIMIT = 3"
after = "LIMIT = 4"
reason = "it is killed"
"""


def test_an_exemption_must_match_a_survivor_and_be_proven_equivalent(plant, mutate):
    folder = plant(
        {
            "reference/limit.py": LIMIT,
            "test_limit.py": LIMIT_TEST.replace("over(3)", "over(2)").replace("4", "5"),
            "tests/reference/exempt_mutants.toml": EXEMPT.replace("LIMIT = 4", "LIMIT = None"),
        }
    )
    done = mutate(folder)
    assert done.returncode == 1
    assert "survived: limit.over#" in done.stdout
    assert "'return count >= LIMIT' in reference/limit.py is not proven equivalent" in done.stdout
    assert "'return count ≥ LIMIT' in reference/limit.py matches nothing" in done.stdout
    assert "-> 'LIMIT = None' in reference/limit.py is not needed: the mutant is" in done.stdout
    assert "3 exemptions, of at most 2" in done.stdout


def test_an_exemption_without_a_reason_is_refused(plant, mutate):
    row = EXEMPT.split("reason")[0]
    done = mutate(plant({"tests/reference/exempt_mutants.toml": row}))
    assert done.returncode == 2
    assert "must have the texts after, before, file, reason" in done.stderr


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_exits_130_and_leaves_no_process_behind(plant, sent):
    waiting = """
import os
from reference.limit import over

def test_one_more_is_over():
    assert over(4) is True
    with open("started", "w") as file:  # a pipe: until the other end is opened
        file.write(str(os.getpid()))
    with open("forever"):
        pass
"""
    folder = plant({"reference/limit.py": LIMIT, "test_limit.py": waiting})
    os.mkfifo(folder / "started")
    os.mkfifo(folder / "forever")
    line, where = command(folder)
    process = subprocess.Popen(line, **where, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    child = int((folder / "started").read_text())
    process.send_signal(sent)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr.strip() == b"goldens: interrupted"
    assert not Path(f"/proc/{child}").exists() or "Z" in Path(f"/proc/{child}/stat").read_text()


def test_shards_are_disjoint_and_cover_everything(plant, mutate):
    folder = plant({"reference/limit.py": LIMIT, "test_limit.py": LIMIT_TEST})
    every = verdicts(mutate(folder, "--json")).keys()
    parts = [verdicts(mutate(folder, "--json", "--shard", f"{k}/2")).keys() for k in (1, 2)]
    assert parts[0] | parts[1] == every
    assert not parts[0] & parts[1]
    assert all(parts)


def test_changed_runs_only_what_differs_from_a_commit(plant, git, mutate):
    under = "\n\ndef under(count: int) -> bool:\n    return count < LIMIT\n"
    folder = plant({"reference/limit.py": LIMIT + under, "test_limit.py": LIMIT_TEST})
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "planted")
    done = mutate(folder, "--changed")
    assert done.returncode == 0
    assert "no mutant lies in what changed since HEAD" in done.stderr
    text = (folder / "reference/limit.py").read_text()
    (folder / "reference/limit.py").write_text(
        text.replace("return count > LIMIT", "return LIMIT < count")
    )
    done = mutate(folder, "--changed", "HEAD", "--json")
    assert {name.split("#")[0] for name in verdicts(done)} == {"limit.over"}
    assert done.returncode == 0
    assert mutate(folder, "--changed", "nowhere").returncode == 2


def test_rows_columns_and_the_matrix_show_which_test_kills_what(plant, mutate):
    folder = plant({"reference/limit.py": LIMIT, "test_limit.py": LIMIT_TEST})
    test = "tests/reference/test_limit.py::test_the_limit_is_not_over"
    column = mutate(folder, "--test", test)
    assert column.returncode == 0
    kills = [line for line in column.stdout.splitlines() if line.startswith("killed: limit.over#")]
    assert f"{test} kills" in column.stdout.splitlines()[-1]
    name = kills[0].split()[1]
    row = mutate(folder, "--mutant", name, "--json")
    assert row.returncode == 0
    document = json.loads(row.stdout)
    (mutant,) = document["files"]["reference/limit.py"]["mutants"]
    assert mutant["id"] == name
    tests = document["testFiles"]["tests/reference/test_limit.py"]["tests"]
    killers = [each["name"] for each in tests if each["id"] in mutant["killedBy"]]
    assert "test_the_limit_is_not_over" in killers
    matrix = mutate(folder, "--matrix").stdout.split("\n" + name)[1]
    assert f"    {test}" in matrix
    assert mutate(folder, "--mutant", "limit.over#0").returncode == 2
    assert mutate(folder, "--test", "nowhere").returncode == 2


def test_the_list_has_every_behaviour_with_its_mutant_and_its_test(plant, mutate):
    done = mutate(plant({"reference/limit.py": LIMIT, "test_limit.py": LIMIT_TEST}), "--list")
    assert done.returncode == 0
    first, place, test = done.stdout.splitlines()[:3]
    assert first == "the limit is not over"
    assert re.fullmatch(r"    limit(\.over)?#\w{8} reference/limit.py:\d \(.*\)", place)
    assert test == "    tests/reference/test_limit.py::test_the_limit_is_not_over"


PLAIN = '''"""Plain functions: all that mutmut mutates."""


def at_most(value: int, most: int) -> int:
    if value > most:
        return most
    return value


def label(name: str, loud: bool = False) -> str:
    text = "Dear " + name
    return text.upper() if loud else text
'''
PLAIN_TEST = """
from reference.plain import at_most, label

def test_at_most():
    assert at_most(5, 9) == 5
    assert at_most(11, 9) == 9

def test_label():
    assert label("Ada").startswith("Dear")
    assert label("Ada", True) == "DEAR ADA"
"""


def test_plain_mutmut_comes_to_the_same_verdict_on_each_of_its_mutants(plant, mutate):
    folder = plant({"reference/plain.py": PLAIN, "test_plain.py": PLAIN_TEST})
    ours = json.loads(mutate(folder, "--json").stdout)["files"]["reference/plain.py"]["mutants"]
    killed = {
        (*each["location"]["start"].values(), each["replacement"]): each["status"] == "Killed"
        for each in ours
    }
    code = PLAIN.encode()
    expected = {}
    counts = Counter()
    for edit in from_mutmut.edits("reference/plain.py", code):
        short = edit.trimmed(code)
        lines = code[: short.start].split(b"\n")
        function = re.findall(rb"^def (\w+)", code[: edit.end], re.MULTILINE)[-1].decode()
        counts[function] += 1
        name = f"reference.plain.x_{function}__mutmut_{counts[function]}"
        expected[name] = killed[len(lines), len(lines[-1]) + 1, short.replacement.decode()]
    run = [str(Path(sys.executable).with_name("mutmut")), "run"]
    env = dict(os.environ) | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # it starts pytest often
    subprocess.run(run, cwd=folder, env=env, capture_output=True, check=True, timeout=120)
    found = json.loads((folder / "mutants/reference/plain.py.meta").read_text())
    assert {name: code == 1 for name, code in found["exit_code_by_key"].items()} == expected
    assert set(expected.values()) == {True, False}


def test_plain_mutmut_must_say_the_same_of_every_mutant(plant, mutate):
    folder = plant({"reference/limit.py": LIMIT, "test_limit.py": LIMIT_TEST})
    names = list(from_mutmut.named_edits("reference/limit.py", LIMIT.encode()))
    meta = folder / "mutants" / "reference" / "limit.py.meta"
    meta.parent.mkdir(parents=True)
    meta.write_text(json.dumps({"exit_code_by_key": dict.fromkeys(names, 1)}))
    done = mutate(folder, "--against-mutmut")
    assert done.returncode == 0
    assert done.stdout.endswith(
        f"compared with mutmut's own verdicts on its {len(names)} mutants\n"
    )
    meta.write_text(json.dumps({"exit_code_by_key": dict.fromkeys(names, 1) | {names[0]: 255}}))
    done = mutate(folder, "--against-mutmut")
    assert done.returncode == 1
    assert f"{names[0]}: mutmut says exit status 255, the gate says killed of limit.over#" in (
        done.stdout
    )


@pytest.mark.parametrize("part", [["--changed"], ["--shard", "1/2"], ["--mutant", "x"]])
def test_plain_mutmut_is_not_compared_with_a_part(part, plant, mutate):
    done = mutate(plant({}), "--against-mutmut", *part)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("goldens: --against-mutmut compares all mutants: ")
