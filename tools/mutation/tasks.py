"""What goes between the gate and the processes that run tests: tasks there, results back."""

from enum import StrEnum
from typing import NamedTuple, TypedDict


class Order(TypedDict):
    """What the test processes are started with: folders, and inherited connections by number."""

    root: str
    watched: list[str]
    tests: list[str]
    scratch: str  # for copies of the watched folders
    control: int
    warm: list[int]
    cold: list[int]


class Status(StrEnum):
    """What became of one mutant in one process. Only a failed test is a kill."""

    KILLED = "killed"
    SURVIVED = "survived"
    SKIPPED = "skipped"  # every test skipped itself
    TIMEOUT = "timeout"
    MEMORY = "out of memory"
    CRASHED = "crashed"
    INTERNAL = "internal error"
    ELSEWHERE = "elsewhere"  # this process can't apply it: a fresh import has to


class Task(NamedTuple):
    """Tests to run on a changed file; no file: on the code as it is."""

    file: str | None
    code: bytes
    function: str | None  # whose code alone is changed
    tests: list[tuple[str, float]]  # node ids, each with the seconds it may take
    every: bool  # or stop at the first test that fails
    unimportable: bool  # run them even when the changed module can't be imported


class Result(NamedTuple):
    """How the tests of a task ended."""

    status: Status
    failed: list[str]  # node ids
    ran: list[str]
    at_import: bool  # the changed module, or one that imports it, could not be imported
    note: str  # what the first failure was


class Test(NamedTuple):
    """One test on the unchanged code."""

    id: str
    file: str
    seconds: float
    passed: bool
    is_structure: bool
    reached: frozenset[tuple[str, str]]  # files and qualified names of the functions it calls


class Baseline(NamedTuple):
    """The tests on the unchanged code; `problem` says why nothing can be measured."""

    tests: list[Test]
    at_import: frozenset[tuple[str, str]]  # functions that are called before any test runs
    problem: str
    modules: list[str]  # what the tests import from outside the project


def module_name(file: str) -> str:
    """The name that the module in `file` is imported by."""
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
