"""Scoring a ranked run: the turns that the selector kept, against LongMemEval's own labels."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .items import found
from .text import collapse


class ScoringError(ValueError):
    """A run or a data set that can't be scored: where, and what was expected."""


class Tally(NamedTuple):
    """What a run kept. `gold` and `other` count the turns that the selector could have kept."""

    questions: int
    gold_kept: int
    gold: int
    other_kept: int
    other: int

    def recall(self) -> str:
        """The share of gold turns that were kept, to three decimals."""
        return share(self.gold_kept, self.gold)

    def rate(self) -> str:
        """The share of all other turns that were kept, to three decimals."""
        return share(self.other_kept, self.other)


class Verdict(NamedTuple):
    """One turn of a run that counts; `stated` when the run says true or false of it."""

    gold: bool
    kept: bool
    stated: bool


def gold_texts(question: Mapping[str, Any]) -> frozenset[str]:
    """The texts of a data-set item's labelled turns, whitespace collapsed.

    Turns are matched by text alone, so two turns of one text in one haystack collide: where one
    is labelled both count as gold. LongMemEval has no such pair among its 896 labelled turns.
    Raises ScoringError with question and turn for a label that is no label.
    """
    return frozenset(
        collapse(turn["content"])
        for session, turns in enumerate(question["haystack_sessions"])
        for position, turn in enumerate(turns)
        if is_labelled(turn, f"{question['question_id']}: haystack_sessions[{session}][{position}]")
    )


def is_labelled(turn: Mapping[str, Any], place: str) -> bool:
    """Whether a data set's turn holds the answer; `place` names it in the ScoringError."""
    return _flag(turn, "has_answer", place) is True


def score(run: Any, gold: Mapping[str, frozenset[str]]) -> Tally:
    """Tally a run's checkpoint over the questions that `gold` has texts for, by question id.

    Raises ScoringError for a run that is no checkpoint, a turn that is no turn, and a run in
    which there is nothing to score.
    """
    searches = [(name, results) for name, results in _searches(run) if name in gold]
    if not searches:
        raise ScoringError(
            "nothing to score: the data set knows no question that this run searched"
        )
    verdicts = [v for name, results in searches for v in _verdicts(name, results, gold[name])]
    if not any(verdict.stated for verdict in verdicts):
        raise ScoringError("nothing to score: no turn of this run is selected true or false")
    gold_kept = [verdict.kept for verdict in verdicts if verdict.gold]
    other_kept = [verdict.kept for verdict in verdicts if not verdict.gold]
    return Tally(len(searches), sum(gold_kept), len(gold_kept), sum(other_kept), len(other_kept))


def share(kept: int, of: int) -> str:
    """kept / of to three decimals, halves up, on the integers; `n/a` for none of none."""
    if of == 0:
        return "n/a"
    thousandths = (2000 * kept + of) // (2 * of)
    return f"{thousandths // 1000}.{thousandths % 1000:03d}"


def _searches(run: Any) -> Iterator[tuple[str, list[Any]]]:
    """Question id and search results of each question of the run that has both."""
    questions = _at(run, "questions")
    if not isinstance(questions, dict):
        raise ScoringError('not a run: expected a checkpoint, {"questions": {...}}')
    for question in questions.values():
        name = _at(question, "questionId")
        results = _at(question, "phases", "search", "results")
        if isinstance(name, str) and isinstance(results, list):
            yield name, results


def _at(value: Any, *path: str) -> Any:
    """What `value` holds at the end of a path of keys, None when the path breaks off."""
    for key in path:
        value = _fields(value).get(key)
    return value


def _fields(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _verdicts(name: str, results: list[Any], gold: frozenset[str]) -> Iterator[Verdict]:
    """One verdict for each turn that the selector saw; absent is missed, null was not seen."""
    for index, item in enumerate(results):
        if _at(item, "kind") == "turn":
            place = f"{name}: results[{index}]"
            text = item.get("content")
            if not isinstance(text, str):
                raise ScoringError(f"{place}.content: expected a string")
            selected = _flag(item, "selected", place)
            if "selected" not in item or selected is not None:
                yield Verdict(collapse(text) in gold, selected is True, selected is not None)


def _flag(value: Mapping[str, Any], name: str, place: str) -> bool | None:
    """A field that is true, false, null or absent."""
    flag = value.get(name)
    if flag is not None and not isinstance(flag, bool):
        expected = "true, false, null or nothing"
        raise ScoringError(f"{place}.{name}: expected {expected}, found {found(flag)}")
    return flag
