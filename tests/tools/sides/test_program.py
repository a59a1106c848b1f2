"""Programs that break the protocol: each breach is named as what it is, and nothing hangs."""

import os
import sys
from pathlib import Path

import pytest

from tools.exits import Exit, Stop
from tools.sides.program import Program, running
from tools.sides.subject import Subject

ADAPTERS = Path(__file__).parents[1] / "adapters"
ROOT = Path(__file__).parents[3]
REQUEST = {"op": "settings", "env": {"MEMVARA_SEARCH_K": "5"}}


def broken(breach):
    return [sys.executable, str(ADAPTERS / "broken.py"), breach]


def asked(command, *requests, timeout=10.0):
    """The answers of a program that is then ended as it should be."""
    with running(command, timeout, lambda subject: None) as subject:
        return [subject.answer(request) for request in requests]


def said(command, timeout=10.0, requests=(REQUEST, REQUEST)):
    """What the breach of a program is called."""
    with pytest.raises(Stop) as stopped:
        asked(command, *requests, timeout=timeout)
    assert stopped.value.exit_code == Exit.CRASHED
    return str(stopped.value)


@pytest.mark.parametrize(
    ("breach", "named"),
    [
        ("crash", "ended with exit code 1 instead of answering (stderr: out of ideas)"),
        ("kill", "ended with exit code -9 instead of answering"),
        ("garbled", "wrote a line that is not JSON: 'Listening on port 8080'"),
        ("no_answer", "wrote no answer with either ok or refused: '{\"id\": 1}'"),
        ("both", "wrote no answer with either ok or refused"),
        ("number_alone", "wrote no answer with either ok or refused: '1'"),
        ("wrong_id", "answered with id 2, not 1"),
        ("no_id", "answered with id None, not 1"),
        ("true_id", "answered with id True, not 1"),
        ("extra", "wrote more than one line for a request: 'debug: done\\n'"),
    ],
)
def test_a_breach_is_named(breach, named):
    assert named in said(broken(breach))


@pytest.mark.parametrize("breach", ["silence", "half", "late"])
def test_silence_ends_with_the_timeout(breach):
    named = said(broken(breach), timeout=0.3)
    assert "silent for 0.3 s" in named or "ended with exit code None" in named


def test_a_program_that_reads_no_more_is_silent_and_blocks_nobody():
    long = {"op": "render", "env": {"MEMVARA_ANYTHING": "x" * 1_000_000}}
    assert "silent for 0.3 s" in said(broken("deaf"), 0.3, (REQUEST, long))


def test_output_without_end_is_cut_off():
    assert "67,108,864 bytes without a line end" in said(broken("huge"), timeout=60)


def test_extra_output_after_the_last_answer_is_seen_too():
    assert "more than one line" in said(broken("extra"), requests=(REQUEST,))


def test_a_breach_shows_the_request_without_the_items():
    request = {"op": "prompt", "env": {}, "items": [{"content": "private"}], "question": "Q?"}
    named = said(broken("crash"), requests=(request,))
    assert "private" not in named
    assert 'request 1: {"op": "prompt", "env": {}, "question": "Q?"}' in named


def test_a_breach_names_the_list_of_a_request():
    request = {"op": "prompt", "env": {}, "items": "thirty", "question": None}
    assert '"items": "thirty"' in said(broken("crash"), requests=(request,))


def test_a_program_that_is_not_there_is_one_line():
    with pytest.raises(Stop, match=r"no-such-program can't be started: No such file") as stopped:
        asked(["no-such-program"])
    assert stopped.value.exit_code == Exit.USAGE


def test_a_sound_program_answers_and_ends(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    program = Program([sys.executable, "-m", "reference"], 30)
    assert program.answer(REQUEST)["ok"]["search_k"] == 5
    assert "refused" in program.answer({"op": "settings", "env": {"MEMVARA_SEARCH_K": "x"}})
    program.close()
    assert program.process.returncode == 0


def test_the_knobs_of_the_shell_do_not_reach_a_program(monkeypatch):
    monkeypatch.setenv("MEMVARA_TOKEN_BUDGET", "7")
    assert asked(broken("environment"), REQUEST) == [{"id": 1, "ok": None}]


def test_a_program_is_ended_when_what_asks_it_fails():
    seen = []

    def fail(subject: Subject) -> None:
        seen.append(subject.answer(REQUEST)["ok"])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), running(broken("pid"), 10, fail):
        pass
    with pytest.raises(ProcessLookupError):
        os.kill(seen[0], 0)
