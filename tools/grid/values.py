"""The grid: the values each knob is swept over, and the combinations they make."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
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


class Combination(NamedTuple):
    """One value for every knob; a budget in lines becomes a number case by case."""

    env: dict[str, str]
    lines: Lines | None = None

    def under(self, budgets: Mapping[Lines, str]) -> dict[str, str] | None:
        """The environment for a case with these budgets, or None when it lacks this one."""
        if self.lines is None:
            return self.env
        budget = budgets.get(self.lines)
        return None if budget is None else self.env | {BUDGET: budget}


class Product(Sequence[Combination]):
    """Every combination of some values of each knob, by number, without a list of them."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def __len__(self) -> int:
        return math.prod(len(values) for values in self.values.values())

    def __getitem__(self, index: int) -> Combination:  # type: ignore[override]
        env: dict[str, str] = {}
        lines = None
        for knob, values in self.values.items():
            index, digit = divmod(index, len(values))
            value = values[digit]
            if isinstance(value, Lines):
                lines = value
            elif value is not None:
                env[knob] = value
        if index:
            raise IndexError(index)
        return Combination(env, lines)


def product_values(knobs: Collection[str] = ROWS) -> Values:
    """What `knobs` take in the default grid; the other knobs stay unset."""
    return {knob: row.product if knob in knobs else (None,) for knob, row in ROWS.items()}


def accepted(values: Values) -> list[Product]:
    """The combinations of `values` that may stand together: all but those that RANKED refuses."""
    off, on = _split(RANKED, values[RANKED])
    sides: list[Values] = [{**values, RANKED: off}] if off else []
    if on:
        hiding_nothing = {knob: _split(knob, values[knob])[0] for knob in HIDING}
        sides.append({**values, RANKED: on, **hiding_nothing})
    return [Product(side) for side in sides if all(side.values())]


def _split(knob: str, values: tuple[Value, ...]) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """The values that leave a knob off, and the others."""
    off = {None, *(text for text, meant in ROWS[knob].spellings.items() if meant is None)}
    return (
        tuple(value for value in values if value in off),
        tuple(value for value in values if value not in off),
    )


def spelt_otherwise(knobs: Collection[str] = ROWS) -> list[Product]:
    """Blanks and other spellings, one knob and one spelling at a time, over the whole product."""
    values = product_values(knobs)
    return [
        side for knob in knobs for text in ROWS[knob].spellings
        for side in accepted({**values, knob: (text,)})
    ]  # fmt: skip


def refused(knobs: Collection[str] = ROWS) -> Iterator[Combination]:
    """What must be refused: each bad value beside each value of one other knob, RANKED's pairs."""
    values = product_values(knobs)
    for knob in knobs:
        for bad in ROWS[knob].refused:
            yield Combination({knob: bad})
            for other in values:
                beside = values[other] if other != knob else ()
                for index in range(len(beside)):
                    env, lines = Product({other: beside})[index]
                    if env or lines:
                        yield Combination({**env, knob: bad}, lines)
    if values[RANKED] != (None,):
        pairs = Product({knob: values[knob] for knob in HIDING})
        yield from (Combination({**each.env, RANKED: "1"}) for each in pairs if each.env)
