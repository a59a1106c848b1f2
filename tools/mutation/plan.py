"""Which tests could kill a mutant, the most telling first, and the task that runs them."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from .mutants import Mutant
from .runner import Job
from .tasks import Baseline, Task, Test

# Seconds that a test may take at first: so much, and so many times what it took unchanged. Alone
# it may take so much, and so many times what all tests took: slow must not pass for endless.
FIRST = (2.0, 10.0)
ALONE = (2.0, 10.0)


class Plan:
    """The tests by what they reach."""

    def __init__(self, root: Path, baseline: Baseline, files: dict[str, bytes]) -> None:
        self._files = files
        self._at_import = baseline.at_import
        self.tests = {test.id: test for test in baseline.tests}
        self._seconds = sum(test.seconds for test in baseline.tests)
        self._by_function: dict[tuple[str, str], list[Test]] = defaultdict(list)
        self._by_file: dict[str, list[Test]] = defaultdict(list)
        self._kills: dict[tuple[str, str | None], Counter[str]] = defaultdict(Counter)
        self._cost: dict[str, float] = defaultdict(float)
        self._prices = _prices(baseline.tests)
        packages = {file.split("/")[0] for file in files}
        self._free = {
            file
            for file in {test.file for test in baseline.tests}
            if not _imports(root / file, packages)
        }
        for test in baseline.tests:
            self._cost[test.file] += test.seconds
            for place in test.reached:
                self._by_function[place].append(test)
            for file in {file for file, _ in test.reached}:
                self._by_file[file].append(test)

    def is_cold(self, mutant: Mutant) -> bool:
        """Whether the change takes effect when the module is imported."""
        return mutant.function is None or (mutant.file, mutant.function) in self._at_import

    def reaching(self, mutant: Mutant) -> list[Test]:
        """The tests that could notice; empty when the mutant is untested."""
        if not self.is_cold(mutant):
            return self._by_function[mutant.file, mutant.function or ""]
        if mutant.file.endswith(".py") and (mutant.file, "<module>") not in self._at_import:
            return []
        return list(self.tests.values())

    def importing(self, mutant: Mutant) -> list[Test]:
        """The tests in files that load without the watched package: one of them may import it."""
        return [test for test in self.reaching(mutant) if test.file in self._free]

    def likely(self, mutant: Mutant) -> list[Test]:
        """Those of them to try first: for a change at import they are a few files of many."""
        reaching = self.reaching(mutant)
        if not self.is_cold(mutant):
            return reaching
        near = {test.id for test in self._by_file[mutant.file]}
        own = _own(mutant)
        return [test for test in reaching if test.id in near or test.file.endswith(own)] or reaching

    def job(
        self,
        mutant: Mutant,
        tests: Iterable[Test],
        every: bool = False,
        cold: bool = False,
        again: bool = False,
    ) -> Job:
        """The task of running `tests` on the mutant, for the second time if `again`."""
        cold = cold or self.is_cold(mutant)
        ordered = self._ordered(mutant, tests, cold)
        timed = [(test.id, self._limit(test, again)) for test in ordered]
        code = mutant.edit.applied(self._files[mutant.file])
        return Job(Task(mutant.file, code, mutant.function, timed, every, again), cold)

    def unchanged(self, cold: bool) -> Job:
        """The task of running every test on the code as it is."""
        timed = [(test.id, self._limit(test, again=True)) for test in self.tests.values()]
        return Job(Task(None, b"", None, timed, True, True), cold)

    def _limit(self, test: Test, again: bool) -> float:
        if again:
            return ALONE[0] + ALONE[1] * self._seconds
        return FIRST[0] + FIRST[1] * test.seconds

    def learn(self, mutant: Mutant, failed: Iterable[str]) -> None:
        """A test that killed a mutant of a function goes first at the next one of it."""
        self._kills[mutant.file, mutant.function].update(failed)

    def _ordered(self, mutant: Mutant, tests: Iterable[Test], cold: bool) -> list[Test]:
        """Those first that killed before, then the cheapest; file by file if each is loaded."""
        kills = self._kills[mutant.file, mutant.function]
        if not cold:
            return sorted(tests, key=lambda test: (-kills[test.id], self._prices[test.id]))
        own = _own(mutant)
        near = {test.id for test in self._by_file[mutant.file]}
        homes = {test.file for test in self._by_file[mutant.file]}
        return sorted(
            tests,
            key=lambda test: (
                not test.file.endswith(own),
                test.file not in homes,
                self._cost[test.file],
                test.file,
                -kills[test.id],
                not test.file.endswith(own) and test.id not in near,
                self._prices[test.id],
            ),
        )


def _prices(tests: Iterable[Test]) -> dict[str, float]:
    """The seconds a test takes, times its number among the parameters of one function.

    What the first ten parameters let pass, the eleventh seldom notices.
    """
    numbers: Counter[str] = Counter()
    prices = {}
    for test in sorted(tests, key=lambda test: test.seconds):
        function = test.id.partition("[")[0]
        numbers[function] += 1
        prices[test.id] = test.seconds * numbers[function]
    return prices


def _own(mutant: Mutant) -> str:
    """The name of the file of tests that a module has for itself."""
    return f"/test_{PurePosixPath(mutant.file).stem}.py"


def _imports(file: Path, packages: set[str]) -> bool:
    """Whether a file imports one of `packages` when it is loaded."""
    for node in ast.parse(file.read_bytes()).body:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        if any(name.split(".")[0] in packages for name in names):
            return True
    return False
