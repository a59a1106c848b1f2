"""Reads a LongMemEval data set: one question at a time, whatever the size of the file."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reference.scoring import ScoringError, is_labelled
from reference.text import well_formed_json

from ..exits import Stop
from .streaming import elements

DATE = re.compile(r"(\d{4})/(\d\d)/(\d\d) \((?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\) (\d\d):(\d\d)", re.A)


@dataclass(frozen=True)
class Turn:
    """One message, verbatim; `labelled` when the data set says that it holds the answer."""

    role: str
    content: str
    labelled: bool


@dataclass(frozen=True)
class Session:
    """One conversation: a key that no other has, and its date as an ISO 8601 time in UTC."""

    key: str
    date: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True)
class Question:
    """One item. `date` is as the data set writes it; `answer` is text or an integer."""

    question_id: str
    type: str
    question: str
    date: str | None
    answer: str | int
    sessions: tuple[Session, ...]


def questions(path: Path) -> Iterator[Question]:
    """The questions of a data set file, in order.

    Raises Stop, with question and session or turn, for anything that is not as LongMemEval has it.
    """
    for item in items(path):
        try:
            yield _question(item)
        except (Malformed, ScoringError) as error:
            raise Stop(f"{path}: {error}") from error


def items(path: Path) -> Iterator[dict[str, Any]]:
    """The data set's items as JSON, text made well-formed, all that a question needs in place.

    Raises Stop as `questions` does, but looks at neither dates nor labels.
    """
    seen: set[str] = set()
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for position, item in enumerate(elements(file)):
                yield _checked(well_formed_json(item), position, seen)
    except OSError as error:
        raise Stop(f"cannot read the data set {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise Stop(f"{path} is not a JSON list: {error}") from error
    except Malformed as error:
        raise Stop(f"{path}: {error}") from error
    if not seen:
        raise Stop(f"{path} holds no questions")


class Malformed(Exception):
    """An item that is not as LongMemEval has it; says where and what was expected."""


def _checked(item: Any, position: int, seen: set[str]) -> dict[str, Any]:
    """`item`, when it has the shape of a question and an id that was not `seen` yet."""
    name = _field(item, "question_id", str, f"item {position}")
    if name in seen:
        raise Malformed(f"{name}: two questions have this id")
    seen.add(name)
    for field in ("question_type", "question"):
        _field(item, field, str, name)
    if type(item.get("answer")) not in (str, int):
        raise Malformed(f"{name}: answer must be a string or an integer")
    if not isinstance(item.get("question_date"), str | None):
        raise Malformed(f"{name}: question_date must be a string")
    sessions = _field(item, "haystack_sessions", list, name)
    if len(_field(item, "haystack_dates", list, name)) != len(sessions):
        raise Malformed(f"{name}: haystack_dates and haystack_sessions differ in length")
    for number, session in enumerate(sessions):
        place = f"{name}: haystack_sessions[{number}]"
        if not isinstance(session, list):
            raise Malformed(f"{place} must be a list")
        for index, turn in enumerate(session):
            _field(turn, "role", str, f"{place}[{index}]")
            _field(turn, "content", str, f"{place}[{index}]")
    return dict(item)


def _field(value: Any, name: str, kind: type, place: str) -> Any:
    if not isinstance(value, dict):
        raise Malformed(f"{place} must be an object")
    if not isinstance(value.get(name), kind):
        raise Malformed(f"{place}: {name} must be a {'string' if kind is str else 'list'}")
    return value[name]


def _question(item: Mapping[str, Any]) -> Question:
    name = item["question_id"]
    return Question(
        question_id=name,
        type=item["question_type"],
        question=item["question"],
        date=item.get("question_date"),
        answer=item["answer"],
        sessions=tuple(
            _session(name, number, date, turns)
            for number, (date, turns) in enumerate(
                zip(item["haystack_dates"], item["haystack_sessions"], strict=True)
            )
        ),
    )


def _session(name: str, number: int, date: Any, turns: list[dict[str, Any]]) -> Session:
    # By position: the data set's own session ids come twice in some haystacks.
    place = f"{name}: haystack_sessions[{number}]"
    return Session(
        key=f"{name}-session-{number}",
        date=timestamp(date, f"{name}: haystack_dates[{number}]"),
        turns=tuple(
            Turn(turn["role"], turn["content"], is_labelled(turn, f"{place}[{index}]"))
            for index, turn in enumerate(turns)
        ),
    )


def timestamp(date: Any, place: str) -> str:
    """`2023/05/30 (Tue) 23:40` as `2023-05-30T23:40:00+00:00`; the day's name is not looked at.

    Raises Malformed, naming `place`, for anything else.
    """
    found = DATE.fullmatch(date) if isinstance(date, str) else None
    if found:
        year, month, day, hour, minute = map(int, found.groups())
        with suppress(ValueError):  # a day or an hour that does not exist
            return datetime(year, month, day, hour, minute, tzinfo=UTC).isoformat()
    raise Malformed(f"{place} must be a date like 2023/05/30 (Tue) 23:40, not {date!r}")
