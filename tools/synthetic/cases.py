"""The synthetic files under goldens/cases: what each holds, and how it is written."""

import json
from pathlib import Path
from typing import Any

from ..project.files import write_whole
from . import hostile
from .generator import Item, memories, ranked, turns

FOLDER = Path(__file__).parents[2] / "goldens" / "cases"
REPLAY = "to replay: python -m tools.synthetic"
SEED = 30
SMALL_SEED = 12

QUESTIONS = {
    "routed": {
        "question": "Which ferry was it that you recommended for the crossing to Tórshavn?",
        "question_date": "2026/11/28 (Sat) 09:15",
    },
    "plain": {
        "question": "How much rent do I pay each month, and since when?",
        "question_date": "2026/11/29 (Sun) 18:40",
    },
    "none": {"question": None, "question_date": None},
}

# The keys hold other whitespace than the questions do; a reader collapses it.
CONTEXT_ROWS = [
    {
        "about": f"synthetic: written by hand in tools/synthetic/cases.py; {REPLAY}",
        "question": "\ufeff Which\u00a0ferry  was\tit that you recommended\r\n"
        "for the crossing\u3000to Tórshavn?\u2028",
        "block": "Notes on the crossing:\r\n* the night boat leaves at 22:10 ⛴\ufe0f🌧\ufe0f\r\n"
        "* a cabin is 1.250 kr\u2028* bring {question} and %s, says the sign 「本日休業」\r\n",
    },
    {
        "question": "\nHow much rent do I pay each month,\u2003 and since when? ",
        "block": "  The rent is €1,250.00 a month 👨\u200d👩\u200d👧\n"
        "- [\\1, live] of the old one it was 980 €; $& is not known.\n\n",
    },
    {"question": " \t", "block": "No question was asked 🙃, so this is all there is to say.\r"},
    {"question": "Is an empty block a block?", "block": ""},
]


def write(folder: Path = FOLDER) -> None:
    """Write every file below into `folder`; the same bytes each time. Raises OSError."""
    for name, data in files().items():
        write_whole(folder / name, data)


def files() -> dict[str, bytes]:
    """Return the bytes of each file by its name."""
    return {
        "thirty.json": _case(
            f"4 memories and 30 turns, assembled from our own sentences with seed {SEED}", _thirty()
        ),
        "hostile.json": _case(
            "written by hand in tools/synthetic/hostile.py, without a seed", hostile.items()
        ),
        "empty.json": _case("a search that found nothing, without a seed", []),
        "memories_only.json": _case(
            f"8 memories without a turn, with seed {SMALL_SEED}", memories(8, SMALL_SEED)
        ),
        "user_only.json": _case(f"the user turns of 12, with seed {SMALL_SEED}", _role("user")),
        "assistant_only.json": _case(
            f"the assistant turns of 12, with seed {SMALL_SEED}", _role("assistant")
        ),
        "refused.json": _case(
            f"the third turn of 4 has no content; the rest is sound, with seed {SMALL_SEED}",
            _without_content(),
        ),
        "questions.json": _json({"about": _about("written by hand"), "questions": QUESTIONS}),
        "context_file.jsonl": _context_file(),
    }


def _thirty() -> list[Item]:
    found = turns(30, SEED)
    export = "The export breaks off at <|endoftext|>, so this may well be half of the story."
    found[1]["content"] = f"{export} {found[1]['content']}"
    return ranked(memories(4, SEED) + found)


def _role(role: str) -> list[Item]:
    return [turn for turn in turns(12, SMALL_SEED) if turn["role"] == role]


def _without_content() -> list[Item]:
    found = turns(4, SMALL_SEED)
    del found[2]["content"]
    return found


def _context_file() -> bytes:
    rows = [json.dumps(row, ensure_ascii=False) + "\n" for row in CONTEXT_ROWS]
    return "\n".join(rows).encode()  # a blank line between two rows, which a reader skips


def _case(how: str, items: list[Any]) -> bytes:
    return _json({"about": _about(how), "items": items})


def _about(how: str) -> str:
    return f"synthetic: {how}; {REPLAY}"


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
