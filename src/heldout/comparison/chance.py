"""Models against chance: the no-information rate, and predictions permuted without refitting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.values import lacking, overall
from heldout.comparison.count_differences import permutation_p_value
from heldout.core.errors import InputError
from heldout.core.random import stream
from heldout.engines.memory import Tallies
from heldout.intervals.resampling import row_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

__all__ = [
    "ChanceResult",
    "NO_INFORMATION",
    "against_chance",
    "against_no_information",
    "permuted_predictions",
]

NO_INFORMATION = "exact binomial test against the no-information rate"
RATE_QUESTION = (
    "no-information rate: is the model right more often than if it always named the class that "
    "is most frequent in these rows?"
)
PERMUTED_QUESTION = (
    "permuted: have these predictions anything to do with the truth of these rows? The models "
    "are not fitted again (heldout evaluate --permutations does that)"
)
#: a row permuted costs more than a cell: fewer unless more are asked for
ROW_DRAWS = 1000


@dataclass(frozen=True, slots=True)
class ChanceResult:
    """A model's value, what chance gives, and how often chance alone does as well."""

    model: str
    measure: str
    test: str
    value: float
    by_chance: float
    p_value: float
    question: str
    note: str = ""
    #: what the value is of where that could be doubted: ``pooled``, ``mean of folds``
    of: str = ""


def against_chance(
    predictions: Sequence[Predictions],
    requests: Sequence[Request],
    *,
    permutations: int = ROW_DRAWS,
    seed: int = 1,
) -> tuple[ChanceResult, ...]:
    """Each model against the no-information rate, then by each measure with rows permuted."""
    made = [against_no_information(p) for p in predictions if p.task != "regression"]
    for request in requests:
        made += [
            permuted_predictions(request, p, permutations=permutations, seed=seed)
            for p in predictions
        ]
    return tuple(made)


def against_no_information(p: Predictions) -> ChanceResult:
    """Whether accuracy is above the share of the most frequent class, by exact binomials.

    Examples
    --------
    >>> import heldout
    >>> right = heldout.from_arrays([0, 0, 1, 1, 0, 1, 0, 1], [0, 0, 1, 1, 0, 1, 0, 1], pos_label=1)
    >>> against_no_information(right).p_value
    0.00390625
    """
    from scipy.stats import binomtest

    if p.predicted is None:
        raise InputError(f"{p.model}: accuracy needs predicted labels (or a --threshold)")
    rows = len(p)
    right = int((p.truth == p.predicted).sum())
    counts = np.bincount(p.truth, minlength=len(p.classes))
    rate = float(counts.max() / rows)
    said = (p.model, "accuracy", NO_INFORMATION, right / rows, rate)
    for reason, found in (
        ("weights", p.weight is not None),
        ("groups of rows that depend on each other", p.design.group is not None),
        ("rows that were predicted in several repeats", p.design.repeat is not None),
    ):
        if found:
            note = f"no exact test: the binomial distribution does not know of {reason}"
            return ChanceResult(*said, nan, RATE_QUESTION, note)
    p_value = float(binomtest(right, rows, rate, alternative="greater").pvalue)
    return ChanceResult(*said, p_value, RATE_QUESTION)


def permuted_predictions(
    request: Request, p: Predictions, *, permutations: int = ROW_DRAWS, seed: int = 1
) -> ChanceResult:
    """How often a model does as well when its predictions are dealt out to other rows.

    Rows are exchanged within each fold (and repeat), for other folds have other models. The
    data themselves count as one draw, so p is never 0.
    """
    reason = lacking(request, Tallies(p))
    if reason:
        raise InputError(f"{request.name} {reason}")
    if p.design.group is not None:
        raise InputError(
            "rows that depend on each other (--group) cannot be exchanged one by one: leave out "
            "--chance, or take heldout evaluate --permutations"
        )
    p = p.take(row_order(p))
    observed = overall(request, Tallies(p)).value
    parts = _parts(p)
    rng = stream(seed, "permuted predictions", request.name)
    values = np.empty(permutations)
    for draw in range(permutations):
        order = np.arange(len(p))
        for part in parts:
            order[part] = part[rng.permutation(len(part))]
        values[draw] = overall(request, Tallies(replace(p, truth=p.truth[order]))).value
    side = {"up": "greater", "down": "less"}.get(request.measure.direction, "two-sided")
    centre = float(np.nanmean(values)) if not np.isnan(values).all() else nan
    # without a direction, far from what chance gives on average counts
    shift = centre if side == "two-sided" else 0.0
    method = f"predictions permuted {permutations:,} times, not refitted (seed {seed})"
    found = permutation_p_value(values - shift, observed - shift, method, side)
    return ChanceResult(
        p.model,
        request.name,
        method,
        observed,
        centre,
        found.p_value,
        PERMUTED_QUESTION,
        found.note,
    )


def _parts(p: Predictions) -> list[NDArray[Any]]:
    """The rows of each split."""
    codes = np.zeros(len(p), np.int64)
    for column in (p.design.repeat, p.design.fold):
        if column is not None:
            codes = codes * len(column.levels) + column.codes
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
