"""All mutants of the watched folders, and the statements and literals that none of them changes."""

import ast
import tomllib
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
    """The mutants of every file in the folders `watched` of the project `root`.

    A file that is neither Python nor TOML is one blind spot.
    """
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in _found(root, watched)}
    modules = {file: code for file, code in files.items() if file.endswith(".py")}
    for file, code in files.items():
        _check(file, code)
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
        elif file.endswith(".toml"):
            made = mutants_of(file, code, wording.edits(code), [])
            blind_spots += (Place(file, 1, name, 0, 0) for name in wording.other_values(code))
        else:
            made = []
            blind_spots.append(Place(file, 1, "the whole file", 0, 0))
        mutants += made
    return Generated(mutants, blind_spots, functions, files)


def _found(root: Path, watched: Iterable[str]) -> list[Path]:
    paths = [path for folder in watched for path in (root / folder).rglob("*") if path.is_file()]
    return sorted(
        path for path in paths if path.name != SKIPPED and "__pycache__" not in path.parts
    )


def _check(file: str, code: bytes) -> None:
    try:
        if file.endswith(".py"):
            ast.parse(code)
        elif file.endswith(".toml"):
            tomllib.loads(code.decode())
    except SyntaxError as error:
        said = f"nothing was measured: {file}:{error.lineno}: {error.msg}"
        raise Stop(said, Exit.BASELINE) from None
    except ValueError as error:
        raise Stop(f"nothing was measured: {file}: {error}", Exit.BASELINE) from None
