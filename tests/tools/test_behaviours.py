"""The README's table of behaviours: each change is one of the gate's, and its test fails on it."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools.mutation.generate import generate

ROOT = Path(__file__).parents[2]
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


def test_every_change_in_the_table_is_one_that_the_gate_makes():
    made = generate(ROOT, ["reference"])
    changed = {
        (mutant.file, code[: edit.start] + edit.replacement + code[edit.end :])
        for mutant in made.mutants
        for code, edit in [(made.files[mutant.file], mutant.edit)]
    }
    for _, file, old, new in ROWS:
        code = made.files[f"reference/{file}"]
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
