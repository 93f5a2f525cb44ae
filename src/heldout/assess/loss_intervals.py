"""Intervals of means of losses, and of measures made of several such means."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.resampling import ROW_WORK, resampled_limits, unasked
from heldout.assess.values import arguments_of, losses_of
from heldout.core.random import stream
from heldout.measures.kinds import SAME, Mean
from heldout.uncertainty.cluster_bootstrap import GroupSums
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.means import group_mean_interval, mean_interval, mean_lack, standard_error
from heldout.uncertainty.proportions import (
    group_share_interval,
    proportion_interval,
    weighted_share_interval,
)
from heldout.uncertainty.quantiles import two_sided_normal
from heldout.uncertainty.row_bootstrap import JointMeans, replicate_means, row_jackknife

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.engines.memory import Loss, Tallies
    from heldout.measures.spec import Request
    from heldout.tally.moments import Moments
    from heldout.uncertainty.limits import Jackknife
    from heldout.uncertainty.resampling import RowSampler

__all__ = ["LossIntervals", "MANY_ROWS"]

#: rows above which means of losses are drawn from their joint moments
MANY_ROWS = 20_000
DELTA = "normal, delta method for means of losses"
INFINITE = "a row's loss is infinite or undefined"


@dataclass(frozen=True, eq=False)
class LossIntervals:
    """Intervals of the losses of one set of rows."""

    tallies: Tallies
    options: IntervalOptions
    groups: Any

    @property
    def is_drawn_by_moments(self) -> bool:
        """Whether means are drawn from the normal distribution of their joint moments."""
        p = self.tallies.predictions
        return len(p) > MANY_ROWS and self.groups is None and p.weight is None

    def prepare(self, requests: Sequence[Request]) -> None:
        """Have the joint moments of all such measures made in the pass for the values."""
        if self.is_drawn_by_moments:
            several = [losses_of(r) for r in requests if len(r.measure.losses) > 1]
            self.tallies.prepare((), together=several)

    def of_one(self, request: Request) -> Interval:
        """The interval of a function of one mean: a share of rows, a mean of rows or of groups."""
        if isinstance(request.measure.kind, Mean) and request.measure.kind.is_share:
            return self.of_share(request)
        return (self.of_mean if self.groups is None else self.of_grouped_mean)(request)

    def of_mean(self, request: Request) -> Interval:
        """The t interval of a function of one mean."""
        (moments,) = arguments_of(request, self.tallies)
        measure = request.measure
        plain = measure.transform is SAME
        least = 0.0 if measure.bounds[0] == 0 else -np.inf
        bounds = measure.bounds if plain else (least, np.inf)
        return mean_interval(
            moments,
            None if plain else lambda m: measure(m, **request.values),
            level=self.options.level,
            bounds=bounds,
        )

    def of_share(self, request: Request) -> Interval:
        """The interval of a share of rows, whose loss is 0 or 1."""
        (moments,) = arguments_of(request, self.tallies)
        level, method = self.options.level, self.options.proportion
        if self.groups is not None:
            return group_share_interval(self._group_sums(request), level=level, method=method)
        share, rows = moments.mean, moments.weight
        if self.tallies.predictions.weight is None:
            return proportion_interval(share * rows, rows, level=level, method=method)
        hits = float(self._columns(losses_of(request))[:, 0] @ self.tallies.predictions.weight**2)
        return weighted_share_interval(
            share, rows, moments.weight_squares, hits=hits, level=level, method=method
        )

    def of_grouped_mean(self, request: Request) -> Interval:
        """The t interval of a mean over rows that come in groups."""
        (moments,) = arguments_of(request, self.tallies)
        if _is_infinite(moments):
            return absent(INFINITE, level=self.options.level)
        measure = request.measure
        return group_mean_interval(
            self._group_sums(request),
            lambda mean: float(measure(replace(moments, finite_mean=mean), **request.values)),
            level=self.options.level,
            bounds=(0.0 if measure.bounds[0] == 0 else -np.inf, np.inf),
            least_error=0.0 if mean_lack(moments) else standard_error(moments),
        )

    def _group_sums(self, request: Request) -> GroupSums:
        """Losses times weights, and weights, summed over each group."""
        p = self.tallies.predictions
        loss = self._columns(losses_of(request))[:, 0]
        weight = np.ones(len(p)) if p.weight is None else p.weight
        return GroupSums.of_values(self.groups, loss * weight, weight)

    def of_means(self, request: Request, sampler: RowSampler) -> Interval:
        """The interval of a measure of several means: of many rows by formula, else bootstrap."""
        moments = arguments_of(request, self.tallies)
        if any(map(_is_infinite, moments)):
            return absent(INFINITE, level=self.options.level)
        p, losses, options = self.tallies.predictions, losses_of(request), self.options

        def value(means: NDArray[Any]) -> float:
            parts = (replace(m, finite_mean=mean) for m, mean in zip(moments, means, strict=True))
            return float(request.measure(*parts, **request.values))

        def left_out() -> Jackknife:
            columns = self._columns(losses)
            return row_jackknife(
                lambda rows: value(
                    np.average(
                        columns[rows], axis=0, weights=None if p.weight is None else p.weight[rows]
                    )
                ),
                sampler,
                rng=stream(options.seed, "losses", "left out"),
            )

        rng = stream(options.seed, "losses")
        is_heavy = len(p) * options.of_rows > ROW_WORK and not request.is_explicit
        if is_heavy and (options.method == "bca" or not self.is_drawn_by_moments):
            return absent(unasked("many rows to resample"), level=options.level)
        if self.is_drawn_by_moments:
            joint = self._joint_means(losses, moments)
            reach = two_sided_normal(options.level) * joint.spread_of(value)
            if options.uses_t and options.replicates is None and isfinite(reach):
                here = value(joint.means)
                return Interval(here - reach, here + reach, options.level, DELTA)
            means = joint.draw(replicates=options.of_rows, rng=rng)
        else:
            means = replicate_means(
                self._columns(losses),
                p.weight,
                replicates=options.of_rows,
                rng=rng,
                sampler=sampler,
            )
        made = np.array([value(line) for line in np.atleast_2d(means)])
        return resampled_limits(request, self.tallies, options, made, left_out)

    def _joint_means(self, losses: Sequence[Loss], moments: Sequence[Moments]) -> JointMeans:
        """Means, and how they vary together, from the pass that made the values."""
        products = np.diag([m.deviations for m in moments])
        for i, first in enumerate(losses):
            for j, second in enumerate(losses[i + 1 :], i + 1):
                both = self.tallies.co_moments(first, second)
                products[i, j] = products[j, i] = both.products
        means = np.array([m.finite_mean for m in moments])
        rows = moments[0].rows
        return JointMeans(rows, float(rows), float(rows), means, products)

    def _columns(self, losses: Sequence[Loss]) -> NDArray[Any]:
        """The losses of all rows, a column each."""
        columns = np.column_stack([self.tallies.losses(*loss) for loss in losses])
        # what is infinite makes its own column undefined, and no other
        return np.where(np.isfinite(columns), columns, np.nan)


def _is_infinite(moments: Moments) -> bool:
    return bool(moments.infinite or moments.negative_infinite or moments.undefined)
