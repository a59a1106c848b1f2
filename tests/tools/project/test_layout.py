"""Reading the project: damage is one line that names the file, whatever is damaged."""

import json
import shutil
from pathlib import Path

import pytest

from tools.exits import Stop
from tools.project import layout as project

ROOT = Path(__file__).parents[3]


@pytest.fixture
def copy(tmp_path):
    shutil.copytree(ROOT / "goldens" / "cases", tmp_path / "goldens" / "cases")
    shutil.copy(ROOT / "goldens" / "arms.toml", tmp_path / "goldens")
    (tmp_path / "reference").mkdir()
    return tmp_path


def test_the_project_around_the_current_folder_is_found(copy, monkeypatch):
    monkeypatch.chdir(copy / "goldens" / "cases")
    assert project.find_root() == copy


def test_every_file_says_how_it_was_made():
    for path in (ROOT / "goldens" / "cases").glob("*.json"):
        if "longmemeval" not in path.name:  # a plain list, described beside it
            assert json.loads(path.read_bytes())["about"].startswith("synthetic"), path


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("arms.toml", "[default", "arms.toml: not TOML: "),
        ("arms.toml", "default = 1", "[default] must hold why and env"),
        ("arms.toml", '[a]\nwhy = "w"\nenv = "x"', "[a] env must be a table of strings"),
        ("arms.toml", '[a]\nwhy = "w"\nenv = { A = 1 }', "[a] env must be a table of strings"),
        ("arms.toml", '["A-b"]\nwhy = "w"\nenv = {}', "'A-b' must be of a-z, 0-9 and _ alone"),
        ("cases/thirty.json", "[]", "thirty.json: expected an object with items, a list"),
        ("cases/thirty.json", "{", "thirty.json: not JSON: "),
        ("cases/thirty.json", '{"items": NaN}', "thirty.json: not JSON: NaN"),
        ("cases/questions.json", '{"questions": {"a": {"x": 1}}}', "each question has question"),
        ("cases/routing.json", "5", "routing.json: expected an object with questions, a list"),
        ("cases/calls.json", "{}", "calls.json: expected an object with calls, a dict"),
    ],
)
def test_a_damaged_file_is_named(file, text, said, copy):
    (copy / "goldens" / file).write_text(text)
    with pytest.raises(Stop) as stop:
        project.load(copy)
    assert said in str(stop.value)
    assert "\n" not in str(stop.value)


def test_a_missing_file_is_named(copy):
    (copy / "goldens" / "cases" / "calls.json").unlink()
    with pytest.raises(Stop, match=r"calls\.json"):
        project.load(copy)
