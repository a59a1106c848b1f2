"""The context file: blocks rendered elsewhere, found by their question."""

from pathlib import Path
from typing import NamedTuple

from .text import collapse, parse_json, strip, well_formed

_BOM = b"\xef\xbb\xbf"


class ContextFileError(ValueError):
    """A context file that can't be used, or that lacks a question."""


class ContextFile(NamedTuple):
    """Blocks by key, and what loading them has to say."""

    blocks: dict[str, str]
    warnings: tuple[str, ...]


def key(question: str | None) -> str:
    """What a question is looked up by: whitespace collapsed, case kept; no question is empty."""
    return collapse(question or "")


def load(path: str) -> ContextFile:
    """The context file at `path`; the caller keeps it if it is needed again.

    Raises ContextFileError with path and line for a file that can't be read or used.
    """
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise ContextFileError(f"MEMVARA_CONTEXT_FILE={path!r} can't be read: {error}") from None
    return parse(data, path)


def parse(data: bytes, path: str) -> ContextFile:
    """The blocks in a context file's bytes: JSON Lines separated by LF alone, the last row wins.

    Raises ContextFileError with path and line (from 1).
    """
    blocks: dict[str, str] = {}
    warnings = []
    for number, line in enumerate(data.removeprefix(_BOM).split(b"\n"), 1):
        place = f"{path}:{number}"
        text = _decoded(place, line)
        if strip(text):
            question, block = _row(place, text)
            if blocks.get(question, block) != block:
                warnings.append(f"{place}: a second, different block for one question; it wins")
            blocks[question] = block
    return ContextFile(blocks, tuple(warnings))


def block(file: ContextFile, question: str | None, path: str) -> str:
    """The block for `question`. Raises ContextFileError when the file has none."""
    found = file.blocks.get(key(question))
    if found is None:
        raise ContextFileError(
            f"{path}: no block for the question {key(question)[:60]!r}; an arm must not mix renders"
        )
    return found


def _decoded(place: str, line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise ContextFileError(f"{place}: not UTF-8: {error.reason}") from None


def _row(place: str, text: str) -> tuple[str, str]:
    try:
        row = parse_json(text)
    except ValueError as error:
        raise ContextFileError(f"{place}: {error}") from None
    match row:
        case {"question": str(question), "block": str(block)}:
            return key(well_formed(question)), well_formed(block)
    raise ContextFileError(f'{place}: expected {{"question": string, "block": string}}')
