"""`goldens check` on real clones: what it passes, and every kind of damage it names."""

import json
import os
import re

import pytest

PHRASINGS = [
    "you suggested",
    "you recommended",
    "you mentioned",
    "you told me",
    "you provided",
    "you wrote",
    "you created",
    "did you say",
    "can you remind me",
    "remind me what",
    "remind me which",
    "remind me who",
    "remind me how",
    "remind me of",
]
ROUTING = "reference/routing.py"
VICTIM = "goldens/outcomes/render/default/hostile--plain.txt"


def edit(path, old, new):
    text = path.read_bytes().decode()
    assert old in text
    path.write_bytes(text.replace(old, new, 1).encode())


def test_a_fresh_clone_passes_every_stage(clone, goldens):
    done = goldens(clone, "check")
    assert done.returncode == 0, done.stdout
    assert b"FAILED" not in done.stdout
    assert {line.split()[0] for line in done.stdout.splitlines()} == {b"ok"}
    assert b"\x1b[" not in done.stdout
    assert done.stderr == b""


def test_json_lists_the_stages_for_a_machine(committed_slim, inside):
    report = json.loads(inside(committed_slim, "check", "--json").stdout)
    assert (report["ok"], report["exit"]) == (True, 0)
    assert len(report["stages"]) == 4
    assert all(stage["mismatches"] == [] for stage in report["stages"])


def flip(clone):
    data = bytearray((clone / VICTIM).read_bytes())
    data[40] ^= 1
    (clone / VICTIM).write_bytes(bytes(data))


def delete(clone):
    (clone / VICTIM).unlink()


def add(clone):
    (clone / VICTIM).with_name("hostile--extra.txt").write_bytes(b"x")


def convert(clone):
    (clone / VICTIM).write_bytes((clone / VICTIM).read_bytes().replace(b"\n", b"\r\n"))


def shorten(clone):
    (clone / VICTIM).write_bytes((clone / VICTIM).read_bytes()[:-1])


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (flip, b"render/default/hostile--plain.txt: (render: arm default, case hostile"),
        (delete, b"missing"),
        (add, b"hostile--extra.txt"),
        (convert, b"line ends"),
        (shorten, b"bytes, were"),
    ],
)
def test_a_damaged_golden_is_named(damage, said, clone, inside):
    damage(clone)
    done = inside(clone, "check")
    assert done.returncode == 1
    assert b"FAILED  goldens intact" in done.stdout
    assert said in done.stdout


def heading(clone):
    edit(
        clone / "reference/wording.toml", "earlier conversations, word", "past conversations, word"
    )


def default(clone):
    edit(clone / "reference/knobs.py", '"search_k", 30', '"search_k", 31')


def boundary(clone):
    edit(clone / ROUTING, r'r"\b(?:', 'r"(?:')


def ascii_flag(clone):
    edit(clone / ROUTING, "re.ASCII | re.IGNORECASE", "re.IGNORECASE")


def named(done, file):
    """Whether the working tree, and nothing before it, was found to have moved `file`."""
    return (
        done.returncode == 1
        and b"ok  re-derived from the pin" in done.stdout
        and b"FAILED  the working tree renders them" in done.stdout
        and file in done.stdout
    )


def test_an_edited_heading_is_named(clone, goldens):
    heading(clone)
    assert named(goldens(clone, "check"), b"render/default/")


@pytest.mark.parametrize(
    ("change", "file"),
    [
        (default, b"settings/default/"),
        (boundary, b"routing.jsonl"),
        (ascii_flag, b"routing.jsonl"),
    ],
)
def test_a_change_of_the_working_tree_is_named(change, file, slim, inside):
    change(slim)
    assert named(inside(slim, "check"), file)


@pytest.mark.parametrize("phrasing", PHRASINGS)
def test_a_dropped_phrasing_is_named(phrasing, slim, inside):
    text = (slim / ROUTING).read_text()
    changed = re.sub(rf"(?<=[|:]){re.escape(phrasing)}(?=[)\"])", "zzz zzz", text)
    assert changed != text
    (slim / ROUTING).write_text(changed)
    assert named(inside(slim, "check"), b"routing.jsonl")


def test_a_lost_carriage_return_is_readable(clone, goldens):
    edit(clone / "reference/context.py", 'return Rendered("', 'return _lost("')
    with (clone / "reference/context.py").open("a") as file:
        file.write("\n\ndef _lost(text, warnings):\n")
        file.write("    return Rendered(text.replace('\\r', ''), warnings)\n")
    done = goldens(clone, "check")
    assert done.returncode == 1
    assert rb"\r" in done.stdout


def test_a_reference_that_does_not_import_is_a_mismatch_and_no_traceback(slim, inside):
    (slim / "reference/knobs.py").write_text("def broken(:\n")
    done = inside(slim, "check")
    assert done.returncode == 1
    assert b"does not import: SyntaxError" in done.stdout
    assert done.stderr == b""


def test_a_changed_token_count_in_the_manifest_is_named(clone, goldens):
    path = clone / "goldens/outcomes/manifest.json"
    path.write_text(re.sub(r'"tokens": [1-9]\d*', '"tokens": 99999', path.read_text(), count=1))
    done = goldens(clone, "check")
    assert done.returncode == 1
    assert b"99999 tokens" in done.stdout


def test_a_mismatch_outranks_a_missing_pin(slim, goldens, tmp_path):
    default(slim)
    (tmp_path / "bin").mkdir()
    done = goldens(slim, "check", env={"PATH": str(tmp_path / "bin")})
    assert done.returncode == 1
    assert b"NO PIN" in done.stdout


def test_a_damaged_manifest_is_named(slim, inside):
    (slim / "goldens/outcomes/manifest.json").write_text("{}")
    done = inside(slim, "check")
    assert done.returncode == 1
    assert b"manifest.json is damaged" in done.stdout


def test_hostile_variables_in_the_shell_change_nothing(slim, goldens):
    env = {"MEMVARA_TOKEN_BUDGET": "80O", "MEMVARA_ROLE_SELECT": "user", "LC_ALL": "C"}
    done = goldens(slim, "check", env=env | {"PYTHONUTF8": "0", "GIT_DIR": "/nowhere"})
    assert done.returncode == 0, done.stdout


def test_it_works_from_a_subfolder(slim, goldens):
    assert goldens(slim, "check", cwd=slim / "goldens" / "cases").returncode == 0


def test_a_clone_with_autocrlf_passes(committed, tmp_path, git, goldens):
    git(tmp_path, "-c", "core.autocrlf=true", "clone", "-q", str(committed), "crlf")
    assert goldens(tmp_path / "crlf", "check").returncode == 0


def test_a_linked_worktree_passes(slim, git, goldens):
    git(slim, "worktree", "add", "-q", "../linked")
    assert goldens(slim.parent / "linked", "check").returncode == 0


def test_a_shallow_clone_without_the_pin_exits_3_with_one_clear_line(slim, git, goldens, tmp_path):
    with (slim / "reference/__init__.py").open("a") as file:
        file.write("\n# a comment\n")
    git(slim, "commit", "-q", "-a", "-m", "a harmless change")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{slim}", "shallow")
    done = goldens(tmp_path / "shallow", "check")
    assert done.returncode == 3
    (line,) = [line for line in done.stdout.splitlines() if b"NO PIN" in line]
    assert b"is not in this clone: git fetch --unshallow" in line
    assert b"ok  the working tree renders them" in done.stdout


def test_without_git_what_can_be_checked_is_checked_and_the_exit_is_3(slim, goldens, tmp_path):
    (tmp_path / "bin").mkdir()
    done = goldens(slim, "check", env={"PATH": str(tmp_path / "bin")})
    assert done.returncode == 3
    assert b"git can't be run" in done.stdout
    assert b"ok  the working tree renders them" in done.stdout


def test_outside_a_repository_the_exit_is_3(slim, goldens):
    os.rename(slim / ".git", slim.parent / "gone")
    done = goldens(slim, "check", env={"GIT_CEILING_DIRECTORIES": str(slim.parent)})
    assert done.returncode == 3
    assert b"not a git repository" in done.stdout
