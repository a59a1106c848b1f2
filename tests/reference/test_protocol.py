"""The protocol: every op, every refusal, and one answer a line."""

import io
import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import context, overrides, tokens, wording
from reference import items as reference_items
from reference.protocol import ProtocolError, Session, answer, serve

TURN = {"kind": "turn", "role": "user", "content": "a", "ts": "2026-03-04T05:06:07Z"}
SHOWN = "- [2026-03-04 05:06] user: a"


def uncounted(text: str) -> int:
    raise AssertionError("a render counted without the session's counter")


@pytest.fixture(autouse=True)
def no_encoder(monkeypatch):
    """Nothing here waits for an encoder that a render made for itself."""
    monkeypatch.setattr(context, "counter", lambda: uncounted)


@pytest.fixture
def session(words, o200k) -> Session:
    return Session(words=words, count=lambda text: tokens.count(text, o200k))


def rendering(items, question=None, **env):
    return {"id": 7, "op": "render", "env": env, "items": items, "question": question}


def prompting(items, question, date, **env):
    return rendering(items, question, **env) | {"op": "prompt", "question_date": date}


def breach(asked, session) -> str:
    """Why `asked` is no request."""
    with pytest.raises(ProtocolError) as error:
        answer(asked, session)
    assert error.value.__context__ is None or error.value.__suppress_context__
    return str(error.value)


def failing_with(error: type[Exception]) -> list:
    raise error("a bug")


# The ops


def test_render_gives_the_block_and_its_warnings(session):
    asked = rendering([TURN | {"role": "assistant"}], "Why?", MEMVARA_ROLE_SELECT="user")
    assert answer(asked, session) == {
        "id": 7,
        "ok": "NOTHING KEPT",
        "warnings": [
            "MEMVARA_ROLE_SELECT=user keeps user turns and there is none among 1; question: 'Why?'"
        ],
    }


def test_render_counts_a_budget_in_o200k_tokens(session):
    items = [TURN | {"content": content} for content in ("hello world", "hello", "world")]
    two = "TURNS\n- [2026-03-04 05:06] user: hello world\n- [2026-03-04 05:06] user: hello"
    budget = session.count(two)
    for tokens_left, lines in ((0, 2), (-1, 1)):
        asked = rendering(items, MEMVARA_TOKEN_BUDGET=str(budget + tokens_left))
        assert answer(asked, session)["ok"].count("\n") == lines


def test_prompt_gives_the_whole_prompt_and_the_warnings_of_its_block(session):
    asked = prompting([TURN], "Why?", "2026", MEMVARA_ANSWER_PROMPT="v2")
    text = f"Why?|2026|TURNS\n{SHOWN}|read\nrules|answer\ninstruction|"
    assert answer(asked, session) == {"id": 7, "ok": text, "warnings": []}
    asked = prompting([TURN | {"role": "x"}], None, None, MEMVARA_ROLE_SELECT="route")
    told = answer(asked, session)
    assert told["ok"] == "|NO DATE|NOTHING KEPT|read|answer|"
    assert told["warnings"] == [
        "MEMVARA_ROLE_SELECT=route keeps user turns and there is none among 1; question: ''"
    ]


def test_settings_gives_every_knob_that_changes_a_render_or_a_request(session):
    env = {"MEMVARA_SEARCH_K": "200", "OPENAI_MODEL_PREFIX": "openai/"}
    assert answer({"id": 1, "op": "settings", "env": env}, session) == {
        "id": 1,
        "ok": {
            "turns_only": False,
            "role_select": "off",
            "head_whole": 0,
            "tail_chars": 0,
            "token_budget": None,
            "search_k": 200,
            "answer_prompt": "v1",
            "context_file": None,
            "ranked": False,
        },
    }


def test_request_gives_the_search_request_with_its_exact_body(session):
    asked = {"id": 2, "op": "request", "env": {"MEMVARA_RANKED": "1"}, "query": "é", "tag": "a b"}
    assert answer(asked, session) == {
        "id": 2,
        "ok": {
            "method": "POST",
            "path": "/v1/search?user=a%20b",
            "body": '{"query":"é","k":30,"min_score":0,"include_episodes":true,"ranked":true}',
        },
    }


JSON = {"Content-Type": "application/json"}
MESSAGE = {"role": "user", "content": "\ud800"}


@pytest.mark.parametrize(
    ("call", "sent"),
    [
        ({"call": "whoami"}, ("GET", "/v1/whoami", {}, None)),
        ({"call": "health"}, ("GET", "/v1/health", {}, None)),
        ({"call": "stats", "tag": "a b"}, ("GET", "/v1/stats?user=a%20b", {}, None)),
        (
            {"call": "erase", "tag": "t"},
            ("POST", "/v1/erasures?user=t", JSON, '{"scope":{"user":"t"}}'),
        ),
        (
            {"call": "search", "tag": "t", "query": "q", "env": {"MEMVARA_SEARCH_K": "7"}},
            (
                "POST",
                "/v1/search?user=t",
                JSON,
                '{"query":"q","k":7,"min_score":0,"include_episodes":true}',
            ),
        ),
        (
            {"call": "add", "tag": "t", "session": "s", "stamp": "d", "messages": [MESSAGE]},
            (
                "POST",
                "/v1/memories?user=t",
                JSON | {"Idempotency-Key": "t:s"},
                '{"messages":[{"role":"user","content":"\ufffd","ts":"d",'
                '"metadata":{"sessionId":"s"}}],"ts":"d"}',
            ),
        ),
    ],
    ids=lambda value: value["call"] if isinstance(value, dict) else "",
)
def test_call_gives_every_request_with_headers_and_exact_body(call, sent, session):
    names = ("method", "path", "headers", "body")
    asked = {"id": 5, "op": "call"} | call
    assert answer(asked, session) == {"id": 5, "ok": dict(zip(names, sent, strict=True))}


@pytest.mark.parametrize(
    ("question", "routed"), [("What did you say?", True), ("What did I say?", False), (None, False)]
)
def test_route_tells_whether_a_question_asks_what_the_assistant_said(question, routed, session):
    asked = {"id": 3, "op": "route", "env": {}, "question": question}
    assert answer(asked, session) == {"id": 3, "ok": routed}


def test_count_gives_o200k_tokens(session):
    asked = {"id": 4, "op": "count", "env": {}, "text": "a\ud83d…<|endoftext|>"}
    assert answer(asked, session) == {"id": 4, "ok": 10}


def test_lone_surrogates_in_loaded_text_become_replacement_characters(session):
    item = TURN | {"content": "\ud800"}
    asked = prompting([item], "\ud801", "\ud802")
    text = f"\ufffd|\ufffd|TURNS\n{SHOWN[:-1]}\ufffd|read|answer|"
    assert answer(asked, session)["ok"] == text
    asked = rendering([TURN | {"role": "x"}], "\ud800", MEMVARA_ROLE_SELECT="user")
    assert answer(asked, session)["warnings"][0].endswith("question: '\ufffd'")
    asked = {"op": "request", "env": {}, "query": "\ud800", "tag": "t"}
    assert answer(asked, session)["ok"]["body"].startswith('{"query":"\ufffd",')


@pytest.mark.parametrize("call", ["add", "search", "stats", "erase"])
def test_a_tag_is_sent_as_it_is_or_refused(call, session):
    asked = {"op": "call", "call": call, "tag": "\ud800", "query": "", "env": {}}
    asked |= {"messages": [], "session": "s", "stamp": None}
    refused = "'\\ud800' can't be sent in a URL: surrogates not allowed"
    assert answer(asked, session) == {"id": None, "refused": refused}


def test_text_of_a_call_becomes_well_formed(session):
    asked = {"op": "call", "call": "search", "tag": "t", "query": "\ud800", "env": {}}
    assert answer(asked, session)["ok"]["body"].startswith('{"query":"\ufffd",')
    asked = {"op": "call", "call": "add", "tag": "t", "session": "s", "stamp": "\ud800"}
    answered = answer(asked | {"messages": []}, session)
    assert answered["ok"]["body"] == '{"messages":[],"ts":"\ufffd"}'


# Named lists


def test_a_list_is_named_once_and_rendered_by_its_name(session):
    named = {"id": 1, "op": "items", "name": "one", "items": [TURN]}
    assert answer(named, session) == {"id": 1, "ok": None}
    for _ in range(2):
        assert answer(rendering("one"), session)["ok"] == f"TURNS\n{SHOWN}"
    assert answer(prompting("one", "Q", "D"), session)["ok"].startswith(f"Q|D|TURNS\n{SHOWN}|")


def test_a_name_means_the_list_that_it_was_last_given(session):
    for items, text in (([TURN], f"TURNS\n{SHOWN}"), ([], "NOTHING KEPT")):
        answer({"op": "items", "name": "one", "items": items}, session)
        assert answer(rendering("one"), session)["ok"] == text


def test_a_named_list_is_loaded_once(session, monkeypatch):
    loaded = []

    def from_json(values):
        loaded.append(values)
        return []

    monkeypatch.setattr(reference_items, "from_json", from_json)
    answer({"op": "items", "name": "one", "items": [TURN]}, session)
    assert loaded == []
    for _ in range(2):
        assert answer(rendering("one"), session)["ok"] == "NOTHING KEPT"
    assert loaded == [[TURN]]


def test_a_named_list_that_cannot_be_rendered_is_refused_when_it_is(session):
    named = {"id": 1, "op": "items", "name": "bad", "items": [TURN | {"ts": None}]}
    assert answer(named, session) == {"id": 1, "ok": None}
    for _ in range(2):
        refused = "items[0].ts: expected a string, found null"
        assert answer(rendering("bad"), session) == {"id": 7, "refused": refused}


# Refusals


def test_every_declared_error_is_a_refusal_with_its_message(session, tmp_path):
    gone = str(tmp_path / "gone")
    million = " " * 1_000_000
    bad_tag = {"op": "request", "env": {}, "query": "q", "tag": "\ud800"}
    for asked, start in (
        (rendering([], MEMVARA_SEARCH_K="0"), "MEMVARA_SEARCH_K='0' is not accepted"),
        (rendering(5), "items: expected a list"),
        (rendering([TURN | {"content": million}], MEMVARA_TOKEN_BUDGET="1"), "items[0]: 999,000 "),
        (rendering([TURN], MEMVARA_CONTEXT_FILE=gone), f"MEMVARA_CONTEXT_FILE={gone!r} can't be"),
        ({"op": "count", "env": {}, "text": million}, "tiktoken can't encode 1000000 characters"),
        (bad_tag, "'\\ud800' can't be sent in a URL"),
    ):
        refused = answer(asked, session)
        assert refused.keys() == {"id", "refused"}
        assert refused["id"] == asked.get("id")
        assert refused["refused"].startswith(start)


def test_items_are_checked_before_a_context_file_is_read(session):
    asked = rendering([TURN | {"role": 5}], MEMVARA_CONTEXT_FILE="gone")
    assert answer(asked, session)["refused"].startswith("items[0].role: expected a string")


def test_knobs_are_checked_before_items(session):
    asked = rendering([TURN | {"role": 5}], MEMVARA_TURNS_ONLY="yes")
    assert answer(asked, session)["refused"].startswith("MEMVARA_TURNS_ONLY='yes'")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
dates = {"valid_from": st.text(max_size=3), "recorded_at": st.text(max_size=3)}
items = st.lists(
    values
    | st.fixed_dictionaries(
        {"kind": st.just("turn"), "role": st.sampled_from(["user", "assistant"])},
        optional={"content": st.text(max_size=9) | values, "ts": st.text(), "selected": values},
    )
    | st.fixed_dictionaries(
        {"kind": st.just("memory"), "text": st.text(max_size=9), "state": st.text(max_size=3)},
        optional={**dates, "valid_to": values},
    ),
    max_size=4,
)
environments = st.fixed_dictionaries(
    {},
    optional={
        "MEMVARA_ROLE_SELECT": st.sampled_from(["user", "route"]),
        "MEMVARA_TOKEN_BUDGET": st.sampled_from(["1", "25", "x"]),
        "MEMVARA_TAIL_CHARS": st.sampled_from(["0", "3"]),
        "MEMVARA_CONTEXT_FILE": st.just("\0"),
    },
)


unnamed = (items | values).filter(lambda value: value == "" or not isinstance(value, str))


@given(items=unnamed, question=st.none() | st.text(max_size=9), env=environments)
def test_any_json_for_items_is_rendered_or_refused(items, question, env, new_words, count):
    asked = rendering(items, question, **env)
    told = answer(asked, Session(words=new_words(), count=count, lists={"": list}))
    assert told.keys() in ({"id", "ok", "warnings"}, {"id", "refused"})


# Lines that are no requests


def test_an_unknown_op_is_no_request(session):
    ops = "items, render, prompt, settings, request, call, route, count"
    assert breach({"id": 1, "op": "erase"}, session) == f"unknown op 'erase': one of {ops}"
    assert breach({"id": 1}, session) == "no 'op'"
    assert breach([1], session) == "no 'op'"


def test_an_unknown_call_is_no_request(session):
    calls = "whoami, health, add, search, stats, erase"
    asked = {"op": "call", "call": "items"}
    assert breach(asked, session) == f"call: unknown call 'items': one of {calls}"


# A request of every op and of every call, and the kinds that each of its fields may be.
STRING, TEXT, OBJECT, LIST = "a string", "a string or null", "an object", "a list"
FIELDS = [
    ({"op": "items", "name": "one", "items": []}, {"name": STRING, "items": None}),
    (rendering([]), {"env": OBJECT, "items": None, "question": TEXT}),
    (
        prompting([], None, None),
        {"env": OBJECT, "items": None, "question": TEXT, "question_date": TEXT},
    ),
    ({"op": "settings", "env": {}}, {"env": OBJECT}),
    (
        {"op": "request", "env": {}, "query": "", "tag": ""},
        {"env": OBJECT, "query": STRING, "tag": STRING},
    ),
    ({"op": "route", "question": None}, {"question": TEXT}),
    ({"op": "count", "text": ""}, {"text": STRING}),
    (
        {"op": "call", "call": "add", "messages": [], "tag": "", "session": "", "stamp": None},
        {"call": STRING, "messages": LIST, "tag": STRING, "session": STRING, "stamp": TEXT},
    ),
    (
        {"op": "call", "call": "search", "env": {}, "query": "", "tag": ""},
        {"call": STRING, "env": OBJECT, "query": STRING, "tag": STRING},
    ),
    ({"op": "call", "call": "stats", "tag": ""}, {"tag": STRING}),
    ({"op": "call", "call": "erase", "tag": ""}, {"tag": STRING}),
]


@pytest.mark.parametrize(
    ("asked", "kinds"), FIELDS, ids=[asked.get("call", asked["op"]) for asked, _ in FIELDS]
)
def test_a_request_has_every_field_of_its_op_and_each_of_its_kind(asked, kinds, session):
    assert "ok" in answer(asked, session)
    op = asked["op"]
    for name, kind in kinds.items():
        lacking = {key: value for key, value in asked.items() if key != name}
        assert breach(lacking, session) == f"{op}: no {name!r}"
        if kind is not None:
            expected = f"{op}: {name!r}: expected {kind}, found a number"
            assert breach(asked | {name: 5}, session) == expected


def test_a_variable_is_a_string(session):
    asked = {"op": "settings", "env": {"MEMVARA_SEARCH_K": 5}}
    expected = "settings: 'MEMVARA_SEARCH_K': expected a string, found a number"
    assert breach(asked, session) == expected


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ({"role": "user"}, "no 'content'"),
        ({"content": "a"}, "no 'role'"),
        ("a", "no 'role'"),
        ({"role": "user", "content": ["a"]}, "'content': expected a string, found a list"),
    ],
)
def test_a_message_has_a_role_and_a_content(message, why, session):
    asked = {"op": "call", "call": "add", "tag": "t", "session": "s", "stamp": None}
    asked["messages"] = [{"role": "user", "content": "a"}, message]
    assert breach(asked, session) == f"call: {why}"


def test_a_name_that_no_list_has_is_not_repeated(session):
    said = breach(rendering("What I told nobody"), session)
    assert said == "render: items: there is no list of that name"


def test_a_fault_of_the_reference_itself_is_not_hidden(session):
    for error in (KeyError, TypeError, ValueError):
        session.lists["one"] = lambda error=error: failing_with(error)
        with pytest.raises(error, match="a bug"):
            answer(rendering("one"), session)


# The session


def test_a_session_speaks_the_shipped_wording():
    words = wording.load()
    assert answer(rendering([]), Session())["ok"] == words.empty
    assert words.no_date in answer(prompting([], None, None), Session())["ok"]


def test_a_session_counts_o200k_tokens_and_loads_the_encoder_once(o200k, monkeypatch):
    loaded = []

    def load(path, spec):
        loaded.append(path.name)
        return o200k

    monkeypatch.setattr(tokens, "load", load)
    session = Session()
    for text in ("hello", "world"):
        assert answer({"op": "count", "text": text}, session)["ok"] == 1
    assert loaded == ["o200k_base.tiktoken.gz"]


def test_a_session_reads_a_context_file_once(tmp_path):
    path = tmp_path / "blocks.jsonl"
    path.write_text('{"question": "q", "block": "b"}\n', encoding="utf-8")
    asked = rendering([TURN], "q", MEMVARA_CONTEXT_FILE=str(path))
    session = Session()
    assert answer(asked, session)["ok"] == "b"
    path.unlink()
    assert answer(asked, session)["ok"] == "b"
    refused = answer(asked, Session())["refused"]
    assert refused.startswith(f"MEMVARA_CONTEXT_FILE={str(path)!r} can't be read")


def test_a_session_takes_another_wording_counter_and_context_loader(words):
    session = Session(
        words=words,
        count=lambda text: 5,
        load_context=lambda path: overrides.ContextFile({"": path}, ("warned",)),
    )
    assert answer(rendering([]), session)["ok"] == "NOTHING KEPT"
    assert answer({"op": "count", "text": ""}, session)["ok"] == 5
    told = answer(rendering([TURN], MEMVARA_CONTEXT_FILE="f"), session)
    assert told == {"id": 7, "ok": "f", "warnings": ["warned"]}


# Serving


def test_each_line_is_answered_before_the_next_is_read():
    named = {"id": 1, "op": "items", "name": "é", "items": [TURN | {"content": "é\u2028"}]}
    asked = [
        json.dumps(named, ensure_ascii=False).encode(),
        b'{"id": 2, "op": "render", "env": {}, "items": "\\u00e9", "question": "\\ud800"}',
        b'{"id": 3, "op": "settings", "env": {"MEMVARA_SEARCH_K": "x"}}',
    ]
    written, errors = io.BytesIO(), io.StringIO()
    output = io.BufferedWriter(written)

    def lines() -> Iterator[bytes]:
        for number, line in enumerate(asked):
            assert written.getvalue().count(b"\n") == number
            yield line + b"\n"

    assert serve(lines(), output, errors) == 0
    assert errors.getvalue() == ""
    first, second, third = written.getvalue().splitlines()
    assert first == b'{"id": 1, "ok": null}'
    assert json.loads(second)["ok"].endswith("user: é\u2028")
    assert json.loads(third)["refused"].startswith("MEMVARA_SEARCH_K='x' is not accepted")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"op"', "not JSON: line 1 column 6"),
        (b'{"op": "erase"}', "unknown op 'erase': one of items, render, "),
        (b"5", "no 'op'"),
        (b'{"op": []}', "'op': expected a string, found a list"),
        (b'{"op": "route", "question": NaN}', "not JSON: NaN is not finite: line 1 column 29"),
        (b'{"op": "route", "question": "\xff"}', "'utf-8' codec can't decode byte 0xff in "),
        ('{"op": "route", "question": null}'.encode("utf-16"), "'utf-8' codec can't decode "),
        (b"[" * 1_000_000, "not JSON: nested too deeply"),
    ],
    ids=["no-JSON", "no-op", "no-object", "no-string", "NaN", "no-UTF-8", "UTF-16", "too-deep"],
)
def test_a_line_that_is_no_request_ends_it_with_one_line_and_status_2(line, reason):
    output, errors = io.BytesIO(), io.StringIO()
    asked = [b'{"op": "route", "question": null}', line, b"{}"]
    assert serve(iter(asked), output, errors) == 2
    assert output.getvalue() == b'{"id": null, "ok": false}\n'
    assert errors.getvalue().startswith(f"line 2: no request of the protocol: {reason}")
    assert errors.getvalue().index("\n") == len(errors.getvalue()) - 1
