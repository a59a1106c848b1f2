"""Our operators: what mutmut does not change, and its own ones where it does not go."""

import codecs
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import libcst as cst
from mutmut.mutation.mutators import mutation_operators, operator_string

from .mutants import Edit
from .regexes import regex_edits
from .source import Source

CONVERSIONS = """
    abs bool bytes dict float frozenset int iter len list max min repr reversed round set sorted
    str sum tuple
""".split()  # noqa: SIM905


def edits(source: Source) -> Iterator[Edit]:
    """Every change that our operators make of `source`."""
    for node in source.nodes:
        for kind, operator in OPERATORS:
            if isinstance(node, kind):
                yield from operator(source, node)
        yield from _mutmut_everywhere(source, node)


def _mutmut_everywhere(source: Source, node: cst.CSTNode) -> Iterator[Edit]:
    """mutmut's operators on tables, decorated functions, `len` and all else that it passes by."""
    for kind, operator in mutation_operators:
        if not isinstance(node, kind) or isinstance(node, cst.Match):
            continue
        for changed in operator(node):
            if operator is operator_string and _only_case(source, node, changed):
                continue
            yield source.rebuilt(node, changed, operator.__name__.removeprefix("operator_"))


def _only_case(source: Source, node: cst.CSTNode, changed: cst.CSTNode) -> bool:
    """Whether the two strings are known to mean the same: a codec's name, a caseless pattern."""
    assert isinstance(node, cst.SimpleString)
    assert isinstance(changed, cst.SimpleString)
    if node.value.lower() != changed.value.lower():
        return False
    return _names_codec(node.evaluated_value) or _is_caseless(source, node)


def _names_codec(value: str | bytes) -> bool:
    try:
        codecs.lookup(value if isinstance(value, str) else "")
    except (LookupError, ValueError):
        return False
    return True


def _is_caseless(source: Source, node: cst.CSTNode) -> bool:
    call = _call_of_re(source, node)
    return call is not None and any(flag in source.text(call) for flag in ("re.I", "(?i"))


def _call_of_re(source: Source, node: cst.CSTNode) -> cst.Call | None:
    """The call of a function of `re` that `node` is an argument of, if it is one."""
    while isinstance(node, cst.BaseExpression | cst.Arg):
        if isinstance(node, cst.Call):
            return node if source.text(node.func).startswith("re.") else None
        node = source.parent(node)
    return None


# Statements


def _delete(source: Source, node: cst.BaseSmallStatement) -> Iterator[Edit]:
    if not isinstance(node, cst.Pass) and not _ends_anyway(source, node):
        yield source.edit(node, "pass", "statement deleted")


def _ends_anyway(source: Source, node: cst.BaseSmallStatement) -> bool:
    """Whether `node` is a bare return or a continue in a place that is the end already."""
    block = source.parent(source.parent(node))
    if not isinstance(block, cst.IndentedBlock) or block.body[-1] is not source.parent(node):
        return False
    owner = source.parent(block)
    if isinstance(node, cst.Return):
        nothing = node.value is None or source.text(node.value) == "None"
        return nothing and isinstance(owner, cst.FunctionDef)
    return isinstance(node, cst.Continue) and isinstance(owner, cst.For | cst.While)


def _return(source: Source, node: cst.Return | cst.Yield) -> Iterator[Edit]:
    if not isinstance(node.value, cst.BaseExpression) or source.text(node.value) == "None":
        return
    yield source.edit(node.value, "None", "value replaced")
    if isinstance(node.value, cst.Comparison | cst.BooleanOperation | cst.Call):
        yield source.edit(node.value, f"not ({source.text(node.value)})", "value negated")


def _condition(source: Source, node: cst.If | cst.While | cst.Assert) -> Iterator[Edit]:
    yield source.edit(node.test, f"not ({source.text(node.test)})", "condition negated")


def _loop(source: Source, node: cst.For) -> Iterator[Edit]:
    yield source.edit(node.iter, "()", "loop emptied")


def _match(source: Source, node: cst.Match) -> Iterator[Edit]:
    yield source.edit(node.subject, "None", "value replaced")


def _handler(source: Source, node: cst.ExceptHandler) -> Iterator[Edit]:
    if node.type is not None:
        yield source.edit(node.type, "()", "handler removed")


def _decorators(source: Source, node: cst.FunctionDef | cst.ClassDef) -> Iterator[Edit]:
    for decorator in node.decorators:
        start, end = source.span(decorator.decorator)
        at = source.code.rindex(b"@", 0, start)
        yield Edit(at, end, b"", "decorator removed")


def _default(source: Source, node: cst.Param) -> Iterator[Edit]:
    if node.default is not None and source.text(node.default) != "None":
        yield source.edit(node.default, "None", "default replaced")


# Expressions


def _operands(source: Source, node: cst.BooleanOperation | cst.BinaryOperation) -> Iterator[Edit]:
    """`a and b` becomes `a`, and `b`."""
    summing = (cst.BitOr, cst.BitAnd, cst.Add, cst.Subtract)
    if isinstance(node, cst.BooleanOperation) or isinstance(node.operator, summing):
        yield source.edit(node, _whole(source, node.left), "operand dropped")
        yield source.edit(node, _whole(source, node.right), "operand dropped")


def _whole(source: Source, node: cst.CSTNode) -> str:
    """The text of `node` with its own parentheses."""
    text = source.module.code_for_node(node).strip(" ")
    return f"({text})" if isinstance(node, cst.GeneratorExp) and not node.lpar else text


def _elements(source: Source, node: cst.List | cst.Tuple | cst.Set | cst.Dict) -> Iterator[Edit]:
    if isinstance(source.parent(node), cst.AssignTarget | cst.For | cst.CompFor | cst.Element):
        holder = source.parent(node)
        if not isinstance(holder, cst.Element) and getattr(holder, "target", None) is node:
            return
    every: Sequence[Any] = node.elements
    for index in range(len(every)):
        rest = [*every[:index], *every[index + 1 :]]
        if rest or not isinstance(node, cst.Set):
            yield source.rebuilt(node, node.with_changes(elements=rest), "element dropped")
        else:
            yield source.edit(node, "set()", "element dropped")


def _filter(source: Source, node: cst.CompFor) -> Iterator[Edit]:
    for index, condition in enumerate(node.ifs):
        rest = [*node.ifs[:index], *node.ifs[index + 1 :]]
        yield source.rebuilt(node, node.with_changes(ifs=rest), "filter dropped")
        test = condition.test
        yield source.edit(test, f"not ({source.text(test)})", "filter negated")


def _slice(source: Source, node: cst.Slice) -> Iterator[Edit]:
    for bound in (node.lower, node.upper):
        if bound is not None:
            yield source.edit(bound, "", "bound dropped")
            yield source.edit(bound, f"({source.text(bound)}) + 1", "bound moved")
    if node.step is not None:
        yield source.edit(node.step, "", "bound dropped")


def _call(source: Source, node: cst.Call) -> Iterator[Edit]:
    if isinstance(node.func, cst.Attribute):
        yield source.edit(node, _whole(source, node.func.value), "call dropped")
    elif len(node.args) == 1 and not node.args[0].star and source.text(node.func) in CONVERSIONS:
        yield source.edit(node, _whole(source, node.args[0].value), "call dropped")


def _none(source: Source, node: cst.Name) -> Iterator[Edit]:
    around = source.parent(node)
    compared = isinstance(around, cst.Comparison | cst.ComparisonTarget)
    if node.value == "None" and not compared:
        yield source.edit(node, "1", "none replaced")


# Text


def _string(source: Source, node: cst.SimpleString) -> Iterator[Edit]:
    quotes = len(node.prefix) + len(node.quote)
    inner = node.value[quotes : -len(node.quote)]
    outside = node.value[:quotes], node.value[-len(node.quote) :]
    is_pattern = _call_of_re(source, node) is not None
    for text in [] if is_pattern else _shorter(inner, raw="r" in node.prefix):
        yield source.edit(node, text.join(outside), "character dropped")
    if len(node.quote) == 3:
        yield source.edit(node, f"XX{inner}XX".join(outside), "string")
    if isinstance(source.parent(node), cst.ConcatenatedString):
        yield source.edit(node, "".join(outside), "part dropped")


def _shorter(inner: str, raw: bool) -> Iterable[str]:
    """`inner` without its first, and without its last character, where no escape is in the way."""
    if not inner or ("\\" in inner and not raw):
        return ()
    return [text for text in (inner[1:], inner[:-1]) if not text.endswith("\\")]


def _formatted_text(source: Source, node: cst.FormattedStringText) -> Iterator[Edit]:
    yield source.edit(node, "", "text dropped")
    if not isinstance(source.parent(node), cst.FormattedStringExpression):
        yield source.edit(node, f"XX{source.text(node)}XX", "text replaced")


def _formatted_value(source: Source, node: cst.FormattedStringExpression) -> Iterator[Edit]:
    if node.conversion is not None:
        changed = node.with_changes(conversion=None)
        yield source.rebuilt(node, changed, "conversion dropped")
    if node.format_spec:
        yield source.rebuilt(node, node.with_changes(format_spec=None), "format dropped")


Operator = Callable[[Source, Any], Iterable[Edit]]
OPERATORS: list[tuple[type | tuple[type, ...], Operator]] = [
    (cst.BaseSmallStatement, _delete),
    ((cst.Return, cst.Yield), _return),
    ((cst.If, cst.While, cst.Assert), _condition),
    (cst.For, _loop),
    (cst.Match, _match),
    (cst.ExceptHandler, _handler),
    ((cst.FunctionDef, cst.ClassDef), _decorators),
    (cst.Param, _default),
    ((cst.BooleanOperation, cst.BinaryOperation), _operands),
    ((cst.List, cst.Tuple, cst.Set, cst.Dict), _elements),
    (cst.CompFor, _filter),
    (cst.Slice, _slice),
    (cst.Call, _call),
    (cst.Call, regex_edits),
    (cst.Name, _none),
    (cst.SimpleString, _string),
    (cst.FormattedStringText, _formatted_text),
    (cst.FormattedStringExpression, _formatted_value),
]
