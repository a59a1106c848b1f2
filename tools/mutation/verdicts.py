"""What is said of a mutant in the end, and of the whole run."""

from dataclasses import dataclass, field
from enum import StrEnum

from .mutants import Mutant
from .source import Place
from .tasks import Result, Status, Test


class Verdict(StrEnum):
    """A kill is a failed test, and nothing else is."""

    KILLED = "killed"
    AT_IMPORT = "killed at import"
    ENDLESS = "endless"
    EXEMPT = "exempt"
    SURVIVED = "survived"
    UNTESTED = "untested"
    SUSPICIOUS = "suspicious"  # it can't be imported, and still no test fails
    SKIPPED = "skipped"
    CRASHED = "crashed"
    MEMORY = "out of memory"
    INTERNAL = "internal error"


PASSING = (Verdict.KILLED, Verdict.AT_IMPORT, Verdict.ENDLESS, Verdict.EXEMPT)
KILLS = (Verdict.KILLED, Verdict.AT_IMPORT)
PLAIN = {
    Status.SKIPPED: Verdict.SKIPPED,
    Status.TIMEOUT: Verdict.ENDLESS,
    Status.MEMORY: Verdict.MEMORY,
    Status.CRASHED: Verdict.CRASHED,
    Status.INTERNAL: Verdict.INTERNAL,
    Status.ELSEWHERE: Verdict.INTERNAL,
}


@dataclass
class Outcome:
    """A mutant with its verdict and what led to it."""

    mutant: Mutant
    verdict: Verdict
    reaching: list[str]  # node ids of the tests that reach it, as far as that can be seen
    failed: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    note: str = ""

    @property
    def passes(self) -> bool:
        """Whether the gate lets it pass."""
        return self.verdict in PASSING

    def take(self, result: Result) -> None:
        """The verdict that a result amounts to."""
        self.failed, self.ran, self.note = result.failed, result.ran, result.note
        if result.status is Status.KILLED:
            self.verdict = Verdict.AT_IMPORT if result.at_import else Verdict.KILLED
        elif result.at_import and result.status in (Status.SURVIVED, Status.SKIPPED):
            self.verdict = Verdict.SUSPICIOUS
            self.note = "it can't be imported, and no test that imports it fails"
        else:
            self.verdict = PLAIN.get(result.status, Verdict.SURVIVED)


@dataclass
class Report:
    """One run of the gate."""

    outcomes: list[Outcome]
    tests: list[Test]
    witnesses: dict[str, str]  # a mutant that it kills, by test
    wanted: list[str]  # tests that must have one
    blind_spots: list[Place]
    problems: list[str]  # with exemptions, or with the run itself
    seconds: float = 0.0

    @property
    def vacuous(self) -> list[str]:
        """The tests that no mutant makes fail."""
        return [test for test in self.wanted if test not in self.witnesses]

    @property
    def passes(self) -> bool:
        """Killed, endless and exempt are all; every test can fail; nothing is out of sight."""
        every = all(outcome.passes for outcome in self.outcomes)
        return every and not (self.vacuous or self.blind_spots or self.problems)

    def counts(self) -> dict[Verdict, int]:
        """How many mutants got each verdict, zeros included."""
        return {
            verdict: sum(outcome.verdict is verdict for outcome in self.outcomes)
            for verdict in Verdict
        }
