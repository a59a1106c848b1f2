"""What a sweep says: a screen for people, one object for machines."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..comparing.groups import Example, Group
from ..comparing.verdicts import Verdict
from ..exits import Exit
from .engine import Run

FORMAT = 1
SHOWN = 3  # groups on the screen; the rest is a number


@dataclass(frozen=True)
class SweepResult:
    """A sweep that ended."""

    expected: str  # the sources of both subjects
    found: str
    run: Run
    groups: list[tuple[Group, Example]]
    known: int  # cells whose difference is a known one
    stale: list[str]  # entries of the file of known differences that no longer hold
    left_out: Sequence[str] = ()  # ops that were not compared, and why

    @property
    def exit_code(self) -> Exit:
        """What the command exits with."""
        if self.run.interrupted:
            return Exit.INTERRUPTED
        if self.groups or self.stale:
            return Exit.MISMATCH
        return Exit.BASELINE if self.run.unsound() else Exit.OK

    @property
    def differing(self) -> int:
        """How many outcomes differ, the known ones aside."""
        return self.run.tally.faults.total() - self.known

    def lines(self) -> list[str]:
        """The screen."""
        said = [f"expected  {self.expected}", f"found     {self.found}", *_covered(self.run)]
        if self.known:
            said.append(f"{self.known:,} differences are known ones")
        for number, (group, example) in enumerate(self.groups[:SHOWN], 1):
            said += ["", *_group(number, group, example)]
        if len(self.groups) > SHOWN:
            said += ["", f"and {len(self.groups) - SHOWN} more groups: --json lists all"]
        said += ["", *self.stale] if self.stale else []
        unsound = [] if self.run.interrupted else self.run.unsound()
        said += [f"not sound: {reason}" for reason in unsound]
        return [*said, self.verdict()]

    def verdict(self) -> str:
        """The last line."""
        if self.groups:
            return f"{self.differing:,} differences in {len(self.groups)} groups"
        if self.stale:
            return "the known differences need a look"
        if self.run.interrupted:
            return "interrupted: no difference until then"
        if self.run.unsound():
            return "this proves nothing"
        tally = self.run.tally
        verdict = f"no difference in {tally.combinations:,} combinations, {tally.asked:,} cells"
        return "; ".join([verdict, *(f"not compared: {each}" for each in self.left_out)])

    def as_json(self) -> dict[str, Any]:
        """What `--json` prints; the README explains the fields."""
        run = self.run
        return {
            "format": FORMAT,
            "exit": int(self.exit_code),
            "expected": self.expected,
            "found": self.found,
            "grid": "full" if run.plan.narrowing.full else "default",
            "narrowed": str(run.plan.narrowing),
            "combinations": {"planned": len(run.plan.chosen), "run": run.tally.combinations},
            "cells": {
                "planned": run.plan.planned,
                "run": run.tally.asked,
                "accepted": run.tally.cells[Verdict.ACCEPTED],
                "refused": run.tally.cells[Verdict.REFUSED],
                "differing": run.tally.cells[Verdict.DIFFERS],
            },
            "refusals": {"planned": len(run.plan.refusals), "run": run.tally.refusals.total()},
            "distinct_blocks": len(run.tally.blocks),
            "seconds": round(run.seconds, 3),
            "unsound": run.unsound(),
            "left_out": list(self.left_out),
            "known": self.known,
            "stale": self.stale,
            "groups": [_group_json(group, example) for group, example in self.groups],
        }


def _covered(run: Run) -> list[str]:
    tally, planned = run.tally, len(run.plan.chosen)
    rate = f"{tally.asked / run.seconds:,.0f} cells/s" if run.seconds else "at once"
    of = "" if tally.combinations == planned else f" of {planned:,} planned"
    said = [
        f"{tally.combinations:,}{of} combinations, {tally.asked:,} cells "
        f"in {run.seconds:.1f} s ({rate})",
        f"{tally.cells[Verdict.ACCEPTED]:,} cells equal, {tally.cells[Verdict.REFUSED]:,} refused "
        f"by both, {tally.cells[Verdict.DIFFERS]:,} differ; {len(tally.blocks):,} distinct blocks",
    ]
    if run.plan.narrowing.whole and not run.unsound() and not tally.faults:
        said.append("any two values of a knob are told apart, but for declared synonyms")
    if run.plan.refusals:
        said.append(f"{tally.refusals[Verdict.REFUSED]:,} settings refused by both")
    return [f"narrowed to {run.plan.narrowing}", *said] if str(run.plan.narrowing) else said


def _group(number: int, group: Group, example: Example) -> list[str]:
    knobs = " + ".join(group.knobs) or "with no knob set"
    more = f"; {group.more:,} more with other knobs set too" if group.more else ""
    place = group.example.place
    where = f"case {place.case}, question {place.question}" if place.case else group.op
    line = f", line {example.line}" if example.line else ""
    return [
        f"{number}. {knobs}: {group.cells:,} differ{more} ({where}{line})",
        f"   {example.command}",
        f"   expected {example.expected}",
        f"   found    {example.found}",
    ]


def _group_json(group: Group, example: Example) -> dict[str, Any]:
    return {
        "op": group.op,
        "knobs": list(group.knobs),
        "differing": group.cells,
        "with_more_knobs": group.more,
        "env": dict(group.example.env),
        "case": group.example.place.case,
        "question": group.example.place.question,
        **example._asdict(),
    }
