"""Intervals by resampling scores or rows, where counts and moments do not suffice."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.averages import average_of
from karat.assess.resampled_limits import ROW_WORK, resampled_limits, unasked
from karat.assess.values import class_scores
from karat.core.random import stream
from karat.intervals.coarse_scores import COARSE_LEVELS, fine_levels
from karat.intervals.delong import delong_interval
from karat.intervals.error_bootstrap import replicate_errors
from karat.intervals.interval import Interval, absent
from karat.intervals.resampling import RowSampler
from karat.intervals.row_bootstrap import replicate_rows
from karat.intervals.score_intervals import ScoreBootstrap
from karat.intervals.score_rows import ScoreRows
from karat.tally.class_scores import ClassScores
from karat.tally.errors import ErrorRows, Errors
from karat.tally.roc import once
from karat.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from karat.assess.options import IntervalOptions
    from karat.engines.memory import Tallies
    from karat.measures.spec import Request

__all__ = ["RowIntervals"]

#: rankings of more scores are counted exactly: most are the rows themselves
SHORT = 5_000
#: measures of all classes' scores that are resampled unasked: each replicate costs a sort
OF_ALL_CLASSES = ("auc", "hand_till")
#: measures that read one point of a curve: joined scores must be finer than such points vary
OF_POINTS = (
    "precision_at_recall",
    "recall_at_precision",
    "sensitivity_at_specificity",
    "specificity_at_sensitivity",
)
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
        p, level = self.tallies.predictions, self.options.level
        columns = class_scores(self.tallies)
        count = len(p.classes)
        if request.measure.name == "auc" and self.options.area and self._is_plain:
            scale: Any = self.options.area
            return [delong_interval(s, level=level, scale=scale) for s in columns.versus_rest]
        if count > FEW_CLASSES and not request.is_explicit:
            return [absent(unasked("many classes"), level=level)] * count
        if not self._is_plain:
            return [absent("weights or groups: ask for the macro average", level=level)] * count
        return [self._of_class(request, place) for place in range(count)]

    def _of_class(self, request: Request, place: int) -> Interval:
        """The interval of one class's ranking; all measures of it share their replicates."""
        memory = self.tallies.memory
        kind = self._limits_kind(request)
        key = ("class", place, kind, self.options)
        wanted = [r for r in self._of_kind(ScoreCounts) if self._limits_kind(r) == kind]
        if key not in memory:
            counts = class_scores(self.tallies).versus_rest[place]
            memory[key] = self._resampled_together(counts, wanted, kind)
        found: dict[Any, Interval] = memory[key]
        if _key(request) not in found:
            counts = class_scores(self.tallies).versus_rest[place]
            found.update(self._resampled_together(counts, [request], kind))
        return found[_key(request)]

    def of_matrix(self, request: Request) -> Interval:
        """The interval of a value that needs the score columns of all classes together."""
        p, measure = self.tallies.predictions, request.measure
        columns = class_scores(self.tallies)
        reason = self._too_much(request, len(p) * len(p.classes))
        if not request.is_explicit and measure.name not in OF_ALL_CLASSES:
            reason = unasked("all classes are resampled together")
        if reason:
            return absent(reason, level=self.options.level)

        def statistic(rows: NDArray[Any]) -> float:
            weight = None if p.weight is None else p.weight[rows]
            part = ClassScores.of(p.truth[rows], columns.scores[rows], weight)
            if measure.needs == (ClassScores,):
                return float(measure(part, **request.values))
            values = np.array([measure(s, **request.values) for s in part.versus_rest], float)
            if request.label is not None:
                return float(values[[str(c) for c in p.classes].index(request.label)])
            support = np.bincount(p.truth[rows], weight, minlength=len(p.classes))
            return average_of(values, support, p.classes, request.average, "")[0]

        return self._limits(request, self._replicated(statistic))

    @property
    def _is_plain(self) -> bool:
        return self.groups is None and self.tallies.predictions.weight is None

    def _too_much(self, request: Request, rows: int) -> str:
        if rows * self.options.of_rows > ROW_WORK and not request.is_explicit:
            return unasked("many rows to resample")
        return ""

    def _bootstrap(self, scores: ScoreCounts, levels: int) -> ScoreBootstrap:
        options = self.options
        return ScoreBootstrap(scores, options.of_rows, options.seed, options.stratified, levels)

    @cached_property
    def sampler(self) -> RowSampler:
        """What is drawn: rows, rows within true classes, or whole groups."""
        p = self.tallies.predictions
        strata = p.truth if self.options.stratified and self.groups is None else None
        return RowSampler(len(p), strata=strata, groups=self.groups)

    def _replicated(self, statistic: Callable[[NDArray[Any]], Any]) -> NDArray[Any]:
        return replicate_rows(
            statistic,
            self.sampler,
            replicates=self.options.of_rows,
            rng=stream(self.options.seed, "rows"),
        )

    def _limits(self, request: Request, replicates: NDArray[Any]) -> Interval:
        what = "rows" if self.groups is None else "groups"
        return resampled_limits(request, self.tallies, self.options, replicates, what)

    def _of_scores(self, request: Request) -> Interval:
        if self._is_plain:
            kind = self._limits_kind(request)
            return self._jointly(request.measure.needs[0], kind)[_key(request)]
        p = self.tallies.predictions
        reason = self._too_much(request, len(p))
        if reason:
            return absent(reason, level=self.options.level)
        if request.measure.needs == (TopLabel,):
            return absent(
                "weights or groups: not made for the likeliest class", level=self.options.level
            )
        return self._limits(request, self._score_replicates[:, self._column(request)])

    @cached_property
    def _score_replicates(self) -> NDArray[Any]:
        """Replicates of all score measures at once, for weighted or grouped rows."""
        p = self.tallies.predictions
        rows = ScoreRows(p.truth == p.positive, np.asarray(p.scores), p.weight, groups=self.groups)
        wanted = self._of_kind(ScoreCounts)
        return rows.replicate(
            lambda counts: _values(wanted, counts),
            replicates=self.options.of_rows,
            rng=stream(self.options.seed, "scores", "drawn"),
        )

    def _column(self, request: Request) -> int:
        return [_key(r) for r in self._of_kind(ScoreCounts)].index(_key(request))

    def _jointly(self, kind: type, limits_kind: str) -> dict[Any, Interval]:
        """The intervals of all measures of one kind, from the same replicates."""
        memory = self.__dict__.setdefault("_joint", {})
        if (kind, limits_kind) not in memory:
            wanted = [r for r in self._of_kind(kind) if self._limits_kind(r) == limits_kind]
            counts = self.tallies.scores if kind is ScoreCounts else self.tallies.top_label
            memory[kind, limits_kind] = self._resampled_together(counts, wanted, limits_kind)
        found: dict[Any, Interval] = memory[kind, limits_kind]
        return found

    def _resampled_together(
        self, counts: ScoreCounts, wanted: Sequence[Request], kind: str
    ) -> dict[Any, Interval]:
        """The intervals of several measures of a ranking, by their keys.

        Where nothing else is asked for, few draws have to do for measures that are normal.
        """
        found: dict[Any, Interval] = {}
        for is_point in (False, True):
            some = [r for r in wanted if (r.measure.name in OF_POINTS) == is_point]
            if some:
                levels = fine_levels(counts) if is_point else COARSE_LEVELS
                found.update(self._resampled_at(levels, counts, some, kind))
        return found

    def _resampled_at(
        self, levels: int, counts: ScoreCounts, wanted: Sequence[Request], kind: str
    ) -> dict[Any, Interval]:
        bootstrap, level = self._bootstrap(counts, levels), self.options.level
        found: dict[Any, Interval] = {}
        if not self.options.method and self.options.replicates is None:
            made = bootstrap.normal_intervals(
                lambda s: _values(wanted, s),
                level=level,
                kind=kind,
                bounds=[request.measure.bounds for request in wanted],
            )
            keyed = zip(map(_key, wanted), made, strict=True)
            found = {key: one for key, one in keyed if one is not None}
        rest = [request for request in wanted if _key(request) not in found]
        if rest:
            intervals = bootstrap.intervals(lambda s: _values(rest, s), level=level, kind=kind)
            found.update(zip(map(_key, rest), intervals, strict=True))
        return found

    def _limits_kind(self, request: Request) -> str:
        """The kind of bootstrap limits: as asked for, else as the measure needs."""
        if not self.options.method and request.measure.interval == "basic":
            return "basic"
        return self.options.bootstrap

    def _of_kind(self, kind: type) -> Sequence[Request]:
        return [r for r in self.together if r.measure.needs == (kind,) and self._is_resampled(r)]

    def _is_resampled(self, request: Request) -> bool:
        """Whether the interval of a measure of scores needs replicates."""
        measure, options = request.measure, self.options
        analytic = options.uses_t and measure.standard_error is not None
        if options.area and self.tallies.predictions.task == "binary":
            analytic = analytic or measure.name in ("auc", "gini")
        return measure.interval != "none" and not (analytic and self._is_plain)

    def _of_errors(self, request: Request) -> Interval:
        if request.measure.name == "max_error":
            return absent("a maximum of rows has no valid bootstrap", level=self.options.level)
        rows = self.tallies.error_rows
        grouped = self.groups is not None
        made = replicate_errors(
            rows,
            lambda errors: request.measure(errors, **request.values),
            replicates=self.options.of_rows,
            rng=stream(self.options.seed, "errors"),
            sampler=self.sampler if grouped else None,
        )
        return self._limits(request, made)

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

        return self._limits(request, self._replicated(statistic))


def _values(requests: Sequence[Request], tally: ScoreCounts) -> list[float]:
    """Measures of one replicate; what is undefined there is NaN and counted by the caller."""
    if len(tally.score) <= SHORT:
        # as weights: exact integers would cost more and say no more about a replicate
        tally = type(tally)(
            tally.score, tally.positives.astype(float), tally.negatives.astype(float), tally.rows
        )
    with np.errstate(all="ignore"):
        return [once(tally, (_value, *_key(r)), partial(_value, r)) for r in requests]


def _value(request: Request, tally: ScoreCounts) -> float:
    return float(request.measure(tally, **request.values))


def _key(request: Request) -> Any:
    return request.measure.name, request.parameters
