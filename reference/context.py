"""Rendering a context: override, claims, role, cut, budget, blocks, in this order."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from . import overrides, wording
from .budget import FillError, fill
from .items import Item, Memory, Turn
from .knobs import Knobs
from .lines import BLANKS, Line
from .routing import asks_assistant
from .text import cut
from .tokens import Count, counter
from .wording import Wording

SHOWN = 60  # UTF-16 units of the question in a warning


class RenderError(ValueError):
    """An item that can't be rendered under these knobs."""


class Rendered(NamedTuple):
    """The context and what the edge should log about it."""

    text: str
    warnings: tuple[str, ...]


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
    kept = _fit(selected, knobs, words, count or counter())
    blocks = _memories_block(memories, words) + _turns_block(kept, words)
    return Rendered("\n\n".join(blocks) or words.empty, warnings)


def _refuse_blanks(turns: Iterable[tuple[int, Turn]]) -> None:
    for index, turn in turns:
        if turn.has_long_blanks:
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


def _fit(turns: list[tuple[int, Turn]], knobs: Knobs, words: Wording, count: Count) -> list[Line]:
    """The lines of the turns that fit the budget, as they are cut at their ranks."""
    lines = (
        turn.line(knobs.tail_chars if rank >= knobs.head_whole else 0, words.ellipsis)
        for rank, (_, turn) in enumerate(turns)
    )
    if knobs.token_budget is None:
        return list(lines)
    try:
        return fill(lines, words.turns_headings, knobs.token_budget, count)
    except FillError as error:
        index, _ = turns[error.position]
        raise RenderError(f"items[{index}] can't be counted: {error.reason}") from None


def _turns_block(lines: list[Line], words: Wording) -> list[str]:
    if not lines:
        return []
    heading = words.turns_headings[any(line.is_cut for line in lines)]
    return ["\n".join([heading.text, *(line.text for line in lines)])]


def _memories_block(memories: list[Memory], words: Wording) -> list[str]:
    if not memories:
        return []
    return ["\n".join([words.memories_heading, *(_memory(item, words) for item in memories)])]


def _memory(memory: Memory, words: Wording) -> str:
    template = "dates_ended" if "valid_to" in memory.dates else "dates_open"
    return f"- [{words.filled(template, memory.dates)}, {memory.state}] {memory.text}"
