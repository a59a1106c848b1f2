"""Reading JSON files: one clear line for whatever is no JSON."""

import json
from collections.abc import Callable
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
    try:
        return json.loads(text.removeprefix("\ufeff"), parse_constant=_refuse(source))
    except (ValueError, RecursionError) as error:
        raise Stop(f"{source}: not JSON: {error}") from None


def _refuse(source: str) -> Callable[[str], Any]:
    def refuse(name: str) -> Any:
        raise Stop(f"{source}: not JSON: {name}")

    return refuse
