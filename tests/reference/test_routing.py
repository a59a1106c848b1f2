"""The routing rule: fourteen phrasings, ASCII, whole words, single spaces."""

import json
from pathlib import Path

import pytest

from reference.routing import asks_assistant

DATA = Path(__file__).parents[1] / "data"

PHRASINGS = (
    "you suggested",
    "you recommended",
    "you mentioned",
    "you told me",
    "you provided",
    "you wrote",
    "you created",
    "did you say",
    "can you remind me",
    "remind me what",
    "remind me which",
    "remind me who",
    "remind me how",
    "remind me of",
)


def vectors(name: str) -> list[dict]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


@pytest.mark.parametrize("phrasing", PHRASINGS)
def test_a_phrasing_asks_the_assistant_anywhere_and_in_any_case(phrasing):
    assert asks_assistant(phrasing) is True
    assert asks_assistant(f"Hm, {phrasing.upper()}?") is True


@pytest.mark.parametrize("phrasing", PHRASINGS)
def test_a_phrasing_ends_at_ascii_word_boundaries(phrasing):
    for letter in ("é", "ſ", "\u212a", "語"):
        assert asks_assistant(f"{letter}{phrasing}{letter}") is True
    for glued in (f"x{phrasing}", f"_{phrasing}", f"{phrasing}s", f"{phrasing}1"):
        assert asks_assistant(glued) is False


@pytest.mark.parametrize("phrasing", PHRASINGS)
def test_a_phrasing_has_single_spaces(phrasing):
    for gap in ("  ", "\u00a0", "\n", ""):
        assert asks_assistant(phrasing.replace(" ", gap)) is False


@pytest.mark.parametrize(
    "question",
    [
        "you ſuggested",
        "Can you remınd me",
        "you to\u2113d me",
        "you suggest",
        "remind me",
        "remind me when I flew",
        "Did I say that?",
    ],
)
def test_another_wording_does_not_ask_the_assistant(question):
    assert asks_assistant(question) is False


def test_remind_me_asks_the_assistant_even_about_the_users_own_history():
    assert asks_assistant("Remind me which airline I flew") is True


@pytest.mark.parametrize("question", [None, ""])
def test_no_question_does_not_ask_the_assistant(question):
    assert asks_assistant(question) is False


@pytest.mark.parametrize("row", vectors("routing"))
def test_a_question_routes_as_measured(row):
    assert asks_assistant(row["question"]) is row["asks_assistant"]
