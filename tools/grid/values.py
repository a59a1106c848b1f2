"""The values that each knob is swept over."""

from collections.abc import Mapping
from typing import NamedTuple


class Lines(NamedTuple):
    """A budget of what the first `turns` turns of a case cost as a block, less `less` tokens.

    A case with fewer turns has no such value.
    """

    turns: int
    less: int = 0


Value = str | Lines | None  # None is unset
Values = Mapping[str, tuple[Value, ...]]


class Row(NamedTuple):
    """What the grid gives to one knob."""

    product: tuple[Value, ...]  # crossed with those of every other knob
    spellings: Mapping[str, str | None]  # also accepted; each means a value of the product
    refused: tuple[str, ...]


RANKED = "MEMVARA_RANKED"
BUDGET = "MEMVARA_TOKEN_BUDGET"
CONTEXT_FILE = "MEMVARA_CONTEXT_FILE"
HIDING = ("MEMVARA_ROLE_SELECT", CONTEXT_FILE, "MEMVARA_TAIL_CHARS")  # refused beside RANKED

# Every knob that changes a render or a request. Tails cut no emoji of the generated cases.
ROWS = {
    "MEMVARA_SEARCH_K": Row(
        (None, "200"),
        {" ": None, "030": None},
        ("0", "-1", "30.0", "3e1", "0x1e", "+30", "1_000", "٣", "9007199254740992"),
    ),
    "MEMVARA_ROLE_SELECT": Row(
        (None, "user", "route"),
        {"\t": None, "off": None},
        ("User", "user ", "assistant", "1", "\u001c"),
    ),
    BUDGET: Row(
        (
            None, "1", Lines(1, 1), Lines(1), Lines(2, 1), Lines(2), Lines(5, 1), Lines(5),
            "720", "2500",
        ),
        {"\r\n": None, "9007199254740991": None, "001": "1", "\ufeff720 ": "720"},
        ("0", "-0", "80O", "1.5", "１２", "none", "9007199254740992"),
    ),
    "MEMVARA_HEAD_WHOLE": Row(
        (None, "1", "2", "3", "5", "8", "12", "30"),
        {"\n": None, "0": None, "05": "5", "9007199254740991": "30"},
        ("-1", "5.0", "five", "0x5", "\u0085"),
    ),
    "MEMVARA_TAIL_CHARS": Row(
        (None, "1", "7", "16", "40", "80", "120", "200", "400", "1000", "1500", "2500"),
        {"\u00a0": None, "0": None, "\u2003080": "80", "9007199254740991": None},
        ("-0", "4e2", "400 units", "٤", "9007199254740992"),
    ),
    "MEMVARA_TURNS_ONLY": Row((None, "1"), {"\u3000": None}, ("0", "true", "1 ", "01", "off")),
    "MEMVARA_ANSWER_PROMPT": Row(
        (None, "v2"), {"\ufeff": None, "v1": None}, ("V2", "v2 ", "2", "v3")
    ),
    CONTEXT_FILE: Row(
        (None, "cases/context_file.jsonl"),
        {" \u2028": None, "\tcases/context_file.jsonl\ufeff": "cases/context_file.jsonl"},
        (),
    ),
    RANKED: Row((None, "1"), {"\u2029": None}, ("0", "true", " 1", "yes")),
}  # fmt: skip

# Values of a product that no cell can tell apart. The first line is kept whatever it costs.
SYNONYMS: list[set[Value]] = [{Lines(1, 1), Lines(1)}]
