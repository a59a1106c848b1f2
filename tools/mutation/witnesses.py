"""Where to look for a mutant that makes a given test fail."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import PurePosixPath

from .mutants import Mutant
from .tasks import Test

BRUTAL = ("value replaced", "statement deleted", "condition negated")


def candidates(test: Test, pool: Sequence[Mutant], crowd: dict[str, int]) -> Iterator[Mutant]:
    """The mutants of `pool` that `test` could kill, the most promising first.

    One mutant of each function that the test calls, those of few other tests first (`crowd` has
    their number by mutant), then a second one of each; then what takes effect at import, in the
    files that the test reaches.
    """
    by_function: dict[tuple[str, str], list[Mutant]] = defaultdict(list)
    at_import: list[Mutant] = []
    for mutant in pool:
        if mutant.function is None:
            at_import.append(mutant)
        elif (mutant.file, mutant.function) in test.reached:
            by_function[mutant.file, mutant.function].append(mutant)
    rows = sorted(by_function.values(), key=lambda row: crowd[row[0].name])
    for mutant in chain.from_iterable(zip_longest(*(sorted(row, key=_mildness) for row in rows))):
        if mutant is not None:
            yield mutant
    files = {file for file, _ in test.reached}
    stem = PurePosixPath(test.file).stem.removeprefix("test_")
    near = [mutant for mutant in at_import if mutant.file in files or _stem(mutant) == stem]
    yield from near or at_import


def _mildness(mutant: Mutant) -> int:
    operator = mutant.edit.operator
    return BRUTAL.index(operator) if operator in BRUTAL else len(BRUTAL)


def _stem(mutant: Mutant) -> str:
    return PurePosixPath(mutant.file).stem
