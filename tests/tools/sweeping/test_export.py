"""The export: what another program is asked, and that the answers are the pinned ones."""

import json
import os
import shutil
import subprocess
import sys
from itertools import zip_longest

import pytest

from tools.exits import Exit
from tools.goldens import manifest
from tools.goldens.outcomes import as_text
from tools.project import layout as project


@pytest.fixture(scope="module")
def made(committed, goldens, tmp_path_factory):
    """An export of the goldens and forty combinations."""
    folder = tmp_path_factory.mktemp("export") / "made"
    done = goldens(committed, "export", str(folder), "--sample", "40")
    assert done.returncode == Exit.OK, done.stderr
    return folder


@pytest.fixture(scope="module")
def lines(made):
    """Pairs of a request and its answer."""
    files = [(made / name).read_text().splitlines() for name in ("requests.jsonl", "answers.jsonl")]
    return [tuple(map(json.loads, pair)) for pair in zip_longest(*files)]


def test_requests_and_answers_have_the_same_ids_in_order(lines):
    assert [request["id"] for request, _ in lines] == list(range(1, len(lines) + 1))
    assert [answer["id"] for _, answer in lines] == [request["id"] for request, _ in lines]


def test_the_cases_come_first(lines, committed):
    cases = project.load(committed).cases
    first = lines[: len(cases)]
    assert {request["name"]: request["items"] for request, _ in first} == cases
    assert all(answer["ok"] is None for _, answer in first)


def test_every_golden_of_a_render_a_prompt_and_the_settings_is_in_it(lines, committed):
    here = project.load(committed)
    answers = {}
    for request, answer in lines:
        if request["op"] in ("render", "prompt", "settings") and "ok" in answer:
            text = as_text(request["op"], answer["ok"])
            answers.setdefault(request["op"], set()).add(text.encode())
    stored = manifest.stored(here, manifest.read(here))
    for op in ("render", "prompt", "settings"):
        wanted = {
            each.data for stem, each in stored.items() if stem.startswith(op) and not each.refused
        }
        assert wanted <= answers[op]


def test_a_refusal_is_an_answer(lines):
    refused = [answer for request, answer in lines if request.get("items") == "refused"]
    assert refused
    assert all(set(answer) == {"id", "refused"} for answer in refused)


def test_the_grid_is_asked_for_prompts_settings_and_requests(lines):
    routed = max(index for index, (request, _) in enumerate(lines) if request["op"] == "render")
    ops = [request["op"] for request, _ in lines[routed + 1 :]]
    assert ops.count("settings") == 40
    assert ops.count("request") == 40
    assert ops.count("prompt") > 240


def test_a_program_that_runs_in_the_folder_gives_these_answers(made, committed):
    program = [sys.executable, "-m", "reference"]
    env = {**os.environ, "PYTHONPATH": str(committed)}
    with (made / "requests.jsonl").open("rb") as asked:
        done = subprocess.run(program, stdin=asked, cwd=made, env=env, capture_output=True)
    assert done.stdout == (made / "answers.jsonl").read_bytes()


def test_a_reference_that_is_the_pinned_tree_needs_no_git(slim, inside, tmp_path):
    shutil.rmtree(slim / ".git")
    done = inside(slim, "export", str(tmp_path / "made"), "--arms")
    assert done.returncode == Exit.OK, done.stderr
    with (slim / "reference" / "text.py").open("a") as file:
        file.write("\n")
    done = inside(slim, "export", str(tmp_path / "another"), "--arms")
    assert done.returncode == Exit.NO_PIN
    assert b"is not here: " in done.stderr


def test_no_path_of_this_machine_is_in_it(made, committed):
    for file in made.rglob("*"):
        assert file.is_dir() or str(committed).encode() not in file.read_bytes()


def test_a_folder_that_exists_is_never_touched(made, committed, inside):
    before = (made / "answers.jsonl").read_bytes()
    done = inside(committed, "export", str(made), "--sample", "1")
    assert done.returncode == Exit.USAGE
    assert b"exists: name a folder that does not" in done.stderr
    assert (made / "answers.jsonl").read_bytes() == before


def test_nothing_is_left_when_it_fails(clone, inside, tmp_path):
    folder = tmp_path / "out" / "made"
    stored = clone / "goldens" / "outcomes" / "manifest.json"
    stored.write_text(stored.read_text().replace(json.loads(stored.read_text())["tree"], "0" * 40))
    done = inside(clone, "export", str(folder), "--sample", "1")
    assert done.returncode == Exit.NO_PIN
    assert not folder.exists()
    done = inside(clone, "export", str(folder), "--cases", "none")
    assert done.returncode == Exit.USAGE
