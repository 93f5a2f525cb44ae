"""Labels a careful reader would ask about: spelled missing values, amounts, disagreement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.threads import blocks
from heldout.predictions.part import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.labels import LabelColumn
    from heldout.predictions.part import Part
    from heldout.predictions.table import Predictions

__all__ = ["disagreement", "many_numbers", "refuse_spelled_missing"]

#: how programs spell a missing value, without case; a class may be called so, but must be declared
MISSING = {"", "na", "n/a", "#n/a", "<na>", "nan", "null", "nil"}
#: more distinct whole numbers than this may be amounts rather than classes
MANY = 12


def refuse_spelled_missing(column: LabelColumn, role: str) -> None:
    """A label such as NA or nan is a missing value, unless the reader declares it a class."""
    for level in column.occurring:
        if not isinstance(level, str) or level.strip().casefold() not in MISSING:
            continue
        part = column.part
        bad = column.codes == list(column.levels).index(level)
        fix = f"fill in the {role} of these rows or remove them"
        raise InputError(
            f"{part.complaint(column.name, bad, f'{level!r}, which spells a missing value,')}; "
            f"{fix} (if it is a class, name all classes with {part.flag('labels')})"
        )


def many_numbers(truth: LabelColumn) -> str:
    """A note where the classes are so many whole numbers that they may be amounts."""
    count = len(truth.occurring)
    if count <= MANY or truth.family != "number":
        return ""
    part = truth.part
    return (
        f"task: classification (guessed: {part.called(truth.name)} has {count:,} distinct whole "
        f"numbers, each taken as a class; if they are amounts, say "
        f"{part.flag('task', 'regression')})"
    )


def disagreement(part: Part, predictions: Predictions) -> str:
    """A note where the predicted labels are not what the probabilities say."""
    predicted, scores = predictions.predicted, predictions.scores
    if predicted is None or scores is None:
        return ""
    if predictions.positive is None:
        bad = _not_largest(predicted, scores)
        what = "score" if predictions.score_problem else "probability"
        return _said(part, bad, f"other than the class with the largest {what}")
    called = predicted == predictions.positive
    cut = 0.0 if predictions.score_problem else 0.5
    bad = called != (scores >= cut)
    if not bad.any():
        return ""
    lowest = float(np.min(scores[called], initial=np.inf))
    highest = float(np.max(scores[~called], initial=-np.inf))
    if lowest > highest:
        # some threshold makes just these labels, which may be meant
        return "" if predictions.score_problem else _other_cut(bad, highest, lowest)
    if predictions.score_problem:
        return "predicted labels are such that no threshold on the score gives"
    text = _said(part, bad, "other than score >= 0.5 says, and no other threshold gives them")
    if np.count_nonzero(bad) > len(bad) / 2:
        text += f"; is the score that of {predictions.classes[predictions.positive]!r}?"
    return text


def _other_cut(bad: NDArray[np.bool_], highest: float, lowest: float) -> str:
    """That labels are those of another threshold than 0.5, and which."""
    limits = [f"above {highest:.10g}"] if np.isfinite(highest) else []
    limits += [f"up to {lowest:.10g}"] if np.isfinite(lowest) else []
    count = int(np.count_nonzero(bad))
    return (
        f"predicted labels are those of a threshold {' and '.join(limits)}, not 0.5 "
        f"({plural(count, 'row')} {'differs' if count == 1 else 'differ'})"
    )


def _not_largest(predicted: NDArray[Any], scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Rows whose predicted class has a smaller score than another; a tie is no disagreement."""
    bad = np.empty(len(scores), np.bool_)
    for block in blocks(len(scores)):
        part = scores[block]
        bad[block] = part[np.arange(len(part)), predicted[block]] < part.max(axis=1)
    return bad


def _said(part: Part, bad: NDArray[np.bool_], what: str) -> str:
    number = int(np.count_nonzero(bad))
    if not number:
        return ""
    verb = "has a predicted label" if number == 1 else "have predicted labels"
    return f"{plural(number, 'row')} {verb} {what} (first: {part.place(int(np.argmax(bad)))})"
