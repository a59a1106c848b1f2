"""The wording: every sentence that a render or a prompt prints, from one data file."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from .lines import Line

# The holes that a text may have. Those of `prompt` must all be there.
HOLES = {
    "dates_open": ("valid_from", "recorded_at"),
    "dates_ended": ("valid_from", "valid_to", "recorded_at"),
    "prompt": ("question", "question_date", "context", "v2_rules", "v2_instruction"),
}

_HOLE = re.compile(r"\{([a-z0-9_]+)\}")


class WordingError(ValueError):
    """A wording file that can't be used."""


@dataclass(frozen=True)
class Wording:
    """The texts, as they are printed; a name in braces is a hole."""

    memories_heading: str
    turns_heading: str
    turns_heading_cut: str
    dates_open: str
    dates_ended: str
    empty: str
    ellipsis: str
    no_date: str
    prompt: str
    v2_rules: str
    v2_instruction: str

    @cached_property
    def turns_headings(self) -> tuple[Line, Line]:
        """The heading of turns of which none is cut, and of turns of which one is."""
        return Line(self.turns_heading), Line(self.turns_heading_cut)

    def filled(self, name: str, values: Mapping[str, str]) -> str:
        """A text with its holes filled in one pass: what a value holds is never a hole."""
        texts = [*self._split[name]]
        texts[1::2] = [values[hole] for hole in texts[1::2]]
        return "".join(texts)

    @cached_property
    def _split(self) -> dict[str, list[str]]:
        """The texts that have holes; every second part is the name of one."""
        return {name: _HOLE.split(getattr(self, name)) for name in HOLES}


def parse(data: bytes, source: Path) -> Wording:
    """The wording in a TOML file's bytes.

    Raises WordingError, naming `source`, unless the file holds exactly the fields of Wording,
    all strings, with the holes that each may have.
    """
    try:
        texts = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise WordingError(f"{source}: no TOML file in UTF-8: {error}") from None
    names = {field.name for field in fields(Wording)}
    wrong = sorted(names.symmetric_difference(texts))
    if wrong:
        raise WordingError(f"{source}: missing or unknown: {', '.join(wrong)}")
    return Wording(**{name: _checked(source, name, text) for name, text in texts.items()})


def _checked(source: Path, name: str, text: Any) -> str:
    if not isinstance(text, str):
        raise WordingError(f"{source}: {name} must be a string")
    allowed = HOLES.get(name, ())
    holes = set(_HOLE.findall(text))
    unknown = sorted(holes.difference(allowed))
    if unknown:
        raise WordingError(f"{source}: {name} can't have {{{unknown[0]}}}")
    missing = sorted(set(allowed) - holes)
    if name == "prompt" and missing:
        raise WordingError(f"{source}: {name} lacks {{{missing[0]}}}")
    return text


def load(path: Path | None = None) -> Wording:
    """The wording in the file at `path`, ours by default. Raises WordingError, OSError."""
    source = Path(__file__).with_name("wording.toml") if path is None else path
    return parse(source.read_bytes(), source)
