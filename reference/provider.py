"""The provider as a harness drives it: initialize, ingest, await indexing, search, clear."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .client import LOG, Client
from .items import Item
from .knobs import Knobs
from .text import strip

BASE_URL = "http://127.0.0.1:58080"


class ProviderError(Exception):
    """A provider that can't be used with these credentials."""


class Session(NamedTuple):
    """One conversation to store."""

    id: str
    stamp: str | None  # its date, `YYYY-MM-DDTHH:MM:00+00:00`
    messages: Sequence[Mapping[str, Any]]  # role, content and maybe a ts of their own


class Provider(NamedTuple):
    """A client and the knobs it searches under."""

    client: Client
    knobs: Knobs

    def ingest(self, tag: str, sessions: Iterable[Session]) -> int:
        """Store the sessions under `tag`, one write each; how many had messages and were stored.

        Raises ClientError or RequestError.
        """
        stored = [session for session in sessions if session.messages]
        for session in stored:
            self.client.add(session.messages, tag, session.id, session.stamp)
        return len(stored)

    def await_indexing(self, tag: str) -> dict[str, Any]:
        """What is visible under `tag`: one read, since writes are synchronous."""
        return self.client.stats(tag)

    def search(self, query: str, tag: str) -> list[Item]:
        """The ranked items for `query`. Raises ClientError or RequestError."""
        return self.client.search(query, tag, self.knobs)

    def clear(self, tag: str) -> None:
        """Erase what is stored under `tag`."""
        self.client.erase(tag)


def initialize(env: Mapping[str, str], **options: Any) -> Provider:
    """The provider that `env` describes, after asking the server who it is; logs every knob.

    `options` go to Client. Raises ProviderError for a missing key and for a read-only
    credential, KnobError, RequestError and ClientError; nothing stays open then.
    """
    knobs = Knobs.from_env(env)
    key = strip(env.get("MEMVARA_API_KEY", ""))
    if not key:
        raise ProviderError("MEMVARA_API_KEY is not set: give the key of the memvara to use")
    client = Client(strip(env.get("MEMVARA_BASE_URL", "")) or BASE_URL, key, **options)
    try:
        introduction = _introduction(client)
    except BaseException:
        client.close()
        raise
    for line in (introduction, f"knobs {json.dumps(knobs._asdict())}"):
        LOG.info(client.masked(line))
    return Provider(client, knobs)


def _introduction(client: Client) -> str:
    """Who is asking whom. Raises ProviderError for a credential that may not write."""
    who = client.whoami()
    if who["read_only"] is not False:
        raise ProviderError("MEMVARA_API_KEY is read-only: ingesting needs a key that may write")
    version = client.health()["memvara_version"]
    tenant, privilege = who["scope"]["tenant"], who["effective_privilege"]
    return f"memvara {version} at {client.base_url}, tenant {tenant}, privilege {privilege}"
