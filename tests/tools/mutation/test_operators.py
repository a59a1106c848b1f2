"""What the gate changes in code and data, what it leaves alone, and what it says it missed."""

import textwrap

import pytest

from tools.mutation import from_mutmut, operators, wording
from tools.mutation.generate import generate
from tools.mutation.mutants import Edit, mutants_of
from tools.mutation.source import Source, type_names


def changes(code):
    """The lines that our operators make of `code`, each as it reads after the change."""
    source = Source("x.py", textwrap.dedent(code).encode())
    edits = filter(source.allows, operators.edits(source))
    return {mutant.after for mutant in mutants_of("x.py", source.code, edits, source.functions)}


@pytest.mark.parametrize(
    ("line", "mutants"),
    [
        ("T = [1, 2]", ["T = [2]", "T = [1, ]", "T = [2, 2]", "T = [1, 3]"]),
        ("T = (A, B)", ["T = (B,)", "T = (A, )"]),
        ("T = {A}", ["T = set()"]),
        ('T = {"k": A, "l": B}', ['T = {"l": B}', 'T = {"k": A, }', 'T = {"XXkXX": A, "l": B}']),
        ("def f(x=3): return x", ["def f(x=4): return x"]),
        ("def f(x=A): return x", ["def f(x=None): return x"]),
        ("def f(x=None): return x", ["def f(x=1): return x"]),
        ("x = f'a{b}c'", ["x = f'{b}c'", "x = f'XXaXX{b}c'", "x = f'a{b}'"]),
        ("x = f'{b!r}'", ["x = f'{b}'"]),
        ("x = f'{b:>3}'", ["x = f'{b}'", "x = f'{b:}'"]),
        ("if a: b()", ["if not (a): b()", "if a: pass"]),
        ("while a and b: c()", ["while a: c()", "while b: c()", "while a or b: c()"]),
        ("for a in b: c()", ["for a in (): c()"]),
        ("raise E(1)", ["pass", "raise E(2)", "raise E(None)"]),
        ("def f(): return a", ["def f(): return None", "def f(): pass"]),
        ("def f(): return a == b", ["def f(): return not (a == b)", "def f(): return a != b"]),
        ("x = [a for a in b if c]", ["x = [a for a in b]", "x = [a for a in b if not (c)]"]),
        ("x = a[b:c]", ["x = a[:c]", "x = a[b:]", "x = a[(b) + 1:c]", "x = a[b:(c) + 1]"]),
        ("x = a.strip()", ["x = a"]),
        ("x = len(a)", ["x = a", "x = len(None)"]),
        ("x = sum(a for a in b)", ["x = (a for a in b)"]),
        ("x = A | B", ["x = A", "x = B", "x = A & B"]),
        ("x = (not (a or b)) + c", ["x = (a or b) + c", "x = (not (a)) + c"]),
        ("x = '''a'''", ["x = ''''''", "x = '''XXaXX'''"]),
        ("x = 'ab' 'cd'", ["x = '' 'cd'", "x = 'ab' ''", "x = 'b' 'cd'", "x = 'a' 'cd'"]),
        ("x = r'a\\d'", ["x = r'\\d'", "x = r'XXa\\dXX'"]),
        ("@cache\ndef f(): return a", ["", "def f(): return None"]),
        ("try: a()\nexcept E: b()", ["except (): b()", "except E: pass"]),
        ("del a", ["pass"]),
        ("assert a", ["assert not (a)", "pass"]),
        ("x = None", ['x = ""', "x = 1"]),
        ("x = lambda: a", ["x = lambda: None"]),
        ("x = a if b else c", ["x = a if (b) and False else c"]),
    ],
)  # fmt: skip
def test_a_line_becomes(line, mutants):
    found = changes(line)
    missing = [mutant for mutant in mutants if mutant not in found]
    assert not missing, found


@pytest.mark.parametrize(
    ("pattern", "mutants"),
    [
        (r"\bab\b", [r"ab\b", r"\bab", r"\bb\b"]),
        ("(?:a|b|c)", ["(?:b|c)", "(?:a|c)", "(?:a|b)"]),
        ("^a$", ["a$", "^a"]),
        ("a+b*", ["a*b*", "ab*", "a+b+", "a+b"]),
        ("a{4}", ["a"]),
        ("[^ab-d]", ["[ab-d]", "[^b-d]", "[^a]"]),
        (r"a(?!b)", [r"a(?=b)"]),
        ("(?i:a)", ["(?:a)"]),
    ],
)
def test_a_pattern_becomes(pattern, mutants):
    found = changes(f'x = re.compile(r"{pattern}")')
    missing = [mutant for mutant in mutants if f'x = re.compile(r"{mutant}")' not in found]
    assert not missing, found


def test_a_flag_is_dropped():
    found = changes('x = re.compile("a", re.ASCII | re.IGNORECASE)')
    assert 'x = re.compile("a", re.ASCII)' in found
    assert 'x = re.compile("a", re.IGNORECASE)' in found
    assert 'x = re.compile("a", )' in found


def test_no_pattern_is_made_invalid():
    assert 'x = re.compile("a)")' not in changes('x = re.compile("(a)")')


@pytest.mark.parametrize(
    "line",
    [
        "import a",
        "from a import b",
        '"""A docstring."""',
        "__all__ = ['a']",
        "if TYPE_CHECKING: import a",
        "class A(TypedDict): b: int",
        "def f():\n    x: int\n    global y",
        "pass",
    ],
)
def test_imports_docstrings_and_what_only_a_type_checker_reads_stay(line):
    assert changes(line) == set()


def test_annotations_stay():
    assert not [line for line in changes("def f(a: 'b' = 1) -> 'c': return a") if "XX" in line]


def test_a_type_of_a_cast_stays():
    assert "x = cast(None, y)" not in changes("x = cast('A', y)")


def test_a_name_that_only_annotations_read_is_an_annotation():
    files = {
        "a.py": b"Item = A | B\nT = TypeVar('T', bound=Item)\nBoth = C | D\nUnread = E | F\n",
        "b.py": b"def f(x: Item, y: 'list[T]') -> T: return Both\n",
    }
    assert type_names(files) == {"Item", "T"}
    source = Source("a.py", files["a.py"], type_names(files))
    lines = {edit.applied(files["a.py"]) for edit in operators.edits(source) if source.allows(edit)}
    assert not [line for line in lines if b"Item = A | B" not in line]
    assert [line for line in lines if b"Both = C | D" not in line]


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    a()\n    return",
        "def f():\n    if a: return b\n    return None",
        "for a in b:\n    c()\n    continue",
    ],
)
def test_nothing_is_deleted_where_its_absence_changes_nothing(code):
    last = len(code.splitlines())
    source = Source("x.py", code.encode())
    deleted = [edit for edit in operators.edits(source) if edit.operator == "statement deleted"]
    assert all(source.code.count(b"\n", 0, edit.start) + 1 < last for edit in deleted)


@pytest.mark.parametrize("line", ['x = "utf-8"', 'x = re.compile("ab", re.I)'])
def test_no_text_changes_its_case_where_case_means_nothing(line):
    assert not [found for found in changes(line) if "UTF" in found or "AB" in found]


def test_equal_changes_are_one_mutant_and_the_first_maker_s():
    code = b"x = 'ab'\n"
    edits = [Edit(4, 8, b"'b'", "first"), Edit(5, 6, b"", "second"), Edit(4, 8, b"'ab'", "none")]
    (mutant,) = mutants_of("x.py", code, edits, [])
    assert mutant.edit == Edit(5, 6, b"", "first")


def test_a_name_survives_edits_elsewhere_and_differs_for_equal_lines():
    code = b"def f():\n    a(1)\n    a(1)\n"

    def names(code):
        source = Source("x.py", code)
        return [m.name for m in mutants_of("x.py", code, operators.edits(source), source.functions)]

    assert len(set(names(code))) == len(names(code))
    assert set(names(code)) < set(names(b"# moved\nx = 1\n" + code))


def test_text_beyond_ascii_is_cut_between_characters():
    assert {"x = 'ü'", "x = 'ä'"} <= changes("x = 'äü'")
    assert all("\ufffd" not in line for line in changes("x = 'äü'"))


def test_mutmut_s_own_mutants_are_those_that_it_would_run():
    code = b"A = 1\n\ndef f(a, b):\n  if a > b:\n    g(\n      (a),\n      b,\n    )\n"
    edits = from_mutmut.edits("x.py", code)
    lines = {edit.applied(code).decode().replace("\n", "").replace(" ", "") for edit in edits}
    assert "A=1deff(a,b):ifa>=b:g((a),b,)" in lines
    assert not [line for line in lines if "A=2" in line or "A=None" in line]
    for edit in edits:
        compile(edit.applied(code), "x.py", "exec")


def test_a_statement_that_nothing_changes_is_a_blind_spot():
    source = Source("x.py", b"def f(a):\n    if a:\n        return 'b'\n    return f'c{a}'\n")
    edits = [edit for edit in operators.edits(source) if b"c" not in source.code[edit.start :][:1]]
    assert list(source.blind_spots(edits)) == []
    assert [spot.text for spot in source.blind_spots([])] == [
        "a",
        "return 'b'",
        "'b'",
        "return f'c{a}'",
        "c",
    ]


def text_changes(code):
    data = code.encode()
    return {edit.applied(data).decode() for edit in wording.edits(data)}


def test_a_text_of_the_wording_loses_a_character_a_line_and_the_name_of_a_hole():
    found = text_changes('a = "to {b}!"  # "c"\n')
    assert {'a = "o {b}!"  # "c"\n', 'a = "to {b}"  # "c"\n', 'a = "to {bx}!"  # "c"\n'} <= found
    assert all(text.endswith('# "c"\n') for text in found)
    found = text_changes('a = """\nb\nc"""\n')
    assert {'a = """\nc"""\n', 'a = """\nb\n"""\n'} <= found


def test_every_change_of_the_wording_is_still_toml():
    assert text_changes(r'a = "\u00e4\"b"') == {r'a = "\"b"', r'a = "\u00e4b"', r'a = "\u00e4\""'}


def test_names_of_the_wording_stay():
    assert all('"k" = ' in text for text in text_changes('"k" = "v"'))


def test_a_tree_gives_every_mutant_of_every_file_but_its_main(tmp_path):
    folder = tmp_path / "reference"
    folder.mkdir()
    for name in ("a.py", "__main__.py"):
        (folder / name).write_text("x = 1\n")
    (folder / "b.toml").write_text('c = "d"\n')
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "a.pyc").write_text("")
    found = generate(tmp_path, ["reference"])
    assert {mutant.file for mutant in found.mutants} == {"reference/a.py", "reference/b.toml"}
    assert found.blind_spots == []


def test_data_that_no_operator_changes_is_a_blind_spot(tmp_path):
    (tmp_path / "reference").mkdir()
    (tmp_path / "reference/a.toml").write_text('b = "c"\n[d]\ne = [1]\n')
    (tmp_path / "reference/f.json").write_text("{}")
    found = generate(tmp_path, ["reference"]).blind_spots
    assert [(spot.file, spot.text) for spot in found] == [
        ("reference/a.toml", "d.e"),
        ("reference/f.json", "the whole file"),
    ]
