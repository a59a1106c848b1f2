"""The shape of `tools/`: rooms import downwards only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# A room may import from the floors below its own, and from nowhere else in tools/.
FLOORS = (
    {"exits"},
    {"project", "processes"},
    {"sides", "engine", "synthetic", "adapters"},
    {"grid", "synthetic_dataset"},
    {"comparing"},
    {"goldens"},
    {"sweeping", "mutation", "measuring", "recorded"},
    {"benchmark"},
    {"commands"},
    {"cli"},
    {"__main__", "package"},
)


def faults(tools: Path) -> list[str]:
    """What is wrong with the imports of the rooms in a folder, file by file."""
    found = []
    for path in sorted(tools.rglob("*.py")):
        if path != tools / "__init__.py":
            place = path.relative_to(tools)
            found += [f"{place.as_posix()}: {fault}" for fault in _imports(place, path)]
    return found


def _floor(room: str) -> int:
    return next((rank for rank, floor in enumerate(FLOORS) if room in floor), -1)


def _imports(place: Path, path: Path) -> Iterator[str]:
    room = place.parts[0].removesuffix(".py")
    if _floor(room) < 0:
        yield "has no floor"
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            for other in _rooms(node, place):
                if other != room and not 0 <= _floor(other) < _floor(room):
                    yield f"imports {other}"


def _rooms(node: ast.ImportFrom, place: Path) -> Iterator[str]:
    """The rooms that an import names, from a file at `place` below tools/."""
    above = len(place.parts) - node.level  # folders below tools/ that are left
    named = (node.module or "").split(".") if node.module else []
    if node.level and above == 0:
        yield from named[:1] or [alias.name for alias in node.names]
    elif not node.level and named[:1] == ["tools"]:
        yield from named[1:2] or [alias.name for alias in node.names]


def test_rooms_import_downwards_only():
    assert faults(ROOT / "tools") == []


@pytest.mark.parametrize(
    ("file", "line", "fault"),
    [
        ("project/git.py", "from ..sides.subject import Subject", "imports sides"),
        ("sides/copies.py", "from .. import sweeping", "imports sweeping"),
        ("sweeping/plan.py", "from ..mutation.plan import Plan", "imports mutation"),
        ("grid/values.py", "from tools.goldens import manifest", "imports goldens"),
        ("attic/box.py", "import json", "has no floor"),
    ],
    ids=["up", "up_to_a_room", "across", "absolute", "unknown_room"],
)
def test_an_import_that_leads_elsewhere_is_named(tmp_path, file, line, fault):
    path = tmp_path / file
    path.parent.mkdir()
    path.write_text(line + "\n")
    assert faults(tmp_path) == [f"{file}: {fault}"]
