"""A run's checkpoint: its questions and their phases."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reference.text import well_formed_json

from ..exits import Stop
from ..project.json_files import read_json

CHECKPOINT = "checkpoint.json"


def followed(path: Path) -> Any:
    """A checkpoint; results that it keeps in files of their own are read into it. Raises Stop."""
    checkpoint = well_formed_json(read_json(path))
    for search in searches(checkpoint):
        file = search.get("resultFile")
        if "results" not in search and isinstance(file, str):
            found = well_formed_json(read_json(path.parent / file))
            if not isinstance(found, dict) or not isinstance(found.get("results"), list):
                raise Stop(f'{path.parent / file}: expected {{"results": [...]}}')
            search["results"] = found["results"]
    return checkpoint


def searches(checkpoint: Any) -> Iterator[dict[str, Any]]:
    """The search phases of a checkpoint, those that are objects."""
    match checkpoint:
        case {"questions": dict(questions)}:
            for question in questions.values():
                match question:
                    case {"phases": {"search": dict(search)}}:
                        yield search
