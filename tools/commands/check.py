"""`goldens check`: whether anything moved, stage by stage, stopping at the first that fails."""

import json

import click
from rich.console import Console
from rich.markup import escape

from ..exits import Exit
from ..goldens.manifest import Manifest
from ..goldens.mismatches import describe
from ..goldens.stages import Stage, Swept, report, run, worst
from ..project.layout import Project, load
from ..sweeping.sweep import default_sweep

SHOWN = 5  # mismatches; the rest is a number


@click.command(name="check")
@click.option("--sweep", is_flag=True, help="Sweep even if the guarded files are the pinned ones.")
@click.option("--sample", type=click.IntRange(min=1), help="Sweep so many combinations alone.")
@click.option("--no-cache", is_flag=True, help="Make the checkout of a program anew.")
@click.option("--json", "as_json", is_flag=True, help="The stages as one JSON object.")
def command(sweep: bool, sample: int | None, no_cache: bool, as_json: bool) -> int:
    """Say whether anything moved."""
    project = load()
    console = Console(highlight=False, soft_wrap=True, quiet=as_json)

    def swept(project: Project, stored: Manifest) -> Swept:
        jobs = None if project.settings is None else project.settings.jobs
        result = default_sweep(project, stored, jobs, sample, not no_cache)
        verdict = result.verdict()
        if sample is not None:
            verdict += f" (a sample of {sample:,})"
        return Swept(result.exit_code, verdict, tuple(result.lines()))

    done = []
    for stage in run(project, swept, forced=sweep, cached=not no_cache):
        done.append(stage)
        _print(console, stage)
    code = worst([stage.exit_code for stage in done])
    if as_json:
        click.echo(json.dumps(report(done, code), indent=1))
    return code


def _print(console: Console, stage: Stage) -> None:
    mark, style = ("ok", "green") if stage.exit_code == Exit.OK else ("FAILED", "bold red")
    if stage.exit_code == Exit.NO_PIN:
        mark, style = "NO PIN", "yellow"
    console.print(f"[{style}]{mark:>6}[/]  {stage.name}: {escape(stage.detail)}")
    for mismatch in stage.mismatches[:SHOWN]:
        console.print(describe(mismatch), markup=False)
    for line in stage.screen:
        console.print(f"        {line}", markup=False)
    if len(stage.mismatches) > SHOWN:
        console.print(f"... and {len(stage.mismatches) - SHOWN} more (--json lists all)")
