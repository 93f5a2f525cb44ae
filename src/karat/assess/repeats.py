"""Rows judged in several repeats: values pooled within a repeat, their mean, and its interval."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from karat.assess.fewer_classes import is_of_unlike_classes, of_unlike_classes
from karat.assess.fold_values import values_of_parts
from karat.assess.incomplete_repeats import incomplete_repeats, weights_of_repeats
from karat.assess.leave_some_out import pooled_splits
from karat.assess.one_repeat import OneRepeat
from karat.assess.part_means import limits, mean_of
from karat.assess.parts import fold_parts, places_of, repeat_parts
from karat.assess.requests import averages_for
from karat.assess.rows_once import distinct_rows
from karat.assess.splits import ACROSS, REPEATS, is_mean_of_rows, shape_of, why_no_interval
from karat.assess.values import arguments_of, is_split, losses_of
from karat.intervals.cross_validation import corrected_t_interval
from karat.intervals.interval import Interval, absent
from karat.intervals.proportions import proportion_interval
from karat.intervals.quantiles import two_sided_normal
from karat.measures.cell_values import cells_of
from karat.tally.moments import Moments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from karat.assess.options import IntervalOptions
    from karat.assess.parts import Part
    from karat.assess.results import Result
    from karat.engines.memory import Tallies
    from karat.measures.spec import Request

    Key = tuple[str, str]
    Gathered = dict[Key, list[Result]]

__all__ = ["NO_SHARE", "Repeats", "test_share"]

NO_MEAN_OF_TESTS = "a p-value or test statistic is not averaged over repeats"
A_SUM = "a sum over rows: the mean over rows has one (log_loss, mse, profit_per_row)"
ONLY_MEAN = "no mean over rows: only the mean of the folds can have one"
HOLDOUT = re.compile(r"holdout (\d[\d.]*(?::\d[\d.]*)+)")
NO_SHARE = (
    f"{REPEATS}; the size of the training parts, which a corrected interval needs, is unknown"
)


@dataclass(frozen=True, eq=False)
class Repeats:
    """The rows of the long table of a model that was judged in several repeats."""

    tallies: Tallies
    options: IntervalOptions | None
    results_of: Callable[[Part, Request], Iterator[Result]]

    def rows(self, requests: Sequence[Request], *, per_fold: bool) -> Iterator[Result]:
        """Means over repeats of pooled values, single repeats and folds, means of folds."""
        p = self.tallies.predictions
        assert p.design.repeat is not None
        is_pooled = shape_of(self.tallies).is_leave_some_out
        if is_pooled:
            for asked, result in pooled_splits(self.tallies, requests, self.results_of):
                yield self._with_interval(result, (), asked, False, False)
            if not per_fold:
                return
        repeats = self._gathered(repeat_parts(self.tallies), requests, p.design.repeat.codes)
        folds = self._gathered(fold_parts(self.tallies), requests, places_of(p))
        known = {r.name: r for asked in requests for r in (asked, *averages_for(asked))}
        means = {name for name, request in known.items() if self._is_mean(request)}
        lost = incomplete_repeats(self.tallies)
        for key, results in repeats.items() if not is_pooled else ():
            weights = weights_of_repeats(p) if lost else None
            made = mean_of(results, "pooled values of", "repeats", weights=weights)
            if lost:
                made = replace(made, note=f"{made.note}, by their rows: {lost}")
            request = known.get(key[0])
            if request is not None and request.measure.is_test:
                made = replace(made, value=nan, note=NO_MEAN_OF_TESTS)
            measured = folds.get(key, results)
            yield self._with_interval(made, measured, known.get(key[0]), not folds, key[0] in means)
        if per_fold:
            # where a repeat is a single split there are no folds, and repeats stand for them
            for results in (*repeats.values(), *folds.values()):
                yield from results
        for key, results in folds.items():
            made = replace(mean_of(results, "", "folds"), fold="mean")
            request = known.get(key[0])
            if request is not None and (reason := request.measure.why_not_averaged):
                made = replace(made, value=nan, note=reason)
            yield self._with_interval(made, results, known.get(key[0]), True, key[0] in means)

    def _gathered(
        self, parts: Iterator[Part], requests: Sequence[Request], codes: NDArray[Any]
    ) -> Gathered:
        """The results of all parts, which are in the order of their ``codes``."""
        found: Gathered = {}
        present, places = np.unique(codes, return_inverse=True)
        known = {
            request.name: values
            for request in requests
            if (values := values_of_parts(request, self.tallies, places, len(present))) is not None
        }
        losses = [pair for r in requests if r.name not in known for pair in losses_of(r)]
        for number, part in enumerate(parts):
            part.tallies.prepare(losses)
            for request in requests:
                for result in self._of_part(part, request, known.get(request.name), number):
                    found.setdefault((result.measure, result.class_), []).append(result)
        return found

    def _of_part(
        self, part: Part, request: Request, values: NDArray[np.float64] | None, number: int
    ) -> Iterator[Result]:
        if values is None:
            yield from self.results_of(part, request)
            return
        value = float(values[number])
        reason = f"undefined: {request.measure.undefined or 'no rows'}" if isnan(value) else ""
        yield part.result(request.name, value, reason)

    def _is_mean(self, request: Request) -> bool:
        task = self.tallies.predictions.task
        return not is_split(request, task) and is_mean_of_rows(request, self.tallies)

    def _with_interval(
        self,
        result: Result,
        splits: Sequence[Result],
        request: Request | None,
        of_splits: bool,
        is_mean: bool,
    ) -> Result:
        """The result with the corrected interval of the splits' values.

        ``of_splits``: it is the mean of just those values, so any measure may have one.
        """
        if self.options is None or not result.is_defined:
            return result
        if request is not None and request.measure.interval == "none":
            return result
        level = self.options.level
        share = test_share(self.tallies)
        shape = shape_of(self.tallies)
        if shape.is_bootstrap or shape.is_in_time or shape.is_leave_some_out:
            made = absent(self._why(request), level=level)
        elif result.fold == "mean" and is_of_unlike_classes(splits, self._lacking):
            return of_unlike_classes(result, splits)
        elif not of_splits and not is_mean:
            made = absent(self._why_only_folds(request), level=level)
        elif share is None:
            made = absent(NO_SHARE, level=level)
        else:
            made = self._corrected(result, splits, request, share, is_mean)
        return limits(result, made)

    @cached_property
    def _lacking(self) -> int:
        """How many classes no row is of."""
        p = self.tallies.predictions
        return len(p.classes) - len(np.unique(p.truth)) if p.classes else 0

    def _why(self, request: Request | None) -> str:
        return REPEATS if request is None else why_no_interval(request, self.tallies)

    def _why_only_folds(self, request: Request | None) -> str:
        """Why a value of pooled folds that is no mean over rows has no interval."""
        if request is not None and request.measure.is_sum:
            return A_SUM
        is_without = request is None or not self._one_repeat.has_folds(request)
        return ACROSS if shape_of(self.tallies).is_across_groups and is_without else ONLY_MEAN

    def _corrected(
        self,
        result: Result,
        splits: Sequence[Result],
        request: Request | None,
        share: float,
        is_mean: bool,
    ) -> Interval:
        assert self.options is not None
        level = self.options.level
        values = np.array([r.value for r in splits])
        values = values[~np.isnan(values)]
        made = corrected_t_interval(values, share, level=level, centre=result.value)
        if request is not None:
            made = made.within(request.measure.bounds)
        if shape_of(self.tallies).is_across_groups:
            own = self._one_repeat.of_folds(request, result.class_, result.value)
            return own if own.is_absent else _joined(own, made, "the groups make it")
        if request is None:
            return made
        if not is_mean:
            return made
        rows = self._of_rows(request, result.value)
        # stratified splits hide how much class shares vary: the rows themselves do not
        if made.is_absent and np.isfinite(values).all() and len(values) > 1:
            said = "all splits have the same value: an interval of the rows instead"
            return rows if rows.is_absent else rows.noted(said)
        if rows.is_absent:
            return made
        p = self.tallies.predictions
        is_plain = p.weight is None and p.design.group is None
        return _wider(rows, made) if is_plain else _joined(rows, made)

    @cached_property
    def _one_repeat(self) -> OneRepeat:
        assert self.options is not None
        return OneRepeat(self.tallies, self.options)

    def _of_rows(self, request: Request, value: float) -> Interval:
        """The interval that so many different rows would give, were each judged once."""
        assert self.options is not None
        level, measure = self.options.level, request.measure
        p, rows = self.tallies.predictions, distinct_rows(self.tallies)
        if p.weight is not None or p.design.group is not None:
            return self._one_repeat.of_rows(request, value)
        if measure.needs != (Moments,) and "matrix" not in request.values:  # a share of rows
            made = proportion_interval(value * rows, rows, level=level)
        else:
            moments = self._moments(request)
            if not moments.weight or not np.isfinite(moments.mean):
                return absent("a row's loss is infinite", level=level)
            if not moments.deviations:
                return absent("all rows have the same loss", level=level)
            reach = two_sided_normal(level) * sqrt(moments.deviations / moments.weight / rows)
            made = Interval(value - reach, value + reach, level, "Wald").within(measure.bounds)
        return replace(made, method=f"{made.method} on {rows:,} rows")

    def _moments(self, request: Request) -> Moments:
        """Those of the loss of each row, or of what each row earns or costs."""
        if request.measure.needs == (Moments,):
            (moments,) = arguments_of(request, self.tallies)
            return moments
        p = self.tallies.predictions
        cells = cells_of(request.values["matrix"], classes=len(p.classes))
        return Moments.of(cells[p.truth, np.asarray(p.predicted)])


def _wider(rows: Interval, corrected: Interval, maker: str = "") -> Interval:
    """The wider of an interval of rows or groups and that of the spread of splits."""
    if rows.width > corrected.width or corrected.is_absent:
        said = "" if corrected.is_absent else f", wider than the {corrected.method}"
        return replace(rows, method=f"{rows.method}{said}")
    said = f", wider than {maker} in one repeat" if maker else ""
    return replace(corrected, method=f"{corrected.method}{said}")


def _joined(rows: Interval, corrected: Interval, maker: str = "") -> Interval:
    """The wider of both, no narrower than the other on either side."""
    made = _wider(rows, corrected, maker)
    if corrected.is_absent:
        return made
    first, second = (rows, corrected) if rows.width > corrected.width else (corrected, rows)
    if first.low <= second.low and second.high <= first.high:
        return made
    low, high = min(rows.low, corrected.low), max(rows.high, corrected.high)
    return replace(made, low=low, high=high, method=f"{first.method}, joined with {second.method}")


def test_share(tallies: Tallies) -> float | None:
    """Rows tested over rows trained on in a split; None where nothing tells."""
    p = tallies.predictions
    if p.design.test_share is not None:
        return p.design.test_share
    shape = shape_of(tallies)
    prior: Any = p.prior
    if prior is not None and prior.kind == "training counts":
        trained = prior.table.sum(axis=1)[0 if prior.codes is None else prior.codes]
        _, first, split_of = np.unique(places_of(p), return_index=True, return_inverse=True)
        each = np.broadcast_to(trained, len(p))[first]
        tested = np.bincount(split_of) if p.design.tested is None else p.design.tested[first]
        return float(np.mean(tested / each)) if (each > 0).all() else None
    if held := HOLDOUT.search(p.design.procedure):
        parts = [float(part) for part in held[1].split(":")]
        return parts[-1] / parts[0]
    # folds that cover all rows train on all the others
    return 1 / (shape.folds - 1) if shape.folds > 1 else None
