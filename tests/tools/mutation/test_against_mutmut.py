"""Plain mutmut beside the gate: the same names, and both must say the same of each mutant."""

import json
from pathlib import Path

import pytest
from mutmut.mutation.file_mutation import mutate_file_contents

from tools.exits import Exit, Stop
from tools.mutation.against_mutmut import Said, differences, said
from tools.mutation.from_mutmut import named_edits
from tools.mutation.generate import Generated, generate
from tools.mutation.mutants import Edit, Mutant
from tools.mutation.verdicts import Outcome, Verdict

ROOT = Path(__file__).parents[3]
CODE = '''"""Toy."""

LIMIT = 3


def over(count: int) -> bool:
    return count > LIMIT


class Toy:
    size = 1

    def grown(self, by: int) -> int:
        return self.size + by + 1

    @staticmethod
    def over() -> str:
        def inner() -> str:
            return "a"

        return inner() + "b"
'''


@pytest.mark.parametrize("module", ["text", "transport"])
def test_mutants_have_the_names_that_mutmut_gives_them(module):
    file = f"reference/{module}.py"
    code = (ROOT / file).read_text(encoding="utf-8")
    theirs = mutate_file_contents(file, code).mutant_names
    named = [name.rpartition(".")[2] for name in named_edits(file, code.encode())]
    assert sorted(named) == sorted(theirs)


def test_a_name_stands_for_the_change_that_mutmut_makes_under_it():
    code = CODE.encode()
    found = {
        name: edit.applied(code).decode().splitlines()
        for name, edit in named_edits("a/b.py", code).items()
    }
    changed = {
        name: [line.strip() for line in lines if line not in CODE.splitlines()]
        for name, lines in found.items()
    }
    assert changed["a.b.x_over__mutmut_1"] == ["return count >= LIMIT"]
    assert changed["a.b.xǁToyǁgrown__mutmut_1"] == ["return self.size + by - 1"]
    assert 'return inner() + "XXbXX"' in [line for lines in changed.values() for line in lines]


@pytest.fixture
def toy(tmp_path) -> Generated:
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference" / "toy.py").write_text(CODE)
    (tmp_path / "reference" / "empty.py").write_text('"""Nothing to change."""\n')
    return generate(tmp_path, ["reference"])


def record(folder: Path, statuses: object) -> None:
    (folder / "mutants" / "reference").mkdir(parents=True)
    meta = folder / "mutants" / "reference" / "toy.py.meta"
    meta.write_text(json.dumps({"exit_code_by_key": statuses}))


def test_what_mutmut_said_is_read_for_every_mutant_of_its_own(toy, tmp_path):
    names = list(named_edits("reference/toy.py", CODE.encode()))
    record(tmp_path, dict.fromkeys(names, 1) | {names[0]: None})
    found = said(tmp_path, toy)
    assert [each.name for each in found] == names
    assert [each.exit_status for each in found] == [None, *[1] * (len(names) - 1)]
    by_name = {mutant.name: mutant for mutant in toy.mutants}
    over = next(each for each in found if each.name == "reference.toy.x_over__mutmut_1")
    assert over.mutant is not None
    assert by_name[over.mutant].after == "return count >= LIMIT"


def test_verdicts_on_another_state_of_the_files_are_refused(toy, tmp_path):
    record(tmp_path, {"reference.toy.x_over__mutmut_1": 1})
    with pytest.raises(Stop, match=r"toy\.py\.meta is not of this reference/toy\.py") as caught:
        said(tmp_path, toy)
    assert caught.value.exit_code is Exit.BASELINE


@pytest.mark.parametrize("meta", [None, "", "[]", "{}"])
def test_no_verdicts_are_refused(meta, toy, tmp_path):
    record(tmp_path, {})
    path = tmp_path / "mutants" / "reference" / "toy.py.meta"
    path.unlink() if meta is None else path.write_text(meta)
    with pytest.raises(Stop, match="no verdicts of mutmut: run mutmut first") as caught:
        said(tmp_path, toy)
    assert caught.value.exit_code is Exit.BASELINE


def outcome(verdict: Verdict) -> Outcome:
    edit = Edit(0, 1, b"", "x")
    return Outcome(Mutant("text.cut#1", "reference/text.py", edit, 1, "cut", "a", "b"), verdict, [])


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        (1, Verdict.KILLED),
        (1, Verdict.AT_IMPORT),
        *((status, Verdict.ENDLESS) for status in (36, 24, -24, 152)),
    ],
)
def test_a_kill_is_a_kill_and_what_never_ends_never_ends(status, verdict):
    assert differences([Said("m", status, "text.cut#1")], [outcome(verdict)]) == []


@pytest.mark.parametrize(
    ("status", "verdict", "kinds"),
    [
        (0, Verdict.KILLED, ("exit status 0", "killed")),
        (3, Verdict.KILLED, ("exit status 3", "killed")),
        (33, Verdict.KILLED, ("exit status 33", "killed")),
        (255, Verdict.KILLED, ("exit status 255", "killed")),
        (36, Verdict.KILLED, ("endless", "killed")),
        (None, Verdict.KILLED, ("exit status None", "killed")),
        (1, Verdict.SURVIVED, ("killed", "survived")),
        (1, Verdict.ENDLESS, ("killed", "endless")),
        (1, Verdict.UNTESTED, ("killed", "untested")),
        (0, Verdict.SURVIVED, ("exit status 0", "survived")),
    ],
)
def test_a_mutant_that_one_kills_and_the_other_does_not_is_named(status, verdict, kinds):
    mutmuts, gates = kinds
    assert differences([Said("m", status, "text.cut#1")], [outcome(verdict)]) == [
        f"m: mutmut says {mutmuts}, the gate says {gates} of text.cut#1"
    ]


def test_a_mutant_out_of_the_gates_bounds_must_be_killed_by_mutmut():
    assert differences([Said("m", 1, None)], []) == []
    assert differences([Said("m", 0, None)], []) == [
        "m: mutmut says exit status 0, the gate says killed of what is out of its bounds"
    ]
