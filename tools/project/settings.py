"""`goldens.toml`: what another repository says of its program, its goldens and its pin."""

import difflib
import shlex
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..exits import Stop

NAME = "goldens.toml"
TIMEOUT = 30.0  # seconds for one answer of a program
SETUP_TIMEOUT = 600.0  # seconds for a setup


class Key(NamedTuple):
    """What one key may hold."""

    accepts: str
    holds: Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_seconds(value: Any) -> bool:
    return type(value) in (int, float) and value > 0


TEXT = Key("a text", _is_text)
SECONDS = Key("a number of seconds above 0", _is_seconds)
KEYS = {
    "command": TEXT,
    "folder": TEXT,
    "setup": TEXT,
    "setup_timeout": SECONDS,
    "wording": TEXT,
    "known": TEXT,
    "cases": TEXT,
    "arms": TEXT,
    "goldens": TEXT,
    "pinned": Key(
        "a list of paths", lambda value: isinstance(value, list) and all(map(_is_text, value))
    ),
    "timeout": SECONDS,
    "jobs": Key("an integer above 0", lambda value: type(value) is int and value > 0),
}


@dataclass(frozen=True)
class Settings:
    """A `goldens.toml`, its paths absolute."""

    root: Path  # the folder that it stands in
    command: str
    folder: Path  # that the command runs in
    setup: str | None  # a line of shell that makes a fresh checkout ready, run in its root
    setup_timeout: float  # seconds
    wording: Path | None
    known: Path | None
    cases: Path | None  # a folder of more cases
    arms: Path | None  # a file of more arms
    goldens: Path  # the folder of their goldens
    pinned: tuple[str, ...]  # paths below the root whose content is the pin; "." is all
    timeout: float  # seconds for one answer
    jobs: int | None

    @property
    def words(self) -> list[str]:
        """The command as its words."""
        return shlex.split(self.command)


def load(root: Path) -> Settings:
    """The settings in `root`. Raises Stop, naming file and key, for what no settings hold."""
    path = root / NAME
    try:
        held = tomllib.loads(path.read_bytes().decode())
    except (OSError, ValueError) as error:
        raise Stop(f"{path}: {error}") from None
    for name, value in held.items():
        _check(path, name, value)
    if "command" not in held:
        raise Stop(f"{path}: command is missing: what starts the program")
    split(path, held["command"])

    def located(name: str, default: str | None = None) -> Path | None:
        given = held.get(name, default)
        return None if given is None else root / given

    return Settings(
        root=root,
        command=held["command"],
        folder=root / held.get("folder", "."),
        setup=held.get("setup"),
        setup_timeout=float(held.get("setup_timeout", SETUP_TIMEOUT)),
        wording=located("wording"),
        known=located("known"),
        cases=located("cases"),
        arms=located("arms"),
        goldens=root / held.get("goldens", "goldens"),
        pinned=tuple(held.get("pinned", ["."])),
        timeout=float(held.get("timeout", TIMEOUT)),
        jobs=held.get("jobs"),
    )


def _check(path: Path, name: str, value: Any) -> None:
    if name not in KEYS:
        near = difflib.get_close_matches(name, KEYS, n=1, cutoff=0)[0]
        raise Stop(f"{path}: {name} is no key: {near}? The keys are {', '.join(KEYS)}")
    if not KEYS[name].holds(value):
        raise Stop(f"{path}: {name} must be {KEYS[name].accepts}, not {value!r}")


def split(path: Path, command: str) -> list[str]:
    """The words of a command. Raises Stop, naming the file that it is for."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise Stop(f"{path}: command can't be split into words: {error}") from None
    if not words:
        raise Stop(f"{path}: command names no program")
    return words


def text(values: Mapping[str, str]) -> str:
    """A `goldens.toml` with these values, the other keys as comments."""
    lines = ["# What `goldens` guards here; every key but command may be left out.", ""]
    for name, (example, why) in _EXAMPLES.items():
        given = values.get(name)
        shown = example if given is None else _quoted(given)
        lines.append(f"{'' if given is not None else '# '}{name} = {shown}  # {why}")
    return "\n".join(lines) + "\n"


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


_EXAMPLES = {
    "command": ('"bun adapter.ts"', "starts the program that speaks the protocol"),
    "folder": ('"."', "where it runs"),
    "setup": ('"bun install"', "makes a fresh checkout of an old commit ready, in its root"),
    "setup_timeout": ("600", "seconds"),
    "wording": ('"wording.toml"', "its sentences, as goldens learn writes them"),
    "known": ('"known.toml"', "differences that are accepted"),
    "cases": ('"cases"', "a folder of more cases"),
    "arms": ('"arms.toml"', "more arms"),
    "goldens": ('"goldens"', "where its goldens live"),
    "pinned": ('["."]', "the paths whose content is the pin"),
    "timeout": ("30", "seconds for one answer"),
    "jobs": ("2", "processes; by default one per core"),
}
