"""`goldens learn` on the provider in TypeScript: its words, in seconds."""

import subprocess
import sys
from pathlib import Path

from reference import wording

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def test_the_words_of_a_provider_in_typescript_are_learned(runtime, checkout, tmp_path):
    program = f"'{runtime}' '{checkout / 'adapter.ts'}'"
    target = tmp_path / "learned.toml"
    command = [sys.executable, "-m", "tools", "learn", "--command", program, "-o", str(target)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    assert wording.load(target) == wording.load(HERE / "wording.toml")
    assert "no difference in" in result.stdout
