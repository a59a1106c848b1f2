"""Rendering a context: override, claims, role, cut, budget and blocks, in this order."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import context, wording
from reference.context import RenderError, render_context
from reference.items import Foreign, Memory, Selection, Turn
from reference.knobs import Knobs
from reference.overrides import ContextFile, ContextFileError
from reference.tokens import TokenError

DATA = Path(__file__).parents[1] / "data"
STAMP = "2026-03-04T05:06:07Z"
SHOWN = "2026-03-04 05:06"
ASKS_ASSISTANT = "Which ferry was it that you suggested?"


def vectors(name: str) -> list[dict]:
    return [json.loads(line) for line in (DATA / name).read_bytes().splitlines()[1:]]


def turn(content: str, role: str = "user", ts: str = STAMP) -> Turn:
    return Turn(role, content, ts)


def memory(text: str = "likes tea", **fields: str | None) -> Memory:
    dates = {"valid_from": "2026-01-02T03:04:05Z", "recorded_at": STAMP}
    return Memory(text, **{"state": "live"} | dates | fields)


def shown(content: str, role: str = "user") -> str:
    return f"- [{SHOWN}] {role}: {content}"


def xs(text: str) -> int:
    """A stand-in for tokens that adds up: the letters x and the newlines."""
    return text.count("x") + text.count("\n")


def uncounted(text: str) -> int:
    raise AssertionError("something was counted")


def no_file(path: str) -> ContextFile:
    raise AssertionError("a context file was read")


@pytest.fixture(autouse=True)
def no_encoder(monkeypatch):
    """Nothing here waits for an encoder that a render made for itself."""
    monkeypatch.setattr(context, "counter", lambda: uncounted)


@pytest.fixture
def render(words):
    """Renders items under an environment; warnings are an error."""

    def rendered(items, question=None, count=uncounted, load_context=no_file, **env):
        found = render_context(
            items,
            question,
            Knobs.from_env(env),
            words=words,
            load_context=load_context,
            count=count,
        )
        assert found.warnings == ()
        return found.text

    return rendered


@pytest.fixture
def warned(words):
    """Renders items under an environment; gives the warnings alone."""

    def rendered(items, question=None, **env):
        return render_context(items, question, Knobs.from_env(env), words=words).warnings

    return rendered


# Blocks and lines


def test_a_turn_is_its_date_role_and_content(render):
    assert render([turn("Hello")]) == f"TURNS\n- [{SHOWN}] user: Hello"


def test_content_is_printed_as_it_is(render):
    content = " \r\n- [x] user: {context}\\1 $& %s \u2028\u0085e\u0301 "
    assert render([turn(content, role="{question}")]) == f"TURNS\n{shown(content, '{question}')}"


def test_a_memory_without_an_end_is_open_ended(render):
    line = f"- [since 2026-01-02 03:04, noted {SHOWN}, live] likes tea"
    assert render([memory()]) == f"MEMORIES\n{line}"
    assert render([memory(valid_to=None)]) == f"MEMORIES\n{line}"
    assert render([memory(valid_to="")]) == f"MEMORIES\n{line}"


def test_a_memory_with_an_end_prints_it(render):
    ended = memory(valid_to="2026-02-03T04:05:06+09:00", state="superseded")
    line = f"- [from 2026-01-02 03:04 to 2026-02-03 04:05, noted {SHOWN}, superseded] likes tea"
    assert render([ended]) == f"MEMORIES\n{line}"


def test_what_a_memory_holds_is_never_a_hole(render):
    hostile = memory("{valid_to}", valid_from="{recorded_at}", valid_to="{x}", state="{valid_from}")
    line = f"- [from {{recorded_at}} to {{x}}, noted {SHOWN}, {{valid_from}}] {{valid_to}}"
    assert render([hostile]) == f"MEMORIES\n{line}"


def test_memories_come_before_turns_with_a_blank_line_between_and_each_keeps_its_order(render):
    items = [turn("b"), memory("z"), turn("a"), memory("y"), turn("b")]
    dates = f"- [since 2026-01-02 03:04, noted {SHOWN}, live]"
    assert render(items) == (
        f"MEMORIES\n{dates} z\n{dates} y\n\nTURNS\n{shown('b')}\n{shown('a')}\n{shown('b')}"
    )


def test_selections_and_foreign_elements_are_passed_over(render):
    passed_over = [Selection(outcome="ranked"), Foreign({"kind": "note"}), Foreign(None)]
    assert render([passed_over[0], turn("a"), *passed_over[1:]]) == f"TURNS\n{shown('a')}"
    assert render(passed_over) == "NOTHING KEPT"


def test_no_items_are_one_fixed_sentence(render):
    assert render([]) == "NOTHING KEPT"


def test_without_a_wording_the_shipped_one_is_printed():
    text = render_context([turn("a")], None, Knobs.from_env({})).text
    assert text == f"{wording.load().turns_heading}\n{shown('a')}"


# Override


def blocks_of(path: str) -> ContextFile:
    return ContextFile({"a b": f"{{block}} of {path}\n", "": "none"}, ("twice",))


def test_a_context_file_answers_for_any_list_that_has_an_element(words):
    knobs = Knobs.from_env(
        {"MEMVARA_CONTEXT_FILE": "f", "MEMVARA_TURNS_ONLY": "1", "MEMVARA_ROLE_SELECT": "user"}
        | {"MEMVARA_TOKEN_BUDGET": "1", "MEMVARA_TAIL_CHARS": "1"}
    )
    for items in ([memory()], [turn("y" * 99, "assistant")], [Foreign(7)], [turn(" " * 10**6)]):
        found = render_context(items, " a \n b", knobs, words=words, load_context=blocks_of)
        assert found == ("{block} of f\n", ("twice",))


def test_no_question_looks_up_the_empty_key(words):
    knobs = Knobs.from_env({"MEMVARA_CONTEXT_FILE": "f"})
    assert render_context([turn("a")], None, knobs, load_context=blocks_of).text == "none"


def test_a_question_that_the_context_file_lacks_aborts(render):
    with pytest.raises(ContextFileError, match=r"^f: no block for the question 'other'"):
        render([turn("a")], "other", load_context=blocks_of, MEMVARA_CONTEXT_FILE="f")


def test_an_empty_list_skips_the_context_file(render):
    assert render([], "other", MEMVARA_CONTEXT_FILE="f") == "NOTHING KEPT"


def test_the_context_file_is_read_from_its_path(tmp_path):
    path = tmp_path / "blocks.jsonl"
    path.write_text('{"question": "q", "block": "b"}\n', encoding="utf-8")
    knobs = Knobs.from_env({"MEMVARA_CONTEXT_FILE": str(path)})
    assert render_context([turn("a")], "q", knobs).text == "b"


# Claims and role


def test_turns_only_drops_every_memory(render):
    items = [memory(), turn("a"), memory()]
    assert render(items, MEMVARA_TURNS_ONLY="1") == f"TURNS\n{shown('a')}"
    assert render([memory()], MEMVARA_TURNS_ONLY="1") == "NOTHING KEPT"


def test_role_select_user_keeps_turns_whose_role_is_exactly_user(render):
    roles = ["user", "User", "user ", "assistant", "system", "", "user"]
    items = [turn(str(place), role) for place, role in enumerate(roles)]
    kept = f"TURNS\n{shown('0')}\n{shown('6')}"
    assert render(items, ASKS_ASSISTANT, MEMVARA_ROLE_SELECT="user") == kept


@pytest.mark.parametrize(
    ("question", "role"),
    [(ASKS_ASSISTANT, "assistant"), ("What do I drink?", "user"), (None, "user")],
)
def test_role_select_route_keeps_the_role_that_the_question_asks_for(question, role, render):
    items = [turn("a", "assistant"), turn("u", "user"), turn("s", "system")]
    kept = f"TURNS\n{shown(role[0], role)}"
    assert render(items, question, MEMVARA_ROLE_SELECT="route") == kept


def test_role_select_leaves_memories_alone(render):
    items = [memory(), turn("a", "assistant"), turn("u")]
    assert render(items, MEMVARA_ROLE_SELECT="user").startswith("MEMORIES\n- [since")


def test_role_select_off_keeps_every_role(render):
    items = [turn("a", "assistant"), turn("s", "system")]
    both = f"TURNS\n{shown('a', 'assistant')}\n{shown('s', 'system')}"
    assert render(items, MEMVARA_ROLE_SELECT="off") == both


def test_a_role_that_empties_the_turns_warns(warned):
    turns = [memory(), turn("a", "assistant"), turn("b", "assistant")]
    question = "😀" * 29 + "abc\n"  # 62 UTF-16 units
    assert warned(turns, question, MEMVARA_ROLE_SELECT="user") == (
        "MEMVARA_ROLE_SELECT=user keeps user turns and there is none among 2; "
        f"question: '{'😀' * 29}ab'",
    )
    assert warned(turns, MEMVARA_ROLE_SELECT="route") == (
        "MEMVARA_ROLE_SELECT=route keeps user turns and there is none among 2; question: ''",
    )
    assert warned([turn("u")], ASKS_ASSISTANT, MEMVARA_ROLE_SELECT="route") == (
        "MEMVARA_ROLE_SELECT=route keeps assistant turns and there is none among 1; "
        f"question: '{ASKS_ASSISTANT}'",
    )


def test_a_role_that_keeps_a_turn_or_never_had_one_does_not_warn(warned):
    assert warned([turn("a", "assistant"), turn("u")], MEMVARA_ROLE_SELECT="user") == ()
    assert warned([memory()], MEMVARA_ROLE_SELECT="user") == ()


def test_a_role_that_empties_everything_prints_the_fixed_sentence(words):
    knobs = Knobs.from_env({"MEMVARA_ROLE_SELECT": "user"})
    assert render_context([turn("a", "assistant")], None, knobs, words=words).text == "NOTHING KEPT"


# Cut


@pytest.mark.parametrize("vector", vectors("cuts.jsonl"))
def test_a_turn_longer_than_tail_chars_is_cut_to_that_many_units(vector, render):
    heading, ellipsis = ("TURNS, SOME CUT SHORT", "…") if vector["cut"] else ("TURNS", "")
    text = render([turn(vector["content"])], MEMVARA_TAIL_CHARS=str(vector["tail_chars"]))
    assert text == f"{heading}\n{shown(vector['kept'] + ellipsis)}"


def test_turns_before_head_whole_are_never_cut(render):
    items = [turn("aaaa"), turn("bbbb"), turn("cccc"), turn("ddd")]
    text = render(items, MEMVARA_HEAD_WHOLE="2", MEMVARA_TAIL_CHARS="3")
    lines = [shown("aaaa"), shown("bbbb"), shown("ccc…"), shown("ddd")]
    assert text == "\n".join(["TURNS, SOME CUT SHORT", *lines])


def test_rank_counts_turns_after_the_role_step(render):
    items = [memory(), turn("xxxx", "assistant"), turn("aaaa"), turn("bbbb")]
    text = render(
        items,
        MEMVARA_TURNS_ONLY="1",
        MEMVARA_ROLE_SELECT="user",
        MEMVARA_HEAD_WHOLE="1",
        MEMVARA_TAIL_CHARS="1",
    )
    assert text == f"TURNS, SOME CUT SHORT\n{shown('aaaa')}\n{shown('b…')}"


def test_without_tail_chars_nothing_is_cut(render):
    assert render([turn("aaaa")], MEMVARA_TAIL_CHARS="0") == f"TURNS\n{shown('aaaa')}"


def test_memories_are_not_cut(render):
    assert render([memory("m" * 99)], MEMVARA_TAIL_CHARS="1").endswith("m" * 99)


# Budget


def test_a_budget_keeps_the_turns_whose_block_counts_at_most_that_many_tokens(render):
    items = [turn("x" * 70), turn("x" * 70), turn("x" * 70)]
    two, three = [f"TURNS\n{chr(10).join([shown('x' * 70)] * times)}" for times in (2, 3)]
    assert render(items, count=xs, MEMVARA_TOKEN_BUDGET="213") == three
    assert render(items, count=xs, MEMVARA_TOKEN_BUDGET="212") == two


def test_a_budget_keeps_the_first_line_even_when_it_alone_is_over(render):
    items = [turn("x" * 70), turn("x")]
    assert render(items, count=xs, MEMVARA_TOKEN_BUDGET="1") == f"TURNS\n{shown('x' * 70)}"


def test_memories_are_not_counted(render):
    items = [memory("x" * 999), turn("x" * 70), turn("x" * 70)]
    assert render(items, count=xs, MEMVARA_TOKEN_BUDGET="142").endswith(
        f"\n\nTURNS\n{shown('x' * 70)}\n{shown('x' * 70)}"
    )


def test_turns_are_cut_before_they_are_counted(render):
    items = [turn("x" * 70), turn("x" * 70), turn("x" * 70)]
    text = render(items, count=xs, MEMVARA_TOKEN_BUDGET="33", MEMVARA_TAIL_CHARS="10")
    assert text == "\n".join(["TURNS, SOME CUT SHORT", *[shown("x" * 10 + "…")] * 3])


def test_turns_are_selected_by_role_before_they_are_counted(render):
    items = [turn("x" * 70, "assistant"), turn("x" * 70), turn("x" * 70)]
    text = render(items, count=xs, MEMVARA_TOKEN_BUDGET="142", MEMVARA_ROLE_SELECT="user")
    assert text == f"TURNS\n{shown('x' * 70)}\n{shown('x' * 70)}"


def test_the_verbatim_heading_is_printed_when_no_kept_line_is_cut(render):
    items = [turn("x" * 9), turn("x" * 99)]
    env = {"MEMVARA_TAIL_CHARS": "90"}
    assert render(items, count=xs, MEMVARA_TOKEN_BUDGET="11", **env) == f"TURNS\n{shown('x' * 9)}"
    assert render(items, count=xs, MEMVARA_TOKEN_BUDGET="101", **env) == (
        f"TURNS, SOME CUT SHORT\n{shown('x' * 9)}\n{shown('x' * 90 + '…')}"
    )


def test_the_heading_counted_is_the_one_the_block_would_get_with_that_line(words):
    def kept(budget: int) -> int:
        # A cut line makes the heading longer by what only the cut heading has.
        items = [turn("x" * 40), turn("x" * 60), turn("x" * 40)]
        env = {"MEMVARA_TOKEN_BUDGET": str(budget), "MEMVARA_TAIL_CHARS": "50"}
        text = render_context(
            items,
            None,
            Knobs.from_env(env),
            words=words,
            count=lambda text: xs(text) + 30 * text.count("SOME CUT"),
        ).text
        return text.count("\n")

    assert [kept(1), kept(91), kept(121), kept(122), kept(162), kept(163)] == [1, 1, 1, 2, 2, 3]


def test_without_a_budget_nothing_is_counted_and_nothing_loads(monkeypatch, render):
    monkeypatch.setattr(context, "fill", uncounted)
    assert render([turn(" " * 10**6)]) == f"TURNS\n{shown(' ' * 10**6)}"


def test_a_budget_without_a_counter_makes_one(monkeypatch, words):
    made = []

    def counter():
        made.append("counter")
        return xs

    monkeypatch.setattr(context, "counter", counter)
    items = [turn("x" * 70), turn("x" * 70)]
    knobs = Knobs.from_env({"MEMVARA_TOKEN_BUDGET": "141"})
    assert render_context(items, None, knobs, words=words).text == f"TURNS\n{shown('x' * 70)}"
    assert made == ["counter"]


def test_a_special_literal_is_ordinary_text(count, render):
    items = [turn("<|endoftext|>" * 9), turn("<|endoftext|>" * 9)]
    whole = render(items)
    assert render(items, count=count, MEMVARA_TOKEN_BUDGET=str(count(whole))) == whole
    assert render(items, count=count, MEMVARA_TOKEN_BUDGET=str(count(whole) - 1)) != whole


BLANK_TURNS = {
    "content": {"content": f"a{' ' * 999_000}b"},
    "role": {"content": "a", "role": "\u3000" * 999_000},
    "ts": {"content": "a", "ts": " \t\r\n" * 249_750},
    "after_a_shorter_run": {"content": f"{' ' * 998_999}a{' ' * 999_001}"},
}


@pytest.mark.parametrize("blank", BLANK_TURNS.values(), ids=BLANK_TURNS)
def test_a_turn_of_999000_blanks_is_refused_with_its_index_before_anything_is_counted(
    blank, render
):
    items = [memory(), turn("a"), turn("b" * 99, "assistant"), Foreign(1), turn(**blank)]
    for question in (None, ASKS_ASSISTANT):
        with pytest.raises(RenderError) as refusal:
            render(items, question, MEMVARA_TOKEN_BUDGET="1", MEMVARA_ROLE_SELECT="route")
        message = "items[4]: 999,000 or more blanks in a row can't be counted"
        assert str(refusal.value) == message


@pytest.mark.parametrize(
    "content",
    ["a" + " " * 998_999, f"{' ' * 499_500}a{' ' * 499_500}", "X" * 999_000, "\u0085" * 999_000],
    ids=["998999-blanks", "two-runs", "no-blanks", "no-whitespace-in-ECMAScript"],
)
def test_a_turn_with_fewer_blanks_is_not_refused(content, render):
    text = render([turn(content)], MEMVARA_TOKEN_BUDGET="1")
    assert text == f"TURNS\n{shown(content)}"


def test_a_memory_of_blanks_is_not_refused(render):
    assert render([memory(" " * 999_000)], MEMVARA_TOKEN_BUDGET="1").startswith("MEMORIES\n")


def test_any_other_failure_to_count_is_refused_with_the_index(render):
    def fails(text: str) -> int:
        if "bad" in text:
            raise TokenError("too hard")
        return len(text)

    items = [memory(), turn("a", "assistant"), turn("b"), turn("bad")]
    with pytest.raises(RenderError) as refusal:
        render(items, count=fails, MEMVARA_TOKEN_BUDGET="1", MEMVARA_ROLE_SELECT="user")
    assert str(refusal.value) == "items[3] can't be counted: too hard"
    assert refusal.value.__suppress_context__


contents = st.text(st.sampled_from("ab 7.\n\r\t/'é中😀\u2028\ufeff\u0301ᾧ"), max_size=30)
turns = st.lists(st.builds(turn, contents), min_size=1, max_size=6)


@given(items=turns, budget=st.integers(1, 150), more=st.integers(0, 150))
def test_a_budget_keeps_a_prefix_and_the_first_line_and_a_larger_one_never_fewer(
    items, budget, more, count, new_words
):
    words = new_words()
    lines = [shown(item.content) for item in items]
    prefixes = ["\n".join([words.turns_heading, *lines[:kept]]) for kept in range(len(lines) + 1)]

    def kept(budget: int) -> int:
        knobs = Knobs.from_env({"MEMVARA_TOKEN_BUDGET": str(budget)})
        text = render_context(items, None, knobs, words=words, count=count).text
        return prefixes.index(text)

    assert 1 <= kept(budget) <= kept(budget + more)
    assert kept(budget) == 1 or count(prefixes[kept(budget)]) <= budget
