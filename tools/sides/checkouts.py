"""An old commit of somebody's repository, unpacked beside it and made ready to run.

Git's objects are read and nothing else of the repository is touched: no index, no worktree.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..exits import Exit, Stop
from ..processes import keeper
from ..project import git, settings
from ..project.git import Entry, GitError
from ..project.settings import Settings

CACHE = "memvara-goldens"
READY = ".goldens-ready"  # beside the files of a checkout whose setup went well
LAST_LINES = 10  # of a setup that failed
POINTER = b"version https://git-lfs.github.com/spec/"


@contextlib.contextmanager
def checked_out(held: Settings, commit: str, cached: bool = True) -> Iterator[Settings]:
    """The settings at `commit`, of files that lie elsewhere and are ready to run.

    A commit with a `goldens.toml` of its own is run as that says; its setup is run once for each
    tree unless `cached` is off. Raises GitError, and Stop: exit 2 for a tree that can't be
    unpacked or a setup that fails.
    """
    top = Path(os.fsdecode(git.git(held.root, "rev-parse", "--show-toplevel")).rstrip("\n"))
    below = os.fsdecode(git.git(held.root, "rev-parse", "--show-prefix")).rstrip("\n")
    tree = git.git(top, "rev-parse", "--verify", f"{commit}^{{tree}}").decode().strip()
    key = hashlib.sha256("\0".join((tree, held.setup or "", below)).encode()).hexdigest()[:32]
    with contextlib.ExitStack() as stack:
        if cached:
            folder = _cache() / key
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(_locked(folder))
        else:
            made = stack.enter_context(tempfile.TemporaryDirectory(prefix="goldens-"))
            folder = Path(made)
        files = folder / "files"
        if not (folder / READY).exists():
            shutil.rmtree(files, ignore_errors=True)
            _unpack(top, commit, below, held, files)
            _set_up(held, files / below)
            (folder / READY).touch()
        yield _at(held, files / below)


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(base) if base else Path.home() / ".cache") / CACHE / "checkouts"


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let nobody else make this checkout at the same time."""
    with (folder / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _at(held: Settings, root: Path) -> Settings:
    """The settings for files that lie in `root`."""
    if (root / settings.NAME).is_file():
        return settings.load(root)
    folder = root / os.path.relpath(held.folder, held.root)
    return Settings(**{**vars(held), "root": root, "folder": folder})


def _unpack(top: Path, commit: str, below: str, held: Settings, files: Path) -> None:
    every = git.entries(top, commit, ".")
    guarded = {below + entry.path for entry in pinned_entries(held, commit)}
    plain = [entry for entry in every if entry.mode != "160000"]
    for entry in every:
        if entry.mode == "160000" and entry.path in guarded:
            raise Stop(
                f"commit {commit[:12]}: {entry.path} is a submodule, whose files are not in this "
                f"repository: name other paths under pinned in {settings.NAME}"
            )
    blobs = git.read_blobs(top, [entry.id for entry in plain], f"commit {commit[:12]}")
    for entry, blob in zip(plain, blobs, strict=True):
        if entry.path in guarded and blob.startswith(POINTER):
            raise Stop(
                f"commit {commit[:12]}: {entry.path} is a pointer of Git LFS, its content is not "
                f"in this repository: name other paths under pinned in {settings.NAME}"
            )
        _write(files / entry.path, entry, blob)


def _write(path: Path, entry: Entry, blob: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if entry.mode == "120000":
        path.symlink_to(os.fsdecode(blob))
        return
    path.write_bytes(blob)
    if entry.mode == "100755":
        path.chmod(0o755)


def _set_up(held: Settings, root: Path) -> None:
    """Run the setup. Raises Stop with its last lines when it fails or takes too long."""
    root.mkdir(parents=True, exist_ok=True)
    if held.setup is None:
        return
    with tempfile.TemporaryFile() as output:
        process = keeper.start(
            ["sh", "-c", held.setup],
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        ended = None
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                ended = process.wait(held.setup_timeout)
        finally:
            keeper.kill(process)
        if ended == 0:
            return
        output.seek(0)
        said = output.read().decode(errors="replace").strip().splitlines()[-LAST_LINES:]
    how = f"took over {held.setup_timeout:g} s" if ended is None else f"ended with exit {ended}"
    raise Stop("\n".join([f"the setup {held.setup!r} {how}:", *(f"  {line}" for line in said)]))


def pinned_entries(held: Settings, commit: str | None) -> list[Entry]:
    """The files that the pin stands for, in a commit or, for None, on disk. Raises GitError."""
    every = (
        git.working_entries(held.root, *held.pinned)
        if commit is None
        else git.entries(held.root, commit, *held.pinned)
    )
    goldens = Path(os.path.relpath(held.goldens, held.root)).as_posix()
    return [
        entry
        for entry in every
        if entry.path != settings.NAME and not f"{entry.path}/".startswith(f"{goldens}/")
    ]


def content_id(held: Settings, commit: str | None) -> str:
    """What the pin of a program is called: a hash of modes, blobs and paths. Raises GitError.

    Raises Stop when there is no file to pin.
    """
    every = pinned_entries(held, commit)
    if not every:
        where = "on disk" if commit is None else f"in commit {commit[:12]}"
        raise Stop(f"{settings.NAME}: pinned = {list(held.pinned)} names no file {where}")
    listed = "".join(f"{each.mode} {each.id} {each.path}\0" for each in sorted(every))
    return hashlib.sha256(os.fsencode(listed)).hexdigest()


def last_change(held: Settings, commit: str) -> str:
    """The commit that gave the pinned files of `commit` their content. Raises GitError."""
    goldens = Path(os.path.relpath(held.goldens, held.root)).as_posix()
    apart = [f":(exclude){path}" for path in (goldens, settings.NAME)]
    found = git.git(held.root, "rev-list", "-1", commit, "--", *held.pinned, *apart)
    return found.decode().strip() or commit


def find_commit(held: Settings, recorded: str, pin: str) -> str:
    """A commit whose files have the id `pin`: the recorded one, else the newest that has.

    Raises Stop, exit 3, when there is none.
    """
    try:
        here = git.git(held.root, "rev-list", "--all", "HEAD").decode().split()
    except GitError as error:
        raise Stop(str(error), Exit.NO_PIN) from None
    for commit in [recorded, *here]:
        with contextlib.suppress(GitError, Stop):
            if content_id(held, commit) == pin:
                return commit
    raise Stop(
        f"no commit here has the files of pin {pin[:12]} (recorded: commit {recorded[:12]}): "
        "git fetch --unshallow, or goldens regen",
        Exit.NO_PIN,
    )
