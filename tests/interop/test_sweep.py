"""`goldens sweep` against the provider in TypeScript: equal everywhere, and a change is found."""

import json
import shlex
import subprocess

import pytest

PROMPTS = "src/providers/memvara/prompts.ts"
TOKENS = "src/utils/tokens.ts"


def test_every_arm_is_equal(sweep, runtime, checkout):
    result = sweep(runtime, checkout / "adapter.ts", "--arms")
    assert result.returncode == 0, result.stdout + result.stderr


def test_settings_that_must_be_refused_are_refused(sweep, runtime, checkout):
    result = sweep(runtime, checkout / "adapter.ts", "--full", "--sample", "500", "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    assert json.loads(result.stdout)["refusals"]["run"] > 100


@pytest.mark.parametrize("runtime", ["node"], indirect=True)
def test_every_combination_of_the_default_grid_is_equal(sweep, runtime, checkout):
    result = sweep(runtime, checkout / "adapter.ts", "--json")
    assert result.returncode == 0, result.stdout + result.stderr
    found = json.loads(result.stdout)
    assert found["narrowed"] == ""
    assert found["cells"]["run"] == found["cells"]["planned"] > 300_000
    assert found["cells"]["differing"] == 0


@pytest.mark.parametrize("runtime", ["bun"], indirect=True)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("closest match on top, unabridged:", "best match on top, unabridged:"),
        ("recommended|", ""),
        ("countO200k(line.text) > budget", "countO200k(line.text) >= budget"),
        ("return text.slice(0, units)", "return [...text].slice(0, units).join('')"),
        ("if (kept.length === 0 && turns.length > 0) {", "if (false) {"),
    ],
    ids=["heading", "phrasing", "budget", "code_points", "warning"],
)
def test_a_change_is_found_and_reduced_to_a_line_to_paste(sweep, runtime, changed, old, new):
    folder = changed(PROMPTS, old, new)
    result = sweep(runtime, folder / "adapter.ts", "--sample", "1000", "--json")
    assert result.returncode == 1, result.stdout + result.stderr
    line = json.loads(result.stdout)["groups"][0]["command"]
    assert line.startswith(f"{shlex.quote(runtime)} {shlex.quote(str(folder / 'adapter.ts'))} <<< ")
    done = subprocess.run(["bash", "-c", line], capture_output=True, check=True)
    assert "ok" in json.loads(done.stdout)


@pytest.mark.parametrize("runtime", ["bun"], indirect=True)
def test_the_tokenizer_as_it_ships_differs_in_one_known_place(sweep, runtime, changed, tmp_path):
    folder = changed(TOKENS, "{ ...o200k, pat_str: PATTERN }", "o200k")
    known = tmp_path / "known.toml"
    known.write_text(
        "[[known]]\n"
        'reason = "js-tiktoken takes U+FEFF for a blank and U+0085 for none"\n'
        'case = "hostile"\n'
        'env = { MEMVARA_TOKEN_BUDGET = "237" }\n'
    )
    grid = ("--knobs", "MEMVARA_TOKEN_BUDGET,MEMVARA_TURNS_ONLY")
    assert sweep(runtime, folder / "adapter.ts", *grid).returncode == 1
    result = sweep(runtime, folder / "adapter.ts", *grid, "--known", str(known))
    assert result.returncode == 0, result.stdout + result.stderr
