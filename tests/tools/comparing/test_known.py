"""Known differences: accepted with a reason, and never longer than they are there."""

import sys
from pathlib import Path

import pytest

from tools.comparing import known
from tools.comparing.faults import Fault
from tools.exits import Exit, Stop
from tools.grid.places import Place
from tools.project import layout as project

PROGRAM = f"{sys.executable} {Path(__file__).parents[1] / 'adapters' / 'lenient.py'}"
LENIENT = """
[[known]]
reason = "the program reads integers as floats"
op = "settings"
env = { MEMVARA_SEARCH_K = "3e1" }
"""
NARROW = ("--full", "--knobs", "MEMVARA_SEARCH_K", "--cases", "empty", "--jobs", "1")


@pytest.fixture
def swept(committed_quick, goldens, tmp_path):
    """Sweeps against the lenient program, with these differences known."""

    def run(text):
        (tmp_path / "known.toml").write_text(text)
        options = (*NARROW, "--known", str(tmp_path / "known.toml"))
        return goldens(committed_quick, "sweep", "--command", PROGRAM, *options)

    return run


def test_a_difference_that_is_not_known_fails(swept):
    done = swept("known = []")
    assert done.returncode == Exit.MISMATCH
    assert b"MEMVARA_SEARCH_K" in done.stdout


def test_a_known_difference_passes_and_is_counted(swept):
    done = swept(LENIENT)
    assert done.returncode == Exit.OK, done.stdout
    assert b"1 differences are known ones" in done.stdout


def test_a_known_difference_that_no_longer_differs_fails(swept):
    done = swept(LENIENT + LENIENT.replace("3e1", "-1"))
    assert done.returncode == Exit.MISMATCH
    assert b"known.toml, entry 2: no longer differs" in done.stdout


def test_a_known_difference_that_nothing_reduces_to_fails():
    fault = Fault("settings", Place("", ""), (("MEMVARA_SEARCH_K", "3e1"),))
    entry = known.Known("entry 1", "settings", {"MEMVARA_SEARCH_K": "3e1"}, None, None)
    wider = entry._replace(env={**entry.env, "MEMVARA_TURNS_ONLY": "1"})

    class Different:
        @staticmethod
        def differ(request):
            return True

    asked = project.load()
    assert known.stale(asked, Different, [entry, wider], {fault: 1}, True) == [
        "entry 1: matches nothing: no difference reduces to exactly this"
    ]
    assert known.stale(asked, Different, [wider], {fault: 1}, False) == []
    assert known.unknown({fault: 1}, [entry]) == {}
    assert known.unknown({fault: 1}, [wider]) == {fault: 1}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("[[known]]\nenv = {}", b"entry 1: a reason is missing"),
        ('[[known]]\nreason = " "\nenv = {}', b"entry 1: a reason is missing"),
        ('[[known]]\nreason = "r"', b"entry 1: env must be a table of strings"),
        ('[[known]]\nreason = "r"\nenv = { A = "1" }', b"entry 1: A is no swept knob"),
        ('[[known]]\nreason = "r"\nenv = {}\ncase = "x"', b"entry 1: no case 'x': one of"),
        ('[[known]]\nreason = "r"\nenv = {}\nop = "x"', b"entry 1: no op 'x': one of prompt"),
        ('[[known]]\nreason = "r"\nenv = {}\nwhen = "x"', b"entry 1: when is not one of"),
        ("[known]", b"must hold [[known]] tables"),
        ("known = ", b"known.toml: "),
    ],
)
def test_a_bad_entry_is_named(tmp_path, entry, said):
    (tmp_path / "known.toml").write_text(entry)
    with pytest.raises(Stop) as stopped:
        known.load(tmp_path / "known.toml", project.load())
    assert said.decode() in str(stopped.value)
