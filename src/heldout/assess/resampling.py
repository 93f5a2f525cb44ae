"""What is resampled of a model's rows, and how: cells, rankings, losses, errors, rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import isfinite
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from heldout.assess.forms import count_statistic, has_formula
from heldout.assess.ranking_draws import key_of, least_of, resampled_together, values_of
from heldout.assess.values import (
    arguments_of,
    average_of,
    losses_of,
    overall,
    table_of,
)
from heldout.core.dialect import argument
from heldout.core.memo import once
from heldout.core.notes import Kind
from heldout.core.random import stream
from heldout.curves.sources import RankedRows, class_index, ranked_rows
from heldout.measures.kinds import Fit, Maximum
from heldout.tally.class_scores import ClassScores
from heldout.tally.confusion import Confusion
from heldout.tally.errors import ErrorRows, Errors
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.cells import Cells, ConfusionBootstrap, GroupCells
from heldout.uncertainty.interval import absent
from heldout.uncertainty.rankings import ScoreBootstrap
from heldout.uncertainty.replicates import Replicates
from heldout.uncertainty.row_bootstrap import (
    MANY_ROWS,
    JointMeans,
    replicate_errors,
    replicate_means,
    replicate_rows,
    replicate_weighed,
    row_jackknife,
)
from heldout.uncertainty.sample import RowSampler, Sample, row_order
from heldout.uncertainty.worth import NO_GROUPS, GroupSizes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.engines.memory import Tallies
    from heldout.engines.protocol import Loss
    from heldout.measures.spec import Request
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.limits import Jackknife
    from heldout.uncertainty.options import IntervalOptions

#: rows times replicates above which rows are not resampled unasked
ROW_WORK = 100_000_000
#: cells times replicates above which a bootstrap of counts is not made unasked
CELL_WORK = 50_000_000
#: classes above which the cells of all pairs of classes no longer fit in memory
MOST_CLASSES = 2_000
NOT_BAYESIAN = "rows are drawn: there is no Bayesian bootstrap of this measure"


def unasked(why: str) -> str:
    """The reason why an interval is made only if its measure is asked for by name.

    Examples
    --------
    >>> unasked("many classes")
    'many classes: made if asked for by name (measures=)'
    """
    return f"{why}: made if asked for by name ({argument('measure')})"


@dataclass(frozen=True, eq=False)
class Resampling:
    """Bootstrap intervals of one model's rows; replicates are shared by all measures.

    ``together`` are the measures of scores whose replicates are made at once. ``kind`` is that of
    the limits: percentile, basic, bca, bayesian or maximum (see ``Replicates``). ``worth`` is how
    many rows of one weight the rows are worth, where some are the same (None: Kish's number).
    """

    tallies: Tallies
    options: IntervalOptions
    together: tuple[Request, ...] = ()
    worth: float | None = None

    @property
    def groups(self) -> Any:
        """The group of each row, where rows depend on each other."""
        return self.tallies.predictions.design.groups

    @property
    def is_plain(self) -> bool:
        """Whether rows weigh the same and stand alone."""
        return self.groups is None and self.tallies.predictions.weight is None

    # cells of the confusion matrix

    def lack_of_cells(self, request: Request) -> str:
        """Why the cells of all classes are not resampled; empty where they are."""
        classes = self.tallies.confusion.classes
        if classes > MOST_CLASSES:
            return "too many classes to resample"
        if classes**2 * self.options.of_counts > CELL_WORK and not request.is_explicit:
            return unasked("many classes")
        return ""

    def of_cells(self, request: Request, code: int | None, kind: str) -> Interval:
        """A measure of counts: of all classes (None), or of one against the rest."""
        measure, counts = request.measure, self.tallies.confusion
        given: dict[str, Any] = {
            "level": self.options.level,
            "kind": kind,
            "bounds": measure.bounds,
        }
        if code is None:
            if lack := self.lack_of_cells(request):
                return absent(lack, level=self.options.level)
            return self.cells_of(None).interval(count_statistic(request, self.tallies), **given)
        # of two classes both are read from the same draws
        first = code if counts.classes > 2 or counts.positive is None else counts.positive
        other = int(code != first)
        return self.cells_of(first).interval(
            lambda drawn: measure(table_of(request, drawn.against_rest(other)), **request.values),
            **given,
        )

    @property
    def kind_of_cells(self) -> str:
        """The kind of limits: of groups whole ones are drawn, as a pseudo-row would be one."""
        is_default = self.groups is not None and self.options.uses_t
        return "percentile" if is_default else self.options.bootstrap

    def cells_of(self, code: int | None) -> ConfusionBootstrap:
        """Replicates of the counts of all classes (None), or of one against the rest."""
        return once(self.tallies, ("cells", self.options, code), lambda _: self._cells(code))

    def _cells(self, code: int | None) -> ConfusionBootstrap:
        p, options, whole = self.tallies.predictions, self.options, self.tallies.confusion
        counts = whole if code is None else whole.against_rest(code)
        cells: Cells | GroupCells = Cells.of_counts(counts)
        if self.groups is not None:
            sums = self.group_cells
            if code is not None:
                sums = Sample.of_table(
                    self.confusions_of_groups.against_rest(code).counts, sums.count
                )
            cells = GroupCells(counts, sums)
        elif p.weight is not None and not self.tallies.is_counted:
            weighted = self._weighted_cells
            cells = weighted if code is None else weighted.against_rest(code)
        return ConfusionBootstrap(cells, options.of_counts, options.seed, options.stratified)

    @cached_property
    def group_cells(self) -> Sample:
        """The counts of each group."""
        p = self.tallies.predictions
        assert p.predicted is not None
        return Sample.of_cells(self.groups, p.truth, p.predicted, self.tallies.confusion, p.weight)

    @cached_property
    def confusions_of_groups(self) -> Confusion:
        """The same as stacked tables."""
        return replace(self.tallies.confusion, counts=self.group_cells.sums)

    @cached_property
    def squares(self) -> Confusion | None:
        """Counts of the squares of the weights; None where all rows weigh the same."""
        p = self.tallies.predictions
        if p.weight is None or self.tallies.is_counted or p.predicted is None:
            return None
        squares = Confusion.of(
            p.truth, p.predicted, p.weight**2, classes=len(p.classes), positive=p.positive
        )
        if self.worth is None:
            return squares
        scale = float(self.tallies.confusion.total) ** 2 / self.worth / float(squares.total)
        return replace(squares, counts=squares.counts * scale)

    @cached_property
    def _weighted_cells(self) -> Cells:
        p = self.tallies.predictions
        assert p.predicted is not None
        assert p.weight is not None
        return Cells.of(p.truth, p.predicted, p.weight, classes=len(p.classes), positive=p.positive)

    # means of losses

    @property
    def is_drawn_by_moments(self) -> bool:
        """Whether means are drawn from the normal distribution of their joint moments."""
        return len(self.tallies.predictions) > MANY_ROWS and self.is_plain

    def of_means(self, request: Request, kind: str) -> Interval:
        """A measure of one or several means of losses."""
        p, losses, options = self.tallies.predictions, losses_of(request), self.options
        value = mean_statistic(request, self.tallies)
        is_heavy = len(p) * options.of_rows > ROW_WORK and not request.is_explicit
        if is_heavy and (options.method == "bca" or not self.is_drawn_by_moments):
            return absent(unasked("many rows to resample"), level=options.level)

        def left_out() -> Jackknife:
            columns = self.columns_of(losses)
            return row_jackknife(
                lambda rows: value(
                    np.average(
                        columns[rows], axis=0, weights=None if p.weight is None else p.weight[rows]
                    )
                ),
                self.sampler,
                rng=stream(options.seed, "losses", "left out"),
            )

        rng = stream(options.seed, "losses")
        if self.is_drawn_by_moments:
            means = self.joint_means(request).draw(replicates=options.of_rows, rng=rng)
        else:
            means = replicate_means(
                self.columns_of(losses),
                p.weight,
                replicates=options.of_rows,
                rng=rng,
                sampler=self.sampler,
            )
        drawn = np.array([value(line) for line in np.atleast_2d(means)])
        return self._limits(request, kind, drawn, left_out)

    def joint_means(self, request: Request) -> JointMeans:
        """Means, and how they vary together, from the pass that made the values."""
        losses, moments = losses_of(request), arguments_of(request, self.tallies)
        products = np.diag([m.deviations for m in moments])
        for i, first in enumerate(losses):
            for j, second in enumerate(losses[i + 1 :], i + 1):
                both = self.tallies.co_moments(first, second)
                products[i, j] = products[j, i] = both.products
        means = np.array([m.finite_mean for m in moments])
        rows = moments[0].rows
        return JointMeans(rows, float(rows), float(rows), means, products)

    def columns_of(self, losses: Sequence[Loss]) -> NDArray[Any]:
        """The losses of all rows, a column each."""
        columns = np.column_stack([self.tallies.losses(*loss) for loss in losses])
        # what is infinite makes its own column undefined, and no other
        return np.where(np.isfinite(columns), columns, np.nan)

    # rankings

    def of_ranking(self, request: Request, code: int | None, kind: str) -> Interval:
        """A measure of a ranking: of all rows (None), or of one class against the rest."""
        tally = request.measure.needs[0]
        if not self.is_plain:
            lack = self._too_much(request, len(self.tallies.predictions))
            return (
                absent(lack, level=self.options.level) if lack else self._drawn(request, code, kind)
            )
        return self._jointly(request, kind, self.counts(tally, code), (tally, code))

    def counts(self, tally: type, code: int | None) -> ScoreCounts:
        """The ranking of all rows (None), by the positive or the likeliest class, or of one."""
        if code is not None:
            return self.columns.versus_rest[code]
        return cast("ScoreCounts", self.tallies.of_kind(tally))

    def _jointly(self, request: Request, kind: str, counts: ScoreCounts, key: Any) -> Interval:
        """The interval of one measure of a ranking; all of them share their replicates."""
        tally = request.measure.needs[0]
        wanted = [r for r in self._of_tally(tally) if limits_kind(r, self.options) == kind]
        intervals = once(
            self.tallies,
            (*key, kind, self.options),
            lambda _: resampled_together(counts, wanted, kind, self.options),
        )
        if key_of(request) not in intervals:
            intervals.update(resampled_together(counts, [request], kind, self.options))
        return intervals[key_of(request)]

    def of_matrix(self, request: Request, kind: str) -> Interval:
        """A value that needs the score columns of all classes together."""
        p = self.tallies.predictions
        lack = self._too_much(request, len(p) * len(p.classes))
        return absent(lack, level=self.options.level) if lack else self._of_columns(request, kind)

    @cached_property
    def columns(self) -> ClassScores:
        """The scores of each class."""
        return self.tallies.class_scores

    def ranked(self, code: int | None) -> RankedRows:
        """The rows as a class against the rest ranks them; None: the positive one of two."""
        return ranked_rows(
            self.tallies, class_index(self.tallies.predictions, None) if code is None else code
        )

    def _of_tally(self, kind: type) -> Sequence[Request]:
        return [r for r in self.together if r.measure.needs == (kind,) and self._is_resampled(r)]

    def _is_resampled(self, request: Request) -> bool:
        """Whether the interval of a measure of scores needs replicates."""
        measure = request.measure
        if not measure.has_interval or measure.is_of_gaps:
            return False
        if self.is_plain and request.values.get("bins") == 0:
            return False  # bins of single scores are mostly too thin for it
        # estimates have their formula of weighted rows and of groups too
        is_known = self.is_plain or isinstance(measure.kind, Fit)
        return not (is_known and has_formula(request, self.options))

    def _of_columns(self, request: Request, kind: str) -> Interval:
        """The interval of a value of the score columns of all classes, by drawing rows."""
        p, measure, columns = self.tallies.predictions, request.measure, self.columns

        def value(truth: NDArray[Any], scores: NDArray[Any], weight: Any) -> float:
            part = ClassScores.of(truth, scores, weight)
            if measure.needs == (ClassScores,):
                return float(measure(part, **request.values))
            values = np.array([measure(s, **request.values) for s in part.versus_rest], float)
            support = np.bincount(truth, weight, minlength=len(p.classes))
            return average_of(values, support, p.classes, request.average, "").value

        def statistic(rows: NDArray[Any]) -> float:
            weight = None if columns.weight is None else columns.weight[rows]
            return value(columns.truth[rows], columns.scores[rows], weight)

        def weighed() -> NDArray[Any]:
            return replicate_weighed(
                value,
                columns.truth,
                columns.scores,
                columns.weight,
                sampler=self.sampler,
                replicates=self.options.of_rows,
                rng=stream(self.options.seed, "rows", "weighed"),
            )

        return self._replicated(request, kind, statistic, weighed)

    def _drawn(self, request: Request, code: int | None, kind: str) -> Interval:
        """A measure of a ranking of weighted or grouped rows."""
        level, least = self.options.level, None
        if self.groups is None:
            squares = self.ranked(code).squares
            least = least_of(request, self.counts(ScoreCounts, code), level=level, squares=squares)
        wanted = self._of_tally(ScoreCounts)
        keys = tuple(map(key_of, wanted))
        replicates = once(
            self.tallies,
            ("drawn", code, keys, self.options),
            lambda _: self._replicates(wanted, code),
        )
        column = keys.index(key_of(request))
        (interval,) = replicates.only(column).intervals(
            kind, level=level, bounds=request.bounds, least=[least]
        )
        return self._said(interval)

    def _replicates(self, wanted: Sequence[Request], code: int | None) -> Replicates:
        """Replicates of measures of one ranking at once, with rows or groups drawn."""
        options = self.options
        rows = self.ranked(code).draws(self.groups, stratified=self._is_stratified)
        counts = self.counts(ScoreCounts, code)
        bootstrap = ScoreBootstrap(counts, options.of_rows, options.seed, rows=rows)
        return bootstrap.replicated(lambda counts: values_of(wanted, counts))

    # errors of predicted numbers

    def of_products(self, request: Request, kind: str) -> Interval:
        """A measure of the variances and covariance of truth and prediction."""
        errors = self.tallies.errors
        if not isfinite(errors.truth_deviations + errors.predicted_deviations):
            return absent("squares of such values are too large", level=self.options.level)
        rows = self.tallies.error_rows
        drawn = replicate_errors(
            rows,
            lambda errors: request.measure(errors, **request.values),
            replicates=self.options.of_rows,
            rng=stream(self.options.seed, "errors"),
            sampler=self.sampler,
            by_moments=self.groups is None and rows.rows > MANY_ROWS,
        )
        statistic = self._of_errors(request, Errors)
        return self._limits(request, kind, drawn, lambda: self._jackknife(statistic))

    def of_order(self, request: Request, kind: str) -> Interval:
        """A quantile of the errors, or another measure that needs every one of them."""
        if lack := self._too_much(request, len(self.tallies.predictions)):
            return absent(lack, level=self.options.level)
        return self._replicated(request, kind, self._of_errors(request, ErrorRows))

    def _of_errors(
        self, request: Request, tally: type[Errors | ErrorRows]
    ) -> Callable[[NDArray[Any]], float]:
        rows = self.tallies.error_rows

        def statistic(taken: NDArray[Any]) -> float:
            weight = None if rows.weight is None else rows.weight[taken]
            part = tally.of(rows.truth[taken], rows.predicted[taken], weight)
            return float(request.measure(part, **request.values))

        return statistic

    # any statistic of rows

    @cached_property
    def sampler(self) -> RowSampler:
        """What is drawn: rows, rows within true classes, or whole groups."""
        p = self.tallies.predictions
        return RowSampler(
            len(p),
            strata=p.truth if self._is_stratified else None,
            groups=self.groups,
            order=partial(row_order, p),
        )

    @property
    def _is_stratified(self) -> bool:
        is_classes = self.tallies.predictions.task != "regression"
        return self.options.stratified and is_classes and self.groups is None

    def _too_much(self, request: Request, rows: int) -> str:
        if rows * self.options.of_rows > ROW_WORK and not request.is_explicit:
            return unasked("many rows to resample")
        return ""

    def _replicated(
        self,
        request: Request,
        kind: str,
        statistic: Callable[[NDArray[Any]], Any],
        weighed: Callable[[], NDArray[Any]] | None = None,
    ) -> Interval:
        """The interval of a statistic of rows."""
        drawn = replicate_rows(
            statistic,
            self.sampler,
            replicates=self.options.of_rows,
            rng=stream(self.options.seed, "rows"),
        )
        return self._limits(request, kind, drawn, lambda: self._jackknife(statistic), weighed)

    def _jackknife(self, statistic: Callable[[NDArray[Any]], Any]) -> Jackknife:
        rng = stream(self.options.seed, "rows", "left out")
        return row_jackknife(statistic, self.sampler, rng=rng)

    def _limits(
        self,
        request: Request,
        kind: str,
        replicates: NDArray[Any],
        left_out: Callable[[], Jackknife],
        weighed: Callable[[], NDArray[Any]] | None = None,
    ) -> Interval:
        """The interval of a measure from its values on resampled rows (or whole groups).

        ``left_out`` makes its values without parts of the rows, which BCa needs; ``weighed``
        makes its values with rows weighted at random, which take the place of draws where most
        of these agree.
        """
        options = self.options
        what, sizes, fewest = "rows", NO_GROUPS, 0
        if self.groups is not None:
            what, sizes = "groups", GroupSizes.of(self.tallies.parts("group").weights)
        elif kind == "maximum":
            fewest = _fewest_of_class(self.tallies)
        what += " within true classes" if self._is_stratified else ""
        drawn = Replicates(
            np.array([float(overall(request, self.tallies).value)]),
            lambda: replicates[:, None],
            None if weighed is None else lambda: weighed()[:, None],
            left_out,
            f"{options.of_rows} draws of {what}, seed {options.seed}",
            sizes,
            fewest,
        )
        bounds = request.bounds
        (interval,) = drawn.intervals(kind, level=options.level, bounds=bounds)
        return self._said(interval)

    def _said(self, interval: Interval) -> Interval:
        """The interval, which says that rows were drawn where random weights were asked for."""
        is_other = self.options.method == "bayesian" and not interval.has(Kind.OTHER_METHOD)
        return interval.noted(NOT_BAYESIAN) if is_other else interval


def mean_statistic(request: Request, tallies: Tallies) -> Callable[[NDArray[Any]], float]:
    """A measure as a function of its means of losses."""
    moments = arguments_of(request, tallies)

    def value(means: NDArray[Any]) -> float:
        parts = (replace(m, finite_mean=mean) for m, mean in zip(moments, means, strict=True))
        return float(request.measure(*parts, **request.values))

    return value


def limits_kind(request: Request, options: IntervalOptions) -> str:
    """The kind of bootstrap limits: as asked for, else as the measure needs."""
    # a method for shares or areas leaves the others as they are
    if options.uses_t and isinstance(request.measure.kind, Maximum):
        return "maximum"
    return options.bootstrap


def _fewest_of_class(tallies: Tallies) -> int:
    """Rows of the class that has fewest, or whose rest has."""
    sizes = tallies.parts("class").rows
    return int(np.minimum(sizes, tallies.rows - sizes).min())
