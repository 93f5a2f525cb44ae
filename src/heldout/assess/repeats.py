"""Rows judged in several repeats: values pooled within a repeat, their mean, and its interval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import NOT_BY_FOLD, is_mean_of_rows
from heldout.assess.parts import (
    Part,
    fold_parts,
    incomplete_repeats,
    is_of_unlike_classes,
    mean_of_folds,
    mean_of_repeats,
    of_unlike_classes,
    repeat_parts,
    weights_of_repeats,
)
from heldout.assess.results import Of
from heldout.assess.rows_once import OneRepeat, distinct_rows
from heldout.assess.score_formulas import areas_of_parts
from heldout.assess.uncertainty import Uncertainty
from heldout.assess.values import (
    Value,
    arguments_of,
    averages_for,
    by_class,
    is_split,
    losses_of,
    overall,
    table_of,
)
from heldout.core.memo import once
from heldout.core.notes import Kind, Note, as_notes
from heldout.measures.kinds import SAME
from heldout.measures.profit import cells_of
from heldout.predictions.split_design import REPEATED, places_of
from heldout.tally.confusion import Binary, Confusion
from heldout.tally.moments import Moments
from heldout.uncertainty.cross_validation import corrected_t_interval
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.means import SAME_LOSS
from heldout.uncertainty.proportions import proportion_interval
from heldout.uncertainty.quantiles import two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.assess.results import Result
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

    Key = tuple[str, str]

    Gathered = dict[Key, list[Result]]

__all__ = ["NO_SHARE", "Repeats", "values_of_parts"]

#: cells of the tables of all folds that are made at once
MOST_CELLS = 4_000_000
RANKING = "ranking by scores"


def values_of_parts(
    request: Request, tallies: Tallies, codes: NDArray[np.int64], count: int
) -> NDArray[np.float64] | None:
    """The value of a measure in each part of the rows; None where parts are taken one by one.

    Parameters
    ----------
    codes
        The part of each row, from 0.

    Notes
    -----
    Measures of counts take a table a part. Means over rows are sums over sums, where every
    loss is finite; the prior of all parts is that of all rows where none is given.
    """
    p = tallies.predictions
    if request.average or request.label is not None or is_split(request, p.task):
        return None
    if request.measure.family == RANKING:  # whose values say at which default they are
        return None
    if request.measure.needs in ((Confusion,), (Binary,)):
        return _of_counts(request, tallies, codes, count)
    if request.measure.needs == (Moments,):
        return _of_means(request, tallies, codes, count)
    return None


def _of_counts(
    request: Request, tallies: Tallies, codes: NDArray[np.int64], count: int
) -> NDArray[np.float64] | None:
    p, measure = tallies.predictions, request.measure
    width = len(p.classes) ** 2
    is_alone = measure.is_test or measure.note is not None  # whose notes depend on the rows
    if is_alone or p.predicted is None or width * count > MOST_CELLS:
        return None

    def tables_of_parts(_: Tallies) -> Confusion:
        flat = (codes * len(p.classes) + p.truth) * len(p.classes) + p.predicted
        # in floating point, where products of counts cannot overflow
        dense = np.bincount(flat, p.weight, minlength=count * width).astype(np.float64)
        cells = np.arange(width, dtype=np.int64)
        return Confusion(len(p.classes), cells, dense.reshape(count, width), p.positive, len(p))

    tables = once(tallies, ("counts of parts", count), tables_of_parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        made = measure(table_of(request, tables), **request.values)
    found = np.asarray(made, dtype=np.float64)
    return found if found.shape == (count,) else None


def _of_means(
    request: Request, tallies: Tallies, codes: NDArray[np.int64], count: int
) -> NDArray[np.float64] | None:
    weight, measure = tallies.predictions.weight, request.measure
    if not is_mean_of_rows(request, tallies):
        return None
    (loss,) = losses_of(request)
    whole = tallies.moments(*loss)
    if not np.isfinite(whole.mean) or (measure.note and measure.note(whole, **request.values)):
        return None
    losses = tallies.losses(*loss)
    total = np.bincount(codes, weight, minlength=count).astype(np.float64)
    if not np.isfinite(losses).all() or (total == 0).any():
        return None
    sums = np.bincount(codes, losses if weight is None else losses * weight, minlength=count)
    return np.asarray(sums / total, dtype=np.float64)


def pooled_splits(
    tallies: Tallies,
    requests: Sequence[Request],
    results_of: Callable[[Part, Request], Iterator[Result]],
) -> Iterator[tuple[Request, Result]]:
    """The value of each measure, all splits pooled: every row is tested equally often.

    A split tests a handful of rows, on which few measures say anything. The area under the
    curve does: there the mean of the splits is the share of pairs that one model, which was
    trained on neither, puts in order (Airola et al. 2011, leave-pair-out).
    """
    p = tallies.predictions
    assert p.design.repeat is not None
    present, codes = np.unique(p.design.repeat.codes, return_inverse=True)
    whole, said = Part(tallies), f"all {len(present):,} splits pooled"
    for request in requests:
        for result in results_of(whole, request):
            areas = _areas(request, tallies, codes, len(present)) if not result.class_ else None
            if areas is None:
                yield request, result.noted(said)
                continue
            known = areas[~np.isnan(areas)]
            if len(known):
                of = f"mean of {len(known):,} of {len(present):,} splits"
                notes = as_notes(f"{of}: the others test rows of one class only")
                result = replace(result, value=float(known.mean()), notes=notes)
            yield request, result


def _areas(
    request: Request, tallies: Tallies, codes: NDArray[Any], count: int
) -> NDArray[np.float64] | None:
    p = tallies.predictions
    is_plain = request.measure.area is SAME and not request.average and request.label is None
    if not is_plain or p.task != "binary" or p.weight is not None or p.scores is None:
        return None
    return areas_of_parts(p.scores, p.truth == p.positive, codes, count)


NO_MEAN_OF_TESTS = "a p-value or test statistic is not averaged over repeats"
NO_SHARE = (
    f"{REPEATED}; the size of the training parts, which a corrected interval needs, is unknown"
)


@dataclass(frozen=True, eq=False)
class Repeats:
    """The rows of the long table of a model that was judged in several repeats."""

    tallies: Tallies
    options: IntervalOptions | None
    results_of: Callable[[Part, Request], Iterator[Result]]
    requests: tuple[Request, ...]

    def rows(self, *, per_fold: bool) -> Iterator[Result]:
        """Means over repeats of pooled values, single repeats and folds, means of folds."""
        p, requests = self.tallies.predictions, self.requests
        assert p.design.repeat is not None
        is_pooled = self.tallies.design.plan.is_leave_some_out
        if is_pooled:
            for asked, result in pooled_splits(self.tallies, requests, self.results_of):
                yield self._with_interval(result, (), asked, False, False)
            if not per_fold:
                return
        repeats = self._gathered(iter(self._parts), requests, p.design.repeat.codes)
        folds = self._gathered(fold_parts(self.tallies), requests, places_of(p))
        known = {r.name: r for asked in requests for r in (asked, *averages_for(asked))}
        means = {name for name, request in known.items() if self._is_mean(request)}
        lost = incomplete_repeats(self.tallies)
        for key, results in repeats.items() if not is_pooled else ():
            weights = weights_of_repeats(p) if lost else None
            mean = mean_of_repeats(results, weights=weights, lost=lost)
            request = known[key[0]]
            if request.measure.is_test:
                mean = replace(mean, value=nan, notes=as_notes(NO_MEAN_OF_TESTS))
            measured = folds.get(key, results)
            yield self._with_interval(mean, measured, request, not folds, key[0] in means)
        if per_fold:
            # where a repeat is a single split there are no folds, and repeats stand for them
            for results in (*repeats.values(), *folds.values()):
                yield from results
        for key, results in folds.items():
            mean = mean_of_folds(results)
            request = known[key[0]]
            if reason := request.measure.why_not_averaged:
                mean = replace(mean, value=nan, notes=as_notes(reason))
            yield self._with_interval(mean, results, request, True, key[0] in means)

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
        reason = Note(request.measure.undefined or "no rows", Kind.UNDEFINED)
        yield part.result(request.name, Value(value, (reason,) if isnan(value) else ()))

    def _is_mean(self, request: Request) -> bool:
        task = self.tallies.predictions.task
        return not is_split(request, task) and is_mean_of_rows(request, self.tallies)

    def _with_interval(
        self,
        result: Result,
        splits: Sequence[Result],
        request: Request,
        of_splits: bool,
        is_mean: bool,
    ) -> Result:
        """The result with its interval, or with the reason why it has none.

        ``of_splits``: it is the mean of just the values of ``splits``. Means over rows, and what
        stands for itself as a mean of folds, have the corrected interval of the splits; other
        values that of the rows of a repeat.
        """
        if self.options is None or not result.is_defined or not request.measure.has_interval:
            return result
        level, is_of_folds = self.options.level, result.of is Of.MEAN_OF_FOLDS
        if lack := self.tallies.design.interval_lack:
            made = absent(lack, level=level)
        elif not is_mean and not (request.measure.by_fold and of_splits):
            made = (
                absent(NOT_BY_FOLD, level=level)
                if is_of_folds
                else self._of_repeats(request, result.class_)
            )
        elif is_of_folds and is_of_unlike_classes(splits, self._lacking):
            return of_unlike_classes(result, splits)
        else:
            made = self._corrected(result, splits, request, is_mean)
        return result.bounded(made)

    @cached_property
    def _lacking(self) -> int:
        """How many classes no row is of."""
        p = self.tallies.predictions
        return len(p.classes) - len(np.unique(p.truth)) if p.classes else 0

    def _of_repeats(self, request: Request, class_: str) -> Interval:
        """The mean of the limits that each repeat has, as if it were the only one.

        Repeats judge the same rows, so their mean is no surer than one of them by much, and no
        less sure.
        """
        each = [(part, self._of_repeat(part, request, class_)) for part in self._parts]
        known = [(part, made) for part, made in each if not made.is_absent]
        if 2 * len(known) < len(each):
            return next(made for _, made in each if made.is_absent)
        sizes = None
        if incomplete_repeats(self.tallies):
            weights = weights_of_repeats(self.tallies.predictions)
            sizes = [weights[part.repeat] for part, _ in known]
        low = float(np.average([made.low for _, made in known], weights=sizes))
        high = float(np.average([made.high for _, made in known], weights=sizes))
        # the same in whatever order repeats come
        first = min((made for _, made in known), key=lambda made: (made.method, made.note))
        of = f"{len(known)} repeats'" if len(known) == len(each) else f"{len(known)} of {len(each)}"
        return replace(first, low=low, high=high, method=f"{first.method}, mean of {of} limits")

    def _of_repeat(self, part: Part, request: Request, class_: str) -> Interval:
        options, requests = self.options, self.requests
        assert options is not None
        uncertainty = once(
            part.tallies, "uncertainty", lambda rows: Uncertainty(rows, options, requests)
        )
        if not is_split(request, self.tallies.predictions.task):
            return uncertainty.of(request, overall(request, part.tallies).value)
        each = once(
            part.tallies,
            ("intervals of classes", request.name),
            lambda rows: uncertainty.of_classes(
                request, [v.value for v in by_class(request, rows)]
            ),
        )
        return each[self.tallies.predictions.place_of(class_)]

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        return tuple(repeat_parts(self.tallies))

    def _corrected(
        self, result: Result, splits: Sequence[Result], request: Request, is_mean: bool
    ) -> Interval:
        assert self.options is not None
        level, share = self.options.level, self.tallies.design.test_share
        if share is None:
            return absent(NO_SHARE, level=level)
        values = np.array([r.value for r in splits])
        values = values[~np.isnan(values)]
        made = corrected_t_interval(values, share, level=level, centre=result.value)
        made = made.within(request.measure.bounds)
        if self.tallies.design.cuts_groups:
            own = self._one_repeat.of_folds(request, result.class_, result.value)
            return own if own.is_absent else _joined(own, made, "the groups make it")
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
                return absent(SAME_LOSS, level=level)
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
