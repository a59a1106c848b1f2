"""Context items: what the renderer takes, read from JSON or from a search response."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

from .lines import Message, when
from .text import well_formed_json


class ItemError(ValueError):
    """An item, or a search response, that lacks what a render needs."""


class Absent(Enum):
    """The value of a field whose key is not there, which is not the same as null."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


@dataclass(frozen=True)
class Memory:
    """A claim. `valid_to` that is null, absent or empty is open-ended."""

    text: str
    state: str
    valid_from: str
    recorded_at: str
    valid_to: str | Absent | None = ABSENT
    subject: Any = ABSENT
    predicate: Any = ABSENT
    object: Any = ABSENT
    invalidated_at: Any = ABSENT
    score: Any = ABSENT
    sources: Any = ABSENT

    @cached_property
    def dates(self) -> Mapping[str, str]:
        """Its dates as they are printed, `valid_to` among them only when it has an end."""
        dates = {"valid_from": self.valid_from, "recorded_at": self.recorded_at}
        if isinstance(self.valid_to, str) and self.valid_to:
            dates["valid_to"] = self.valid_to
        return {name: when(stamp) for name, stamp in dates.items()}


@dataclass(frozen=True)
class Turn(Message):
    """A message. `selected` is null when the selector never saw it, absent after a plain read."""

    score: Any = ABSENT
    selected: bool | Absent | None = ABSENT
    span: Any = ABSENT


@dataclass(frozen=True)
class Selection:
    """What the server's selector says of itself; never rendered."""

    outcome: Any = ABSENT
    candidates: Any = ABSENT
    kept: Any = ABSENT
    reason: Any = ABSENT
    status: Any = ABSENT


@dataclass(frozen=True)
class Foreign:
    """An element of another kind, or no object at all: passed over, but it has a position."""

    value: Any


Item = Memory | Turn | Selection | Foreign

HITS = ("claim", "episode")  # the kinds of a hit
LONGEST_KIND = 20  # characters of another kind that are shown
MOST_KINDS = 20  # other kinds that are counted apart
OTHER_KINDS = "others"

KINDS: dict[str, type[Memory] | type[Turn] | type[Selection]] = {
    "memory": Memory,
    "turn": Turn,
    "selection": Selection,
}


class Rule(NamedTuple):
    """What a field must hold."""

    holds: Callable[[Any], bool]
    expected: str


def _is_end(value: Any) -> bool:
    return value is None or value is ABSENT or isinstance(value, str)


def _is_verdict(value: Any) -> bool:
    return any(value is known for known in (True, False, None, ABSENT))


_STRING = Rule(lambda value: isinstance(value, str), "a string")
_END = Rule(_is_end, "a string, null or nothing")
_VERDICT = Rule(_is_verdict, "true, false, null or nothing")

# No other field is looked at.
_RULES: dict[type, dict[str, Rule]] = {
    Memory: {
        "text": _STRING,
        "valid_from": _STRING,
        "recorded_at": _STRING,
        "state": _STRING,
        "valid_to": _END,
    },
    Turn: {"role": _STRING, "content": _STRING, "ts": _STRING, "selected": _VERDICT},
    Selection: {},
}

_FOUND = {
    Absent: "nothing",
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "an object",
}


def from_json(values: Any) -> list[Item]:
    """The items of a JSON list, in order, one for each element.

    Raises ItemError with index and field for a turn or a memory that can't be rendered.
    """
    if not isinstance(values, list):
        raise ItemError(f"items: expected a list, found {found(values)}")
    return [_from_json(index, value) for index, value in enumerate(well_formed_json(values))]


def _from_json(index: int, value: Any) -> Item:
    if isinstance(value, dict):
        for kind, item_type in KINDS.items():
            if value.get("kind") == kind:
                return _checked(f"items[{index}]", item_type, value)
    return Foreign(value)


def _checked(
    place: str, item_type: type[Memory] | type[Turn] | type[Selection], value: Any
) -> Item:
    given = _object(place, value)
    held = {field.name: given.get(field.name, ABSENT) for field in fields(item_type)}
    for name, rule in _RULES[item_type].items():
        if not rule.holds(held[name]):
            raise ItemError(f"{place}.{name}: expected {rule.expected}, found {found(held[name])}")
    return item_type(**held)


def found(value: Any) -> str:
    """What a value is, without its text: conversations are private."""
    return _FOUND.get(type(value), "no JSON value")


def to_json(item: Item) -> Any:
    """The JSON value of an item; a field that was absent stays absent."""
    if isinstance(item, Foreign):
        return item.value
    kind = next(kind for kind, item_type in KINDS.items() if isinstance(item, item_type))
    held = {field.name: getattr(item, field.name) for field in fields(item)}
    return {"kind": kind} | {name: value for name, value in held.items() if value is not ABSENT}


def from_response(response: Any) -> list[Item]:
    """The items of a `/v1/search` response: its hits in order, then its selection if it has one.

    Hits of another kind are passed over. Raises ItemError with the position of a hit that lacks
    its fields.
    """
    response = _object("the response", well_formed_json(response))
    results = response.get("results", ABSENT)
    if not isinstance(results, list):
        raise ItemError(f"results: expected a list, found {found(results)}")
    items: list[Item] = []
    for position, hit in enumerate(results):
        items += _from_hit(f"results[{position}]", hit)
    if response.get("selection") is not None:
        items.append(_checked("selection", Selection, response["selection"]))
    return items


def note_unknown(response: Any, counts: Counter[str], masked: Callable[[str], str]) -> None:
    """Count the hits that `from_response` passes over, by kind.

    What a server calls a kind is masked and shown as a literal, cut; after so many kinds the rest
    are one.
    """
    for hit in response["results"]:
        kind = hit.get("kind", ABSENT) if isinstance(hit, dict) else hit
        if isinstance(hit, dict) and kind in HITS:
            continue
        name = repr(masked(kind)[:LONGEST_KIND]) if isinstance(kind, str) else found(kind)
        counts[name if name in counts or len(counts) < MOST_KINDS else OTHER_KINDS] += 1


def _from_hit(place: str, hit: Any) -> list[Item]:
    match hit:
        case {"kind": "claim"}:
            return [_from_claim(place, hit)]
        case {"kind": "episode"}:
            return [_from_episode(place, hit)]
        case _:
            return []


def _from_claim(place: str, hit: dict[str, Any]) -> Item:
    memory = _object(f"{place}.memory", hit.get("memory", ABSENT))
    valid = _object(f"{place}.memory.valid_time", memory.get("valid_time", ABSENT))
    recorded = _object(f"{place}.memory.transaction_time", memory.get("transaction_time", ABSENT))
    said = _picked(memory, "text", "subject", "predicate", "object", "state")
    dates = _picked(valid, "valid_from", "valid_to") | _picked(
        recorded, "recorded_at", "invalidated_at"
    )
    sources = {"sources": memory.get("source_ids", ABSENT)}
    return _checked(place, Memory, said | dates | sources | _picked(hit, "score"))


def _from_episode(place: str, hit: dict[str, Any]) -> Item:
    episode = _object(f"{place}.episode", hit.get("episode", ABSENT))
    ranking = {} if hit.get("ranking") is None else _object(f"{place}.ranking", hit["ranking"])
    said = _picked(episode, "role", "content", "ts")
    ranked = _picked(ranking, "selected", "span")
    return _checked(place, Turn, said | ranked | _picked(hit, "score"))


def _picked(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value[name] for name in names if name in value}


def _object(place: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ItemError(f"{place}: expected an object, found {found(value)}")
    return value
