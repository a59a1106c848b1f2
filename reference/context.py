"""Rendering a context: override, claims, role, cut, budget, blocks, in this order."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from . import overrides, wording
from .budget import FillError, fill
from .items import ABSENT, Item, Memory, Turn
from .knobs import Knobs
from .routing import asks_assistant
from .text import WHITESPACE, cut
from .tokens import Count, counter
from .wording import Wording

BLANKS = 999_000  # consecutive ones in a turn; tiktoken fails near a million
SHOWN = 60  # UTF-16 units of the question in a warning

# A search tries the start of each run alone, or else it would take quadratic time.
_BLANKS = re.compile(f"(?<![{WHITESPACE}])[{WHITESPACE}]{{{BLANKS}}}")
_STAMP = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})T([0-9]{2}:[0-9]{2})")


class RenderError(ValueError):
    """An item that can't be rendered under these knobs."""


class Rendered(NamedTuple):
    """The context and what the edge should log about it."""

    text: str
    warnings: tuple[str, ...]


class Line(NamedTuple):
    """One turn as printed."""

    item: int  # its position among the items
    text: str
    is_cut: bool


def render_context(
    items: Sequence[Item],
    question: str | None,
    knobs: Knobs,
    *,
    words: Wording | None = None,
    load_context: Callable[[str], overrides.ContextFile] = overrides.load,
    count: Count | None = None,
) -> Rendered:
    """The context block for `question` over ranked `items`, without a final newline.

    Pure but for its defaults: without `words` the shipped wording is read, and without `count`
    a counter is made that loads its encoder when a budget needs one (half a second each time).

    Raises ContextFileError when a context file is bad or lacks the question, RenderError with
    the index of an item that can't be counted.
    """
    if knobs.context_file is not None and items:
        file = load_context(knobs.context_file)
        return Rendered(overrides.block(file, question, knobs.context_file), file.warnings)
    words = words or wording.load()
    memories = [item for item in items if isinstance(item, Memory) and not knobs.turns_only]
    turns = [(index, item) for index, item in enumerate(items) if isinstance(item, Turn)]
    if knobs.token_budget is not None:
        _refuse_blanks(turns)
    selected, warnings = _select(turns, question, knobs)
    lines = [_line(rank, *turn, knobs, words) for rank, turn in enumerate(selected)]
    kept = _fit(lines, knobs.token_budget, words, count or counter())
    blocks = _memories_block(memories, words) + _turns_block(kept, words)
    return Rendered("\n\n".join(blocks) or words.empty, warnings)


def _refuse_blanks(turns: Iterable[tuple[int, Turn]]) -> None:
    for index, turn in turns:
        for text in (turn.role, turn.content, turn.ts):
            if _BLANKS.search(text):
                raise RenderError(
                    f"items[{index}]: {BLANKS:,} or more blanks in a row can't be counted"
                )


def _select(
    turns: list[tuple[int, Turn]], question: str | None, knobs: Knobs
) -> tuple[list[tuple[int, Turn]], tuple[str, ...]]:
    """The turns that MEMVARA_ROLE_SELECT keeps, and a warning when it empties the list."""
    if knobs.role_select == "off":
        return turns, ()
    routed = knobs.role_select == "route" and asks_assistant(question)
    role = "assistant" if routed else "user"
    kept = [(index, turn) for index, turn in turns if turn.role == role]
    if kept or not turns:
        return kept, ()
    return kept, (
        f"MEMVARA_ROLE_SELECT={knobs.role_select} keeps {role} turns and there is none among "
        f"{len(turns)}; question: {cut(question or '', SHOWN)!r}",
    )


def _line(rank: int, index: int, turn: Turn, knobs: Knobs, words: Wording) -> Line:
    content = turn.content
    if knobs.tail_chars > 0 and rank >= knobs.head_whole:
        content = cut(content, knobs.tail_chars)
    is_cut = content != turn.content
    ending = words.ellipsis if is_cut else ""
    return Line(index, f"- [{when(turn.ts)}] {turn.role}: {content}{ending}", is_cut)


def _fit(lines: list[Line], budget: int | None, words: Wording, count: Count) -> list[Line]:
    if budget is None:
        return lines
    texts = [line.text for line in lines]
    cuts = accumulate(line.is_cut for line in lines)
    headings = [_turns_heading(lines_cut, words) for lines_cut in cuts]
    try:
        return lines[: fill(texts, headings, budget, count)]
    except FillError as error:
        index = lines[error.position].item
        raise RenderError(f"items[{index}] can't be counted: {error.reason}") from None


def _turns_heading(lines_cut: int, words: Wording) -> str:
    return words.turns_heading_cut if lines_cut > 0 else words.turns_heading


def _turns_block(lines: list[Line], words: Wording) -> list[str]:
    if not lines:
        return []
    heading = _turns_heading(sum(line.is_cut for line in lines), words)
    return ["\n".join([heading, *(line.text for line in lines)])]


def _memories_block(memories: list[Memory], words: Wording) -> list[str]:
    if not memories:
        return []
    return ["\n".join([words.memories_heading, *(_memory(item, words) for item in memories)])]


def _memory(memory: Memory, words: Wording) -> str:
    values = {"valid_from": when(memory.valid_from), "recorded_at": when(memory.recorded_at)}
    template = words.dates_open
    if memory.valid_to is not None and memory.valid_to is not ABSENT and memory.valid_to != "":
        template = words.dates_ended
        values["valid_to"] = when(memory.valid_to)
    return f"- [{wording.fill(template, values)}, {memory.state}] {memory.text}"


def when(stamp: str) -> str:
    """A stamp as lines print it: date and minute if it starts as ISO 8601, else unchanged."""
    found = _STAMP.match(stamp)
    return f"{found[1]} {found[2]}" if found else stamp
