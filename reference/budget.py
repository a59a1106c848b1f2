"""The greedy fill: how many lines fit a token budget, counted in time linear in the text."""

from collections.abc import Sequence

from .tokens import Count, TokenError


class FillError(ValueError):
    """The line at `position` can't be counted."""

    def __init__(self, position: int, reason: TokenError) -> None:
        super().__init__(f"line {position} can't be counted: {reason}")
        self.position = position
        self.reason = reason


def fill(lines: Sequence[str], headings: Sequence[str], budget: int, count: Count) -> int:
    """How many of `lines` to keep so that the block stays within `budget` tokens.

    `headings[i]` is the heading that the block has when line i is its last. The first line is
    always kept; the fill stops at the first line that would go over. Every line must start
    with "- [".

    It decides as counting the whole block at each step would, and encodes next to nothing twice:
    no text has more tokens than UTF-8 bytes, and o200k ends a piece at a newline before "- [",
    so counts of text up to such a newline and of the line after it add up.

    Raises FillError with the position of a line that can't be counted, TokenError when a
    heading can't.
    """
    counted = 0  # tokens of the kept lines that were encoded, each with its newline
    waiting: list[int] = []  # positions of the kept lines that were not
    unread = 0  # their bytes, each with its newline
    for position, line in enumerate(lines):
        opening, size = headings[position] + "\n", _octets(line)
        if position > 0 and counted + unread + _octets(opening) + size > budget:
            counted += sum(_counted(lines[kept] + "\n", kept, count) for kept in waiting)
            waiting, unread = [], 0
            room = budget - counted - count(opening)
            if size > room and _counted(line, position, count) > room:
                return position
        waiting.append(position)
        unread += size + 1
    return len(lines)


def _octets(text: str) -> int:
    return len(text.encode(errors="surrogatepass"))  # as many as U+FFFD, which is counted


def _counted(text: str, position: int, count: Count) -> int:
    try:
        return count(text)
    except TokenError as error:
        raise FillError(position, error) from None
