"""Recorded search results: the shapes in which they lie on disk, read into items."""

from typing import NamedTuple

from reference import items
from reference.items import Item
from reference.text import well_formed_json

from ..exits import Stop
from .json_files import parse_json


class Results(NamedTuple):
    """A file of search results."""

    items: list[Item]
    question: str | None  # the file's own, if it names one


def parse_results(text: str, source: str) -> Results:
    """Items from a list of items, a case, a search response or a MemoryBench result file.

    Raises Stop or ItemError.
    """
    value = parse_json(text, source)
    if isinstance(value, list):
        return Results(items.from_json(value), None)
    if isinstance(value, dict) and "items" in value:
        return Results(items.from_json(value["items"]), None)
    if isinstance(value, dict) and "question" in value and "results" in value:
        question = value["question"]
        if question is not None and not isinstance(question, str):
            raise Stop(f"{source}: question must be a string or null")
        return Results(items.from_json(value["results"]), well_formed_json(question))
    if isinstance(value, dict) and "results" in value:
        hits = items.from_response(value)
        if value["results"] and not hits:
            raise Stop(f"{source}: none of its hits is a claim or an episode: each needs a kind")
        return Results(hits, None)
    raise Stop(
        f"{source}: expected a list of items, a /v1/search response or a result file with "
        "question and results"
    )


def refuse_foreign(found: list[Item], source: str) -> None:
    """Raises Stop for a list in some other shape: it would render as if memory held nothing."""
    if found and all(isinstance(item, items.Foreign) for item in found):
        raise Stop(
            f"{source}: none of its {len(found)} elements is a memory, a turn or a selection: "
            "each needs a kind"
        )
