"""Measures of scores for many small parts of the rows in the same passes."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.ratio import ratio
from heldout.measures.kinds import BinGaps, Fit

if TYPE_CHECKING:
    from collections.abc import Callable

    from heldout.core.arrays import Floats
    from heldout.measures.registry import Measure
    from heldout.tally.scores import ScoreParts


def values_of_parts(measure: Measure, parts: ScoreParts, **given: Any) -> Floats:
    """The value of a measure of scores, of each part; NaN where it is undefined.

    What the kind of the measure says is used for all parts at once; any other measure is
    called for each part.

    Examples
    --------
    >>> from heldout.measures.spec import parse_request
    >>> from heldout.tally.scores import ScoreParts
    >>> truth, score = np.array([True, False, True, False]), np.array([0.9, 0.8, 0.3, 0.7])
    >>> parts = ScoreParts.of(truth, score, np.array([0, 0, 1, 1]), 2)
    >>> values_of_parts(parse_request("auc").measure, parts)
    array([1., 0.])
    """
    kind = measure.kind
    if measure.area is not None:
        return np.asarray(measure.area(areas_of_parts(parts)))
    if measure.of_parts is not None:
        return measure.of_parts(parts, **given)
    if isinstance(kind, BinGaps) and given["bins"] > 0 and given["strategy"] == "width":
        return _gaps(kind.value, parts, **given)
    if isinstance(kind, Fit):
        kind.together(parts.each, **given)
    # one after the other: of few scores NumPy does not let go of Python's lock
    return np.array([float(measure(tally, **given)) for tally in parts.each])


def areas_of_parts(parts: ScoreParts) -> Floats:
    """The area under the ROC curve of each part; NaN unless both classes have rows."""
    positives = parts.positives.astype(parts.tp.dtype)
    twice = parts.sums(parts.negatives * (2 * parts.tp - positives))
    pairs = 2 * parts.total_positives * parts.total_negatives
    # weights are summed in another order above than in the totals: at most a rounding over 1
    return np.minimum(ratio(twice, pairs), 1.0)


def _gaps(value: Callable[..., Any], parts: ScoreParts, *, bins: int, **given: Any) -> Floats:
    """A function of the gaps of bins of equal width, open below, of each part."""
    number = np.clip(np.ceil(parts.score * bins).astype(np.int64) - 1, 0, bins - 1)
    # borders are number / bins, which a product with the score may miss by a rounding
    number -= (parts.score <= number / bins) & (number > 0)
    number += (parts.score > (number + 1) / bins) & (number < bins - 1)
    bin_of = np.repeat(np.arange(len(parts)), parts.lengths) * bins + number
    weight = parts.positives + parts.negatives
    sums = [
        np.bincount(bin_of, each, minlength=len(parts) * bins).reshape(len(parts), bins)
        for each in (weight, parts.positives, weight * parts.score)
    ]
    total, positives, scores = sums
    gap = np.where(total > 0, ratio(scores, total) - ratio(positives, total), 0.0)
    named = inspect.signature(value).parameters
    with np.errstate(invalid="ignore"):
        return np.asarray(value(total, gap, **{k: v for k, v in given.items() if k in named}))
