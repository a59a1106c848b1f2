"""Lines as they are printed. What a render asks of a turn under any knobs is worked out once."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from .text import WHITESPACE, cut, units

BLANKS = 999_000  # consecutive ones in a turn; tiktoken fails near a million
LONG = 1 << 14  # characters of a line that is not kept

# A search tries the start of each run alone, or else it would take quadratic time.
_BLANKS = re.compile(f"(?<![{WHITESPACE}])[{WHITESPACE}]{{{BLANKS}}}")
_STAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2})")


@dataclass(frozen=True)
class Line:
    """One line of a block."""

    text: str
    is_cut: bool = False

    @cached_property
    def ended(self) -> str:
        """Its text and a newline."""
        return f"{self.text}\n"

    @cached_property
    def octets(self) -> int:
        """Its bytes in UTF-8; a lone surrogate has those of U+FFFD, which is counted for it."""
        return len(self.text.encode(errors="surrogatepass"))


class Kept(NamedTuple):
    """A line for which a turn was asked."""

    line: Line
    cut_to: tuple[int, str]  # length and ellipsis, if it is cut


@dataclass(frozen=True)
class Message:
    """What is printed of a turn."""

    role: str
    content: str
    ts: str

    def line(self, length: int, ellipsis: str) -> Line:
        """Its line, with a content longer than `length` UTF-16 units cut to them; 0 cuts nothing.

        The whole line and the one last cut are kept while they are short.
        """
        is_cut = 0 < length < self._units
        kept = self._kept.get(is_cut)
        if kept is not None and (not is_cut or kept.cut_to == (length, ellipsis)):
            return kept.line
        content = cut(self.content, length) + ellipsis if is_cut else self.content
        line = Line(f"{self._opening}{content}", is_cut)
        if len(line.text) < LONG:
            self._kept[is_cut] = Kept(line, (length, ellipsis))
        return line

    @cached_property
    def has_long_blanks(self) -> bool:
        """Whether so many blanks follow one another in it that it can't be counted."""
        return any(_BLANKS.search(text) for text in (self.role, self.content, self.ts))

    @cached_property
    def _opening(self) -> str:
        return f"- [{when(self.ts)}] {self.role}: "

    @cached_property
    def _units(self) -> int:
        return units(self.content)

    @cached_property
    def _kept(self) -> dict[bool, Kept]:
        return {}


def when(stamp: str) -> str:
    """A stamp as lines print it: date and minute if it starts as ISO 8601, else unchanged."""
    found = _STAMP.match(stamp)
    return f"{found[1]} {found[2]}" if found else stamp
