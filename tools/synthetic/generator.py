"""Seeded synthetic search results: the same seed gives the same items on every Python."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, TypeVar

from .stock import ASSISTANT, ASSISTANT_ANYWHERE, MEMORIES, USER, USER_ANYWHERE, WORDS

Item = dict[str, Any]
T = TypeVar("T")

# Words that a turn aims at, lowest and highest. It ends with the sentence that gets it there, so
# that user turns have 18 to 90 words and assistant turns 140 to 600.
TARGET_WORDS = {"user": (18, 68), "assistant": (140, 568)}
USER_SHARE = 16 / 30  # of the turns of a result

# Lengths in UTF-16 units at which a turn may be cut without splitting anything drawn as one sign.
CUTS = (1, 2, 7, 16, 40, 80, 120, 200, 400, 720, 1000, 1500, 2500)
SIGN = re.compile(
    "[\U00010000-\U0010ffff][\ufe0f\U0001f3fb-\U0001f3ff]*"
    "(?:\u200d[\U00010000-\U0010ffff][\ufe0f\U0001f3fb-\U0001f3ff]*)*"
)


def turns(count: int, seed: int) -> list[Item]:
    """Return `count` turn items in order of falling score, user and assistant turns mixed."""
    random = Random(seed)
    return [_turn(random, role, rank, count) for rank, role in enumerate(_roles(random, count))]


def memories(count: int, seed: int) -> list[Item]:
    """Return `count` memory items in order of falling score; the second of each four has ended."""
    random = Random(seed)
    return [_memory(random, rank, count) for rank in range(count)]


def ranked(items: list[Item]) -> list[Item]:
    """Return memories and turns in the order of one ranking: by falling score."""
    return sorted(items, key=lambda item: item["score"], reverse=True)


def splits_a_sign(content: str) -> bool:
    """Say whether a cut at one of `CUTS` would fall inside an emoji of `content`."""
    return any(
        _units(content[: sign.start()]) < cut < _units(content[: sign.end()])
        for sign in SIGN.finditer(content)
        for cut in CUTS
    )


def _roles(random: Random, count: int) -> list[str]:
    """Deal the roles out in an order that has no pattern."""
    users = round(count * USER_SHARE)
    deck = ["user"] * users + ["assistant"] * (count - users)
    return [_draw(random, deck) for _ in range(count)]


def _turn(random: Random, role: str, rank: int, count: int) -> Item:
    content = _content(random, role)
    while splits_a_sign(content):
        content = _content(random, role)
    score = _score(random, rank, count)
    turn = {"kind": "turn", "role": role, "content": content, "ts": _stamp(random), "score": score}
    return turn | _selection(random, content)


def _selection(random: Random, content: str) -> Item:
    """Return what a ranked search adds to a turn; a plain one adds nothing."""
    if random.random() < 0.25:
        return {}
    selected = _pick(random, (True, False, None))
    span = re.split(r"(?<=[.?!])\s(?=[A-Z])", content)[0] if selected else None
    return {"selected": selected, "span": span}


def _memory(random: Random, rank: int, count: int) -> Item:
    predicate, thing, text = MEMORIES[rank % len(MEMORIES)]
    ended = rank % 4 == 1
    begin, end = sorted([_stamp(random), _stamp(random)])
    return {
        "kind": "memory",
        "text": text,
        "subject": "user",
        "predicate": predicate,
        "object": thing,
        "state": "ended" if ended else "live",
        "valid_from": begin,
        "valid_to": end if ended else None,
        "recorded_at": end,
        "invalidated_at": None,
        "score": _score(random, rank, count),
        "sources": [f"ep_{rank + 1:04}"],
    }


def _content(random: Random, role: str) -> str:
    """Write one turn: sentences about one topic and about nothing in particular."""
    by_topic, anywhere = (
        (USER, USER_ANYWHERE) if role == "user" else (ASSISTANT, ASSISTANT_ANYWHERE)
    )
    low, high = TARGET_WORDS[role]
    target = low + _below(random, high - low + 1)
    stock = by_topic[_pick(random, list(by_topic))] + anywhere
    content, deck = "", list(stock)
    while len(content.split()) < target:
        deck = deck or list(stock)
        content += _gap(random, role) * bool(content) + _sentence(random, _draw(random, deck))
    return content


def _gap(random: Random, role: str) -> str:
    """Return what stands between two sentences; only assistants write paragraphs."""
    return "\n\n" if role == "assistant" and random.random() < 0.2 else " "


def _sentence(random: Random, template: str) -> str:
    text = re.sub(r"\{(\w+)\}", lambda hole: _pick(random, WORDS[hole[1]]), template)
    return text[0].upper() + text[1:]


def _score(random: Random, rank: int, count: int) -> float:
    """Return a score below the one of the rank before, between 0 and 0.95."""
    return round(0.95 * (count - rank - 0.9 * random.random()) / count, 6)


def _stamp(random: Random) -> str:
    begin = datetime(2026, 1, 1, tzinfo=UTC)
    return (begin + timedelta(seconds=_below(random, 300 * 86_400))).isoformat()


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


# Only random() is promised to give the same numbers on every version of Python.
def _below(random: Random, bound: int) -> int:
    return int(random.random() * bound)


def _pick(random: Random, values: Sequence[T]) -> T:
    return values[_below(random, len(values))]


def _draw(random: Random, deck: list[T]) -> T:
    return deck.pop(_below(random, len(deck)))
