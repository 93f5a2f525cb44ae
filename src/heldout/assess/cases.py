"""Measures of what rows lose, and of errors of numbers, as interval methods see them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.count_cases import CountCase
from heldout.assess.forms import of_share_wrong
from heldout.assess.influences import of_rows
from heldout.assess.ranking_cases import MatrixCase, RankingCase
from heldout.assess.resampling import MeasureCase
from heldout.assess.values import arguments_of, losses_of, overall
from heldout.core.random import stream
from heldout.measures.kinds import SAME, Maximum, Mean
from heldout.measures.spec import parse_request
from heldout.tally.class_scores import ClassScores
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.errors import ErrorRows, Errors
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel
from heldout.uncertainty.case import FitParts, Form, JointParts, MeanParts, Unit
from heldout.uncertainty.interval import absent
from heldout.uncertainty.proportions import ShareParts
from heldout.uncertainty.row_bootstrap import (
    MANY_ROWS,
    JointMeans,
    replicate_errors,
    replicate_means,
)
from heldout.uncertainty.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.assess.resampling import OfRows, Resampling
    from heldout.measures.spec import Request
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.limits import Jackknife

INFINITE = "the loss of a row is infinite or undefined"
LARGEST = "none is valid for the largest of all rows: the median absolute error has one"


def case_of(request: Request, rows: Resampling, code: int | None = None) -> MeasureCase:
    """One value of a measure, by what the measure is made of."""
    needs = set(request.measure.needs)
    family: type[MeasureCase] = ErrorCase
    if needs & {Binary, Confusion}:
        family = CountCase
    elif Moments in needs:
        family = MeanCase
    elif request.average or needs == {ClassScores}:
        family = MatrixCase
    elif needs & {ScoreCounts, TopLabel, ClassScores}:
        family = RankingCase
    return family(request, rows, code)


@dataclass(frozen=True, eq=False)
class MeanCase(MeasureCase):
    """A measure of one mean of losses of rows, or of several."""

    @cached_property
    def form(self) -> Form:
        """What sort of statistic it is."""
        kind = self.request.measure.kind
        if self.request.measure.needs != (Moments,):
            return Form.MEANS
        is_share = isinstance(kind, Mean) and kind.is_share
        return Form.SHARE if is_share or self.of is not None else Form.MEAN

    @cached_property
    def of(self) -> Callable[[float], float] | None:
        """How a loss of labels alone follows from the share of rows that are wrong."""
        is_single = self.request.measure.needs == (Moments,)
        if not self.options.uses_t or not is_single:
            return None
        return of_share_wrong(self.request, self.tallies)

    @cached_property
    def lack(self) -> str:
        """Why there is no interval; empty where there is one."""
        is_known = self.form is Form.SHARE or self.unit is not Unit.GROUPS
        if self.options.uses_t and is_known and self.form is not Form.MEANS:
            return ""
        is_infinite = (m.infinite or m.negative_infinite or m.undefined for m in self._each)
        return INFINITE if any(is_infinite) else ""

    @cached_property
    def parts(self) -> ShareParts | MeanParts | JointParts | None:
        """What the methods of its form are made of."""
        if self.form is Form.SHARE:
            return self._share
        return self._mean if self.form is Form.MEAN else self._joint

    @property
    def _share(self) -> ShareParts:
        """The rows that count, and all they are of."""
        if self.of is not None:
            return CountCase(parse_request("error_rate"), self.rows).share
        if self.unit is Unit.ROWS:
            moments = self._moments
            return ShareParts(moments.mean * moments.weight, moments.weight)
        weight, worth = self.tallies.row_weights, self.rows.worth
        return ShareParts.of_rows(self._losses, weight, self.rows.groups, worth=worth)

    @property
    def _losses(self) -> NDArray[Any]:
        """The loss of each row, NaN where it is infinite."""
        return self.rows.columns_of(losses_of(self.request))[:, 0]

    @property
    def _moments(self) -> Moments:
        """The moments of the loss of each row."""
        (moments,) = self._each
        if self.rows.worth is None:
            return moments
        return replace(moments, weight_squares=moments.weight**2 / self.rows.worth)

    @property
    def _mean(self) -> MeanParts:
        """The moments of the loss of each row, and the measure as a function of them."""
        measure, is_grouped = self.request.measure, self.unit is Unit.GROUPS
        is_mean = measure.transform is SAME
        bounds = (0.0 if measure.bounds[0] == 0 else -inf, inf)
        sums = None
        if is_grouped:
            weight = self.tallies.row_weights
            sums = Sample.of_values(self.rows.groups, self._losses * weight, weight)
        is_looked_at = self.rows.is_plain and len(self.tallies.predictions) <= MANY_ROWS
        is_looked_at = is_looked_at and not self.tallies.is_counted
        return MeanParts(
            self._moments,
            self.request.bounds if is_mean and not is_grouped else bounds,
            None if is_mean else lambda m: measure(m, **self.request.values),
            sums,
            self.tallies.losses(*losses_of(self.request)[0]) if is_looked_at else None,
        )

    @property
    def _joint(self) -> JointParts | None:
        """Several means, how they vary together, and the measure as a function of them.

        None where rows are few enough to be drawn, weighted or in groups.
        """
        is_known = self.rows.is_drawn_by_moments
        return JointParts(self._joint_means, self._statistic) if is_known else None

    @property
    def _joint_means(self) -> JointMeans:
        """Means, and how they vary together, from the pass that made the values."""
        losses, moments = losses_of(self.request), self._each
        products = np.diag([m.deviations for m in moments])
        for i, first in enumerate(losses):
            for j, second in enumerate(losses[i + 1 :], i + 1):
                both = self.tallies.co_moments(first, second)
                products[i, j] = products[j, i] = both.products
        means = np.array([m.finite_mean for m in moments])
        rows = moments[0].rows
        return JointMeans(rows, float(rows), float(rows), means, products)

    @cached_property
    def _each(self) -> tuple[Moments, ...]:
        """The moments of each loss."""
        return arguments_of(self.request, self.tallies)

    def _statistic(self, means: NDArray[Any]) -> float:
        """The measure as a function of its means of losses."""
        parts = (replace(m, finite_mean=mean) for m, mean in zip(self._each, means, strict=True))
        return float(self.request.measure(*parts, **self.request.values))

    def resampled(self, kind: str) -> Interval:
        """The interval of that kind from draws of rows, or of the joint moments of many rows."""
        rows, options, weight = self.rows, self.options, self.tallies.predictions.weight
        if options.method == "bca" or not rows.is_drawn_by_moments:
            lack = rows.too_much(self.request, len(self.tallies.predictions))
            if lack:
                return absent(lack, level=options.level)
        rng, losses = stream(options.seed, "losses"), losses_of(self.request)
        given: dict[str, Any] = {"replicates": options.of_rows, "rng": rng}
        if rows.is_drawn_by_moments:
            means = self._joint_means.draw(**given)
        else:
            means = replicate_means(rows.columns_of(losses), weight, sampler=rows.sampler, **given)
        drawn = np.array([self._statistic(line) for line in np.atleast_2d(means)])

        def left_out() -> Jackknife:
            columns = rows.columns_of(losses)

            def of_rows(kept: NDArray[Any]) -> float:
                own = None if weight is None else weight[kept]
                return self._statistic(np.average(columns[kept], axis=0, weights=own))

            return rows.jackknife(of_rows, "losses")

        return rows.limits(self.request, kind, drawn, left_out)


@dataclass(frozen=True, eq=False)
class ErrorCase(MeasureCase):
    """A measure of the errors of predicted numbers: of their products, or of their order."""

    @property
    def form(self) -> Form:
        """What sort of statistic it is."""
        return Form.PRODUCTS if self.request.measure.needs[0] is Errors else Form.ORDER

    @property
    def lack(self) -> str:
        """Why there is no interval; empty where there is one."""
        return LARGEST if self.request.measure.kind == Maximum("errors") else ""

    @cached_property
    def parts(self) -> FitParts | None:
        """How far rows or groups move a function of variances and covariances."""
        if self.form is not Form.PRODUCTS:
            return None
        value = overall(self.request, self.tallies).value
        influence = of_rows(self.request, self.tallies, value)
        return self.rows.by_unit(influence, self.request.bounds)

    def resampled(self, kind: str) -> Interval:
        """The interval of that kind from draws of rows, or of the moments of their products."""
        if self.form is Form.ORDER:
            return self.rows.replicated(self.request, kind, self._of(ErrorRows))
        errors = self.tallies.errors
        if not isfinite(errors.truth_deviations + errors.predicted_deviations):
            return absent("squares of such values are too large", level=self.options.level)
        rows = self.tallies.error_rows
        drawn = replicate_errors(
            rows,
            lambda errors: self.request.measure(errors, **self.request.values),
            replicates=self.options.of_rows,
            rng=stream(self.options.seed, "errors"),
            sampler=self.rows.sampler,
            by_moments=self.rows.groups is None and rows.rows > MANY_ROWS,
        )
        statistic = self._of(Errors)
        return self.rows.limits(self.request, kind, drawn, lambda: self.rows.jackknife(statistic))

    def _of(self, tally: type[Errors | ErrorRows]) -> OfRows:
        """The measure as a function of the positions of rows."""
        rows = self.tallies.error_rows

        def statistic(taken: NDArray[Any]) -> float:
            weight = None if rows.weight is None else rows.weight[taken]
            part = tally.of(rows.truth[taken], rows.predicted[taken], weight)
            return float(self.request.measure(part, **self.request.values))

        return statistic
