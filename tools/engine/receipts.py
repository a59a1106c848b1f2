"""The idempotency keys and the first receipt of each, in a small database beside the store."""

import json
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

SCHEMA = """
CREATE TABLE IF NOT EXISTS receipts (
    tag TEXT NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (tag, key)
)
"""


class Receipt(NamedTuple):
    """What a write was (a digest of its messages) and what it was answered."""

    digest: str
    answer: dict[str, Any]


class Receipts:
    """Receipts by tag and key. Not locked: `Memory` lets one writer in at a time."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, check_same_thread=False)
        self._db.execute(SCHEMA)

    def find(self, tag: str, key: str) -> Receipt | None:
        row = self._db.execute(
            "SELECT digest, answer FROM receipts WHERE tag = ? AND key = ?", (tag, key)
        ).fetchone()
        return Receipt(row[0], json.loads(row[1])) if row else None

    def keep(self, tag: str, key: str, receipt: Receipt) -> None:
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO receipts VALUES (?, ?, ?, ?)",
                (tag, key, receipt.digest, json.dumps(receipt.answer)),
            )

    def forget(self, tag: str) -> None:
        with self._db:
            self._db.execute("DELETE FROM receipts WHERE tag = ?", (tag,))

    def close(self) -> None:
        self._db.close()
