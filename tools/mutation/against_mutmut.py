"""What plain mutmut said of its own mutants, beside what the gate says of the same changes."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..exits import Exit, Stop
from .from_mutmut import named_edits
from .generate import Generated
from .verdicts import KILLS, Outcome, Verdict

FOLDER = "mutants"  # where `mutmut run` leaves its verdicts
KILLED = 1  # the one exit status of pytest that says that a test failed
ENDLESS = (36, 24, -24, 152)


class Said(NamedTuple):
    """One of mutmut's mutants, its verdict, and the gate's mutant that is the same change."""

    name: str
    exit_status: int | None
    mutant: str | None  # None: the change is out of the gate's bounds


def said(root: Path, generated: Generated) -> list[Said]:
    """All that `mutmut run` said in the project at `root`, for which the gate `generated` these.

    Raises Stop, exit 5, when it did not run, or on another state of the files.
    """
    ours = {(each.file, *each.edit[:3]): each.name for each in generated.mutants}
    found = []
    for file, code in generated.files.items():
        edits = named_edits(file, code) if file.endswith(".py") else {}
        statuses = _statuses(root / FOLDER / f"{file}.meta") if edits else {}
        if statuses.keys() != edits.keys():
            raise Stop(
                f"{FOLDER}/{file}.meta is not of this {file}: remove {FOLDER}/ and run mutmut",
                Exit.BASELINE,
            )
        for name, edit in edits.items():
            same = (file, *edit.trimmed(code)[:3])
            found.append(Said(name, statuses[name], ours.get(same)))
    return found


def _statuses(path: Path) -> dict[str, int | None]:
    try:
        statuses: dict[str, int | None] = json.loads(path.read_bytes())["exit_code_by_key"]
    except (OSError, ValueError, LookupError, TypeError):
        raise Stop(f"{path}: no verdicts of mutmut: run mutmut first", Exit.BASELINE) from None
    return statuses


def differences(said: Sequence[Said], outcomes: Sequence[Outcome]) -> list[str]:
    """A line for each mutant that one kills and the other does not, or that has no end for one."""
    verdicts = {outcome.mutant.name: outcome.verdict for outcome in outcomes}
    lines = []
    for each in said:
        mutmuts = _kind(each.exit_status)
        gates = "killed" if each.mutant is None else _kind_of_gate(verdicts[each.mutant])
        if mutmuts != gates:
            name = each.mutant or "what is out of its bounds"
            lines.append(f"{each.name}: mutmut says {mutmuts}, the gate says {gates} of {name}")
    return lines


def _kind(exit_status: int | None) -> str:
    if exit_status == KILLED:
        return "killed"
    return "endless" if exit_status in ENDLESS else f"exit status {exit_status}"


def _kind_of_gate(verdict: Verdict) -> str:
    return "killed" if verdict in KILLS else str(verdict)
