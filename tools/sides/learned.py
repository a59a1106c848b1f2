"""Learning a program's words: it is asked about marked items, and what is not marked are its words.

What was learned must then foretell, byte for byte, everything that the program said and says.
"""

from collections.abc import Mapping, Sequence
from itertools import count

from reference.lines import when
from reference.protocol import Session, answer
from reference.wording import Wording

from .insertions import OtherChange, insertions
from .marks import Departure, filled
from .probes import Item, Probes, Request, checks, probes
from .subject import Subject

OPENING = "\n- ["  # of the line of a turn or of a memory
DATES = ("valid_from", "valid_to", "recorded_at")
SHOWN = 200  # characters of a refusal in a message
HOLES = ("context", "question", "question_date", "v2_rules", "v2_instruction")
PRIVATE = range(0xE000, 0xF900)  # characters that stand for holes while two prompts are compared


def learn(subject: Subject) -> Wording:
    """The words of `subject`. Raises Departure where no wording file can tell what it says."""
    for op in ("render", "prompt"):
        if not subject.knows(op):
            raise Departure(f"it does not know {op}")
    seen = "".join(_answers(subject, probes(1)).values())
    # What the program says anyway has been seen now, and so no mark of this round can be of it.
    asked = next(each for each in map(probes, count(2)) if each.marks.are_new_to(seen))
    said = _answers(subject, asked)
    words = _words(asked, said)
    foretell = Session(words=words)
    for place, request in asked.requests.items():
        _compare(place, answer(request, foretell)["ok"], said[place])
    for place, request in checks():
        _compare(place, answer(request, foretell)["ok"], _text(subject, place, request))
    return words


def _answers(subject: Subject, asked: Probes) -> dict[str, str]:
    return {place: _text(subject, place, request) for place, request in asked.requests.items()}


def _text(subject: Subject, place: str, request: Request) -> str:
    """What the program says to a request. Raises Departure when that is no text."""
    found = subject.answer(request)
    text = found.get("ok")
    if isinstance(text, str):
        return text
    for way, verb in (("refused", "is refused"), ("crashed", "crashes it")):
        if way in found:
            raise Departure(f"{place} {verb}: {str(found[way])[:SHOWN]!r}")
    raise Departure(f"{place} is answered with something else than a text")


def _compare(place: str, foretold: str, found: str) -> None:
    if foretold != found:
        raise Departure(f"{place} is not what other answers foretell", foretold, found)


def _words(asked: Probes, said: Mapping[str, str]) -> Wording:
    literal = asked.marks.literal
    heading, dates_open, dates_ended = _memories(asked, said["a list of memories"])
    turns_heading, _ = _turns(asked, said, "a list of turns")
    turns_heading_cut, ellipsis = _turns(asked, said, "a list of cut turns", asked.size)
    prompt, rules, instruction = _prompts(asked, said)
    return Wording(
        memories_heading=literal("the heading of memories", heading),
        turns_heading=literal("the heading of turns", turns_heading),
        turns_heading_cut=literal("the heading of cut turns", turns_heading_cut),
        dates_open=dates_open,
        dates_ended=dates_ended,
        empty=literal("what stands for an empty list", said["an empty list"]),
        ellipsis=literal("what ends a cut turn", ellipsis),
        no_date=literal("what stands for no date", _no_date(asked, said, prompt)),
        prompt=prompt,
        v2_rules=literal("what v2 adds", rules),
        v2_instruction=literal("what v2 adds", instruction),
    )


def _once_in_order(place: str, said: str, what: str, texts: Sequence[str]) -> None:
    for text in texts:
        if text not in said:
            raise Departure(f"{place} lacks {what}", text, said)
        if said.count(text) > 1:
            raise Departure(f"{place} has {what} {said.count(text)} times")
    if sorted(texts, key=said.index) != list(texts):
        raise Departure(f"{place} comes out in another order")


def _memories(asked: Probes, said: str) -> tuple[str, str, str]:
    """The heading over memories and both templates of dates."""
    place = "a list of memories"
    one, two, three = asked.memories
    _once_in_order(place, said, "the text of a memory", [item["text"] for item in asked.memories])
    dates_open = _dates(asked, "the line of an open-ended memory", said, one, two)
    dates_ended = _dates(asked, "the line of a memory that ended", said, two, three)
    values = {name: when(one[name]) for name in DATES if name in one}
    line = OPENING + filled(dates_open, values) + _closing(one)
    start = said.index(one["text"])
    heading = said[: max(0, start - len(line))]
    if heading + line != said[:start]:
        what = "the line of one memory is not that of another with its own dates"
        raise Departure(what, heading + line + said[start:], said)
    return heading, dates_open, dates_ended


def _dates(asked: Probes, place: str, said: str, before: Item, memory: Item) -> str:
    """The template of the dates in the line of a memory, which follows the line of another."""
    start, end = said.index(before["text"]) + len(before["text"]), said.index(memory["text"])
    dates = said[start + len(OPENING) : max(start, end - len(_closing(memory)))]
    line = OPENING + dates + _closing(memory)
    if said[start:end] != line:
        what = f"{place} is not `- [DATES, STATE] TEXT`"
        raise Departure(what, said[:start] + line + said[end:], said)
    holes = {when(memory[name]): name for name in DATES if name in memory}
    return asked.marks.template(place, dates, holes)


def _closing(memory: Item) -> str:
    return f", {memory['state']}] "


def _turns(
    asked: Probes, said: Mapping[str, str], place: str, size: int | None = None
) -> tuple[str, str]:
    """The heading over turns that are cut to `size` units, and what follows each."""
    text, contents = said[place], [turn["content"][:size] for turn in asked.turns]
    _once_in_order(place, text, "the content of a turn", contents)
    lines = []
    for turn, content in zip(asked.turns, contents, strict=True):
        lines.append(f"{OPENING}{when(turn['ts'])}] {turn['role']}: {content}")
        if lines[-1] not in text:
            at = text.index(content)
            head = text[: max(0, text.rfind("\n", 0, at))]
            what = f"{place} has not the lines `- [WHEN] ROLE: CONTENT`"
            raise Departure(what, head + lines[-1] + text[at + len(content) :], text)
    return text[: text.index(lines[0])], text[text.index(lines[-1]) + len(lines[-1]) :]


def _prompts(asked: Probes, said: Mapping[str, str]) -> tuple[str, str, str]:
    """The template of v1 with the holes of v2, and the two texts that v2 puts there."""
    values = (said["a list of turns"], asked.question, asked.date)
    texts = [said["the prompt v1"], said["the prompt v2"]]
    for place, text in zip(("the prompt v1", "the prompt v2"), texts, strict=True):
        _check_values(place, text, *values)
    unused = (chr(code) for code in PRIVATE if chr(code) not in "".join(texts))
    holes = dict(zip(unused, HOLES, strict=False))  # one character each: no insertion splits one
    for value, hole in zip(values, holes, strict=False):
        texts = [text.replace(value, hole) for text in texts]
    v1, v2 = texts
    parts = _added(v1, v2, holes)
    for hole, (at, _) in reversed(list(zip(list(holes)[len(values) :], parts, strict=True))):
        v1 = v1[:at] + hole + v1[at:]
    rules, instruction = (text for _, text in parts)
    return asked.marks.template("the prompt", v1, holes), rules, instruction


def _check_values(place: str, text: str, context: str, question: str, date: str) -> None:
    """Raises Departure unless all three stand in a prompt."""
    if context not in text:
        heading = context[: context.index(OPENING)]
        head, found, _ = text.partition(heading) if heading else (text, "", "")
        as_rendered = (head + context, text) if found else ()
        raise Departure(f"{place} lacks the context as it is rendered", *as_rendered)
    for what, value in (("the question", question), ("the date of the question", date)):
        if value not in text:
            raise Departure(f"{place} lacks {what}")


def _added(v1: str, v2: str, holes: Mapping[str, str]) -> list[tuple[int, str]]:
    """Where v2 puts texts into v1, and which; two, of which one or both may be empty."""
    try:
        added = insertions(v1, v2)
    except OtherChange as other:
        names = str.maketrans({hole: f"{{{name}}}" for hole, name in holes.items()})
        place = "the prompt v2 is not v1 with two texts put in"
        raise Departure(place, other.expected.translate(names), v2.translate(names)) from None
    for hole, name in holes.items():
        if any(hole in text for _, text in added):
            raise Departure(f"what v2 adds prints the {name}")
    return [*added, *[(len(v1), "")] * (2 - len(added))]


def _no_date(asked: Probes, said: Mapping[str, str], prompt: str) -> str:
    """What stands where a prompt would print the question's date."""
    place, hole = "the prompt without a date", "{question_date}"
    text = said[place]
    values = dict.fromkeys(HOLES, "")
    values |= {"context": said["a list of turns"], "question": asked.question}
    start = len(filled(prompt[: prompt.index(hole)], values))
    size = max(0, len(text) - len(filled(prompt, values))) // prompt.count(hole)
    phrase = text[start : start + size]
    _compare(place, filled(prompt, values | {"question_date": phrase}), text)
    return phrase
