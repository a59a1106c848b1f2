"""`goldens score`: what a ranked run's selector kept, against LongMemEval's labels."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import track

from reference.scoring import ScoringError, Tally, gold_texts, score

from ..exits import Exit, Stop
from ..project.longmemeval import items
from ..recorded.checkpoint import CHECKPOINT, followed


@click.command(name="score")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("dataset", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The counts and the two shares.")
def command(run: Path, dataset: Path, as_json: bool) -> Exit:
    """Score RUN, a run's folder or its checkpoint, against DATASET, the LongMemEval file it ran on.

    Recall is the share of the labelled turns that the selector kept, the rate that of all others.
    Turns that it never saw count in neither. Of a run of several arms, the first ranked one counts.
    """
    checkpoint = followed(run / CHECKPOINT if run.is_dir() else run)
    try:
        tally = score(checkpoint, labels(dataset))
    except ScoringError as error:
        raise Stop(f"{run}: {error}") from error
    click.echo(json.dumps(as_dict(tally)) if as_json else table(tally))
    return Exit.OK


def labels(dataset: Path) -> dict[str, frozenset[str]]:
    """The texts of the labelled turns of each question. Raises Stop."""
    try:
        return {item["question_id"]: gold_texts(item) for item in shown(items(dataset))}
    except ScoringError as error:
        raise Stop(f"{dataset}: {error}") from error


def shown(every: Iterable[Any]) -> Iterable[Any]:
    """The same items, with a bar on a terminal and nothing in a pipe."""
    console = Console(stderr=True)
    quiet = not console.is_terminal
    return track(every, "reading", console=console, transient=True, disable=quiet)


def as_dict(tally: Tally) -> dict[str, Any]:
    return tally._asdict() | {"recall": tally.recall(), "rate": tally.rate()}


def table(tally: Tally) -> str:
    """Three lines for a person."""
    gold, other = (f"{kept} of {of}" for kept, of in (tally[1:3], tally[3:5]))
    width = max(len(gold), len(other))
    return "\n".join(
        (
            f"questions scored  {tally.questions}",
            f"gold kept         {gold:<{width}}  recall {tally.recall()}",
            f"non-gold kept     {other:<{width}}  rate   {tally.rate()}",
        )
    )
