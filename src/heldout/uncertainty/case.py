"""A value to be bounded: its form, what is independent, and its parts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from heldout.core.notes import Lack
    from heldout.tally.confusion import Confusion
    from heldout.tally.moments import Moments
    from heldout.tally.scores import ScoreCounts
    from heldout.uncertainty.gap_intervals import Gaps
    from heldout.uncertainty.influence import Influence
    from heldout.uncertainty.interval import Interval
    from heldout.uncertainty.options import IntervalOptions
    from heldout.uncertainty.row_bootstrap import JointMeans
    from heldout.uncertainty.sample import Sample


class Form(Enum):
    """What sort of statistic a value is, as far as its uncertainty goes."""

    SHARE = "share of rows"
    MEAN = "mean over rows"
    AREA = "area under the ROC curve"
    FIT = "estimate by maximum likelihood"
    GAPS = "calibration error of bins"
    LARGEST_GAP = "largest calibration error of a bin"
    VALUE = "mean value of the cells of a confusion matrix"
    CELLS = "function of a confusion matrix"
    MEANS = "function of several means over rows"
    RANKING = "function of a ranking"
    AREAS = "mean of the areas under the ROC curves of classes"
    MAXIMUM = "maximum over thresholds"
    PRODUCTS = "function of variances and covariances"
    ORDER = "quantile of errors"
    FOLD_AREAS = "mean of the folds' areas under the ROC curve"
    SPLITS = "mean over the splits of several repeats"
    REPEATS = "mean of the values of several repeats"


class Unit(Enum):
    """What is drawn from the population, independently of the others."""

    ROWS = "rows"
    WEIGHTED = "weighted rows"
    GROUPS = "groups"


class Source(Enum):
    """What a bootstrap of a case draws, if one is made."""

    CELLS = "cells of the confusion matrix"
    SCORES = "scores"
    ROWS = "rows or whole groups"


@dataclass(frozen=True, slots=True, eq=False)
class MeanParts:
    """A mean over rows: its moments, by group where there are groups, and what is made of it.

    ``bounds`` are those of the mean; ``function`` None: the mean itself; ``losses`` those of the
    rows, where they weigh alike and are few enough to look at.
    """

    moments: Moments
    bounds: tuple[float, float]
    function: Callable[[Moments], Any] | None = None
    sums: Sample | None = None
    losses: NDArray[Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AreaParts:
    """A ranking, and of weighted rows that by the squares of weights."""

    counts: ScoreCounts
    squares: ScoreCounts | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FitParts:
    """How far units move an estimate, its range, and its least standard error."""

    influence: Influence
    least_error: float = 0.0
    bounds: tuple[float, float] = (-inf, inf)


@dataclass(frozen=True, slots=True, eq=False)
class JointParts:
    """Several means of many rows, and the measure as a function of them."""

    means: JointMeans
    value: Callable[[Any], float]


@dataclass(frozen=True, slots=True, eq=False)
class GapParts:
    """Calibration bins, the measure as a function of their weights and gaps, and the squared
    deviations of scores within bins (None: a bin's score is known without error).
    """

    gaps: Gaps
    statistic: Callable[[Any, Any], Any]
    deviations: NDArray[Any] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ValueParts:
    """What rows of each cell are worth, with the cells of all rows and of each group.

    ``scale``: by what the mean value of a row is multiplied.
    """

    confusion: Confusion
    sums: Sample
    values: NDArray[Any]
    squares: Confusion | None = None
    scale: float = 1.0


class Case(Protocol):
    """What methods may ask of a value that is to be bounded."""

    @property
    def form(self) -> Form:
        """What sort of statistic it is."""

    @property
    def unit(self) -> Unit:
        """What is independent."""

    @property
    def source(self) -> Source:
        """What a bootstrap of it draws."""

    @property
    def options(self) -> IntervalOptions:
        """What was asked for."""

    @property
    def lack(self) -> str | Lack:
        """Why there is no interval, or none unasked; empty where there is one."""

    @property
    def of(self) -> Callable[[float], float] | None:
        """How the value follows from the share or the area that is bounded; None: it is that."""

    @property
    def parts(self) -> Any:
        """What the methods of its form are made of: ``ShareParts``, ``MeanParts`` and so on."""

    def resampled(self, kind: str) -> Interval:
        """The interval of that kind (percentile, basic, bca, bayesian, maximum) by bootstrap."""
