"""`goldens arms`: lists the arms, or measures them on a data set through a real memvara."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from reference import models
from reference.text import strip

from ..exits import Exit, Stop
from ..measuring import curves, engines, plan, plot, run, table, work
from ..measuring.curves import Point, Selection
from ..measuring.engines import Engine
from ..measuring.plan import Plan
from ..measuring.question import renderer
from ..measuring.run import Run
from ..measuring.table import Row
from ..project.layout import Project, load
from .render import arm_env

T = TypeVar("T")

ON_RECORD = "default,routed720,useronly720"
FILE = click.Path(path_type=Path)


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else [name.strip() for name in value.split(",") if name.strip()]


@click.command(name="arms")
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
    settings = planned.settings(where.name, where.version)
    with kept(folder) as place, run.opened(place, settings, planned.questions) as opened:
        result = measured(planned, opened, where, jobs or os.cpu_count() or 1, prompts, figure)
    if as_json:
        click.echo(json.dumps(result.as_json(), indent=1))
    else:
        table.show(result.rows, planned.model)
    return Exit.OK


class Where(NamedTuple):
    """The memvara to measure with."""

    name: str  # embedded, or a base URL
    version: str
    engine: Callable[[Path], Engine]  # given a folder for stores


def chosen_engine(engine: str | None, url: str | None) -> Where:
    """The embedded memvara, or the server at `url`. Raises Stop when it can't be used."""
    if engine == "embedded" and url:
        raise Stop("--engine embedded has no --url: give one of the two")
    if engine != "server" and not url:
        return Where("embedded", engines.embedded_version(), engines.embedded)
    address = engines.address(url or os.environ.get("MEMVARA_BASE_URL", ""))
    key = os.environ.get("MEMVARA_API_KEY", "")
    version = engines.server_version(address, key)
    return Where(address, version, lambda stores: engines.server(address, key))


@contextmanager
def kept(folder: Path | None) -> Iterator[Path]:
    """The folder of a run: the given one, or one that goes at the end."""
    if folder is not None:
        yield folder
        return
    with TemporaryDirectory(prefix="goldens-") as temporary:
        yield Path(temporary)


class Result(NamedTuple):
    """What was measured."""

    plan: Plan
    rows: list[Row]
    curves: dict[str, list[Point]]

    def as_json(self) -> dict[str, Any]:
        """The figures as `--json` prints them."""
        return {
            "answeringModel": self.plan.model.alias,
            "contextTokensEstimated": self.plan.model.encoding is None,
            "rows": [row.as_json() for row in self.rows],
            "curves": {
                name: [point._asdict() for point in each] for name, each in self.curves.items()
            },
        }


def measured(
    planned: Plan, opened: Run, where: Where, jobs: int, prompts: Path | None, figure: Path | None
) -> Result:
    """Bring the run to its end, then write what was asked for besides. Raises Stop."""
    render = renderer(planned.model, planned.goldens)
    left = [each for each in planned.questions if not opened.is_finished(each.id)]
    if left or figure or prompts:  # before workers are forked: they share what is loaded
        render.warm(bool(figure) or any(arm.knobs.token_budget for arm in planned.arms))
    engine = where.engine(opened.stores)
    for _ in shown(work.retrieve_all(planned, opened, left, engine, render, jobs), len(left)):
        pass
    warn(planned, opened)
    rows = table.rows(planned, opened)
    selections = curves.selections(planned.arms) if figure else []
    spots = []
    if figure or prompts:
        steps = work.look_all(planned, opened, render, jobs, prompts, selections)
        spots = [spot for each in shown(steps, len(planned.questions)) for spot in each]
    points = curves.points(spots)
    if figure:
        draw(figure, planned, points, selections, rows)
    return Result(planned, rows, points)


def draw(
    figure: Path,
    planned: Plan,
    points: dict[str, list[Point]],
    selections: list[Selection],
    rows: list[Row],
) -> None:
    """Write the figure."""
    on_curve = {arm.name: each.name for each in selections for arm in each.arms}
    marked: dict[str, list[Row]] = {}
    for row in rows:
        if row.type is None:
            marked.setdefault(on_curve.get(row.arm, ""), []).append(row)
    model = planned.model
    caption = plot.Caption(
        len(planned.questions), planned.labelled, model.alias, model.encoding is None
    )
    plot.draw(figure, points, marked, caption)


def shown(steps: Iterable[T], total: int) -> Iterator[T]:
    """The same steps, with a bar on a terminal and nothing in a pipe."""
    console = Console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("questions"), TimeRemainingColumn())
    quiet = not console.is_terminal
    # No refreshing thread: workers are forked from here.
    with Progress(
        *columns, console=console, transient=True, disable=quiet, auto_refresh=False
    ) as bar:
        task = bar.add_task("", total=total)
        bar.refresh()
        for step in steps:
            bar.update(task, advance=1, refresh=True)
            yield step


def warn(planned: Plan, opened: Run) -> None:
    """What renders had to say, on stderr."""
    for chosen in planned.questions:
        for arm in planned.arms:
            for warning in opened.figures(chosen.id, arm.name)["warnings"]:
                click.echo(f"goldens: warning: {chosen.id}, {arm.name}: {warning}", err=True)


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
