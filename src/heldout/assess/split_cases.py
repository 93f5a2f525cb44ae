"""A value over folds or repeats as interval methods see it, with every row counted once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.cases import case_of
from heldout.assess.forms import (
    ACROSS,
    NOT_BY_FOLD,
    is_mean_of_rows,
    is_plain_area,
    named_after,
)
from heldout.assess.parts import incomplete_repeats
from heldout.assess.resampling import Resampling
from heldout.assess.results import Of
from heldout.assess.values import arguments_of, is_split
from heldout.core.codes import dense_codes
from heldout.core.dialect import argument
from heldout.curves.sources import class_index, ranked_rows
from heldout.engines.memory import Tallies
from heldout.engines.parts import with_common_prior
from heldout.measures.kinds import SAME
from heldout.measures.parts import areas_of_parts
from heldout.measures.profit import cells_of
from heldout.predictions.split_design import REPEATED, places_of
from heldout.predictions.table import Design
from heldout.tally.moments import Moments
from heldout.tally.scores import ScoreParts
from heldout.uncertainty.case import Form, Source, Unit
from heldout.uncertainty.cross_validation import (
    FoldRanking,
    SplitParts,
    repeated_area_interval,
)
from heldout.uncertainty.interval import Interval, absent
from heldout.uncertainty.means import SAME_LOSS, row_mean_interval
from heldout.uncertainty.methods import interval_of
from heldout.uncertainty.proportions import proportion_interval
from heldout.uncertainty.quantiles import two_sided_normal
from heldout.uncertainty.worth import effective_sample_size

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.core.notes import Lack
    from heldout.measures.spec import Request
    from heldout.uncertainty.options import IntervalOptions

IN_ONE_REPEAT = ", as in one repeat"
DEPENDENT = "folds share training rows, so that their spread is no standard error"
POOLED = f"{DEPENDENT}: the pooled value has an interval"
NO_SHARE = (
    f"{REPEATED}; a corrected interval needs the size of the training parts, which a column "
    "'procedure' (10x10-fold) says"
)


@dataclass(frozen=True, eq=False)
class SplitCase:
    """A mean of folds, or a value over several repeats: what ``uncertainty.methods`` asks of it.

    Parameters
    ----------
    request, class_
        The measure, and the class that its value is of (empty: all).
    tallies, options
        All rows, and what was asked for.
    result_of
        Whether it is the mean of folds, or the mean of what each repeat has pooled.
    value, splits
        The value, and those of the single splits.
    is_of_splits
        Whether the value is the mean of just these.
    limits
        Gives the interval of each repeat, as if it were the only one, and its weight.
    """

    request: Request
    class_: str
    tallies: Tallies
    options: IntervalOptions
    result_of: Of
    value: float
    splits: NDArray[np.float64]
    is_of_splits: bool = True
    limits: Callable[[], Sequence[tuple[Interval, float]]] = tuple
    source = Source.ROWS

    @cached_property
    def form(self) -> Form:
        """What sort of statistic it is."""
        if self.tallies.design.repeats == 1:
            return Form.FOLD_AREAS
        is_by_split = self.request.measure.by_fold and self.is_of_splits
        return Form.SPLITS if self._is_mean or is_by_split else Form.REPEATS

    @property
    def unit(self) -> Unit:
        """What is independent."""
        p = self.tallies.predictions
        if p.design.group is not None:
            return Unit.GROUPS
        return Unit.ROWS if p.weight is None else Unit.WEIGHTED

    @property
    def _is_mean(self) -> bool:
        is_of_class = self.class_ or is_split(self.request, self.tallies.predictions.task)
        return not is_of_class and is_mean_of_rows(self.request, self.tallies)

    @cached_property
    def lack(self) -> str | Lack:
        """Why there is no interval; empty where there is one."""
        design = self.tallies.design
        if lack := design.interval_lack:
            return lack
        if self.form is Form.FOLD_AREAS:
            return self._lack_of_folds
        if self.form is Form.SPLITS:
            return NO_SHARE if design.test_share is None else ""
        return NOT_BY_FOLD if self.result_of is Of.MEAN_OF_FOLDS else ""

    @property
    def _lack_of_folds(self) -> str:
        """Why the mean of the folds has no interval; empty where it has that of an area."""
        request, design = self.request, self.tallies.design
        if design.folds < 2:
            return "there is one fold only: the pooled value has an interval"
        if is_plain_area(request) and not self.options.uses_t:
            leave = f"leave out {argument('interval')} to get one"
            return f"there is no bootstrap for the mean of folds ({leave})"
        if is_plain_area(request) and self.tallies.predictions.weight is None:
            return ""
        if self._is_mean:
            return POOLED
        if not request.measure.by_fold:
            return NOT_BY_FOLD
        return ACROSS if design.cuts_groups else DEPENDENT

    @property
    def of(self) -> Callable[[float], float] | None:
        """How the value follows from the area."""
        area = self.request.measure.area
        return None if area is SAME or self.form is not Form.FOLD_AREAS else area

    @cached_property
    def parts(self) -> Any:
        """What the methods of its form are made of."""
        if self.form is Form.FOLD_AREAS:
            return fold_ranking(self.class_, self.tallies)
        if self.form is Form.REPEATS:
            return self.limits()
        design, once = self.tallies.design, RowsOnce(self.tallies, self.options)
        of_rows = None
        if design.cuts_groups:

            def of_rows() -> Interval:
                return once.of_folds(self.request, self.class_, self.value)

        elif self._is_mean:

            def of_rows() -> Interval:
                return once.of_rows(self.request, self.value)

        assert design.test_share is not None
        return SplitParts(
            self.value,
            self.splits,
            design.test_share,
            self.request.bounds,
            of_rows,
            design.cuts_groups,
            self.unit is Unit.ROWS,
            design.folds,
        )

    def resampled(self, kind: str) -> Interval:
        """Splits are not resampled."""
        raise NotImplementedError


def fold_ranking(class_: str, tallies: Tallies) -> FoldRanking:
    """The ranking within each fold (a holdout is one): of the positive class, or of one of several.

    Folds that lack a class have no area.
    """
    p = tallies.predictions
    ranked = ranked_rows(tallies, class_index(p, class_ if p.task == "multiclass" else None))
    return FoldRanking(ranked.positive, ranked.score, places_of(p), p.design.groups)


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

    def mean(self, values: NDArray[Any], *, has_tails: bool = False) -> Interval:
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
        mass, judged = self.mass, self.tallies.judged_rows
        if judged is not None:
            sums = np.bincount(judged[0], mass)
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
        interval = named_after(self._of_mean(request), request, self.tallies)
        return self._moved(interval, value, value, request)

    def of_folds(self, request: Request, class_: str, value: float) -> Interval:
        """The interval of a mean of folds that is not taken from the spread of the folds.

        Groups that lie across folds make all folds err alike, which their spread cannot show.
        Means over rows are known by their rows, and areas fold by fold; other measures that
        rank rows are not known.
        """
        if is_plain_area(request) and self.tallies.predictions.weight is None:
            rows, function = fold_ranking(class_, self.tallies), request.measure.area
            assert function is not None
            interval = repeated_area_interval(rows, level=self.options.level, often=self.often)
            interval = interval if function is SAME else interval.through(function)
            parts = ScoreParts.of(rows.is_positive, rows.scores, *dense_codes(rows.folds)[::-1])
            areas = areas_of_parts(parts)
            own = float(np.mean(areas[~np.isnan(areas)]))
            return self._moved(interval, float(function(own)), value, request)
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
            interval = proportion_interval(value * rows, rows, level=level)
        else:
            moments = self._moments(request)
            if not moments.weight or not np.isfinite(moments.mean):
                return absent("a row's loss is infinite", level=level)
            if not moments.deviations:
                return absent(SAME_LOSS, level=level)
            reach = two_sided_normal(level) * sqrt(moments.deviations / moments.weight / rows)
            interval = Interval(value - reach, value + reach, level, "Wald").within(request.bounds)
        return replace(interval, method=f"{interval.method} on {rows:,} rows")

    def _moments(self, request: Request) -> Moments:
        """Those of the loss of each row, or of what each row earns or costs."""
        if request.measure.needs == (Moments,):
            (moments,) = arguments_of(request, self.tallies)
            return moments
        return Moments.of(self._earned(request))

    def _earned(self, request: Request) -> NDArray[Any]:
        cells = cells_of(request.values["matrix"], classes=len(self.tallies.predictions.classes))
        return self.tallies.losses(lambda rows: cells[rows.truth, rows.predicted], {})

    def _of_mean(self, request: Request) -> Interval:
        """The interval of a mean over rows by formula, each row with its part of all judgements."""
        p = with_common_prior(self.tallies.predictions)
        if "matrix" in request.values and p.design.group is None:
            return self.mean(self._earned(request))
        once = replace(p, weight=self.mass, design=Design(group=p.design.group))
        options = replace(self.options, method=self.options.share)
        rows = Resampling(Tallies(once), options, worth=self.worth)
        return interval_of(case_of(request, rows))

    def _moved(self, interval: Interval, own: float, value: float, request: Request) -> Interval:
        """The interval around the mean over repeats, or of folds."""
        if interval.is_absent:
            return interval
        low, high = interval.low + (value - own), interval.high + (value - own)
        interval = replace(interval, low=low, high=high, method=f"{interval.method}{IN_ONE_REPEAT}")
        return interval.within(request.bounds)


def distinct_rows(tallies: Tallies) -> int:
    """How many different rows were judged: by their identifiers, else those of a mean repeat."""
    if tallies.judged_rows is not None:
        return len(tallies.judged_rows[1])
    return round(tallies.rows / tallies.design.repeats)
