"""memvara_goldens, all that other people's environments get: the `goldens` command and its data."""

import sys
from pathlib import Path


def main() -> None:
    """Run the `goldens` command."""
    # Here lie `reference` and `tools`, which nobody else finds by these names.
    sys.path.insert(0, str(Path(__file__).parent))
    from tools.cli import main as goldens

    goldens()
