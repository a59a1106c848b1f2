"""The figure of `goldens arms`, the curves in it, and the arithmetic of the table."""

import json
import re
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reference.knobs import Knobs
from tools.exits import Exit
from tools.measuring.curves import BUDGETS, Spot, points, selections
from tools.measuring.plan import Arm
from tools.measuring.plot import Caption, draw
from tools.measuring.table import Row, ninth_decile
from tools.project.layout import load

ROOT = Path(__file__).parents[3]
Goldens = Callable[..., subprocess.CompletedProcess[bytes]]
TURNS = [
    ("user", "I keep three hives behind the chapel.", True),
    ("assistant", "Three hives want a water trough nearby, as bees drink a lot.", True),
    ("user", "Which trough would you take? Mine leaks, and the winter was long.", None),
    ("assistant", "A zinc one, with a float of cork for the bees to land on.", None),
] * 6


def dataset(path: Path, labelled: bool = True) -> Path:
    item = {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "Which trough was it that you recommended for the hives?",
        "question_date": None,
        "answer": "a zinc one",
        "haystack_dates": ["2024/05/01 (Wed) 07:00"],
        "haystack_session_ids": ["s1"],
        "haystack_sessions": [
            [
                {
                    "role": role,
                    "content": f"{content} That is note {number}.",
                    "has_answer": has_answer if labelled and number < 8 else None,
                }
                for number, (role, content, has_answer) in enumerate(TURNS)
            ]
        ],
    }
    path.write_text(json.dumps([item]))
    return path


def arm(name: str, **changed: str) -> Arm:
    return Arm(name, Knobs.from_env(load(ROOT).arms[name].env | changed))


def row(arm: str, median: float, kept: int) -> Row:
    return Row(arm, None, 4, median, median, median, kept, 8, 4, 1, 1)


CURVES = {
    "all turns": points([Spot("", b, t, k, 8) for b, t, k in ((90, 80, 1), (None, 4000, 7))])[""],
    "user turns": points([Spot("", b, t, k, 8) for b, t, k in ((90, 0, 0), (720, 700, 5))])[""],
}
MARKED = {"all turns": [row("default", 4000, 7), row("v2", 4000, 7)], "": [row("elsewhere", 9, 2)]}


def drawn(path: Path, estimated: bool = False) -> bytes:
    draw(path, CURVES, MARKED, Caption(4, 8, "gpt-4o", estimated))
    return path.read_bytes()


# The figure


def test_an_svg_is_the_same_bytes_each_time_without_a_date(tmp_path: Path) -> None:
    first, second = drawn(tmp_path / "1.svg"), drawn(tmp_path / "2.svg")
    assert first == second
    assert b"<dc:date>" not in first
    assert first.startswith(b"<?xml")


def test_the_figure_names_its_curves_its_arms_and_its_axes(tmp_path: Path) -> None:
    texts = set(re.findall(r"<!-- (.*?) -->", drawn(tmp_path / "f.svg").decode(), re.DOTALL))
    assert {"all turns", "user turns", "default", "v2", "elsewhere", "labelled turns kept"} <= texts
    assert "context tokens, median over the questions (of gpt-4o)" in texts
    assert "4 questions with 8 labelled turns" in " ".join(texts)


def test_estimated_tokens_are_called_an_estimate_on_the_axis(tmp_path: Path) -> None:
    assert b"an estimate: UTF-16 units / 4" in drawn(tmp_path / "f.svg", estimated=True)


def test_a_name_that_ends_in_png_gets_a_png(tmp_path: Path) -> None:
    assert drawn(tmp_path / "f.PNG").startswith(b"\x89PNG\r\n")


def test_the_same_run_draws_the_same_figure_and_json_has_its_points(
    inside: Goldens, tmp_path: Path
) -> None:
    data = dataset(tmp_path / "data.json")
    arguments = ("arms", str(data), "--run", f"{tmp_path}/run")
    figures = [tmp_path / "1.svg", tmp_path / "2.svg"]
    done = [inside(ROOT, *arguments, "--plot", str(each), "--json") for each in figures]
    assert [each.returncode for each in done] == [0, 0]
    assert done[0].stdout == done[1].stdout
    assert figures[0].read_bytes() == figures[1].read_bytes()
    value = json.loads(done[0].stdout)
    for name, row in (("all turns", 0), ("routed turns", 1), ("user turns", 2)):
        (curve,) = (each for title, each in value["curves"].items() if title.startswith(name))
        kept = [point["kept"] for point in curve]
        assert kept == sorted(kept)
        assert curve[-1]["budget"] is None
        here = value["rows"][row]
        budget = 720 if row else None
        (point,) = (point for point in curve if point["budget"] == budget)
        assert point["context_tokens"] == here["contextTokens"]["median"]
        assert point["kept"] == here["labelledTurnsKept"] / here["labelledTurns"]
    assert value["rows"][1]["labelledTurnsKept"] == value["rows"][2]["labelledTurnsKept"] == 2


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("figure.pdf", "the name must end in .svg or .png"),
        ("nowhere/figure.svg", "the folder does not exist: make it first"),
    ],
)
def test_a_figure_that_can_t_be_written_is_refused_at_once(
    inside: Goldens, tmp_path: Path, name: str, said: str
) -> None:
    data = dataset(tmp_path / "data.json")
    path = tmp_path / name
    done = inside(ROOT, "arms", str(data), "--plot", str(path), "--run", f"{tmp_path}/run")
    assert (done.returncode, done.stdout) == (Exit.USAGE, b"")
    assert done.stderr.decode() == f"goldens: --plot {path}: {said}\n"
    assert not (tmp_path / "run").exists()


def test_a_data_set_without_labels_has_nothing_to_plot(inside: Goldens, tmp_path: Path) -> None:
    data = dataset(tmp_path / "data.json", labelled=False)
    done = inside(ROOT, "arms", str(data), "--plot", f"{tmp_path}/f.svg")
    assert (done.returncode, done.stdout) == (Exit.USAGE, b"")
    assert b"no turn of these questions is labelled: nothing to plot" in done.stderr
    table = inside(ROOT, "arms", str(data), "--arms", "default")
    assert table.returncode == 0
    assert table.stdout.split().count(b"n/a") == 6


def test_without_matplotlib_the_plot_is_refused_in_one_line(tmp_path: Path) -> None:
    hidden = "import sys; sys.modules['matplotlib'] = None"
    code = f"{hidden}; sys.argv[0] = 'goldens'; from tools.cli import main; main()"
    data = dataset(tmp_path / "data.json")
    command = [sys.executable, "-c", code, "arms", str(data), "--plot", f"{tmp_path}/f.svg"]
    done = subprocess.run(command, capture_output=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (Exit.USAGE, b"")
    assert done.stderr.decode() == (
        "goldens: --plot needs matplotlib: install the extra `plot` (pip install -e '.[plot]')\n"
    )


# Curves


def test_arms_that_differ_in_budget_and_prompt_alone_share_a_curve() -> None:
    arms = [arm("routed720"), arm("useronly720"), arm("routed720_v2"), arm("context_file")]
    arms.append(arm("routed720", MEMVARA_TOKEN_BUDGET="500")._replace(name="routed500"))
    routed, user = selections(arms)
    assert [each.name for each in routed.arms] == ["routed720", "routed720_v2", "routed500"]
    assert [each.name for each in user.arms] == ["useronly720"]
    assert user.budgets == [*BUDGETS, None]
    assert routed.budgets == [90, 180, 360, 500, 720, 1440, 2880, 5760, None]
    assert routed.name != user.name


def test_every_arm_s_selection_has_a_name_of_its_own() -> None:
    found = selections(arm(name) for name in load(ROOT).arms)
    names = [each.name for each in found]
    assert len(set(names)) == len(names)


def test_a_point_has_the_median_of_tokens_and_the_share_of_all_turns() -> None:
    spots = [Spot("a", 90, tokens, kept, of) for tokens, kept, of in ((10, 1, 1), (40, 0, 3))]
    (point,) = points([*spots, Spot("a", 90, 20, 0, 0)])["a"]
    assert point == (90, 20, 0.25)


# The table's arithmetic


@pytest.mark.parametrize(
    ("values", "expected"),
    [([7], 7.0), ([1, 2], 1.9), ([*range(11)], 9.0), ([5, 1, 4, 2, 3], 4.6)],
)
def test_the_ninth_decile_lies_between_the_two_values_around_it(
    values: list[int], expected: float
) -> None:
    assert ninth_decile(values) == pytest.approx(expected)
    assert ninth_decile(values) >= statistics.median(values)
