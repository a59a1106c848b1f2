"""The greedy fill: which lines fit a token budget, counted in time linear in the text."""

from collections.abc import Iterable

from .lines import Line
from .tokens import Count, TokenError


class FillError(ValueError):
    """The line at `position` can't be counted."""

    def __init__(self, position: int, reason: TokenError) -> None:
        super().__init__(f"line {position} can't be counted: {reason}")
        self.position = position
        self.reason = reason


def fill(
    lines: Iterable[Line], headings: tuple[Line, Line], budget: int, count: Count
) -> list[Line]:
    """The first of `lines`, as many as keep the block within `budget` tokens.

    A block has the first heading while none of its lines is cut, the second from then on. The
    first line is always kept; the fill stops at the first line that would go over, and asks for
    none beyond it. Every line must start with "- [".

    It decides as counting the whole block at each step would, and encodes next to nothing twice:
    no text has more tokens than UTF-8 bytes, and o200k ends a piece at a newline before "- [",
    so counts of text up to such a newline and of the line after it add up.

    Raises FillError with the position of a line that can't be counted, TokenError when a
    heading can't.
    """
    kept: list[Line] = []
    counted = 0  # tokens of the kept lines that were encoded, each with its newline
    waiting = 0  # position of the first kept line that was not
    unread = 0  # bytes of those that were not, each with its newline
    heading = headings[0]
    for position, line in enumerate(lines):
        if line.is_cut:
            heading = headings[1]
        opening = heading.octets + 1
        if position > 0 and counted + unread + opening + line.octets > budget:
            for late in range(waiting, position):
                counted += _counted(kept[late].ended, late, count)
            waiting, unread = position, 0
            room = budget - counted - count(heading.ended)
            if line.octets > room and _counted(line.text, position, count) > room:
                break
        kept.append(line)
        unread += line.octets + 1
    return kept


def _counted(text: str, position: int, count: Count) -> int:
    try:
        return count(text)
    except TokenError as error:
        raise FillError(position, error) from None
