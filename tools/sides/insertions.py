"""One text inside a longer one: what the longer one has more, in two places at most."""

import os
from difflib import SequenceMatcher
from typing import NamedTuple


class Insertion(NamedTuple):
    """`text`, put into the shorter text before the character at `at`."""

    at: int
    text: str


class OtherChange(Exception):
    """The longer text is not the shorter one with two texts put in; `expected` would be so."""

    def __init__(self, expected: str) -> None:
        super().__init__(expected)
        self.expected = expected


def insertions(shorter: str, longer: str) -> list[Insertion]:
    """The two texts at most, in order, that `longer` has more than `shorter`.

    Of places that come to the same, one at which a text is whole lines is preferred. Raises
    OtherChange.
    """
    if shorter == longer:
        return []
    head, tail = _alike(shorter, longer), _alike(shorter[::-1], longer[::-1])
    more = len(longer) - len(shorter)
    if more > 0 and head + tail >= len(shorter):
        return [_placed(shorter, longer, head, 0, more)]
    between = shorter[head : len(shorter) - tail]
    at = longer.find(between, head, len(longer) - tail)
    if at < 0:
        raise OtherChange(_with_two(shorter, longer))
    first = at - head
    return [
        _placed(shorter, longer, head, 0, first),
        _placed(shorter, longer, len(shorter) - tail, first, more - first),
    ]


def _alike(left: str, right: str) -> int:
    """How many characters both begin with."""
    return len(os.path.commonprefix([left, right]))  # noqa: RUF071, characters are meant


def _placed(shorter: str, longer: str, at: int, shift: int, size: int) -> Insertion:
    """The insertion of `size` characters at `at`, moved to the best place that gives the same.

    `shift` is how much `longer` has more before it.
    """
    first = last = at
    while first > 0 and shorter[first - 1] == longer[first + shift + size - 1]:
        first -= 1
    while last < len(shorter) and shorter[last] == longer[last + shift]:
        last += 1
    places = range(first, last + 1)
    after_lines = (place for place in places if longer[place + shift] == "\n")
    before_lines = (place for place in places if longer[place + shift + size - 1] == "\n")
    best = next(after_lines, next(before_lines, last))
    return Insertion(best, longer[best + shift : best + shift + size])


def _with_two(shorter: str, longer: str) -> str:
    """`longer` as far as its lines are those of `shorter` with two runs put in, then `shorter`."""
    ours, theirs = (f"{text}\n".splitlines(keepends=True) for text in (shorter, longer))
    runs = 0
    for change, i, _, j, _ in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        runs += change == "insert"
        if change in ("replace", "delete") or runs > 2:
            return "".join([*theirs[:j], *ours[i:]]).removesuffix("\n")
    return shorter
