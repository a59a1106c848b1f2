"""The sweep: that it renders every cell with both copies, and that it sees what differs."""

import contextlib
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tools.comparing import verdicts as sides
from tools.comparing.verdicts import Verdict, verdict
from tools.exits import Exit, Stop
from tools.processes import workers
from tools.project import layout as project
from tools.sweeping import engine, sweep
from tools.sweeping.plan import Narrowing
from tools.sweeping.tally import Tally

ROOT = Path(__file__).parents[3]
SMALL = Narrowing(sample=120, seed=3)
CONTEXT, LINES, PROTOCOL = "context.py", "lines.py", "protocol.py"


@pytest.fixture(scope="module")
def here():
    return project.load(ROOT)


@pytest.fixture
def copies(tmp_path, count_quickly):
    """Two copies of the reference, expected and found, that count without an encoder."""
    folders = tmp_path / "expected", tmp_path / "found"
    for folder in folders:
        shutil.copytree(ROOT / "reference", folder, ignore=shutil.ignore_patterns("__pycache__"))
        count_quickly(folder)
    return folders


def edit(file, *pairs):
    text = file.read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text, f"{file.name} has no {old!r}"
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


def plant_a_byte(folder):
    """One byte of one heading."""
    data = (folder / "wording.toml").read_bytes()
    at = data.index(b"memories_heading") + len(b"memories_heading = ") + 4
    (folder / "wording.toml").write_bytes(data[:at] + b"~" + data[at + 1 :])


def plant(folder, condition):
    """One more character in every context for which a condition on the knobs holds."""
    edit(
        folder / CONTEXT,
        (
            'return Rendered("\\n\\n".join(blocks) or words.empty, warnings)',
            f'more = "." if {condition} else ""\n'
            '    return Rendered(("\\n\\n".join(blocks) or words.empty) + more, warnings)',
        ),
    )


def one_planted_byte_is_found(here, copies):
    plant_a_byte(copies[1])
    result = sweep.sweep_folders(here, *copies, SMALL, jobs=1)
    assert result.exit_code == Exit.MISMATCH
    assert result.differing > 0


def test_equal_copies_give_no_difference(here, copies):
    result = sweep.sweep_folders(here, *copies, SMALL, jobs=2)
    assert result.exit_code == Exit.OK
    assert result.run.tally.combinations == 120
    assert result.run.tally.asked == result.run.plan.planned
    asked = result.run.tally.asked
    assert result.verdict() == f"no difference in 120 combinations, {asked:,} cells"


def test_both_copies_render_every_cell(here, copies):
    for folder in copies:
        edit(
            folder / "prompt.py",
            (
                '    second = version == "v2"\n',
                '    with open(__file__ + ".renders", "ab", 0) as file:\n        file.write(b".")\n'
                '    second = version == "v2"\n',
            ),
        )
    cells = sweep.sweep_folders(here, *copies, SMALL, jobs=2).run.tally.cells
    renders = [len((folder / "prompt.py.renders").read_bytes()) for folder in copies]
    assert renders == [cells[Verdict.ACCEPTED]] * 2
    assert cells[Verdict.ACCEPTED] > 700


def test_one_planted_byte_is_found(here, copies):
    one_planted_byte_is_found(here, copies)


def test_a_comparator_that_always_says_equal_does_not_pass_unnoticed(here, copies, monkeypatch):
    def lenient(expected, found, by_content):
        return Verdict.REFUSED if "refused" in expected else Verdict.ACCEPTED

    monkeypatch.setattr(sides, "verdict", lenient)
    with pytest.raises(AssertionError):
        one_planted_byte_is_found(here, copies)


@pytest.mark.parametrize(
    ("condition", "knobs"),
    [
        (
            "knobs.turns_only and knobs.head_whole == 3",
            {"MEMVARA_TURNS_ONLY", "MEMVARA_HEAD_WHOLE"},
        ),
        (
            "knobs.search_k == 200 and knobs.tail_chars == 80",
            {"MEMVARA_SEARCH_K", "MEMVARA_TAIL_CHARS"},
        ),
        ("knobs.ranked and knobs.token_budget == 1", {"MEMVARA_RANKED", "MEMVARA_TOKEN_BUDGET"}),
    ],
)
def test_a_change_under_one_pair_of_knobs_is_found_and_reduced_to_it(
    here, copies, condition, knobs
):
    plant(copies[1], condition)
    narrowing = Narrowing(knobs=(*knobs, "MEMVARA_ANSWER_PROMPT"), cases=("empty", "user_only"))
    result = sweep.sweep_folders(here, *copies, narrowing, jobs=2)
    assert [set(group.knobs) for group, _ in result.groups] == [knobs]
    assert result.exit_code == Exit.MISMATCH


def test_a_change_under_three_knobs_is_reduced_to_three(here, copies):
    plant(copies[1], "knobs.turns_only and knobs.head_whole == 3 and knobs.search_k == 200")
    narrowing = Narrowing(cases=("empty",), sample=2_000)
    groups = sweep.sweep_folders(here, *copies, narrowing, jobs=1).groups
    knobs = {"MEMVARA_TURNS_ONLY", "MEMVARA_HEAD_WHOLE", "MEMVARA_SEARCH_K"}
    assert [set(group.knobs) for group, _ in groups] == [knobs]


def test_an_example_has_the_fewest_items_that_still_differ(here, copies):
    edit(copies[1] / LINES, ('{self.role}: "', '{self.role}:"'))
    narrowing = Narrowing(cases=("thirty",), knobs=("MEMVARA_TURNS_ONLY",))
    (_, example), *others = sweep.sweep_folders(here, *copies, narrowing, jobs=1).groups
    assert others == []
    assert example.items == [{"kind": "turn", "role": "", "content": "", "ts": ""}]
    assert (example.line, example.expected, example.found) == (2, "'- [] : '", "'- [] :'")


def test_a_changed_default_is_one_difference_in_settings_and_one_in_the_request(here, copies):
    edit(copies[1] / "knobs.py", ('Knob("search_k", 30,', 'Knob("search_k", 31,'))
    result = sweep.sweep_folders(here, *copies, SMALL, jobs=1)
    assert [(group.op, group.knobs) for group, _ in result.groups] == [
        ("request", ()),
        ("settings", ()),
    ]
    assert "python -m reference <<< " in result.groups[0][1].command


def test_a_crash_is_a_difference_even_where_both_crash(here, copies):
    for folder in copies:
        plant(folder, "1 / (knobs.head_whole != 3)")
    result = sweep.sweep_folders(here, *copies, Narrowing(knobs=("MEMVARA_HEAD_WHOLE",)), jobs=1)
    (group, example), *others = result.groups
    assert (others, group.knobs) == ([], ("MEMVARA_HEAD_WHOLE",))
    assert example.expected == example.found == "crashed: ZeroDivisionError: division by zero"


def test_a_refusal_on_one_side_is_a_difference(here, copies):
    edit(copies[1] / "items.py", ('"content": _STRING, ', ""))
    narrowing = Narrowing(cases=("refused",), sample=50)
    result = sweep.sweep_folders(here, *copies, narrowing, jobs=2)
    (group, example), *others = result.groups
    assert (others, group.knobs) == ([], ())
    assert example.expected.startswith("refused: items[0].content: expected a string")


def test_refusals_are_compared_in_the_full_grid(here, copies):
    edit(copies[1] / "knobs.py", ("if names:", "if names[1:]:"))
    narrowing = Narrowing(full=True, sample=1, cases=("empty",))
    result = sweep.sweep_folders(here, *copies, narrowing, jobs=1)
    assert {group.knobs for group, _ in result.groups} == {
        ("MEMVARA_RANKED", "MEMVARA_ROLE_SELECT"),
        ("MEMVARA_RANKED", "MEMVARA_TAIL_CHARS"),
        ("MEMVARA_CONTEXT_FILE", "MEMVARA_RANKED"),
    }


def test_a_value_that_both_take_against_the_grid_is_an_error(here, copies):
    for folder in copies:
        edit(folder / "knobs.py", ('_one_of(value, "1") == "1"', "bool(value)"))
    with pytest.raises(Stop, match="is refused, and both take it") as stopped:
        sweep.sweep_folders(here, *copies, Narrowing(full=True, sample=1), jobs=1)
    assert stopped.value.exit_code == Exit.BASELINE


def test_one_and_two_jobs_come_to_the_same(here, copies):
    plant(copies[1], "knobs.tail_chars == 80")

    def result(jobs):
        found = sweep.sweep_folders(here, *copies, SMALL, jobs=jobs).as_json()
        return {name: value for name, value in found.items() if name != "seconds"}

    assert result(1) == result(2)
    assert result(1)["exit"] == Exit.MISMATCH


def test_three_shards_cover_what_the_whole_covers(here, copies):
    plant(copies[1], "knobs.tail_chars == 80")

    def tally(shard):
        narrowing = Narrowing(sample=200, cases=("user_only", "empty"), shard=shard)
        return sweep.sweep_folders(here, *copies, narrowing, jobs=1).run.tally

    total = Tally()
    for k in (1, 2, 3):
        total.add(tally((k, 3)))
    assert total == tally((1, 1))


def test_the_same_files_twice_are_an_error(here, copies, tmp_path):
    (tmp_path / "alias").symlink_to(copies[0])
    with pytest.raises(Stop, match="both sides are the same files, such as"):
        sweep.sweep_folders(here, copies[0], tmp_path / "alias", SMALL)


def test_a_worker_that_dies_is_named(here, copies):
    edit(
        copies[1] / CONTEXT,
        ("    words = words or", "    import os\n\n    os._exit(9)\n    words = words or"),
    )
    narrowing = Narrowing(cases=("empty",), arms=True)
    with pytest.raises(Stop, match="a worker died: exit 9") as stopped:
        sweep.sweep_folders(here, *copies, narrowing, jobs=2)
    assert stopped.value.exit_code == Exit.BASELINE


def test_workers_end_when_their_parent_was_killed(tmp_path):
    program = tmp_path / "parent.py"
    program.write_text(
        "import contextlib, os, signal, sys\n"
        "from tools.processes import workers\n"
        "def work(task):\n"
        "    if task == 5:\n"
        "        os.kill(os.getppid(), signal.SIGKILL)\n"
        "    return task\n"
        "for _ in workers.run(lambda: contextlib.nullcontext(work), 10**12, 2):\n"
        "    pass\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    # The pipe ends when the last process that could write to it has ended.
    options = {"env": env, "stdout": subprocess.PIPE, "timeout": 60}
    done = subprocess.run([sys.executable, str(program)], **options)
    assert done.returncode == -signal.SIGKILL


def test_a_worker_that_fails_says_why():
    with pytest.raises(Stop, match="a worker failed: ZeroDivisionError"):
        list(workers.run(lambda: contextlib.nullcontext(lambda task: 1 // task), 3, 2))


def test_workers_do_every_task_once():
    found = list(workers.run(lambda: contextlib.nullcontext(lambda task: task), 50, 2))
    assert sorted(found) == list(range(50))


def test_a_copy_that_does_not_import_is_one_line(here, copies):
    edit(copies[1] / CONTEXT, ("from typing", "import no_such_module\nfrom typing"))
    with pytest.raises(Stop, match="does not import: ModuleNotFoundError") as stopped:
        sweep.sweep_folders(here, *copies, SMALL)
    assert stopped.value.exit_code == Exit.MISMATCH


@pytest.mark.parametrize(
    ("expected", "found", "alike"),
    [
        ({"ok": "a"}, {"ok": "a"}, Verdict.ACCEPTED),
        ({"ok": "a"}, {"ok": "a\n"}, Verdict.DIFFERS),
        ({"ok": "a"}, {"ok": None}, Verdict.DIFFERS),
        ({"ok": {"k": 1}}, {"ok": {"k": 1}}, Verdict.ACCEPTED),
        ({"ok": {"k": 1}}, {"ok": {"k": True}}, Verdict.DIFFERS),
        ({"ok": {"k": 1}}, {"ok": {"k": 1.0}}, Verdict.DIFFERS),
        ({"ok": {"a": 1, "b": 2}}, {"ok": {"b": 2, "a": 1}}, Verdict.ACCEPTED),
        ({"refused": "one"}, {"refused": "another"}, Verdict.REFUSED),
        ({"refused": "one"}, {"ok": "a"}, Verdict.DIFFERS),
        ({"refused": "one"}, {"crashed": "one"}, Verdict.DIFFERS),
        ({"crashed": "one"}, {"crashed": "one"}, Verdict.DIFFERS),
        ({"ok": "a", "warnings": ["x"]}, {"ok": "a", "warnings": []}, Verdict.DIFFERS),
    ],
)
@pytest.mark.parametrize("by_content", [True, False])
def test_outcomes_are_equal_or_not(expected, found, alike, by_content):
    assert verdict(expected, found, by_content) is alike
    assert verdict(found, expected, by_content) is alike


def test_warnings_of_a_copy_are_compared_and_those_of_a_program_counted():
    one, other = {"ok": "", "warnings": ["one"]}, {"ok": "", "warnings": ["other"]}
    assert verdict(one, other, by_content=True) is Verdict.DIFFERS
    assert verdict(one, other, by_content=False) is Verdict.ACCEPTED


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"asked": 1}, "planned 147, run 148, recorded 147 cells"),
        ({"combinations": -1}, "of 7 combinations 6 were run"),
    ],
)
def test_what_was_planned_must_be_run_and_recorded(here, copies, damage, said):
    narrowing = Narrowing(sample=7, knobs=("MEMVARA_HEAD_WHOLE",))
    result = sweep.sweep_folders(here, *copies, narrowing, jobs=1)
    run = result.run
    assert run.unsound() == []
    for name, more in damage.items():
        setattr(run.tally, name, getattr(run.tally, name) + more)
    planned = run.plan.planned
    assert run.unsound() == [said.replace("147", str(planned)).replace("148", str(planned + 1))]
    assert result.exit_code == Exit.BASELINE


def test_nothing_compared_is_no_pass(here, copies):
    result = sweep.sweep_folders(here, *copies, Narrowing(sample=1, shard=(2, 2)), jobs=1)
    assert result.exit_code == Exit.BASELINE
    assert "planned 0, run 0, recorded 0 cells" in "\n".join(result.lines())


def test_too_few_distinct_blocks_make_a_whole_grid_unsound(here, copies):
    narrowing = Narrowing(sample=5)
    run = sweep.sweep_folders(here, *copies, narrowing, jobs=1).run
    whole = engine.Run(replace(run.plan, narrowing=Narrowing()), run.tally)
    assert any("distinct blocks came out, not 1,000" in reason for reason in whole.unsound())


def test_json_holds_what_a_machine_needs(here, copies):
    plant(copies[1], "knobs.tail_chars == 80")
    found = json.loads(json.dumps(sweep.sweep_folders(here, *copies, SMALL, jobs=1).as_json()))
    assert (found["format"], found["exit"], found["unsound"]) == (1, 1, [])
    assert found["cells"]["planned"] == found["cells"]["run"]
    (group,) = found["groups"]
    assert group["env"] == {"MEMVARA_TAIL_CHARS": "80"}
    assert group["differing"] + group["with_more_knobs"] == found["cells"]["differing"]


# Real clones, each with one change in its working tree.

FIT = "    kept = _fit(selected, knobs, words, count or counter())\n"
WHOLE = FIT.replace("knobs", "knobs._replace(tail_chars=0)")
CUT = FIT.replace("selected", "selected[: len(kept)]").replace(
    "knobs", "knobs._replace(token_budget=None)"
)
MUTATIONS = {
    "cut and budget swapped": (
        CONTEXT,
        (FIT, WHOLE + CUT),
    ),
    "role and cut swapped": (
        CONTEXT,
        (FIT, FIT.replace("count or", "[index for index, _ in turns], count or")),
        ("words: Wording, count: Count)", "words: Wording, ranks: list[int], count: Count)"),
        ("rank >= knobs", "ranks.index(index) >= knobs"),
        ("for rank, (_, turn) in enumerate(turns)", "for index, turn in turns"),
    ),
    "characters instead of UTF-16 units": (
        LINES,
        ("cut(self.content, length)", "self.content[:length]"),
    ),
    "the question dropped from the renderer": (
        CONTEXT,
        ("    words = words or", "    question = None\n    words = words or"),
        ("    if knobs.context_file", "    question = None\n    if knobs.context_file"),
    ),
    "the heading chosen before the budget": (
        CONTEXT,
        (
            "    if knobs.token_budget is None:\n        return list(lines)\n",
            "    lines = list(lines)\n"
            "    lines = [Line(line.text, any(each.is_cut for each in lines)) for line in lines]\n"
            "    if knobs.token_budget is None:\n        return lines\n",
        ),
    ),
    "> to >= in the budget": (
        "budget.py",
        ("position, count) > room", "position, count) >= room"),
        ("octets > room", "octets >= room"),
    ),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_change_is_found_with_at_most_three_knobs_named(quick, inside, mutation):
    file, *pairs = MUTATIONS[mutation]
    edit(quick / "reference" / file, *pairs)
    done = inside(quick, "sweep", "--sample", "400", "--commit", "HEAD", "--jobs", "1")
    screen = done.stdout.decode()
    assert done.returncode == Exit.MISMATCH, screen
    assert 1 <= len(set(re.findall(r"MEMVARA_[A-Z_]+", screen))) <= 3
    assert len(screen.splitlines()) <= 24
    assert done.stderr == b""


def test_the_line_to_paste_shows_what_was_found(quick, inside):
    edit(quick / "reference" / LINES, ("cut(self.content, length)", "self.content[:length]"))
    narrowed = ("--cases", "hostile", "--knobs", "MEMVARA_TAIL_CHARS", "--commit", "HEAD")
    done = inside(quick, "sweep", *narrowed, "--json")
    (group,) = json.loads(done.stdout)["groups"]
    assert group["command"].startswith("MEMVARA_TAIL_CHARS=1 goldens render - <<< ")
    command = group["command"].replace("goldens", f"{sys.executable} -m tools", 1)
    env = {**os.environ, "PYTHONPATH": str(quick)}
    pasted = subprocess.run(["bash", "-c", command], cwd=quick, env=env, capture_output=True)
    shown = group["found"].strip("…").strip("'").encode().decode("unicode_escape")
    assert shown.encode() in pasted.stdout, (shown, pasted)


def test_a_clean_tree_agrees_with_its_pin_and_says_that_the_content_is_equal(committed, goldens):
    done = goldens(committed, "sweep", "--sample", "50", "--commit", "HEAD")
    assert done.returncode == Exit.OK
    assert b"of equal content" in done.stdout
    assert b"narrowed to a sample of 50, seed 0" in done.stdout
    assert done.stderr == b""


def test_ctrl_c_says_what_was_covered(quick, goldens):
    edit(
        quick / "reference" / CONTEXT,
        (
            "    words = words or",
            "    if knobs.tail_chars == 2500:\n"
            "        import os, signal, time\n"
            "        os.kill(os.getppid(), signal.SIGINT)\n"
            "        time.sleep(60)\n"
            "    words = words or",
        ),
    )
    done = goldens(quick, "sweep", "--sample", "300", "--commit", "HEAD", "--jobs", "2")
    assert done.returncode == Exit.INTERRUPTED
    assert re.search(rb"\d+ of 300 planned combinations", done.stdout)
    assert b"interrupted" in done.stdout


def test_a_terminal_gets_a_bar_with_rate_and_time_left(committed_quick):
    leader, follower = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(committed_quick), "TERM": "xterm", "COLUMNS": "100"}
    command = [sys.executable, "-m", "tools", "sweep", "--arms", "--commit", "HEAD"]
    with os.fdopen(leader, "rb", buffering=0) as screen:
        pipes = {"stdout": subprocess.PIPE, "stderr": follower}
        done = subprocess.run(command, cwd=committed_quick, env=env, **pipes)
        os.close(follower)
        shown = b""
        with contextlib.suppress(OSError):  # how a terminal says that it is closed
            while data := screen.read(4_096):
                shown += data
    assert done.returncode == Exit.OK
    assert re.search(rb"[1-9]\d* of \d+ cells, [\d,]+/s", shown)
    assert re.search(rb"\d:\d\d:\d\d", shown)
    assert b"no difference" in done.stdout


def test_a_pin_that_is_not_here_is_one_line_and_exit_3(clone, inside):
    manifest = clone / "goldens" / "outcomes" / "manifest.json"
    edit(manifest, (json.loads(manifest.read_text())["tree"], "0" * 40))
    done = inside(clone, "sweep")
    assert done.returncode == Exit.NO_PIN
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--knobs", "MEMVARA_K"], b"no knob 'MEMVARA_K': one of MEMVARA_SEARCH_K"),
        (["--cases", "forty"], b"no case 'forty': one of"),
        (["--shard", "0/3"], b"'0/3' is not K/N"),
        (["--commit", "nowhere"], b"no commit 'nowhere' here"),
        (["--command", "x", "--commit", "HEAD"], b"give --command or --commit, not both"),
        (["--command", " "], b"--command names no program"),
        (["--wording", "none.toml"], b"none.toml: No such file"),
        (["--known", "none.toml"], b"none.toml"),
    ],
)
def test_bad_input_is_one_clear_line(committed, inside, arguments, said):
    done = inside(committed, "sweep", *arguments)
    assert done.returncode == Exit.USAGE
    assert said in done.stderr
    assert b"Traceback" not in done.stderr


# Other programs.

ADAPTERS = Path(__file__).parents[1] / "adapters"


def against(folder, goldens, program, *options):
    command = f"{sys.executable} {program}"
    return goldens(folder, "sweep", "--command", command, *options)


def test_our_own_program_agrees(committed, goldens):
    done = against(committed, goldens, "-m reference", "--sample", "30")
    assert done.returncode == Exit.OK, done.stdout
    assert b"no difference" in done.stdout


def test_wrong_bytes_of_a_program_are_a_difference(committed_quick, goldens):
    options = ("--sample", "20", "--jobs", "1", "--json")
    done = against(committed_quick, goldens, ADAPTERS / "wrong_bytes.py", *options)
    assert done.returncode == Exit.MISMATCH
    (group,) = json.loads(done.stdout)["groups"]
    assert (group["op"], group["knobs"]) == ("prompt", [])
    assert (
        group["found"]
        .strip("…")
        .strip("'")
        .removesuffix(" ")
        .endswith(group["expected"].strip("…").strip("'"))
    )


@pytest.mark.parametrize(
    ("breach", "said"),
    [
        ("crash", b"ended with exit code 1 instead of answering (stderr: out of ideas)"),
        ("garbled", b"wrote a line that is not JSON: 'Listening on port 8080'"),
        ("extra", b"wrote more than one line for a request"),
        ("wrong_id", b"answered with id "),
        ("silence", b"silent for 1 s"),
    ],
)
def test_a_broken_program_ends_the_sweep_with_exit_6(committed_quick, goldens, breach, said):
    program = f"{ADAPTERS / 'broken.py'} {breach}"
    timeout = "1" if breach == "silence" else "60"
    done = against(committed_quick, goldens, program, "--sample", "20", "--timeout", timeout)
    assert done.returncode == Exit.CRASHED
    assert len(done.stderr.splitlines()) == 1
    assert said in done.stderr


def test_another_wording_is_compared_with_the_same_words(quick, goldens):
    words = quick / "other.toml"
    shutil.copy(quick / "reference" / "wording.toml", words)
    edit(words, ("[cut]", "[...]"))
    narrowed = ("--cases", "user_only", "--knobs", "MEMVARA_TAIL_CHARS", "--jobs", "1")
    options = (*narrowed, "--wording", str(words))
    ours = against(quick, goldens, "-m reference", *options)
    assert ours.returncode == Exit.MISMATCH
    shutil.copy(words, quick / "reference" / "wording.toml")
    assert against(quick, goldens, "-m reference", *options).returncode == Exit.OK
