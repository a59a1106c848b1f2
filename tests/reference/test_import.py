"""Importing: no module of the reference fails while it loads."""

import importlib

MODULES = [
    *("text", "knobs", "items", "routing", "tokens", "wording", "overrides", "models"),
    *("budget", "client", "context", "prompt", "provider", "scoring", "protocol"),
]


def test_every_module_can_be_imported():
    for name in MODULES:
        importlib.import_module(f"reference.{name}")
