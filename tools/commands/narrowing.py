"""The options that choose a grid, shared by the commands that take one."""

from collections.abc import Callable
from typing import Any

import click

from .. import grid
from ..exits import Stop
from ..project.layout import Project
from ..sweeping.plan import Narrowing


def _shard(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, int]:
    first, _, count = value.partition("/")
    if not (first.isdecimal() and count.isdecimal() and 1 <= int(first) <= int(count)):
        raise click.BadParameter(f"{value!r} is not K/N with 1 <= K <= N")
    return int(first), int(count)


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (value or "").split(",") if name.strip())


NARROWING = [
    click.option("--full", is_flag=True, help="Millions of cells: other spellings, refusals."),
    click.option("--knobs", callback=_names, help="Vary these alone: A,B."),
    click.option("--arms", is_flag=True, help="The named arms instead of the product."),
    click.option("--cases", callback=_names, help="These cases alone: A,B."),
    click.option("--sample", type=click.IntRange(min=1), help="That many combinations, at random."),
    click.option("--seed", default=0, show_default=True, help="Of the sample."),
    click.option("--shard", callback=_shard, default="1/1", help="Part K of N, from 1/N to N/N."),
]


def narrowed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options that choose a grid."""
    for option in reversed(NARROWING):
        function = option(function)
    return function


def checked(project: Project, narrowing: Narrowing) -> Narrowing:
    """The narrowing, if the knobs and cases in it exist. Raises Stop."""
    for kind, named, there in (
        ("knob", narrowing.knobs, grid.ROWS),
        ("case", narrowing.cases, project.cases),
    ):
        for name in named:
            if name not in there:
                raise Stop(f"no {kind} {name!r}: one of {', '.join(there)}")
    return narrowing
