"""pytest inside one process: collect, run single tests, see which functions a test calls."""

import os
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from .tasks import Baseline, Status, Test

Called = set[tuple[str, str]]


class Idle(pytest.Item):
    """Stands for the next test between two tests, so that fixtures of the session stay up."""

    def runtest(self) -> None:
        raise NotImplementedError


class Tests:
    """The tests of one session. Registered as a plugin, it hears every report."""

    def __init__(self, session: pytest.Session) -> None:
        self.session = session
        self.files: dict[str, pytest.File] = {}
        self.items: dict[str, pytest.Item] = {}
        self.errors: list[str] = []  # files that could not be collected
        self._idle = Idle.from_parent(session, name="idle")
        self._reports: list[pytest.TestReport] = []
        self._memory = False
        session.config.pluginmanager.register(self)

    def find(self, folders: list[str]) -> None:
        """Find the files of tests in these folders, without importing any; once per session."""
        paths = [path for folder in folders for path in sorted(Path(folder).rglob("test_*.py"))]
        for node in self.session.perform_collect([*map(str, paths)], genitems=False):
            if isinstance(node, pytest.File):
                self.files[node.nodeid] = node

    def collect(self, file: str) -> list[str]:
        """Import one file of tests; the node ids of its tests."""
        items = list(self.session.genitems(self.files[file]))
        config = self.session.config
        config.hook.pytest_collection_modifyitems(session=self.session, config=config, items=items)
        self.items |= {item.nodeid: item for item in items}
        return [item.nodeid for item in items]

    def run(self, test: str) -> tuple[str, str]:
        """Run one test: passed, failed, skipped or out of memory, and what it failed with."""
        self._reports.clear()
        self._memory = False
        item = self.items[test]
        item.ihook.pytest_runtest_protocol(item=item, nextitem=self._idle)
        failed = [report for report in self._reports if report.failed]
        if self._memory:
            return Status.MEMORY, "MemoryError"
        if failed:
            return "failed", str(failed[0].longrepr)
        skipped = any(report.skipped for report in self._reports)
        return ("skipped" if skipped else "passed"), ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reports.append(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            last = str(report.longrepr).strip().splitlines()[-1]
            self.errors.append(f"{report.nodeid}: {last}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport | None:
        """A failure in one line: pytest would spend most of a mutant's time on its traceback."""
        if call.excinfo is None or isinstance(call.excinfo.value, pytest.skip.Exception):
            return None
        assert call.when != "collect"
        error = call.excinfo.value
        self._memory |= _ran_out(error)
        said = f"{type(error).__name__}: {error}".strip().splitlines()[0]
        return pytest.TestReport(
            item.nodeid, item.location, {}, "failed", said[:200], call.when, duration=call.duration
        )


def _ran_out(error: BaseException | None) -> bool:
    while error is not None:
        grouped = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        if isinstance(error, MemoryError) or any(map(_ran_out, grouped)):
            return True
        error = error.__cause__ or error.__context__
    return False


def baseline(tests: Tests, folders: list[str], watched: dict[str, str]) -> Baseline:
    """Run every test twice, the second time watching what it calls.

    `watched` maps names of modules to their files.
    """
    before = set(sys.modules)
    at_import: Called = set()
    with calls(watched, at_import):
        tests.find(folders)
        ids = [test for file in tests.files for test in tests.collect(file)]
    if tests.errors:
        return _unmeasured(f"the tests can't be collected: {tests.errors[0]}")
    if not ids:
        return _unmeasured(f"no tests were found in {' '.join(folders)}")
    rounds: list[list[Test]] = []
    for modules in ({}, watched):
        rounds.append([])
        for test in ids:
            row, problem = _measured(tests, test, modules)
            if problem:
                return _unmeasured(problem)
            rounds[-1].append(row)
    rows = []
    for old, new in zip(*rounds, strict=True):
        if old.passed != new.passed:
            return _unmeasured(f"{new.id} passes once and is skipped once on the same code")
        rows.append(new._replace(seconds=min(old.seconds, new.seconds)))
    return Baseline(rows, frozenset(at_import), "", _foreign(before))


def _unmeasured(problem: str) -> Baseline:
    return Baseline([], frozenset(), problem, [])


def _measured(tests: Tests, test: str, watched: dict[str, str]) -> tuple[Test, str]:
    environment = dict(os.environ)
    reached: Called = set()
    problem = ""
    start = time.perf_counter()
    try:
        with calls(watched, reached):
            outcome, note = tests.run(test)
    except Exception as error:
        outcome, note = "failed", f"pytest broke: {error!r}"
    seconds = time.perf_counter() - start
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    environment.pop("PYTEST_CURRENT_TEST", None)
    if dict(os.environ) != environment:
        names = sorted(name for name, _ in os.environ.items() ^ environment.items())
        problem = f"{test} leaves os.environ changed ({', '.join(dict.fromkeys(names))[:80]})"
    elif outcome not in ("passed", "skipped"):
        problem = f"the tests are red without any mutant: {test}: {note}"
    item = tests.items[test]
    structure = item.get_closest_marker("structure") is not None
    file = test.split("::")[0]
    return Test(test, file, seconds, outcome == "passed", structure, frozenset(reached)), problem


def _foreign(before: Iterable[str]) -> list[str]:
    """The modules that the tests brought in from outside the project."""
    root = os.getcwd() + os.sep
    names = []
    for name in sorted(sys.modules.keys() - set(before)):
        file = getattr(sys.modules[name], "__file__", None)
        if file and (not file.startswith(root) or "site-packages" in file):
            names.append(name)
    return names


@contextmanager
def calls(watched: dict[str, str], called: Called) -> Any:
    """Note in `called` every outermost function of a watched module that is entered meanwhile."""

    def enter(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            file = watched.get(frame.f_globals.get("__name__", ""))
            if file is not None:
                called.add((file, frame.f_code.co_qualname.split(".<locals>")[0]))

    if not watched:
        yield
        return
    threading.setprofile(enter)
    sys.setprofile(enter)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
