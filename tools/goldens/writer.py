"""The one writer of goldens: at every moment one whole set is on disk."""

import os
import shutil
from pathlib import Path

from ..project.layout import Project
from . import manifest
from .manifest import Manifest
from .outcomes import Outcome


def write(project: Project, new: Manifest, outcomes: dict[str, Outcome]) -> None:
    """Put the new goldens in place of the old: at every moment one whole set is on disk."""
    current = manifest.folder(project)
    fresh, old = current.with_name("outcomes.new"), current.with_name("outcomes.old")
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    for stem, row in new.rows.items():
        _write_synced(fresh / row.file, outcomes[stem].data)
    _write_synced(fresh / manifest.NAME, manifest.dump(new))
    for folder in [fresh, *(path for path in fresh.rglob("*") if path.is_dir())]:
        _sync(folder)
    if current.exists():
        current.rename(old)
    fresh.rename(current)
    _sync(current.parent)
    shutil.rmtree(old, ignore_errors=True)


def _write_synced(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
