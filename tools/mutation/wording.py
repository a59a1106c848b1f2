"""Changes of the values of a TOML data file: a character, a line, the name of a hole."""

import re
import tomllib
from collections.abc import Iterator
from typing import Any

from .mutants import Edit

TOKEN = re.compile(
    rb'(?P<comment>#[^\n]*)|(?P<multi>"""\n?(?P<m>(?:\\.|[^\\])*?"{0,2})""")|'
    rb"(?P<literal>'''\n?(?P<l>.*?)''')|" + rb'(?P<basic>"(?P<b>(?:\\.|[^"\\\n])*)")|'
    rb"(?P<single>'(?P<s>[^'\n]*)')",
    re.DOTALL,
)
HOLE = re.compile(rb"\{(\w+)\}")


def edits(code: bytes) -> Iterator[Edit]:
    """Every change of a string value in the TOML file `code`; none that TOML would refuse."""
    for start, end in values(code):
        for edit in _edits(code, start, end):
            if _is_toml(edit.applied(code)):
                yield edit


def values(code: bytes) -> Iterator[tuple[int, int]]:
    """Where the text of each string value stands, without its quotes."""
    for token in TOKEN.finditer(code):
        group = next((name for name in "mlbs" if token[name] is not None), None)
        is_key = re.match(rb"[ \t]*[=.\]]", code[token.end() :])
        if group and not is_key:
            yield token.span(group)


def other_values(code: bytes) -> Iterator[str]:
    """The names of the values that are no text, which nothing here changes."""

    def walk(name: str, value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            for key, each in value.items():
                yield from walk(f"{name}.{key}" if name else key, each)
        elif isinstance(value, list):
            for each in value:
                yield from walk(name, each)
        elif not isinstance(value, str):
            yield name

    yield from walk("", tomllib.loads(code.decode()))


def _edits(code: bytes, start: int, end: int) -> Iterator[Edit]:
    characters = [(found.start(), found.end()) for found in _characters(code, start, end)]
    if not characters:
        yield Edit(start, end, b"XX", "text replaced")
        return
    for index in (0, len(characters) // 2, len(characters) - 1):
        yield Edit(*characters[index], b"", "character dropped")
    for found in re.compile(rb"[^\n]*\n|[^\n]+\Z").finditer(code, start, end):
        if code.count(b"\n", start, end):
            yield Edit(*found.span(), b"", "line dropped")
    for hole in HOLE.finditer(code, start, end):
        yield Edit(*hole.span(), hole[0].replace(b"}", b"x}"), "hole renamed")
        yield Edit(*hole.span(), b"", "hole dropped")


def _characters(code: bytes, start: int, end: int) -> Iterator[re.Match[bytes]]:
    escape = rb"\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\\s+|\\."
    return re.compile(escape + rb"|[\x00-\x7f]|[\xc0-\xff][\x80-\xbf]*").finditer(code, start, end)


def _is_toml(code: bytes) -> bool:
    try:
        tomllib.loads(code.decode())
    except ValueError:
        return False
    return True
