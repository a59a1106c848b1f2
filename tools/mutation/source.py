"""A Python file as mutation sees it: byte spans, what is out of bounds, what must have a mutant."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import libcst as cst
from libcst._nodes.internal import CodegenState
from libcst.metadata import ByteSpanPositionProvider, MetadataWrapper, ParentNodeProvider

from .mutants import Edit, Function

Span = tuple[int, int]
LITERALS = (cst.SimpleString, cst.BaseNumber, cst.FormattedStringText)
CASTS = ("cast", "typing.cast")
SHAPES = ("TypedDict", "Protocol")  # bases of classes that exist for type checkers alone
DEEPEST = 20  # levels of indentation that are looked for


class Place(NamedTuple):
    """A statement or a literal: a gate that never changes it has a blind spot."""

    file: str
    line: int
    text: str
    start: int
    end: int


class Source(cst.CSTVisitor):
    """A parsed file. `nodes` are all nodes that may be changed, in order."""

    def __init__(self, file: str, code: bytes, type_names: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.file, self.code = file, code
        wrapper = MetadataWrapper(cst.parse_module(code))
        self.module = wrapper.module
        self._spans = wrapper.resolve(ByteSpanPositionProvider)
        self._parents = wrapper.resolve(ParentNodeProvider)
        self._type_names = type_names
        self._depth = 0  # how many functions and lambdas are around
        self._classes: list[str] = []
        self.nodes: list[cst.CSTNode] = []
        self.excluded: list[Span] = []
        self.functions: list[Function] = []
        self.places: list[Place] = []
        self.module.visit(self)

    # What a node is in the file

    def span(self, node: cst.CSTNode) -> Span:
        """The bytes of `node` without parentheses and space around it."""
        found = self._spans[node]
        return found.start, found.start + found.length

    def text(self, node: cst.CSTNode) -> str:
        """What stands in that span."""
        start, end = self.span(node)
        return self.code[start:end].decode()

    def parent(self, node: cst.CSTNode) -> cst.CSTNode:
        """The node that holds `node`."""
        return self._parents[node]

    def edit(self, node: cst.CSTNode, text: str, operator: str) -> Edit:
        """`node` becomes `text`; parentheses around it stay."""
        return Edit(*self.span(node), text.encode(), operator)

    def rebuilt(self, node: cst.CSTNode, changed: cst.CSTNode, operator: str) -> Edit:
        """`node`, with the parentheses and the space that belong to it, becomes `changed`."""
        start, _ = self.span(node)
        return replaced(self.module, start, self.text(node), (node, changed), operator)

    def allows(self, edit: Edit) -> bool:
        """Whether the edit changes anything outside what is out of bounds."""
        start, end, *_ = edit.trimmed(self.code)
        return not any(first <= start and end <= last for first, last in self.excluded)

    def blind_spots(self, edits: Iterable[Edit]) -> Iterator[Place]:
        """The statements and literals that no edit touches."""
        spans = [(edit.start, edit.end) for edit in edits]
        for place in self.places:
            if not any(start <= place.end and place.start <= end for start, end in spans):
                yield place

    # The walk

    def on_visit(self, node: cst.CSTNode) -> bool:
        if self._out_of_bounds(node):
            self.excluded.append(self.span(node))
            return False
        self.nodes.append(node)
        if isinstance(node, cst.FunctionDef) and not self._depth:
            name = ".".join([*self._classes, node.name.value])
            self.functions.append(Function(name, self.span(node.body)[0], self.span(node)[1]))
        if isinstance(node, cst.FunctionDef | cst.Lambda):
            self._depth += 1
        if isinstance(node, cst.ClassDef) and not self._depth:
            self._classes.append(node.name.value)
        for part in self._telling(node):
            start, end = self.span(part)
            line = self.code.count(b"\n", 0, start) + 1
            self.places.append(Place(self.file, line, self.text(part), start, end))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, cst.FunctionDef | cst.Lambda):
            self._depth -= 1
        is_class = isinstance(original_node, cst.ClassDef) and not self._depth
        if is_class and not self._out_of_bounds(original_node):
            self._classes.pop()

    def _out_of_bounds(self, node: cst.CSTNode) -> bool:
        """Imports, docstrings and what only a type checker reads."""
        match node:
            case cst.Import() | cst.ImportFrom() | cst.Annotation() | cst.Global() | cst.Nonlocal():
                return True
            case cst.Expr():
                return isinstance(node.value, cst.SimpleString | cst.ConcatenatedString)
            case cst.If():
                return self.text(node.test).endswith("TYPE_CHECKING")
            case cst.AnnAssign(value=None):
                return self._depth > 0
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
                return not self._depth and (name == "__all__" or name in self._type_names)
            case cst.Arg():
                call = self.parent(node)
                if isinstance(call, cst.Call) and self.text(call.func) in CASTS:
                    return node is call.args[0]
            case cst.ClassDef():
                return any(self.text(base.value).split(".")[-1] in SHAPES for base in node.bases)
        return False

    def _telling(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The parts of `node` that must have a mutant."""
        match node:
            case cst.Pass():
                return
            case cst.BaseSmallStatement():
                yield node
            case cst.If() | cst.While():
                yield node.test
            case cst.For():
                yield node.iter
            case cst.With():
                yield from (each.item for each in node.items)
            case cst.ExceptHandler(type=cst.BaseExpression() as kind):
                yield kind
            case cst.Match():
                yield node.subject
            case cst.Name(value="True" | "False"):
                yield node
            case _ if isinstance(node, LITERALS):
                yield node


def replaced(
    module: cst.Module, start: int, text: str, nodes: tuple[cst.CSTNode, cst.CSTNode], operator: str
) -> Edit:
    """The edit that puts the second of `nodes` in the place of the first, the `text` at `start`.

    libcst renders a node with the space and parentheses around it, and as if it stood at the
    margin, so the edit is wider than the node's own span and is rendered at its indentation.
    """
    for depth in range(DEEPEST):
        old, new = (_rendered(module, node, depth) for node in nodes)
        if text in old:
            start -= len(old[: old.index(text)].encode())
            return Edit(start, start + len(old.encode()), new.encode(), operator)
    raise AssertionError(f"libcst renders {text!r} differently")


def _rendered(module: cst.Module, node: cst.CSTNode, depth: int) -> str:
    state = CodegenState(module.default_indent, module.default_newline)
    state.increase_indent(module.default_indent * depth)
    node._codegen(state)
    return "".join(state.tokens)


def type_names(files: Mapping[str, bytes]) -> frozenset[str]:
    """Module-level names that only annotations read, in all of `files`: they are annotations too.

    `Item = Memory | Turn` has no effect at run time that a test could see.
    """
    trees = [ast.parse(code) for code in files.values()]
    aliases = {
        node.targets[0].id: node.value
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and _is_type(node.value)
    }
    typed = {name for value in aliases.values() for name in _names(value)}
    computed: set[str] = set()
    for tree in trees:
        for part in _annotations(tree):
            typed |= set(_names(part))
        computed |= set(_names(_Runtime(aliases).visit(tree)))
    return frozenset(aliases.keys() & typed - computed)


def _is_type(value: ast.expr) -> bool:
    match value:
        case ast.Subscript() | ast.BinOp(op=ast.BitOr()):
            return True
        case ast.Call(func=ast.Name(id="TypeVar" | "NewType" | "ParamSpec")):
            return True
    return False


def _names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _annotations(tree: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(tree):
        match node:
            case ast.arg(annotation=ast.expr() as part) | ast.AnnAssign(annotation=part):
                yield part
            case ast.FunctionDef(returns=ast.expr() as part):
                yield part
            case ast.AsyncFunctionDef(returns=ast.expr() as part):
                yield part


class _Runtime(ast.NodeTransformer):
    """Leaves what is read at run time: no annotations, no candidates for a type alias."""

    def __init__(self, aliases: Mapping[str, ast.expr]) -> None:
        self._values = {id(value) for value in aliases.values()}

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.Assign) and id(node.value) in self._values:
            return ast.Pass()
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                setattr(node, field, ast.Constant(None))
        self.generic_visit(node)
        return node
