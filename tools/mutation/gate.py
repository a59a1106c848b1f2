"""The gate: run every mutant, re-run what was not killed alone, and demand a witness for each test.

It proves itself first and last: unchanged code is green, twice, and a forced failure is red.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from ..exits import Exit, Stop
from .generate import Generated
from .mutants import Edit, Function, Mutant, mutants_of
from .plan import Plan
from .runner import Job, Runner
from .tasks import Result, Status, Test
from .verdicts import KILLS, Outcome, Verdict
from .witnesses import candidates

Key = TypeVar("Key")
Seen = Callable[[int, int], None]  # how many of how many are done


class Gate(NamedTuple):
    """What a run needs: the test processes, the mutants, the tests that reach them."""

    runner: Runner
    generated: Generated
    plan: Plan
    jobs: int

    def prove(self) -> None:
        """A forced failure must be red, warm and cold. Raises Stop when it is not."""
        forced = self._forced()
        for cold in (False, True):
            job = self.plan.job(forced, self.plan.reaching(forced), cold=cold)
            for _, result in self.runner.run([(forced, job)], 1):
                if result.status is not Status.KILLED:
                    raise Stop(f"a forced failure in {forced.function} goes unseen", Exit.BASELINE)

    def _forced(self) -> Mutant:
        """A mutant that raises in the function that most tests reach."""
        best: tuple[int, Mutant] | None = None
        for file, functions in self.generated.functions.items():
            for function in functions:
                mutant = _raising(file, self.generated.files[file], function)
                reaching = 0 if self.plan.is_cold(mutant) else len(self.plan.reaching(mutant))
                if reaching and (best is None or reaching > best[0]):
                    best = reaching, mutant
        if best is None:
            raise Stop("nothing was measured: no test calls a watched function", Exit.BASELINE)
        return best[1]

    def still_green(self) -> None:
        """The unchanged code, again, warm and cold. Raises Stop when a test fails now."""
        jobs = [(cold, self.plan.unchanged(cold)) for cold in (False, True)]
        for _, result in self.runner.run(jobs, self.jobs):
            if result.status is not Status.SURVIVED or len(result.ran) < len(self.plan.tests):
                test = (result.failed or result.ran[-1:] or ["?"])[0]
                raise Stop(
                    f"the unchanged code is red after the run: {test}: {result.note}",
                    Exit.BASELINE,
                )

    def verdicts(self, mutants: Sequence[Mutant], every: bool, seen: Seen) -> list[Outcome]:
        """The verdict on each mutant, with `every` after all its tests and not the first kill."""
        outcomes = {}
        for mutant in mutants:
            ids = [test.id for test in self.plan.likely(mutant)]
            outcomes[mutant.name] = Outcome(mutant, Verdict.UNTESTED, ids)
        first = self.plan.reaching if every else self.plan.likely
        reached = [each for each in outcomes.values() if each.reaching]
        self._take(reached, lambda mutant: self.plan.job(mutant, first(mutant), every), seen)
        dead = [each for each in reached if each.verdict is Verdict.SUSPICIOUS]
        self._take(dead, lambda mutant: self._again(mutant, self.plan.importing(mutant)), seen)
        alive = [each for each in reached if each.verdict not in (*KILLS, Verdict.SUSPICIOUS)]
        again = partial(self._take, seen=seen, workers=1)
        again(alive, lambda mutant: self._again(mutant, self.plan.reaching(mutant)))
        return list(outcomes.values())

    def _again(self, mutant: Mutant, tests: Sequence[Test]) -> Job:
        """A second run, on a fresh import and with more time."""
        return self.plan.job(mutant, tests, cold=True, again=True)

    def _take(
        self,
        outcomes: Sequence[Outcome],
        job: Callable[[Mutant], Job],
        seen: Seen,
        workers: int | None = None,
    ) -> None:
        """Run the job of each mutant, made when its turn comes, and take the results."""
        jobs = ((outcome, job(outcome.mutant)) for outcome in outcomes)
        for done, (outcome, result) in enumerate(self.runner.run(jobs, workers or self.jobs), 1):
            outcome.take(result)
            self.plan.learn(outcome.mutant, result.failed)
            seen(done, len(outcomes))

    def witnesses(
        self, outcomes: Sequence[Outcome], wanted: Iterable[Test], seen: Seen
    ) -> dict[str, str]:
        """A mutant that it kills, for each test that kills one; all `wanted` ones are searched."""
        found: dict[str, str] = {}
        for outcome in outcomes:
            for test in outcome.failed:
                found.setdefault(test, outcome.mutant.name)
        alive = {outcome.mutant.name for outcome in outcomes if not _is_killed(outcome)}
        pool = [mutant for mutant in self.generated.mutants if mutant.name not in alive]
        crowd = {mutant.name: len(self.plan.reaching(mutant)) for mutant in pool}
        rounds = {test.id: candidates(test, pool, crowd) for test in wanted if test.id not in found}
        total = len(found) + len(rounds)
        while rounds:
            for name, result in self.runner.run(self._round(rounds), self.jobs):
                for test_id in result.failed:
                    found.setdefault(test_id, name)
                    rounds.pop(test_id, None)
            seen(len(found), total)
        return found

    def column(self, test: Test, seen: Seen) -> list[tuple[Mutant, Result]]:
        """What one test does to each mutant that it reaches."""
        jobs = [
            (mutant, self.plan.job(mutant, [test]))
            for mutant in self.generated.mutants
            if test in self.plan.likely(mutant)
        ]
        return list(self._counted(jobs, seen))

    def matrix(self, fast: float, seen: Seen) -> list[tuple[Mutant, Result]]:
        """What each test of at most `fast` seconds does to each mutant that it reaches."""
        jobs = []
        for mutant in self.generated.mutants:
            tests = [test for test in self.plan.likely(mutant) if test.seconds <= fast]
            jobs.append((mutant, self.plan.job(mutant, tests, every=True)))
        return list(self._counted(jobs, seen))

    def _counted(self, jobs: list[tuple[Key, Job]], seen: Seen) -> Iterator[tuple[Key, Result]]:
        for done, found in enumerate(self.runner.run(jobs, self.jobs), 1):
            seen(done, len(jobs))
            yield found

    def _round(self, rounds: dict[str, Iterator[Mutant]]) -> list[tuple[str, Job]]:
        """The next candidate of each test; tests that share one share a process."""
        chosen: dict[str, tuple[Mutant, list[str]]] = {}
        for test, left in list(rounds.items()):
            mutant = next(left, None)
            if mutant is None:
                del rounds[test]
            else:
                chosen.setdefault(mutant.name, (mutant, []))[1].append(test)
        return [
            (name, self.plan.job(mutant, [self.plan.tests[test] for test in tests], every=True))
            for name, (mutant, tests) in chosen.items()
        ]


def _is_killed(outcome: Outcome) -> bool:
    return outcome.verdict in KILLS


def _raising(file: str, code: bytes, function: Function) -> Mutant:
    start = code.rfind(b"\n", 0, function.start) + 1
    margin = code[start : function.start]
    then = b"; " if margin.strip() else b"\n" + margin
    raising = b'raise AssertionError("forced failure")' + then
    edit = Edit(function.start, function.start, raising, "forced failure")
    return mutants_of(file, code, [edit], [function])[0]
