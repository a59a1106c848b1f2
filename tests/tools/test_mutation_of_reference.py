"""The gate on the reference itself: what it proves of exemptions, and what it sees survive."""

import json
import re
from pathlib import Path

import pytest

from tools.mutation.equivalence import renders_whole_grid_equal
from tools.mutation.generate import generate
from tools.mutation.mutants import Edit, mutants_of
from tools.mutation.pace import mutants_per_second

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def generated():
    return generate(ROOT, ["reference"])


@pytest.mark.parametrize(
    ("file", "old", "new", "is_equal"),
    [
        ("reference/context.py", "knobs.tail_chars > 0", "0 < knobs.tail_chars", True),
        ("reference/context.py", '"\\n\\n".join', '"\\n".join', False),
        ("reference/client.py", '"/v1/whoami"', '"/v1/whoam"', False),  # no cell runs it
        ("reference/wording.toml", "[cut]", "[end]", False),
    ],
)
def test_a_mutant_is_equivalent_only_if_the_grid_runs_it_and_sees_no_difference(
    generated, file, old, new, is_equal
):
    code = generated.files[file]
    start = code.index(old.encode())
    edit = Edit(start, start + len(old.encode()), new.encode(), "planted")
    (mutant,) = mutants_of(file, code, [edit], [])
    assert renders_whole_grid_equal(ROOT, generated.files, mutant, sample=40) is is_equal


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


def test_each_kind_of_change_is_named_once_the_tests_that_kill_it_are_gone(
    generated, clone, goldens
):
    mutants = [chosen(generated, kind) for kind in CHANGES]
    options = [option for mutant in mutants for option in ("--mutant", mutant.name)]
    killed = goldens(clone, "mutate", *options, "--json")
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
    with (clone / "tests" / "conftest.py").open("a") as file:
        file.write(WITHOUT.format(gone=sorted(gone)))
    alive = goldens(clone, "mutate", *options)
    assert alive.returncode == 1, alive.stderr
    places = re.findall(r"^survived: (\S+) (\S+):\d+ ", alive.stdout.decode(), re.MULTILINE)
    assert sorted(places) == sorted((mutant.name, mutant.file) for mutant in mutants)


def test_the_gate_and_plain_mutmut_are_measured_on_the_same_tree():
    pace = mutants_per_second(ROOT, ["__init__", "routing"])
    assert pace.gate > 0
    assert pace.mutmut > 0
