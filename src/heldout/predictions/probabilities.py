"""What scores say once they are read: whether they are probabilities, and labels they imply."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from heldout.core.errors import InputError
from heldout.core.threads import blocks
from heldout.core.wording import plural
from heldout.predictions.dialects import has_decisions

if TYPE_CHECKING:
    from heldout.core.arrays import Array, Booleans, Floats
    from heldout.predictions.options import Roles
    from heldout.predictions.table import Predictions
    from heldout.tables.table import Part

#: how far from 1 the probabilities of a row may add up, and how far one may lie outside [0, 1],
#: relative to the largest: what float32 and printed digits leave
SUM_TOLERANCE = 1e-6
#: a little above, since 0.636962 + 0.363039 is off by a hair more than 1e-6
SUM_SLACK = SUM_TOLERANCE * (1 + 1e-6)
#: up to this deviation of a sum, rounded digits are the likely reason
ROUNDING = 0.05
#: 1 less a probability has lost half of its digits below this
SMALL = 1e-8


def finish(
    names: tuple[str, ...], roles: Roles, part: Part, predictions: Predictions
) -> Predictions:
    """The predictions of one model: scores judged, labels made where only scores are given."""
    scores, positive, threshold = predictions.scores, predictions.positive, roles.threshold
    if scores is None:
        return predictions
    low, high = ranking(part, names, scores)
    are_decisions, notes = has_decisions(part, names), []
    if not are_decisions:
        scores, note = within_unit(scores, low, high)
        notes.append(note)
    if roles.normalise:
        scores, note = _normalise(part, names, scores)
        notes.append(note)
    if any(notes):
        predictions = replace(predictions, notes=(*predictions.notes, *filter(None, notes)))
        low, high = float(scores.min()), float(scores.max())
    problem = _probability_problem(part, names, scores, low, high)
    if problem and are_decisions:
        of = f" of {predictions.model}" if predictions.model else ""
        problem = f"the scores{of} are decision values"
    against = None
    if positive is not None and scores.ndim == 2:
        scores, against = of_two_classes(scores, positive)
    predictions = replace(predictions, scores=scores, against=against, score_problem=problem)
    if predictions.predicted is not None:
        note = _disagreement(part, predictions)
        if note and predictions.model:  # of several models in a table, which one it is
            note = f"{predictions.model}: {note}"
        return replace(predictions, notes=(*predictions.notes, note)) if note else predictions
    if positive is None:
        return _with_largest(predictions, scores)
    if threshold is None and problem:
        note = (
            f"no labels: scores that are no probabilities need {part.flag('threshold')}, so "
            "confusion measures are not given"
        )
        return replace(predictions, notes=(*predictions.notes, note))
    cut = 0.5 if threshold is None else float(threshold)
    above = scores >= cut
    note = f"labels: score >= {cut:g} is {predictions.classes[positive]!r}"
    return replace(
        predictions,
        predicted=(above if positive else ~above).view(np.int8),
        threshold=cut,
        notes=(*predictions.notes, note if threshold is not None else f"{note} (by default)"),
    )


def _with_largest(predictions: Predictions, scores: Floats) -> Predictions:
    """Each row labelled with the class of its largest score."""
    chosen, ties = _largest(scores, predictions.truth.dtype)
    notes = ["labels: the class with the largest probability"]
    if ties:
        tie = "1 row ties" if ties == 1 else f"{ties:,} rows tie"
        notes.append(f"{tie} for the largest probability; the first class in order was taken")
    return replace(predictions, predicted=chosen, notes=(*predictions.notes, *notes))


def _largest(scores: Floats, dtype: Any) -> tuple[Array, int]:
    """The class of the largest score of each row (ties: the first), and how many rows tie."""
    chosen = np.empty(len(scores), dtype)
    ties = 0
    for block in blocks(len(scores)):
        part = scores[block]
        best = part.argmax(axis=1)
        chosen[block] = best
        top = part[np.arange(len(part)), best]
        ties += int(np.count_nonzero(np.count_nonzero(part == top[:, None], axis=1) > 1))
    return chosen, ties


def ranking(part: Part, names: tuple[str, ...], scores: Floats) -> tuple[float, float]:
    """The smallest and the largest score, if none is NaN.

    An infinite one is above or below all others, and is no probability: what needs
    probabilities says so, whatever the other rows are.
    """
    low, high = float(np.min(scores)), float(np.max(scores))
    if np.isnan(low):
        bad = np.isnan(scores)
        column = int(np.argmax(bad.any(axis=0))) if scores.ndim == 2 else 0
        fix = "the score must be a number in every row (inf and -inf are above and below all)"
        part.refuse(names[column], bad if bad.ndim == 1 else bad[:, column], "NaN", fix)
    return low, high


def _probability_problem(
    part: Part, names: tuple[str, ...], scores: Floats, low: float, high: float
) -> str:
    """Why finite scores are no probabilities, or nothing: the measures that need them ask."""
    fault = improper(scores, low, high)
    if fault is None:
        return ""
    if fault.column is None:
        problem = part.complaint(names, fault.bad, f"probabilities {fault.what}")
    else:
        name = names[fault.column] if fault.column < len(names) else names[0]
        problem = part.complaint(name, fault.bad, f"score {fault.what}")
    if fault.is_rounded:
        problem += (
            f"; the largest deviation, {fault.worst:.2g}, looks like rounding: write more digits, "
            f"or say {part.flag('normalise', True)} to divide each row by its sum"
        )
    return problem


def within_unit(scores: Floats, low: float, high: float) -> tuple[Floats, str]:
    """Scores that rounding took out of [0, 1] moved to its border, and a note that says so.

    Others stay as they are: they rank, and are no probabilities.

    Examples
    --------
    >>> within_unit(np.array([0.5, 1.0000000000000002]), 0.5, 1.0000000000000002)[0].tolist()
    [0.5, 1.0]
    """
    beyond = max(-low, high - 1.0)
    if not 0 < beyond <= SUM_SLACK * min(max(-low, high), 1.0):
        return scores, ""
    inside = np.clip(scores, 0.0, 1.0)
    moved = inside != scores
    rows = int(np.count_nonzero(moved if moved.ndim == 1 else moved.any(axis=1)))
    return inside, (
        f"probabilities of {plural(rows, 'row')} lie outside [0, 1] by rounding, at most by "
        f"{beyond:.2g}: taken as 0 or 1"
    )


class Improper(NamedTuple):
    """What keeps scores from being probabilities, and in which rows."""

    what: str
    bad: Booleans
    #: the column of values outside 0 to 1; None where the sums of rows are wrong
    column: int | None = None
    #: how far the sums are from 1 at most
    worst: float = 0.0

    @property
    def is_rounded(self) -> bool:
        """Whether sums are off by so little that rounded digits are the likely reason."""
        return self.column is None and self.worst <= ROUNDING


def improper(scores: Floats, low: float, high: float) -> Improper | None:
    """What keeps finite scores between ``low`` and ``high`` from being probabilities, if any.

    Examples
    --------
    >>> improper(np.array([[0.5, 0.5], [0.9, 0.9]]), 0.5, 0.9).what
    'do not sum to 1 (1.8)'
    """
    if low < 0 or high > 1:
        bad = (scores < 0) | (scores > 1)
        column = int(np.argmax(bad.any(axis=0))) if scores.ndim == 2 else 0
        if scores.ndim == 2:
            bad, scores = bad[:, column], scores[:, column]
        value = float(scores[int(np.argmax(bad))])
        return Improper(f"outside [0, 1] ({_beyond(value)})", bad, column)
    if scores.ndim == 1:
        return None
    sums = _row_sums(scores)
    if float(sums.min()) >= 1 - SUM_SLACK and float(sums.max()) <= 1 + SUM_SLACK:
        return None
    deviation = np.abs(sums - 1)
    bad = deviation > SUM_SLACK
    total = float(sums[int(np.argmax(bad))])
    return Improper(f"do not sum to 1 ({total:.9g})", bad, worst=float(deviation.max()))


def _beyond(value: float) -> str:
    """A number outside 0 to 1 with digits enough to show that it is.

    Examples
    --------
    >>> _beyond(1.5), _beyond(1 + 1e-7), _beyond(-1e-20)
    ('1.5', '1.0000001', '-1e-20')
    """
    texts = (f"{value:.{digits}g}" for digits in range(6, 18))
    return next(text for text in texts if not 0 <= float(text) <= 1)


def _row_sums(scores: Floats) -> Floats:
    """What the scores of each row add up to."""
    if scores.shape[1] > 8:
        return scores.sum(axis=1)
    # NumPy is slow at many short sums
    sums = scores[:, 0].copy()
    for i in range(1, scores.shape[1]):
        sums += scores[:, i]
    return sums


def _normalise(part: Part, names: tuple[str, ...], scores: Floats) -> tuple[Floats, str]:
    """The probabilities of each row divided by their sum, and a note of what that changed."""
    flag = part.flag("normalise")
    if scores.ndim != 2:
        raise InputError(
            f"{flag} divides the probabilities of all classes by their sum, and "
            f"{part.called(*names)} is the score of one; leave it out"
        )
    if float(scores.min()) < 0:
        bad = np.min(scores, axis=1) < 0
        raise InputError(
            f"{part.complaint(names, bad, 'a negative score')}; {flag} is for probabilities"
        )
    sums = _row_sums(scores)
    deviation = np.abs(sums - 1)
    worst = float(deviation.max())
    if worst > ROUNDING:
        bad = deviation > ROUNDING
        total = float(sums[int(np.argmax(bad))])
        raise InputError(
            f"{part.complaint(names, bad, f'scores sum to {total:.6g}')}; "
            f"{flag} corrects sums that are off by {ROUNDING:g} at most: these are no "
            f"rounded probabilities"
        )
    off = deviation > SUM_SLACK
    count = int(np.count_nonzero(off))
    if not count:
        return scores, f"{flag}: the probabilities of every row sum to 1 already; none changed"
    worst_row = part.place(int(np.argmax(deviation)))
    note = (
        f"probabilities of each row divided by their sum: {plural(count, 'row')} of {len(sums):,} "
        f"{'was' if count == 1 else 'were'} off, by at most {worst:.2g} ({worst_row})"
    )
    return scores / sums[:, None], note


def of_two_classes(both: Floats, positive: int) -> tuple[Floats, Floats | None]:
    """The probability of the positive class; that of the other where 1 less it loses digits.

    Beside a probability that is 1 to rounding the other class may have 1e-20, which is unlikely
    and not impossible: its logarithm is finite. None where 1 less the first says the same.

    Examples
    --------
    >>> score, against = of_two_classes(np.array([[1e-20, 1.0], [0.4, 0.6]]), 1)
    >>> score.tolist(), against.tolist()
    ([1.0, 0.6], [1e-20, 0.4])
    >>> of_two_classes(np.array([[0.0, 1.0], [0.4, 0.6]]), 1)[1] is None
    True
    """
    score = np.ascontiguousarray(both[:, positive])
    other = both[:, 1 - positive]
    rest = 1.0 - score
    # where both do not add to 1 the table is doubtful in more than its last digits
    lost = (other > 0) & (other < SMALL) & (rest < SMALL) & (rest != other)
    return score, np.where(lost, other, rest) if lost.any() else None


def _disagreement(part: Part, predictions: Predictions) -> str:
    """A note where the predicted labels are not what the probabilities say."""
    predicted, scores = predictions.predicted, predictions.scores
    if predicted is None or scores is None:
        return ""
    if predictions.positive is None:
        bad = _not_largest(predicted, scores)
        what = "score" if predictions.score_problem else "probability"
        return _row_note(part, bad, f"other than the class with the largest {what}")
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
    text = _row_note(
        part, bad, "contrary to score >= 0.5 and to every other threshold on the score"
    )
    if np.count_nonzero(bad) > len(bad) / 2:
        text += f"; is the score that of {predictions.classes[predictions.positive]!r}?"
    return text


def _other_cut(bad: Booleans, highest: float, lowest: float) -> str:
    """That labels are those of another threshold than 0.5, and which."""
    limits = [f"above {highest:.10g}"] if np.isfinite(highest) else []
    limits += [f"up to {lowest:.10g}"] if np.isfinite(lowest) else []
    count = int(np.count_nonzero(bad))
    return (
        f"predicted labels are those of a threshold {' and '.join(limits)}, not 0.5 "
        f"({plural(count, 'row')} {'differs' if count == 1 else 'differ'})"
    )


def _not_largest(predicted: Array, scores: Floats) -> Booleans:
    """Rows whose predicted class has a smaller score than another; a tie is no disagreement."""
    bad = np.empty(len(scores), np.bool_)
    for block in blocks(len(scores)):
        part = scores[block]
        bad[block] = part[np.arange(len(part)), predicted[block]] < part.max(axis=1)
    return bad


def _row_note(part: Part, bad: Booleans, what: str) -> str:
    number = int(np.count_nonzero(bad))
    if not number:
        return ""
    verb = "has a predicted label" if number == 1 else "have predicted labels"
    return f"{plural(number, 'row')} {verb} {what} (first: {part.place(int(np.argmax(bad)))})"
