"""A measure on some rows as interval methods see it: its form, what is independent, its parts."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heldout.assess.forms import of_share_right, of_share_wrong
from heldout.assess.influences import fit_influence, of_class_areas, of_rows
from heldout.assess.resampling import mean_statistic, unasked
from heldout.assess.values import arguments_of, losses_of, overall, table_of
from heldout.core.codes import dense_codes
from heldout.core.memo import once
from heldout.measures.calibration import thin_bins, value_of_bins
from heldout.measures.kinds import SAME, Area, BinGaps, Fit, Maximum, Mean
from heldout.measures.profit import cells_of
from heldout.measures.spec import parse_request
from heldout.tally.class_scores import ClassScores
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.errors import Errors
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreCounts, TopLabel
from heldout.uncertainty.case import (
    AreaParts,
    FitParts,
    Form,
    GapParts,
    JointParts,
    MeanParts,
    Source,
    Unit,
    ValueParts,
)
from heldout.uncertainty.gap_intervals import Gaps, score_deviations
from heldout.uncertainty.proportions import ShareParts
from heldout.uncertainty.rankings import MANY_OF_A_CLASS, coarse_scores
from heldout.uncertainty.row_bootstrap import MANY_ROWS
from heldout.uncertainty.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.assess.resampling import Resampling
    from heldout.engines.memory import Tallies
    from heldout.measures.calibration import Bins
    from heldout.measures.spec import Request
    from heldout.uncertainty.influence import Influence
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.options import IntervalOptions

INFINITE = "the loss of a row is infinite or undefined"
UNEVEN = "where rows have weights or groups none of bins is known: the Brier score has one"
NO_AVERAGE = "none is known for an average of calibration errors: that of a single class has one"
THIN = "bins have too few rows, and their gaps are mostly noise: ask for fewer (bins=5)"
LARGEST = "none is valid for the largest of all rows: the median absolute error has one"
#: an H-measure above this has limits that cover less than they say, by simulation
MOST_SAVED = 0.85
NEAR_ONE = "classes so far apart: such limits cover 87 to 93 % where 95 % is asked for"
#: classes up to which each class's ranking is resampled unasked
FEW_CLASSES = 5


@dataclass(frozen=True, eq=False)
class MeasureCase:
    """One value of a measure: what ``uncertainty.methods`` asks of it.

    Parameters
    ----------
    request
        The measure.
    rows
        The rows, as they may be resampled.
    code
        The class whose value against the rest it is; None: that of all rows.
    """

    request: Request
    rows: Resampling
    code: int | None = None

    @property
    def tallies(self) -> Tallies:
        """The tallies of the rows."""
        return self.rows.tallies

    @property
    def options(self) -> IntervalOptions:
        """What was asked for."""
        return self.rows.options

    @cached_property
    def unit(self) -> Unit:
        """What is independent."""
        if self.rows.groups is not None:
            return Unit.GROUPS
        is_weighted = self.tallies.predictions.weight is not None and not self.tallies.is_counted
        return Unit.WEIGHTED if is_weighted else Unit.ROWS

    @cached_property
    def _is_of_counts(self) -> bool:
        return bool(set(self.request.measure.needs) & {Binary, Confusion})

    @property
    def _is_matrix(self) -> bool:
        """Whether it takes the score columns of all classes together."""
        return bool(self.request.average) or self.request.measure.needs == (ClassScores,)

    @cached_property
    def form(self) -> Form:
        """What sort of statistic it is."""
        measure, kind = self.request.measure, self.request.measure.kind
        if self._is_of_counts:
            is_share = measure.share is not None and not self.request.average
            if is_share or self.of is not None:
                return Form.SHARE
            is_value = "matrix" in self.request.values and self._class is None
            return Form.VALUE if is_value else Form.CELLS
        if Moments in measure.needs:
            if measure.needs != (Moments,):
                return Form.MEANS
            is_share = isinstance(kind, Mean) and kind.is_share
            return Form.SHARE if is_share or self.of is not None else Form.MEAN
        if {ScoreCounts, TopLabel, ClassScores} & set(measure.needs):
            return self._form_of_ranking
        return Form.PRODUCTS if measure.needs[0] is Errors else Form.ORDER

    @property
    def _form_of_ranking(self) -> Form:
        kind = self.request.measure.kind
        if isinstance(kind, Maximum):
            return Form.MAXIMUM
        if self._is_matrix:
            return Form.AREAS if isinstance(kind, Area) else Form.RANKING
        if isinstance(kind, BinGaps):
            return Form.LARGEST_GAP if kind.is_largest else Form.GAPS
        if isinstance(kind, Fit):
            return Form.FIT
        if isinstance(kind, Mean) and self.rows.is_plain:
            return Form.MEAN
        is_area = self.request.measure.area is not None
        is_drawn = self.code is not None and self.unit is Unit.GROUPS
        return Form.AREA if is_area and not is_drawn else Form.RANKING

    @property
    def source(self) -> Source:
        """What a bootstrap of it draws."""
        if self._is_of_counts:
            return Source.CELLS
        is_ranking = bool({ScoreCounts, TopLabel} & set(self.request.measure.needs))
        is_drawn = not self.rows.is_plain or self._is_matrix
        return Source.SCORES if is_ranking and not is_drawn else Source.ROWS

    @cached_property
    def of(self) -> Callable[[float], float] | None:
        """How the value follows from the share that ``share`` is, or from the area; None: as is.

        An average over classes may follow from the share of rows that are right; a loss of
        labels alone from the share of rows that are wrong.
        """
        request, measure = self.request, self.request.measure
        if not self.options.uses_t:
            return None
        if self._is_of_counts:
            classes = self.tallies.confusion.classes
            return of_share_right(request, classes) if request.average else None
        if measure.needs == (Moments,):
            return of_share_wrong(request, self.tallies)
        if measure.area is None or measure.area is SAME:
            return None
        return measure.area

    @cached_property
    def lack(self) -> str:
        """Why there is no interval, or none unasked; empty where there is one."""
        if self._is_of_counts:
            is_of_all = self._class is None and self.form in (Form.CELLS, Form.VALUE)
            return self.rows.lack_of_cells(self.request) if is_of_all else ""
        if Moments in self.request.measure.needs:
            is_known = self.form is Form.SHARE or self.unit is not Unit.GROUPS
            if self.options.uses_t and is_known and self.form is not Form.MEANS:
                return ""
            moments = arguments_of(self.request, self.tallies)
            return INFINITE if any(map(_is_infinite, moments)) else ""
        if {ScoreCounts, TopLabel, ClassScores} & set(self.request.measure.needs):
            return self._lack_of_ranking
        is_largest = self.request.measure.kind == Maximum("errors")
        return LARGEST if is_largest else ""

    @property
    def _lack_of_ranking(self) -> str:
        request, measure, is_plain = self.request, self.request.measure, self.rows.is_plain
        if self._is_matrix:
            return NO_AVERAGE if measure.is_of_gaps else self._lack_of_matrix
        is_formula = self.form is Form.AREA or (self.form is Form.FIT and not is_plain)
        if self.options.uses_t and is_formula:
            return ""
        if measure.is_of_gaps and not is_plain:
            return UNEVEN
        if self.code is not None and not request.is_explicit:
            if len(self.rows.columns.versus_rest) > FEW_CLASSES:
                return unasked("many classes")
            if not is_plain:
                return unasked("weights or groups")
        if not is_plain:
            is_top = measure.needs == (TopLabel,)
            return (
                "none is made for the likeliest class where rows have weights or groups"
                if is_top
                else ""
            )
        has_thin_bins = measure.is_of_gaps or request.values.get("bins") == 0
        is_thin = has_thin_bins and thin_bins(self._counts, bins=request.values["bins"])
        return THIN if is_thin else ""

    @property
    def _lack_of_matrix(self) -> str:
        # each replicate costs a sort: only the areas that summaries show are made unasked
        measure = self.request.measure
        is_asked = self.request.is_explicit or (measure.by_fold and measure.headline)
        return "" if is_asked else unasked("all classes are resampled together")

    @property
    def _is_near_one(self) -> bool:
        """Whether nearly all cost is saved, of which few rows with their few faults say little."""
        request, counts = self.request, self._counts
        is_few = min(counts.total_positives, counts.total_negatives) < MANY_OF_A_CLASS
        is_of_costs = request.measure.kind == Maximum("costs")
        return is_few and is_of_costs and request.measure(counts, **request.values) > MOST_SAVED

    @property
    def _class(self) -> int | None:
        """The class whose table of two classes it is made of; None: the table of all classes."""
        if self.code is not None:
            return self.code
        is_of_all = self.request.average or "matrix" in self.request.values
        return None if is_of_all else self.tallies.confusion.positive

    @cached_property
    def parts(self) -> Any:
        """What the methods of its form are made of."""
        return PARTS[self.form](self)

    def _share(self) -> ShareParts:
        """The rows that count, and all they are of."""
        if self.of is None:
            return self._share_of_counts if self._is_of_counts else self._share_of_losses
        name = "accuracy" if self._is_of_counts else "error_rate"
        return MeasureCase(parse_request(name), self.rows)._share_of_counts

    @property
    def _share_of_counts(self) -> ShareParts:
        request, rows = self.request, self.rows

        def parts(counts: Confusion) -> Any:
            assert request.measure.share is not None
            own = counts if self.code is None else counts.against_rest(self.code)
            return request.measure.share.of(table_of(request, own))

        total = float(self.tallies.rows)
        successes, trials = (float(part) for part in parts(self.tallies.confusion))
        squares = None if rows.squares is None else parts(rows.squares)
        if squares is not None:
            squares = (float(squares[0]), float(squares[1]))
        if self.unit is Unit.GROUPS:
            table = np.column_stack([np.asarray(part) for part in parts(rows.confusions_of_groups)])
            kept = table[:, 1] > 0  # a group without a row of the kind has no say
            sums = Sample(table[kept], rows.group_cells.count[kept])
            return ShareParts(successes, trials, squares, sums)
        return ShareParts(successes, trials, squares, total=total)

    @property
    def _share_of_losses(self) -> ShareParts:
        if self.unit is Unit.ROWS:
            moments = self._moments
            return ShareParts(moments.mean * moments.weight, moments.weight)
        losses = self.rows.columns_of(losses_of(self.request))[:, 0]
        weight, worth = self.tallies.row_weights, self.rows.worth
        return ShareParts.of_rows(losses, weight, self.rows.groups, worth=worth)

    @property
    def _moments(self) -> Moments:
        """The moments of the loss of each row."""
        (moments,) = arguments_of(self.request, self.tallies)
        if self.rows.worth is None:
            return cast("Moments", moments)
        return replace(moments, weight_squares=moments.weight**2 / self.rows.worth)

    @property
    def _group_sums(self) -> Sample:
        """Losses times weights, and weights, summed over each group."""
        loss = self.rows.columns_of(losses_of(self.request))[:, 0]
        weight = self.tallies.row_weights
        return Sample.of_values(self.rows.groups, loss * weight, weight)

    def _mean(self) -> MeanParts:
        """The moments of the number that each row has, and the measure as a function of them."""
        measure = self.request.measure
        if measure.needs != (Moments,):
            assert isinstance(measure.kind, Mean)
            assert measure.kind.moments is not None
            return MeanParts(measure.kind.moments(self._counts), measure.bounds)
        is_mean = measure.transform is SAME
        bounds = (0.0 if measure.bounds[0] == 0 else -inf, inf)

        def function(m: Moments) -> Any:
            return measure(m, **self.request.values)

        is_looked_at = self.rows.is_plain and len(self.tallies.predictions) <= MANY_ROWS
        is_looked_at = is_looked_at and not self.tallies.is_counted
        return MeanParts(
            self._moments,
            self.request.bounds if is_mean and self.unit is not Unit.GROUPS else bounds,
            None if is_mean else function,
            self._group_sums if self.unit is Unit.GROUPS else None,
            self.tallies.losses(*losses_of(self.request)[0]) if is_looked_at else None,
        )

    def _joint(self) -> JointParts | None:
        """Several means, how they vary together, and the measure as a function of them.

        None where rows are few enough to be drawn, weighted or in groups.
        """
        if not self.rows.is_drawn_by_moments:
            return None
        value = mean_statistic(self.request, self.tallies)
        return JointParts(self.rows.joint_means(self.request), value)

    @cached_property
    def _counts(self) -> ScoreCounts:
        """The ranking: of all rows, of a class against the rest, of the likeliest classes."""
        return self.rows.counts(self.request.measure.needs[0], self.code)

    def _ranking(self) -> AreaParts:
        """The ranking, and that of weighted rows by the squares of weights."""
        if self.tallies.predictions.weight is None:  # counts need no rows
            return AreaParts(self._counts)
        return AreaParts(self._counts, self.rows.ranked(self.code).squares)

    def _estimate(self) -> FitParts:
        """How far rows or groups move an estimate, and the least standard error of it."""
        counts = self._counts
        if self.rows.is_plain:
            few = once(counts, "coarse scores", coarse_scores)
            score, is_positive = np.tile(few.score, 2), np.repeat([True, False], len(few.score))
            often = np.concatenate([few.positives, few.negatives])
            return FitParts(*fit_influence(self.request, counts, is_positive, score, often=often))
        ranked = self.rows.ranked(self.code)
        groups = None if self.rows.groups is None else dense_codes(self.rows.groups)[1]
        given: dict[str, Any] = {"weight": ranked.weight, "groups": groups}
        parts = counts, ranked.positive, ranked.score
        return FitParts(*fit_influence(self.request, *parts, **given))

    def _bins(self) -> GapParts:
        """The calibration bins."""
        values, counts = self.request.values, self._counts
        gaps = gaps_of(counts, values)
        is_known = self.form is Form.GAPS or not values["bins"] or values.get("midpoint")
        deviations = None if is_known else score_deviations(counts, gaps)
        return GapParts(gaps, gap_statistic(self.request), deviations)

    def _products(self) -> FitParts | None:
        """How far rows or groups move a function of variances and covariances."""
        value = overall(self.request, self.tallies).value
        influence = of_rows(self.request, self.tallies, value)
        return self._of_units(influence, self.request.bounds)

    def _areas(self) -> FitParts | None:
        """How far rows or groups move a mean of areas."""
        return self._of_units(of_class_areas(self.request, self.rows.columns), (0, 1))

    def _of_units(
        self, influence: Influence | None, bounds: tuple[float, float]
    ) -> FitParts | None:
        if influence is not None and self.rows.groups is not None:
            influence = influence.by(dense_codes(self.rows.groups)[1])
        return None if influence is None else FitParts(influence, bounds=bounds)

    def _values(self) -> ValueParts:
        """What each cell is worth, and the cells of groups."""
        counts = self.tallies.confusion
        cells: NDArray[Any] = cells_of(self.request.values["matrix"], classes=counts.classes)
        scale = float(counts.total) if self.request.measure.weight_scale else 1.0
        return ValueParts(counts, self.rows.group_cells, cells, self.rows.squares, scale)

    def resampled(self, kind: str) -> Interval:
        """The interval of that kind from a bootstrap."""
        request, rows = self.request, self.rows
        if self._is_of_counts:
            return rows.of_cells(request, self._class, kind)
        if Moments in request.measure.needs:
            return rows.of_means(request, kind)
        if self._is_matrix:
            return rows.of_matrix(request, kind)
        if {ScoreCounts, TopLabel} & set(request.measure.needs):
            interval = rows.of_ranking(request, self.code, kind)
            return interval.noted(NEAR_ONE) if kind == "maximum" and self._is_near_one else interval
        is_products = self.form is Form.PRODUCTS
        return (rows.of_products if is_products else rows.of_order)(request, kind)


#: what the methods of each form are made of
PARTS: dict[Form, Callable[[MeasureCase], Any]] = {
    Form.SHARE: MeasureCase._share,
    Form.MEAN: MeasureCase._mean,
    Form.MEANS: MeasureCase._joint,
    Form.AREA: MeasureCase._ranking,
    Form.FIT: MeasureCase._estimate,
    Form.GAPS: MeasureCase._bins,
    Form.LARGEST_GAP: MeasureCase._bins,
    Form.VALUE: MeasureCase._values,
    Form.PRODUCTS: MeasureCase._products,
    Form.AREAS: MeasureCase._areas,
}


def _is_infinite(moments: Moments) -> bool:
    return bool(moments.infinite or moments.negative_infinite or moments.undefined)


def gap_statistic(request: Request) -> Callable[[Any, Any], Any]:
    """The measure as a function of the weights and gaps of bins."""
    kind = request.measure.kind
    assert isinstance(kind, BinGaps)
    named = inspect.signature(kind.value).parameters
    return partial(kind.value, **{k: v for k, v in request.values.items() if k in named})


def gaps_of(counts: ScoreCounts, values: dict[str, Any]) -> Gaps:
    """The bins themselves: the very ones that the value is made of."""
    kept_bins: list[Bins] = []

    def keep(part: Bins) -> float:
        kept_bins.append(part)
        return 0.0

    asked = {name: values[name] for name in ("bins", "strategy", "midpoint") if name in values}
    if asked["bins"] == 0:  # distinct scores, few enough: not in blocks, whose order may vary
        weight = counts.positives + counts.negatives
        kept = weight > 0
        return Gaps(weight[kept], counts.positives[kept], counts.score[kept])
    value_of_bins(counts, keep, **asked)
    (only,) = kept_bins
    return Gaps(only.weight, only.positives, only.forecast)
