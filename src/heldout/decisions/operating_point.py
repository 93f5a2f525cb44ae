"""The operating point that earns most at given costs and prevalence, of one model or several."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.curves.cuts import NO_ROW, UNREACHED
from heldout.curves.hull import hull_curve
from heldout.decisions.records import Recorded, as_given
from heldout.measures.profit import valued_cells
from heldout.tally.scores import ScoreCounts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.core.arrays import Array
    from heldout.decisions.records import Record

#: points whose value differs by less, relative to what is at stake, are equally good
TIE = 1e-12


@dataclass(frozen=True, slots=True)
class CellValues:
    """What each of the four outcomes earns, and what follows for the slope of equal profit.

    Costs are kept as negative profits; ``kind`` says which they were.
    """

    tp: float
    fn: float
    fp: float
    tn: float
    kind: str = "profit"

    @classmethod
    def of(cls, cells: Any, *, positive: int = 1, kind: str = "profit") -> CellValues:
        """From a table of profits or costs whose rows are the truth, in the order of classes.

        Examples
        --------
        >>> CellValues.of(((0, 1), (5, 0)), kind="cost")
        CellValues(tp=-0.0, fn=-5.0, fp=-1.0, tn=-0.0, kind='cost')
        """
        table = valued_cells(cells, kind, classes=2) * (-1.0 if kind == "cost" else 1.0)
        negative = 1 - positive
        values = cls(
            float(table[positive, positive]),
            float(table[positive, negative]),
            float(table[negative, positive]),
            float(table[negative, negative]),
            kind,
        )
        if values.of_positive <= 0 and values.of_negative <= 0:
            raise InputError(f"the {kind} matrix {values._lack}")
        return values

    @property
    def _lack(self) -> str:
        """Why no right answer is worth more than a wrong one, and what to look at."""
        doubt = "are its rows the truth, and is it a profit or a cost?"
        if self.of_positive < 0 and self.of_negative < 0:
            return f"pays for wrong answers in both classes: {doubt}"
        if self.of_positive < 0 or self.of_negative < 0:
            return f"pays for wrong answers in one class, and for right ones in none: {doubt}"
        worth = "values right and wrong answers alike"
        return f"{worth}, so that no threshold is better than another: give them different values"

    @property
    def of_positive(self) -> float:
        """What calling a positive row positive earns over calling it negative."""
        return self.tp - self.fn

    @property
    def of_negative(self) -> float:
        """What calling a negative row negative earns over calling it positive."""
        return self.tn - self.fp

    def slope(self, prevalence: float) -> float:
        """The slope of lines of equal profit in the ROC plane; infinite: call no row positive.

        Examples
        --------
        >>> CellValues.of(((0, 1), (5, 0)), kind="cost").slope(0.5)
        0.2
        """
        gain = self.of_positive * prevalence
        return self.of_negative * (1 - prevalence) / gain if gain > 0 else inf

    def prevalences(self, low: float, high: float) -> tuple[float, float]:
        """The prevalences at which the slope lies from ``low`` to ``high``.

        Examples
        --------
        >>> CellValues.of(((0, 1), (5, 0)), kind="cost").prevalences(0.2, float("inf"))
        (0.0, 0.5)
        """
        gain, loss = self.of_positive, self.of_negative
        if gain <= 0 or loss <= 0:  # one class decides whatever the prevalence
            return 0.0, 1.0
        least = 0.0 if high == inf else loss / (loss + high * gain)
        return least, loss / (loss + low * gain)

    @property
    def probability(self) -> float:
        """From which probability on calling a row positive pays, where probabilities are true.

        Elkan (2001), IJCAI, 973.
        """
        gain, loss = self.of_positive, self.of_negative
        if gain <= 0 or loss <= 0:  # one answer is better whatever the row
            return 1.0 if gain <= 0 else 0.0
        return loss / (loss + gain)

    def per_row(self, tpr: Any, fpr: Any, prevalence: float) -> Any:
        """The expected profit of a row at an operating point, costs being negative."""
        of_positives = self.fn + self.of_positive * tpr
        of_negatives = self.tn - self.of_negative * fpr
        return prevalence * of_positives + (1 - prevalence) * of_negatives


@dataclass(frozen=True, slots=True)
class OperatingPoint(Recorded):
    """The best point of the ROC hull, and how far costs and prevalence may move.

    Parameters
    ----------
    threshold
        ``score >= threshold`` is positive; infinite where no row is, and NaN where no
        threshold does that, as a score is infinite.
    per_row
        Expected profit (or cost, by ``kind``) of a row at that prevalence.
    slope, slope_low, slope_high
        The slope of lines of equal profit, and between which slopes this point stays best.
    prevalence_low, prevalence_high
        The same at these profits: between which prevalences it stays best.
    probability
        The threshold that would be best if scores were true probabilities at the prevalence
        of these rows.
    also
        Other points that are exactly as good: (model, threshold).
    """

    model: str
    threshold: float
    tpr: float
    fpr: float
    per_row: float
    kind: str
    prevalence: float
    slope: float
    slope_low: float
    slope_high: float
    prevalence_low: float
    prevalence_high: float
    probability: float
    also: tuple[tuple[str, float], ...] = ()

    @property
    def note(self) -> str:
        """That no row is called positive, where none is."""
        if self.tpr or self.fpr:
            return ""
        return UNREACHED if isnan(self.threshold) else NO_ROW

    def rows(self) -> list[Record]:
        """One record."""
        return [
            {
                "model": self.model,
                "threshold": self.threshold,
                "sensitivity": self.tpr,
                "specificity": 1 - self.fpr,
                f"{self.kind}_per_row": self.per_row,
                "prevalence": self.prevalence,
                "prevalence_low": self.prevalence_low,
                "prevalence_high": self.prevalence_high,
                "slope": self.slope,
                "slope_low": self.slope_low,
                "slope_high": self.slope_high,
                "note": self.note,
            }
        ]


def operating_point(
    scores: ScoreCounts | Mapping[str, ScoreCounts],
    cells: Any,
    *,
    kind: str = "profit",
    positive: int = 1,
    prevalence: float | None = None,
) -> OperatingPoint:
    """The point that earns most (or costs least) a row, over all thresholds of all models.

    Parameters
    ----------
    scores
        Score counts of one model, or of several by name.
    cells
        Profit or cost of each outcome, rows = truth, correct answers included.
    prevalence
        The share of positives where the model will be used; None: that of the rows (of
        several models' rows taken together).

    Notes
    -----
    Only vertices of the convex hull can be best (Provost and Fawcett 2001, Mach. Learn.
    42:203). Of equally good points the one that calls fewest rows positive is taken.

    Examples
    --------
    >>> truth = np.array([True, True, False, True, False, False])
    >>> scores = ScoreCounts.of(truth, np.array([0.9, 0.8, 0.7, 0.6, 0.2, 0.1]))
    >>> best = operating_point(scores, ((0, 1), (5, 0)), kind="cost")
    >>> best.threshold, best.per_row, best.slope, best.slope_low, best.slope_high
    (0.6, 0.1667, 0.2, 0.0, 1.0)
    """
    models = {"": scores} if isinstance(scores, ScoreCounts) else scores
    values = CellValues.of(cells, positive=positive, kind=kind)
    for name, counts in models.items():
        if not counts.has_both:
            whose = f" of {name!r}" if name else ""
            raise InputError(f"the rows{whose} are of one class: there is no ROC curve")
    share = _share(models) if prevalence is None else prevalence
    if not 0 < share < 1:
        raise InputError(f"prevalence={as_given(share)}: a number between 0 and 1 is needed")
    names, thresholds, tpr, fpr = _vertices(models)
    earned = values.per_row(tpr, fpr, share)
    scale = abs(values.of_positive) * share + abs(values.of_negative) * (1 - share)
    tied = np.flatnonzero(earned >= earned.max() - TIE * scale)
    tied = tied[np.lexsort((tpr[tied], fpr[tied]))]  # of equal points the one that calls fewest
    at = int(tied[0])
    slope = values.slope(share)
    low, high = _reach(tpr, fpr, at)
    low, high = min(low, slope), max(high, slope)  # the last digit, or a slope below 0
    sign = -1.0 if kind == "cost" else 1.0
    return OperatingPoint(
        names[at],
        float(thresholds[at]),
        float(tpr[at]),
        float(fpr[at]),
        sign * float(earned[at]) + 0.0,
        kind,
        share,
        slope,
        low,
        high,
        *values.prevalences(max(low, 0.0), high),
        values.probability,
        tuple((names[i], float(thresholds[i])) for i in tied[1:].tolist()),
    )


def _share(models: Mapping[str, ScoreCounts]) -> float:
    positives = sum(counts.total_positives for counts in models.values())
    return float(positives / sum(counts.total for counts in models.values()))


def _vertices(models: Mapping[str, ScoreCounts]) -> tuple[list[str], Array, Array, Array]:
    """Model, threshold, sensitivity and false positive rate of each vertex of each hull."""
    names: list[str] = []
    parts = []
    for name, counts in models.items():
        vertices = hull_curve(counts)
        parts.append(np.stack([vertices.threshold, vertices.y, vertices.x]))
        names += [name] * len(vertices)
    threshold, tpr, fpr = np.concatenate(parts, axis=1)
    return names, threshold, tpr, fpr


def _reach(tpr: Array, fpr: Array, at: int) -> tuple[float, float]:
    """Between which slopes no other point beats this one."""
    right, left = fpr > fpr[at], fpr < fpr[at]
    low = ((tpr[right] - tpr[at]) / (fpr[right] - fpr[at])).max(initial=0.0)
    high = ((tpr[at] - tpr[left]) / (fpr[at] - fpr[left])).min(initial=inf)
    return float(low), float(high)
