"""One question: ingested and searched, and what an arm makes of what was found."""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from reference import wording
from reference.context import Rendered, render_context
from reference.items import Item
from reference.knobs import Knobs
from reference.models import Model
from reference.overrides import ContextFile
from reference.prompt import answer_prompt, context_tokens, counter_for
from reference.provider import Provider, Session
from reference.text import collapse
from reference.tokens import Count, counter
from reference.wording import Wording

from ..project import longmemeval
from ..project.longmemeval import Question
from .plan import Arm, context_loader

BUDGETS_IN = "o200k_base"


class Asked(NamedTuple):
    """What a prompt is made for, and the texts of the turns that hold the answer."""

    question: str
    date: str | None
    labelled: Sequence[str]


@dataclass(frozen=True)
class Renderer:
    """What every render needs and what is slow to load."""

    words: Wording
    load_context: Callable[[str], ContextFile]
    count_block: Count  # for budgets
    count_prompt: Count  # as the answering model does

    def warm(self, budgets: bool) -> None:
        """Load what counts prompts, and with `budgets` blocks; half a second for an encoding."""
        self.count_prompt("")
        if budgets:
            self.count_block("")


class Measured(NamedTuple):
    """An arm's prompt for one question, in tokens of the answering model."""

    prompt: str
    prompt_tokens: int
    base_prompt_tokens: int  # of the same prompt on an empty list
    context_tokens: int
    kept: list[bool]  # for each labelled turn, whether the block holds its whole text
    warnings: tuple[str, ...]


def renderer(model: Model, goldens: Path) -> Renderer:
    """A renderer that counts for `model`, with one encoder for each encoding."""
    counters = functools.cache(counter)
    count_prompt = counters(model.encoding) if model.encoding else counter_for(model)
    return Renderer(wording.load(), context_loader(goldens), counters(BUDGETS_IN), count_prompt)


def tag_of(question_id: str) -> str:
    """The user that a question's haystack is stored for."""
    return f"goldens-{question_id}"


def retrieve(question: Question, arms: Iterable[Arm], provider: Provider) -> dict[str, list[Item]]:
    """Store the haystack and search it once for each retrieval; what was found, by its name.

    Raises ClientError or RequestError.
    """
    tag = tag_of(question.question_id)
    provider.ingest(tag, [_session(each) for each in question.sessions])
    provider.await_indexing(tag)
    searches = {arm.retrieval: provider._replace(knobs=arm.knobs) for arm in arms}
    return {name: each.search(question.question, tag) for name, each in searches.items()}


def _session(session: longmemeval.Session) -> Session:
    messages = [{"role": turn.role, "content": turn.content} for turn in session.turns]
    return Session(session.key, session.date, messages)


def measure(asked: Asked, items: Sequence[Item], knobs: Knobs, renderer: Renderer) -> Measured:
    """Render one prompt and count it. Raises RenderError, ContextFileError or TokenError."""
    rendered = _rendered(asked, items, knobs, renderer)
    empty = _rendered(asked, (), knobs, renderer)
    prompt, base = (
        answer_prompt(asked.question, asked.date, each.text, knobs.answer_prompt, renderer.words)
        for each in (rendered, empty)
    )
    tokens = {text: renderer.count_prompt(text) for text in (prompt, base)}
    block = collapse(rendered.text)  # the text alone counts: a context file may have other lines
    return Measured(
        prompt,
        tokens[prompt],
        tokens[base],
        context_tokens(prompt, base, tokens.__getitem__),
        [collapse(text) in block for text in asked.labelled],
        rendered.warnings,
    )


def _rendered(asked: Asked, items: Sequence[Item], knobs: Knobs, renderer: Renderer) -> Rendered:
    return render_context(
        items,
        asked.question,
        knobs,
        words=renderer.words,
        load_context=renderer.load_context,
        count=renderer.count_block,
    )
