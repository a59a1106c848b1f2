"""What a person sees of a sweep that runs."""

import contextlib
from collections.abc import Callable, Iterator

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from .plan import Plan
from .tally import Tally

Progressing = Callable[[Plan], contextlib.AbstractContextManager[Callable[[Tally], None]]]


@contextlib.contextmanager
def unseen(plan: Plan) -> Iterator[Callable[[Tally], None]]:
    """Show no progress."""
    yield lambda tally: None


@contextlib.contextmanager
def progress(plan: Plan) -> Iterator[Callable[[Tally], None]]:
    """A bar on a terminal's stderr with rate and time left; nothing in a pipe."""
    console = Console(stderr=True)
    columns = (
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} cells, {task.fields[rate]:,.0f}/s"),
        TimeRemainingColumn(),
    )
    quiet = not console.is_terminal
    # No refreshing thread: the workers are forked from here.
    with Progress(
        *columns, console=console, transient=True, disable=quiet, auto_refresh=False
    ) as bar:
        task = bar.add_task("", total=plan.planned, rate=0)

        def advance(tally: Tally) -> None:
            rate = bar.tasks[task].speed or 0
            bar.update(task, advance=tally.asked, rate=rate, refresh=True)

        yield advance
