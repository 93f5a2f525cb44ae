"""Measures of a ranking as interval methods see them: of one class, or of all classes."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heldout.assess.forms import has_formula
from heldout.assess.influences import fit_influence, of_class_areas
from heldout.assess.resampling import MeasureCase, unasked
from heldout.assess.values import average_of
from heldout.core.codes import dense_codes
from heldout.core.memo import once
from heldout.core.random import stream
from heldout.curves.sources import RankedRows, class_index, ranked_rows
from heldout.measures.calibration import bins_of, thin_bins
from heldout.measures.kinds import Area, BinGaps, Fit, Maximum, Mean, Point
from heldout.tally.class_scores import ClassScores
from heldout.tally.scores import ScoreCounts, TopLabel
from heldout.uncertainty.areas import lack_of_rows
from heldout.uncertainty.case import AreaParts, FitParts, Form, GapParts, MeanParts, Source, Unit
from heldout.uncertainty.gap_intervals import Gaps, score_deviations
from heldout.uncertainty.interval import absent
from heldout.uncertainty.limits import Least
from heldout.uncertainty.proportions import best_distance_interval
from heldout.uncertainty.rankings import (
    COARSE_LEVELS,
    MANY_OF_A_CLASS,
    ScoreBootstrap,
    coarse_scores,
    fine_levels,
)
from heldout.uncertainty.row_bootstrap import replicate_weighed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.measures.spec import Request
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.options import IntervalOptions
    from heldout.uncertainty.replicates import Replicates

UNEVEN = "where rows have weights or groups none of bins is known: the Brier score has one"
NO_AVERAGE = "none is known for an average of calibration errors: that of a single class has one"
NO_TOP = "none is made for the likeliest class where rows have weights or groups"
THIN = "bins of single scores have too few rows to tell gaps from noise: ask for bins=10"
#: an H-measure above this has limits that cover less than they say, by simulation
MOST_SAVED = 0.85
NEAR_ONE = "classes are so well separated that these limits cover 87 to 93%, not 95%"
#: classes up to which each class's ranking is resampled unasked
FEW_CLASSES = 5
#: rankings of more scores are counted exactly: most are the rows themselves
SHORT = 5_000
RANKING = "ranking by scores"
#: distinct scores up to which the draws of a maximum are raised more than its sample
FEW_SCORES = 20


@dataclass(frozen=True, eq=False)
class RankingCase(MeasureCase):
    """A measure of one ranking: by the positive class, by one of several, by the likeliest."""

    @property
    def form(self) -> Form:
        """What sort of statistic it is."""
        kind = self.request.measure.kind
        if isinstance(kind, Maximum):
            return Form.MAXIMUM
        if isinstance(kind, BinGaps):
            return Form.LARGEST_GAP if kind.is_largest else Form.GAPS
        if isinstance(kind, Fit):
            return Form.FIT
        if isinstance(kind, Mean) and self.rows.is_plain:
            return Form.MEAN
        is_drawn = self.code is not None and self.unit is Unit.GROUPS
        is_area = self.request.measure.area is not None
        return Form.AREA if is_area and not is_drawn else Form.RANKING

    @property
    def source(self) -> Source:
        """What a bootstrap of it draws."""
        return Source.SCORES if self.rows.is_plain else Source.ROWS

    @cached_property
    def lack(self) -> str:
        """Why there is no interval, or none unasked; empty where there is one."""
        request, measure, is_plain = self.request, self.request.measure, self.rows.is_plain
        is_formula = self.form is Form.AREA or (self.form is Form.FIT and not is_plain)
        if self.options.uses_t and is_formula:
            return ""
        if measure.is_of_gaps and not is_plain:
            return UNEVEN
        has_thin_bins = measure.is_of_gaps or request.values.get("bins") == 0
        if has_thin_bins and thin_bins(self._counts, bins=request.values["bins"]):
            return THIN
        if self.code is not None and not request.is_explicit:
            if len(self.tallies.class_scores.versus_rest) > FEW_CLASSES:
                return unasked("many classes")
            if not is_plain:
                return unasked("weights or groups")
        return NO_TOP if not is_plain and measure.needs == (TopLabel,) else ""

    @cached_property
    def _counts(self) -> ScoreCounts:
        """The ranking: of all rows, of a class against the rest, of the likeliest classes."""
        if self.code is not None:
            return self.tallies.class_scores.versus_rest[self.code]
        return cast("ScoreCounts", self.tallies.of_kind(self.request.measure.needs[0]))

    @property
    def _ranked(self) -> RankedRows:
        """The rows as the ranking has them; of two classes by the positive one."""
        code = class_index(self.tallies.predictions, None) if self.code is None else self.code
        return ranked_rows(self.tallies, code)

    @cached_property
    def parts(self) -> AreaParts | FitParts | GapParts | MeanParts | None:
        """What the methods of its form are made of."""
        if self.form is Form.AREA:
            # counts need no rows
            has_weights = self.tallies.predictions.weight is not None
            return AreaParts(self._counts, self._ranked.squares if has_weights else None)
        if self.form is Form.MEAN:
            kind, bounds = self.request.measure.kind, self.request.measure.bounds
            assert isinstance(kind, Mean)
            assert kind.moments is not None
            return MeanParts(kind.moments(self._counts), bounds)
        if self.form is Form.FIT:
            return self._estimate
        return self._bins if self.form in (Form.GAPS, Form.LARGEST_GAP) else None

    @property
    def _estimate(self) -> FitParts:
        """How far rows or groups move an estimate, and the least standard error of it."""
        counts = self._counts
        if self.rows.is_plain:
            few = once(counts, "coarse scores", coarse_scores)
            score, is_positive = np.tile(few.score, 2), np.repeat([True, False], len(few.score))
            often = np.concatenate([few.positives, few.negatives])
            return FitParts(*fit_influence(self.request, counts, is_positive, score, often=often))
        ranked, codes = self._ranked, self.rows.groups
        groups = None if codes is None else dense_codes(codes)[1]
        given: dict[str, Any] = {"weight": ranked.weight, "groups": groups}
        return FitParts(
            *fit_influence(self.request, counts, ranked.positive, ranked.score, **given)
        )

    @property
    def _bins(self) -> GapParts:
        """The calibration bins."""
        values, counts = self.request.values, self._counts
        gaps = gaps_of(counts, values)
        is_known = self.form is Form.GAPS or not values["bins"] or values.get("midpoint")
        deviations = None if is_known else score_deviations(counts, gaps)
        return GapParts(gaps, gap_statistic(self.request), deviations)

    def resampled(self, kind: str) -> Interval:
        """The interval of that kind from a bootstrap."""
        interval = self._of_counts(kind) if self.rows.is_plain else self._of_rows(kind)
        return interval.noted(NEAR_ONE) if kind == "maximum" and self._is_near_one else interval

    @property
    def _is_near_one(self) -> bool:
        """Whether nearly all cost is saved, of which few rows with their few faults say little."""
        request, counts = self.request, self._counts
        is_few = min(counts.total_positives, counts.total_negatives) < MANY_OF_A_CLASS
        is_of_costs = request.measure.kind == Maximum("costs")
        return is_few and is_of_costs and request.measure(counts, **request.values) > MOST_SAVED

    def _of_counts(self, kind: str) -> Interval:
        """From draws of score counts, which all measures of the ranking share."""
        request, counts, options = self.request, self._counts, self.options
        tally = request.measure.needs[0]
        wanted = [r for r in self._together(tally) if limits_kind(r, options) == kind]
        intervals = once(
            self.tallies,
            (tally, self.code, kind, options),
            lambda _: resampled_together(counts, wanted, kind, options),
        )
        if key_of(request) not in intervals:
            intervals.update(resampled_together(counts, [request], kind, options))
        return intervals[key_of(request)]

    def _of_rows(self, kind: str) -> Interval:
        """From draws of weighted rows, or of whole groups."""
        request, level, least = self.request, self.options.level, None
        if lack := self.rows.too_much(request, len(self.tallies.predictions)):
            return absent(lack, level=level)
        if self.rows.groups is None:
            squares = self._ranked.squares
            least = least_of(request, self._counts, level=level, squares=squares)
        wanted = self._together(ScoreCounts)
        keys = tuple(map(key_of, wanted))
        replicates = once(
            self.tallies,
            ("drawn", self.code, keys, self.options),
            lambda _: self._replicates(wanted),
        )
        column = keys.index(key_of(request))
        (interval,) = replicates.only(column).intervals(
            kind, level=level, bounds=request.bounds, least=[least]
        )
        return self.rows.said(interval)

    def _replicates(self, wanted: Sequence[Request]) -> Replicates:
        """Replicates of measures of one ranking at once, with rows or groups drawn."""
        options = self.options
        rows = self._ranked.draws(self.rows.groups, stratified=self.rows.is_stratified)
        bootstrap = ScoreBootstrap(self._counts, options.of_rows, options.seed, rows=rows)
        return bootstrap.replicated(lambda counts: values_of(wanted, counts))

    def _together(self, kind: type) -> Sequence[Request]:
        """The measures of such rankings whose replicates are made at once."""
        each = self.rows.together
        return [r for r in each if r.measure.needs == (kind,) and self._is_resampled(r)]

    def _is_resampled(self, request: Request) -> bool:
        """Whether the interval of a measure of scores needs replicates."""
        measure, is_plain = request.measure, self.rows.is_plain
        if not measure.has_interval or measure.is_of_gaps:
            return False
        if is_plain and request.values.get("bins") == 0:
            return False  # bins of single scores are mostly too thin for it
        # estimates have their formula of weighted rows and of groups too
        is_known = is_plain or isinstance(measure.kind, Fit)
        return not (is_known and has_formula(request, self.options))


@dataclass(frozen=True, eq=False)
class MatrixCase(MeasureCase):
    """A measure of the score columns of all classes together."""

    @property
    def form(self) -> Form:
        """What sort of statistic it is."""
        kind = self.request.measure.kind
        if isinstance(kind, Maximum):
            return Form.MAXIMUM
        return Form.AREAS if isinstance(kind, Area) else Form.RANKING

    @property
    def lack(self) -> str:
        """Why there is no interval, or none unasked; empty where there is one."""
        measure = self.request.measure
        if measure.is_of_gaps:
            return NO_AVERAGE
        # each replicate costs a sort: only the areas that summaries show are made unasked
        is_asked = self.request.is_explicit or (measure.by_fold and measure.headline)
        return "" if is_asked else unasked("all classes are resampled together")

    @cached_property
    def parts(self) -> FitParts | None:
        """How far rows or groups move a mean of areas."""
        if self.form is not Form.AREAS:
            return None
        return self.rows.by_unit(of_class_areas(self.request, self.tallies.class_scores), (0, 1))

    def resampled(self, kind: str) -> Interval:
        """The interval of that kind, by drawing rows or weighting them at random."""
        columns, options, sampler = self.tallies.class_scores, self.options, self.rows.sampler

        def statistic(rows: NDArray[Any]) -> float:
            weight = None if columns.weight is None else columns.weight[rows]
            return self._value(columns.truth[rows], columns.scores[rows], weight)

        def weighed() -> NDArray[Any]:
            rng = stream(options.seed, "rows", "weighed")
            given: dict[str, Any] = {"sampler": sampler, "replicates": options.of_rows, "rng": rng}
            parts = columns.truth, columns.scores, columns.weight
            return replicate_weighed(self._value, *parts, **given)

        size = len(self.tallies.predictions.classes)
        return self.rows.replicated(self.request, kind, statistic, weighed, size=size)

    def _value(self, truth: NDArray[Any], scores: NDArray[Any], weight: Any) -> float:
        """The measure of some rows."""
        request, measure = self.request, self.request.measure
        classes, part = self.tallies.predictions.classes, ClassScores.of(truth, scores, weight)
        if measure.needs == (ClassScores,):
            return float(measure(part, **request.values))
        values = np.array([measure(s, **request.values) for s in part.versus_rest], float)
        support = np.bincount(truth, weight, minlength=len(classes))
        return average_of(values, support, classes, request.average, "").value


def resampled_together(
    counts: ScoreCounts, wanted: Sequence[Request], kind: str, options: IntervalOptions
) -> dict[Any, Interval]:
    """The intervals of several measures of a ranking, by their keys, from the same draws.

    Where nothing else is asked for, few draws have to do for measures that are normal. A
    single row of a class says nothing of how such rows are ranked.
    """
    intervals: dict[Any, Interval] = {}
    if not isinstance(counts, TopLabel):
        lack = lack_of_rows(float(counts.total_positives), float(counts.total_negatives))
        lost = [r for r in wanted if lack and r.measure.family == RANKING]
        intervals = {key_of(r): absent(lack, level=options.level) for r in lost}
        wanted = [r for r in wanted if r not in lost]
    for is_point in (False, True):
        some = [r for r in wanted if isinstance(r.measure.kind, Point) == is_point]
        if some:
            # joined scores must be finer than such points vary
            levels = fine_levels(counts) if is_point else COARSE_LEVELS
            intervals.update(_resampled_at(levels, counts, some, kind, options))
    return intervals


def _resampled_at(
    levels: int, counts: ScoreCounts, wanted: Sequence[Request], kind: str, options: IntervalOptions
) -> dict[Any, Interval]:
    bootstrap = ScoreBootstrap(counts, options.of_rows, options.seed, options.stratified, levels)
    level = options.level
    known: dict[Any, Interval] = {}
    if options.uses_t and options.replicates is None:
        normal = bootstrap.normal_intervals(
            lambda s: values_of(wanted, s),
            level=level,
            kind=kind,
            bounds=[request.bounds for request in wanted],
        )
        keyed = zip(map(key_of, wanted), normal, strict=True)
        known = {key: own for key, own in keyed if own is not None}
    rest = [request for request in wanted if key_of(request) not in known]
    if rest:
        least = [least_of(request, counts, level=level) for request in rest]
        drawn = bootstrap.replicated(lambda s: values_of(rest, s))
        intervals = drawn.intervals(kind, level=level, least=least)
        known.update(zip(map(key_of, rest), intervals, strict=True))
    return known


def least_of(
    request: Request, counts: ScoreCounts, *, level: float, squares: ScoreCounts | None = None
) -> Least | None:
    """What the limits of a maximum are no narrower than; None where nothing is known.

    ``squares``: of weighted rows, the same scores with the squares of their weights.
    """
    if request.measure.kind != Maximum("distances") or not counts.has_both:
        return None
    at_best = best_distance_interval(counts, level=level, squares=squares, **request.values)
    levels = len(counts.score)
    return Least(at_best, is_tied=levels <= FEW_SCORES and 2 * levels <= counts.rows)


def values_of(requests: Sequence[Request], tally: ScoreCounts) -> list[float]:
    """Measures of one replicate; what is undefined there is NaN and counted by the caller."""
    if len(tally.score) <= SHORT:
        # as weights: exact integers would cost more and say no more about a replicate
        tally = type(tally)(
            tally.score, tally.positives.astype(float), tally.negatives.astype(float), tally.rows
        )
    with np.errstate(all="ignore"):
        return [once(tally, (_value, *key_of(r)), partial(_value, r)) for r in requests]


def _value(request: Request, tally: ScoreCounts) -> float:
    return float(request.measure(tally, **request.values))


def key_of(request: Request) -> Any:
    """What tells measures of one ranking apart."""
    return request.measure.name, request.parameters


def limits_kind(request: Request, options: IntervalOptions) -> str:
    """The kind of bootstrap limits: as asked for, else as the measure needs."""
    # a method for shares or areas leaves the others as they are
    if options.uses_t and isinstance(request.measure.kind, Maximum):
        return "maximum"
    return options.bootstrap


def gap_statistic(request: Request) -> Callable[[Any, Any], Any]:
    """The measure as a function of the weights and gaps of bins."""
    kind = request.measure.kind
    assert isinstance(kind, BinGaps)
    named = inspect.signature(kind.value).parameters
    return partial(kind.value, **{k: v for k, v in request.values.items() if k in named})


def gaps_of(counts: ScoreCounts, values: dict[str, Any]) -> Gaps:
    """The bins themselves: the very ones that the value is made of."""
    asked = {name: values[name] for name in ("bins", "strategy", "midpoint") if name in values}
    bins = bins_of(counts, **asked)
    return Gaps(bins.weight, bins.positives, bins.forecast)
