"""The adapter for any provider in JavaScript, filled in for the provider of the checkout."""

import pytest

from tools.adapters import text

PROVIDER = """
import * as env from "./src/providers/memvara/env.ts"
import * as prompts from "./src/providers/memvara/prompts.ts"
import { countO200k } from "./src/utils/tokens.ts"

console.log("a banner")
export const Refusal = Error
export const renderContext = async (items, question) =>
  prompts.renderMemvaraContext(items, question ?? "")
export const answerPrompt = (items, question, date) =>
  prompts.buildMemvaraAnswerPrompt(question ?? "", items, date ?? undefined)
export const settings = env.memvaraProviderSettings
export const searchRequest = env.memvaraSearchRequest
export const asksAssistant = (question) => prompts.wantsAssistant(question ?? "")
export const countTokens = countO200k
"""
SETTINGS = {"op": "settings", "env": {}}
BAD = {"op": "settings", "env": {"MEMVARA_SEARCH_K": "0"}}


@pytest.fixture
def filled_in(changed):
    """A checkout with the adapter, and what it asks beside it."""
    folder = changed("package.json", "1.0.0", "1.0.1")
    (folder / "adapter.mjs").write_text(text("node"))
    (folder / "your-provider.mjs").write_text(PROVIDER)
    return folder


def test_every_arm_is_answered_as_the_reference_does(sweep, runtime, filled_in):
    result = sweep(runtime, filled_in / "adapter.mjs", "--arms")
    assert result.returncode == 0, result.stdout + result.stderr


def test_hello_route_and_count_are_answered_too(ask, filled_in):
    hello, route, count = ask(
        filled_in,
        {"op": "hello"},
        {"op": "route", "question": "What did you say?"},
        {"op": "count", "text": "<|endoftext|>"},
        adapter="adapter.mjs",
    ).answers
    assert hello["ok"]["ops"] == [
        "render", "prompt", "settings", "request", "route", "count", "items", "hello"
    ]  # fmt: skip
    assert (route["ok"], count["ok"]) == (True, 7)


def test_an_error_that_is_called_a_refusal_is_one_and_any_other_a_crash(ask, filled_in):
    (filled_in / "your-provider.mjs").write_text(
        PROVIDER.replace("Refusal = Error", "Refusal = TypeError")
    )
    ended = ask(filled_in, SETTINGS, BAD, adapter="adapter.mjs")
    assert (ended.code, len(ended.lines)) == (1, 1)
    assert "MEMVARA_SEARCH_K" in ended.errors
    assert "env.ts" in ended.errors
    (filled_in / "your-provider.mjs").write_text(PROVIDER)
    assert "refused" in ask(filled_in, BAD, adapter="adapter.mjs").answers[0]
