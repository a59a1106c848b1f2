"""The figure: labelled turns kept against context tokens, a curve for each selection."""

import io
from collections.abc import Iterable, Mapping
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..exits import Stop
from ..project.files import write_whole
from ..project.installed import with_extra
from .curves import Point
from .table import ESTIMATED, Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

FORMATS = (".svg", ".png")
# Colours that stay apart for the colour-blind.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
BLACK = "#000000"  # of an arm that is on no curve
AWAY = (9, -9, 24, -24, 39, -39, 54, -54)  # points between an arm and its label
CLEAR = 6  # pixels around an arm
# What makes two drawings of the same figures the same file.
REPEATABLE: dict[Any, Any] = {"svg.hashsalt": "goldens", "svg.fonttype": "path"}
DPI = 150


class Caption(NamedTuple):
    """What the figure is about."""

    questions: int
    labelled: int
    model: str
    estimated: bool


class Place(NamedTuple):
    """Where an arm stands: context tokens, and the share of labelled turns kept."""

    across: float
    up: float


class Label(NamedTuple):
    """The names at one place."""

    arms: list[str]
    colour: str


def check(path: Path) -> None:
    """Raises Stop when no figure can be drawn into `path`."""
    if path.suffix.lower() not in FORMATS:
        raise Stop(f"--plot {path}: the name must end in {' or '.join(FORMATS)}")
    if not path.absolute().parent.is_dir():
        raise Stop(f"--plot {path}: the folder does not exist: make it first")
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError:
        raise Stop(f"--plot needs matplotlib: {with_extra('plot')}") from None


def draw(
    path: Path,
    curves: Mapping[str, list[Point]],
    arms: Mapping[str, list[Row]],
    caption: Caption,
) -> None:
    """Write the figure to `path`; `arms` are the rows to mark on each curve ("" is on none)."""
    import matplotlib.style

    with matplotlib.style.context(["default", REPEATABLE]):
        figure = _figure(curves, arms, caption)
        data = io.BytesIO()
        format = path.suffix.lower().removeprefix(".")
        date: dict[str, Any] = {"Date": None} if format == "svg" else {}
        figure.savefig(data, format=format, dpi=DPI, metadata=date)
    write_whole(path, data.getvalue())


def _figure(
    curves: Mapping[str, list[Point]], arms: Mapping[str, list[Row]], caption: Caption
) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    colours = dict(zip(curves, cycle(COLOURS), strict=False))
    for name, points in curves.items():
        places = [(_across(point.context_tokens), point.kept) for point in points]
        axes.plot(*zip(*places, strict=True), "o-", ms=3.5, color=colours[name], label=name)
    lines = axes.get_lines()
    labels: dict[Place, Label] = {}
    for name, rows in arms.items():
        for row in rows:
            place, colour = _place(row), colours.get(name, BLACK)
            axes.plot(*place, "D", ms=9, mec="white", color=colour)
            labels.setdefault(place, Label([], colour)).arms.append(row.arm)
    _dress(axes, caption)
    _label(figure, axes, lines, labels)
    return figure


def _label(
    figure: "Figure", axes: "Axes", lines: Iterable["Line2D"], labels: Mapping[Place, Label]
) -> None:
    """Write each label near its place, where it hides no curve, no arm and no other label."""
    from matplotlib.transforms import Bbox

    figure.draw_without_rendering()  # only now is it known where things are
    curves = [line.get_path().transformed(axes.transData) for line in lines]
    centres = [axes.transData.transform(place) for place in labels]
    taken = [Bbox.from_extents(x - CLEAR, y - CLEAR, x + CLEAR, y + CLEAR) for x, y in centres]
    for place, label in sorted(labels.items(), key=lambda labelled: -labelled[0].up):
        for away in AWAY:
            note = _note(axes, place, label, away)
            box = note.get_window_extent()
            hides = any(map(box.overlaps, taken)) or any(
                curve.intersects_bbox(box, filled=False) for curve in curves
            )
            if not hides or away == AWAY[-1]:
                break
            note.remove()
        taken.append(box)


def _note(axes: "Axes", place: Place, label: Label, away: int) -> "Annotation":
    return axes.annotate(
        "\n".join(label.arms),
        place,
        (0, away),
        textcoords="offset points",
        ha="center",
        va="bottom" if away > 0 else "top",
        color=label.colour,
        weight="bold",
    )


def _dress(axes: "Axes", caption: Caption) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator, PercentFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    axes.set_ylim(-0.03, 1.03)
    unit = ESTIMATED if caption.estimated else f"of {caption.model}"
    axes.set_xlabel(f"context tokens, median over the questions ({unit})")
    axes.set_ylabel("labelled turns kept")
    axes.set_title("What a context keeps, and what it costs", loc="left", weight="bold", pad=22)
    about = f"{caption.questions} questions with {caption.labelled} labelled turns"
    note = f"{about}; diamonds are arms, dots other token budgets over the same search"
    axes.text(0, 1.02, note, transform=axes.transAxes, fontsize=9, color="#555555")
    axes.grid(color="#e4e4e4", lw=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="best")


def _across(tokens: float) -> float:
    return max(tokens, 1)  # a logarithm has no place for 0


def _place(row: Row) -> Place:
    return Place(_across(row.median), row.kept / row.labelled)
