"""`goldens export`: goldens and a grid as protocol requests with the answers they must get."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..exits import Exit, Stop
from ..project.layout import load
from ..sweeping.export import pinned, write
from ..sweeping.plan import Narrowing
from .narrowing import checked, narrowed

SAMPLE = 1_000  # combinations, unless a grid is chosen


@click.command(name="export")
@click.argument("folder", type=click.Path(path_type=Path))
@narrowed
def command(folder: Path, **chosen: Any) -> int:
    """Write requests.jsonl and answers.jsonl into FOLDER, which is made.

    The answers are those of the pinned reference. Without options that choose a grid it is a
    sample of 1,000 combinations.
    """
    project = load()
    narrowing = checked(project, Narrowing(**chosen))
    if narrowing.whole:
        narrowing = replace(narrowing, sample=SAMPLE)
    if folder.exists():
        raise Stop(f"{folder} exists: name a folder that does not")
    with pinned(project) as subject:
        number = write(folder, project, narrowing, subject)
    click.echo(f"{number:,} requests with their answers in {folder}; run a program in that folder")
    return Exit.OK
