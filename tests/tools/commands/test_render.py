"""`goldens render` as a researcher uses it: real shapes in, exact bytes out."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SHARED = ROOT.parent / "shared" / "data"

TURNS = [
    {"kind": "turn", "role": "user", "content": "I moved to Porto.", "ts": "2026-03-01T10:00:00Z"},
    {"kind": "turn", "role": "assistant", "content": "Olá! 🎉", "ts": "2026-03-01T10:01:00Z"},
]
HITS = {
    "count": 2,
    "results": [
        {"kind": "episode", "score": 0.5, "episode": {"id": "e1"} | TURNS[0]},
        {"kind": "episode", "score": 0.4, "episode": {"id": "e2"} | TURNS[1]},
    ],
}
BLOCK = (
    "What was said in earlier conversations, word for word, best match first:\n"
    "- [2026-03-01 10:00] user: I moved to Porto.\n"
    "- [2026-03-01 10:01] assistant: Olá! 🎉"
).encode()


@pytest.fixture
def render(inside, tmp_path):
    """Runs `goldens render` on a value, through a file."""

    def run(value, *arguments, **options):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        (tmp_path / "results.json").write_bytes(data)
        path = str(tmp_path / "results.json")
        return inside(tmp_path, "render", path, *arguments, **options)

    return run


def lines(done):
    return done.stderr.decode().splitlines()


@pytest.mark.parametrize(
    "value", [TURNS, {"items": TURNS}, HITS, {"question": "Where?", "results": TURNS}]
)
def test_items_a_case_a_response_and_a_result_file_render_the_same_bytes(value, render):
    done = render(value)
    assert (done.returncode, done.stdout, done.stderr) == (0, BLOCK, b"")


def test_a_dash_reads_stdin(goldens):
    done = goldens(ROOT, "render", "-", input=json.dumps(TURNS).encode())
    assert (done.returncode, done.stdout) == (0, BLOCK)


def test_the_bytes_do_not_depend_on_the_locale(goldens):
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    options = {"input": json.dumps(TURNS).encode(), "env": env}
    assert goldens(ROOT, "render", "-", **options).stdout == BLOCK
    prompt = goldens(ROOT, "render", "-", "--prompt", "--question", "Où ça ?", **options).stdout
    assert "\nOù ça ?\n".encode() in prompt


def test_prompt_prints_question_date_and_context(render):
    text = render(TURNS, "--prompt", "--question", "Where?", "--question-date", "today").stdout
    assert b"\nWhere?\n" in text
    assert b"\ntoday\n" in text
    assert BLOCK in text


def test_the_question_of_a_result_file_is_used_unless_one_is_given(render):
    value = {"question": "From the file?", "results": TURNS}
    assert b"From the file?" in render(value, "--prompt").stdout
    given = render(value, "--prompt", "--question", "From the shell?").stdout
    assert b"From the shell?" in given
    assert b"From the file?" not in given


def test_the_environment_is_obeyed_without_an_arm(render):
    done = render(TURNS, env={"MEMVARA_ROLE_SELECT": "user"})
    assert b"assistant" not in done.stdout


def test_an_arm_ignores_the_environment(render):
    done = render(TURNS, "--arm", "default", env={"MEMVARA_ROLE_SELECT": "nonsense"})
    assert (done.returncode, done.stdout) == (0, BLOCK)


def test_an_arm_finds_its_context_file_from_any_folder(render):
    question = "How much rent do I pay each month, and since when?"
    done = render(TURNS, "--arm", "context_file", "--question", question)
    assert done.returncode == 0
    assert done.stdout != BLOCK


def test_tokens_are_those_of_stdout_and_go_to_stderr(render, count):
    done = render(TURNS, "--tokens")
    assert lines(done) == [f"{count(done.stdout.decode())} tokens"]
    prompt = render(TURNS, "--tokens", "--prompt")
    assert lines(prompt) == [f"{count(prompt.stdout.decode())} tokens"]


def test_json_holds_text_warnings_tokens_and_settings(render):
    value = json.loads(render(TURNS, "--json", env={"MEMVARA_SEARCH_K": "7"}).stdout)
    assert value["text"].encode() == BLOCK
    assert value["warnings"] == []
    assert value["tokens"] > 0
    assert value["settings"]["search_k"] == 7


def test_a_warning_goes_to_stderr(render):
    done = render(TURNS[1:], env={"MEMVARA_ROLE_SELECT": "user"})
    assert done.returncode == 0
    (line,) = lines(done)
    assert line.startswith("goldens: warning: MEMVARA_ROLE_SELECT=user keeps user turns")


def test_other_words_come_from_a_wording_file(render, tmp_path):
    words = (ROOT / "reference" / "wording.toml").read_text()
    (tmp_path / "words.toml").write_text(words.replace("What was said", "Dit is gezegd"))
    done = render(TURNS, "--wording", str(tmp_path / "words.toml"))
    assert done.stdout.startswith(b"Dit is gezegd in earlier")


BLANKS = [{"kind": "turn", "role": "user", "content": " " * 1_000_000, "ts": "x"}]


@pytest.mark.parametrize(
    ("value", "arguments", "env", "said"),
    [
        (b"{", [], {}, "not JSON"),
        (b"\xff", [], {}, "not UTF-8 at byte 0"),
        (b'[{"kind": NaN}]', [], {}, "not JSON: NaN"),
        (b"[" * 100_000, [], {}, "not JSON"),
        (5, [], {}, "expected a list of items"),
        ([{"role": "user", "content": "hi"}], [], {}, "none of its 1 elements is a memory"),
        ({"results": TURNS}, [], {}, "none of its hits is a claim or an episode"),
        ({"results": 5}, [], {}, "results: expected a list, found a number"),
        ([{"kind": "turn", "role": "u", "ts": ""}], [], {}, "items[0].content: expected a string"),
        (TURNS, ["--arm", "nowhere"], {}, "no arm 'nowhere': one of default, "),
        (TURNS, ["--wording", "nowhere.toml"], {}, "nowhere.toml: No such file"),
        (TURNS, [], {"MEMVARA_TOKEN_BUDGET": "80O"}, "MEMVARA_TOKEN_BUDGET='80O'"),
        (TURNS, [], {"MEMVARA_TOKEN_BUDGE": "1"}, "did you mean MEMVARA_TOKEN_BUDGET?"),
        (TURNS, [], {"MEMVARA_CONTEXT_FILE": "nowhere"}, "can't be read"),
        (TURNS + BLANKS, [], {"MEMVARA_TOKEN_BUDGET": "9"}, "items[2]"),
        (BLANKS + TURNS, [], {"MEMVARA_TOKEN_BUDGET": "99999999"}, "items[0]"),
        (BLANKS, ["--tokens"], {}, "can't"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(value, arguments, env, said, render):
    done = render(value, *arguments, env=env)
    assert done.returncode == 2
    assert done.stdout == b""
    (line,) = lines(done)
    assert said in line


def test_a_context_file_with_a_row_of_64_mib_works(render, tmp_path):
    block = "x" * (64 << 20)
    with (tmp_path / "big.jsonl").open("w") as file:
        json.dump({"question": "", "block": block}, file)
    done = render(TURNS, env={"MEMVARA_CONTEXT_FILE": "big.jsonl"})
    assert done.returncode == 0
    assert done.stdout == block.encode()


@pytest.mark.skipif(not SHARED.is_dir(), reason="the recorded searches are not here")
def test_a_recorded_search_renders_under_the_routed_arm(inside):
    results = str(SHARED / "recorded_search_k200.json")
    question = "What degree did I graduate with?"
    done = inside(ROOT, "render", results, "--question", question, "--arm", "routed720", "--tokens")
    assert int(lines(done)[0].split()[0]) <= 720
    _heading, *turns = done.stdout.decode().split("\n- [")
    assert turns
    assert all(turn.split("] ", 1)[1].startswith("user: ") for turn in turns)
    assert any("I graduated with a degree in Business Administration" in turn for turn in turns)
    everything = inside(ROOT, "render", results, "--arm", "default").stdout
    assert everything.count(b"\n- [20") + everything.count(b"\n- [true since 20") == 200
