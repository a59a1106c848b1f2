"""What a program is asked so that it shows its words: renders and prompts of marked items."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .marks import Marks

Request = Mapping[str, Any]
Item = dict[str, Any]

V1, V2 = {"MEMVARA_ANSWER_PROMPT": "v1"}, {"MEMVARA_ANSWER_PROMPT": "v2"}

# What templates of other languages take for a hole, markup, line ends of all kinds, blanks around.
SIGNS = (
    " \t{question} {context} {v2_rules} {} %s $& $1 \\1 \\n <b>&amp; **a** \u2028 \r\n# b\u00a0\n"
)


class Probes(NamedTuple):
    """One round of questions, with all that differs from round to round marked."""

    marks: Marks
    memories: list[Item]  # two open-ended ones, then one that ended
    turns: list[Item]
    size: int  # units of each turn's content that are left when it is cut
    question: str
    date: str
    requests: dict[str, Request]  # by what messages call the answer


def probes(number: int) -> Probes:
    """The round of that number."""
    marks = Marks(number)
    memories = [_memory(marks, index) for index in (1, 2, 3)]
    memories[2]["valid_to"] = marks.stamp("when a memory ended")
    turns = [_turn(marks, index, role) for index, role in ((1, "user"), (2, "assistant"))]
    size = len(marks.text("content1", "the content of a turn"))
    question = marks.text("question", "the question")
    date = marks.text("date", "the date of the question")
    asked = {"question": question, "question_date": date}
    requests = {
        "an empty list": _render([], question),
        "a list of memories": _render(memories, question),
        "a list of turns": _render(turns, question),
        "a list of cut turns": _render(turns, question, {"MEMVARA_TAIL_CHARS": str(size)}),
        "the prompt v1": _prompt(turns, V1, **asked),
        "the prompt v2": _prompt(turns, V2, **asked),
        "the prompt without a date": _prompt(turns, V1, question, None),
    }
    return Probes(marks, memories, turns, size, question, date, requests)


def _memory(marks: Marks, index: int) -> Item:
    return {
        "kind": "memory",
        "text": marks.text(f"text{index}", "the text of a memory"),
        "subject": marks.text(f"subject{index}", "the subject of a memory"),
        "predicate": marks.text(f"predicate{index}", "the predicate of a memory"),
        "object": marks.text(f"object{index}", "the object of a memory"),
        "state": marks.text(f"state{index}", "the state of a memory"),
        "valid_from": marks.stamp("when a memory became true"),
        "recorded_at": marks.stamp("when a memory was recorded"),
        "score": 0.5,
        "sources": [],
    }


def _turn(marks: Marks, index: int, role: str) -> Item:
    content = marks.text(f"content{index}", "the content of a turn")
    rest = marks.text(f"rest{index}", "the end of a turn that was to be cut")
    return {
        "kind": "turn",
        "role": role,
        "content": content + rest,
        "ts": marks.stamp("the time of a turn"),
        "score": 0.5,
    }


def _render(items: list[Item], question: str | None, env: Request | None = None) -> Request:
    return {"op": "render", "env": env or {}, "items": items, "question": question}


def _prompt(
    items: list[Item], env: Request, question: str | None, question_date: str | None
) -> Request:
    return {**_render(items, question, env), "op": "prompt", "question_date": question_date}


def checks() -> Iterator[tuple[str, Request]]:
    """What else the words must foretell, and what messages call each answer."""
    turn = {"kind": "turn", "role": "user", "content": "One line.", "ts": "2023-05-20T02:21:00Z"}
    memory = {
        "kind": "memory",
        "text": "Rent is due.",
        "state": "active",
        "valid_from": "2023-05-20T02:21:00Z",
        "recorded_at": "2023-05-21T02:21:00Z",
        "valid_to": None,
    }
    ended = memory | {"valid_to": "2023-06-01T00:00:00Z"}
    odd_turn = {"kind": "turn", "role": SIGNS, "content": SIGNS, "ts": SIGNS}
    odd_memory = {name: "memory" if name == "kind" else SIGNS for name in memory}
    cut = {"MEMVARA_TAIL_CHARS": "3", "MEMVARA_HEAD_WHOLE": "1"}
    yield "one memory", _render([memory], "Which?")
    yield "one turn", _render([turn], "Which?")
    yield "memories among turns", _render([turn, memory, turn, ended, turn], "Which?")
    yield "a turn and a cut one", _render([turn, turn], "Which?", cut)
    yield "items of signs", _render([odd_memory, odd_turn, memory, turn], SIGNS)
    yield "dates without a time", _render([memory | {"valid_from": "2023-05-20"}], None)
    for version, env in (("v1", V1), ("v2", V2)):
        yield f"the prompt {version} of an empty list", _prompt([], env, "Which?", "2023/05/20")
        yield f"the prompt {version} of signs", _prompt([odd_memory, odd_turn], env, SIGNS, SIGNS)
        yield f"the prompt {version} without a question", _prompt([turn, ended], env, None, None)
        yield f"the prompt {version} with an empty date", _prompt([memory], env, "", "")
        yield f"the prompt {version} with blanks for a date", _prompt([turn], env, " ", " ")
