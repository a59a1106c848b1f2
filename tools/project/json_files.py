"""Reading JSON files: one clear line for whatever is no JSON."""

from pathlib import Path
from typing import Any

from ..exits import Stop


def read_text(path: Path) -> str:
    """The text of a UTF-8 file. Raises Stop, naming the file."""
    try:
        return path.read_bytes().decode()
    except (OSError, ValueError) as error:
        raise Stop(f"{path}: {error}") from None


def read_json(path: Path) -> Any:
    """The JSON value in a file. Raises Stop, naming the file, when there is none."""
    return parse_json(read_text(path), str(path))


def parse_json(text: str, source: str) -> Any:
    """The JSON value of `text`; NaN and Infinity are none. Raises Stop, naming `source`."""
    # Imported here: a reference that does not import is for others to find.
    from reference.text import parse_json as value_of

    try:
        return value_of(text.removeprefix("\ufeff"))
    except ValueError as error:
        raise Stop(f"{source}: {error}") from None
