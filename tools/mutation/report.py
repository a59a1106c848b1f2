"""What a run found, for people and, in the mutation-testing-elements schema, for viewers."""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from .mutants import Mutant
from .verdicts import Outcome, Report, Verdict

STATUS = {
    Verdict.KILLED: "Killed",
    Verdict.AT_IMPORT: "Killed",
    Verdict.ENDLESS: "Timeout",
    Verdict.EXEMPT: "Ignored",
    Verdict.SURVIVED: "Survived",
    Verdict.UNTESTED: "NoCoverage",
}
SHOWN = 5  # tests named with a survivor
SHOWN_TEXT = 60  # characters of a blind spot


def text(report: Report) -> str:
    """Everything that is wrong, then what passed without a kill, then one line of summary."""
    return "\n".join([*_lines(report), summary(report)])


def _lines(report: Report) -> Iterator[str]:
    for outcome in report.outcomes:
        if not outcome.passes:
            yield from _wrong(outcome)
    for outcome in report.outcomes:
        if outcome.verdict in (Verdict.ENDLESS, Verdict.EXEMPT):
            yield f"{outcome.verdict}: {place(outcome.mutant)} {outcome.note}"
    for spot in report.blind_spots:
        yield f"no mutant changes this: {spot.file}:{spot.line} {spot.text[:SHOWN_TEXT]!r}"
    for test in report.vacuous:
        yield f"no mutant makes this test fail: {test}"
    yield from report.problems


def _wrong(outcome: Outcome) -> Iterator[str]:
    yield f"{outcome.verdict}: {place(outcome.mutant)}"
    yield "\n".join(f"    {line}" for line in outcome.mutant.diff().splitlines())
    if outcome.note:
        yield f"    {outcome.note}"
    if outcome.ran:
        more = len(outcome.ran) - SHOWN
        yield f"    {len(outcome.ran)} tests ran:"
        yield from (f"      {test}" for test in outcome.ran[:SHOWN])
        if more > 0:
            yield f"      and {more} more"


def place(mutant: Mutant) -> str:
    """Name, file, line and kind of a mutant."""
    return f"{mutant.name} {mutant.file}:{mutant.line} ({mutant.edit.operator})"


def summary(report: Report) -> str:
    """One line: how many mutants became what, and how fast."""
    total = len(report.outcomes)
    counts = report.counts()
    wrong = [f"{n} {verdict}" for verdict, n in counts.items() if n or verdict in list(Verdict)[:6]]
    rate = total / report.seconds if report.seconds else 0.0
    line = f"{total} mutants in {report.seconds:.0f} s ({rate:.0f}/s): {', '.join(wrong)}"
    if report.wanted:
        able = len(report.wanted) - len(report.vacuous)
        line += f"; {able} of {len(report.wanted)} tests can fail"
    return line


def behaviours(report: Report) -> Iterator[str]:
    """Each test as the sentence that it is, with a mutant that makes it fail."""
    mutants = {outcome.mutant.name: outcome.mutant for outcome in report.outcomes}
    for test in report.tests:
        if name := report.witnesses.get(test.id):
            yield sentence(test.id)
            yield f"    {place(mutants[name])}"
            yield f"    {test.id}"


def sentence(test: str) -> str:
    """`tests/x.py::test_a_cut_is_exact[7]` as "a cut is exact [7]"."""
    name, _, parameters = test.split("::", 1)[1].partition("[")
    words = name.split("::")[-1].removeprefix("test_").replace("_", " ")
    return f"{words} [{parameters}" if parameters else words


def as_json(report: Report, files: dict[str, bytes]) -> str:
    """The report in the mutation-testing-elements schema, version 2."""
    numbers = {test.id: str(number) for number, test in enumerate(report.tests, 1)}
    mutants: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for outcome in report.outcomes:
        file = outcome.mutant.file
        mutants[file].append(_mutant(outcome, files[file], numbers))
    tests: dict[str, list[dict[str, str]]] = defaultdict(list)
    for test in report.tests:
        name = test.id.partition("::")[2]
        tests[test.file].append({"id": numbers[test.id], "name": name})
    document = {
        "schemaVersion": "2",
        "thresholds": {"high": 100, "low": 100},
        "framework": {"name": "goldens mutate"},
        "files": {
            file: {"language": _language(file), "source": files[file].decode(), "mutants": found}
            for file, found in mutants.items()
        },
        "testFiles": {file: {"tests": found} for file, found in tests.items()},
        "config": {
            "passes": report.passes,
            "seconds": round(report.seconds, 1),
            "counts": {str(verdict): n for verdict, n in report.counts().items()},
            "witnesses": report.witnesses,
            "vacuous": report.vacuous,
            "blindSpots": [f"{spot.file}:{spot.line} {spot.text}" for spot in report.blind_spots],
            "problems": report.problems,
        },
    }
    return json.dumps(document, ensure_ascii=False)


def _language(file: str) -> str:
    return "python" if file.endswith(".py") else "toml"


def _mutant(outcome: Outcome, code: bytes, numbers: dict[str, str]) -> dict[str, Any]:
    edit = outcome.mutant.edit
    return {
        "id": outcome.mutant.name,
        "mutatorName": edit.operator,
        "replacement": edit.replacement.decode(),
        "location": {"start": _position(code, edit.start), "end": _position(code, edit.end)},
        "status": STATUS.get(outcome.verdict, "RuntimeError"),
        "statusReason": outcome.note or str(outcome.verdict),
        "killedBy": [numbers[test] for test in outcome.failed],
        "coveredBy": [numbers[test] for test in outcome.reaching],
        "testsCompleted": len(outcome.ran),
    }


def _position(code: bytes, at: int) -> dict[str, int]:
    start = code.rfind(b"\n", 0, at) + 1
    return {"line": code.count(b"\n", 0, at) + 1, "column": len(code[start:at].decode()) + 1}
