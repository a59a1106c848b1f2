"""The embedded memvara on a port of loopback."""

import logging
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..exits import Stop
from ..project.installed import with_extra

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

HOST = "127.0.0.1"


def serve(app: "WSGIApplication", port: int, key: str, db: Path) -> None:
    """Answer requests until interrupted. Raises Stop when waitress or the port is missing."""
    try:
        import waitress
    except ModuleNotFoundError as error:
        raise Stop(f"waitress is not installed: {with_extra('engine')}") from error
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # a full queue is no fault here
    try:
        server = waitress.create_server(app, host=HOST, port=port)
    except OSError as error:
        raise Stop(f"cannot listen on {HOST}:{port} ({error.strerror}): try --port 0") from error
    with suppress(KeyboardInterrupt), closing(server):
        click.echo(f"memvara at http://{HOST}:{server.effective_port}, store {db}, key: {key}")
        server.run()
