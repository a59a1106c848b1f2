"""The tally of a sweep: what was compared, how it came out, and each difference found."""

from collections import Counter
from dataclasses import dataclass, field

from ..comparing.faults import Fault
from ..comparing.verdicts import Verdict


@dataclass
class Tally:
    """What was compared, and how it came out."""

    combinations: int = 0
    asked: int = 0  # cells
    cells: Counter[Verdict] = field(default_factory=Counter)
    refusals: Counter[Verdict] = field(default_factory=Counter)
    routes: Counter[Verdict] = field(default_factory=Counter)
    faults: Counter[Fault] = field(default_factory=Counter)  # with the cells that reduce to each
    toothless: list[str] = field(default_factory=list)  # values that nothing tells apart
    blocks: set[int] = field(default_factory=set)  # hashes of the distinct ones that came out

    def add(self, other: "Tally") -> None:
        """Count what another tally counted too."""
        self.combinations += other.combinations
        self.asked += other.asked
        self.cells += other.cells
        self.refusals += other.refusals
        self.routes += other.routes
        self.faults += other.faults
        self.toothless += other.toothless
        self.blocks |= other.blocks
