"""The shape of the reference: what may import what, and that nothing reads the environment.

And of its tests: an id that pytest can't be given by name would keep mutmut from running it.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import reference

pytestmark = pytest.mark.structure

# A module may import from the layers below its own, and from nowhere else in its package.
LAYERS = (
    {"text"},
    {"lines"},
    {"knobs", "items", "routing", "tokens", "wording", "overrides", "models"},
    {"budget", "requests", "retries", "answers"},
    {"context", "transport"},
    {"prompt", "client"},
    {"provider", "scoring", "protocol"},
    {"__main__"},
)
ENVIRONMENT = {"environ", "environb", "getenv", "getenvb"}


def faults(folder: Path) -> list[str]:
    """What is wrong with the shape of the package in `folder`, file by file."""
    found = []
    for path in sorted(folder.glob("*.py")):
        tree = ast.parse(path.read_bytes())
        checks = (_imports, _environment, _own_name)
        found += [f"{path.name}: {fault}" for check in checks for fault in check(path.stem, tree)]
    return found


def _layer(module: str) -> int:
    return next((rank for rank, layer in enumerate(LAYERS) if module in layer), -1)


def _imports(module: str, tree: ast.Module) -> Iterator[str]:
    if _layer(module) < 0 and module != "__init__":
        yield "has no layer"
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _absolute(alias.name)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield from _absolute(node.module or "")
        elif isinstance(node, ast.ImportFrom):
            yield from _relative(module, node)


def _absolute(name: str) -> Iterator[str]:
    top = name.split(".")[0]
    if top in {"reference", "tools", "tests"} or _layer(top) >= 0:
        yield f"imports {name}"


def _relative(module: str, node: ast.ImportFrom) -> Iterator[str]:
    names = [node.module] if node.module else [alias.name for alias in node.names]
    for name in names:
        if node.level > 1 or not 0 <= _layer(name) < _layer(module):
            yield f"imports {'.' * node.level}{name}"


def _environment(module: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                if name in ENVIRONMENT:
                    yield f"reads {name}"


def _own_name(module: str, tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if text.split(".")[0] == "reference":
                yield f"names itself in {text!r}"


def test_the_reference_has_the_shape_that_the_design_gives_it():
    assert faults(Path(reference.__file__).parent) == []


@pytest.mark.parametrize(
    ("file", "code", "fault"),
    [
        ("text.py", "from .knobs import Knobs", "imports .knobs"),
        ("knobs.py", "from . import items", "imports .items"),
        ("budget.py", "def f():\n    from .context import when", "imports .context"),
        ("context.py", "from .context import when", "imports .context"),
        ("context.py", "from .elsewhere import when", "imports .elsewhere"),
        ("prompt.py", "from .protocol import answer", "imports .protocol"),
        ("scoring.py", "from .provider import search", "imports .provider"),
        ("protocol.py", "from .__main__ import main", "imports .__main__"),
        ("client.py", "from ..tools import exits", "imports ..tools"),
        ("client.py", "from tools.exits import Exit", "imports tools.exits"),
        ("client.py", "import tools.exits", "imports tools.exits"),
        ("client.py", "import tests", "imports tests"),
        ("client.py", "import reference.text", "imports reference.text"),
        ("client.py", "from reference import text", "imports reference"),
        ("client.py", "from knobs import Knobs", "imports knobs"),
        ("client.py", "import json, text", "imports text"),
        ("client.py", "import os\nos.environ.get('A')", "reads environ"),
        ("client.py", "import os as o\no.getenv('A')", "reads getenv"),
        ("client.py", "from os import environ as e", "reads environ"),
        ("client.py", "import_module('reference.text')", "names itself in 'reference.text'"),
        ("client.py", "resources.files('reference')", "names itself in 'reference'"),
        ("extra.py", "", "has no layer"),
    ],
)
def test_a_planted_fault_is_found(tmp_path, file, code, fault):
    (tmp_path / "__init__.py").write_text('"""An exact reference."""', encoding="utf-8")
    (tmp_path / file).write_text(code, encoding="utf-8")
    assert faults(tmp_path) == [f"{file}: {fault}"]


def test_imports_of_lower_layers_and_of_libraries_are_no_fault(tmp_path):
    code = (
        "import json\nfrom pathlib import Path\nfrom . import items, text\nfrom .knobs import Knobs"
    )
    (tmp_path / "context.py").write_text(code, encoding="utf-8")
    assert faults(tmp_path) == []


def odd_ids(ids: Iterable[str]) -> list[str]:
    """The ids of tests whose parameters have other characters than letters, digits and `_ . -`."""
    return [each for each in ids if not re.fullmatch(r"[\w./-]+(::\w+)+(\[[\w.-]+\])?", each, re.A)]


def test_every_test_that_runs_with_this_one_has_a_plain_id(request):
    ids = [item.nodeid for item in request.session.items]
    assert odd_ids(ids) == []


@pytest.mark.parametrize(
    "parameters", ["a b", "\\u0085", "é", "a/b", "{", "", "a]"], ids=lambda text: f"odd-{len(text)}"
)
def test_an_id_that_is_not_plain_is_found(parameters):
    plain = "tests/reference/test_x.py::TestX::test_y[a_b.C-1]"
    odd = f"tests/reference/test_x.py::test_y[{parameters}]"
    assert odd_ids([plain, odd, "tests/test_x.py::test_y"]) == [odd]
