"""Text as ECMAScript sees it: whitespace, UTF-16 length and cut, well-formed text."""

import json
import re
from collections.abc import Callable
from math import isfinite
from typing import Any, NoReturn

# ECMAScript's WhiteSpace and LineTerminator. Python's own set has U+001C-001F and U+0085 too
# and lacks U+FEFF.
WHITESPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_RUN = re.compile("[" + WHITESPACE + "]+")
_COMMA = re.compile(r",\s*")
_UTF16 = "utf-16-le"


def strip(text: str) -> str:
    """`text` without the whitespace at either end, as `String.prototype.trim` gives it."""
    return text.strip(WHITESPACE)


def collapse(text: str) -> str:
    """`text` trimmed, every run of whitespace one space: the key that questions are found by."""
    return _RUN.sub(" ", text).strip(" ")


def units(text: str) -> int:
    """The length of `text` in UTF-16 code units."""
    return len(text.encode(_UTF16, "surrogatepass")) // 2


def cut(text: str, length: int) -> str:
    """The first `length` UTF-16 units of `text`; half a code point at the end is dropped."""
    enough = text[:length].encode(_UTF16, "surrogatepass")
    kept = enough[: 2 * length].decode(_UTF16, "surrogatepass")
    return kept[:-1] if "\ud800" <= kept[-1:] <= "\udbff" else kept


def well_formed(text: str) -> str:
    """`text` with every lone surrogate replaced by U+FFFD."""
    try:
        text.encode()  # UTF-8 takes every text but one with such a surrogate
    except UnicodeEncodeError:
        return text.encode(_UTF16, "surrogatepass").decode(_UTF16, "replace")
    return text


def well_formed_json(value: Any) -> Any:
    """A copy of a JSON value of any depth in which every string, keys included, is well-formed."""
    whole = [value]
    copies: list[Any] = [whole]  # grows while it is walked
    for copy in copies:
        for place, element in copy.items() if isinstance(copy, dict) else enumerate(copy):
            copy[place] = _shallow(element)
            if isinstance(element, list | dict):
                copies.append(copy[place])
    return whole[0]


def _shallow(value: Any) -> Any:
    if isinstance(value, str):
        return well_formed(value)
    if isinstance(value, list):
        return list(value)
    if isinstance(value, dict):
        return {well_formed(key): element for key, element in value.items()}
    return value


def parse_json(text: str) -> Any:
    """The JSON value of `text`, in which NaN, Infinity and what is as large as it are not JSON.

    Raises ValueError with the place of what is wrong, in words of ours: those of `json` change
    with the version of Python.
    """
    try:
        return json.loads(
            text, parse_constant=_refuse, parse_float=_finite(float), parse_int=_finite(int)
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {_place(text, error.pos)}") from None
    except _NotFiniteError as error:
        number = str(error)
        place = _place(text, _position(text, number))
        raise ValueError(f"not JSON: {number[:20]} is not finite: {place}") from None
    except RecursionError:
        raise ValueError("not JSON: nested too deeply") from None


class _NotFiniteError(Exception):
    """A number that no double can hold, as it is written."""


def _refuse(number: str) -> NoReturn:
    raise _NotFiniteError(number)


def _finite(kind: Callable[[str], Any]) -> Callable[[str], Any]:
    """Reads a number that a double can hold as `kind`."""
    return lambda number: kind(number) if isfinite(float(number)) else _refuse(number)


def _position(text: str, number: str) -> int:
    """Where `text`, JSON up to there, first has `number` outside of a string."""
    pattern = rf'"(?:[^"\\]|\\.)*"|(?<![\w.+-]){re.escape(number)}'
    return next(each.start() for each in re.finditer(pattern, text) if each[0] == number)


def _place(text: str, position: int) -> str:
    """Line and column, from 1; behind a comma that is one too many, as older Pythons have it."""
    if comma := _COMMA.match(text, position):
        position = comma.end()
    before = text[:position]
    line, column = before.count("\n") + 1, position - before.rfind("\n")
    return f"line {line} column {column}"
