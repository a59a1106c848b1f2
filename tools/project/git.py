"""Reading a git repository: trees and blobs by id, whatever the user's configuration."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ..exits import Exit, Stop
from .installed import ROOT, in_a_wheel

BATCH = 500  # blobs read at a time

# A hook sets GIT_DIR and friends for its own repository; a partial clone would go online.
_QUIET = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}


class GitError(Exception):
    """git is missing, this is no repository, or the object is not in it."""


def git(root: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """What `git` prints in `root`. Raises GitError with git's own last line."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    if in_a_wheel():  # which may lie inside somebody's repository, and is no part of it
        env["GIT_CEILING_DIRECTORIES"] = str(ROOT.parent)
    command = ["git", "-C", str(root), "-c", "safe.directory=*", *arguments]
    try:
        done = subprocess.run(command, input=stdin, capture_output=True, env=env | _QUIET)
    except OSError as error:
        raise GitError(f"git can't be run: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise GitError(said[-1] if said else f"git {arguments[0]}: exit {done.returncode}")
    return done.stdout


def commit_id(root: Path, revision: str) -> str:
    """The full id of the commit that `revision` names. Raises GitError."""
    spec = f"{revision}^{{commit}}"
    try:
        return git(root, "rev-parse", "--verify", "--end-of-options", spec).decode().strip()
    except GitError as error:
        raise GitError(f"no commit {revision!r} here ({error})") from None


def tree_id(root: Path, commit: str) -> str:
    """The id of the tree of `reference/` in `commit`. Raises GitError."""
    try:
        return git(root, "rev-parse", "--verify", f"{commit}:./reference").decode().strip()
    except GitError:
        raise GitError(f"commit {commit} holds no reference/") from None


def has(root: Path, tree: str) -> bool:
    """Whether the tree `tree` is here. Raises GitError without a repository."""
    git(root, "rev-parse", "--git-dir")
    try:
        git(root, "cat-file", "-e", f"{tree}^{{tree}}")
    except GitError:
        return False
    return True


class Entry(NamedTuple):
    """A file of a tree: what git says of it, its path from the folder asked in."""

    mode: str
    id: str
    path: str


def entries(root: Path, tree: str, *paths: str) -> list[Entry]:
    """The files of a tree, or those of a commit below some paths from `root`. Raises GitError."""
    where = ("--full-tree",) if not paths else ()
    listing = git(root, "ls-tree", "-r", "-z", *where, tree, "--", *paths)
    held = [line.split("\t", 1) for line in os.fsdecode(listing).split("\0") if line]
    return [Entry(meta.split()[0], meta.split()[2], path) for meta, path in held]


def read_tree(root: Path, tree: str) -> dict[str, bytes]:
    """The files of a tree by path: the bytes git stores, no filter applied. Raises GitError."""
    held = entries(root, tree)
    blobs = read_blobs(root, [entry.id for entry in held], f"tree {tree}")
    return {entry.path: blob for entry, blob in zip(held, blobs, strict=True)}


def read_blobs(root: Path, ids: Sequence[str], of: str) -> Iterator[bytes]:
    """The blobs of these ids, in order. Raises GitError, naming what they are `of`."""
    for start in range(0, len(ids), BATCH):
        some = ids[start : start + BATCH]
        stream = git(root, "cat-file", "--batch", stdin="".join(f"{id}\n" for id in some).encode())
        at = 0
        for id in some:
            end = stream.index(b"\n", at)
            header = stream[at:end].split()
            if header[1:2] != [b"blob"]:
                raise GitError(f"the file {id[:12]} of {of} is not here")
            at = end + 1 + int(header[2]) + 1
            yield stream[end + 1 : at - 1]


def uncommitted(root: Path, *paths: str) -> list[str]:
    """The files under `paths` that differ from HEAD or that git does not know. Raises GitError."""
    options = ("--porcelain", "-z", "--no-renames", "--untracked-files=all")
    status = git(root, "status", *options, "--", *paths)
    return [line[3:] for line in status.decode(errors="replace").split("\0") if line]


def files_of(folder: Path) -> dict[str, bytes]:
    """The files of a folder on disk, by path, as `read_tree` gives those of a tree."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in paths
        if "__pycache__" not in path.parts
    }


def resolve_commit(root: Path, revision: str) -> str:
    """The commit that `revision` names. Raises Stop: exit 3 without git, exit 2 if it is none."""
    try:
        git(root, "rev-parse", "--git-dir")
    except GitError as error:
        raise Stop(str(error), Exit.NO_PIN) from None
    try:
        return commit_id(root, revision)
    except GitError as error:
        raise Stop(str(error)) from None


def resolve(root: Path, revision: str) -> tuple[str, str]:
    """Commit and tree id of `revision`. Raises Stop as `resolve_commit`."""
    commit = resolve_commit(root, revision)
    try:
        return commit, tree_id(root, commit)
    except GitError as error:
        raise Stop(str(error)) from None


def is_ignored(root: Path, path: Path) -> bool:
    """Whether git would never take a file at `path`. Raises GitError without a repository."""
    git(root, "rev-parse", "--git-dir")
    try:
        git(root, "check-ignore", "-q", "--", str(path))
    except GitError:
        return False
    return True


def working_entries(root: Path, *paths: str) -> list[Entry]:
    """The files on disk below some paths, those that git ignores left out. Raises GitError."""
    options = ("-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    listed = os.fsdecode(git(root, "ls-files", *options, "--", *paths)).split("\0")
    names = sorted(name for name in listed if name and os.path.lexists(root / name))
    files = [name for name in names if not (root / name).is_dir() or (root / name).is_symlink()]
    plain = [name for name in files if not (root / name).is_symlink()]
    if any("\n" in name for name in plain):
        raise GitError("a file whose name holds a line end can't be hashed")
    stdin = "".join(f"{name}\n" for name in plain)
    made = git(root, "hash-object", "--no-filters", "--stdin-paths", stdin=os.fsencode(stdin))
    ids = dict(zip(plain, made.decode().split(), strict=True))
    for name in set(files) - set(plain):
        target = os.fsencode(os.readlink(root / name))
        ids[name] = git(root, "hash-object", "--stdin", stdin=target).decode().strip()
    return [Entry(_mode(root / name), ids[name], name) for name in files]


def _mode(path: Path) -> str:
    if path.is_symlink():
        return "120000"
    return "100755" if os.access(path, os.X_OK) else "100644"
