"""What there is to say of a search: warnings, failures, and scores that rank badly."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.dialect import argument
from heldout.core.errors import InputError
from heldout.core.notes import Kind
from heldout.evaluation.evaluation import PARTLY, REFIT, WITHOUT_REFITTING, unprepared
from heldout.tally.class_scores import ClassScores
from heldout.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from heldout.learners.fit import FoldWarning
    from heldout.learners.outcome import Outcome
    from heldout.selection.scoring import Scored
    from heldout.selection.search import Search

#: what may differ in the same message of two fits
NUMBER = re.compile(r"\d[\d.,]*(?:e[-+]?\d+)?")


def warning_notes(search: Search) -> list[str]:
    """What models warned of; where several settings warned of the same, in one line."""
    alike: dict[str, list[FoldWarning]] = {}
    for warning in search.warnings:
        alike.setdefault(NUMBER.sub("#", warning.text), []).append(warning)
    return [_warning_note(warnings, len(search.settings)) for warnings in alike.values()]


def _warning_note(warnings: list[FoldWarning], settings: int) -> str:
    names = list(dict.fromkeys(warning.model for warning in warnings))
    if len(names) < 2:
        return str(warnings[0])
    shown = ", ".join(names) if len(names) < 4 else f"{names[0]} and others"
    fits = sum(warning.folds for warning in warnings)
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


def failure_lines(search: Search, say: Callable[[str], str] = str) -> list[str]:
    """What failed in a search: how many settings, in how many splits, and why.

    ``say`` gives what is said of a message of an estimator.
    """
    reasons: dict[str, _Reason] = {}
    for setting, score in zip(search.settings, search.scores, strict=True):
        for message in (say(message) for _, message in score.outcome.failures):
            reason = reasons.setdefault(NUMBER.sub("#", message), _Reason(message))
            reason.splits[setting.name] = reason.splits.get(setting.name, 0) + 1
            if len(reason.splits) > 1:
                reason.texts.add(message)
    total, splits = len(search.settings), len(search.splits)
    listed = list(reasons.values())
    # a single reason too many is told rather than counted
    shown = listed if len(listed) <= MOST + 1 else listed[:MOST]
    lines = [_failure_line(reason, total, splits) for reason in shown]
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
        who = f"so {names[0]}; {others} similarly, with other numbers"
    return f"{len(names):,} of {total:,} settings failed in {where}: {reason.text} ({who})"


def refuse_nothing(search: Search) -> None:
    """An error where no setting has a value, or none has a finite one."""
    criterion, best = search.criterion, search.best
    if best >= 0:
        if criterion.goodness(search.values[best]) == -np.inf:
            raise InputError(_endless(search))
        return
    pairs = zip(search.settings, search.scores, strict=True)
    hints = (unprepared(setting.model, score.outcome, search.dataset) for setting, score in pairs)
    hint = next(filter(None, hints), "")
    # what estimators say at length is said in the hint
    lines = _reasons(search, (lambda message: message.partition(". ")[0]) if hint else str)
    if _are_undefined(search):
        lines[-1] += f"; use larger folds, or all folds together: {argument('aggregate', 'pooled')}"
    several = len(lines) > 1
    reasons = "".join(f"\n  {line}" for line in lines) if several else f" {lines[0]}"
    raise InputError(
        f"no setting has a value of {criterion.name}:{reasons}{f'{chr(10)}{hint}' * bool(hint)}"
    )


def _reasons(search: Search, say: Callable[[str], str]) -> list[str]:
    """Why no setting has a value: the only reason, or all of them."""
    lacking = [score for score in search.scores if score.lack is not None]
    notes = list(dict.fromkeys(score.worded(say(score.reason)) for score in lacking))
    not_given = [score for score in lacking if score.lack is Kind.NOT_GIVEN]
    if len(not_given) == len(search.scores):
        return [_first_reason(not_given)]
    if len(notes) < 2:
        return notes or ["no value is defined"]
    others = [s for s in lacking if s not in not_given and not s.outcome.failures]
    undefined = list(dict.fromkeys(score.note for score in others))
    return [*failure_lines(search, say), *lack_lines(search), *undefined[:MOST]]


def _are_undefined(search: Search) -> bool:
    """Whether settings were fitted and the measure is undefined in splits."""
    lacking = [score for score in search.scores if score.lack is not None]
    if any(score.lack is Kind.NOT_GIVEN or score.outcome.failures for score in lacking):
        return False
    return bool(lacking) and lacking[0].lack is Kind.UNDEFINED


def _endless(search: Search) -> str:
    """That settings which are all infinitely bad leave no choice, and what can decide."""
    name, chosen = search.criterion.name, search.criterion.request.measure
    fix = "choose by a measure that is finite"
    if any(parameter.name == "clip" for parameter in chosen.parameters):
        fix = f'choose by "{chosen.name}[clip=1e-15]", or by brier or accuracy'
    return (
        f"no setting has a finite {name}: in some rows the true class was given probability "
        f"0; {fix}"
    )


def lack_lines(search: Search) -> list[str]:
    """That settings do not give what the measure needs, in a line; nothing where all do."""
    not_given = [score for score in search.scores if score.lack is Kind.NOT_GIVEN]
    if not not_given:
        return []
    name, total = search.criterion.name, len(search.settings)
    return [f"{len(not_given):,} of {total:,} settings have no {name}: {_first_reason(not_given)}"]


def _first_reason(scores: list[Scored]) -> str:
    more = len(scores) - 1
    return f"{scores[0].reason}{f', and {more:,} more like it' * bool(more)}"


def score_notes(search: Search) -> Iterator[str]:
    """What is wrong with the values that a measure of scores decided by.

    Decision values are not meant to be probabilities, and rank as they should.
    """
    if not {ScoreCounts, TopLabel, ClassScores} & set(search.criterion.request.measure.needs):
        return
    problems = [
        problem
        for score in search.scores
        if score.tallies is not None and score.outcome.score_kind == "probability"
        if (problem := score.tallies.predictions.score_problem)
    ]
    if not problems:
        return
    more = f" (and {len(problems) - 1:,} more of {len(search.settings):,} settings)"
    yield (
        f"{search.criterion.name} takes values of predict_proba as a ranking, though they are not "
        f"probabilities: {problems[0]}{more * (len(problems) > 1)}"
    )


#: the share of rows from which on it is said
MANY = 0.01


def saturation_notes(search: Search) -> Iterator[str]:
    """That rows tie at 0 and 1 which decision values would rank, unless few do.

    scikit-learn's scorers of rankings ask for decision values first, so that its values differ.
    """
    request = search.criterion.request
    if not {ScoreCounts, ClassScores} & set(request.measure.needs):
        return
    shares = [
        _share(score.outcome) * hasattr(setting.model.estimator, "decision_function")
        for setting, score in zip(search.settings, search.scores, strict=True)
    ]
    most = int(np.argmax(shares))
    if shares[most] <= MANY:
        return
    yield (
        f"{search.criterion.name} ranks by probabilities, and {shares[most]:.0%} of those of "
        f"{search.settings[most].name} are exactly 0 or 1: these rows tie. scikit-learn's scorers "
        "rank by decision_function, and may choose another setting; so does heldout of an "
        "estimator without predict_proba (a subclass with predict_proba = None)"
    )


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


#: what values are of, where settings know the groups that they are judged on
CUT = (
    "splits cut groups: settings are trained on rows of the groups that they are judged on, so "
    "values (and the choice) are for new rows of known groups, not for new "
    "groups; use splits that keep groups whole for those"
)


def path_lines(search: Search) -> Iterator[str]:
    """Which exact paths were taken, wholly or beside refitted splits."""
    scores = (score for score in search.scores if len(score.outcome.splits))
    paths = [{*score.outcome.path.split(", ")} for score in scores]
    mixed = {part for path in paths if REFIT in path for part in path} - {REFIT}
    wholly = {part for path in paths for part in path} - {REFIT} - mixed
    for how, named in (("", wholly), (PARTLY, mixed)):
        if named:
            yield f"{how}{WITHOUT_REFITTING}{'; '.join(sorted(named))}"


#: what there is to look at in a search; each gives its lines, in the order in which they are said
REMARKS: tuple[Callable[[Search], Iterable[str]], ...] = (
    warning_notes,
    lambda search: [CUT] * search.cuts_groups,
    lambda search: filter(None, [search.criterion.note]),
    score_notes,
    saturation_notes,
    failure_lines,
    lack_lines,
    lambda search: map(str, search.dropped.values()),
    path_lines,
)
