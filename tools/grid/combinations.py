"""The combinations that the values of the knobs make."""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from .values import BUDGET, HIDING, RANKED, ROWS, Lines, Value, Values


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
