"""The proof that an exemption asks for: the mutant renders the sweep's whole grid unchanged."""

import ast
import tempfile
from collections.abc import Callable
from pathlib import Path

from .mutants import Edit, Mutant

PACKAGE = "reference/"

Equal = Callable[[Path, Path], bool]  # whether a grid tells no difference between two copies


def renders_whole_grid_equal(files: dict[str, bytes], equal: Equal, mutant: Mutant) -> bool:
    """Whether the grid behind `equal` runs the changed line and sees no difference.

    `files` are the watched files by path. The line is run if the grid does see a difference when
    the statement there raises.
    """
    if not mutant.file.startswith(PACKAGE) or not mutant.file.endswith(".py"):
        return False
    code = files[mutant.file]
    changed = files | {mutant.file: mutant.edit.applied(code)}
    raising = files | {mutant.file: _raising(code, mutant.edit)}
    return _same(files, changed, equal) and not _same(files, raising, equal)


def _same(before: dict[str, bytes], after: dict[str, bytes], equal: Equal) -> bool:
    with tempfile.TemporaryDirectory(prefix="goldens-") as folder:
        sides = Path(folder, "before"), Path(folder, "after")
        for side, files in zip(sides, (before, after), strict=True):
            for file, code in files.items():
                path = side / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(code)
        return equal(*(side / PACKAGE for side in sides))


def _raising(code: bytes, edit: Edit) -> bytes:
    """`code` with the innermost statement around the edit raising instead."""
    lines = code.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    best = (0, len(code))
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.stmt) and node.end_lineno and node.end_col_offset:
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            if best[0] <= start <= edit.start and edit.end <= end <= best[1]:
                best = start, end
    return Edit(*best, b"raise AssertionError", "").applied(code)
