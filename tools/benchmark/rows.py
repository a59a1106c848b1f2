"""Every row of the benchmark's table, each as it is measured."""

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from reference import items, tokens, wording
from reference.budget import fill
from reference.context import render_context
from reference.items import Item, Turn
from reference.knobs import Knobs
from reference.lines import Line
from reference.tokens import Count, counter

from ..mutation.pace import mutants_per_second
from ..project import git
from ..project.layout import load
from ..sides.matches import against_tree
from ..sweeping.pace import byte_check, cells_per_second
from ..synthetic import turns
from .prompts import rates

BUDGETS = (720, 4_000, 20_000)  # tokens
SEED = 200
REPEATS = 5  # the median of so many timings is shown


class Row(NamedTuple):
    """One line of the table: a ratio where there is something to compare with."""

    what: str
    ratio: float | None
    figure: str


def measure() -> Iterator[Row]:
    """Every row, each as it is measured."""
    count = counter()
    seconds = timed(lambda: tokens.load(tokens.rank_file("o200k_base"), tokens.SPECS["o200k_base"]))
    yield Row("loading the o200k encoder", None, f"{seconds:.2f} s")
    count("warm")
    yield from _fills(count)
    yield from _renders(count)
    yield _growth(count)
    for budget in BUDGETS:
        yield from _pace(budget)
    yield gate_row()


def against_commit(revision: str) -> Row:
    """The pace of the working tree's renderer against that of a commit. Raises Stop."""
    project = load()
    commit, tree = git.resolve(project.root, revision)
    with against_tree(project, tree, commit) as match:
        then, now = rates(project, match)
    figure = f"{now:,.0f} against {then:,.0f} a second"
    return Row(f"prompts on one core, counts remembered, against {revision}", now / then, figure)


def timed(function: Callable[[], object]) -> float:
    """Seconds that one call takes: the median of a few."""
    taken = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def turn_lines(wanted: Sequence[Item]) -> list[Line]:
    """The lines of some turns, whole, made anew."""
    return [Line(item.line(0, "").text) for item in wanted if isinstance(item, Turn)]


def synthetic_items(number: int) -> list[Item]:
    """So many turns from the generator of the synthetic cases."""
    return items.from_json(turns(number, SEED))


def _fills(count: Count) -> Iterator[Row]:
    headings = wording.load().turns_headings
    sources = {
        "the 30-turn case": items.from_json(load().cases["thirty"]),
        "200 turns": synthetic_items(200),
    }
    for name, listed in sources.items():
        lines = turn_lines(listed)
        for budget in BUDGETS:
            yield _fill_row(name, lines, headings, budget, count)


def _fill_row(
    name: str, lines: list[Line], headings: tuple[Line, Line], budget: int, count: Count
) -> Row:
    assert fill(lines, headings, budget, count) == byte_check(lines, headings, budget, count)
    linear = timed(lambda: fill(lines, headings, budget, count))
    naive = timed(lambda: byte_check(lines, headings, budget, count))
    what = f"fill, {name}, {budget:,} tokens, against counting the whole block"
    return Row(what, naive / linear, f"{linear * 1e3:.2f} ms against {naive * 1e3:.2f} ms")


def _renders(count: Count) -> Iterator[Row]:
    listed, words = items.from_json(load().cases["thirty"]), wording.load()
    for name, env in {"no budget": {}, "720 tokens": {"MEMVARA_TOKEN_BUDGET": "720"}}.items():
        knobs = Knobs.from_env(env)

        def hundred(knobs: Knobs = knobs) -> None:
            for _ in range(100):
                render_context(listed, "Where?", knobs, words=words, count=count)

        rate = 100 / timed(hundred)
        yield Row(f"renders of the 30-turn case, {name}", None, f"{rate:,.0f} a second")


def _growth(count: Count) -> Row:
    few, many = (_seconds_to_count(number, count) for number in (30, 3_000))
    what = "time of 3,000 turns that fit a budget, against 30 (100 is linear)"
    return Row(what, many / few, f"{many:.2f} s")


def _seconds_to_count(number: int, count: Count) -> float:
    listed, words = synthetic_items(number), wording.load()
    octets = sum(line.octets for line in turn_lines(listed))
    # More than the turns have tokens and less than they have bytes: every line is counted.
    knobs = Knobs.from_env({"MEMVARA_TOKEN_BUDGET": str(octets // 2)})
    return timed(lambda: render_context(listed, "Where?", knobs, words=words, count=count))


def _pace(budget: int) -> Iterator[Row]:
    pace = cells_per_second(load(), budget)
    for name, plain in {"every block": pace.every_block, "the byte check": pace.byte_check}.items():
        what = f"sweep, 30 turns, {budget:,} tokens, against a plain loop with {name}"
        figure = f"{pace.sweep:,.0f} against {plain:,.0f} cells a second and core"
        yield Row(what, pace.sweep / plain, figure)


def gate_row() -> Row:
    """The mutation gate's pace, where there are tests to run."""
    what = "mutation gate on a part of the reference, against mutmut's faster mode"
    root = load().root
    if not (root / "tests").is_dir():
        return Row(what, None, "needs a clone: a wheel has no tests")
    pace = mutants_per_second(root)
    figure = f"{pace.gate:,.0f} against {pace.mutmut:,.0f} mutants a second"
    return Row(what, pace.gate / pace.mutmut, figure)
