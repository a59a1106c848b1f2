"""Where this was installed: in the wheel's package or as a working tree, and what to type there."""

import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]  # holds `reference`, `tools` and `goldens`, wherever that is


def in_a_wheel() -> bool:
    """Whether ROOT is the package of an installed wheel, not a working tree."""
    return (ROOT / "__init__.py").is_file()


def with_extra(extra: str) -> str:
    """How to install what an optional dependency brings."""
    what = "'memvara-goldens[{}]'" if in_a_wheel() else "-e '.[{}]'"
    return f"install the extra `{extra}` (pip install {what.format(extra)})"


def reference_program() -> str:
    """The command line of the reference as a program, as one would paste it."""
    if in_a_wheel():
        return f"{shlex.quote(sys.executable)} -m memvara_goldens.reference"
    return "python -m reference"
