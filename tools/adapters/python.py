"""A provider in Python as a program that `goldens` can ask.

Put this file beside your provider, fill in the marked part, and run it with the Python that
runs yours:

    goldens adapter python > adapter.py
    goldens sweep --command 'python adapter.py'

One JSON request a line on stdin, one answer a line on stdout; whatever else is printed goes to
stderr. A request says which MEMVARA_ and OPENAI_MODEL_ variables are set, the shell never does. An
exception that you don't call a refusal is a bug: its traceback goes to stderr, the exit code is 1.
"""

import importlib
import json
import logging
import os
import sys
from collections.abc import Callable
from typing import Any

Operations = dict[str, Callable[[dict[str, Any], Any], Any]]

# ---- Yours to fill in ----------------------------------------------------------------------------

IDENTITY = {"name": "your provider", "version": "unknown"}


def provider() -> tuple[Operations, tuple[type[Exception], ...], logging.Logger]:
    """What to ask: operations by name, the exceptions that are refusals, the logger that warns.

    Delete the operations that you don't have. `items` is a list; question and question_date may
    be None. Only what you refuse on purpose is a refusal: an environment, items or a context file
    that you can't render.
    """
    yours = importlib.import_module("your_provider")
    operations: Operations = {
        "render": lambda request, items: yours.render_context(items, request["question"]),
        "prompt": lambda request, items: yours.answer_prompt(
            items, request["question"], request["question_date"]
        ),
        "settings": lambda request, items: yours.settings(),
        "request": lambda request, items: yours.search_request(request["query"], request["tag"]),
        "route": lambda request, items: yours.asks_assistant(request["question"]),
        "count": lambda request, items: yours.count_tokens(request["text"]),
    }
    return operations, (yours.Refusal,), logging.getLogger()


# ---- The loop ------------------------------------------------------------------------------------

KNOBS = ("MEMVARA_", "OPENAI_MODEL_")


class Warnings(logging.Handler):
    """Keeps what is logged while a request is answered."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.kept: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(record.getMessage())


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # print() and whatever writes below it
    operations, refusals, logger = provider()
    warnings = Warnings()
    logger.addHandler(warnings)
    lists: dict[str, Any] = {}
    others = {name for name in os.environ if not name.startswith(KNOBS)}
    operations["items"] = lambda request, items: lists.update({request["name"]: items})
    operations["hello"] = lambda request, items: IDENTITY | {"ops": list(operations)}
    for line in sys.stdin.buffer:
        request = json.loads(line)
        for name in os.environ.keys() - others:
            del os.environ[name]
        os.environ.update(request.get("env", {}))
        items = request.get("items")
        items = lists[items] if isinstance(items, str) else items
        warnings.kept = []
        try:
            said = {"ok": operations[request["op"]](request, items), "warnings": warnings.kept}
        except refusals as refusal:
            said = {"refused": str(refusal)}
        # ASCII: half a surrogate pair is escaped, which UTF-8 could not hold.
        answers.write(json.dumps({"id": request.get("id"), **said}).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
