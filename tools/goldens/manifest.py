"""The manifest: which tree the goldens come from, and what each of them is."""

import hashlib
import json
import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..exits import Exit, Stop
from ..project.json_files import read_json
from ..project.layout import Project
from .outcomes import ROUTING, Outcome, spots

FORMAT = 1
NAME = "manifest.json"

_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Row(NamedTuple):
    """What the manifest says of one golden."""

    file: str
    sha256: str
    bytes: int
    tokens: int | None
    warnings: tuple[str, ...]


class Manifest(NamedTuple):
    """The pin and a row for each golden, by path without extension."""

    tree: str  # the pin itself: of reference/, or the id of a program's files
    commit: str  # for people
    rows: dict[str, Row]
    ops: tuple[str, ...] | None = None  # those that a program said it knows


def build(
    tree: str,
    commit: str,
    outcomes: Mapping[str, Outcome],
    ops: Collection[str] | None = None,
) -> Manifest:
    """The manifest of these outcomes."""
    rows = {stem: _row(stem, each) for stem, each in outcomes.items()}
    return Manifest(tree, commit, rows, None if ops is None else tuple(sorted(ops)))


def _row(stem: str, outcome: Outcome) -> Row:
    file = stem if stem == ROUTING else stem + outcome.extension
    digest = hashlib.sha256(outcome.data).hexdigest()
    return Row(file, digest, len(outcome.data), outcome.tokens, outcome.warnings)


def dump(manifest: Manifest) -> bytes:
    """The manifest as it is stored: sorted, no clock and no host in it."""
    value = {
        "format": FORMAT,
        "tree": manifest.tree,
        "commit": manifest.commit,
        **({} if manifest.ops is None else {"ops": list(manifest.ops)}),
        "outcomes": {stem: row._asdict() for stem, row in sorted(manifest.rows.items())},
    }
    return (json.dumps(value, indent=1) + "\n").encode()


def folder(project: Project) -> Path:
    """Where the outcomes are; an interrupted regen is first put right."""
    outcomes = project.outcomes
    old = outcomes.with_name("outcomes.old")
    if old.exists() and not outcomes.exists():
        old.rename(outcomes)
    return outcomes


def read(project: Project) -> Manifest:
    """The stored manifest. Raises Stop, exit 1, when it is missing or not of this format."""
    path = folder(project) / NAME
    if not path.is_file():
        remedy = "git checkout it"
        if project.settings is not None:
            remedy += ", or make the first goldens with goldens regen"
        raise Stop(f"{_shown(project)}/{NAME} is missing: {remedy}", Exit.MISMATCH)
    try:
        return _parse(read_json(path))
    except (Stop, KeyError, TypeError, AttributeError, ValueError) as error:
        damage = f"{_shown(project)}/{NAME} is damaged: {error}: git checkout it"
        raise Stop(damage, Exit.MISMATCH) from None


def _shown(project: Project) -> str:
    return Path(os.path.relpath(project.outcomes, project.repository)).as_posix()


def _parse(value: Any) -> Manifest:
    if value["format"] != FORMAT:
        raise ValueError(f"format {value['format']}, this version reads {FORMAT}")
    for name in ("tree", "commit"):
        if not _ID.fullmatch(value[name]):
            raise ValueError(f"{name} is no git id")
    ops = value.get("ops")
    rows = dict(map(_parse_row, value["outcomes"].items()))
    return Manifest(value["tree"], value["commit"], rows, None if ops is None else tuple(ops))


def _parse_row(entry: tuple[str, Any]) -> tuple[str, Row]:
    stem, value = entry
    row = Row(**value | {"warnings": tuple(value["warnings"])})
    if row.file not in (stem, f"{stem}.txt", f"{stem}.refused"):
        raise ValueError(f"{stem} has another file: {row.file}")
    return stem, row


def stored(project: Project, manifest: Manifest) -> dict[str, Outcome]:
    """The goldens as they lie on disk; what is missing is not in it."""
    base = folder(project)
    return {
        stem: Outcome(
            (base / row.file).read_bytes(), row.file.endswith(".refused"), row.warnings, row.tokens
        )
        for stem, row in manifest.rows.items()
        if (base / row.file).is_file()
    }


def faults(project: Project, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """What is wrong with the goldens as data: pairs of a file and the fault."""
    base = folder(project)
    for file, row in sorted((row.file, row) for row in manifest.rows.values()):
        if not (base / file).is_file():
            yield file, "missing"
        elif hashlib.sha256(data := (base / file).read_bytes()).hexdigest() != row.sha256:
            yield file, f"not as regen wrote it: {_damage(data, row)}"
    known = {row.file for row in manifest.rows.values()} | {NAME}
    for path in sorted(base.rglob("*")):
        file = path.relative_to(base).as_posix()
        if not path.is_dir() and file not in known:
            yield file, "no golden: the manifest has no row for it"
    ops = manifest.ops
    wanted = {spot.stem for spot in spots(project, lambda op: ops is None or op in ops)}
    wanted |= {ROUTING} if ops is None or "route" in ops else set()
    for stem in sorted(wanted.symmetric_difference(manifest.rows)):
        missing = "no golden for it yet" if stem in wanted else "its arm, case or question is gone"
        yield stem, f"{missing}: run goldens regen"


def _damage(data: bytes, row: Row) -> str:
    if b"\r\n" in data and hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest() == row.sha256:
        return "line ends became CRLF"
    if len(data) != row.bytes:
        return f"{len(data)} bytes, were {row.bytes}"
    return "a byte changed"
