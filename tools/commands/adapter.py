"""`goldens adapter`: the loop that makes a provider answer the protocol, to be kept beside it."""

import click

from ..adapters import FILES, text
from ..exits import Exit


@click.command(name="adapter")
@click.argument("name", type=click.Choice(list(FILES)))
def command(name: str) -> int:
    """Print an adapter: for a MemoryBench checkout, or for any provider in Node or Python.

    Its head says where to put it and how to run it.
    """
    click.echo(text(name), nl=False)
    return Exit.OK
