"""Mutants that no test can kill because they are the same program: a list meant to stay empty."""

import tomllib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..exits import Stop
from .mutants import Mutant
from .verdicts import Outcome, Verdict

FILE = "exempt_mutants.toml"
MOST = 2
KEYS = {"file", "before", "after", "reason"}


def load(folder: Path) -> list[dict[str, str]]:
    """The exemptions in `folder`, none without a file.

    Raises Stop for a row without exactly a file, the changed line before and after, and a reason.
    """
    path = folder / FILE
    if not path.exists():
        return []
    try:
        table: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise Stop(f"{path}: {error}") from None
    rows: list[dict[str, str]] = table.get("exempt", [])
    for number, row in enumerate(rows, 1):
        if row.keys() != KEYS or not all(isinstance(text, str) and text for text in row.values()):
            raise Stop(f"{path}: exempt {number} must have the texts {', '.join(sorted(KEYS))}")
    return rows


def apply(
    rows: Sequence[dict[str, str]],
    mutants: Sequence[Mutant],
    outcomes: Sequence[Outcome],
    is_equivalent: Callable[[Mutant], bool],
) -> list[str]:
    """Exempt the survivors that are listed and equivalent; what is wrong with the list."""
    problems = [f"{len(rows)} exemptions, of at most {MOST}"] if len(rows) > MOST else []
    verdicts = {outcome.mutant.name: outcome for outcome in outcomes}
    for row in rows:
        where = f"the exemption of {row['before']!r} -> {row['after']!r} in {row['file']}"
        matching = [mutant for mutant in mutants if _matches(row, mutant)]
        if len(matching) != 1:
            problems.append(f"{where} matches {len(matching) or 'nothing'}")
            continue
        outcome = verdicts.get(matching[0].name)
        if outcome is None:
            continue  # not in this run
        if outcome.verdict is not Verdict.SURVIVED:
            problems.append(f"{where} is not needed: the mutant is {outcome.verdict}")
        elif not _is_proven(outcome.mutant, is_equivalent):
            problems.append(f"{where} is not proven equivalent by the sweep's default grid")
        else:
            outcome.verdict = Verdict.EXEMPT
            outcome.note = row["reason"]
    return problems


def _is_proven(mutant: Mutant, is_equivalent: Callable[[Mutant], bool]) -> bool:
    try:
        return is_equivalent(mutant)
    except Stop:
        return False


def _matches(row: dict[str, str], mutant: Mutant) -> bool:
    return (row["file"], row["before"], row["after"]) == (mutant.file, mutant.before, mutant.after)
