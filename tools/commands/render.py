"""`goldens render`: one context or prompt from real search results."""

import contextlib
import functools
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import click

from reference import items, overrides, wording
from reference.context import render_context
from reference.items import Item
from reference.knobs import Knobs
from reference.prompt import answer_prompt
from reference.protocol import REFUSALS
from reference.text import well_formed, well_formed_json
from reference.tokens import counter
from reference.wording import Wording, WordingError

from ..exits import Exit, Stop
from ..project.layout import Project, load, parse_json


class Results(NamedTuple):
    """A file of search results."""

    items: list[Item]
    question: str | None  # the file's own, if it names one


@click.command(name="render")
@click.argument("results", metavar="RESULTS.json")
@click.option("--question", help="What is asked; by default what the file says.")
@click.option("--question-date", help="When it is asked, as the prompt prints it.")
@click.option("--arm", help="Render under this arm and ignore the environment.")
@click.option("--prompt", is_flag=True, help="The whole answer prompt, not the context alone.")
@click.option("--tokens", is_flag=True, help="Say on stderr how many o200k tokens the text has.")
@click.option("--wording", "wording_file", type=click.Path(path_type=Path), help="Other words.")
@click.option("--json", "as_json", is_flag=True, help="Text, warnings, tokens and settings.")
def command(
    results: str,
    question: str | None,
    question_date: str | None,
    arm: str | None,
    prompt: bool,
    tokens: bool,
    wording_file: Path | None,
    as_json: bool,
) -> int:
    """Render one context, or with --prompt one prompt, from RESULTS.json (- is stdin).

    RESULTS.json is a list of items, a /v1/search response, a MemoryBench result file or one of
    goldens/cases. The exact bytes go to stdout, everything else to stderr.
    """
    with refusals():
        read = parse_results(_read(results), results)
        _refuse_foreign(read.items, results)
        asked = read.question if question is None else well_formed(_from_shell(question))
        date = None if question_date is None else well_formed(_from_shell(question_date))
        words = load_wording(wording_file)
        count = counter()
        with environment(arm) as env:
            knobs = Knobs.from_env(env)
            rendered = render_context(
                read.items,
                asked,
                knobs,
                words=words,
                load_context=functools.cache(overrides.load),
                count=count,
            )
        text = rendered.text
        if prompt:
            text = answer_prompt(asked, date, text, knobs.answer_prompt, words)
        counted = count(text) if tokens or as_json else None
    for warning in rendered.warnings:
        click.echo(f"goldens: warning: {warning}", err=True)
    if tokens:
        click.echo(f"{counted} tokens", err=True)
    if as_json:
        value = {
            "text": text,
            "warnings": list(rendered.warnings),
            "tokens": counted,
            "settings": knobs.settings(),
        }
        text = json.dumps(value) + "\n"
    _write(text.encode())
    return Exit.OK


def _write(data: bytes) -> None:
    """Exact bytes to stdout; a reader that has seen enough is no error."""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse_foreign(found: list[Item], source: str) -> None:
    """A list in some other shape would render as if memory held nothing."""
    if found and all(isinstance(item, items.Foreign) for item in found):
        raise Stop(
            f"{source}: none of its {len(found)} elements is a memory, a turn or a selection: "
            "each needs a kind"
        )


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """Turn what the reference refuses into one line and exit 2."""
    try:
        yield
    except (*REFUSALS, WordingError) as refusal:
        raise Stop(str(refusal)) from None


@contextlib.contextmanager
def environment(arm: str | None) -> Iterator[Mapping[str, str]]:
    """The process's environment, or an arm's, whose paths start in goldens/."""
    if arm is None:
        yield os.environ
        return
    project = load()
    with contextlib.chdir(project.goldens):
        yield arm_env(project, arm)


def arm_env(project: Project, arm: str) -> Mapping[str, str]:
    """The environment of an arm. Raises Stop, listing the arms, when there is no such arm."""
    if arm not in project.arms:
        raise Stop(f"no arm {arm!r}: one of {', '.join(project.arms)}")
    return project.arms[arm].env


def load_wording(path: Path | None) -> Wording:
    """The wording in a file, or ours. Raises Stop or WordingError."""
    try:
        return wording.load(path)
    except OSError as error:
        raise Stop(f"{path}: {error.strerror}") from None


def parse_results(text: str, source: str) -> Results:
    """Items from a list of items, a case, a search response or a MemoryBench result file.

    Raises Stop or ItemError.
    """
    value = parse_json(text, source)
    if isinstance(value, list):
        return Results(items.from_json(value), None)
    if isinstance(value, dict) and "items" in value:
        return Results(items.from_json(value["items"]), None)
    if isinstance(value, dict) and "question" in value and "results" in value:
        question = value["question"]
        if question is not None and not isinstance(question, str):
            raise Stop(f"{source}: question must be a string or null")
        return Results(items.from_json(value["results"]), well_formed_json(question))
    if isinstance(value, dict) and "results" in value:
        hits = items.from_response(value)
        if value["results"] and not hits:
            raise Stop(f"{source}: none of its hits is a claim or an episode: each needs a kind")
        return Results(hits, None)
    raise Stop(
        f"{source}: expected a list of items, a /v1/search response or a result file with "
        "question and results"
    )


def _read(results: str) -> str:
    try:
        # Standard input that is closed is None.
        from_stdin = results == "-" and sys.stdin is not None
        data = sys.stdin.buffer.read() if from_stdin else Path(results).read_bytes()
        return data.decode()
    except OSError as error:
        raise Stop(f"{results}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Stop(f"{results}: not UTF-8 at byte {error.start}") from None


def _from_shell(text: str) -> str:
    """An argument as UTF-8 whatever the locale decoded it with."""
    return os.fsencode(text).decode(errors="replace")
