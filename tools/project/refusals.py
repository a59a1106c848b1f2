"""What the reference refuses, as one line and exit 2."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from reference import wording
from reference.protocol import REFUSALS
from reference.wording import Wording, WordingError

from ..exits import Stop


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """Turn what the reference refuses into one line and exit 2."""
    try:
        yield
    except (*REFUSALS, WordingError) as refusal:
        raise Stop(str(refusal)) from None


def load_wording(path: Path | None) -> Wording:
    """The wording in a file, or ours. Raises Stop or WordingError."""
    try:
        return wording.load(path)
    except OSError as error:
        raise Stop(f"{path}: {error.strerror}") from None
