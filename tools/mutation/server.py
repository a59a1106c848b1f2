"""The process that runs tests: it loads pytest once, then forks, one child for each mutant.

It keeps two kinds of workers: warm ones swap the code of one function, cold ones import anew.
"""

import json
import os
import sys
import traceback
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from pathlib import Path

import pytest

from . import cold, warm
from .tasks import Order, module_name
from .work import fork, keep, wait

FAST = ("-p", "no:cacheprovider", "--assert=plain", "--tb=no", "-q", "--capture=no")


def main(order: Order) -> None:
    """Serve until the gate hangs up. `order` holds folders and inherited connections."""
    os.chdir(order["root"])
    sys.path.insert(0, order["root"])
    _few_examples()
    arguments = [*order["tests"], *FAST, "--rootdir", order["root"], "-c", "pyproject.toml"]
    sys.exit(pytest.main(arguments, plugins=[_Takeover(order)]))


class _Takeover:
    """Takes over from pytest where it would collect."""

    def __init__(self, order: Order) -> None:
        self._order = order

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        try:
            _serve(session, self._order)
        except BaseException:
            traceback.print_exc()
            os._exit(1)


def _serve(session: pytest.Session, order: Order) -> None:
    _few_examples()  # again, since a conftest may have chosen its own profile
    control = Connection(order["control"])
    watched = _modules(order["watched"])
    early = sorted(watched.keys() & sys.modules.keys())
    if early:
        control.send(f"a conftest imports {early[0]} while loading: import it inside the fixtures")
        return
    for plugin in session.config.pluginmanager.get_plugins():
        if hasattr(plugin, "warm") and getattr(plugin, "__file__", "").endswith("conftest.py"):
            plugin.warm()
    ours, theirs = Pipe()
    fork(warm.serve, session, order, watched, theirs)
    theirs.close()
    keep(order, order["cold"])
    with suppress(EOFError):
        cold.serve(session, order, ours.recv())
    wait()


def _modules(folders: list[str]) -> dict[str, str]:
    """The watched modules by name, with their files."""
    files = [path for folder in folders for path in sorted(Path(folder).rglob("*.py"))]
    return {module_name(path.as_posix()): path.as_posix() for path in files}


def _few_examples() -> None:
    from hypothesis import HealthCheck, Phase, settings
    from hypothesis.internal.conjecture import providers

    # It would draw constants out of whatever modules are loaded: other verdicts after any edit.
    vars(providers)["is_local_module_file"] = lambda path: False
    settings.register_profile(
        "mutation",
        max_examples=15,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    settings.load_profile("mutation")


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
