"""The goldens: the reference renders every arm, case and question as stored, byte for byte."""

from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.data import SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from reference import protocol
from tools.goldens import manifest, outcomes
from tools.project import layout as project
from tools.sides.subject import Subject

ROOT = Path(__file__).parents[2]
ARMS = [
    "default",
    "turns_only",
    "user",
    "route",
    "routed720",
    "useronly720",
    "head5_tail400",
    "tail80",
    "budget1",
    "v2",
    "routed720_v2",
    "context_file",
    "ranked",
    "blank",
]


class GoldenExtension(SingleFileSnapshotExtension):
    """Exact bytes under goldens/outcomes; nothing here writes, prunes or claims a file."""

    _write_mode = WriteMode.BINARY
    file_extension = ""

    @classmethod
    def get_snapshot_name(cls, *, test_location, index=0):
        return str(index)

    @classmethod
    def dirname(cls, *, test_location):
        return str(ROOT / "goldens" / "outcomes")

    def discover_snapshots(self, *, test_location, ignore_extensions=None):
        return SnapshotCollections()  # which goldens are in use is for the manifest to say

    @classmethod
    def write_snapshot_collection(cls, *, snapshot_collection, name_order=None):
        raise AssertionError("goldens are written by `goldens regen` alone")


@pytest.fixture
def golden(snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> SnapshotAssertion:
    """A stored golden, by its file below goldens/outcomes."""
    if request.config.getoption("update_snapshots"):
        pytest.fail("--snapshot-update does not write goldens: run `goldens regen`", pytrace=False)
    return snapshot.use_extension(GoldenExtension)


@pytest.fixture(scope="session")
def sources() -> project.Project:
    return project.load(ROOT)


@pytest.fixture
def subject(count: Callable[[str], int]) -> Subject:
    session = protocol.Session(count=count)
    return Subject("the package under test", lambda request: protocol.answer(request, session))


@pytest.mark.parametrize("arm", ARMS)
def test_the_reference_answers_as_stored_under_arm(
    arm: str, sources: project.Project, subject: Subject, golden: SnapshotAssertion
):
    rows = manifest.read(sources).rows
    found = outcomes.derive(subject, sources, only=[arm])
    del found[outcomes.ROUTING]
    assert found
    for stem, outcome in found.items():
        row = rows[stem]
        assert outcome.refused == row.file.endswith(".refused"), stem
        assert outcome.refused or outcome.data == golden(name=row.file)
        assert (outcome.warnings, outcome.tokens) == (row.warnings, row.tokens), stem


def test_the_routing_rule_answers_every_pinned_question_as_stored(
    sources: project.Project, subject: Subject, golden: SnapshotAssertion
):
    found = outcomes.derive(subject, sources, only=[])
    assert found[outcomes.ROUTING].data == golden(name=outcomes.ROUTING)
