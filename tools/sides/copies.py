"""Subjects that are copies of `reference/`, each loaded under a name of its own here."""

import contextlib
import functools
import importlib.util
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from ..exits import Exit, Stop
from ..project.git import read_tree
from .subject import Subject


def load_copy(folder: Path, name: str) -> ModuleType:
    """The package in `folder`, imported as `name` beside any other copy; its protocol module.

    Raises Stop, exit 1, when it does not import.
    """
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise Stop(f"{folder} is no package", Exit.MISMATCH)
    forget(name)
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    try:
        spec.loader.exec_module(package)
        return importlib.import_module(f"{name}.protocol")
    except Exception as error:
        raise Stop(f"{folder} does not import: {error!r}", Exit.MISMATCH) from None


def forget(name: str) -> None:
    """Drop the package `name` from this process, so that the next import reads it anew."""
    for module in _modules(name):
        del sys.modules[module]


def _modules(name: str) -> list[str]:
    return [module for module in sys.modules if f"{module}.".startswith(f"{name}.")]


def files_behind(name: str) -> set[Path]:
    """The real paths of the files that the copy loaded as `name` consists of."""
    files = (sys.modules[module].__file__ for module in _modules(name))
    return {Path(file).resolve() for file in files if file}


def in_process(
    folder: Path, name: str, source: str, *, memo: int = 0, wording: Path | None = None
) -> Subject:
    """The copy in `folder` as a subject, with a session of its own.

    Up to `memo` counts of tokens are remembered, by this subject alone. `wording` is a file of
    other words. Raises Stop when the copy does not import or has no such session.
    """
    protocol = load_copy(folder, name)
    try:
        session = _session(protocol, name, memo, wording)
    except Exception as error:
        raise Stop(f"{source} can't be asked: {error}", Exit.MISMATCH) from None

    def answer(request: Mapping[str, Any]) -> dict[str, Any]:
        try:
            answered: dict[str, Any] = protocol.answer(request, session)
        except Exception as error:
            return {"crashed": f"{type(error).__name__}: {error}"}
        return answered

    return Subject(source, answer)


def _session(protocol: ModuleType, name: str, memo: int, wording: Path | None) -> Any:
    session = protocol.Session()
    if memo:
        session.count = functools.lru_cache(memo)(session.count)
    if wording is not None:
        session.words = importlib.import_module(f"{name}.wording").load(wording)
    return session


def working_tree(reference: Path) -> Subject:
    """The working tree's `reference/` as a subject."""
    return in_process(reference, "working_reference", str(reference))


@contextlib.contextmanager
def unpacked(root: Path, tree: str) -> Iterator[Path]:
    """A temporary folder with the files of a git tree. Raises GitError."""
    files = read_tree(root, tree)
    with tempfile.TemporaryDirectory(prefix="goldens-") as temporary:
        folder = Path(temporary) / "reference"
        for path, data in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
        yield folder


@contextlib.contextmanager
def pinned(root: Path, tree: str) -> Iterator[Subject]:
    """The tree `tree` of the repository as a subject. Raises GitError."""
    with unpacked(root, tree) as folder:
        yield in_process(folder, "pinned_reference", f"git tree {tree}")
