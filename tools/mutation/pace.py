"""How fast the gate is: mutants a second, start to end, beside plain mutmut on the same tree."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..exits import Exit, Stop

# A part of the reference that needs no encoder; plain mutmut would take minutes for all of it.
MODULES = ("__init__", "items", "overrides", "routing", "scoring", "text")
PYPROJECT = """
[tool.mutmut]
source_paths = ["reference"]
pytest_add_cli_args_test_selection = ["tests/reference"]
process_isolation = "fork"

[tool.pytest.ini_options]
addopts = ["--import-mode=importlib"]
filterwarnings = ["error"]
"""


class Pace(NamedTuple):
    """Mutants a second; mutmut runs its own alone, in the faster of its two modes."""

    gate: float
    mutmut: float


def mutants_per_second(root: Path, modules: Sequence[str] = MODULES) -> Pace:
    """Run both on a part of the project at `root`. Raises Stop, exit 5, when one can't."""
    with tempfile.TemporaryDirectory(prefix="goldens-") as folder:
        tree = Path(folder)
        _plant(root, tree, modules)
        start = time.perf_counter()
        made = json.loads(_run(tree, "-m", "tools", "mutate", "--json"))["files"].values()
        gate = sum(len(file["mutants"]) for file in made) / (time.perf_counter() - start)
        start = time.perf_counter()
        _run(tree, "-m", "mutmut", "run")
        taken = time.perf_counter() - start
        metas = [json.loads(path.read_text()) for path in tree.rglob("*.meta")]
        mutmut = sum(len(meta["exit_code_by_key"]) for meta in metas) / taken
        return Pace(gate, mutmut)


def _plant(root: Path, tree: Path, modules: Sequence[str]) -> None:
    (tree / "pyproject.toml").write_text(PYPROJECT)
    for folder in ("reference", "tests/reference"):
        (tree / folder).mkdir(parents=True)
    shutil.copytree(root / "tests" / "data", tree / "tests" / "data")
    shutil.copy(root / "tests" / "conftest.py", tree / "tests")
    for module in modules:
        shutil.copy(root / "reference" / f"{module}.py", tree / "reference")
        tests = root / "tests" / "reference" / f"test_{module}.py"
        if tests.exists():
            shutil.copy(tests, tree / "tests" / "reference")


def _run(tree: Path, *arguments: str) -> bytes:
    env = dict(os.environ) | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, *arguments], cwd=tree, env=env, capture_output=True)
    if done.returncode not in (Exit.OK, Exit.MISMATCH):
        said = done.stderr.decode(errors="replace").strip()
        raise Stop(f"{' '.join(arguments)} can't be measured: {said}", Exit.BASELINE)
    return done.stdout
