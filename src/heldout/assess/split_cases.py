"""A value over folds or repeats as interval methods see it: its form, and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from heldout.assess.forms import ACROSS, NOT_BY_FOLD, is_mean_of_rows
from heldout.assess.results import Of
from heldout.assess.rows_once import RowsOnce
from heldout.assess.score_formulas import fold_ranking, is_plain_area
from heldout.assess.values import is_split
from heldout.core.dialect import argument
from heldout.measures.kinds import SAME
from heldout.predictions.split_design import REPEATED
from heldout.uncertainty.cross_validation import SplitParts
from heldout.uncertainty.methods import Form, Source, Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from heldout.core.notes import Lack
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.options import IntervalOptions

DEPENDENT = "folds share training rows, so that their spread says too little"
POOLED = f"{DEPENDENT}: the value of all rows has one"
NO_SHARE = (
    f"{REPEATED}; the size of the training parts, which a corrected interval needs, is unknown"
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
            return "a single fold"
        if is_plain_area(request) and not self.options.uses_t:
            leave = f"leave out {argument('interval')} for one"
            return f"of the mean of folds there is no bootstrap ({leave})"
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
            self.request.measure.bounds,
            of_rows,
            design.cuts_groups,
            self.unit is Unit.ROWS,
        )

    def resampled(self, kind: str) -> Interval:
        """Splits are not resampled."""
        raise NotImplementedError
