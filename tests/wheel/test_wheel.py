"""What people get who install the wheel: one package, and every command in an empty folder."""

import json
import re
import subprocess
import tarfile
import zipfile
from pathlib import Path
from urllib.request import urlopen

import pytest

from tools.adapters import text as adapter
from tools.cli import CLONE_ONLY, COMMANDS

ROOT = Path(__file__).parents[2]
OUTCOMES = ROOT / "goldens" / "outcomes"
SHIPPED = ("goldens", "reference", "tools")
# Answers as the reference does, but for the settings.
OTHERWISE = """
import json, sys
from memvara_goldens.reference import protocol
session = protocol.Session()
for line in sys.stdin:
    request = json.loads(line)
    answer = protocol.answer(request, session)
    if request["op"] == "settings" and "ok" in answer:
        answer["ok"]["search_k"] += 1
    print(json.dumps({**answer, "id": request["id"]}), flush=True)
"""


def tracked(*folders):
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--", *folders]
    listed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return set(filter(None, listed.split("\0")))


def test_the_source_archive_holds_the_whole_project(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names == tracked() | {"PKG-INFO"}


def test_the_wheel_holds_one_package_with_every_file_of_it(wheel):
    entry = tracked("tools/package")
    expected = {f"memvara_goldens/{name}" for name in tracked(*SHIPPED) - entry}
    expected |= {f"memvara_goldens/{Path(name).name}" for name in entry}
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in names if ".dist-info/" not in name} == expected


def test_nothing_but_that_package_becomes_importable(bare, tmp_path):
    code = "import importlib.util as u, sys; print([n for n in sys.argv[1:] if u.find_spec(n)])"
    names = ("memvara_goldens", "memvara_goldens.reference", *SHIPPED, "tests")
    said, _ = bare.run(tmp_path, "python", "-c", code, *names)
    assert said == b"['memvara_goldens', 'memvara_goldens.reference']\n"


def test_the_reference_in_the_wheel_is_the_pinned_one(bare, tmp_path, wheel):
    pin = json.loads((OUTCOMES / "manifest.json").read_text())
    version = wheel.name.split("-")[1]
    expected = f"goldens {version}, reference tree {pin['tree'][:12]} (commit {pin['commit'][:12]})"
    said, _ = bare.run(tmp_path, "goldens", "--version")
    assert said.decode() == f"{expected}\n", "commit reference/ and run goldens regen"


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - CLONE_ONLY))
def test_every_command_has_its_help(bare, tmp_path, name):
    assert f"Usage: goldens {name}".encode() in bare.run(tmp_path, "goldens", name, "--help")[0]


@pytest.mark.parametrize("name", sorted(CLONE_ONLY))
def test_a_command_of_a_clone_says_so(bare, tmp_path, name):
    out, errors = bare.run(tmp_path, "goldens", name, code=2)
    said = f"goldens: {name} needs a clone of this repository: run make {name} in one\n"
    assert (out, errors.decode()) == (b"", said)


def test_a_case_is_rendered_as_its_golden(bare, tmp_path):
    case = str(bare.package / "goldens" / "cases" / "thirty.json")
    said, _ = bare.run(tmp_path, "goldens", "render", case, "--arm", "routed720")
    assert said == (OUTCOMES / "render/routed720/thirty--none.txt").read_bytes()


def test_packages_of_the_same_names_in_the_folder_are_passed_over(bare, tmp_path):
    for name in SHIPPED:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('not this one')\n")
    expected = (OUTCOMES / "render/default/empty--none.txt").read_bytes()
    for started in [("goldens",), ("python", "-m", "memvara_goldens")]:
        assert bare.run(tmp_path, *started, "render", "-", stdin=b"[]")[0] == expected


def test_the_goldens_are_checked_and_the_pin_is_not(bare, tmp_path):
    said, _ = bare.run(tmp_path, "goldens", "check", "--json", code=3)
    assert [stage["exit"] for stage in json.loads(said)["stages"]] == [0, 3, 0]


def test_a_program_is_swept(bare, tmp_path):
    program = f"'{bare.python}' -m memvara_goldens.reference"
    options = ("--command", program, "--sample", "300")
    assert b"no difference in 300 combi" in bare.run(tmp_path, "goldens", "sweep", *options)[0]


def test_a_difference_comes_with_a_line_that_runs(bare, tmp_path):
    (tmp_path / "otherwise.py").write_text(OTHERWISE)
    options = ("--command", f"'{bare.python}' otherwise.py", "--arms")
    said, _ = bare.run(tmp_path, "goldens", "sweep", *options, code=1)
    line = re.search(r"\S+ otherwise\.py <<< .*", said.decode())[0]
    done = subprocess.run(["bash", "-c", line], capture_output=True, cwd=tmp_path, check=True)
    assert json.loads(done.stdout)["ok"]["search_k"] == 31


def test_an_export_is_answered_as_it_says(bare, tmp_path):
    bare.run(tmp_path, "goldens", "export", "vectors", "--sample", "40")
    vectors = tmp_path / "vectors"
    asked = (vectors / "requests.jsonl").read_bytes()
    said, _ = bare.run(vectors, "python", "-m", "memvara_goldens.reference", stdin=asked)
    assert said == (vectors / "answers.jsonl").read_bytes()


def test_an_adapter_is_printed(bare, tmp_path):
    said, _ = bare.run(tmp_path, "goldens", "adapter", "memorybench")
    assert said.decode() == adapter("memorybench")


def test_arms_are_listed(bare, tmp_path):
    said, _ = bare.run(tmp_path, "goldens", "arms", "--json")
    assert "routed720" in json.loads(said)


def test_the_engine_is_an_extra(bare, tmp_path):
    _, errors = bare.run(tmp_path, "goldens", "serve", "--db", "memory.db", code=2)
    assert b"(pip install 'memvara-goldens[engine]')" in errors
    assert list(tmp_path.iterdir()) == []


def test_arms_are_measured_and_scored_with_the_engine(with_engine, tmp_path):
    dataset = str(with_engine.package / "goldens" / "cases" / "longmemeval_synthetic.json")
    options = ("--questions", "1", "--arms", "default", "--run", "run", "--json")
    assert json.loads(with_engine.run(tmp_path, "goldens", "arms", dataset, *options)[0])
    _, errors = with_engine.run(tmp_path, "goldens", "score", "run", dataset, code=2)
    assert b"nothing to score" in errors


def test_the_engine_is_served(with_engine, tmp_path):
    options = ("--db", "memory.db", "--port", "0")
    with with_engine.start(tmp_path, "goldens", "serve", *options) as server:
        try:
            address = re.search(rb"http://[\d.:]+", server.stdout.readline())[0].decode()
            with urlopen(f"{address}/v1/health", timeout=10) as answer:
                assert json.load(answer)["status"] == "ok"
        finally:
            server.terminate()
