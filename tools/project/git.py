"""Reading a git repository: trees and blobs by id, whatever the user's configuration."""

import os
import subprocess
from pathlib import Path

from ..exits import Exit, Stop

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


def read_tree(root: Path, tree: str) -> dict[str, bytes]:
    """The files of a tree by path: the bytes git stores, no filter applied. Raises GitError."""
    listing = git(root, "ls-tree", "-r", "-z", "--full-tree", tree).decode().split("\0")
    entries = [entry.split("\t", 1) for entry in listing if entry]
    ids = [meta.split()[2] for meta, _ in entries]
    stream = git(root, "cat-file", "--batch", stdin="".join(f"{id}\n" for id in ids).encode())
    files = {}
    for _, path in entries:
        header, _, stream = stream.partition(b"\n")
        if not header.split()[1:2] == [b"blob"]:
            raise GitError(f"{path} of tree {tree} is not here")
        size = int(header.split()[2])
        files[path], stream = stream[:size], stream[size + 1 :]
    return files


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


def resolve(root: Path, revision: str) -> tuple[str, str]:
    """Commit and tree id of `revision`. Raises Stop: exit 3 without git, exit 2 if it is none."""
    try:
        git(root, "rev-parse", "--git-dir")
    except GitError as error:
        raise Stop(str(error), Exit.NO_PIN) from None
    try:
        commit = commit_id(root, revision)
        return commit, tree_id(root, commit)
    except GitError as error:
        raise Stop(str(error)) from None
