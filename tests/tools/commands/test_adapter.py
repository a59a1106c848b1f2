"""`goldens adapter`, and the adapter in Python, filled in for the reference itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tools.adapters import FILES, text
from tools.commands.adapter import command

ROOT = Path(__file__).parents[3]
PROVIDER = """
import logging
import os

from reference import protocol

print("a banner")
os.write(1, b"another\\n")
session = protocol.Session()


class Refusal(Exception):
    pass


def asked(op, **fields):
    found = protocol.answer({"op": op, "env": dict(os.environ), **fields}, session)
    if "refused" in found:
        raise Refusal(found["refused"])
    for warning in found.get("warnings", []):
        logging.getLogger("provider").warning("%s", warning)
    return found["ok"]


def render_context(items, question):
    return asked("render", items=items, question=question)


def answer_prompt(items, question, date):
    return asked("prompt", items=items, question=question, question_date=date)


def settings():
    return asked("settings")


def search_request(query, tag):
    return asked("request", query=query, tag=tag)


def asks_assistant(question):
    return asked("route", question=question)


def count_tokens(text):
    return len(text.split())
"""
TURN = {"kind": "turn", "role": "user", "content": "a\u2028b \ud800", "ts": "now"}
SETTINGS = {"op": "settings", "env": {}}
BAD = {"op": "settings", "env": {"MEMVARA_SEARCH_K": "0"}}


@pytest.fixture
def ask(tmp_path):
    """What the adapter makes of requests: exit code, answers, stderr."""
    (tmp_path / "adapter.py").write_text(text("python"))
    (tmp_path / "your_provider.py").write_text(PROVIDER)

    def run(*requests, env=None):
        lines = [json.dumps({"id": number, **each}) for number, each in enumerate(requests, 1)]
        ended = subprocess.run(
            [sys.executable, str(tmp_path / "adapter.py")],
            input="\n".join(lines).encode(),
            capture_output=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | (env or {}),
            timeout=60,
        )
        answers = [json.loads(line) for line in ended.stdout.splitlines()]
        return ended.returncode, answers, ended.stderr.decode()

    return run


@pytest.mark.parametrize("name", FILES)
def test_an_adapter_is_printed_as_it_is(name):
    result = CliRunner().invoke(command, [name])
    assert result.exit_code == 0
    assert result.output == text(name)
    assert f"goldens adapter {name} > adapter." in result.output


def test_an_unknown_adapter_is_refused_with_the_names_of_those_there_are():
    result = CliRunner().invoke(command, ["perl"])
    assert result.exit_code == 2
    assert "'memorybench', 'node', 'python'" in result.output


def test_every_operation_is_answered_and_nothing_else_is_on_stdout(ask):
    emptied = {"MEMVARA_ROLE_SELECT": "route"}
    code, answers, errors = ask(
        {"op": "hello"},
        {"op": "items", "name": "one", "items": [TURN]},
        {"op": "render", "env": {}, "items": "one", "question": None},
        {"op": "render", "env": emptied, "items": [TURN], "question": "What did you say?"},
        {"op": "prompt", "env": {}, "items": [TURN], "question": "Why?", "question_date": None},
        {"op": "request", "env": {}, "query": "q", "tag": "t"},
        {"op": "route", "question": "What did you say?"},
        {"op": "count", "text": "three words \ud800"},
    )
    assert (code, errors) == (0, "a banner\nanother\n")
    hello, named, rendered, warned, prompted, request, route, count = answers
    assert hello["ok"]["ops"] == [
        "render", "prompt", "settings", "request", "route", "count", "items", "hello"
    ]  # fmt: skip
    assert named["ok"] is None
    assert rendered["ok"].endswith("user: a\u2028b \ufffd")
    assert (rendered["warnings"], len(warned["warnings"])) == ([], 1)
    assert "Why?" in prompted["ok"]
    assert request["ok"]["path"] == "/v1/search?user=t"
    assert (route["ok"], count["ok"]) == (True, 3)


def test_a_request_says_what_is_set_and_the_shell_never_does(ask):
    five = {"op": "settings", "env": {"MEMVARA_SEARCH_K": "5"}}
    code, answers, _ = ask(SETTINGS, five, BAD, SETTINGS, env={"MEMVARA_SEARCH_K": "7"})
    assert code == 0
    assert [each.get("ok", {}).get("search_k") for each in answers] == [30, 5, None, 30]
    assert "MEMVARA_SEARCH_K" in answers[2]["refused"]


def test_what_is_no_refusal_is_a_crash_with_its_traceback(ask):
    broken = {"op": "count", "text": None}
    code, answers, errors = ask(SETTINGS, broken, SETTINGS)
    assert (code, len(answers)) == (1, 1)
    assert "AttributeError" in errors
    assert "your_provider.py" in errors
