"""Models: which id an alias stands for, and what follows from the id."""

import json
from pathlib import Path

import pytest

from reference.models import Model, resolve

DATA = Path(__file__).parents[1] / "data"

ALIASES = [
    ("opus-4.5", "claude-opus-4-5-20251101"),
    ("sonnet-4.5", "claude-sonnet-4-5-20250929"),
    ("haiku-4.5", "claude-haiku-4-5-20251001"),
    ("opus-4.1", "claude-opus-4-1-20250805"),
    ("sonnet-4", "claude-sonnet-4-20250514"),
]
PLAIN = [
    "gpt-4o",
    "gpt-4o-mini",
    "gpt-4.1",
    "gpt-4.1-mini",
    "gpt-4.1-nano",
    "gpt-5",
    "gpt-5-mini",
    "o1",
    "o1-pro",
    "o3",
    "o3-mini",
    "o3-pro",
    "o4-mini",
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "gemini-2.5-flash-lite",
    "gemini-2.0-flash",
    "gemini-3-pro-preview",
]


def vectors(name: str) -> list[dict]:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines[1:]]


@pytest.mark.parametrize("row", vectors("models"))
def test_an_alias_resolves_as_measured(row):
    model = resolve(row["alias"], row["prefix"] or "")
    measured = (row["alias"], row["id"], row["provider"], row["temperature"])
    assert (model.alias, model.id, model.provider, model.takes_temperature) == measured


@pytest.mark.parametrize(("alias", "model_id"), ALIASES)
def test_an_anthropic_alias_stands_for_a_dated_id_in_any_case(alias, model_id):
    expected = (model_id, "anthropic", True, None)
    assert resolve(alias) == (alias, *expected)
    assert resolve(alias.upper()) == (alias.upper(), *expected)


@pytest.mark.parametrize("alias", PLAIN)
def test_a_known_id_is_sent_in_lower_case(alias):
    assert resolve(alias.upper()).id == alias


def test_an_unknown_id_is_sent_as_written():
    assert resolve("GPT-9") == Model("GPT-9", "GPT-9", "openai", True, "cl100k_base")


@pytest.mark.parametrize(
    ("alias", "provider"),
    [
        ("claude-9", "anthropic"),
        ("gemini-9", "google"),
        ("claude", "openai"),
        ("gemini", "openai"),
        ("my-claude-9", "openai"),
        ("my-gemini-9", "openai"),
        ("gpt-9", "openai"),
    ],
)
def test_the_start_of_an_id_says_whose_model_it_is(alias, provider):
    assert resolve(alias).provider == provider


@pytest.mark.parametrize("alias", ["gpt-5", "gpt-5.4", "o1", "o1-pro", "o3x", "o4-mini"])
def test_reasoning_models_take_no_temperature(alias):
    assert resolve(alias).takes_temperature is False


@pytest.mark.parametrize("alias", ["gpt-4o", "gpt-4", "my-gpt-5", "openai/o1", "o2", "gemini-o3"])
def test_other_models_take_a_temperature(alias):
    assert resolve(alias).takes_temperature is True


@pytest.mark.parametrize(
    "alias",
    ["gpt-4o", "ft:gpt-4o:x", "gpt-4.1-nano", "my-gpt-4.1", "gpt-5", "my/gpt-5", "o1", "o3x", "o4"],
)
def test_newer_openai_ids_are_counted_with_o200k(alias):
    assert resolve(alias).encoding == "o200k_base"


@pytest.mark.parametrize(
    "alias", ["gpt-4", "gpt-4.5", "pt-4o", "pt-4.1", "pt-5", "o2", "my-o1", "llama", ""]
)
def test_other_openai_ids_are_counted_with_cl100k(alias):
    assert resolve(alias).encoding == "cl100k_base"


@pytest.mark.parametrize("alias", ["sonnet-4", "claude-gpt-4o", "gemini-2.5-pro", "gemini-gpt-5"])
def test_other_providers_tokens_are_not_counted(alias):
    assert resolve(alias).encoding is None


@pytest.mark.parametrize("alias", ["opus-4.5", "claude-x", "gemini-2.5-pro"])
def test_a_prefix_is_for_openai_models_only(alias):
    assert resolve(alias, "openai/") == resolve(alias)


def test_a_prefix_goes_before_the_id_and_not_before_the_alias():
    expected = Model("GPT-4O", "openai/gpt-4o", "openai", True, "o200k_base")
    assert resolve("GPT-4O", "openai/") == expected


def test_a_prefix_is_not_put_before_an_id_that_starts_with_it():
    assert resolve("openai/gpt-4o", "openai/").id == "openai/gpt-4o"


def test_a_model_is_judged_before_the_prefix_is_added():
    expected = Model("o3", "claude-gemini-/o3", "openai", False, "o200k_base")
    assert resolve("o3", "claude-gemini-/") == expected
    assert resolve("llama", "gpt-5/") == Model(
        "llama", "gpt-5/llama", "openai", True, "cl100k_base"
    )
