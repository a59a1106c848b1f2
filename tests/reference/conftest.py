"""The real o200k encoder for every test here: one for the session, from a second copy of the code.

The copy is loaded under another name, so that a change to `reference` is never a change of what
the tests measure it with, and so that the encoder can be warm before `reference` is imported.
"""

import importlib.util
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
import tiktoken

if TYPE_CHECKING:
    from reference.wording import Wording

ROOT = Path(__file__).parents[2]


@cache
def warm() -> tiktoken.Encoding:
    """The o200k encoder, built once per process."""
    tokens = _copy(ROOT / "reference" / "tokens.py")
    encoding: tiktoken.Encoding = tokens.load(
        tokens.rank_file("o200k_base"), tokens.SPECS["o200k_base"]
    )
    return encoding


def _copy(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"pristine_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def o200k() -> tiktoken.Encoding:
    """The real encoder."""
    return warm()


@pytest.fixture(scope="session")
def count(o200k: tiktoken.Encoding) -> Callable[[str], int]:
    """The real number of o200k tokens in a text."""
    return lambda text: len(o200k.encode(text, disallowed_special=()))


@pytest.fixture(scope="session")
def new_words() -> Callable[[], "Wording"]:
    """Makes a wording in which every text is short and different.

    A wording keeps what it works out, so each test has its own.
    """
    from reference.wording import Wording

    return lambda: Wording(
        memories_heading="MEMORIES",
        turns_heading="TURNS",
        turns_heading_cut="TURNS, SOME CUT SHORT",
        dates_open="since {valid_from}, noted {recorded_at}",
        dates_ended="from {valid_from} to {valid_to}, noted {recorded_at}",
        empty="NOTHING KEPT",
        ellipsis="…",
        no_date="NO DATE",
        prompt="{question}|{question_date}|{context}|read{v2_rules}|answer{v2_instruction}|",
        v2_rules="\nrules",
        v2_instruction="\ninstruction",
    )


@pytest.fixture
def words(new_words: Callable[[], "Wording"]) -> "Wording":
    """Such a wording."""
    return new_words()
