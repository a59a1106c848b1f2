"""The gate on the reference itself: exemptions, survivors, and the README's table of behaviours."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.exits import Exit
from tools.mutation.equivalence import renders_whole_grid_equal
from tools.mutation.generate import generate
from tools.mutation.mutants import Edit, mutants_of
from tools.mutation.pace import mutants_per_second
from tools.project.layout import load
from tools.sweeping.plan import Narrowing
from tools.sweeping.sweep import sweep_folders

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def generated():
    return generate(ROOT, ["reference"])


@pytest.fixture(scope="module")
def files(count_quickly, generated, tmp_path_factory):
    """The files of the reference, which counts without an encoder."""
    root = tmp_path_factory.mktemp("quick")
    shutil.copytree(ROOT / "reference", root / "reference")
    count_quickly(root / "reference")
    return {file: (root / file).read_bytes() for file in generated.files}


def equal_over_forty(expected, found):
    return sweep_folders(load(ROOT), expected, found, Narrowing(sample=40)).exit_code is Exit.OK


@pytest.mark.parametrize(
    ("file", "old", "new", "is_equal"),
    [
        ("reference/context.py", "rank >= knobs.head_whole", "knobs.head_whole <= rank", True),
        ("reference/context.py", '"\\n\\n".join', '"\\n".join', False),
        ("reference/requests.py", '"/v1/whoami"', '"/v1/whoam"', False),  # no cell runs it
        ("reference/wording.toml", "[cut]", "[end]", False),
    ],
)
def test_a_mutant_is_equivalent_only_if_the_grid_runs_it_and_sees_no_difference(
    files, file, old, new, is_equal
):
    code = files[file]
    start = code.index(old.encode())
    edit = Edit(start, start + len(old.encode()), new.encode(), "planted")
    (mutant,) = mutants_of(file, code, [edit], [])
    assert renders_whole_grid_equal(files, equal_over_forty, mutant) is is_equal


def test_no_statement_and_no_literal_of_the_reference_is_without_a_mutant(generated):
    assert generated.blind_spots == []
    assert len(generated.mutants) > 1_089


# A change of each kind that must not pass: where it is, and what the line reads after it.
CHANGES = {
    "a phrasing": ("reference/routing.py", r"XXyou suggestedXX|you uggested|ou suggested"),
    "a default": ("reference/knobs.py", r'Knob\("search_k", 31,'),
    "> to >= in the budget": ("reference/budget.py", r">= budget"),
    "the question dropped": ("reference/context.py", r"_select\(turns, None, knobs\)"),
    "a line of the wording": ("reference/wording.toml", ""),
    "an f-string's text": ("reference/context.py", r'f"XX- \[XX\{'),
    "a raise": ("reference/knobs.py", "^pass$"),
}

# Appended to the conftest of a clone: these tests are gone.
WITHOUT = """

def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if item.nodeid not in GONE]


GONE = set({gone})
"""


def chosen(generated, kind):
    file, after = CHANGES[kind]
    operator = {"a line of the wording": "line dropped", "a raise": "statement deleted"}.get(kind)
    for mutant in generated.mutants:
        if mutant.file != file or operator not in (None, mutant.edit.operator):
            continue
        if kind == "a raise" and not mutant.before.startswith("raise"):
            continue
        if re.search(after, mutant.after):
            return mutant
    raise AssertionError(f"no mutant of the kind {kind!r}")


# The modules that these are in, and with them all that those need.
CHANGED = {"budget", "context", "knobs", "routing", "wording"}
NEEDED = CHANGED | {"__init__", "items", "lines", "overrides", "text", "tokens"}


@pytest.fixture
def part(clone, characters):
    """A clone with the part of the reference that the changes are in, and its tests."""
    (clone / ".hypothesis").symlink_to(characters)
    for path in (clone / "reference").glob("*.py"):
        if path.stem not in NEEDED:
            path.unlink()
    for path in (clone / "tests" / "reference").glob("test_*.py"):
        if path.stem.removeprefix("test_") not in CHANGED:
            path.unlink()
    return clone


def test_each_kind_of_change_is_named_once_the_tests_that_kill_it_are_gone(generated, part, inside):
    mutants = [chosen(generated, kind) for kind in CHANGES]
    options = [option for mutant in mutants for option in ("--mutant", mutant.name)]
    killed = inside(part, "mutate", *options, "--json")
    assert killed.returncode == 0, killed.stderr
    report = json.loads(killed.stdout)
    names = {
        test["id"]: f"{file}::{test['name']}"
        for file, found in report["testFiles"].items()
        for test in found["tests"]
    }
    gone = {
        names[killer]
        for found in report["files"].values()
        for mutant in found["mutants"]
        for killer in mutant["killedBy"]
    }
    with (part / "tests" / "conftest.py").open("a") as file:
        file.write(WITHOUT.format(gone=sorted(gone)))
    alive = inside(part, "mutate", *options)
    assert alive.returncode == 1, alive.stderr
    places = re.findall(r"^survived: (\S+) (\S+):\d+ ", alive.stdout.decode(), re.MULTILINE)
    assert sorted(places) == sorted((mutant.name, mutant.file) for mutant in mutants)


LIMIT = "def over(count: int) -> bool:\n    return count > 3\n"
LIMIT_TEST = """
from reference.limit import over

def test_over():
    assert over(4) and not over(3)
"""


def test_the_gate_and_plain_mutmut_are_measured_on_the_same_tree(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # mutmut starts pytest often
    for file, text in (
        ("reference/__init__.py", ""),
        ("reference/limit.py", LIMIT),
        ("tests/conftest.py", ""),
        ("tests/data/none.txt", ""),
        ("tests/reference/test_limit.py", LIMIT_TEST),
    ):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    pace = mutants_per_second(tmp_path, ["__init__", "limit"])
    assert pace.gate > 0
    assert pace.mutmut > 0


# The README's table: each change is one of the gate's, and its test fails on it.

TABLE = (ROOT / "README.md").read_text().split("## The mutation gate\n")[1].split("\n## ")[0]
ROW = r"^\| ([a-z0-9 ]+) \| `([a-z.]+)`: `(.+?)` (?:becomes `(.*)`|is gone) \|$"
ROWS = re.findall(ROW, TABLE, re.MULTILINE)

# Runs one test in each folder, in a fork that has the libraries loaded and nothing of ours.
RUN = """
import json, os, sys
import httpx, hypothesis, pytest, respx, tenacity, tiktoken
codes = []
for folder, test in json.load(sys.stdin):
    child = os.fork()
    if not child:
        os.dup2(2, 1)
        os.chdir(folder)
        sys.path.insert(0, folder)
        os._exit(pytest.main(["-q", "-x", "--tb=no", "-p", "no:cacheprovider", test]))
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
json.dump(codes, sys.stdout)
"""


def test_the_table_has_at_least_18_behaviours_and_each_row_can_be_read():
    assert len(ROWS) == TABLE.count("\n| ") - 1 >= 18


def test_every_change_in_the_table_is_one_that_the_gate_makes(generated):
    changed = {
        (mutant.file, code[: edit.start] + edit.replacement + code[edit.end :])
        for mutant in generated.mutants
        for code, edit in [(generated.files[mutant.file], mutant.edit)]
    }
    for _, file, old, new in ROWS:
        code = generated.files[f"reference/{file}"]
        assert code.count(old.encode()) == 1, old
        assert (f"reference/{file}", code.replace(old.encode(), new.encode())) in changed, old


def test_the_test_of_each_behaviour_fails_on_its_change(tmp_path):
    jobs = []
    for number, (behaviour, file, old, new) in enumerate(ROWS):
        tree = tmp_path / str(number)
        for folder in ("reference", "tests/reference", "tests/data"):
            shutil.copytree(ROOT / folder, tree / folder)
        for single in ("tests/conftest.py", "pyproject.toml"):
            shutil.copy(ROOT / single, tree / single)
        changed = tree / "reference" / file
        changed.write_text(changed.read_text().replace(old, new))
        jobs.append((str(tree), node(behaviour, Path(file).stem)))
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps(jobs).encode(), capture_output=True
    )
    codes = json.loads(done.stdout)
    assert [row[0] for row, code in zip(ROWS, codes, strict=True) if code != 1] == []


def node(behaviour: str, module: str) -> str:
    """The test whose name is the behaviour; the module's own, if two have one name."""
    name = f"test_{behaviour.replace(' ', '_')}"
    files = sorted((ROOT / "tests" / "reference").glob("test_*.py"))
    having = [file.name for file in files if f"\ndef {name}(" in file.read_text()]
    assert having, name
    own = f"test_{module}.py"
    return f"tests/reference/{own if own in having else having[0]}::{name}"
