"""`goldens arms`: table, prompts and figures, of the shipped data set and of others."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from reference import items, models
from reference.context import render_context
from reference.knobs import Knobs
from reference.provider import initialize
from reference.retries import LIMITS
from reference.routing import asks_assistant
from reference.text import collapse, units
from tools.engine import Memory, application, library, open_memory
from tools.exits import Exit, Stop
from tools.measuring import notes, plan, question
from tools.project.layout import load
from tools.project.longmemeval import Question, questions
from tools.project.results import parse_results

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "goldens" / "cases" / "longmemeval_synthetic.json"
REAL = ROOT.parent / "shared" / "data"
ARMS = ("default", "routed720", "useronly720", "ranked")
CONTEXT = {"routed720": "k200", "useronly720": "k200", "default": "k30", "ranked": "k30_ranked"}
Goldens = Callable[..., subprocess.CompletedProcess[bytes]]


class Measured(NamedTuple):
    """The shipped data set, measured."""

    folder: Path
    table: str
    json: dict[str, Any]

    def checkpoint(self) -> dict[str, Any]:
        return json.loads((self.folder / "run" / "checkpoint.json").read_bytes())

    def figures(self, name: str, arm: str) -> dict[str, Any]:
        return self.checkpoint()["questions"][name]["phases"]["answer"]["arms"][arm]

    def prompt(self, name: str, arm: str) -> str:
        return (self.folder / "prompts" / arm / f"{name}.txt").read_bytes().decode()

    def results(self, name: str, retrieval: str) -> Path:
        return self.folder / "run" / "results" / retrieval / f"{name}.json"

    def row(self, arm: str, type: str | None = None) -> dict[str, Any]:
        rows = self.json["rows"]
        return next(row for row in rows if (row["arm"], row["questionType"]) == (arm, type))


@pytest.fixture(scope="module")
def asked() -> list[Question]:
    return list(questions(SHIPPED))


@pytest.fixture(scope="module")
def measured(goldens: Goldens, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """One run of four arms with everything written; its figures are asked for a second time."""
    folder = tmp_path_factory.mktemp("arms")
    run = ("arms", str(SHIPPED), "--arms", ",".join(ARMS), "--run", f"{folder}/run")
    first = goldens(ROOT, *run, "--prompts", f"{folder}/prompts", "--plot", f"{folder}/figure.svg")
    assert (first.returncode, first.stderr) == (0, b"")
    assert (folder / "figure.svg").is_file()
    second = goldens(ROOT, *run, "--json")
    assert (second.returncode, second.stderr) == (0, b"")
    return Measured(folder, first.stdout.decode(), json.loads(second.stdout))


def refused(inside: Goldens, *arguments: Any, code: Exit = Exit.USAGE, **options: Any) -> str:
    """The one line that the command prints when it refuses."""
    done = inside(ROOT, "arms", *map(str, arguments), **options)
    assert (done.returncode, done.stdout) == (code, b"")
    said = done.stderr.decode()
    assert said.startswith("goldens: ")
    assert said.count("\n") == 1
    return said.removeprefix("goldens: ").rstrip("\n")


def item(name: str, *turns: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A question over one session."""
    return {
        "question_id": name,
        "question_type": "multi-session",
        "question": "How many hives do I keep?",
        "question_date": "2024/05/02 (Thu) 08:15",
        "answer": 3,
        "haystack_dates": ["2024/05/01 (Wed) 07:00"],
        "haystack_session_ids": ["s1"],
        "haystack_sessions": [list(turns) or [turn("user", "I keep three hives.", True)]],
    } | fields


def turn(role: str, content: str, labelled: bool | None = None) -> dict[str, Any]:
    return {"role": role, "content": content, "has_answer": labelled}


def dataset(folder: Path, *every: dict[str, Any]) -> Path:
    path = folder / "data.json"
    path.write_text(json.dumps(every))
    return path


def without_recorded_at(value: Any) -> Any:
    if isinstance(value, list):
        return [without_recorded_at(each) for each in value]
    if isinstance(value, dict):
        return {k: without_recorded_at(v) for k, v in value.items() if k != "recorded_at"}
    return value


# The table


def test_the_table_has_each_arm_on_all_questions_and_on_each_type(
    measured: Measured, asked: list[Question]
) -> None:
    sections = re.split(r"\n +\n", measured.table)
    types = sorted({each.type for each in asked})
    assert [section.splitlines()[-5].strip() for section in sections[1:-1]] == types
    for section in sections[1:-1]:
        assert [line.split()[0] for line in section.splitlines()[-4:]] == list(ARMS)
    assert "all questions" in sections[0]
    assert "context tokens for gpt-4o" in measured.table


def test_the_table_and_the_json_say_the_same(measured: Measured) -> None:
    row = measured.row("routed720")
    printed = next(line for line in measured.table.splitlines() if "routed720" in line).split()
    tokens = row["contextTokens"]
    assert printed[1:5] == ["12", *(f"{tokens[name]:,.0f}" for name in ("median", "mean", "p90"))]
    assert printed[5] == f"{row['labelledTurnsKept'] / row['labelledTurns']:.3f}"


def test_a_turn_counts_as_kept_when_the_prompt_holds_its_text(
    measured: Measured, asked: list[Question]
) -> None:
    for each in asked:
        labelled = [turn for session in each.sessions for turn in session.turns if turn.labelled]
        for arm in ARMS:
            prompt = collapse(measured.prompt(each.question_id, arm))
            kept = measured.figures(each.question_id, arm)["labelledTurnsKept"]
            assert kept == [collapse(turn.content) in prompt for turn in labelled]
    assert measured.row("default")["labelledTurns"] == 19


def test_shares_of_questions_leave_out_those_without_labelled_turns(measured: Measured) -> None:
    for arm in ARMS:
        row = measured.row(arm)
        kept = [
            figures["labelledTurnsKept"]
            for name in measured.checkpoint()["questions"]
            if (figures := measured.figures(name, arm))["labelledTurnsKept"]
        ]
        assert row["questions"] == 12
        assert row["questionsWithLabelledTurns"] == len(kept) == 11
        assert row["questionsThatKeptAll"] == sum(map(all, kept))
        assert row["questionsThatKeptNone"] == sum(not any(each) for each in kept)


def test_tokens_are_those_of_the_prompts_written(
    measured: Measured, asked: list[Question], count: Callable[[str], int]
) -> None:
    for each in asked:
        for arm in ARMS:
            figures = measured.figures(each.question_id, arm)
            assert figures["promptTokens"] == count(measured.prompt(each.question_id, arm))
            difference = figures["promptTokens"] - figures["basePromptTokens"]
            assert figures["contextTokens"] == difference


# The arms on record


@pytest.mark.parametrize("arm", ["routed720", "useronly720"])
def test_the_turns_block_stays_within_720_tokens_on_every_question(
    measured: Measured, asked: list[Question], arm: str, count: Callable[[str], int]
) -> None:
    knobs = Knobs.from_env(load(ROOT).arms[arm].env)
    for each in asked:
        path = measured.results(each.question_id, "k200")
        read = parse_results(path.read_text(), str(path))
        block = render_context(read.items, read.question, knobs, count=count).text
        assert block in measured.prompt(each.question_id, arm)
        assert 300 < count(block) <= 720


def test_routed_and_user_only_differ_where_routing_fires_and_nowhere_else(
    measured: Measured, asked: list[Question]
) -> None:
    routed = {
        each.question_id
        for each in asked
        if measured.prompt(each.question_id, "routed720")
        != measured.prompt(each.question_id, "useronly720")
    }
    assert routed == {each.question_id for each in asked if asks_assistant(each.question)}
    assert len(routed) == 3


# The run


def test_the_checkpoint_has_phases_settings_and_every_resolved_knob(measured: Measured) -> None:
    checkpoint = measured.checkpoint()
    assert checkpoint["answeringModel"] == "gpt-4o"
    assert checkpoint["contextTokensEstimated"] is False
    assert list(checkpoint["arms"]) == list(ARMS)
    for name, arm in checkpoint["arms"].items():
        assert arm["retrieval"] == CONTEXT[name]
        assert Knobs(**arm["knobs"]) == Knobs.from_env(load(ROOT).arms[name].env)
    for name, entry in checkpoint["questions"].items():
        assert entry["questionId"] == name
        states = {phase: value["status"] for phase, value in entry["phases"].items()}
        assert states == {
            "ingest": "completed",
            "indexing": "completed",
            "search": "completed",
            "answer": "pending",
        }


def test_a_result_file_renders_as_its_arm_did(inside: Goldens, measured: Measured) -> None:
    name = "synthetic_assistant_1"
    path = str(measured.results(name, "k200"))
    done = inside(ROOT, "render", path, "--arm", "routed720")
    assert done.stdout.decode() in measured.prompt(name, "routed720")
    assert done.stdout.count(b"\n- [") > 3


def test_absent_and_null_stay_apart_in_the_result_files(measured: Measured) -> None:
    plain, ranked = (
        json.loads(measured.results("synthetic_user_1", name).read_bytes())["results"]
        for name in ("k30", "k30_ranked")
    )
    turns = [each for each in plain if each["kind"] == "turn"]
    assert turns
    assert not any("selected" in each or "span" in each for each in turns)
    turns = [each for each in ranked if each["kind"] == "turn"]
    assert turns
    assert all(each["selected"] is None and each["span"] is None for each in turns)
    assert [each["outcome"] for each in ranked if each["kind"] == "selection"] == ["unconfigured"]
    for results in (plain, ranked):
        assert [items.to_json(each) for each in items.from_json(results)] == results


def test_each_k_is_searched_once_and_none_is_sliced_from_another(
    tmp_path: Path, asked: list[Question]
) -> None:
    bodies = []
    project = load(ROOT)
    arms = [plan.Arm(name, Knobs.from_env(project.arms[name].env)) for name in (*ARMS, "v2")]
    with open_memory(tmp_path / "memory.db") as memory:
        app = application(memory, "local")

        def heard(environ: Any, start_response: Any) -> Any:
            if environ["PATH_INFO"] == "/v1/search":
                body = environ["wsgi.input"].read()
                bodies.append(json.loads(body))
                environ["wsgi.input"] = BytesIO(body)
            return app(environ, start_response)

        provider = initialize(
            {"MEMVARA_API_KEY": "local"}, transport=httpx.WSGITransport(app=heard)
        )
        with closing(provider.client):
            found = question.retrieve(asked[0], arms, provider)
    assert [(body["k"], body.get("ranked")) for body in bodies] == [
        (30, None),
        (200, None),
        (30, True),
    ]
    assert len(found["k30"]) == 30
    assert sum(isinstance(each, items.Turn) for each in found["k200"]) == 106
    assert len(found["k30_ranked"]) == 31  # and what the selector says of itself


# Scoring it


def test_a_run_without_a_selector_s_verdict_has_nothing_to_score(
    inside: Goldens, measured: Measured
) -> None:
    run = measured.folder / "run"
    done = inside(ROOT, "score", str(run), str(SHIPPED))
    assert (done.returncode, done.stdout) == (Exit.USAGE, b"")
    assert done.stderr.decode() == (
        f"goldens: {run}: nothing to score: no turn of this run is selected true or false\n"
    )


def test_a_ranked_run_is_scored_from_its_result_files(
    inside: Goldens, measured: Measured, tmp_path: Path
) -> None:
    folder = tmp_path / "results" / "k30_ranked"
    folder.mkdir(parents=True)
    (tmp_path / "checkpoint.json").write_text(json.dumps(measured.checkpoint()))
    gold = other = 0
    for path in measured.results("synthetic_user_1", "k30_ranked").parent.iterdir():
        value = json.loads(path.read_bytes())
        labelled = {collapse(each["content"]) for each in value["labelledTurns"]}
        for each in value["results"]:
            if each["kind"] == "turn":
                is_gold = collapse(each["content"]) in labelled
                each["selected"] = is_gold or len(each["content"]) % 2 == 0
                gold, other = gold + is_gold, other + (not is_gold and each["selected"])
        (folder / path.name).write_text(json.dumps(value))
    done = inside(ROOT, "score", str(tmp_path), str(SHIPPED), "--json")
    assert done.returncode == 0, done.stderr
    tally = json.loads(done.stdout)
    assert (tally["questions"], tally["recall"]) == (12, "1.000")
    assert (tally["gold"], tally["gold_kept"], tally["other_kept"]) == (gold, gold, other)
    assert 0 < other < tally["other"]


# Other models, other data, other arms


def test_estimated_tokens_are_called_an_estimate(inside: Goldens, tmp_path: Path) -> None:
    data = dataset(tmp_path, item("q1", turn("user", "I keep \U0001f41d in three hives.", True)))
    arguments = ("arms", str(data), "--arms", "v2", "--model", "Opus-4.5")
    arguments += ("--run", f"{tmp_path}/run", "--prompts", f"{tmp_path}/prompts")
    done = inside(ROOT, *arguments)
    assert "estimate: UTF-16 units / 4" in " ".join(done.stdout.decode().split())
    assert json.loads(inside(ROOT, *arguments, "--json").stdout)["contextTokensEstimated"] is True
    checkpoint = json.loads((tmp_path / "run" / "checkpoint.json").read_bytes())
    assert checkpoint["contextTokensEstimated"] is True
    assert checkpoint["answeringModel"] == "Opus-4.5"
    assert models.resolve("Opus-4.5").encoding is None
    prompt = (tmp_path / "prompts" / "v2" / "q1.txt").read_bytes().decode()
    figures = checkpoint["questions"]["q1"]["phases"]["answer"]["arms"]["v2"]
    assert figures["promptTokens"] == -(-units(prompt) // 4)


def test_questions_are_chosen_by_number_or_by_id(tmp_path: Path) -> None:
    names = ("a", "71017276", "c", "12", "e")
    data = dataset(tmp_path, *map(item, names))
    project, model = load(ROOT), models.resolve("gpt-4o")

    def chosen(wanted: str) -> list[str]:
        made = plan.make(project, data, ["default"], model, wanted)
        return [each.id for each in made.questions]

    assert chosen("") == list(names)
    assert chosen("2") == ["a", "71017276"]
    assert chosen("99") == list(names)
    assert chosen("71017276") == ["71017276"]
    assert chosen("e, c") == ["c", "e"]
    with pytest.raises(Stop, match="has no question x, y"):
        chosen("y,a,x")
    with pytest.raises(Stop, match="leaves nothing to measure"):
        chosen("0")


def test_a_context_file_s_block_is_in_the_prompt_as_it_stands(
    inside: Goldens, tmp_path: Path
) -> None:
    lines = (ROOT / "goldens/cases/context_file.jsonl").read_text().split("\n")
    row = json.loads(lines[0])
    data = dataset(tmp_path, item("q1", question=row["question"]))
    arguments = ("arms", str(data), "--arms", "context_file", "--prompts", str(tmp_path))
    done = inside(ROOT, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    assert row["block"] in (tmp_path / "context_file" / "q1.txt").read_bytes().decode()
    assert json.loads(done.stdout)["rows"][0]["labelledTurnsKept"] == 0


def test_a_role_that_empties_the_list_is_warned_of_on_stderr(
    inside: Goldens, tmp_path: Path
) -> None:
    data = dataset(tmp_path, item("q1", question="Which hive was it you suggested?"))
    done = inside(ROOT, "arms", str(data), "--arms", "default,route", "--json")
    assert done.returncode == 0
    said = done.stderr.decode()
    assert said.startswith("goldens: warning: q1, route: MEMVARA_ROLE_SELECT=route keeps assistant")
    assert said.count("\n") == 1
    default, route = json.loads(done.stdout)["rows"][:2]
    assert default["labelledTurnsKept"] == 1
    assert route["labelledTurnsKept"] == 0
    assert route["contextTokens"]["median"] == 0


def test_ids_become_file_names_that_stay_in_the_folder(inside: Goldens, tmp_path: Path) -> None:
    data = dataset(tmp_path, item("../é/q 1"), item(".."))
    arguments = ("arms", str(data), "--arms", "default", "--model", "opus-4.5")
    arguments += ("--run", f"{tmp_path}/run", "--prompts", f"{tmp_path}/prompts")
    for _ in range(2):
        done = inside(ROOT, *arguments)
        assert done.returncode == 0, done.stderr
    names = {"%2E%2E%2F%C3%A9%2Fq%201", "%2E%2E"}
    assert {path.stem for path in (tmp_path / "run/results/k30").iterdir()} == names
    assert {path.stem for path in (tmp_path / "prompts/default").iterdir()} == names
    assert {path.name for path in tmp_path.iterdir()} == {"data.json", "run", "prompts"}


@pytest.mark.skipif(not REAL.is_dir(), reason="the real data is not beside this clone")
def test_a_real_item_is_searched_as_recorded_and_measured(
    inside: Goldens, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []

    def heard(memory: Memory, *arguments: Any) -> dict[str, Any]:
        answers.append(search(memory, *arguments))
        return answers[-1]

    search = Memory.search
    monkeypatch.setattr(Memory, "search", heard)
    library.load_memvara()
    then = datetime(2026, 12, 1, tzinfo=UTC)  # a claim's score falls with its age
    monkeypatch.setattr("memvara.retrieve.hybrid.utcnow", lambda: then)
    arguments = ("--arms", "default,routed720,useronly720", "--jobs", "1", "--json")
    done = inside(ROOT, "arms", str(REAL / "longmemeval_s_one_item.json"), *arguments)
    assert done.returncode == 0, done.stderr
    recorded = [json.loads((REAL / f"recorded_search_k{k}.json").read_bytes()) for k in (30, 200)]
    assert list(map(unstamped, answers)) == list(map(unstamped, recorded))
    rows = {row["arm"]: row for row in json.loads(done.stdout)["rows"]}
    assert [row["labelledTurns"] for row in rows.values()] == [2, 2, 2]
    assert rows["default"]["contextTokens"]["median"] > 4000
    assert rows["routed720"]["contextTokens"]["median"] <= 720


def unstamped(answer: dict[str, Any]) -> dict[str, Any]:
    """A search response without what differs from run to run: ids and recording times."""
    for hit in answer["results"]:
        if hit["kind"] == "episode":
            del hit["episode"]["id"]
        else:
            del hit["memory"]["id"], hit["memory"]["source_ids"]
            del hit["memory"]["transaction_time"]["recorded_at"]
    return answer


# A server


@contextmanager
def serving(folder: Path, key: str) -> Iterator[str]:
    """The address of `goldens serve`."""
    env = {n: v for n, v in os.environ.items() if not n.startswith("MEMVARA_")}
    command = [sys.executable, "-m", "tools", "serve", "--db", str(folder / "m.db"), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=env | {"MEMVARA_API_KEY": key}
    ) as process:
        try:
            assert process.stdout is not None
            found = re.search(r"http://127\.0\.0\.1:\d+", process.stdout.readline())
            assert found
            yield found[0]
        finally:
            process.kill()


def test_a_server_gives_what_the_embedded_memvara_gives_and_keeps_nothing(
    inside: Goldens, tmp_path: Path
) -> None:
    data = dataset(tmp_path, item("q1"), item("q2", turn("assistant", "Three hives!", True)))
    arguments = ("arms", str(data), "--arms", "default,ranked", "--jobs", "1")
    env = {"MEMVARA_API_KEY": "a-secret-key"}
    assert inside(ROOT, *arguments, "--run", f"{tmp_path}/embedded").returncode == 0
    with serving(tmp_path, env["MEMVARA_API_KEY"]) as url:
        run = ("--run", f"{tmp_path}/server")
        done = inside(ROOT, *arguments, *run, "--url", url, env=env)
        again = inside(
            ROOT, *arguments, *run, "--engine", "server", env=env | {"MEMVARA_BASE_URL": f"{url}/"}
        )
        with httpx.Client(headers={"Authorization": "Bearer a-secret-key"}) as client:
            stats = client.get(f"{url}/v1/stats?user=goldens-q1").json()
    said = f"goldens: {url}: {LIMITS.promise()}\n"
    assert (done.returncode, done.stderr.decode()) == (0, said)
    assert (again.returncode, again.stdout) == (0, done.stdout)
    assert stats["tenant_counts"]["episodes"] == 0
    for path in sorted((tmp_path / "embedded" / "results").rglob("*.json")):
        there = tmp_path / "server" / path.relative_to(tmp_path / "embedded")
        values = [json.loads(each.read_bytes()) for each in (path, there)]
        assert without_recorded_at(values[0]) == without_recorded_at(values[1])
    written = [path.read_bytes() for path in (tmp_path / "server").rglob("*") if path.is_file()]
    assert not any(b"a-secret-key" in each for each in (done.stdout, *written))


def test_a_wrong_key_is_refused_in_one_line_without_it(inside: Goldens, tmp_path: Path) -> None:
    with serving(tmp_path, "right") as url:
        done = inside(
            ROOT, "arms", str(SHIPPED), "--url", url, env={"MEMVARA_API_KEY": "a-wrong-key"}
        )
    assert (done.returncode, done.stdout) == (Exit.USAGE, b"")
    promise, refusal = done.stderr.decode().splitlines()
    assert promise == f"goldens: {url}: {LIMITS.promise()}"
    assert refusal.startswith("goldens: GET /v1/whoami: 401: ")
    assert "a-wrong-key" not in refusal


# What to know besides


def test_the_help_says_how_long_a_request_can_take(inside: Goldens) -> None:
    printed = " ".join(inside(ROOT, "arms", "--help").stdout.decode().split())
    assert f"Of a server: {LIMITS.promise()}." in printed


def test_ranked_equals_default_where_nothing_selects_and_the_table_says_so(
    measured: Measured,
) -> None:
    note = (
        "ranked equals default here: the embedded memvara has no selector, so that nothing is "
        "selected"
    )
    assert f"{note}." in " ".join(measured.table.split())
    assert measured.json["notes"] == [note]
    ranked, default = measured.row("ranked"), measured.row("default")
    assert ranked | {"arm": "default"} == default


def test_a_ranked_arm_without_a_twin_equals_itself_unranked() -> None:
    ranked = Knobs.from_env({"MEMVARA_RANKED": "1", "MEMVARA_SEARCH_K": "7"})
    arms = [plan.Arm("mine", ranked), plan.Arm("plain", Knobs.from_env({}))]
    (note,) = notes.of_unranked(arms, load(ROOT))
    assert note.startswith("mine equals the same arm without MEMVARA_RANKED here: ")


def test_a_model_whose_encoding_is_not_known_is_counted_as_cl100k_with_a_note(
    inside: Goldens, tmp_path: Path
) -> None:
    data = dataset(tmp_path, item("q1"))
    run = ("arms", str(data), "--model", "llama-4", "--jobs", "1")
    done, printed = inside(ROOT, *run), inside(ROOT, *run, "--json")
    note = "the encoding of 'llama-4' is not known: its tokens are counted as cl100k_base"
    assert done.returncode == printed.returncode == 0
    assert done.stderr.decode() == printed.stderr.decode() == f"goldens: note: {note}\n"
    assert f"{note}." in " ".join(done.stdout.decode().split())
    assert json.loads(printed.stdout)["notes"] == [note]


@pytest.mark.parametrize("alias", ["gpt-4", "gpt-3.5-turbo", "gpt-4o", "opus-4.5", "gemini-x"])
def test_a_model_whose_encoding_is_known_or_estimated_has_no_note(alias: str) -> None:
    assert list(notes.of_model(models.resolve(alias))) == []


@pytest.mark.parametrize("alias", ["", "llama", "openai/gpt-4", "text-davinci-003"])
def test_any_other_model_has_one(alias: str) -> None:
    (note,) = notes.of_model(models.resolve(alias))
    assert note.startswith(f"the encoding of {alias!r} is not known")


def test_hits_of_unknown_kinds_are_named_by_the_most_frequent() -> None:
    assert list(notes.of_hits(Counter())) == []
    few = Counter({"'x'": 1, "'fact'": 1_200})
    assert list(notes.of_hits(few)) == [
        "hits of unknown kinds were passed over: 1,200 'fact', 1 'x'"
    ]
    many = Counter({f"'{number}'": 10 - number for number in range(8)})
    assert list(notes.of_hits(many)) == [
        "hits of unknown kinds were passed over: "
        "10 '0', 9 '1', 8 '2', 7 '3', 6 '4', 12 of other kinds"
    ]


# Refusals and the list


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--arms", "routed72"], "no arm 'routed72': one of default, "),
        (["--arms", " , "], "--arms names no arm: one of default, "),
        (["--arms", "context_file"], "no block for the question"),
        (["--questions", "q1"], "has no question q1"),
        (["--engine", "embedded", "--url", "http://127.0.0.1:1"], "--engine embedded has no --url"),
        (["--url", "http://127.0.0.1:1"], "MEMVARA_API_KEY is not set"),
        (["--engine", "server"], "MEMVARA_API_KEY is not set"),
    ],
)
def test_what_can_t_be_measured_is_refused(
    inside: Goldens, arguments: list[str], said: str
) -> None:
    assert said in refused(inside, SHIPPED, *arguments)


def test_a_date_that_does_not_parse_is_refused_before_anything_is_stored(
    inside: Goldens, tmp_path: Path
) -> None:
    data = dataset(tmp_path, item("q1"), item("q2", haystack_dates=["yesterday"]))
    said = refused(inside, data, "--run", tmp_path / "run")
    assert "q2: haystack_dates[0] must be a date" in said
    assert not (tmp_path / "run").exists()


def test_the_list_has_every_arm_with_its_knobs_and_why(inside: Goldens) -> None:
    arms = load(ROOT).arms
    listed = json.loads(inside(ROOT, "arms", "--json").stdout)
    assert listed == {name: {"why": arm.why, "env": arm.env} for name, arm in arms.items()}
    shown = inside(ROOT, "arms").stdout.decode()
    for arm in arms.values():
        assert f" {arm.name} " in shown
        assert arm.why.split()[0] in shown
    assert " MEMVARA_TOKEN_BUDGET=720 " in shown
    assert " MEMVARA_ANSWER_PROMPT='\\ufeff' " in shown
    one = inside(ROOT, "arms", "--arms", "v2").stdout.decode()
    assert "MEMVARA_ANSWER_PROMPT=v2" in one
    assert "routed720" not in one


def test_the_list_refuses_unknown_arms_and_options_that_need_a_data_set(inside: Goldens) -> None:
    assert refused(inside, "--arms", "default,nosuch").startswith("no arm 'nosuch': one of ")
    assert "need a data set" in refused(inside, "--run", "nowhere")


def test_the_environment_s_knobs_do_not_matter(inside: Goldens, tmp_path: Path) -> None:
    data = dataset(tmp_path, item("q1"))
    env = {"MEMVARA_TOKEN_BUDGET": "x", "MEMVARA_BASE_URL": "http://127.0.0.1:1"}
    done = inside(ROOT, "arms", str(data), "--arms", "default", "--json", env=env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["rows"][0]["labelledTurnsKept"] == 1
