"""A fault: one difference, reduced to the fewest knobs that show it."""

from typing import NamedTuple

from ..grid.places import Place
from .reduce import Env


class Fault(NamedTuple):
    """A difference, reduced to the fewest knobs that show it."""

    op: str
    place: Place
    env: Env

    @property
    def knobs(self) -> frozenset[str]:
        """The knobs that it takes."""
        return frozenset(name for name, _ in self.env)
