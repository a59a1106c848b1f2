"""The greedy fill: which lines fit, exactly as whole-block counting has it, and at what price."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reference.budget import FillError, fill
from reference.lines import Line
from reference.tokens import TokenError

HEADING = "- heading"
HOSTILE = [
    *(
        "a",
        "Ab",
        "7",
        " ",
        "  ",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "/",
        "-",
        "- [",
        "]: ",
        "'s",
        ".",
    ),
    *(
        "\u2028",
        "\u0085",
        "\ufeff",
        "\u00a0",
        "é",
        "e\u0301",
        "\u0301",
        "ᾧ",
        "ſ",
        "中",
        "한",
        "字。",
    ),
    *("😀", "👩\u200d👩\u200d👧", "\u200d", "\U000e0001", "\0", "<|endoftext|>", "<|endofprompt|>"),
]
# One draw for a whole text is ten times faster than one for each part.
texts = st.binary(max_size=24).map(
    lambda picks: "".join(HOSTILE[pick % len(HOSTILE)] for pick in picks)
)
blocks = st.lists(st.tuples(st.booleans(), texts), min_size=1, max_size=8)
budgets = st.integers(min_value=1, max_value=120)


def xs(text: str) -> int:
    """A stand-in for tokens that adds up: the letters x and the newlines."""
    return text.count("x") + text.count("\n")


def lines_of(*contents: str) -> list[str]:
    return [f"- [{content}" for content in contents]


def kept(contents: list[str], budget: int, count=xs, heading=HEADING) -> int:
    lines = [*map(Line, lines_of(*contents))]
    filled = fill(lines, (Line(heading), Line("")), budget, count)
    assert filled == lines[: len(filled)]
    return len(filled)


def whole_blocks(lines: list[Line], headings: tuple[Line, Line], budget: int, count) -> list[Line]:
    """The same decision the plain way: the whole block is counted at every step."""
    for more in range(2, len(lines) + 1):
        heading = headings[any(line.is_cut for line in lines[:more])]
        block = "\n".join([heading.text, *(line.text for line in lines[:more])])
        if count(block) > budget:
            return lines[: more - 1]
    return lines


def calls_for(contents: list[str], budget: int, heading: str = HEADING) -> list[str]:
    """What is handed to the counting function."""
    calls: list[str] = []

    def recorded(text: str) -> int:
        calls.append(text)
        return xs(text)

    kept(contents, budget, recorded, heading)
    return calls


def failing_on(bad: str):
    def count(text: str) -> int:
        if bad in text:
            raise TokenError("too hard")
        return len(text)

    return count


def test_no_lines_are_no_lines():
    assert kept([], 1) == 0


def test_the_first_line_is_kept_even_when_it_alone_is_over():
    assert kept(["x" * 50], 1) == 1
    assert kept(["x" * 50, "x"], 1) == 1


def test_a_line_is_kept_while_the_whole_block_counts_at_most_the_budget():
    contents = ["x" * 20, "x" * 20, "x" * 20]
    assert kept(contents, 63) == 3  # 60 and three newlines
    assert kept(contents, 62) == 2
    assert kept(contents, 42) == 2
    assert kept(contents, 41) == 1


def test_lines_encoded_earlier_weigh_on_all_that_follow():
    assert kept(["x" * 40] * 4, 130) == 3


def test_the_fill_stops_at_the_first_line_over_and_skips_nothing():
    assert kept(["x", "x" * 50, "x", "x"], 40) == 1


def test_the_heading_is_counted():
    assert kept(["x" * 20, "x" * 20], 45, heading="xxx") == 2
    assert kept(["x" * 20, "x" * 20], 44, heading="xxx") == 1


def test_the_heading_counted_is_that_of_the_block_which_ends_with_the_line():
    whole, cut = [Line(f"- [{'x' * 10}", is_cut) for is_cut in (False, True)]
    headings = Line("x"), Line("xx")
    assert fill([whole, whole, whole], headings, 34, xs) == [whole, whole, whole]
    assert fill([whole, whole, cut], headings, 34, xs) == [whole, whole]
    assert fill([cut, whole, whole], headings, 34, xs) == [cut, whole]
    assert fill([cut, whole, whole], headings, 35, xs) == [cut, whole, whole]


def test_nothing_is_encoded_until_the_bytes_of_a_block_exceed_the_budget():
    contents = ["xy", "z", "ᾧ"]
    block = "\n".join([HEADING, *lines_of(*contents)])
    assert calls_for(contents, len(block.encode())) == []
    assert calls_for(contents, len(block.encode()) - 1) != []


def test_bytes_are_weighed_and_not_characters(count):
    contents = ["ᾧ" * 10, "ᾧ" * 10]
    block = "\n".join([HEADING, *lines_of(*contents)])
    assert len(block) < count(block)
    assert kept(contents, len(block), count) == 1


def test_a_lone_surrogate_weighs_the_three_bytes_of_the_character_that_is_counted_for_it(count):
    assert kept(["\ud83d", "\ude00"], 1, count) == 1
    block = "\n".join([HEADING, *lines_of("\ufffd" * 9, "\ufffd" * 9)])
    assert calls_for(["\ud83d" * 9, "\ud83d" * 9], len(block.encode())) == []
    assert calls_for(["\ud83d" * 9, "\ud83d" * 9], len(block.encode()) - 1) != []


def test_the_first_line_is_never_encoded_for_itself():
    assert calls_for(["x" * 99], 1) == []


def test_pending_lines_are_encoded_once_when_the_bytes_run_out_and_then_each_further_line():
    contents = ["x" * 4, "y" * 30, "z" * 30, "x" * 7, "x" * 8]
    first, second, third, fourth, fifth = lines_of(*contents)
    opening = f"{HEADING}\n"
    assert kept(contents, 22) == 4
    assert calls_for(contents, 22) == [
        *(f"{first}\n", opening, second),  # 33 bytes in a room of 16: counted
        *(f"{second}\n", opening, third),
        *(f"{third}\n", opening),  # 10 bytes in a room of 14: not counted
        *(f"{fourth}\n", opening, fifth),  # over, by 2
    ]


def test_a_line_is_not_encoded_while_its_bytes_fit_what_is_left_exactly():
    contents = ["y" * 40, "y" * 15]
    assert calls_for(contents, 20) == ["- [" + "y" * 40 + "\n", f"{HEADING}\n"]
    assert calls_for(contents, 19)[2:] == ["- [" + "y" * 15]


def test_what_was_encoded_leaves_room_in_bytes_for_what_was_not():
    contents = ["y" * 90, "z", "zz", "zzz"]
    opening = f"{HEADING}\n"
    encoded, *rest = lines_of(*contents)
    assert calls_for(contents, 1 + len("\n".join([opening[:-1], *rest]))) == [
        f"{encoded}\n",
        opening,
    ]


def test_no_line_is_asked_for_beyond_the_first_that_is_over():
    lines = iter([*map(Line, lines_of("x" * 20, "x" * 20, "x" * 20, "x"))])
    assert len(fill(lines, (Line(HEADING), Line("")), 45, xs)) == 2
    assert len([*lines]) == 1


@pytest.mark.parametrize("size", [20, 200])
def test_the_work_is_linear_in_the_text(size):
    contents = ["x" + "y" * 90] * size
    calls = calls_for(contents, 3 * size)
    assert len(calls) <= 3 * size
    assert sum(map(len, calls)) <= 2 * sum(len(line) + 1 for line in contents) + size * 20
    ended = [call for call in calls if call.endswith("\n") and call.startswith("- [")]
    assert len(ended) <= size


@pytest.mark.parametrize(
    ("contents", "budget", "position"),
    [
        (["bad", "y", "y"], 11, 0),  # encoded late, with its newline
        (["y", "bad", "y"], 12, 1),  # likewise
        (["y", "bad", "y"], 11, 1),  # encoded at once, without
        (["y", "y", "bad"], 11, 2),
    ],
)
def test_a_line_that_cannot_be_counted_is_named_by_its_position(contents, budget, position):
    with pytest.raises(FillError) as refusal:
        kept(contents, budget, failing_on("bad"), heading="")
    assert refusal.value.position == position
    assert str(refusal.value.reason) == "too hard"
    assert str(refusal.value) == f"line {position} can't be counted: too hard"
    assert refusal.value.__suppress_context__


def test_a_heading_that_cannot_be_counted_is_no_lines_fault():
    with pytest.raises(TokenError, match=r"^too hard$"):
        kept(["y", "y"], 1, failing_on("heading"))


@given(block=blocks, headings=st.tuples(texts, texts), budget=budgets)
@example(block=[(False, "/"), (False, "/"), (False, "\n")], headings=("", "x/"), budget=9)
@example(block=[(False, "a \n"), (True, " \n/"), (False, "'s")], headings=("/\r", "x/"), budget=14)
@example(
    block=[(True, "ᾧᾧᾧᾧ"), (False, "<|endoftext|>")], headings=("中中", "👩\u200d👧"), budget=21
)
def test_the_fill_equals_the_whole_block_fill_on_hostile_text(count, block, headings, budget):
    headings = tuple(map(Line, headings))
    lines = [Line(f"- [{content}", is_cut) for is_cut, content in block]
    assert fill(lines, headings, budget, count) == whole_blocks(lines, headings, budget, count)
