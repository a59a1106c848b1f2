"""Loads memvara over an SQLite that is new enough for it."""

import importlib
import sqlite3
import sys
from types import ModuleType

from ..exits import Stop
from ..project.installed import with_extra

OLDEST_SQLITE = (3, 42, 0)  # memvara erases its full-text index with "secure-delete"
INSTALL = with_extra("engine")


def load_memvara() -> ModuleType:
    """The `memvara` package.

    Raises Stop when it is not installed, or when no SQLite here is new enough.
    """
    standard = sys.modules["sqlite3"]
    sys.modules["sqlite3"] = new_enough_sqlite()
    try:
        return importlib.import_module("memvara")
    except ModuleNotFoundError as error:
        raise Stop(f"memvara is not installed ({error}): {INSTALL}") from error
    finally:
        # memvara keeps the module that it imported; nobody else has to live with it.
        sys.modules["sqlite3"] = standard


def new_enough_sqlite() -> ModuleType:
    """`sqlite3`, or `pysqlite3` where this Python is linked to an old SQLite."""
    if sqlite3.sqlite_version_info >= OLDEST_SQLITE:
        return sqlite3
    try:
        return importlib.import_module("pysqlite3")
    except ModuleNotFoundError as error:
        needed = ".".join(map(str, OLDEST_SQLITE))
        raise Stop(
            f"memvara needs SQLite {needed} or newer and this Python has "
            f"{sqlite3.sqlite_version}: {INSTALL}; it brings a newer SQLite on Linux x86-64, "
            "elsewhere use a Python that is linked to one"
        ) from error
