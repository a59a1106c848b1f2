"""Marks: texts that stand in items and questions, to be found again in what a program says.

No two marks overlap wherever they stand: the first character of one is nowhere else in any.
"""

import re
from collections.abc import Mapping

from reference.lines import when

_HOLE = re.compile(r"\{([a-z0-9_]+)\}")  # what a wording file takes for a hole


class Departure(Exception):
    """The first place where a program says what no wording file can tell.

    `expected` is what would have been such a text, and `found` what the program said; both are
    empty where the message says it all.
    """

    def __init__(self, message: str, expected: str = "", found: str = "") -> None:
        super().__init__(message)
        self.expected = expected
        self.found = found


class Marks:
    """Marks of one round of questions; those of another `number` (to 511) are others."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.meanings: dict[str, str] = {}  # of each mark, as messages call it
        self.stamps = 0

    def text(self, name: str, meaning: str) -> str:
        """A mark that holds `name`, of lower-case letters and digits."""
        mark = f"Q{name}n{self.number}Z"
        self.meanings[mark] = meaning
        return mark

    def stamp(self, meaning: str) -> str:
        """A point in time (ISO 8601, UTC) whose day, hour and minute are a mark."""
        self.stamps += 1
        part = f"{self.stamps:02o}"  # octal digits, so that 9 is nowhere else
        stamp = f"9{self.number:03o}-{1 + self.stamps % 7:02d}-{part}T{part}:{part}:00Z"
        otherwise = f"{meaning} otherwise than as {when(stamp)}"
        # The day last: the others begin with it.
        self.meanings |= {when(stamp): meaning, stamp: otherwise, stamp[:10]: otherwise}
        return stamp

    def are_new_to(self, said: str) -> bool:
        """Whether none of them stands in `said`."""
        return not any(mark in said for mark in self.meanings)

    def literal(self, place: str, text: str) -> str:
        """`text`, if a wording file can hold it as it stands. Raises Departure."""
        for mark, meaning in self.meanings.items():
            if mark in text:
                raise Departure(f"{place} prints {meaning}")
        if hole := _HOLE.search(text):
            raise Departure(f"{place} holds {hole[0]}, which a wording file takes for a hole")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise Departure(f"{place} holds half a surrogate pair, which no file can") from None
        return text

    def template(self, place: str, text: str, holes: Mapping[str, str]) -> str:
        """`text` with holes where marks, or characters, stand for them. Raises Departure.

        `holes` are their names by mark.
        """
        pieces = re.split(f"({'|'.join(holes)})", text)
        pieces[::2] = [self.literal(place, piece) for piece in pieces[::2]]
        pieces[1::2] = [f"{{{holes[piece]}}}" for piece in pieces[1::2]]
        return "".join(pieces)


def filled(template: str, values: Mapping[str, str]) -> str:
    """`template` with its holes filled in one pass."""
    return _HOLE.sub(lambda hole: values[hole[1]], template)
