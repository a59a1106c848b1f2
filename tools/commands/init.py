"""`goldens init`: sets up a repository whose program is to be guarded."""

from pathlib import Path

import click

from ..exits import Exit, Stop
from ..project import settings
from ..project.files import write_whole
from ..sides import program


@click.command(name="init")
@click.option("--command", "started", required=True, help="What starts the program.")
@click.option("--setup", help="What makes a fresh checkout ready, such as 'bun install'.")
def command(started: str, setup: str | None) -> int:
    """Write goldens.toml into this folder, once its command answers the protocol."""
    path = Path(settings.NAME)
    if path.exists():
        raise Stop(f"{path} is here already: edit it")
    values = {"command": started} | ({} if setup is None else {"setup": setup})
    answer = _asked(settings.split(path, started))
    attributes = Path("goldens", ".gitattributes")
    attributes.parent.mkdir(exist_ok=True)
    if not attributes.exists():
        write_whole(attributes, b"# Goldens are bytes.\n* -text\n")
    write_whole(path, settings.text(values).encode())
    click.echo(f"{answer}\n{path} is written. Commit it, then: goldens regen; goldens check")
    return Exit.OK


def _asked(words: list[str]) -> str:
    """What the program said of itself. Raises Stop, exit 6, when it does not answer."""
    ops = program.hello(words, settings.TIMEOUT)
    with program.running(words, settings.TIMEOUT, lambda subject: None) as subject:
        answer = subject.answer({"op": "settings", "env": {}})
    if ops is None:
        return f"it answers settings with {'ok' if 'ok' in answer else 'a refusal'}"
    return f"it knows {', '.join(sorted(ops))}"
