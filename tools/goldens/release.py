"""What is installed here: its version, and which tree its reference is."""

from importlib import metadata

from ..project.git import files_of
from ..project.installed import ROOT
from ..project.layout import load
from ..project.trees import tree_id
from . import manifest

SHOWN = 12  # digits of an id


def line() -> str:
    """Version, the tree of the installed `reference/`, and the pin. Raises Stop without a pin."""
    project = load(ROOT)
    stored = manifest.read(project)
    tree = tree_id(files_of(project.reference))
    pin = f"commit {stored.commit[:SHOWN]}"
    if tree != stored.tree:
        pin = f"not the pinned tree {stored.tree[:SHOWN]} of {pin}"
    return f"goldens {metadata.version('memvara-goldens')}, reference tree {tree[:SHOWN]} ({pin})"
