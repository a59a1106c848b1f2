"""The proof that an exemption asks for: the mutant renders the sweep's whole grid unchanged."""

from .mutants import Mutant


def renders_whole_grid_equal(mutant: Mutant) -> bool:
    """Whether the default grid executes the changed line and finds no difference."""
    return False
