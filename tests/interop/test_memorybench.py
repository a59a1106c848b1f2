"""The MemoryBench adapter under Node and Bun: its operations, refusals, crashes and bytes."""

import json
import subprocess
from pathlib import Path

import pytest

from reference import wording
from reference.protocol import Session, answer

HERE = Path(__file__).parent
DATA = HERE.parent / "data"
ENV = "src/providers/memvara/env.ts"
PROMPTS = "src/providers/memvara/prompts.ts"
LOGGER = "src/utils/logger.ts"
TURN = {"kind": "turn", "role": "assistant", "content": "At noon.", "ts": "2026-03-01T08:00:00Z"}
MEMORY = {
    "kind": "memory",
    "text": "Rows on Sundays.",
    "state": "active",
    "valid_from": "2026-03-01T08:00:00Z",
    "valid_to": "2026-04-01T08:00:00Z",
    "recorded_at": "today",
}
SETTINGS = {"op": "settings", "env": {}}
BAD = {"op": "settings", "env": {"MEMVARA_SEARCH_K": "0"}}


def render(*items, env=None, question=None):
    return {"op": "render", "env": env or {}, "items": list(items), "question": question}


def prompt(*items, env=None, question=None, date=None):
    return {**render(*items, env=env, question=question), "op": "prompt", "question_date": date}


def test_hello_names_the_checkout_and_its_operations(ask, checkout):
    [said] = ask(checkout, {"op": "hello"}).answers
    assert said["ok"]["name"] == "memorybench-memvara"
    assert said["ok"]["version"] == "1.0.0"
    assert set(said["ok"]["ops"]) == {
        "hello", "items", "render", "prompt", "settings", "request", "route", "count"
    }  # fmt: skip


def test_every_operation_answers_as_the_reference_does(ask, checkout, tmp_path):
    blocks = tmp_path / "blocks.jsonl"
    row = '{"question":" Which\\u3000one?","block":"\u2028%s"}\n'
    blocks.write_text("\ufeff" + row % "first" + "\n" + row % "last", encoding="utf-8")
    requests = [
        {"op": "items", "name": "both", "items": [MEMORY, TURN, None, {"kind": "other"}]},
        {"op": "render", "env": {}, "items": "both", "question": "Which?"},
        render(),
        render({**MEMORY, "valid_to": None}, env={"MEMVARA_TURNS_ONLY": " "}),
        render(MEMORY, TURN, env={"MEMVARA_TURNS_ONLY": "1"}),
        render(TURN, env={"MEMVARA_ROLE_SELECT": "user"}, question="Who?"),
        render(TURN, env={"MEMVARA_ROLE_SELECT": "route"}, question="What did you say?"),
        render(TURN, TURN, env={"MEMVARA_TAIL_CHARS": "3", "MEMVARA_HEAD_WHOLE": "1"}),
        render({**TURN, "content": "ab\U0001f600"}, env={"MEMVARA_TAIL_CHARS": "3"}),
        render(TURN, TURN, env={"MEMVARA_TOKEN_BUDGET": "30"}),
        render(TURN, env={"MEMVARA_CONTEXT_FILE": str(blocks)}, question="Which one? "),
        render(TURN, env={"MEMVARA_CONTEXT_FILE": str(blocks)}, question="Another?"),
        render(env={"MEMVARA_CONTEXT_FILE": "nowhere"}),
        prompt(TURN, question="{context} $& %s", date="2026-05-01"),
        prompt(MEMORY, env={"MEMVARA_ANSWER_PROMPT": "v2"}),
        {"op": "settings", "env": {"MEMVARA_SEARCH_K": " 007 ", "MEMVARA_RANKED": "1"}},
        {"op": "request", "env": {"MEMVARA_SEARCH_K": "5"}, "query": 'é "\n', "tag": "a b!*/é"},
        {"op": "request", "env": {"MEMVARA_RANKED": "1"}, "query": "q", "tag": "t"},
        {"op": "request", "env": {}, "query": "q", "tag": "\ud800"},
        {"op": "route", "question": "Remind me which one"},
        {"op": "route", "question": None},
        {"op": "count", "text": "<|endoftext|> \ufeff\u0085 and \ud800"},
    ]
    session = Session(words=wording.load(HERE / "wording.toml"))
    expected = [answer({"id": number, **each}, session) for number, each in enumerate(requests, 1)]
    for found, wanted in zip(ask(checkout, *requests).answers, expected, strict=True):
        assert found.get("ok") == wanted.get("ok")
        assert ("refused" in found) == ("refused" in wanted)
        assert len(found.get("warnings", [])) == len(wanted.get("warnings", []))


def vectors(name):
    """The recorded facts of tests/data/NAME.jsonl, without the line that says what they are."""
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text().splitlines()][1:]


def test_routing_is_as_recorded(ask, checkout):
    rows = vectors("routing")
    answers = ask(checkout, *({"op": "route", "question": row["question"]} for row in rows)).answers
    assert [each["ok"] for each in answers] == [row["asks_assistant"] for row in rows]


def test_counts_are_as_recorded(ask, checkout):
    rows = vectors("counts")
    answers = ask(checkout, *({"op": "count", "text": row["text"]} for row in rows)).answers
    assert [each["ok"] for each in answers] == [row["tokens"] for row in rows]


def test_settings_are_as_recorded(ask, checkout):
    rows = vectors("knobs")
    answers = ask(checkout, *({"op": "settings", "env": row["env"]} for row in rows)).answers
    assert [each.get("ok") for each in answers] == [row.get("settings") for row in rows]


@pytest.mark.parametrize(
    "request_",
    [
        BAD,
        {"op": "settings", "env": {"MEMVARA_TOKEN_BUGDET": ""}},
        {"op": "settings", "env": {"MEMVARA_RANKED": "1", "MEMVARA_TAIL_CHARS": "5"}},
        render({**TURN, "ts": None}),
        render(TURN, env={"MEMVARA_CONTEXT_FILE": "nowhere"}),
        prompt({**TURN, "content": " " * 999_000}, env={"MEMVARA_TOKEN_BUDGET": "5"}),
    ],
    ids=["value", "name", "pair", "item", "file", "blanks"],
)
def test_what_the_provider_refuses_is_refused_and_the_next_request_answered(
    ask, checkout, request_
):
    refused, settings = ask(checkout, request_, SETTINGS).answers
    assert refused.keys() == {"id", "refused"}
    assert settings["ok"]["search_k"] == 30


@pytest.mark.parametrize(
    "thrown",
    [
        'new TypeError("out of ideas")',
        'new RangeError("out of ideas")',
        'new (class Hidden extends Error {})("out of ideas")',
        '"out of ideas"',
        "undefinedName.field",
    ],
    ids=["type", "range", "hidden", "string", "reference"],
)
def test_a_bug_is_a_crash_with_its_stack_and_no_refusal(ask, changed, thrown):
    folder = changed(
        ENV, "throw refusal(knob, value, `a whole number from ${least}`)", f"throw {thrown}"
    )
    ended = ask(folder, SETTINGS, BAD, SETTINGS)
    assert ended.code == 1
    assert len(ended.lines) == 1
    assert "out of ideas" in ended.errors or "undefinedName" in ended.errors
    assert "env.ts" in ended.errors or thrown.startswith('"')  # a string has no stack


def test_an_error_class_that_the_provider_exports_is_a_refusal(ask, changed):
    folder = changed(
        ENV, "export interface", "export class No extends TypeError {}\nexport interface"
    )
    changed(ENV, "return new Error(`", "return new No(`")
    refused, _ = ask(folder, BAD, SETTINGS).answers
    assert "MEMVARA_SEARCH_K" in refused["refused"]


def test_half_a_pair_travels_as_an_escape(ask, changed):
    folder = changed(PROMPTS, '.replace(/[\\ud800-\\udbff]$/, "")', "")
    item = {**TURN, "content": "\U0001f600"}
    ended = ask(folder, render(item, env={"MEMVARA_TAIL_CHARS": "1"}))
    assert b"\\ud83d (...)" in ended.lines[0]
    assert "\ud83d (...)" in ended.answers[0]["ok"]


def test_half_a_pair_in_a_request_reaches_the_provider(ask, changed):
    folder = changed(
        PROMPTS, "return ASKS_ASSISTANT.test(question)", "return !question.isWellFormed()"
    )
    answers = ask(folder, *({"op": "route", "question": each} for each in ("\udc00", "a"))).answers
    assert [each["ok"] for each in answers] == [True, False]


def test_only_a_line_feed_ends_a_request(ask, checkout):
    text = "a\u2028b\u2029c\u0085d"
    line = json.dumps({"id": 1, **render({**TURN, "content": text})}, ensure_ascii=False)
    [said] = ask(checkout, line.encode() + b"\r\n").answers
    assert said["ok"].endswith(text)


def test_the_last_request_needs_no_line_feed(ask, checkout):
    assert ask(checkout, json.dumps(SETTINGS).encode()).answers[0]["ok"]["search_k"] == 30


def test_no_request_is_no_answer_and_no_error(ask, checkout):
    assert ask(checkout) == (0, [], "")


def test_a_long_line_arrives_whole(ask, checkout):
    content = "é漢\U0001f600" * 700_000
    line = json.dumps({"id": 1, **render({**TURN, "content": content})}, ensure_ascii=False)
    first, second = ask(checkout, line.encode() + b"\n", SETTINGS).answers
    assert first["ok"].endswith(content)
    assert second["ok"]["search_k"] == 30


def test_a_request_says_what_is_set_and_the_shell_never_does(ask, checkout):
    five = {"op": "settings", "env": {"MEMVARA_SEARCH_K": "5"}}
    shell = {"MEMVARA_SEARCH_K": "7", "MEMVARA_SEARCH_KK": "7"}
    answers = ask(checkout, SETTINGS, five, BAD, SETTINGS, env=shell).answers
    assert [each.get("ok", {}).get("search_k") for each in answers] == [30, 5, None, 30]


def test_warnings_belong_to_the_request_that_they_were_logged_for(ask, checkout):
    emptied = render(TURN, env={"MEMVARA_ROLE_SELECT": "user"}, question="Who?")
    answers = ask(checkout, emptied, render(TURN), emptied).answers
    assert [len(each["warnings"]) for each in answers] == [1, 0, 1]
    assert '"Who?"' in answers[0]["warnings"][0]


def test_what_the_provider_prints_is_on_stderr(ask, changed):
    printing = 'console.log("hi"); console.info("hi"); process.stdout.write("hi\\n")\n'
    folder = changed(LOGGER, "export const", printing + "export const")
    changed(ENV, "refuseMisspeltNames()\n  const", printing + "refuseMisspeltNames()\n  const")
    ended = ask(folder, SETTINGS, SETTINGS)
    assert len(ended.answers) == 2
    assert ended.errors.count("hi\n") == 9


@pytest.mark.parametrize(
    ("name", "function", "op"),
    [
        (ENV, "memvaraSearchRequest", "request"),
        (ENV, "memvaraProviderSettings", "settings"),
        (PROMPTS, "wantsAssistant", "route"),
        ("src/utils/tokens.ts", "countO200k", "count"),
    ],
)
def test_a_function_that_is_not_exported_is_an_operation_less(ask, changed, name, function, op):
    hidden = f"export {{ {function} as other }}\nfunction {function}("
    folder = changed(name, f"export function {function}(", hidden)
    if name != PROMPTS:
        prompts = (folder / PROMPTS).read_text()
        (folder / PROMPTS).write_text(prompts.replace(f"{{ {function}", f"{{ other as {function}"))
    [said] = ask(folder, {"op": "hello"}).answers
    assert len(said["ok"]["ops"]) == 7
    assert op not in said["ok"]["ops"]


def test_an_operation_that_is_not_there_ends_the_program(ask, checkout):
    ended = ask(checkout, SETTINGS, {"op": "dance"})
    assert (ended.code, len(ended.lines)) == (1, 1)
    assert "line 2: there is no operation dance here" in ended.errors


def test_a_checkout_without_the_provider_says_which_file_is_missing(ask, changed):
    folder = changed(ENV, "export", "export")
    (folder / PROMPTS).unlink()
    ended = ask(folder, SETTINGS)
    assert (ended.code, ended.lines) == (1, [])
    assert "src/providers/memvara/prompts" in ended.errors


def test_checkout_and_adapter_pass_the_strict_type_checker(checkout):
    checked = subprocess.run(
        [str(HERE / "node_modules/.bin/tsc"), "-p", str(checkout)], capture_output=True, text=True
    )
    assert (checked.stdout, checked.returncode) == ("", 0)
