"""`goldens bench`: what is meant to be fast, measured on this machine, ratios first."""

import json

import click
from rich.console import Console
from rich.table import Table

from ..benchmark.rows import against_commit, measure
from ..exits import Exit


@click.command(name="bench")
@click.option("--commit", help="Measure only how fast prompts are made, against this commit.")
@click.option("--json", "as_json", is_flag=True, help="The rows as a JSON list.")
def command(commit: str | None, as_json: bool) -> int:
    """Measure what is meant to be fast, as ratios from one run on this machine."""
    rows = []
    with Console(stderr=True).status("measuring ...") as status:
        for row in [against_commit(commit)] if commit else measure():
            rows.append(row)
            status.update(f"measured {row.what} ...")
    if as_json:
        click.echo(json.dumps([row._asdict() for row in rows], indent=1))
        return Exit.OK
    table = Table("ratio", "what", "figure")
    table.columns[0].justify = "right"
    for row in rows:
        table.add_row("" if row.ratio is None else f"{row.ratio:.1f} x", row.what, row.figure)
    Console().print(table)
    return Exit.OK
