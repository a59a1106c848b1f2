"""The figures of a finished run: per arm, and per arm and question type."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from reference.models import Model
from reference.scoring import share

from .plan import Plan
from .run import Run

ESTIMATED = "an estimate: UTF-16 units / 4"
WIDTH = 100  # characters, where there is no terminal to ask


class Row(NamedTuple):
    """An arm on all questions, or on those of one type. Tokens are context tokens."""

    arm: str
    type: str | None  # None: all questions
    questions: int
    median: float
    mean: float
    p90: float
    kept: int  # of the labelled turns
    labelled: int
    with_labels: int  # questions that have labelled turns
    with_all: int  # of them, those that kept all, and those that kept none
    with_none: int

    def as_json(self) -> dict[str, Any]:
        """The row as `--json` has it."""
        return {
            "arm": self.arm,
            "questionType": self.type,
            "questions": self.questions,
            "contextTokens": {"median": self.median, "mean": self.mean, "p90": self.p90},
            "labelledTurns": self.labelled,
            "labelledTurnsKept": self.kept,
            "questionsWithLabelledTurns": self.with_labels,
            "questionsThatKeptAll": self.with_all,
            "questionsThatKeptNone": self.with_none,
        }


def rows(plan: Plan, run: Run) -> list[Row]:
    """A row for each arm, then for each type of question one for each arm."""
    types = sorted({each.type for each in plan.questions})
    return [_row(plan, run, arm.name, type) for type in (None, *types) for arm in plan.arms]


def _row(plan: Plan, run: Run, arm: str, type: str | None) -> Row:
    chosen = [each for each in plan.questions if type in (None, each.type)]
    figures = [run.figures(each.id, arm) for each in chosen]
    tokens = [each["contextTokens"] for each in figures]
    kept = [each["labelledTurnsKept"] for each in figures if each["labelledTurnsKept"]]
    return Row(
        arm,
        type,
        len(chosen),
        statistics.median(tokens),
        statistics.fmean(tokens),
        ninth_decile(tokens),
        sum(map(sum, kept)),
        sum(map(len, kept)),
        len(kept),
        sum(map(all, kept)),
        sum(not any(each) for each in kept),
    )


def ninth_decile(values: list[int]) -> float:
    """The value that nine tenths do not exceed, interpolated between the two around it."""
    if len(values) == 1:
        return float(values[0])
    return statistics.quantiles(values, n=10, method="inclusive")[-1]


def show(rows: Iterable[Row], model: Model, notes: Sequence[str] = ()) -> None:
    """Print the rows on stdout, a section for each type of question, and what to know besides."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), caption=_caption(model, notes))
    table.caption_justify = "left"
    table.add_column("arm", overflow="fold")
    for name in ("questions", "median", "mean", "p90", "kept", "all", "none"):
        table.add_column(name, justify="right", no_wrap=True)
    section: str | None = ""
    for row in rows:
        if row.type != section:
            section = row.type
            table.add_section()
            table.add_row(Text(section or "all questions", style="bold"))
        table.add_row(Text(f"  {row.arm}"), *_cells(row))
    console = Console()
    if not console.is_terminal:
        console.width = WIDTH
    console.print(table)


def _caption(model: Model, notes: Sequence[str]) -> Text:
    unit = "context tokens" if model.encoding else f"context tokens ({ESTIMATED})"
    return Text(
        f"median, mean, p90: {unit} for {model.alias}. kept: share of the labelled turns whose "
        "whole text is in the context. all, none: share of the questions with labelled turns that "
        "keep all of theirs, or none." + "".join(f"\n{note}." for note in notes)
    )


def _cells(row: Row) -> list[str]:
    return [
        str(row.questions),
        f"{row.median:,.0f}",
        f"{row.mean:,.0f}",
        f"{row.p90:,.0f}",
        share(row.kept, row.labelled),
        share(row.with_all, row.with_labels),
        share(row.with_none, row.with_labels),
    ]
