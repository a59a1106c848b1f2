"""The answer prompt, and what a context costs inside it."""

from .models import Model
from .text import units
from .tokens import Count, counter
from .wording import Wording, fill

UNITS_PER_TOKEN = 4  # of the estimate for models whose tokenizer is not public


def answer_prompt(
    question: str | None, question_date: str | None, context: str, version: str, words: Wording
) -> str:
    """The whole prompt, `version` v1 or v2; nothing that fills a hole is looked at again."""
    second = version == "v2"
    values = {
        "question": question or "",
        "question_date": question_date or words.no_date,
        "context": context,
        "v2_rules": words.v2_rules if second else "",
        "v2_instruction": words.v2_instruction if second else "",
    }
    return fill(words.prompt, values)


def prompt_tokens(prompt: str, model: Model, count: Count | None = None) -> int:
    """Tokens of `prompt` for `model`: exact where its encoding is known, else an estimate.

    Whoever shows the figure labels it an estimate when `model.encoding` is None. `count` is a
    counter of that encoding; one is made without it.
    """
    if model.encoding is None:
        return -(-units(prompt) // UNITS_PER_TOKEN)
    return (count or counter(model.encoding))(prompt)


def context_tokens(prompt: str, empty_prompt: str, model: Model, count: Count | None = None) -> int:
    """Tokens that a context adds: `prompt` less the same prompt on an empty list, at least 0."""
    count = count or (counter(model.encoding) if model.encoding else None)
    added = prompt_tokens(prompt, model, count) - prompt_tokens(empty_prompt, model, count)
    return max(0, added)
