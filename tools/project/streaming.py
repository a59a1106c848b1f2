"""Reads a JSON list element by element, in memory for an element or two.

ijson is no help here: its C parsers turn a lone surrogate (an escape like \\ud800) into "?" or
fail on it, and its Python parser holds on to nearly all that it has read.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn, TextIO

CHUNK = 1 << 18  # characters
BLANKS = re.compile(r"[ \t\n\r]*")


def elements(file: TextIO) -> Iterator[Any]:
    """The elements of the JSON list in `file`, which was opened with `newline=""`.

    Raises ValueError, when it gets there, for what is no list or no JSON; NaN is no JSON.
    """
    window = _Window(file)
    window.expect("[")
    if window.mark() != "]":
        yield window.value()
        while window.mark() == ",":
            window.expect(",")
            yield window.value()
    window.expect("]")
    window.expect("")


class _Window:
    """The part of a file that is in memory: all from `_at` on is still to be read."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._at = 0
        self._dropped = 0  # characters of the file before `_text`

    def mark(self) -> str:
        """The next character that is no blank, empty at the end of the file."""
        while True:
            blanks = BLANKS.match(self._text, self._at)
            assert blanks
            self._at = blanks.end()
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def expect(self, mark: str) -> None:
        """Step over `mark`; empty is the end of the file."""
        if self.mark() != mark:
            expected = f"'{mark}'" if mark else "nothing more"
            raise ValueError(f"expected {expected} (character {self._dropped + self._at})")
        self._at += len(mark)

    def value(self) -> Any:
        """Step over one value inside a list."""
        while True:
            problem = "the file ends inside the list"
            try:
                self.mark()
                value, end = DECODER.raw_decode(self._text, self._at)
                if end < len(self._text):
                    self._at = end
                    return value
            except json.JSONDecodeError as error:
                problem = f"{error.msg} (character {self._dropped + error.pos})"
            if not self._more():
                raise ValueError(problem)

    def _more(self) -> bool:
        """Drop what was stepped over and read at least as much as is left, if there is more."""
        left = self._text[self._at :]
        read = self._file.read(max(CHUNK, len(left)))
        self._dropped += self._at
        self._text, self._at = left + read, 0
        return bool(read)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


DECODER = json.JSONDecoder(parse_constant=_refuse)
