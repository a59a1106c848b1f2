"""The pace of prompts against a commit's: the same prompts, each side timed."""

import json

import pytest
from click.testing import CliRunner

from tools.benchmark import prompts
from tools.commands.bench import command
from tools.exits import Exit, Stop
from tools.project import layout


@pytest.fixture
def bench(monkeypatch):
    """Runs `goldens bench --commit HEAD` in a checkout, over two prompts of each question."""
    some = {"MEMVARA_TAIL_CHARS": (None, "80")}
    monkeypatch.setattr(prompts, "GRID", some)
    monkeypatch.setattr(prompts, "PASSES", 1)

    def run(folder):
        monkeypatch.chdir(folder)
        return CliRunner().invoke(command, ["--commit", "HEAD", "--json"], standalone_mode=False)

    return run


def test_the_prompts_are_1080_and_no_two_are_asked_for_alike(committed_quick):
    asked = [*map(json.dumps, prompts.requests(layout.load(committed_quick)))]
    assert len(asked) == len({*asked}) == 1_080


def test_a_commit_is_measured_beside_the_working_tree(committed_quick, bench):
    done = bench(committed_quick)
    assert done.return_value == Exit.OK
    (row,) = json.loads(done.stdout)
    assert row["ratio"] > 0
    assert row["what"] == "prompts on one core, counts remembered, against HEAD"


def test_other_prompts_than_the_commits_are_not_measured(quick, bench):
    heading = quick / "reference" / "wording.toml"
    heading.write_text(heading.read_text().replace('turns_heading = "', 'turns_heading = "X'))
    with pytest.raises(Stop, match="gives other prompts than git tree") as stopped:
        raise bench(quick).exception
    assert stopped.value.exit_code == Exit.MISMATCH
