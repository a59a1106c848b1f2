"""The plain loops that the sweep's pace is measured against: naive, and right."""

import pytest

from reference import wording
from reference.budget import fill
from reference.lines import Line
from tools.project import layout as project
from tools.sweeping import pace


@pytest.fixture(scope="module")
def lines():
    turns = [item for item in project.load().cases["thirty"] if item["kind"] == "turn"]
    return [Line(f"- [{turn['ts']}] {turn['role']}: {turn['content']}") for turn in turns]


@pytest.mark.parametrize("naive", [pace.every_block, pace.byte_check])
@pytest.mark.parametrize("budget", [1, 720, 4_000, 20_000])
def test_a_naive_fill_keeps_what_the_fill_keeps(lines, naive, budget, count):
    headings = wording.load().turns_headings
    assert naive(lines, headings, budget, count) == fill(lines, headings, budget, count)


def test_one_loop_encodes_every_block_and_the_other_those_over_the_budget_in_bytes(lines):
    counted = []

    def count(text):
        counted.append(text)
        return 1

    headings = Line("Turns"), Line("")
    assert pace.every_block(lines, headings, 5_000, count) == lines
    assert [block.rpartition("\n- [")[2] for block in counted] == [line.text[3:] for line in lines]
    every = list(counted)
    counted.clear()
    assert pace.byte_check(lines, headings, 5_000, count) == lines
    assert counted == [block for block in every if len(block.encode()) > 5_000]


def test_both_loops_and_the_sweep_are_timed(monkeypatch, committed_quick):
    monkeypatch.setattr(pace, "SWEPT", 4)
    monkeypatch.setattr(pace, "LOOPED", 1)
    assert all(rate > 0 for rate in pace.cells_per_second(project.load(committed_quick), 720))
