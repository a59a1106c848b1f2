"""The programs that `goldens adapter` prints, to be put beside somebody's provider."""

from pathlib import Path

FILES = {"memorybench": "memorybench.ts", "node": "node.mjs", "python": "python.py"}


def text(name: str) -> str:
    """The whole adapter `name`, one of FILES."""
    return (Path(__file__).parent / FILES[name]).read_text(encoding="utf-8")
