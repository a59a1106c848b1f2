"""The project on disk: where it is, its arms, its cases and its questions."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ..exits import Stop
from .json_files import read_json, read_text

T = TypeVar("T")

NAME = re.compile(r"[a-z0-9_]+")
TAG = "goldens-1"  # whose memories the golden requests ask for


class Arm(NamedTuple):
    """A named, complete environment: what is not in `env` is unset."""

    name: str
    env: dict[str, str]
    why: str


class Question(NamedTuple):
    """What is asked, and when; both may be missing."""

    question: str | None
    question_date: str | None


@dataclass(frozen=True)
class Project:
    """Everything that goldens are made from, except `reference/` itself."""

    root: Path
    arms: dict[str, Arm]
    cases: dict[str, Any]  # the item lists, as JSON holds them
    questions: dict[str, Question]
    routing: list[str]  # questions whose routing verdict is pinned
    calls: dict[str, dict[str, Any]]  # REST calls whose request is pinned

    @property
    def reference(self) -> Path:
        """The watched package in the working tree."""
        return self.root / "reference"

    @property
    def goldens(self) -> Path:
        """The folder that paths in arms are relative to."""
        return self.root / "goldens"


def find_root() -> Path:
    """The project around the current folder, else the one this package was installed from."""
    here = Path.cwd()
    for folder in (here, *here.parents, Path(__file__).parents[2]):
        if (folder / "goldens" / "arms.toml").is_file() and (folder / "reference").is_dir():
            return folder
    raise Stop(f"{here} is in no project: no folder above it holds goldens/arms.toml")


def load(root: Path | None = None) -> Project:
    """The project at `root` (by default the one around the current folder). Raises Stop."""
    root = root or find_root()
    cases = root / "goldens" / "cases"
    arms = _arms(root / "goldens" / "arms.toml")
    named = {"questions", "routing", "calls", "longmemeval_synthetic"}
    files = [path for path in sorted(cases.glob("*.json")) if path.stem not in named]
    return Project(
        root,
        {name: _arm(name, value) for name, value in arms.items()},
        {_name(path.stem): _part(path, "items", list) for path in files},
        _questions(cases / "questions.json"),
        _part(cases / "routing.json", "questions", list),
        _part(cases / "calls.json", "calls", dict),
    )


def _arms(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Stop(f"{path}: not TOML: {error}") from None


def _part(path: Path, name: str, kind: type[T]) -> T:
    """What a JSON file holds under a name. Raises Stop."""
    value = read_json(path)
    if not isinstance(value, dict) or not isinstance(value.get(name), kind):
        raise Stop(f"{path}: expected an object with {name}, a {kind.__name__}")
    part: T = value[name]
    return part


def _questions(path: Path) -> dict[str, Question]:
    try:
        return {
            _name(name): Question(**value) for name, value in _part(path, "questions", dict).items()
        }
    except TypeError:
        raise Stop(f"{path}: each question has question and question_date, no more") from None


def _arm(name: str, value: Any) -> Arm:
    place = f"goldens/arms.toml: [{_name(name)}]"
    if not isinstance(value, dict) or set(value) != {"why", "env"}:
        raise Stop(f"{place} must hold why and env, and nothing else")
    env = value["env"]
    if not isinstance(env, dict) or not all(isinstance(each, str) for each in env.values()):
        raise Stop(f"{place} env must be a table of strings")
    return Arm(name, env, str(value["why"]))


def _name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise Stop(f"goldens: the name {name!r} must be of a-z, 0-9 and _ alone")
    return name


def arm_env(project: Project, arm: str) -> Mapping[str, str]:
    """The environment of an arm. Raises Stop, listing the arms, when there is no such arm."""
    if arm not in project.arms:
        raise Stop(f"no arm {arm!r}: one of {', '.join(project.arms)}")
    return project.arms[arm].env
