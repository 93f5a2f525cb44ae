"""Intervals of rows that several repeats judge, with every row and group counted once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.cases import MeasureCase
from heldout.assess.forms import ACROSS, named_after
from heldout.assess.parts import incomplete_repeats
from heldout.assess.resampling import Resampling
from heldout.assess.score_formulas import fold_ranking, is_plain_area, repeated_area_interval
from heldout.assess.values import arguments_of
from heldout.core.codes import dense_codes
from heldout.engines.memory import Tallies
from heldout.engines.parts import with_common_prior
from heldout.measures.parts import areas_of_parts
from heldout.measures.profit import cells_of
from heldout.predictions.table import Design
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreParts
from heldout.uncertainty.influence import effective_sample_size
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.means import SAME_LOSS, row_mean_interval
from heldout.uncertainty.methods import interval_of
from heldout.uncertainty.proportions import proportion_interval
from heldout.uncertainty.quantiles import two_sided_normal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.measures.spec import Request
    from heldout.uncertainty.options import IntervalOptions

IN_ONE_REPEAT = ", as in one repeat"


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

    def mean(
        self,
        values: NDArray[Any],
        *,
        has_tails: bool = False,
    ) -> Interval:
        """The interval of the mean of a value that each row has whenever it is judged."""
        groups = self.tallies.predictions.design.groups
        given: dict[str, Any] = {"level": self.options.level, "has_tails": has_tails}
        return row_mean_interval(values, self.mass, groups, worth=self.worth, **given)

    @cached_property
    def mass(self) -> NDArray[np.float64]:
        """What each judgement weighs: all together as many as there are different rows."""
        p, rows = self.tallies.predictions, distinct_rows(self.tallies)
        weight = self.tallies.row_weights
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

    # the intervals of values over repeats

    def of_rows(self, request: Request, value: float) -> Interval:
        """The interval of a mean over all rows around the value over repeats."""
        if self._is_plain:
            return self._of_plain_rows(request, value)
        made = named_after(self._of_mean(request), request, self.tallies)
        return self._moved(made, value, value, request)

    def of_folds(self, request: Request, class_: str, value: float) -> Interval:
        """The interval of a mean of folds that is not taken from the spread of the folds.

        Groups that lie across folds make all folds err alike, which their spread cannot show.
        Means over rows are known by their rows, and areas fold by fold; other measures that
        rank rows are not known.
        """
        if is_plain_area(request) and self.tallies.predictions.weight is None:
            rows, function = fold_ranking(class_, self.tallies), request.measure.area
            assert function is not None
            level = self.options.level
            made = repeated_area_interval(rows, function, level=level, often=self.often)
            parts = ScoreParts.of(rows.is_positive, rows.scores, *dense_codes(rows.folds)[::-1])
            areas = areas_of_parts(parts)
            own = float(np.mean(areas[~np.isnan(areas)]))
            return self._moved(made, float(function(own)), value, request)
        if request.measure.by_fold:
            return absent(ACROSS, level=self.options.level)
        return self.of_rows(request, value)

    @property
    def _is_plain(self) -> bool:
        p = self.tallies.predictions
        return p.weight is None and p.design.group is None

    def _of_plain_rows(self, request: Request, value: float) -> Interval:
        """The interval that so many different rows would give, were each judged once."""
        level, measure = self.options.level, request.measure
        rows = distinct_rows(self.tallies)
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
        return Moments.of(self._earned(request))

    def _earned(self, request: Request) -> NDArray[Any]:
        p = self.tallies.predictions
        cells = cells_of(request.values["matrix"], classes=len(p.classes))
        return np.asarray(cells[p.truth, np.asarray(p.predicted)])

    def _of_mean(self, request: Request) -> Interval:
        """The interval of a mean over rows by formula, each row with its part of all judgements."""
        p = with_common_prior(self.tallies.predictions)
        if "matrix" in request.values and p.design.group is None:
            return self.mean(self._earned(request))
        once = replace(p, weight=self.mass, design=Design(group=p.design.group))
        options = replace(self.options, method=self.options.share)
        rows = Resampling(Tallies(once), options, worth=self.worth)
        return interval_of(MeasureCase(request, rows))

    def _moved(self, made: Interval, own: float, value: float, request: Request) -> Interval:
        """The interval around the mean over repeats, or of folds."""
        if made.is_absent:
            return made
        low, high = made.low + (value - own), made.high + (value - own)
        made = replace(made, low=low, high=high, method=f"{made.method}{IN_ONE_REPEAT}")
        return made.within(request.measure.bounds)


def distinct_rows(tallies: Tallies) -> int:
    """How many different rows were judged: by their identifiers, else those of a mean repeat."""
    p = tallies.predictions
    if p.identifier is not None:
        return len(np.unique(p.identifier))
    return round(len(p) / tallies.design.repeats)
