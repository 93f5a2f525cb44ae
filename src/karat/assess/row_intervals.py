"""Intervals by resampling scores or rows, where counts and moments do not suffice."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.averages import average_of
from karat.assess.values import arguments_of, class_scores, losses_of
from karat.core.random import stream
from karat.intervals.bootstrap import limits
from karat.intervals.delong import delong_interval
from karat.intervals.error_bootstrap import replicate_errors
from karat.intervals.interval import Interval, absent
from karat.intervals.joint_means import JointMeans
from karat.intervals.resampling import RowSampler
from karat.intervals.row_bootstrap import replicate_means, replicate_rows
from karat.intervals.score_intervals import ScoreBootstrap
from karat.intervals.score_rows import ScoreRows
from karat.tally.class_scores import ClassScores
from karat.tally.errors import ErrorRows, Errors
from karat.tally.scores import ScoreCounts, TopLabel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from karat.assess.options import IntervalOptions
    from karat.engines.memory import Tallies
    from karat.measures.spec import Request

__all__ = ["RowIntervals"]

#: rows times replicates above which rows are not resampled unasked
ROW_WORK = 100_000_000
#: rows above which means of losses are drawn from their joint moments
MANY_ROWS = 20_000
#: rankings of more scores are not replicates but the rows themselves
SHORT = 5_000
#: measures of all classes' scores that are resampled unasked: each replicate costs a sort
OF_ALL_CLASSES = ("auc", "hand_till")
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
        """The interval of an overall value of scores, losses or errors."""
        kind = request.measure.needs[0]
        if kind in (ScoreCounts, TopLabel):
            return self._of_scores(request)
        if kind is Errors:
            return self._of_errors(request)
        if kind is ErrorRows:
            return self._of_error_rows(request)
        return self._of_losses(request)

    def of_classes(self, request: Request) -> list[Interval]:
        """The interval of each class's ranking against the rest."""
        p, level = self.tallies.predictions, self.options.level
        columns = class_scores(self.tallies)
        count = len(p.classes)
        if request.measure.name == "auc" and self.options.area and self._is_plain:
            scale: Any = self.options.area
            return [delong_interval(s, level=level, scale=scale) for s in columns.versus_rest]
        if count > FEW_CLASSES and not request.is_explicit:
            return [absent(self._unasked("many classes"), level=level)] * count
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
            made = self._bootstrap(counts).intervals(
                lambda s: _values(wanted, s), level=self.options.level, kind=kind
            )
            memory[key] = dict(zip(map(self._key, wanted), made, strict=True))
        found: dict[Any, Interval] = memory[key]
        if self._key(request) in found:
            return found[self._key(request)]
        return self._bootstrap(class_scores(self.tallies).versus_rest[place]).interval(
            lambda s: _values([request], s)[0], level=self.options.level, kind=kind
        )

    def of_matrix(self, request: Request) -> Interval:
        """The interval of a value that needs the score columns of all classes together."""
        p, measure = self.tallies.predictions, request.measure
        columns = class_scores(self.tallies)
        reason = self._too_much(request, len(p) * len(p.classes))
        if not request.is_explicit and measure.name not in OF_ALL_CLASSES:
            reason = self._unasked("all classes are resampled together")
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

    def _unasked(self, why: str) -> str:
        return f"{why}: made if asked for by name (--measure)"

    def _too_much(self, request: Request, rows: int) -> str:
        if rows * self.options.of_rows > ROW_WORK and not request.is_explicit:
            return self._unasked("many rows to resample")
        return ""

    def _bootstrap(self, scores: ScoreCounts) -> ScoreBootstrap:
        options = self.options
        return ScoreBootstrap(scores, options.of_rows, options.seed, options.stratified)

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
        kind = self.options.bootstrap
        what = "rows" if self.groups is None else "groups"
        return limits(
            replicates,
            float(self._value(request)),
            level=self.options.level,
            kind="percentile" if kind in ("bayesian", "bca") else kind,
            bounds=request.measure.bounds,
            draws=f"{self.options.of_rows} draws of {what}, seed {self.options.seed}",
        )

    def _value(self, request: Request) -> float:
        from karat.assess.values import overall

        return overall(request, self.tallies).value

    def _of_scores(self, request: Request) -> Interval:
        if self._is_plain:
            kind = self._limits_kind(request)
            return self._jointly(request.measure.needs[0], kind)[self._key(request)]
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
        return [self._key(r) for r in self._of_kind(ScoreCounts)].index(self._key(request))

    def _jointly(self, kind: type, limits_kind: str) -> dict[Any, Interval]:
        """The intervals of all measures of one kind, from the same replicates."""
        memory = self.__dict__.setdefault("_joint", {})
        if (kind, limits_kind) not in memory:
            wanted = [r for r in self._of_kind(kind) if self._limits_kind(r) == limits_kind]
            counts = self.tallies.scores if kind is ScoreCounts else self.tallies.top_label
            made = self._bootstrap(counts).intervals(
                lambda s: _values(wanted, s), level=self.options.level, kind=limits_kind
            )
            memory[kind, limits_kind] = dict(zip(map(self._key, wanted), made, strict=True))
        found: dict[Any, Interval] = memory[kind, limits_kind]
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
        measure = request.measure
        analytic = self._is_plain and self.options.uses_t and measure.standard_error is not None
        return measure.interval != "none" and not analytic

    @staticmethod
    def _key(request: Request) -> Any:
        return request.measure.name, request.parameters

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

    def _loss_columns(self, losses: Sequence[Any], block: slice) -> NDArray[Any]:
        """Losses of some rows, a column each."""
        is_regression = self.tallies.predictions.task == "regression"
        rows: Any = self.tallies.value_rows if is_regression else self.tallies.probability_rows
        part = rows.take(block)
        with np.errstate(all="ignore"):
            columns = np.column_stack([loss(part, **given) for loss, given in losses])
        # what is infinite makes its own column undefined, and no other
        return np.where(np.isfinite(columns), columns, np.nan)

    def losses(self, request: Request) -> NDArray[Any]:
        """The losses a measure is made of, of all rows."""
        return self._loss_columns(losses_of(request), slice(0, len(self.tallies.predictions)))

    def _joint_means(self, losses: Sequence[Any]) -> JointMeans:
        """The joint moments of some losses, out of one pass for those of all measures."""
        memory = self.tallies.memory
        if "losses" not in memory:
            wanted: dict[Any, Any] = {}
            for request in self.together:
                if len(request.measure.losses) > 1:
                    wanted.update((_loss_key(pair), pair) for pair in losses_of(request))
            memory["losses"] = (
                list(wanted),
                JointMeans.of_blocks(
                    len(self.tallies.predictions),
                    lambda block: self._loss_columns(list(wanted.values()), block),
                ),
            )
        keys, joint = memory["losses"]
        mine = [_loss_key(pair) for pair in losses]
        if not set(mine) <= set(keys):
            return JointMeans.of_blocks(
                len(self.tallies.predictions), lambda block: self._loss_columns(losses, block)
            )
        at = [keys.index(key) for key in mine]
        return replace(joint, means=joint.means[at], products=joint.products[np.ix_(at, at)])

    def _of_losses(self, request: Request) -> Interval:
        moments = arguments_of(request, self.tallies)
        if any(m.infinite or m.negative_infinite or m.undefined for m in moments):
            return absent("a row's loss is infinite or undefined", level=self.options.level)
        p, losses = self.tallies.predictions, losses_of(request)
        options = self.options
        rng = stream(options.seed, "losses")
        if len(p) > MANY_ROWS and self._is_plain:
            means = self._joint_means(losses).draw(replicates=options.of_rows, rng=rng)
        else:
            reason = self._too_much(request, len(p))
            if reason:
                return absent(reason, level=options.level)
            means = replicate_means(
                self._loss_columns(losses, slice(0, len(p))),
                p.weight,
                replicates=options.of_rows,
                rng=rng,
                sampler=self.sampler,
            )
        made = [
            request.measure(
                *(replace(m, finite_mean=mean) for m, mean in zip(moments, line, strict=True)),
                **request.values,
            )
            for line in np.atleast_2d(means)
        ]
        return self._limits(request, np.array(made, float))


def _values(requests: Sequence[Request], tally: ScoreCounts) -> list[float]:
    """Measures of one replicate; what is undefined there is NaN and counted by the caller."""
    if len(tally.score) <= SHORT:
        # as weights: exact integers would cost more and say no more about a replicate
        tally = type(tally)(
            tally.score, tally.positives.astype(float), tally.negatives.astype(float), tally.rows
        )
    with np.errstate(all="ignore"):
        return [request.measure(tally, **request.values) for request in requests]


def _loss_key(pair: Any) -> Any:
    loss, given = pair
    return loss, tuple(sorted(given.items()))
