"""The answer prompt, and what a context costs inside it."""

from .models import Model
from .text import units
from .tokens import Count, counter
from .wording import Wording

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
    return words.filled("prompt", values)


def counter_for(model: Model) -> Count:
    """A function that counts as `model` does: exactly where its encoding is known, else estimated.

    Whoever shows its figures labels them an estimate when `model.encoding` is None.
    """
    return counter(model.encoding) if model.encoding else _estimate


def _estimate(text: str) -> int:
    return -(-units(text) // UNITS_PER_TOKEN)


def context_tokens(prompt: str, empty_prompt: str, count: Count) -> int:
    """Tokens that a context adds: `prompt` less the same prompt on an empty list, at least 0."""
    return max(0, count(prompt) - count(empty_prompt))
