"""Intervals of rows that several repeats judge, with every row and group counted once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.forms import ACROSS, named_after, of_share_right, of_share_wrong
from heldout.assess.parts import incomplete_repeats
from heldout.assess.score_formulas import fold_area, is_plain_area, repeated_area_interval
from heldout.assess.values import losses_of
from heldout.core.codes import dense_codes
from heldout.measures.kinds import Mean
from heldout.measures.profit import cells_of
from heldout.tally.confusion import Confusion
from heldout.tally.moments import Moments
from heldout.uncertainty.cells import group_value_interval
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.means import group_mean_interval, mean_interval, mean_lack, standard_error
from heldout.uncertainty.proportions import (
    effective_sample_size,
    group_share_interval,
    weighted_share_interval,
)
from heldout.uncertainty.sample import Sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.assess.options import IntervalOptions
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

__all__ = ["OneRepeat", "RowsOnce", "distinct_rows"]

INFINITE = "a row's loss is infinite or undefined"


@dataclass(frozen=True, eq=False)
class RowsOnce:
    """What all repeats together say of a mean over rows, which they judge again and again.

    A row, and a group of rows, is one unit however often it is judged: its values over all
    repeats are one value of it, so that neither more repeats nor their order matter.

    Parameters
    ----------
    is_by_rows
        Whether repeats weigh as much as their rows; else all alike, as in a mean over repeats.
    """

    tallies: Tallies
    options: IntervalOptions
    is_by_rows: bool = False

    def share(self, hits: NDArray[Any]) -> Interval:
        """The interval of the share of rows that are hits (0 or 1)."""
        level, method = self.options.level, self.options.share
        x = np.asarray(hits, float)
        if self._groups is not None:
            sums = Sample.of_values(self._groups, x * self.mass, self.mass)
            return group_share_interval(sums, level=level, method=method, rows=self.worth)
        total = float(self.mass.sum())
        squared = self.mass**2
        squares = total**2 / self.worth
        found = float(x @ squared) * squares / float(squared.sum())
        share = float(x @ self.mass) / total
        return weighted_share_interval(
            share, total, squares, hits=found, level=level, method=method
        )

    def mean(
        self,
        values: NDArray[Any],
        *,
        bounds: tuple[float, float] = (-np.inf, np.inf),
        has_tails: bool = False,
    ) -> Interval:
        """The interval of the mean of a value that each row has whenever it is judged."""
        level = self.options.level
        moments = Moments.of(np.asarray(values, float), self.mass)
        moments = replace(moments, weight_squares=moments.weight**2 / self.worth)
        if not np.isfinite(moments.mean):
            return absent(INFINITE, level=level)
        if self._groups is None:
            return mean_interval(moments, level=level, bounds=bounds)
        return group_mean_interval(
            Sample.of_values(self._groups, values * self.mass, self.mass),
            level=level,
            bounds=bounds,
            least_error=0.0 if mean_lack(moments) else standard_error(moments),
            rows=self.worth,
            has_tails=has_tails,
        )

    @property
    def _groups(self) -> Any:
        return self.tallies.predictions.design.groups

    @cached_property
    def mass(self) -> NDArray[np.float64]:
        """What each judgement weighs: all together as many as there are different rows."""
        p, rows = self.tallies.predictions, distinct_rows(self.tallies)
        weight = np.ones(len(p)) if p.weight is None else p.weight
        repeat = p.design.repeat
        if repeat is None or self.is_by_rows or incomplete_repeats(self.tallies):
            return np.asarray(weight * (rows / weight.sum()))
        count, codes = dense_codes(repeat.codes)
        totals = np.bincount(codes, weight, minlength=count)
        totals[totals == 0] = np.inf  # a repeat of rows that weigh nothing has no say
        return np.asarray(weight / totals[codes] * (rows / np.isfinite(totals).sum()))

    @cached_property
    def worth(self) -> float:
        """How many different rows that weigh alike they are worth."""
        p, mass = self.tallies.predictions, self.mass
        if p.identifier is not None:
            _, row = np.unique(p.identifier, return_inverse=True)
            sums = np.bincount(row, mass)
            return effective_sample_size(float(sums.sum()), float(sums @ sums))
        return effective_sample_size(float(mass.sum()), float(mass @ mass)) / self.often

    @property
    def often(self) -> float:
        """How often a row is judged, in the mean."""
        return len(self.tallies.predictions) / distinct_rows(self.tallies)

    def stretched(self, made: Interval, value: float) -> Interval:
        """Limits of judgements as far from the value as those of their rows, were each one."""
        if made.is_absent:
            return made
        low, high = (value + sqrt(self.often) * (end - value) for end in (made.low, made.high))
        return replace(made, low=low, high=high)


def distinct_rows(tallies: Tallies) -> int:
    """How many different rows were judged: by their identifiers, else those of a mean repeat."""
    p = tallies.predictions
    if p.identifier is not None:
        return len(np.unique(p.identifier))
    return round(len(p) / tallies.design.repeats)


SAID = ", as in one repeat"


@dataclass(frozen=True, eq=False)
class OneRepeat:
    """How far a value over repeats may be off, were every row and group judged but once.

    All repeats are looked at, in whatever order; but a row or group that several of them
    judge is one, so that limits are as far apart as one repeat of all rows would put them.
    """

    tallies: Tallies
    options: IntervalOptions

    def of_rows(self, request: Request, value: float) -> Interval:
        """The interval of a mean over all rows: weights and groups of rows are heeded."""
        made = named_after(self._of_mean(request), request, self.tallies)
        return self._moved(made, value, value, request)

    def of_folds(self, request: Request, class_: str, value: float) -> Interval:
        """The interval of a mean of folds that is not taken from the spread of the folds.

        Groups that lie across folds make all folds err alike, which their spread cannot show.
        Means over rows are known by their rows, and areas fold by fold; other measures that
        rank rows are not known.
        """
        if is_plain_area(request) and self.tallies.predictions.weight is None:
            often = self._rows.often
            made = repeated_area_interval(request, class_, self.tallies, self.options, often)
            return self._moved(made, fold_area(request, class_, self.tallies), value, request)
        if request.measure.by_fold:
            return absent(ACROSS, level=self.options.level)
        return self.of_rows(request, value)

    def _of_mean(self, request: Request) -> Interval:
        """The interval of a mean over rows by formula."""
        p, measure = self.tallies.predictions, request.measure
        if function := self._of_labels(request):
            assert p.predicted is not None
            return self._rows.share(p.truth == p.predicted).through(function)
        if "matrix" in request.values:
            return self._of_values(cells_of(request.values["matrix"], classes=len(p.classes)))
        (loss,) = losses_of(request)
        losses = self.tallies.losses(*loss)
        if isinstance(measure.kind, Mean) and measure.kind.is_share:
            return self._rows.share(losses)
        return self._rows.mean(losses, bounds=measure.bounds)

    def _of_labels(self, request: Request) -> Callable[[float], float] | None:
        """The value as a function of the share of rows that are right; None where it is none."""
        measure = request.measure
        if request.average:
            return of_share_right(request, len(self.tallies.predictions.classes))
        if measure.needs == (Moments,):
            of_wrong = of_share_wrong(request, self.tallies)
            return None if of_wrong is None else lambda right: of_wrong(1 - right)
        return None if measure.share is None else measure.share.of_right

    def _of_values(self, values: NDArray[Any]) -> Interval:
        """What rows earn or cost in the mean, a value for each confusion cell."""
        p, rows = self.tallies.predictions, self._rows
        assert p.predicted is not None
        if p.design.group is None:
            return rows.mean(values[p.truth, p.predicted])
        counts = Confusion.of(
            p.truth, p.predicted, rows.mass, classes=len(p.classes), positive=p.positive
        )
        total = float(counts.total)
        return group_value_interval(
            counts,
            Sample.of_cells(p.design.group.codes, p.truth, p.predicted, counts, rows.mass),
            values,
            squares=replace(counts, counts=counts.counts * (total / rows.worth)),
            level=self.options.level,
            replicates=self.options.of_counts,
            seed=self.options.seed,
        )

    def _moved(self, made: Interval, own: float, value: float, request: Request) -> Interval:
        """The interval around the mean over repeats, or of folds."""
        if made.is_absent:
            return made
        low, high = made.low + (value - own), made.high + (value - own)
        made = replace(made, low=low, high=high, method=f"{made.method}{SAID}")
        return made.within(request.measure.bounds)

    @cached_property
    def _rows(self) -> RowsOnce:
        return RowsOnce(self.tallies, self.options)
