"""Intervals by resampling scores or rows, where counts and moments do not suffice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.resampling import (
    ROW_WORK,
    DrawnRankings,
    key_of,
    limits_kind,
    resampled_limits,
    resampled_together,
    unasked,
)
from heldout.assess.score_formulas import (
    NO_AVERAGE,
    UNEVEN,
    area_interval,
    has_formula,
    influence_interval,
    is_area,
    score_formula,
)
from heldout.assess.values import average_of, class_scores
from heldout.core.memo import once
from heldout.core.random import stream
from heldout.measures.kinds import Fit, Maximum
from heldout.tally.class_scores import ClassScores
from heldout.tally.errors import ErrorRows, Errors
from heldout.tally.scores import ScoreCounts, TopLabel
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.resampling import RowSampler, row_order
from heldout.uncertainty.row_bootstrap import (
    MANY_ROWS,
    replicate_errors,
    replicate_rows,
    replicate_weighed,
    row_jackknife,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request
    from heldout.uncertainty.limits import Jackknife

__all__ = ["RowIntervals"]

#: classes up to which each class's ranking is resampled unasked
FEW_CLASSES = 5


@dataclass(frozen=True, eq=False)
class RowIntervals:
    """Bootstrap intervals of one set of rows."""

    tallies: Tallies
    options: IntervalOptions
    groups: Any
    together: tuple[Request, ...]

    def of(self, request: Request) -> Interval:
        """The interval of an overall value of scores or errors."""
        kind = request.measure.needs[0]
        if kind in (ScoreCounts, TopLabel):
            return self._of_scores(request)
        if kind is Errors:
            return self._of_errors(request)
        return self._of_error_rows(request)

    def of_classes(self, request: Request) -> list[Interval]:
        """The interval of each class's ranking against the rest."""
        return [self.of_class(request, place) for place in range(len(self._columns.versus_rest))]

    def of_class(self, request: Request, place: int) -> Interval:
        """The interval of one class's ranking against the rest."""
        p, options, counts = self.tallies.predictions, self.options, self._columns.versus_rest
        is_many = len(counts) > FEW_CLASSES and not request.is_explicit
        if is_area(request) and options.area and self.groups is None:
            squares = None if p.weight is None else self._squared_columns.versus_rest[place]
            return area_interval(request, counts[place], options, squares)
        if request.measure.is_of_gaps and not self._is_plain:
            return absent(UNEVEN, level=options.level)
        if made := self._moved(request, counts[place], self._columns.scores[:, place], place):
            return made
        if is_many:
            return absent(unasked("many classes"), level=options.level)
        if not self._is_plain:
            if not request.is_explicit:
                return absent(unasked("weights or groups"), level=options.level)
            return self._of_rows(replace(request, label=str(p.classes[place])), place)
        made = score_formula(request, counts[place], options)
        return self._resampled_class(request, place) if made is None else made

    @cached_property
    def _columns(self) -> ClassScores:
        return class_scores(self.tallies)

    @cached_property
    def _squared_columns(self) -> ClassScores:
        """The same rows with the squares of their weights."""
        columns = self._columns
        assert columns.weight is not None
        return ClassScores.of(columns.truth, columns.scores, columns.weight**2)

    def _resampled_class(self, request: Request, place: int) -> Interval:
        """The interval of one class's ranking; all measures of it share their replicates."""
        kind = limits_kind(request, self.options)
        key = ("class", place, kind, self.options)
        wanted = [r for r in self._of_kind(ScoreCounts) if limits_kind(r, self.options) == kind]
        counts = self._columns.versus_rest[place]
        found = once(
            self.tallies, key, lambda _: resampled_together(counts, wanted, kind, self.options)
        )
        if key_of(request) not in found:
            found.update(resampled_together(counts, [request], kind, self.options))
        return found[key_of(request)]

    def of_matrix(self, request: Request) -> Interval:
        """The interval of a value that needs the score columns of all classes together."""
        p, measure = self.tallies.predictions, request.measure
        reason = self._too_much(request, len(p) * len(p.classes))
        # each replicate costs a sort: only the areas that summaries show are resampled unasked
        if not request.is_explicit and not (measure.by_fold and measure.headline):
            reason = unasked("all classes are resampled together")
        if measure.is_of_gaps:
            reason = NO_AVERAGE
        return absent(reason, level=self.options.level) if reason else self._of_rows(request)

    def _of_rows(self, request: Request, place: int | None = None) -> Interval:
        """The interval of a value of the score columns, or of one of them, by drawing rows."""
        p, measure, columns = self.tallies.predictions, request.measure, self._columns

        def value(truth: NDArray[Any], scores: NDArray[Any], weight: Any) -> float:
            part = ClassScores.of(truth, scores, weight)
            if measure.needs == (ClassScores,):
                return float(measure(part, **request.values))
            if place is not None:
                alone = ScoreCounts.of(part.truth == place, part.scores[:, place], weight)
                return float(measure(alone, **request.values))
            values = np.array([measure(s, **request.values) for s in part.versus_rest], float)
            support = np.bincount(truth, weight, minlength=len(p.classes))
            return average_of(values, support, p.classes, request.average, "").value

        def statistic(rows: NDArray[Any]) -> float:
            weight = None if p.weight is None else p.weight[rows]
            return value(p.truth[rows], columns.scores[rows], weight)

        def weighed() -> NDArray[Any]:
            return replicate_weighed(
                value,
                p.truth,
                columns.scores,
                p.weight,
                sampler=self.sampler,
                replicates=self.options.of_rows,
                rng=stream(self.options.seed, "rows", "weighed"),
            )

        return self._replicated(request, statistic, weighed)

    @property
    def _is_plain(self) -> bool:
        return self.groups is None and self.tallies.predictions.weight is None

    def _too_much(self, request: Request, rows: int) -> str:
        if rows * self.options.of_rows > ROW_WORK and not request.is_explicit:
            return unasked("many rows to resample")
        return ""

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

    def _replicated(
        self,
        request: Request,
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
        return self._limits(request, drawn, statistic, weighed)

    def _limits(
        self,
        request: Request,
        replicates: NDArray[Any],
        statistic: Callable[[NDArray[Any]], Any],
        weighed: Callable[[], NDArray[Any]] | None = None,
    ) -> Interval:
        def left_out() -> Jackknife:
            rng = stream(self.options.seed, "rows", "left out")
            return row_jackknife(statistic, self.sampler, rng=rng)

        return resampled_limits(
            request, self.tallies, self.options, replicates, left_out, weighed=weighed
        )

    def _of_scores(self, request: Request) -> Interval:
        kind = request.measure.needs[0]
        if self._is_plain:
            counts = self.tallies.scores if kind is ScoreCounts else self.tallies.top_label
            made = score_formula(request, counts, self.options)
            limited = limits_kind(request, self.options)
            if made is not None:
                return made
            found = self._jointly(kind, limited)
            if key_of(request) not in found:
                found.update(resampled_together(counts, [request], limited, self.options))
            return found[key_of(request)]
        p = self.tallies.predictions
        if kind is ScoreCounts and (
            made := self._moved(request, self.tallies.scores, p.scores, p.positive)
        ):
            return made
        reason = self._too_much(request, len(p))
        if request.measure.is_of_gaps:
            reason = UNEVEN
        elif kind is TopLabel:
            reason = "weights or groups: not made for the likeliest class"
        if reason:
            return absent(reason, level=self.options.level)

        return self._drawn_rankings.of(request)

    def _moved(
        self, request: Request, counts: ScoreCounts, score: Any, place: int | None
    ) -> Interval | None:
        """The interval of an estimate by how far each row or group moves it; None: not of these."""
        p = self.tallies.predictions
        is_fit = isinstance(request.measure.kind, Fit)
        if self._is_plain or not is_fit or not self.options.uses_t:
            return None
        given: dict[str, Any] = {"weight": p.weight, "groups": self.groups}
        level = self.options.level
        return influence_interval(request, counts, p.truth == place, score, level=level, **given)

    @cached_property
    def _drawn_rankings(self) -> DrawnRankings:
        """Measures of the ranking of weighted or grouped rows."""
        wanted = self._of_kind(ScoreCounts)
        return DrawnRankings(self.tallies, self.options, wanted, self.groups, self._is_stratified)

    def _jointly(self, kind: type, limited: str) -> dict[Any, Interval]:
        """The intervals of all measures of one kind, from the same replicates."""

        def resampled(_: RowIntervals) -> dict[Any, Interval]:
            wanted = [r for r in self._of_kind(kind) if limits_kind(r, self.options) == limited]
            counts = self.tallies.scores if kind is ScoreCounts else self.tallies.top_label
            return resampled_together(counts, wanted, limited, self.options)

        return once(self, ("jointly", kind, limited), resampled)

    def _of_kind(self, kind: type) -> Sequence[Request]:
        return [r for r in self.together if r.measure.needs == (kind,) and self._is_resampled(r)]

    def _is_resampled(self, request: Request) -> bool:
        """Whether the interval of a measure of scores needs replicates."""
        measure = request.measure
        if not measure.has_interval or measure.is_of_gaps:
            return False
        if self._is_plain and request.values.get("bins") == 0:
            return False  # bins of single scores are mostly too thin for it
        return not (self._is_plain and has_formula(request, self.options))

    def _of_errors(self, request: Request) -> Interval:
        if request.measure.kind == Maximum("errors"):
            return absent("a maximum of rows has no valid bootstrap", level=self.options.level)
        errors = self.tallies.errors
        if not isfinite(errors.truth_deviations + errors.predicted_deviations):
            return absent("squares of such values are too large", level=self.options.level)
        rows = self.tallies.error_rows
        made = replicate_errors(
            rows,
            lambda errors: request.measure(errors, **request.values),
            replicates=self.options.of_rows,
            rng=stream(self.options.seed, "errors"),
            sampler=self.sampler,
            by_moments=self.groups is None and rows.rows > MANY_ROWS,
        )

        def statistic(taken: NDArray[Any]) -> float:
            weight = None if rows.weight is None else rows.weight[taken]
            part = Errors.of(rows.truth[taken], rows.predicted[taken], weight)
            return float(request.measure(part, **request.values))

        return self._limits(request, made, statistic)

    def _of_error_rows(self, request: Request) -> Interval:
        p = self.tallies.predictions
        reason = self._too_much(request, len(p))
        if reason:
            return absent(reason, level=self.options.level)
        rows = self.tallies.error_rows

        def statistic(taken: NDArray[Any]) -> float:
            weight = None if rows.weight is None else rows.weight[taken]
            part = ErrorRows.of(rows.truth[taken], rows.predicted[taken], weight)
            return float(request.measure(part, **request.values))

        return self._replicated(request, statistic)
