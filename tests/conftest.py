"""What all tests share: the same hypothesis examples, plain ids, and none of the caller's knobs."""

import os
import re
import unicodedata

from hypothesis import HealthCheck, settings

settings.register_profile(
    "memvara",
    max_examples=50,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],  # a busy machine is no fault of a test
)
settings.load_profile("memvara")

# Before any test module is imported, and in the processes that tests start.
for name in [name for name in os.environ if name.startswith(("MEMVARA_", "OPENAI_MODEL_"))]:
    del os.environ[name]


LONGEST = 60  # characters of a parameter in an id


def pytest_make_parametrize_id(config: object, val: object, argname: str) -> str | None:
    """A parameter in a test's id, in characters that pytest, mutmut and a shell all take by name.

    A row of a table goes by its name. None leaves what has no text of its own to pytest: it
    becomes `argname` and a number.
    """
    if isinstance(val, dict) and "name" in val:
        return _plain(val["name"])
    if isinstance(val, str):
        return _plain(val)
    if isinstance(val, bytes):
        return _plain(val.decode("latin-1"))
    if isinstance(val, int | float | None):
        return _plain(str(val))
    name = getattr(val, "__name__", None)
    return _plain(name) if isinstance(name, str) else None


def _plain(text: str) -> str:
    """`text` in ASCII letters, digits and `_ . -`; text of nothing but signs by their names."""
    spelled = re.sub(r"[^ -~]", lambda found: f" u{ord(found[0]):04x} ", text)
    words = re.sub(r"[^A-Za-z0-9_.-]+", " ", spelled).strip() or " ".join(
        unicodedata.name(sign).lower() for sign in text
    )
    return re.sub(" +", "-", words)[:LONGEST] or "empty"
