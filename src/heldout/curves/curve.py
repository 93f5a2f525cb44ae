"""A curve as a value: points in order, their thresholds, what lies between them, and its area."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import nan
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.shown import Shown
from heldout.curves.columns import Columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.core.arrays import Array, Floats
    from heldout.tally.scores import ScoreCounts

#: ``line``: straight; ``ratio``: top and bottom of the value each run straight; ``step``: the
#: value of the next point; ``level``: a point holds from its threshold up to the one before
Between = Literal["line", "ratio", "step", "level"]
#: the kind of a band that is not around its curve
CONSISTENCY = "consistency"


@dataclass(frozen=True, slots=True)
class Axis:
    """The name of a column and the words beside the axis."""

    name: str
    label: str


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """Limits of a curve over a grid of x.

    Parameters
    ----------
    x, low, high
        The grid and the limits; empty where there is no valid band.
    level, kind
        At each x by itself (``pointwise``), or over all of them at once (``simultaneous``);
        ``spread`` describes how folds differ and claims no level (NaN); ``consistency`` says
        where the curve of a calibrated model would lie, and is not around this one.
    method
        Words that name the method, with the draws where chance is in it.
    note
        Why there is no band, or what to know about this one; else empty.
    """

    x: Floats
    low: Floats
    high: Floats
    level: float
    kind: str
    method: str
    note: str = ""

    @property
    def is_absent(self) -> bool:
        """Whether there are no limits."""
        return not len(self.x)

    def at(self, x: Array) -> tuple[Floats, Floats]:
        """The limits over other x, along straight lines; NaN where there are none."""
        if self.is_absent:
            return np.full(len(x), nan), np.full(len(x), nan)
        low, high = (np.interp(x, self.x, y, nan, nan) for y in (self.low, self.high))
        return low, high


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Shown):
    """Points of a curve in falling order of threshold, with all that says what they are.

    Parameters
    ----------
    name, title
        What it is called in code and above a chart.
    x, y, threshold
        The points. Rows with ``score >= threshold`` are called positive; infinite where no
        row is, NaN where a point belongs to no single threshold (beside a score that is
        infinite itself, none is above all).
    x_axis, y_axis
        Names of the columns of ``table()``, and labels.
    between
        What the curve does between two points.
    best
        Which of several points at the same x has the value of ``at(x)``.
    top, bottom
        Where the curve between points is a ratio: its parts at each point.
    area, measure
        The area under it and the measure that it is; NaN and empty where neither exists.
    rows, prevalence
        How many rows it was made of, and their share of positives.
    columns
        Further columns of the table.
    binning
        Into which bins scores were put before, in words.
    reason
        Why there are no points; else empty.
    """

    name: str
    title: str
    x: Floats
    y: Floats
    threshold: Floats
    x_axis: Axis
    y_axis: Axis
    between: Between = "line"
    best: Literal["first", "last"] = "last"
    top: Array | None = None
    bottom: Array | None = None
    area: float = nan
    measure: str = ""
    rows: int = 0
    prevalence: float = nan
    columns: Mapping[str, Array] = field(default_factory=dict)
    band: Band | None = None
    note: str = ""
    binning: str = ""
    reason: str = ""
    model: str = ""
    class_: str = ""

    def __len__(self) -> int:
        return len(self.x)

    def __repr__(self) -> str:
        size = f"{len(self):,} points" if len(self) else f"empty: {self.reason}"
        size += f", no band: {self.band_reason}" if self.band_reason and len(self) else ""
        return f"Curve({self.name}: {self.y_axis.name} against {self.x_axis.name}, {size})"

    @property
    def is_empty(self) -> bool:
        """Whether there are no points; ``reason`` says why."""
        return not len(self.x)

    @property
    def band_reason(self) -> str:
        """Why the band that belongs to it is absent; empty where it is there, or none does."""
        return self.band.note if self.band is not None and self.band.is_absent else ""

    def table(self) -> Columns:
        """The points as columns: ``.to_pandas()``, ``.to_polars()``, ``.to_arrow()``.

        Limits of a band that is absent are NaN; ``band_reason`` says why.
        """
        table: dict[str, Array] = {self.x_axis.name: self.x, self.y_axis.name: self.y}
        # a curve over thresholds has them as x already; bins have none
        known = self.is_empty or not np.isnan(self.threshold).all()
        if self.x_axis.name != "threshold" and known:
            table["threshold"] = self.threshold
        table.update(self.columns)
        is_own = self.band is not None and self.band.kind != CONSISTENCY
        if self.band is not None and is_own and "low" not in table:
            table["low"], table["high"] = self.band.at(self.x)
        return Columns(table)

    def at(self, x: Any) -> Any:
        """The value over x (a number or an array); NaN beyond the ends of the curve.

        Where the curve is vertical, the best value: a ROC curve's highest sensitivity, a
        precision-recall curve's highest precision.
        """
        where = np.atleast_1d(np.asarray(x, float))
        values = np.full(where.shape, nan)
        if not self.is_empty:
            inside = ~np.isnan(where)
            values[inside] = self._at(where[inside])
        return values if np.ndim(x) else float(values[0])

    def _at(self, where: Floats) -> Floats:
        if self.between == "level":
            # points fall from an infinite threshold, so every threshold has one at or above it
            return self.y[np.searchsorted(-self.x, -where, side="right") - 1]
        within = (where >= self.x[0]) & (where <= self.x[-1])
        first = np.minimum(np.searchsorted(self.x, where, side="left"), len(self.x) - 1)
        last = np.maximum(np.searchsorted(self.x, where, side="right") - 1, 0)
        if self.between == "step":
            return np.where(within, self.y[first], nan)
        exact = within & (self.x[first] == where)
        left, right = np.minimum(last, first), np.maximum(last, first)
        run = self.x[right] - self.x[left]
        share = np.divide(where - self.x[left], run, out=np.zeros(len(where)), where=run > 0)
        if self.between == "ratio":
            assert self.top is not None
            assert self.bottom is not None
            top, bottom = (
                _along(self.top, left, right, share),
                _along(self.bottom, left, right, share),
            )
            inner = np.divide(top, bottom, out=np.full(len(where), nan), where=bottom > 0)
        else:
            inner = _along(self.y, left, right, share)
        own = self.y[first if self.best == "first" else last]
        return np.where(exact, own, np.where(within, inner, nan))


def _along(values: Array, left: Array, right: Array, share: Array) -> Floats:
    """Values a share of the way from one point to another."""
    start = values[left].astype(float)
    return start + share * (values[right] - start)


def absent_band(reason: str, *, level: float, kind: str, method: str = "") -> Band:
    """No band, and why."""
    nothing = np.zeros(0)
    return Band(nothing, nothing, nothing, level, kind, method, reason)


@dataclass(frozen=True, slots=True)
class CurveKind:
    """What all curves of a name share: what they and their axes are called, and their shape.

    Examples
    --------
    >>> from heldout.tally.scores import ScoreCounts
    >>> kind = CurveKind("roc", "ROC curve", Axis("x", "x"), Axis("y", "y"))
    >>> kind.empty(ScoreCounts(), "there is no positive row")
    Curve(roc: y against x, empty: there is no positive row)
    """

    name: str
    title: str
    x_axis: Axis
    y_axis: Axis
    measure: str = ""
    between: Between = "line"
    best: Literal["first", "last"] = "last"

    def of(
        self,
        counts: ScoreCounts,
        x: Floats,
        y: Floats,
        threshold: Floats | None = None,
        **more: Any,
    ) -> Curve:
        """The curve of score counts through these points, which may belong to no threshold."""
        return Curve(
            self.name,
            self.title,
            x,
            y,
            np.full(len(x), nan) if threshold is None else threshold,
            self.x_axis,
            self.y_axis,
            self.between,
            self.best,
            rows=counts.rows,
            prevalence=prevalence_of(counts),
            **{"measure": self.measure} | more,
        )

    def empty(self, counts: ScoreCounts, reason: str, **more: Any) -> Curve:
        """A curve without points, and why."""
        nothing = np.zeros(0)
        return self.of(counts, nothing, nothing, reason=reason, **more)


def prevalence_of(counts: ScoreCounts) -> float:
    """The share of positives; NaN where there are no rows."""
    return float(counts.total_positives / counts.total) if counts.total else nan
