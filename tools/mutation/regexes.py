"""Changes inside regular expressions: an alternative, an anchor, a repetition, a class."""

import ast
import re
from collections.abc import Iterator

import libcst as cst

from .mutants import Edit
from .source import Source

FUNCTIONS = ("compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall")
CALLS = {f"re.{name}" for name in (*FUNCTIONS, "finditer")}

# The parts of a pattern. A class and an escape are one part each, so that a `|`, a `+` or a `$`
# found by itself is the operator.
PART = re.compile(
    r"(?P<boundary>\\[bBAZ])"
    r"|(?P<escape>\\.)"
    r"|(?P<charclass>\[\^?\]?(?:\\.|[^\]\\])*\])"
    r"|(?P<group>\((?:\?(?:P<\w+>|<?[=!]|[a-zA-Z-]*:|[a-zA-Z]+(?=\))))?)"
    r"|(?P<close>\))"
    r"|(?P<bar>\|)"
    r"|(?P<anchor>[\^$])"
    r"|(?P<repeat>(?:[*+?]|\{[0-9,]+\})[?+]?)"
    r"|(?P<other>.)",
    re.DOTALL,
)
SWAPPED = {"(?=": "(?!", "(?!": "(?=", "(?<=": "(?<!", "(?<!": "(?<="}


def regex_edits(source: Source, node: cst.Call) -> Iterator[Edit]:
    """The changes of the pattern that a call of `re` is given as raw strings.

    A change that makes the pattern invalid is left out: any test would notice.
    """
    if source.text(node.func) not in CALLS or not node.args:
        return
    pattern = node.args[0].value
    for literal in _literals(pattern):
        start = source.span(literal)[0] + len((literal.prefix + literal.quote).encode())
        inner = literal.raw_value
        for at, end, new in _changes(inner):
            edit = Edit(
                start + len(inner[:at].encode()),
                start + len(inner[:end].encode()),
                new.encode(),
                "pattern",
            )
            if _is_pattern(source, pattern, edit):
                yield edit


def _literals(pattern: cst.BaseExpression) -> Iterator[cst.SimpleString]:
    if isinstance(pattern, cst.SimpleString):
        if "\\" not in pattern.raw_value or "r" in pattern.prefix:
            yield pattern
    elif isinstance(pattern, cst.ConcatenatedString):
        yield from _literals(pattern.left)
        yield from _literals(pattern.right)


def _is_pattern(source: Source, pattern: cst.BaseExpression, edit: Edit) -> bool:
    """Whether `pattern` still compiles after the edit, to something else than before."""
    start, end = source.span(pattern)
    old = source.code[start:end]
    new = Edit(edit.start - start, edit.end - start, edit.replacement, "").applied(old)
    try:
        values = [ast.literal_eval(f"({text.decode()})") for text in (old, new)]
        re.compile(values[1])
    except (ValueError, SyntaxError, re.error):
        return False
    return bool(values[0] != values[1])


def _changes(inner: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and new text of every change inside one literal."""
    parts = list(PART.finditer(inner))
    for part in parts:
        for new in _instead(part.lastgroup or "", part[0]):
            yield part.start(), part.end(), new
    bars = [part.start() for part in parts if part.lastgroup == "bar"]
    walls = [part.start() for part in parts if part.lastgroup in ("group", "close")]
    for bar in bars:
        end = min(at for at in [*bars, *walls, len(inner)] if at > bar)
        yield bar, end, ""  # the alternative after the bar
        begin = max(at for at in [-1, *bars] if at < bar) + 1
        begin = max([begin, *(part.end() for part in parts if _opens(part) and part.end() <= bar)])
        yield begin, bar + 1, ""  # the alternative before it


def _opens(part: re.Match[str]) -> bool:
    return part.lastgroup in ("group", "close")


def _instead(kind: str, text: str) -> Iterator[str]:
    match kind:
        case "boundary" | "anchor" | "escape" | "other":
            yield ""
        case "charclass":
            yield "[" + text[2:] if text.startswith("[^") else "[^" + text[1:]
            for member in re.finditer(r"(?:\\.|[^\]\\])(?:-(?:\\.|[^\]\\]))?", text[1:-1]):
                yield text[: 1 + member.start()] + text[1 + member.end() :]
        case "group" if text in SWAPPED:
            yield SWAPPED[text]
        case "group" if text.endswith(":"):
            yield "(?:"
        case "repeat":
            yield ""
            swapped = {"*": "+", "+": "*", "?": "*"}
            if text in swapped:
                yield swapped[text]
