"""All mutants of the watched folders, and the statements and literals that none of them changes."""

import ast
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..exits import Exit, Stop
from . import from_mutmut, operators, wording
from .mutants import Function, Mutant, mutants_of
from .source import Place, Source, type_names

SKIPPED = "__main__.py"


class Generated(NamedTuple):
    """What there is to run."""

    mutants: list[Mutant]
    blind_spots: list[Place]
    functions: dict[str, list[Function]]  # by file
    files: dict[str, bytes]  # the watched files as they were read


def generate(root: Path, watched: Sequence[str]) -> Generated:
    """The mutants of every Python and TOML file in the folders `watched` of the project `root`."""
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in _found(root, watched)}
    modules = {file: code for file, code in files.items() if file.endswith(".py")}
    for file, code in modules.items():
        _parsed(file, code)
    names = type_names(modules)
    mutants: list[Mutant] = []
    blind_spots: list[Place] = []
    functions: dict[str, list[Function]] = {}
    for file, code in files.items():
        if file in modules:
            source = Source(file, code, names)
            edits = [*from_mutmut.edits(file, code), *operators.edits(source)]
            made = mutants_of(file, code, filter(source.allows, edits), source.functions)
            blind_spots += source.blind_spots(mutant.edit for mutant in made)
            functions[file] = source.functions
        else:
            made = mutants_of(file, code, wording.edits(code), [])
        mutants += made
    return Generated(mutants, blind_spots, functions, files)


def _found(root: Path, watched: Iterable[str]) -> list[Path]:
    paths = [path for folder in watched for path in (root / folder).rglob("*")]
    return sorted(
        path for path in paths if path.suffix in (".py", ".toml") and path.name != SKIPPED
    )


def _parsed(file: str, code: bytes) -> None:
    try:
        ast.parse(code)
    except SyntaxError as error:
        said = f"nothing was measured: {file}:{error.lineno}: {error.msg}"
        raise Stop(said, Exit.BASELINE) from None
