"""The stages of the check: whether anything moved, stopping at the first that fails."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..exits import Exit, Stop
from ..project import git
from ..project.git import GitError
from ..project.layout import Project
from ..sides.copies import pinned, working_tree
from ..sides.subject import Subject
from . import manifest
from .manifest import Manifest
from .mismatches import Mismatch, mismatches, spot_of
from .outcomes import derive


class Stage(NamedTuple):
    """What one stage found."""

    name: str
    exit_code: Exit
    detail: str
    mismatches: Sequence[Mismatch] = ()
    screen: tuple[str, ...] = ()  # more lines for a person


class Swept(NamedTuple):
    """What a sweep of the default grid said."""

    exit_code: Exit
    verdict: str
    screen: tuple[str, ...]


Sweeping = Callable[[Project, Manifest], Swept]


def run(project: Project, swept: Sweeping, *, forced: bool = False) -> Iterator[Stage]:
    """The stages, each as it ends. A mismatch is the last; a missing pin leaves out the sweep.

    `swept` is asked when `reference/` differs from the pinned tree, or if `forced`.
    """
    try:
        stored = manifest.read(project)
    except Stop as stop:
        yield Stage("goldens intact", stop.exit_code, str(stop))
        return
    intact = _intact(project, stored)
    yield intact
    if intact.exit_code:
        return
    pin = _rederive(project, stored)
    yield pin
    if pin.exit_code == Exit.MISMATCH:
        return
    working = _working_tree(project, stored)
    yield working
    if not pin.exit_code and not working.exit_code:
        yield _sweep(project, stored, swept, forced)


def _intact(project: Project, stored: Manifest) -> Stage:
    name = "goldens intact"
    found = [
        Mismatch(file, spot_of(file), 0, "as the manifest has it", fault)
        for file, fault in manifest.faults(project, stored)
    ]
    total = f"{len(stored.rows)} outcomes of {len(project.arms)} arms"
    return _stage(name, f"{total}, {len(project.cases)} cases", found)


def _rederive(project: Project, stored: Manifest) -> Stage:
    name, pin = "re-derived from the pin", f"tree {stored.tree[:12]}, commit {stored.commit[:12]}"
    try:
        if not git.has(project.root, stored.tree):
            return Stage(name, Exit.NO_PIN, f"{pin} is not in this clone: {_remedy(stored)}")
        with pinned(project.root, stored.tree) as subject:
            return _derived(name, pin, project, stored, subject)
    except GitError as error:
        return Stage(name, Exit.NO_PIN, f"{pin} was not checked: {error}")


def _derived(name: str, detail: str, project: Project, stored: Manifest, subject: Subject) -> Stage:
    found = mismatches(manifest.stored(project, stored), derive(subject, project))
    return _stage(name, detail, list(found))


def _remedy(stored: Manifest) -> str:
    return f"git fetch --unshallow, or git fetch origin {stored.commit}"


def _working_tree(project: Project, stored: Manifest) -> Stage:
    name = "the working tree renders them"
    try:
        return _derived(name, "reference/", project, stored, working_tree(project.reference))
    except Stop as stop:
        return Stage(name, stop.exit_code, str(stop))


def _sweep(project: Project, stored: Manifest, swept: Sweeping, forced: bool) -> Stage:
    name = "every combination agrees with the pin"
    pinned_files = git.read_tree(project.root, stored.tree)
    if not forced and pinned_files == git.files_of(project.reference):
        return Stage(name, Exit.OK, "reference/ is the pinned tree, file for file")
    result = swept(project, stored)
    return Stage(name, result.exit_code, result.verdict, screen=result.screen)


def _stage(name: str, detail: str, found: list[Mismatch]) -> Stage:
    if found:
        return Stage(name, Exit.MISMATCH, f"{len(found)} mismatches ({detail})", found)
    return Stage(name, Exit.OK, detail, [])


def worst(codes: list[Exit]) -> Exit:
    """A mismatch outranks what could not be checked."""
    if Exit.MISMATCH in codes:
        return Exit.MISMATCH
    return next((code for code in codes if code), Exit.OK)


def report(stages: list[Stage], worst: Exit) -> dict[str, Any]:
    """The stages as `--json` prints them."""
    return {
        "ok": worst == Exit.OK,
        "exit": int(worst),
        "stages": [
            {
                "name": stage.name,
                "exit": int(stage.exit_code),
                "detail": stage.detail,
                "screen": list(stage.screen),
                "mismatches": [
                    each._asdict() | {"spot": each.spot._asdict()} for each in stage.mismatches
                ],
            }
            for stage in stages
        ],
    }
