"""Reducing a difference: the fewest knobs, then the fewest items, then the shortest texts."""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

Env = tuple[tuple[str, str], ...]


def fewest_knobs(differs: Callable[[Env], bool], env: Mapping[str, str]) -> Env:
    """The smallest part of `env` under which the two still differ, else all of it."""
    settings = sorted(env.items())
    for size in range(len(settings)):
        for some in combinations(settings, size):
            if differs(some):
                return some
    return tuple(settings)


def fewest_items(differs: Callable[[list[Any]], bool], items: list[Any]) -> list[Any]:
    """A part of `items` that still differs and of which none can be left out."""
    size = max(1, len(items) // 2)
    while True:
        fewer = next(filter(differs, _without(items, size)), None)
        if fewer is not None:
            items = fewer
        elif size == 1:
            return items
        else:
            size //= 2


def _without(items: list[Any], size: int) -> Iterator[list[Any]]:
    """`items` less `size` of them in a row, the last ones first."""
    for stop in range(len(items), 0, -size):
        yield items[: max(0, stop - size)] + items[stop:]


def shortest_texts(differs: Callable[[list[Any]], bool], items: list[Any]) -> list[Any]:
    """`items` with fields dropped and texts halved for as long as they still differ."""
    while (fewer := next(filter(differs, _shorter(items)), None)) is not None:
        items = fewer
    return items


def _shorter(items: list[Any]) -> Iterator[list[Any]]:
    for index, item in enumerate(items):
        for name in item if isinstance(item, dict) else ():
            for simpler in _simpler(item, name):
                yield [*items[:index], simpler, *items[index + 1 :]]


def _simpler(item: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    """`item` without a field, or with less text in it."""
    if name == "kind":
        return
    yield {key: value for key, value in item.items() if key != name}
    text = item[name]
    if isinstance(text, str) and text:
        half = len(text) // 2
        yield from (item | {name: part} for part in (text[:half], text[half:]) if part != text)
