"""The refactor that the README rehearses, run as it is printed."""

import os
import re
import subprocess
import sys
from pathlib import Path

# `goldens` as a person has it, but for the sweep inside `goldens check`: a sample of the grid.
GOLDENS = """
import sys

from tools.commands import check
from tools.goldens.pins import against_pin
from tools.sweeping.plan import Narrowing
from tools.sweeping.sweep import sweep


def sampled(project, stored, jobs, sample, cached):
    with against_pin(project, stored) as match:
        return sweep(project, Narrowing(sample=50), match, jobs=jobs)


check.default_sweep = sampled
from tools.cli import main

main()
"""


def printed(readme: Path) -> list[str]:
    """The shell blocks of the section, in order."""
    section = readme.read_text().split("## A refactor, rehearsed\n")[1].split("\n## ")[0]
    return re.findall(r"```sh\n(.*?)```", section, re.DOTALL)


def expected(line: str) -> int:
    """The exit code that a printed line announces."""
    found = re.search(r"# exit (\d+)$", line)
    return int(found[1]) if found else 0


def test_the_rehearsal_in_the_readme_is_true(quick, git, goldens, tmp_path):
    assert goldens(quick, "regen").returncode == 0
    git(quick, "commit", "-q", "-a", "-m", "goldens of this way to count")
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "goldens"
    program.write_text(f"#!{sys.executable}\n{GOLDENS}")
    program.chmod(0o755)
    git(quick, "config", "user.name", "test")
    git(quick, "config", "user.email", "test@example.invalid")
    env = {
        **os.environ,
        "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(quick),
    }
    before = git(quick, "rev-parse", "HEAD").strip()
    blocks = printed(quick / "README.md")
    assert len(blocks) == 3
    for block in blocks:
        for step in re.split(r"(?<=# exit \d)\n", block):
            last = step.splitlines()[-1] if step.strip() else ""
            done = subprocess.run(
                ["bash", "-e", "-c", step], cwd=quick, env=env, capture_output=True, text=True
            )
            assert done.returncode == expected(last), (step, done.stdout, done.stderr)
    changed = git(quick, "diff", "--name-only", before, "HEAD").split()
    assert "reference/wording.toml" in changed
    assert "goldens/outcomes/prompt/default/thirty--plain.txt" in changed
    assert git(quick, "log", "--oneline", f"{before}..HEAD").count("\n") == 1
