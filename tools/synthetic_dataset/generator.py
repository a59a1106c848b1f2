"""Builds the haystacks around the evidence; the same bytes each time, on every Python."""

import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from ..project.files import write_whole
from ..synthetic.stock import ASSISTANT, ASSISTANT_ANYWHERE, USER, USER_ANYWHERE, WORDS
from .evidence import EVIDENCE, Evidence, Told

FOLDER = Path(__file__).parents[2] / "goldens" / "cases"
NAME = "longmemeval_synthetic"
SEED = 500
NOTE = f"""\
{NAME}.json is synthetic: none of these conversations took place.

It has the shape of LongMemEval, a bare list, hence this note beside it: {len(EVIDENCE)} questions
of all six types, one of which can't be answered. Questions, answers and the sessions that hold
the answers were written by hand in tools/synthetic_dataset/evidence.py; the other sessions are
assembled from our own sentences with seed {SEED}.

To replay: python -m tools.synthetic_dataset
"""

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
DATE = "%Y/%m/%d %H:%M"

# Lowest and highest, both included.
SESSIONS = (9, 12)  # beside those that hold the answer
EXCHANGES = (3, 5)  # of one user and one assistant turn
DAYS_BEFORE = (3, 120)  # the question
USER_SENTENCES = (1, 3)
ASSISTANT_SENTENCES = (4, 12)

Json = dict[str, Any]


def write(folder: Path = FOLDER) -> None:
    """Write the data set and the note beside it into `folder`. Raises OSError."""
    for name, data in files().items():
        write_whole(folder / name, data)


def files() -> dict[str, bytes]:
    """The bytes of each file by its name."""
    data = json.dumps(dataset(), ensure_ascii=False, indent=1)
    return {f"{NAME}.json": f"{data}\n".encode(), f"{NAME}.md": NOTE.encode()}


def dataset() -> list[Json]:
    """The items, as LongMemEval has them."""
    random = Random(SEED)
    return [_item(random, evidence) for evidence in EVIDENCE]


def _item(random: Random, evidence: Evidence) -> Json:
    """One item: its sessions in order of time, those with the answer among the others."""
    asked = datetime.strptime(evidence.question_date, DATE)
    name = evidence.question_id
    told = [
        (datetime.strptime(session.date, DATE), f"answer_{name}_{number}", _told(session))
        for number, session in enumerate(evidence.sessions, 1)
    ]
    said: set[str] = set()
    other = [
        (_before(random, asked), f"{name}_{number}", _chat(random, said))
        for number in range(1, _between(random, SESSIONS) + 1)
    ]
    sessions = sorted(told + other)
    return {
        "question_id": name,
        "question_type": evidence.question_type,
        "question": evidence.question,
        "answer": evidence.answer,
        "question_date": _date(asked),
        "haystack_dates": [_date(when) for when, _, _ in sessions],
        "haystack_session_ids": [session_id for _, session_id, _ in sessions],
        "haystack_sessions": [turns for _, _, turns in sessions],
        "answer_session_ids": [session_id for _, session_id, _ in told],
    }


def _told(session: Told) -> list[Json]:
    return [turn._asdict() for turn in session.turns]


def _chat(random: Random, said: set[str]) -> list[Json]:
    """A session about one topic, of turns that nobody `said` before in this haystack."""
    topic = _pick(random, list(USER))
    turns = []
    for _ in range(_between(random, EXCHANGES)):
        asked = _text(random, USER[topic] + USER_ANYWHERE, USER_SENTENCES, " ", said)
        answered = _text(
            random, ASSISTANT[topic] + ASSISTANT_ANYWHERE, ASSISTANT_SENTENCES, "\n\n", said
        )
        turns.append({"role": "user", "content": asked})
        turns.append({"role": "assistant", "content": answered})
    return turns


def _text(
    random: Random, stock: list[str], bounds: tuple[int, int], paragraph: str, said: set[str]
) -> str:
    """A turn of different sentences, some of them after a `paragraph` gap."""
    while True:
        deck = list(stock)
        text = ""
        for _ in range(_between(random, bounds)):
            gap = paragraph if random.random() < 0.25 else " "
            text += gap * bool(text) + _sentence(random, _draw(random, deck))
        if text not in said:
            said.add(text)
            return text


def _sentence(random: Random, template: str) -> str:
    text = re.sub(r"\{(\w+)\}", lambda hole: _pick(random, WORDS[hole[1]]), template)
    return text[0].upper() + text[1:]


def _before(random: Random, asked: datetime) -> datetime:
    minutes = _between(random, (0, 24 * 60 - 1))
    return asked - timedelta(days=_between(random, DAYS_BEFORE), minutes=minutes)


def _date(when: datetime) -> str:
    """As LongMemEval writes it; `%a` would be the locale's word for the day."""
    return f"{when:%Y/%m/%d} ({WEEKDAYS[when.weekday()]}) {when:%H:%M}"


# Only random() is promised to give the same numbers on every version of Python.
def _below(random: Random, bound: int) -> int:
    return int(random.random() * bound)


def _between(random: Random, bounds: tuple[int, int]) -> int:
    low, high = bounds
    return low + _below(random, high - low + 1)


def _pick(random: Random, choices: list[str]) -> str:
    return choices[_below(random, len(choices))]


def _draw(random: Random, deck: list[str]) -> str:
    return deck.pop(_below(random, len(deck)))
