"""Where a question's haystack is stored and searched: an embedded memvara, or a server."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import httpx

from reference.client import ClientError
from reference.provider import BASE_URL, Provider, ProviderError, initialize
from reference.requests import RequestError
from reference.retries import LIMITS
from reference.text import strip

from ..engine import application, open_memory
from ..engine.library import load_memvara
from ..exits import Stop

# Entered with a tag, it gives a provider that holds nothing under that tag yet.
Engine = Callable[[str], AbstractContextManager[Provider]]

KEY = "local"


def embedded(stores: Path) -> Engine:
    """A new store for each question, in a folder under `stores` that goes with it.

    Word weights (BM25) are taken over a whole store. In a shared one, what a question finds would
    depend on the questions that came before it.
    """

    @contextmanager
    def opened(tag: str) -> Iterator[Provider]:
        with (
            TemporaryDirectory(dir=stores) as folder,
            open_memory(Path(folder) / "memory.db") as memory,
        ):
            transport = httpx.WSGITransport(application(memory, KEY))
            provider = initialize({"MEMVARA_API_KEY": KEY}, transport=transport)
            with closing(provider.client):
                yield provider

    return opened


def server(url: str, key: str) -> Engine:
    """The memvara at `url` (the default one when empty); a tag is erased before use and after."""

    @contextmanager
    def opened(tag: str) -> Iterator[Provider]:
        provider = _met(url, key)
        with closing(provider.client):
            provider.clear(tag)
            yield provider
            provider.clear(tag)

    return opened


def _met(url: str, key: str) -> Provider:
    return initialize({"MEMVARA_BASE_URL": url, "MEMVARA_API_KEY": key}, tell=say)


def say(line: str) -> None:
    """A line on stderr, in a pipe too: whoever waits wants to know for what."""
    click.echo(f"goldens: {line}", err=True)


def address(url: str) -> str:
    """The base URL that `server` uses for `url`."""
    return (strip(url) or BASE_URL).rstrip("/")


def embedded_version() -> str:
    """The version of the engine that is installed. Raises Stop when there is none."""
    return str(load_memvara().__version__)


def server_version(url: str, key: str) -> str:
    """The version of the memvara at `url`. Raises Stop when it refuses the key or is not there."""
    if key:
        say(f"{url}: {LIMITS.promise()}")
    try:
        provider = _met(url, key)
        with closing(provider.client):
            return str(provider.client.health()["memvara_version"])
    except (ClientError, RequestError, ProviderError) as error:
        raise Stop(str(error)) from None
