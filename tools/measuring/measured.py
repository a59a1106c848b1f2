"""A measurement from end to end: where, the run, the table, the figure, the prompts."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from ..exits import Stop
from . import curves, engines, plot, table, work
from .curves import Point, Selection
from .engines import Engine
from .notes import of_hits
from .plan import Plan
from .question import renderer
from .run import Run
from .table import Row

T = TypeVar("T")


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
    notes: list[str]  # what to know besides

    def as_json(self) -> dict[str, Any]:
        """The figures as `--json` prints them."""
        return {
            "answeringModel": self.plan.model.alias,
            "contextTokensEstimated": self.plan.model.encoding is None,
            "notes": self.notes,
            "rows": [row.as_json() for row in self.rows],
            "curves": {
                name: [point._asdict() for point in each] for name, each in self.curves.items()
            },
        }


def measured(
    planned: Plan,
    opened: Run,
    where: Where,
    jobs: int,
    prompts: Path | None,
    figure: Path | None,
    notes: list[str],
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
    passed_over = list(of_hits(opened.passed_over()))
    for note in passed_over:
        click.echo(f"goldens: warning: {note}", err=True)
    rows = table.rows(planned, opened)
    selections = curves.selections(planned.arms) if figure else []
    spots = []
    if figure or prompts:
        steps = work.look_all(planned, opened, render, jobs, prompts, selections)
        spots = [spot for each in shown(steps, len(planned.questions)) for spot in each]
    points = curves.points(spots)
    if figure:
        draw(figure, planned, points, selections, rows)
    return Result(planned, rows, points, [*notes, *passed_over])


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
