"""What a reader of the figures has to know besides them: a line each."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress

import tiktoken

from reference.knobs import KnobError, Knobs
from reference.models import Model

from ..project.layout import Project
from .plan import Arm

MOST_KINDS = 5  # of hits that are named


def of_model(model: Model) -> Iterator[str]:
    """Whether the model's encoding is a guess."""
    if model.encoding == "cl100k_base" and not _is_known(model):
        yield (
            f"the encoding of {model.alias!r} is not known: its tokens are counted as cl100k_base"
        )


def _is_known(model: Model) -> bool:
    try:
        return tiktoken.encoding_name_for_model(model.id) == model.encoding
    except KeyError:
        return False


def of_unranked(arms: Iterable[Arm], project: Project) -> Iterator[str]:
    """Which arms ask the embedded memvara, which can't, to select; and what they equal."""
    for arm in arms:
        if arm.knobs.ranked:
            same = next(_of_knobs(arm.knobs._replace(ranked=False), project), "")
            equal = same or "the same arm without MEMVARA_RANKED"
            yield (
                f"{arm.name} equals {equal} here: the embedded memvara has no selector, so that "
                "nothing is selected"
            )


def _of_knobs(knobs: Knobs, project: Project) -> Iterator[str]:
    for name, arm in project.arms.items():
        with suppress(KnobError):
            if Knobs.from_env(arm.env) == knobs:
                yield name


def of_hits(passed_over: Counter[str]) -> Iterator[str]:
    """How many hits of which unknown kinds were passed over in a run."""
    if passed_over:
        named = passed_over.most_common(MOST_KINDS)
        kinds = [f"{count:,} {kind}" for kind, count in named]
        others = passed_over.total() - sum(count for _, count in named)
        if others:
            kinds.append(f"{others:,} of other kinds")
        yield f"hits of unknown kinds were passed over: {', '.join(kinds)}"
