"""The project on disk: where it is, its arms, its cases and its questions."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ..exits import Stop
from . import settings
from .installed import ROOT as ROOT
from .json_files import read_json, read_text
from .settings import Settings

T = TypeVar("T")

NAME = re.compile(r"[a-z0-9_]+")
CONTEXT_FILE = "MEMVARA_CONTEXT_FILE"
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
    """Everything that goldens are made from, except the code itself.

    Here that code is `reference/`; with `settings`, it is somebody's program in their repository.
    """

    root: Path  # of the reference, its arms and cases
    arms: dict[str, Arm]
    cases: dict[str, Any]  # the item lists, as JSON holds them
    questions: dict[str, Question]
    routing: list[str]  # questions whose routing verdict is pinned
    calls: dict[str, dict[str, Any]]  # REST calls whose request is pinned
    settings: Settings | None = None

    @property
    def reference(self) -> Path:
        """The watched package in the working tree."""
        return self.root / "reference"

    @property
    def goldens(self) -> Path:
        """The folder that paths in arms are relative to."""
        return self.root / "goldens"

    @property
    def repository(self) -> Path:
        """The folder in git that the guarded code comes from."""
        return self.root if self.settings is None else self.settings.root

    @property
    def outcomes(self) -> Path:
        """The folder of the goldens."""
        folder = self.goldens if self.settings is None else self.settings.goldens
        return folder / "outcomes"


def find_root() -> Path:
    """The project around the current folder, else the one this package was installed from."""
    for folder in (*_upwards(), ROOT):
        if _is_project(folder):
            return folder
    raise Stop(f"{Path.cwd()} is in no project: no folder above it holds goldens/arms.toml")


def find_settings() -> Settings | None:
    """The `goldens.toml` of the repository around the current folder, if it has one.

    Raises Stop for a bad one. A project of a reference needs none.
    """
    for folder in _upwards():
        if (folder / settings.NAME).is_file():
            return settings.load(folder)
        if _is_project(folder):
            return None
    return None


def _upwards() -> list[Path]:
    here = Path.cwd()
    return [here, *here.parents]


def _is_project(folder: Path) -> bool:
    return (folder / "goldens" / "arms.toml").is_file() and (folder / "reference").is_dir()


def load(root: Path | None = None) -> Project:
    """The project at `root` (by default the one around the current folder). Raises Stop."""
    held = find_settings() if root is None else None
    root = root or (find_root() if held is None else ROOT)
    cases = root / "goldens" / "cases"
    named = {"questions", "routing", "calls", "longmemeval_synthetic"}
    files = [path for path in sorted(cases.glob("*.json")) if path.stem not in named]
    project = Project(
        root,
        _arms(root / "goldens" / "arms.toml"),
        {_name(path.stem): _part(path, "items", list) for path in files},
        _questions(cases / "questions.json"),
        _part(cases / "routing.json", "questions", list),
        _part(cases / "calls.json", "calls", dict),
        held,
    )
    return project if held is None else _extended(project, held)


def _extended(project: Project, held: Settings) -> Project:
    """The project with the arms and cases that a repository adds. Raises Stop."""
    arms, cases = {}, {}
    if held.arms is not None:
        arms = _arms(held.arms)
        for arm in arms.values():
            if CONTEXT_FILE in arm.env:  # relative to the file that names it
                arm.env[CONTEXT_FILE] = str(held.arms.parent / arm.env[CONTEXT_FILE].strip())
    if held.cases is not None:
        files = sorted(held.cases.glob("*.json"))
        if not files:
            raise Stop(f"{held.cases} holds no case: a file NAME.json with items")
        cases = {_name(path.stem): _part(path, "items", list) for path in files}
    for kind, ours, theirs in (("arm", project.arms, arms), ("case", project.cases, cases)):
        for name in theirs:
            if name in ours:
                raise Stop(f"{held.root / settings.NAME}: the {kind} {name} is there already")
    return replace(project, arms=project.arms | arms, cases=project.cases | cases)


def _arms(path: Path) -> dict[str, Arm]:
    try:
        held = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Stop(f"{path}: not TOML: {error}") from None
    return {name: _arm(path, name, value) for name, value in held.items()}


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


def _arm(path: Path, name: str, value: Any) -> Arm:
    place = f"{path.parent.name}/{path.name}: [{_name(name)}]"
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
