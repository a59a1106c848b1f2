"""Ids of trees without git are git's own."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tools.project.git import files_of
from tools.project.trees import tree_id

NAMES = st.text("ab.-0_ é", min_size=1, max_size=3).filter(lambda name: name.strip(".") != "")
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)


def write(folder: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)


def test_a_folder_has_the_id_that_git_gives_it(git, tmp_path):
    # A folder sorts as if its name ended in a slash: between a- and a.b, and a0.
    files = {"a/b": b"1", "a/c/d": b"2", "a-": b"", "a.b": b"\r\n", "a0": b"3", "é": b"\xff" * 999}
    write(tmp_path, files)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    assert tree_id(files) == git(tmp_path, "write-tree").strip()


def test_the_committed_reference_has_the_id_of_its_tree(git, committed):
    tree = git(committed, "rev-parse", "HEAD:reference").strip()
    assert tree_id(files_of(committed / "reference")) == tree


@given(st.dictionaries(PATHS, st.binary(max_size=3), max_size=4), st.randoms())
def test_the_order_of_the_files_is_nothing_to_the_id(files, random):
    paths = list(files)
    random.shuffle(paths)
    assert tree_id({path: files[path] for path in paths}) == tree_id(files)


@given(PATHS, st.binary(max_size=3), st.binary(max_size=3))
def test_other_bytes_or_another_path_are_another_tree(path, data, other):
    assert (tree_id({path: data}) == tree_id({path: other})) is (data == other)
    assert tree_id({path: data}) != tree_id({path + "x": data})


def test_no_files_are_the_empty_tree():
    assert tree_id({}) == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
