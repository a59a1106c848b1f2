"""The synthetic cases: committed as generated, and with the properties that the grid relies on."""

import json
import re
import unicodedata
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from reference.routing import asks_assistant
from tools import synthetic
from tools.synthetic import generator

CASES = Path(__file__).parents[3] / "goldens" / "cases"
STAMP = re.compile(r"2026-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\+00:00")
TAIL_CHARS = [1, 2, 7, 16, 40, 80, 120, 200, 400, 720, 1000, 1500, 2500]
JOINER = "\u200d"
STICKS_TO_THE_SIGN_BEFORE = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")


def items(case):
    return json.loads((CASES / f"{case}.json").read_bytes())["items"]


def of_kind(case, kind):
    return [item for item in items(case) if isinstance(item, dict) and item["kind"] == kind]


def contents(case):
    return [turn["content"] for turn in of_kind(case, "turn")]


def words(turns, role):
    return [len(turn["content"].split()) for turn in turns if turn["role"] == role]


def halves(content, units):
    """Return both sides of a cut at `units` UTF-16 units; half an emoji raises."""
    data = content.encode("utf-16-le")
    return data[: 2 * units].decode("utf-16-le"), data[2 * units :].decode("utf-16-le")


def parts_an_emoji(content, units):
    try:
        before, after = halves(content, units)
    except UnicodeDecodeError:
        return True
    return before.endswith(JOINER) or bool(STICKS_TO_THE_SIGN_BEFORE.match(after))


def test_the_committed_files_are_what_the_generator_writes(tmp_path):
    synthetic.write(tmp_path)
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert written
    assert written == {name: (CASES / name).read_bytes() for name in written}


def test_every_file_says_that_it_is_synthetic_how_it_was_made_and_how_to_replay_it():
    for name, data in synthetic.files().items():
        first = data.splitlines()[0] if name.endswith(".jsonl") else data
        about = json.loads(first)["about"]
        assert about.startswith("synthetic: ")
        assert "with seed" in about or "without a seed" in about or "by hand" in about
        assert about.endswith("; to replay: python -m tools.synthetic")


def test_the_same_seed_gives_the_same_turns_and_another_seed_gives_others():
    assert synthetic.turns(9, seed=1) == synthetic.turns(9, seed=1)
    assert synthetic.turns(9, seed=1) != synthetic.turns(9, seed=2)
    assert synthetic.memories(9, seed=1) != synthetic.memories(9, seed=2)


def test_chance_comes_from_random_alone_which_is_the_same_on_every_version_of_python(monkeypatch):
    class OnlyRandom:
        def __init__(self, seed):
            self.random = Random(seed).random

    expected = synthetic.turns(9, seed=1), synthetic.memories(9, seed=1)
    monkeypatch.setattr(generator, "Random", OnlyRandom)
    assert (synthetic.turns(9, seed=1), synthetic.memories(9, seed=1)) == expected


def test_thirty_has_16_user_turns_and_14_assistant_turns_of_the_promised_lengths():
    turns = of_kind("thirty", "turn")
    user, assistant = words(turns, "user"), words(turns, "assistant")
    assert (len(user), len(assistant)) == (16, 14)
    assert all(18 <= count <= 90 for count in user)
    assert all(140 <= count <= 600 for count in assistant)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_many_turns_keep_the_lengths_and_the_shares_of_the_roles(seed):
    turns = synthetic.turns(600, seed)
    user, assistant = words(turns, "user"), words(turns, "assistant")
    assert (len(user), len(assistant)) == (320, 280)
    assert all(18 <= count <= 90 for count in user)
    assert all(140 <= count <= 600 for count in assistant)


def test_thirty_mixes_the_roles_and_the_memories_as_a_ranking_does():
    found = items("thirty")
    labels = [item.get("role", "memory") for item in found]
    changes = sum(a != b for a, b in pairwise(labels))
    assert changes >= 12
    assert {"user", "assistant", "memory"} == set(labels[:12])


def test_scores_fall_from_item_to_item():
    for found in (items("thirty"), synthetic.turns(600, seed=4), items("memories_only")):
        scores = [item["score"] for item in found]
        assert all(a > b for a, b in pairwise(scores))
        assert scores[0] < 1
        assert scores[-1] > 0


def test_thirty_has_a_live_memory_one_that_ended_and_one_with_an_amount():
    memories = of_kind("thirty", "memory")
    assert any(m["state"] == "live" and m["valid_to"] is None for m in memories)
    assert any(m["state"] == "ended" and STAMP.fullmatch(m["valid_to"]) for m in memories)
    assert any("€1,250.00" in m["text"] for m in memories)


def test_thirty_holds_the_special_literal_in_one_turn_only():
    assert sum("<|endoftext|>" in content for content in contents("thirty")) == 1


@pytest.mark.parametrize(
    "trait",
    [
        pytest.param(lambda c: unicodedata.category(c) == "Sc", id="currency"),
        pytest.param(lambda c: unicodedata.name(c, "").startswith("CJK UNIFIED"), id="CJK"),
        pytest.param(lambda c: ord(c) > 0xFFFF, id="emoji-outside-the-BMP"),
        pytest.param(lambda c: c == JOINER, id="ZWJ-sequence"),
        pytest.param(lambda c: " WITH " in unicodedata.name(c, ""), id="accent"),
    ],
)
def test_thirty_has_several_turns_with_each_kind_of_character(trait):
    assert sum(any(map(trait, content)) for content in contents("thirty")) >= 2


def test_thirty_has_no_character_that_tokenizers_count_differently():
    assert not re.search("[\ufeff\x85]", (CASES / "thirty.json").read_text("utf-8"))


@pytest.mark.parametrize("units", TAIL_CHARS)
def test_no_cut_of_the_grid_parts_an_emoji_of_a_generated_turn(units):
    turns = synthetic.turns(300, seed=5)
    cases = ["thirty", "user_only", "assistant_only"]
    texts = [turn["content"] for turn in turns] + [c for case in cases for c in contents(case)]
    assert not [text for text in texts if parts_an_emoji(text, units)]


def test_every_cut_of_the_grid_shortens_some_turn_of_thirty():
    assert tuple(TAIL_CHARS) == synthetic.CUTS
    assert any(len(content.encode("utf-16-le")) > 2 * 2500 for content in contents("thirty"))


def test_a_drawn_text_that_a_cut_would_part_is_recognised():
    assert parts_an_emoji("a" * 79 + "😀", 80)
    assert generator.splits_a_sign("a" * 79 + "😀")
    assert generator.splits_a_sign("a" * 78 + "👩\u200d🍳")
    assert generator.splits_a_sign("a" * 78 + "👍🏽")
    assert not generator.splits_a_sign("a" * 78 + "😀👍")


def test_thirty_has_turns_selected_rejected_unseen_and_from_a_plain_read():
    turns = of_kind("thirty", "turn")
    assert {t.get("selected", "absent") for t in turns} == {True, False, None, "absent"}
    assert all(("span" in t) == ("selected" in t) for t in turns)
    assert all(t["span"] in t["content"] for t in turns if t.get("selected"))


def test_every_generated_date_is_a_time_of_2026_in_utc():
    found = items("thirty") + items("memories_only") + synthetic.turns(300, seed=6)
    dates = [i[key] for i in found for key in ("ts", "valid_from", "recorded_at") if key in i]
    assert len(dates) > 300
    assert all(STAMP.fullmatch(date) for date in dates)


def test_the_small_cases_hold_what_their_names_say():
    assert items("empty") == []
    assert {item["kind"] for item in items("memories_only")} == {"memory"}
    assert {turn["role"] for turn in items("user_only")} == {"user"}
    assert {turn["role"] for turn in items("assistant_only")} == {"assistant"}
    assert ["content" in turn for turn in items("refused")] == [True, True, False, True]


@pytest.mark.parametrize(
    "text",
    [
        *("\r\n", "CR\r", "\t", "\u2028", "\u2029", "\ufeff", "\x85", "\x1c", "e\u0301"),
        *("\n- [", "\n/", "{question}", "%s", "$&", r"\1", "<|endoftext|>", "&lt;"),
    ],
)
def test_hostile_has_a_turn_with(text):
    assert any(text in content for content in contents("hostile"))


def test_hostile_has_empty_content_blanks_at_an_end_and_content_exactly_as_long_as_a_cut():
    assert "" in contents("hostile")
    assert any(content.endswith(" \t \r\n ") for content in contents("hostile"))
    assert 80 in map(len, contents("hostile"))


@pytest.mark.parametrize("units", [1, 80, 200, 400])
def test_hostile_has_an_emoji_across_the_cut_at(units):
    assert any(parts_an_emoji(content, units) for content in contents("hostile"))


def test_hostile_has_each_way_to_leave_a_memory_open():
    ends = [memory.get("valid_to", "absent") for memory in of_kind("hostile", "memory")]
    assert ends == [None, "absent", "", "2026-04-01T00:00:00-03:00"]


def test_hostile_has_strangers_among_its_items():
    found = items("hostile")
    assert 42 in found
    assert None in found
    assert of_kind("hostile", "image")
    assert of_kind("hostile", "selection")[0].keys() >= {"outcome", "reason", "status"}
    assert {turn["role"] for turn in of_kind("hostile", "turn")} >= {"system", "User "}


def test_hostile_has_dates_of_every_shape():
    stamps = {turn["ts"] for turn in of_kind("hostile", "turn")}
    assert (
        sum(bool(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", stamp, re.ASCII)) for stamp in stamps) >= 5
    )
    assert {"", "last Tuesday", "2026-03-01T08:00:00.123456+00:00"} <= stamps


def test_one_question_is_routed_one_is_not_and_one_is_none():
    questions = json.loads((CASES / "questions.json").read_bytes())["questions"]
    asked = {name: row["question"] for name, row in questions.items()}
    assert list(asked) == ["routed", "plain", "none"]
    assert asks_assistant(asked["routed"])
    assert not asks_assistant(asked["plain"])
    assert asked["none"] is None


def test_the_context_file_has_a_block_for_each_question_under_a_key_with_other_whitespace():
    lines = (CASES / "context_file.jsonl").read_bytes().decode().split("\n")
    rows = [json.loads(line) for line in lines if line]
    assert "" in lines[:-1]
    keys = [row["question"] for row in rows]
    blanks = re.compile("[\\s\ufeff]+")
    questions = json.loads((CASES / "questions.json").read_bytes())["questions"].values()
    for asked in (row["question"] or "" for row in questions):
        assert asked not in keys
        assert asked in [blanks.sub(" ", key).strip() for key in keys]


def test_the_context_file_has_bytes_that_a_careless_reader_would_change():
    data = (CASES / "context_file.jsonl").read_bytes()
    assert rb"\r\n" in data
    assert "\u2028".encode() in data
    assert "🙃".encode() in data
    assert b"\r" not in data
