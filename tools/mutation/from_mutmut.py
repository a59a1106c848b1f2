"""mutmut as a library: its own mutants of a file, and its configuration, checked."""

import dataclasses
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper
from mutmut.configuration import Config
from mutmut.mutation.file_mutation import create_mutations
from mutmut.mutation.trampoline_templates import mangle_function_name

from ..exits import Stop
from .mutants import Edit
from .source import replaced
from .tasks import module_name

KEYS = {field.name for field in dataclasses.fields(Config)} - {"resolved_mutated_source_paths"}


def find_root() -> Path:
    """The project around the current folder, else the one that this package belongs to."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        file = folder / "pyproject.toml"
        if file.is_file() and "[tool.mutmut]" in file.read_text(encoding="utf-8"):
            return folder
    return Path(__file__).parents[2]


def settings(root: Path) -> tuple[list[str], list[str]]:
    """What is watched and which tests watch it: two lists of paths relative to `root`.

    Raises Stop when [tool.mutmut] is missing or has a key that mutmut does not know.
    """
    try:
        text = (root / "pyproject.toml").read_text(encoding="utf-8")
        table: dict[str, Any] = tomllib.loads(text)["tool"]["mutmut"]
    except (OSError, KeyError):
        raise Stop("pyproject.toml has no [tool.mutmut]: it says what is watched") from None
    except tomllib.TOMLDecodeError as error:
        raise Stop(f"pyproject.toml: {error}") from None
    for key in table:
        if key not in KEYS:
            raise Stop(f"pyproject.toml: [tool.mutmut] has {key!r}, which mutmut does not know")
    watched = table.get("source_paths", [])
    tests = table.get("pytest_add_cli_args_test_selection", [])
    for key, paths in (("source_paths", watched), ("pytest_add_cli_args_test_selection", tests)):
        if not paths or not all((root / path).is_dir() for path in paths):
            raise Stop(f"pyproject.toml: [tool.mutmut] {key} must list folders, not {paths!r}")
    return watched, tests


def edits(file: str, code: bytes) -> list[Edit]:
    """What mutmut itself would change in this file, in its order."""
    return list(named_edits(file, code).values())


def named_edits(file: str, code: bytes) -> dict[str, Edit]:
    """The same by the names that mutmut gives its mutants."""
    module, mutations, _, _ = create_mutations(file, code.decode())
    spans = MetadataWrapper(module, unsafe_skip_copy=True).resolve(ByteSpanPositionProvider)
    names = {id(each): name for each, name in _functions(module)}
    numbers: Counter[str] = Counter()
    found = {}
    for each in mutations:
        name = names.get(id(each.contained_by_top_level_function))
        if name is not None:  # mutmut drops the others itself
            span = spans[each.original_node]
            text = code[span.start : span.start + span.length].decode()
            nodes = each.original_node, each.mutated_node
            operator = f"mutmut {type(each.original_node).__name__}"
            numbers[name] += 1
            named = f"{module_name(file)}.{name}__mutmut_{numbers[name]}"
            found[named] = replaced(module, span.start, text, nodes, operator)
    return found


def _functions(module: cst.Module) -> Iterator[tuple[cst.CSTNode, str]]:
    """The functions and methods that mutmut changes, by the names that it makes of theirs."""
    for node in module.body:
        if isinstance(node, cst.FunctionDef):
            yield node, mangle_function_name(name=node.name.value, class_name=None)
        elif isinstance(node, cst.ClassDef):
            for inner in node.body.body:
                if isinstance(inner, cst.FunctionDef):
                    name = mangle_function_name(name=inner.name.value, class_name=node.name.value)
                    yield inner, name
