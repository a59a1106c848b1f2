"""`goldens arms`: lists the arms, or measures them on a data set through a real memvara."""

import json
import os
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from reference import models
from reference.retries import LIMITS
from reference.text import strip

from ..exits import Exit, Stop
from ..measuring import notes, plan, plot, run, table
from ..measuring.measured import chosen_engine, kept, measured
from ..project.layout import Project, arm_env, load

ON_RECORD = "default,routed720,useronly720"
FILE = click.Path(path_type=Path)


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else [name.strip() for name in value.split(",") if name.strip()]


@click.command(name="arms", epilog=f"Of a server: {LIMITS.promise()}.")
@click.argument("dataset", metavar="[DATASET]", required=False, type=FILE)
@click.option("--arms", "names", callback=_names, help=f"A,B; by default {ON_RECORD}.")
@click.option("--questions", default="", metavar="N|ID,ID", help="The first N, or these alone.")
@click.option("--model", default="gpt-4o", show_default=True, help="Whose tokens are counted.")
@click.option("--run", "folder", type=FILE, help="Keep the run here; a run there is continued.")
@click.option("--prompts", type=FILE, help="Write every prompt to ARM/QUESTION.txt in this folder.")
@click.option("--plot", "figure", type=FILE, help="Draw turns kept against tokens: .svg or .png.")
@click.option(
    "--engine",
    type=click.Choice(["embedded", "server"]),
    help="By default embedded; with --url, server.",
)
@click.option("--url", help="The server's base URL; by default MEMVARA_BASE_URL.")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes; by default one per core.")
@click.option("--json", "as_json", is_flag=True, help="The figures as one JSON object.")
def command(
    dataset: Path | None,
    names: list[str] | None,
    questions: str,
    model: str,
    folder: Path | None,
    prompts: Path | None,
    figure: Path | None,
    engine: str | None,
    url: str | None,
    jobs: int | None,
    as_json: bool,
) -> Exit:
    """Measure arms on DATASET, a LongMemEval file; without one, list the arms.

    Each question's sessions are stored in a memvara of its own (or on a server, under a tag of its
    own) and searched once for each k. Printed are the context tokens of each arm and the share of
    the turns labelled as holding the answer whose whole text is in the context.

    A server is asked with the key in MEMVARA_API_KEY.
    """
    project = load()
    if dataset is None:
        if folder or prompts or figure or questions:
            raise Stop("--questions, --run, --prompts and --plot need a data set: arms DATASET ...")
        listing(project, names, as_json)
        return Exit.OK
    if figure is not None:
        plot.check(figure)
    where = chosen_engine(engine, url)
    wanted = ON_RECORD.split(",") if names is None else names
    planned = plan.make(project, dataset, wanted, models.resolve(model), questions)
    if figure is not None and planned.labelled == 0:
        raise Stop(f"--plot {figure}: no turn of these questions is labelled: nothing to plot")
    of_model = list(notes.of_model(planned.model))
    for note in of_model:
        click.echo(f"goldens: note: {note}", err=True)
    equal = list(notes.of_unranked(planned.arms, project)) if where.name == "embedded" else []
    settings = planned.settings(where.name, where.version)
    with kept(folder) as place, run.opened(place, settings, planned.questions) as opened:
        result = measured(
            planned,
            opened,
            where,
            jobs or os.cpu_count() or 1,
            prompts,
            figure,
            [*of_model, *equal],
        )
    if as_json:
        click.echo(json.dumps(result.as_json(), indent=1))
    else:
        table.show(result.rows, planned.model, result.notes)
    return Exit.OK


def listing(project: Project, names: list[str] | None, as_json: bool) -> None:
    """Print the arms, their knobs and why each is there."""
    for name in names or ():
        arm_env(project, name)
    arms = [project.arms[name] for name in names or project.arms]
    if as_json:
        click.echo(json.dumps({arm.name: {"why": arm.why, "env": arm.env} for arm in arms}))
        return
    shown = Table("arm", "knobs", "why", show_lines=True)
    for arm in arms:
        knobs = "\n".join(
            f"{name}={value if strip(value) else repr(value)}" for name, value in arm.env.items()
        )
        shown.add_row(*map(Text, (arm.name, knobs, arm.why)))
    console = Console()
    if not console.is_terminal:
        console.width = table.WIDTH
    console.print(shown)
