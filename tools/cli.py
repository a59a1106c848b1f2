"""The `goldens` command: one lazily imported module per subcommand, one place for errors."""

import importlib
import sys

import click

from .exits import Exit, Stop
from .project.installed import in_a_wheel
from .project.layout import find_root

# Imported only when asked for: libcst, matplotlib and the engine are slow to load or optional.
COMMANDS = {
    "check": "Say whether anything moved: goldens, pin, working tree, every knob combination.",
    "render": "Render one context or prompt from real search results.",
    "sweep": "Compare every knob combination with the pin or another program.",
    "regen": "Write the goldens anew from a commit.",
    "export": "Write goldens and a grid as protocol requests with expected answers.",
    "init": "Set up a repository whose program is to be guarded.",
    "learn": "Write the wording file of a program by asking it.",
    "adapter": "Print the loop that makes a provider answer the protocol.",
    "mutate": "Fail when a mutation of the reference survives its tests.",
    "arms": "Measure arms on a data set through a real memvara.",
    "score": "Score a ranked run against LongMemEval's labels.",
    "serve": "Serve an embedded memvara on loopback.",
    "bench": "Measure what is meant to be fast, as ratios.",
}


CLONE_ONLY = {"mutate"}  # and the libraries that they need come with a clone's `make`


class LazyGroup(click.Group):
    """Finds `tools.commands.NAME:command` when NAME is called for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        if cmd_name in CLONE_ONLY and in_a_wheel():
            raise Stop(f"{cmd_name} needs a clone of this repository: run make {cmd_name} in one")
        command: click.Command = importlib.import_module(
            f".commands.{cmd_name}", __package__
        ).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    if wanted:
        from .goldens.release import line

        click.echo(line())
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Show the version and the pinned reference, and exit.",
)
def goldens() -> None:
    """Guard the bytes of a memory benchmark's prompts."""


def main() -> None:
    """Run the command line; bad input is one line on stderr, never a traceback."""
    try:
        # The project one stands in counts, not the one that was installed.
        sys.path.insert(0, str(find_root()))
        code = goldens.main(standalone_mode=False)
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except Stop as stop:
        click.echo(f"goldens: {stop}", err=True)
        code = stop.exit_code
    except OSError as error:
        click.echo(f"goldens: {error}", err=True)
        code = Exit.USAGE
    except (click.Abort, KeyboardInterrupt):
        click.echo("goldens: interrupted", err=True)
        code = Exit.INTERRUPTED
    sys.exit(int(code or Exit.OK))
