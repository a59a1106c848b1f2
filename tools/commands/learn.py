"""`goldens learn`: the wording file of a program, written by asking it."""

import tempfile
from dataclasses import replace
from pathlib import Path

import click

from ..comparing.show import first_difference
from ..exits import Exit, Stop
from ..project.files import write_whole
from ..project.layout import Project, load
from ..project.settings import TIMEOUT, split
from ..project.wording_file import to_toml
from ..sides.learned import learn
from ..sides.marks import Departure
from ..sides.matches import EXPECTED, Match, Side, copy_side, on_disk, program_side
from ..sweeping.plan import Narrowing
from ..sweeping.progress import progress
from ..sweeping.report import SweepResult
from ..sweeping.sweep import sweep


@click.command(name="learn")
@click.option("--command", "program", help="A program that speaks the protocol.")
@click.option("-o", "target", type=click.Path(path_type=Path), help="A new file, not stdout.")
@click.option("--timeout", type=float, help=f"Seconds per answer; by default {TIMEOUT:g}.")
def command(program: str | None, target: Path | None, timeout: float | None) -> int:
    """Write the wording file of a program by asking it.

    What every arm renders under these words is then compared, as `goldens sweep --arms` does. In
    a repository with a goldens.toml, its program is asked unless --command names another.
    """
    project = load()
    if target is not None:
        _refuse(target)
    side = _side(project, program, timeout)
    words = _learned(side)
    if target is None:
        click.echo(words, nl=False)
    else:
        write_whole(target, words)
        click.echo(f"{target} holds the words of {side.source}")
    result = _swept(project, side, words)
    click.echo("\n".join(result.lines()), err=target is None)
    return result.exit_code


def _refuse(target: Path) -> None:
    if target.exists():
        raise Stop(f"{target} exists: name a file that does not")
    if not target.parent.is_dir():
        raise Stop(f"{target} can't be written: there is no folder {target.parent}")


def _side(project: Project, program: str | None, timeout: float | None) -> Side:
    held = project.settings
    if program is not None:
        words = split(Path("--command"), program)
        return program_side(project, words, timeout or (held.timeout if held else TIMEOUT))
    if held is None:
        raise Stop("--command is missing: which program is to be asked?")
    return on_disk(project, replace(held, timeout=timeout or held.timeout))


def _learned(side: Side) -> bytes:
    """The wording file. Raises Stop: exit 1 where no such file can tell what the program says."""
    try:
        with side.opened() as subject:
            return to_toml(learn(subject.knowing(side.ops)))
    except Departure as departure:
        raise Stop(f"{side.source} can't be learned: {_shown(departure)}", Exit.MISMATCH) from None


def _shown(departure: Departure) -> str:
    """Where a program departs from what a wording file can tell, on one line."""
    pair = (text.encode(errors="surrogatepass") for text in (departure.expected, departure.found))
    difference = first_difference(*pair)
    if difference is None:
        return str(departure)
    return (
        f"{departure}, line {difference.line}: "
        f"expected {difference.expected}, found {difference.found}"
    )


def _swept(project: Project, side: Side, words: bytes) -> SweepResult:
    with tempfile.TemporaryDirectory(prefix="goldens-") as folder:
        path = Path(folder) / "wording.toml"
        path.write_bytes(words)
        ours = copy_side(project, project.reference, EXPECTED, str(project.reference), path)
        match = Match(ours, side, by_content=False)
        return sweep(project, Narrowing(arms=True), match, jobs=1, progress=progress)
