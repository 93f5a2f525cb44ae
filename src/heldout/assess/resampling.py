"""What is resampled of a model's rows, and a measure of them as interval methods see it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.values import overall
from heldout.core.codes import dense_codes
from heldout.core.dialect import argument
from heldout.core.notes import Kind
from heldout.core.random import stream
from heldout.measures.kinds import SAME
from heldout.uncertainty.case import FitParts, Source, Unit
from heldout.uncertainty.interval import absent
from heldout.uncertainty.replicates import Replicates
from heldout.uncertainty.row_bootstrap import MANY_ROWS, replicate_rows, row_jackknife
from heldout.uncertainty.sample import RowSampler, row_order
from heldout.uncertainty.worth import NO_GROUPS, GroupSizes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.engines.memory import Tallies
    from heldout.engines.protocol import Loss
    from heldout.measures.spec import Request
    from heldout.uncertainty.case import Form
    from heldout.uncertainty.influence import Influence
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.limits import Jackknife
    from heldout.uncertainty.options import IntervalOptions

    #: a statistic of the rows at some positions
    OfRows = Callable[[NDArray[Any]], Any]

#: rows times replicates above which rows are not resampled unasked
ROW_WORK = 100_000_000
NOT_BAYESIAN = "rows are resampled instead: this measure has no Bayesian bootstrap"


def unasked(why: str) -> str:
    """The reason why an interval is made only if its measure is asked for by name.

    Examples
    --------
    >>> unasked("many classes")
    'many classes: computed if asked for by name (measures=)'
    """
    return f"{why}: computed if asked for by name ({argument('measure')})"


@dataclass(frozen=True, eq=False)
class Resampling:
    """One model's rows as they may be resampled; replicates are shared by all measures.

    ``together`` are the measures of scores whose replicates are made at once. ``worth`` is how
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
    def is_weighted(self) -> bool:
        """Whether rows have weights, which do not say how many equal rows one stands for."""
        return self.tallies.predictions.weight is not None and not self.tallies.is_counted

    @property
    def is_plain(self) -> bool:
        """Whether rows weigh the same and stand alone."""
        return self.groups is None and self.tallies.predictions.weight is None

    @property
    def is_stratified(self) -> bool:
        """Whether rows are drawn within true classes."""
        is_classes = self.tallies.predictions.task != "regression"
        return self.options.stratified and is_classes and self.groups is None

    @property
    def is_drawn_by_moments(self) -> bool:
        """Whether means are drawn from the normal distribution of their joint moments."""
        return len(self.tallies.predictions) > MANY_ROWS and self.is_plain

    def columns_of(self, losses: Sequence[Loss]) -> NDArray[Any]:
        """The losses of all rows, a column each."""
        columns = np.column_stack([self.tallies.losses(*loss) for loss in losses])
        # what is infinite makes its own column undefined, and no other
        return np.where(np.isfinite(columns), columns, np.nan)

    def by_unit(self, influence: Influence | None, bounds: tuple[float, float]) -> FitParts | None:
        """How far rows, or groups, move a value between bounds; None where that is not known."""
        if influence is None:
            return None
        grouped = influence if self.groups is None else influence.by(dense_codes(self.groups)[1])
        return FitParts(grouped, bounds=bounds)

    @cached_property
    def sampler(self) -> RowSampler:
        """What is drawn: rows, rows within true classes, or whole groups."""
        p = self.tallies.predictions
        strata = p.truth if self.is_stratified else None
        order = partial(row_order, p)
        return RowSampler(len(p), strata=strata, groups=self.groups, order=order)

    def too_much(self, request: Request, rows: int) -> str:
        """Why so many rows are not resampled unasked; empty where they are."""
        if rows * self.options.of_rows > ROW_WORK and not request.is_explicit:
            return unasked("many rows to resample")
        return ""

    def replicated(
        self,
        request: Request,
        kind: str,
        statistic: OfRows,
        weighed: Callable[[], NDArray[Any]] | None = None,
        *,
        size: int = 1,
    ) -> Interval:
        """The interval of a statistic of rows, each of which costs as much as ``size`` numbers."""
        if lack := self.too_much(request, len(self.tallies.predictions) * size):
            return absent(lack, level=self.options.level)
        rng = stream(self.options.seed, "rows")
        given: dict[str, Any] = {"replicates": self.options.of_rows, "rng": rng}
        drawn = replicate_rows(statistic, self.sampler, **given)
        return self.limits(request, kind, drawn, lambda: self.jackknife(statistic), weighed)

    def jackknife(self, statistic: OfRows, stage: str = "rows") -> Jackknife:
        """The statistic without each row or group, or without parts of them."""
        rng = stream(self.options.seed, stage, "left out")
        return row_jackknife(statistic, self.sampler, rng=rng)

    def limits(
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
            of_class = self.tallies.parts("class").rows
            fewest = int(np.minimum(of_class, self.tallies.rows - of_class).min())
        what += " within true classes" if self.is_stratified else ""
        drawn = Replicates(
            np.array([float(overall(request, self.tallies).value)]),
            lambda: replicates[:, None],
            None if weighed is None else lambda: weighed()[:, None],
            left_out,
            f"{options.of_rows} draws of {what}, seed {options.seed}",
            sizes,
            fewest,
        )
        (interval,) = drawn.intervals(kind, level=options.level, bounds=request.bounds)
        return self.said(interval)

    def said(self, interval: Interval) -> Interval:
        """The interval, which says that rows were drawn where random weights were asked for."""
        is_other = self.options.method == "bayesian" and not interval.has(Kind.OTHER_METHOD)
        return interval.noted(NOT_BAYESIAN) if is_other else interval


@dataclass(frozen=True, eq=False)
class MeasureCase(ABC):
    """One value of a measure: what ``uncertainty.methods`` asks of it.

    Parameters
    ----------
    request
        The measure.
    rows
        The rows, as they may be resampled.
    code
        The class whose value against the rest it is; None: that of all rows.
    """

    request: Request
    rows: Resampling
    code: int | None = None

    @property
    def tallies(self) -> Tallies:
        """The tallies of the rows."""
        return self.rows.tallies

    @property
    def options(self) -> IntervalOptions:
        """What was asked for."""
        return self.rows.options

    @property
    def unit(self) -> Unit:
        """What is independent."""
        if self.rows.groups is not None:
            return Unit.GROUPS
        return Unit.WEIGHTED if self.rows.is_weighted else Unit.ROWS

    @property
    def source(self) -> Source:
        """What a bootstrap of it draws."""
        return Source.ROWS

    @property
    @abstractmethod
    def form(self) -> Form:
        """What sort of statistic it is."""

    @property
    def of(self) -> Callable[[float], float] | None:
        """How the value follows from the share or the area that is bounded; None: it is that."""
        area = self.request.measure.area
        return area if self.options.uses_t and area is not SAME else None

    @property
    @abstractmethod
    def lack(self) -> str:
        """Why there is no interval, or none unasked; empty where there is one."""

    @property
    @abstractmethod
    def parts(self) -> Any:
        """What the methods of its form are made of."""

    @abstractmethod
    def resampled(self, kind: str) -> Interval:
        """The interval of that kind from a bootstrap."""
