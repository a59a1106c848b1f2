"""README, code, arms, vectors and grid say the same; the lock file names no place."""

import importlib
import json
import re
from pathlib import Path

import pytest

from reference.knobs import KNOBS
from tools.cli import COMMANDS
from tools.exits import Exit
from tools.project import layout as project

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
NOT_SWEPT = {"OPENAI_MODEL_PREFIX"}


def table(first):
    """The rows of the README's table whose first heading is `first`."""
    _, _, rest = README.partition(f"| {first} |")
    rows = rest.split("\n\n")[0].splitlines()[2:]
    return [[cell.strip().strip("`") for cell in row.strip("| ").split(" | ")] for row in rows]


def shown(off):
    """How the table prints what a knob is when it is off."""
    if off is False:
        return "off"
    return "none" if off in (None, "") else str(off)


def test_the_readme_has_one_row_for_each_knob():
    rows = {row[0]: row[1:3] for row in table("variable")}
    assert rows == {name: [knob.accepts, shown(knob.off)] for name, knob in KNOBS.items()}


def test_every_knob_is_set_by_an_arm():
    arms = project.load(ROOT).arms.values()
    assert {
        name for arm in arms if arm.name != "blank" for name in arm.env
    } == KNOBS.keys() - NOT_SWEPT
    assert project.load(ROOT).arms["blank"].env.keys() == KNOBS.keys()


def test_every_knob_is_in_the_vectors():
    lines = (ROOT / "tests/data/knobs.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    settings = next(row["settings"] for row in rows if "settings" in row)
    assert set(settings) == {knob.field for name, knob in KNOBS.items() if name not in NOT_SWEPT}


def test_the_readme_has_one_row_for_each_command():
    assert [row[0].split()[1] for row in table("command")] == list(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help(name):
    command = importlib.import_module(f"tools.commands.{name}").command
    assert command.help


def test_the_readme_lists_every_exit_code():
    assert [int(row[0]) for row in table("code")] == [int(code) for code in Exit]


def test_the_readme_s_two_commands_are_make_targets():
    first = [line.strip() for line in README.split("##")[0].splitlines() if line.startswith("    ")]
    makefile = (ROOT / "Makefile").read_text()
    assert first[:2] == ["make check", "make test"]
    assert all(f"\n{command.split()[1]}:" in makefile for command in first[:2])


def test_the_lock_file_holds_hashes_and_no_place():
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    assert lines
    fine = re.compile(
        r"[a-z0-9-]+==[\w.]+( ; [\w .<>=!'*]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?"
    )
    assert [line for line in lines if not fine.fullmatch(line)] == []


def test_the_lock_file_of_the_interop_tests_holds_hashes_and_no_place():
    lock = json.loads((ROOT / "tests/interop/package-lock.json").read_text())
    packages = [package for name, package in lock["packages"].items() if name]
    assert packages
    assert all("integrity" in package and "resolved" not in package for package in packages)
