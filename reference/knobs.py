"""The knobs: environment variables resolved together, and refused together, into one `Knobs`."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from .text import strip

LARGEST = 9007199254740991  # Number.MAX_SAFE_INTEGER: beyond it JavaScript rounds
NEAR = 2  # edits; a name this close to a knob's name is a typo, not somebody else's variable
OURS = ("MEMVARA_", "OPENAI_MODEL_")

_DIGITS = re.compile(r"0*([0-9]+)")  # int() refuses thousands of digits, zeros among them


class KnobError(ValueError):
    """An environment that no render may start from."""


class Knob(NamedTuple):
    """How one variable is read."""

    field: str
    off: Any  # what unset, empty or blank means
    accepts: str
    parse: Callable[[str], Any]  # of a value that is not blank; raises ValueError


def _integer(value: str, least: int) -> int:
    digits = _DIGITS.fullmatch(strip(value))
    if digits is None or not least <= int(digits[1]) <= LARGEST:
        raise ValueError
    return int(digits[1])


def _one_of(value: str, *accepted: str) -> str:
    if value not in accepted:
        raise ValueError
    return value


KNOBS = {
    "MEMVARA_SEARCH_K": Knob("search_k", 30, "an integer >= 1", lambda value: _integer(value, 1)),
    "MEMVARA_ROLE_SELECT": Knob(
        "role_select",
        "off",
        "exactly off, user or route",
        lambda value: _one_of(value, "off", "user", "route"),
    ),
    "MEMVARA_TOKEN_BUDGET": Knob(
        "token_budget", None, "an integer >= 1", lambda value: _integer(value, 1)
    ),
    "MEMVARA_HEAD_WHOLE": Knob(
        "head_whole", 0, "an integer >= 0", lambda value: _integer(value, 0)
    ),
    "MEMVARA_TAIL_CHARS": Knob(
        "tail_chars", 0, "an integer >= 0", lambda value: _integer(value, 0)
    ),
    "MEMVARA_TURNS_ONLY": Knob(
        "turns_only", False, "exactly 1", lambda value: _one_of(value, "1") == "1"
    ),
    "MEMVARA_ANSWER_PROMPT": Knob(
        "answer_prompt", "v1", "exactly v1 or v2", lambda value: _one_of(value, "v1", "v2")
    ),
    "MEMVARA_CONTEXT_FILE": Knob("context_file", None, "a path", strip),
    "MEMVARA_RANKED": Knob("ranked", False, "exactly 1", lambda value: _one_of(value, "1") == "1"),
    "OPENAI_MODEL_PREFIX": Knob("model_prefix", "", "any text", str),
}


class Knobs(NamedTuple):
    """Every knob's value; `Knobs.from_env({})` holds the defaults."""

    search_k: int  # hits asked for
    role_select: str
    token_budget: int | None  # tokens; None is no budget
    head_whole: int  # turns that are never cut
    tail_chars: int  # UTF-16 units; 0 cuts nothing
    turns_only: bool
    answer_prompt: str
    context_file: str | None
    ranked: bool
    model_prefix: str

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> "Knobs":
        """Resolve every knob from `env`, in which a missing variable is unset.

        Raises KnobError, naming the variable, for a misspelt name, a value that is not accepted
        and a pair of knobs that may not be combined.
        """
        _refuse_misspelt_names(env)
        resolved = {
            knob.field: _resolve(name, knob, env[name]) if name in env else knob.off
            for name, knob in KNOBS.items()
        }
        knobs = cls(**resolved)
        _refuse_hidden_order(knobs)
        return knobs

    def settings(self) -> dict[str, Any]:
        """The knobs that change a render or a request, by field name, as JSON holds them."""
        settings = self._asdict()
        del settings["model_prefix"]
        return settings


def _resolve(name: str, knob: Knob, value: str) -> Any:
    if not strip(value):
        return knob.off
    try:
        return knob.parse(value)
    except ValueError:
        raise KnobError(f"{name}={value!r} is not accepted: give {knob.accepts}") from None


def _refuse_misspelt_names(env: Mapping[str, str]) -> None:
    for name in env:
        if name not in KNOBS and name.startswith(OURS):
            distance, meant = min((edits(name, knob), knob) for knob in KNOBS)
            if distance <= NEAR:
                raise KnobError(f"{name} is no knob: did you mean {meant}?")


def _refuse_hidden_order(knobs: Knobs) -> None:
    if not knobs.ranked:
        return
    hiding = {
        "MEMVARA_ROLE_SELECT": knobs.role_select != "off",
        "MEMVARA_CONTEXT_FILE": knobs.context_file is not None,
        "MEMVARA_TAIL_CHARS": knobs.tail_chars > 0,
    }
    names = [name for name, hides in hiding.items() if hides]
    if names:
        raise KnobError(
            f"MEMVARA_RANKED=1 keeps the server's own order, which {' and '.join(names)} would "
            "hide: unset one side"
        )


def edits(left: str, right: str) -> int:
    """Plain Levenshtein distance, one row at a time."""
    row: list[int] = [*range(len(right) + 1)]
    for above, a in enumerate(left):
        previous, row = row, [above + 1]
        for column, b in enumerate(right):
            row.append(min(previous[column] + (a != b), previous[column + 1] + 1, row[-1] + 1))
    return row[-1]
