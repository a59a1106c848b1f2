"""The real engine behind the routes: one store, its receipts, one writer at a time.

A write with a key happens once, whenever the process is killed. The engine adds the whole
session in one transaction, and the receipt is kept just before that transaction commits. A
receipt therefore never goes missing for a session that was stored; it may be there for one that
was not, so a receipt counts only while the engine holds every episode that it names. The one
thing a kill in that instant can lose is the raised salience of a claim that a session of nothing
but repeated turns had reinforced.
"""

import hashlib
import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..exits import Stop
from .bodies import MOST_RESULTS, BadRequest, Message, Query
from .library import load_memvara
from .receipts import Receipt, Receipts

if TYPE_CHECKING:
    from memvara import Claim, Episode, Memvara, WriteReceipt

TENANT = "default"
SCORE_DIGITS = 6


class KeyReused(Exception):
    """An idempotency key came again with other messages than the first time."""


class Memory:
    """A store at `path`, with its receipts in `path` + ".receipts". Made by `open_memory`."""

    def __init__(self, memvara: ModuleType, engine: "Memvara", receipts: Receipts) -> None:
        self.version: str = memvara.__version__
        self._memvara = memvara
        self._engine = engine
        self._receipts = receipts
        self._writing = threading.Lock()

    def add(self, tag: str, messages: list[Message], key: str | None) -> dict[str, Any]:
        """Store one session, once per key; the receipt. Raises KeyReused."""
        digest = digest_of(messages)
        with self._writing:
            first = self._receipts.find(tag, key) if key else None
            if first and self._holds(first.answer["episode_ids"]):
                if first.digest != digest:
                    raise KeyReused(f"the key {key} was used for other messages of {tag}")
                return first.answer
            with self._engine.store.batch():
                receipt = self._engine.add(self._episodes(tag, messages, key, digest))
                answer = receipt_json(receipt)
                if key:
                    self._receipts.keep(tag, key, Receipt(digest, answer))
            return answer

    def _episodes(
        self, tag: str, messages: list[Message], key: str | None, digest: str
    ) -> list["Episode"]:
        """The messages as the engine takes them.

        A write with a key makes the same episode ids each time, so that runs of one data set
        break ties between equal scores alike.
        """
        origin = f"{tag}\n{key}\n{digest}" if key else uuid.uuid4().hex
        session = hashlib.sha256(origin.encode()).hexdigest()[:24]
        scope = self._memvara.Scope(TENANT, tag)
        now = datetime.now(UTC)
        return [
            self._memvara.Episode(
                id=f"ep_{session}_{index}",
                content=message.content,
                role=message.role,
                ts=message.ts or now,
                scope=scope,
                meta=message.metadata,
            )
            for index, message in enumerate(messages)
        ]

    def _holds(self, episode_ids: list[str]) -> bool:
        return self._engine.store.get_episodes(episode_ids).keys() == set(episode_ids)

    def search(self, tag: str, query: Query) -> dict[str, Any]:
        """What the engine finds for one tag, best first. Raises BadRequest."""
        try:
            found: Any = self._engine.search(
                query.query,
                user=tag,
                k=query.k,
                min_score=query.min_score,
                include_episodes=query.include_episodes,
                ranked=query.ranked,
            )
        except ValueError as error:
            raise BadRequest(str(error)) from error
        answer: dict[str, Any] = {
            "count": len(found),
            "results": [hit_json(hit, query.ranked) for hit in found],
        }
        if found.selection is not None:
            answer["selection"] = {
                name: getattr(found.selection, name)
                for name in ("outcome", "reason", "status", "candidates", "kept")
            }
        return answer

    def stats(self, tag: str) -> dict[str, Any]:
        """How many claims the tag sees, and the row counts of the tenant."""
        return {
            "visible": self._engine.count(user=tag),
            "tenant_counts": self._engine.stats(),
            "extractor": self._engine.extractor,
            "read_only": False,
        }

    def erase(self, tag: str) -> dict[str, Any]:
        """Erase all that one tag holds, its keys too; what went, by table."""
        with self._writing:
            counts = self._engine.purge(user=tag)
            # Last: keys that outlive their episodes count for nothing, see above.
            self._receipts.forget(tag)
        return {"scope": {"user": tag}, "counts": counts}

    def close(self) -> None:
        self._engine.close()
        self._receipts.close()


@contextmanager
def open_memory(path: Path) -> Iterator[Memory]:
    """The memory stored at `path` (created when missing), closed at the end.

    Raises Stop when memvara or a new enough SQLite is missing, or `path` is no store.
    """
    memvara = load_memvara()
    try:
        engine = memvara.Memvara(
            str(path),
            # Named, so that neither the environment nor what is installed decides anything.
            llm=memvara.NullLLM(),
            embedder=memvara.HashingEmbedder(),
            tenant=TENANT,
            read_max_episodes=MOST_RESULTS,
        )
        memory = Memory(memvara, engine, Receipts(path.with_name(f"{path.name}.receipts")))
    except Exception as error:
        raise Stop(f"cannot open the memory {path}: {error}") from error
    try:
        yield memory
    finally:
        memory.close()


def digest_of(messages: list[Message]) -> str:
    """A digest of what a write asked for, equal for equal requests."""
    asked = [[m.role, m.content, m.ts and m.ts.isoformat(), m.metadata] for m in messages]
    return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


def receipt_json(receipt: "WriteReceipt") -> dict[str, Any]:
    """A write receipt as the service answers it."""
    return {
        "episode_ids": receipt.episode_ids,
        "added": [claim_json(claim) for claim in receipt.added],
        "invalidated": [claim_json(claim) for claim in receipt.closed],
        "reinforced": [claim_json(claim) for claim in receipt.reinforced],
        "skipped": receipt.skipped,
        "repeated": receipt.repeated,
        "unextracted": receipt.unextracted,
        "llm_calls": receipt.llm_calls,
        "latency_ms": receipt.latency_ms,
        "deferred": receipt.deferred,
    }


def hit_json(hit: Any, ranked: bool) -> dict[str, Any]:
    """One search hit; `ranking` says what the selector did and is there after a ranked read."""
    found: dict[str, Any] = {"kind": hit.kind, "score": round(hit.score, SCORE_DIGITS)}
    if hit.kind == "claim":
        found["memory"] = claim_json(hit.claim)
    else:
        found["episode"] = {
            "id": hit.episode.id,
            "role": hit.episode.role,
            "ts": hit.episode.ts.isoformat(),
            "content": hit.episode.content,
        }
    if ranked:
        found["ranking"] = {"selected": hit.explain.selected, "span": hit.explain.span}
    return found


def claim_json(claim: "Claim") -> dict[str, Any]:
    """A claim with its two clocks."""
    return {
        "id": claim.id,
        "text": claim.text,
        "subject": claim.subject,
        "predicate": claim.predicate,
        "object": claim.object,
        "memory_type": claim.memory_type.value,
        "state": claim.state,
        "valid_time": {
            "valid_from": iso(claim.valid_from),
            "valid_to": iso(claim.valid_to),
        },
        "transaction_time": {
            "recorded_at": iso(claim.recorded_at),
            "invalidated_at": iso(claim.invalidated_at),
        },
        "confidence": claim.confidence,
        "salience": claim.salience,
        "source_ids": claim.sources,
    }


def iso(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()
