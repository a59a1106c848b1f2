"""`goldens render`: one context or prompt from real search results."""

import contextlib
import functools
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from reference import overrides
from reference.context import render_context
from reference.knobs import Knobs
from reference.prompt import answer_prompt
from reference.text import well_formed
from reference.tokens import counter

from ..exits import Exit, Stop
from ..project.layout import arm_env, load
from ..project.refusals import load_wording, refusals
from ..project.results import parse_results, refuse_foreign


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
        refuse_foreign(read.items, results)
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


@contextlib.contextmanager
def environment(arm: str | None) -> Iterator[Mapping[str, str]]:
    """The process's environment, or an arm's, whose paths start in goldens/."""
    if arm is None:
        yield os.environ
        return
    project = load()
    with contextlib.chdir(project.goldens):
        yield arm_env(project, arm)


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
