"""A program's words are learned by asking; one that a wording file can't tell is named where."""

import html
import re
from dataclasses import asdict, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import wording
from reference.prompt import answer_prompt
from reference.protocol import Session, answer
from reference.wording import Wording
from tools.sides.learned import learn
from tools.sides.marks import Departure
from tools.sides.probes import probes
from tools.sides.subject import Subject

OURS = wording.load()
OTHERS = wording.load(Path(__file__).parents[2] / "interop/wording.toml")
# What a program may print as it stands: also what the program is asked, and what tells holes apart
# while prompts are compared.
HARD = [
    *("", " ", "\n", "\n\n", "\r\n", "\u2028", "\t", "\x00", "\x7f", "…", "é", "𝔘", "\ue000"),
    *(
        "- [",
        "\n- [",
        "] ",
        ", ",
        ": ",
        "{",
        "}",
        "{}",
        "{Question}",
        "%s",
        "$&",
        "\\1",
        '"',
        '"""',
    ),
    *("user", "a", "aa", "ab", "Memory", "- rule", "\n- rule", "9002-02-01 01:01", "\ue001"),
    *[mark for number in (1, 2, 3) for mark in probes(number).marks.meanings],
]
IS_HOLE = re.compile(r"\{[a-z0-9_]+\}")


def program(words, change=lambda request, text: text):
    """One that says these words, with a change to every text."""
    session = Session(words=words)

    def asked(request):
        found = answer(request, session)
        return {"ok": change(request, found["ok"])} if "ok" in found else found

    return Subject("a program", asked)


def literals():
    texts = st.lists(st.sampled_from(HARD) | st.text(max_size=3), max_size=4).map("".join)
    return texts.filter(lambda text: _is_well_formed(text) and not IS_HOLE.search(text))


def _is_well_formed(text):
    return text == text.encode(errors="replace").decode()


@st.composite
def templates(draw, *names, least=0):
    """Texts around holes, each of which stands `least` times or more, in any order."""
    more = st.lists(st.sampled_from(names), max_size=2)
    holes = draw(st.permutations([*names * least, *draw(more)]))
    pieces = [draw(literals()), *(f"{{{hole}}}{draw(literals())}" for hole in holes)]
    return "".join(pieces)


@st.composite
def prompts(draw):
    """A template with the holes of v1 once or more, and each of v2 once somewhere."""
    pieces = re.split(
        r"(\{\w+\})", draw(templates("question", "question_date", "context", least=1))
    )
    for name in ("v2_rules", "v2_instruction"):
        at = draw(st.integers(0, len(pieces)))
        pieces.insert(at, f"{{{name}}}")
    return "".join(pieces)


@st.composite
def wordings(draw):
    texts = {name: draw(literals()) for name, text in asdict(OURS).items() if "{" not in text}
    return Wording(
        **texts,
        dates_open=draw(templates("valid_from", "recorded_at")),
        dates_ended=draw(templates("valid_from", "valid_to", "recorded_at")),
        prompt=draw(prompts()),
    )


def both_prompts(words):
    """What v1 and v2 print around holes that can be told apart."""
    return [answer_prompt("<Q>", "<D>", "<C>", version, words) for version in ("v1", "v2")]


def test_the_words_of_the_reference_are_learned():
    assert learn(program(OURS)) == OURS


def test_other_words_are_learned():
    assert learn(program(OTHERS)) == OTHERS


@given(wordings())
def test_any_words_are_learned_as_they_are_printed(words):
    learned = learn(program(words))
    assert both_prompts(learned) == both_prompts(words)
    parts = {"prompt": "", "v2_rules": "", "v2_instruction": ""}
    assert replace(learned, **parts) == replace(words, **parts)


@pytest.mark.parametrize(
    "changed",
    [
        {"v2_rules": "", "v2_instruction": ""},
        {"v2_instruction": ""},
        {"ellipsis": "", "turns_heading": "", "turns_heading_cut": "", "memories_heading": ""},
        {"empty": "", "no_date": "", "dates_open": "", "dates_ended": ""},
        {"turns_heading": OURS.memories_heading, "empty": OURS.memories_heading},
        {"ellipsis": "\n- [cut] user: "},
        {"dates_open": "{recorded_at}\n- [{recorded_at}, active] "},
        {"prompt": "\ue000\ue001\ue002\ue003\ue004" + OURS.prompt},
    ],
    ids=[
        "no_v2",
        "no_instruction",
        "no_headings",
        "no_sentences",
        "equal",
        "a_line",
        "two_lines",
        "private",
    ],
)
def test_words_of_an_odd_kind_are_learned(changed):
    words = replace(OURS, **changed)
    learned = learn(program(words))
    assert both_prompts(learned) == both_prompts(words)
    assert replace(learned, prompt=words.prompt) == words


def test_what_v2_adds_is_whole_lines_where_it_can_be():
    words = replace(OURS, prompt=OURS.prompt.replace("{v2_rules}\n", "\n{v2_rules}"))
    words = replace(words, v2_rules="- One.\n- Two.\n", v2_instruction=" Be brief.")
    learned = learn(program(words))
    assert learned.v2_rules == "\n- One.\n- Two."
    assert learned.v2_instruction == " Be brief."


def test_a_few_dozen_requests_are_enough():
    asked = []
    learn(program(OURS, lambda request, text: asked.append(request) or text))
    assert len(asked) < 48


def only(op, change):
    """A change of what one op answers."""
    return lambda request, text: change(request, text) if request["op"] == op else text


def in_v2(change):
    """A change of the prompt v2."""
    return lambda request, text: (
        change(request, text)
        if request["env"].get("MEMVARA_ANSWER_PROMPT") == "v2" and request["op"] == "prompt"
        else text
    )


def context_of(request):
    return answer({**request, "op": "render", "env": {}}, Session())["ok"]


def undated_line_dropped(request, text):
    if request["op"] == "render" or request["question_date"]:
        return text
    return text.replace("DATE OF THE QUESTION\nnot given\n\n", "")


def one_after_another(request, text):
    if request["op"] == "render":
        return text
    holes = {
        "question": request["question"] or "",
        "question_date": request["question_date"] or OURS.no_date,
        "context": context_of(request),
        "v2_rules": "",
        "v2_instruction": "",
    }
    if request["env"]["MEMVARA_ANSWER_PROMPT"] == "v2":
        holes |= {"v2_rules": OURS.v2_rules, "v2_instruction": OURS.v2_instruction}
    text = OURS.prompt
    for hole, value in holes.items():
        text = text.replace(f"{{{hole}}}", value)
    return text


def in_context(change):
    """A change of the context inside prompts alone."""
    return only(
        "prompt",
        lambda request, text: text.replace(context_of(request), change(context_of(request))),
    )


def blank_date_dropped(request, text):
    """The date of a prompt left out where it is a blank."""
    if request["op"] == "prompt" and request["question_date"] == " ":
        return text.replace("QUESTION\n \n\nMEMORY", "QUESTION\nnot given\n\nMEMORY")
    return text


def _subject(request):
    return next((item["subject"] for item in request["items"] if "subject" in item), "noted")


def backwards(request, text):
    head, *lines = text.split("\n- ")
    return "\n- ".join([head, *lines[::-1]])


OPEN = "the line of an open-ended memory"
FORETOLD = "is not what other answers foretell"
MEMORY_LINE = "is not `- [DATES, STATE] TEXT`"
TURN_LINES = "a list of turns has not the lines `- [WHEN] ROLE: CONTENT`"
OTHERWISE = "prints when a memory became true otherwise than as 9002-04-03 03:03"
V2 = "the prompt v2 is not v1 with two texts put in"
# A change of what the reference says, and what is said of it: where, in which line, and the start
# of what was expected there and of what was found, from where they differ.
PLANTED = {
    "markdown_list": (
        lambda request, text: text.replace("\n- [", "\n* ["),
        (f"{OPEN} {MEMORY_LINE}", 3, "- [true", "* [true"),
    ),
    "bold_times_of_turns": (
        lambda request, text: re.sub(r"- \[(.*?)\] (user|assistant)", r"- **\1** \2", text),
        (TURN_LINES, 2, "[9002-02-10 10:10]", "**9002-02-10 10:10**"),
    ),
    "the_state_in_parentheses": (
        lambda request, text: re.sub(r", (Qstate\w+)\]", r"] (\1)", text),
        (f"{OPEN} {MEMORY_LINE}", 3, ", Qstate2n2Z] ", " (Qstate2n2Z) "),
    ),
    "another_line_of_ended_memories": (
        lambda request, text: re.sub(r"(until .*), (Qstate)", r"\1; \2", text),
        (f"the line of a memory that ended {MEMORY_LINE}", 4, ", Qstate3", "; Qstate3"),
    ),
    "times_as_in_iso_8601": (
        lambda request, text: re.sub(r"(\d-\d\d) (\d\d:\d\d)", r"\1T\2", text),
        (f"{OPEN} {OTHERWISE}",),
    ),
    "days_alone": (
        lambda request, text: re.sub(r"(\d-\d\d) \d\d:\d\d", r"\1", text),
        (f"{OPEN} {OTHERWISE}",),
    ),
    "the_month_first": (
        lambda request, text: re.sub(r"(\d{4})-(\d\d)-(\d\d) ", r"\2/\3/\1 ", text),
        ("the line of one memory is not that of another with its own dates", 2, "4/03", "2/01"),
    ),
    "stamps_as_given_in_turns": (
        lambda request, text: re.sub(r"- \[(\S+) (\S+)\] (\w+):", r"- [\1T\2:00Z] \3:", text),
        (TURN_LINES, 2, " 10:10]", "T10:10:00Z]"),
    ),
    "roles_with_a_capital": (
        lambda request, text: text.replace("] user:", "] User:"),
        (TURN_LINES, 2, "user:", "User:"),
    ),
    "turns_before_memories": (
        only("render", lambda request, text: "\n\n".join(text.split("\n\n")[::-1])),
        (f"memories among turns {FORETOLD}", 1, "memory holds", "was said"),
    ),
    "no_blank_line_between_blocks": (
        lambda request, text: re.sub(r"(- \[true [^\n]*\n)\n", r"\1", text),
        (f"memories among turns {FORETOLD}", 4, "\n", "What was said"),
    ),
    "the_question_in_a_heading": (
        lambda request, text: text.replace("What was said", f"For {request['question']}, what"),
        ("the heading of turns prints the question",),
    ),
    "a_count_in_a_heading": (
        lambda request, text: text.replace("What was", f"{len(request['items'])} times, what was"),
        (f"one turn {FORETOLD}", 1, "2 times", "1 times"),
    ),
    "the_question_in_the_empty_sentence": (
        lambda request, text: text.replace("this question", f"{request['question']}"),
        ("what stands for an empty list prints the question",),
    ),
    "an_end_after_the_last_line": (
        lambda request, text: text + "\n" if request["op"] == "render" else text,
        (f"a list of memories {FORETOLD}", 4, "", "\n"),
    ),
    "turns_backwards": (
        backwards,
        ("a list of memories comes out in another order",),
    ),
    "memories_twice": (
        lambda request, text: re.sub("(Qtext.*)", r"\1 \1", text),
        ("a list of memories has the text of a memory 2 times",),
    ),
    "memories_in_capitals": (
        lambda request, text: text.replace("Qtext", "QTEXT"),
        ("a list of memories lacks the text of a memory", 1, "Qtext1", "What memory"),
    ),
    "the_subject_of_memories": (
        lambda request, text: text.replace("noted", _subject(request)),
        (f"{OPEN} prints the subject of a memory",),
    ),
    "nothing_cut": (
        lambda request, text: re.sub(r"(Qcontent(\dn\dZ))… \[cut\]", r"\1Qrest\2", text),
        ("what ends a cut turn prints the end of a turn that was to be cut",),
    ),
    "the_ellipsis_counted": (
        lambda request, text: text.replace("Z… [cut]", "…"),
        ("a list of cut turns lacks the content of a turn", 1, "Qcontent1", "What was said"),
    ),
    "the_last_turn_cut_otherwise": (
        lambda request, text: re.sub(r"… \[cut\]$", "...", text),
        (f"a list of cut turns {FORETOLD}", 2, "...", "… [cut]"),
    ),
    "a_hole_as_text": (
        lambda request, text: text.replace("HOW TO READ", "HOW {user_name} READS"),
        ("the prompt holds {user_name}, which a wording file takes for a hole",),
    ),
    "half_a_pair": (
        lambda request, text: text.replace("bears on", "bears \ud83d on"),
        ("what stands for an empty list holds half a surrogate pair, which no file can",),
    ),
    "the_context_indented": (
        in_context(lambda text: text.replace("\n", "\n  ")),
        ("the prompt v1 lacks the context as it is rendered", 11, "- [", "  - ["),
    ),
    "the_context_in_capitals": (
        in_context(str.upper),
        ("the prompt v1 lacks the context as it is rendered",),
    ),
    "the_context_trimmed": (
        in_context(str.strip),
        (f"the prompt v1 of signs {FORETOLD}", 33, "\u00a0", "\n"),
    ),
    "the_context_escaped": (
        in_context(html.escape),
        (f"the prompt v1 of signs {FORETOLD}", 15, " $1", "amp; $1"),
    ),
    "the_question_trimmed": (
        only("prompt", lambda request, text: text.replace("QUESTION\n ", "QUESTION\n")),
        (f"the prompt v1 of signs {FORETOLD}", 4, " \t", "\t"),
    ),
    "holes_filled_one_after_another": (
        one_after_another,
        (f"the prompt v1 of signs {FORETOLD}", 4, "{context}", "What memory"),
    ),
    "no_question": (
        only("prompt", lambda request, text: text.replace(request["question"] or " ", "?")),
        ("the prompt v1 lacks the question",),
    ),
    "no_date_line_without_a_date": (
        undated_line_dropped,
        (f"the prompt without a date {FORETOLD}", 6, "DATE OF", "MEMORY"),
    ),
    "blanks_for_a_date_are_none": (
        blank_date_dropped,
        (f"the prompt v1 with blanks for a date {FORETOLD}", 7, " ", "not given"),
    ),
    "a_rule_that_v2_changes": (
        in_v2(lambda request, text: text.replace("no guesses", "and do not guess")),
        (V2, 13, "no guesses", "and do not"),
    ),
    "a_rule_that_v2_drops": (
        in_v2(lambda request, text: re.sub(r"- Do sums.*\n", "", text)),
        (V2, 24, "Do sums", "Then give"),
    ),
    "a_third_change_by_v2": (
        in_v2(lambda request, text: text.replace("HOW TO ANSWER", "HOW TO ANSWER NOW")),
        (V2, 22, "\n", " NOW"),
    ),
    "a_third_text_of_v2": (
        in_v2(lambda request, text: text.replace("- Do sums", "- Be brief.\n- Do sums")),
        (V2, 27, "", "\n- If your reasoning"),
    ),
    "the_question_again_in_v2": (
        in_v2(lambda request, text: f"{text}\n{request['question']}"),
        ("what v2 adds prints the question",),
    ),
    "no_date_in_v2": (
        in_v2(lambda request, text: text.replace(request["question_date"] or " ", "")),
        ("the prompt v2 lacks the date of the question",),
    ),
}


def parting(texts):
    """The line, from 1, in which two texts part, and how each goes on from there."""
    at = next(at for at in range(len(texts[0]) + 1) if texts[0][: at + 1] != texts[1][: at + 1])
    return texts[0].count("\n", 0, at) + 1, *(text[at:] for text in texts)


@pytest.mark.parametrize("name", PLANTED)
def test_the_first_place_where_a_shape_breaks_is_named(name):
    change, (message, *where) = PLANTED[name]
    with pytest.raises(Departure) as departed:
        learn(program(OURS, change))
    assert str(departed.value) == message
    texts = departed.value.expected, departed.value.found
    if not where:
        assert texts == ("", "")
        return
    line, *rest = parting(texts)
    assert line == where[0]
    assert [text[: len(start)] for text, start in zip(rest, where[1:], strict=True)] == where[1:]


def answering(op, found):
    """The reference, but for what it answers to one op."""
    ours = program(OURS)
    return Subject("", lambda request: found if request["op"] == op else ours.answer(request))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"refused": "no\nprompts here"}, r"is refused: 'no\nprompts here'"),
        ({"crashed": "out of ideas"}, "crashes it: 'out of ideas'"),
        ({"ok": None}, "is answered with something else than a text"),
    ],
    ids=["refused", "crashed", "no_text"],
)
def test_a_question_that_gets_no_text_is_named(found, said):
    with pytest.raises(Departure) as departed:
        learn(answering("prompt", found))
    assert str(departed.value) == f"the prompt v1 {said}"


def test_a_program_without_v2_is_told_so():
    ours = program(OURS)

    def asked(request):
        version = request["env"].get("MEMVARA_ANSWER_PROMPT")
        return {"refused": "v1 alone"} if version == "v2" else ours.answer(request)

    with pytest.raises(Departure, match="the prompt v2 is refused: 'v1 alone'"):
        learn(Subject("", asked))


@pytest.mark.parametrize("op", ["render", "prompt"])
def test_a_program_that_does_not_know_an_op_is_not_asked(op):
    known = frozenset({"render", "prompt"} - {op})
    with pytest.raises(Departure, match=f"it does not know {op}"):
        learn(Subject("", lambda request: pytest.fail("was asked"), ops=known))
