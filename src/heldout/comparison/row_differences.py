"""The difference of two models on the same rows: by losses, by shifts, by rows drawn or swapped."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.values import overall
from heldout.comparison.evidence import Evidence, checked_alternative, drawn_test, student_test
from heldout.comparison.joint_cells import DELTA, permutation_p_value
from heldout.comparison.long_rankings import LongRankings, is_long_ranking, is_of_rankings
from heldout.core.random import stream
from heldout.core.wording import plural
from heldout.engines.memory import Tallies
from heldout.intervals.group_sizes import GroupSizes
from heldout.intervals.group_spread import group_spread
from heldout.intervals.interval import Interval, absent, checked_level
from heldout.intervals.resampling import RowSampler, in_blocks, row_order

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from heldout.comparison.evidence import Alternative
    from heldout.comparison.group_shifts import GroupShifts
    from heldout.measures.spec import Request
    from heldout.predictions.table import Predictions

__all__ = ["delta_difference", "drawn_difference", "drawn_rows", "loss_difference", "row_test"]

METHOD = "paired t test of {}"


def loss_difference(
    first: NDArray[Any],
    second: NDArray[Any],
    *,
    weight: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    bounds: tuple[float, float] = (-inf, inf),
) -> tuple[Interval, Evidence]:
    """Whether two models' mean losses of the same rows differ: a paired t test.

    Parameters
    ----------
    first, second
        The loss of each row under either model.
    weight, groups
        Weight of each row; codes of rows that depend on each other, whose differences are
        added up first, so that groups and not rows are counted (their error and degrees of
        freedom: ``group_spread``).
    bounds
        Range of the difference.

    Examples
    --------
    >>> made, found = loss_difference(np.array([0.0, 1, 1, 1]), np.array([0.0, 0, 1, 0]))
    >>> found.statistic
    1.7321
    """
    level = checked_level(level)
    side = checked_alternative(alternative)
    with np.errstate(invalid="ignore"):
        gaps = np.asarray(first, float) - np.asarray(second, float)
    share = np.full(len(gaps), 1 / len(gaps)) if weight is None else weight / weight.sum()
    unit = "rows" if groups is None else "groups"
    method = METHOD.format(unit)
    if not np.isfinite(gaps).all():
        endless = int((~np.isfinite(gaps)).sum())
        reason = f"{plural(endless, 'row')} with an infinite loss: there is no mean to compare"
        return absent(reason, level=level, method=method), Evidence(
            method, nan, nan, side, note=reason
        )
    mean = float((share * gaps).sum())
    # each row's own part of the error of the mean; groups add theirs up
    parts, mass, note = share * (gaps - mean), share, ""
    if groups is not None:
        codes = np.unique(groups, return_inverse=True)[1]
        parts, mass = np.bincount(codes, weights=parts), np.bincount(codes, weights=share)
        note = GroupSizes.of(mass).remark
    count = len(parts) if weight is None or groups is not None else 1 / float((share**2).sum())
    if count < 2:
        reason = f"there are fewer than two {unit}"
        return absent(reason, level=level, method=method), Evidence(
            method, nan, nan, side, note=reason
        )
    error, freedom = sqrt(float((parts**2).sum()) * count / (count - 1)), count - 1
    if error <= 1e-15 * max(1.0, abs(mean)):
        units = int((mass > 0).sum())
        return _without_spread(mean, level, unit, side, freedom, units)
    if groups is not None:
        spread = group_spread(parts, mass, np.ones(len(parts)))
        error, freedom = spread.error, spread.freedom
    return student_test(
        method,
        mean,
        error,
        freedom,
        level=level,
        alternative=side,
        bounds=bounds,
        note=note,
    )


def _without_spread(
    mean: float, level: float, unit: str, side: Alternative, freedom: float, units: int
) -> tuple[Interval, Evidence]:
    """Where all differences are alike: no error is known, but the models can be exchanged.

    Of the 2^n ways to exchange them just one or two give a mean so far off.
    """
    method = METHOD.format(unit)
    note = f"every {unit[:-1]} has the same difference"
    if mean == 0:
        made = Interval(0.0, 0.0, level, method, note)
        return made, Evidence(method, 0.0, 1.0, side, (freedom,), note, error=0.0)
    note = f"{note}, which says nothing of how differences vary"
    against = (mean > 0 and side == "less") or (mean < 0 and side == "greater")
    p_value = 1.0 if against else 2.0 ** ((side == "two-sided") - units)
    named = f"exact paired permutation test (exchanges of {unit})"
    return absent(note, level=level, method=method), Evidence(named, mean, p_value, side, note=note)


def delta_difference(
    value: float,
    shifts: tuple[GroupShifts, GroupShifts],
    *,
    has_groups: bool = False,
    **how: Any,
) -> tuple[Interval, Evidence]:
    """Interval and test by how far each row, or group, moves either model's value.

    The delta method by the infinitesimal jackknife; groups of unequal size and few degrees of
    freedom as ``group_spread`` has them.
    """
    moved = shifts[0].less(shifts[1])
    spread = group_spread(moved.shift, moved.mass, np.ones(len(moved.shift)), has_tails=True)
    method, note = f"{DELTA}, of {'groups' if has_groups else 'rows'}", ""
    if has_groups:
        note = GroupSizes.of(moved.mass).remark
    return student_test(method, value, spread.error, spread.freedom, note=note, **how)


def drawn_difference(
    request: Request,
    predictions: tuple[Predictions, Predictions],
    *,
    groups: NDArray[Any] | None = None,
    replicates: int = 1000,
    seed: int = 1,
    **how: Any,
) -> tuple[Interval, Evidence]:
    """Interval and test by the standard error of a paired bootstrap.

    Both models see the same resampled rows, so what they share cancels. Efron and Tibshirani
    (1993), chapter 6; pROC's bootstrap test of two curves divides by the same error.
    """
    rows = len(predictions[0])
    sampler = RowSampler(rows, groups=groups, order=partial(row_order, *predictions))
    joined = _joined(request, predictions)

    def resampled(rng: Generator) -> float:
        times = sampler.multiplicities(rng)
        if joined is not None:
            return joined.difference(times)
        return _difference(request, tuple(drawn_rows(request, p, times) for p in predictions))

    drawn = in_blocks(
        resampled, replicates=replicates, rng=stream(seed, "paired rows", request.name), size=rows
    )
    value = _difference(request, predictions)
    unit = "rows" if groups is None else "groups"
    method = f"paired bootstrap ({replicates:,} draws of {unit}, seed {seed})"
    count = rows if groups is None else len(np.unique(groups))
    return drawn_test(method, drawn, value, count - 1, **how)


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
    scale; in long rankings the row's place, which is a run of ranks.
    """
    rows = len(predictions[0])
    sampler = RowSampler(rows, groups=groups, order=partial(row_order, *predictions))
    joined = _joined(request, predictions)
    alike = predictions
    if joined is None and is_of_rankings(request):
        alike = _ranked(predictions)

    def exchanged(rng: Generator) -> float:
        swap = sampler.of_rows(rng.random(sampler.units) < 0.5)
        if joined is not None:
            return joined.exchanged(swap)
        return _difference(request, _exchanged(alike, swap))

    swapped = in_blocks(
        exchanged, replicates=permutations, rng=stream(seed, "exchanged", request.name), size=rows
    )
    unit = "rows" if groups is None else "groups"
    what = unit if alike is predictions else f"ranks in {unit}"
    if joined is not None:
        what = f"{joined.levels:,} places in {unit}"
    method = f"paired permutation test ({permutations:,} exchanges of {what}, seed {seed})"
    seen = _difference(request, predictions)
    if joined is None:
        return permutation_p_value(swapped, seen, method, alternative)
    # what is exchanged is compared with its like
    found = permutation_p_value(swapped, joined.difference(), method, alternative)
    return replace(found, statistic=seen)


def _joined(request: Request, predictions: tuple[Predictions, Predictions]) -> LongRankings | None:
    is_long = all(is_long_ranking(request, p) for p in predictions)
    return LongRankings(request, predictions) if is_long else None


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

    def with_some_of(mine: Predictions, other: Predictions) -> Predictions:
        return replace(
            mine,
            predicted=mixed(mine.predicted, other.predicted),
            scores=mixed(mine.scores, other.scores),
            against=mixed(_against(mine, other), _against(other, mine)),
        )

    return with_some_of(one, two), with_some_of(two, one)


def _against(mine: Predictions, other: Predictions) -> NDArray[Any] | None:
    """The probability of the negative class, where either model's has to be kept."""
    if mine.scores is None or other.scores is None or mine.against is other.against is None:
        return None
    return 1.0 - mine.scores if mine.against is None else mine.against


def drawn_rows(request: Request, p: Predictions, times: NDArray[Any]) -> Predictions:
    """The rows, each as often as it was drawn; rows not drawn are left out.

    Written out where a measure counts rows, to which a row of weight 2 is not two rows.
    """
    if request.counts_rows:
        return p.take(np.repeat(np.arange(len(p)), times))
    drawn = np.flatnonzero(times)
    kept = p.take(drawn)
    repeated = times[drawn].astype(float)
    return replace(kept, weight=repeated if kept.weight is None else kept.weight * repeated)
