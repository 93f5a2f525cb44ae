"""The difference of two models by any measure: rows or groups resampled, and exchanged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.values import overall
from karat.comparison.count_differences import permutation_p_value
from karat.core.errors import InputError
from karat.core.random import stream
from karat.engines.memory import Tallies
from karat.intervals.bootstrap import limits
from karat.intervals.resampling import RowSampler, in_blocks
from karat.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from karat.comparison.evidence import Evidence
    from karat.intervals.interval import Interval
    from karat.measures.spec import Request
    from karat.predictions.table import Predictions

__all__ = ["row_difference", "row_test"]


def row_difference(
    request: Request,
    predictions: tuple[Predictions, Predictions],
    *,
    groups: NDArray[Any] | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    replicates: int = 1000,
    permutations: int = 1000,
    seed: int = 1,
) -> tuple[Interval, Evidence]:
    """The interval by a paired bootstrap, and the test by exchanging predictions in rows.

    Both models see the same resampled rows, so what they share cancels.
    """
    _refuse_by_rows(request)
    rows = len(predictions[0])
    sampler = RowSampler(rows, groups=groups)

    def resampled(rng: Generator) -> float:
        times = sampler.multiplicities(rng)
        return _difference(request, tuple(_weighted(p, times) for p in predictions))

    drawn = in_blocks(
        resampled, replicates=replicates, rng=stream(seed, "paired rows", request.name), size=rows
    )
    low, high = request.measure.bounds
    unit = "rows" if groups is None else "groups"
    made = limits(
        drawn,
        _difference(request, predictions),
        level=level,
        bounds=(low - high, high - low),
        draws=f"{replicates:,} paired draws of {unit}, seed {seed}",
    )
    return made, row_test(
        request,
        predictions,
        groups=groups,
        alternative=alternative,
        permutations=permutations,
        seed=seed,
    )


def row_test(
    request: Request,
    predictions: tuple[Predictions, Predictions],
    *,
    groups: NDArray[Any] | None = None,
    alternative: str = "two-sided",
    permutations: int = 1000,
    seed: int = 1,
) -> Evidence:
    """Whether the models' predictions of a row (or of all rows of a group) can be exchanged.

    For a measure of rankings that is the row's rank, since scores of two models have no common
    scale.
    """
    _refuse_by_rows(request)
    rows = len(predictions[0])
    codes = None if groups is None else np.unique(groups, return_inverse=True)[1]
    alike = _ranked(predictions) if _is_of_rankings(request) else predictions

    def exchanged(rng: Generator) -> float:
        toss = rng.random(rows if codes is None else int(codes.max()) + 1) < 0.5
        return _difference(request, _exchanged(alike, toss if codes is None else toss[codes]))

    swapped = in_blocks(
        exchanged, replicates=permutations, rng=stream(seed, "exchanged", request.name), size=rows
    )
    unit = "rows" if groups is None else "groups"
    what = unit if alike is predictions else f"ranks in {unit}"
    method = f"paired permutation test ({permutations:,} exchanges of {what}, seed {seed})"
    return permutation_p_value(swapped, _difference(request, predictions), method, alternative)


def _refuse_by_rows(request: Request) -> None:
    if request.measure.by_rows:
        raise InputError(
            f"{request.name} depends on the number of rows as such and cannot be resampled"
        )


def _is_of_rankings(request: Request) -> bool:
    """Whether the measure depends on the order of the scores alone."""
    return request.measure.needs == (ScoreCounts,) and not request.measure.needs_probability


def _ranked(predictions: tuple[Predictions, Predictions]) -> tuple[Predictions, Predictions]:
    """The predictions with the share of rows up to each score instead of the score; ties share."""
    from scipy.stats import rankdata

    def ranked(p: Predictions) -> Predictions:
        if p.scores is None:
            return p
        return replace(p, scores=rankdata(p.scores, axis=0) / len(p))

    return ranked(predictions[0]), ranked(predictions[1])


def _difference(request: Request, predictions: Any) -> float:
    first, second = (overall(request, Tallies(p)).value for p in predictions)
    return first - second


def _weighted(p: Predictions, times: NDArray[Any]) -> Predictions:
    """The rows, each as often as it was drawn; rows not drawn are left out."""
    drawn = np.flatnonzero(times)
    kept = p.take(drawn)
    repeated = times[drawn].astype(float)
    return replace(kept, weight=repeated if kept.weight is None else kept.weight * repeated)


def _exchanged(
    predictions: tuple[Predictions, Predictions], swap: NDArray[np.bool_]
) -> tuple[Predictions, Predictions]:
    """The models' predictions exchanged in some rows."""
    one, two = predictions

    def mixed(first: Any, second: Any) -> Any:
        if first is None or second is None:
            return first
        chosen = swap if first.ndim == 1 else swap[:, None]
        return np.where(chosen, second, first)

    return (
        replace(
            one, predicted=mixed(one.predicted, two.predicted), scores=mixed(one.scores, two.scores)
        ),
        replace(
            two, predicted=mixed(two.predicted, one.predicted), scores=mixed(two.scores, one.scores)
        ),
    )
