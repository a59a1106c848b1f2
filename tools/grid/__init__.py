"""The grid: values for each knob, the combinations they make, and where a cell lies."""

from .combinations import (
    Combination,
    Product,
    accepted,
    product_values,
    refused,
    spelt_otherwise,
)
from .values import BUDGET, CONTEXT_FILE, HIDING, RANKED, ROWS, SYNONYMS, Lines, Row, Value, Values

__all__ = [
    "BUDGET",
    "CONTEXT_FILE",
    "HIDING",
    "RANKED",
    "ROWS",
    "SYNONYMS",
    "Combination",
    "Lines",
    "Product",
    "Row",
    "Value",
    "Values",
    "accepted",
    "product_values",
    "refused",
    "spelt_otherwise",
]
