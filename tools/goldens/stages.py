"""The stages of the check: whether anything moved, stopping at the first that fails."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ..exits import Exit, Stop
from ..project.git import GitError
from ..project.layout import Project
from ..sides.subject import Subject
from . import manifest
from .manifest import Manifest
from .mismatches import Mismatch, mismatches, spot_of
from .outcomes import derive
from .pins import is_pinned, pinned_subject, working_subject


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


def run(
    project: Project, swept: Sweeping, *, forced: bool = False, cached: bool = True
) -> Iterator[Stage]:
    """The stages, each as it ends. A mismatch is the last; a missing pin leaves out the sweep.

    `swept` is asked when the guarded files differ from the pinned ones, or if `forced`. Without
    `cached` the checkout of an old program is made anew.
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
    pin = _rederive(project, stored, cached)
    yield pin
    if pin.exit_code not in (Exit.OK, Exit.NO_PIN):
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


def _rederive(project: Project, stored: Manifest, cached: bool) -> Stage:
    name, pin = "re-derived from the pin", f"tree {stored.tree[:12]}, commit {stored.commit[:12]}"
    try:
        with pinned_subject(project, stored, cached) as subject:
            return _derived(name, pin, project, stored, subject)
    except Stop as stop:
        return Stage(name, stop.exit_code, str(stop))


def _derived(name: str, detail: str, project: Project, stored: Manifest, subject: Subject) -> Stage:
    found = mismatches(manifest.stored(project, stored), derive(subject, project))
    return _stage(name, detail, list(found))


def _working_tree(project: Project, stored: Manifest) -> Stage:
    name = "the working tree renders them"
    try:
        with working_subject(project) as subject:
            return _derived(name, _what(project), project, stored, subject)
    except Stop as stop:
        return Stage(name, stop.exit_code, str(stop))


def _what(project: Project) -> str:
    return "reference/" if project.settings is None else project.settings.command


def _sweep(project: Project, stored: Manifest, swept: Sweeping, forced: bool) -> Stage:
    name = "every combination agrees with the pin"
    try:
        if not forced and is_pinned(project, stored):
            same = "is the pinned tree, file for file"
            if project.settings is not None:
                same = "runs from the pinned files"
            return Stage(name, Exit.OK, f"{_what(project)} {same}")
        result = swept(project, stored)
    except GitError as error:
        return Stage(name, Exit.NO_PIN, str(error))
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
