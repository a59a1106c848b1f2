"""`goldens serve`: the embedded memvara as a server on loopback, until Ctrl-C."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..engine import application, open_memory
from ..engine.server import serve
from ..exits import Exit, Stop

if TYPE_CHECKING:
    pass

KEY_VARIABLE = "MEMVARA_API_KEY"
DEFAULT_KEY = "local"


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--db",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The store; made when missing.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=58080,
    show_default=True,
    help="0 takes a free port.",
)
def command(db: Path, port: int) -> Exit:
    """Serve an embedded memvara on loopback, until Ctrl-C.

    Callers show the bearer key in MEMVARA_API_KEY, or the printed one when it is not set.
    """
    key = os.environ.get(KEY_VARIABLE, "").strip()
    if not db.absolute().parent.is_dir():
        raise Stop(f"the folder of {db} does not exist: make it first")
    with open_memory(db) as memory:
        serve(application(memory, key or DEFAULT_KEY), port, shown_key(key), db)
    return Exit.OK


def shown_key(key: str) -> str:
    """How to tell the reader which key counts, without printing one of theirs."""
    return f"the one in {KEY_VARIABLE}" if key else DEFAULT_KEY
