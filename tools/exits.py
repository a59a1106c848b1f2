"""Exit codes of the `goldens` command, and the exception that carries one."""

from enum import IntEnum


class Exit(IntEnum):
    """What the process exits with; the README lists the same table."""

    OK = 0
    MISMATCH = 1  # a mismatch, or a mutant that survived
    USAGE = 2  # wrong usage or bad input
    NO_PIN = 3  # the pinned tree is not in this clone, or there is no git
    DIRTY = 4  # a clean tree is needed
    BASELINE = 5  # baseline tests are red, or the gate could not measure
    CRASHED = 6  # another program crashed
    INTERRUPTED = 130


class Stop(Exception):
    """Ends a command with one line on stderr: what was wrong, where, what would be right."""

    def __init__(self, message: str, exit_code: Exit = Exit.USAGE) -> None:
        super().__init__(message)
        self.exit_code = exit_code
