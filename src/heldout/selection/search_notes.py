"""What there is to say of a search: warnings, failures, and scores that rank badly."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.notes import Kind
from heldout.tally.class_scores import ClassScores
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from heldout.learners.fit import FoldWarning
    from heldout.learners.outcome import Outcome
    from heldout.selection.scoring import Scored
    from heldout.selection.search import Search

__all__ = [
    "are_undefined",
    "failure_lines",
    "lack_lines",
    "no_probabilities_note",
    "reasons_of",
    "saturation_note",
    "warning_notes",
]

#: what may differ in the same message of two fits
NUMBER = re.compile(r"\d[\d.,]*(?:e[-+]?\d+)?")


def warning_notes(search: Search) -> list[str]:
    """What models warned of; where several settings warned of the same, in one line."""
    alike: dict[str, list[FoldWarning]] = {}
    for warning in search.warnings:
        alike.setdefault(NUMBER.sub("#", warning.text), []).append(warning)
    return [_warning_note(warnings, len(search.settings)) for warnings in alike.values()]


def _warning_note(warnings: list[FoldWarning], settings: int) -> str:
    names = list(dict.fromkeys(one.model for one in warnings))
    if len(names) < 2:
        return str(warnings[0])
    shown = ", ".join(names) if len(names) < 4 else f"{names[0]} and others"
    fits = sum(one.folds for one in warnings)
    return (
        f"{len(names):,} of {settings:,} settings warned, in {fits:,} fits: {warnings[0].text} "
        f"({shown})"
    )


#: reasons that are told one by one
MOST = 5


@dataclass(slots=True)
class _Reason:
    """A message, and in how many splits each setting gave it or one with other numbers."""

    text: str
    splits: dict[str, int] = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)


def failure_lines(search: Search) -> list[str]:
    """What failed in a search: how many settings, in how many splits, and why."""
    reasons: dict[str, _Reason] = {}
    for setting, score in zip(search.settings, search.scores, strict=True):
        for _, message in score.outcome.failures:
            reason = reasons.setdefault(NUMBER.sub("#", message), _Reason(message))
            reason.splits[setting.name] = reason.splits.get(setting.name, 0) + 1
            if len(reason.splits) > 1:
                reason.texts.add(message)
    total, splits = len(search.settings), len(search.splits)
    listed = list(reasons.values())
    # a single reason too many is told rather than counted
    shown = listed if len(listed) <= MOST + 1 else listed[:MOST]
    lines = [_failure_line(one, total, splits) for one in shown]
    if len(shown) < len(listed):
        lines.append(f"{len(listed) - len(shown):,} further reasons of failures; see the table")
    return lines


def _failure_line(reason: _Reason, total: int, splits: int) -> str:
    names, counts = list(reason.splits), set(reason.splits.values())
    if counts == {splits}:
        where = "every split" if splits > 1 else "the split"
    elif len(counts) == 1:
        where = f"{min(counts):,} of {splits:,} splits"
    else:
        where = f"{min(counts):,} to {max(counts):,} of {splits:,} splits"
    who = ", ".join(names) if len(names) < 4 else f"{names[0]} and {len(names) - 1:,} others"
    if reason.texts - {reason.text}:
        others = "one other" if len(names) == 2 else f"{len(names) - 1:,} others"
        who = f"so {names[0]}; {others} alike, with other numbers"
    return f"{len(names):,} of {total:,} settings failed in {where}: {reason.text} ({who})"


def reasons_of(search: Search) -> str:
    """Why no setting has a value: the one reason, or a line each."""
    lacking = [one for one in search.scores if one.lack is not None]
    notes = list(dict.fromkeys(one.note for one in lacking))
    not_given = [one for one in lacking if one.lack is Kind.NOT_GIVEN]
    if len(not_given) == len(search.scores):
        return _first_reason(not_given)
    if len(notes) < 2:
        return notes[0] if notes else "no value is defined"
    others = [one for one in lacking if one not in not_given and not one.outcome.failures]
    undefined = list(dict.fromkeys(one.note for one in others))
    lines = [*failure_lines(search), *lack_lines(search), *undefined[:MOST]]
    return "\n  ".join(["", *lines])


def are_undefined(search: Search) -> bool:
    """Whether settings were fitted and the measure is undefined in splits."""
    lacking = [one for one in search.scores if one.lack is not None]
    if any(one.lack is Kind.NOT_GIVEN or one.outcome.failures for one in lacking):
        return False
    return bool(lacking) and lacking[0].lack is Kind.UNDEFINED


def lack_lines(search: Search) -> list[str]:
    """That settings do not give what the measure needs, in a line; nothing where all do."""
    not_given = [one for one in search.scores if one.lack is Kind.NOT_GIVEN]
    if not not_given:
        return []
    name, total = search.criterion.name, len(search.settings)
    return [f"{len(not_given):,} of {total:,} settings have no {name}: {_first_reason(not_given)}"]


def _first_reason(scores: list[Scored]) -> str:
    more = len(scores) - 1
    return f"{scores[0].reason}{f', and {more:,} more alike' * bool(more)}"


def no_probabilities_note(search: Search) -> str:
    """What is wrong with the values that a measure of scores decided by; empty where nothing is.

    Decision values are not meant to be probabilities, and rank as they should.
    """
    if not {ScoreCounts, TopLabel, ClassScores} & set(search.criterion.request.measure.needs):
        return ""
    problems = [
        problem
        for one in search.scores
        if one.tallies is not None and one.outcome.score_kind == "probability"
        if (problem := one.tallies.predictions.score_problem)
    ]
    if not problems:
        return ""
    more = f" (and {len(problems) - 1:,} more of {len(search.settings):,} settings)"
    return (
        f"{search.criterion.name} takes values of predict_proba as a ranking, though they are no "
        f"probabilities: {problems[0]}{more * (len(problems) > 1)}"
    )


#: the share of rows from which on it is said
MANY = 0.01


def saturation_note(search: Search) -> str:
    """That rows tie at 0 and 1 which decision values would rank; empty where few do.

    scikit-learn's scorers of rankings ask for decision values first, so that its values differ.
    """
    request = search.criterion.request
    if not {ScoreCounts, ClassScores} & set(request.measure.needs):
        return ""
    shares = [
        _share(score.outcome) if _decides(setting.model.estimator) else 0.0
        for setting, score in zip(search.settings, search.scores, strict=True)
    ]
    most = int(np.argmax(shares))
    if shares[most] <= MANY:
        return ""
    return (
        f"{search.criterion.name} ranks by probabilities, and {shares[most]:.0%} of those of "
        f"{search.settings[most].name} are exactly 0 or 1: these rows tie. scikit-learn's scorers "
        "rank by decision_function, and may choose another setting; so does heldout of an "
        "estimator without predict_proba (a subclass with predict_proba = None)"
    )


def _decides(estimator: Any) -> bool:
    return callable(getattr(estimator, "decision_function", None))


def _share(outcome: Outcome) -> float:
    """The share of rows whose probability (of two classes that of the second) is 0 or 1."""
    if outcome.score_kind != "probability" or outcome.scores is None or not len(outcome.rows):
        return 0.0
    of_two = outcome.scores.shape[1] == 2
    scores = outcome.scores[:, 1:] if of_two else outcome.scores
    sure = (scores == 1).any(axis=1)
    if of_two:
        sure |= scores[:, 0] == 0
    return float(np.mean(sure))
