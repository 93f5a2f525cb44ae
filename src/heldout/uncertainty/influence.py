"""How each unit moves a value, and from that how far off the value may be.

A unit is what is independent of the others: a row, a group of rows, a row with all its repeats.
Nearly every value in heldout is, near enough, a sum of what its units add: a share, a mean, an
area under the ROC curve, a measure of a confusion table, a fitted slope, a mean of folds, the
difference of any two. So its standard error is that of a sum, and one function, ``spread``,
knows what groups, weights, strata and few units do to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot, inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.sums import sum_of_products
from heldout.uncertainty.quantiles import two_sided_normal, two_sided_student
from heldout.uncertainty.worth import GroupSizes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.measures.kinds import Transform

#: a unit that holds all rows leaves nothing to compare it with
LEAST_REST = 1e-12
ROUNDING = 1e-9
#: by which share counts are changed to see how a measure changes
STEP = 1e-4


@dataclass(frozen=True, slots=True)
class Spread:
    """The standard error of a value by its units, and how well it is known.

    Parameters
    ----------
    of_units, of_rows
        The standard error that the units show, and the one that single rows would give
        (0: unknown).
    units
        How many units there are.
    freedom
        Degrees of freedom of what units add to the spread of their rows: one less than
        units where all are alike, fewer where some are much larger than others.
    most
        The standard error if rows of a unit were all alike, where that is known, or the usual
        one of the units, if larger: no spread is more than Student's t of that.
    """

    of_units: float
    of_rows: float
    units: int
    freedom: float
    most: float = inf

    @property
    def error(self) -> float:
        """The larger of both: units that differ less by chance do not make rows worth more."""
        return max(self.of_units, self.of_rows)

    def reach(self, level: float) -> float:
        """How far limits lie from the value: Student's t of the rows' part and of the rest."""
        usual = two_sided_student(level, self.units - 1)
        if self.freedom == self.units - 1:
            return usual * self.error
        # not in squares, which large values take beyond the largest number
        known = self.of_rows / self.error if self.error else 1.0
        added = self.error * sqrt((1 - known) * (1 + known))
        reach = hypot(usual * self.of_rows, two_sided_student(level, self.freedom) * added)
        return min(reach, usual * max(self.most, self.of_rows))

    def effective_rows(self, variance: float, level: float) -> float:
        """How many independent rows of that variance would make limits as wide.

        So they are made fewer for the degrees of freedom, as Korn and Graubard (1998, Surv.
        Methodol. 24:193) do.
        """
        reach = self.reach(level)
        return variance * (two_sided_normal(level) / reach) ** 2 if reach > 0 else inf


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """A value, and to first order what each unit adds to it.

    Influences of the same units add and subtract: ``a - b`` is that of the paired difference
    of two models, ``Influence.mean`` that of a mean over folds, ``through`` that of a function.

    Parameters
    ----------
    value
        The value itself.
    shift
        The change of the value due to each unit; over all units they add up to about 0. For a
        ratio of sums: the unit's top less the ratio times its bottom, over the whole bottom.
    mass
        The weight of each unit, by which it pulls the value towards itself: its rows, where
        rows weigh the same. Only its proportions matter.
    count
        How many equal units each element stands for; None: one.
    strata
        A code for each unit, where the number of units of each stratum is fixed (classes of a
        ranking, two samples that have nothing in common); None: all are drawn together.
    centres
        How many means of units the shifts of a stratum are around: each takes a degree of freedom.

    Examples
    --------
    The paired t test, of a difference of two mean losses on the same five rows:

    >>> first = Influence.of_mean(np.array([0.2, 0.4, 0.1, 0.8, 0.5]))
    >>> second = Influence.of_mean(np.array([0.1, 0.4, 0.2, 0.5, 0.3]))
    >>> difference = first - second
    >>> difference.value, difference.spread().error, difference.spread().freedom
    (0.1, 0.0707, 4)

    Rows that come in groups are added up by group first:

    >>> round(difference.by(np.array([0, 0, 1, 1, 2])).spread().error, 4)
    0.0342
    """

    value: float
    shift: NDArray[Any]
    mass: NDArray[Any]
    count: NDArray[Any] | None = None
    strata: NDArray[Any] | None = None
    centres: int = 1

    @classmethod
    def of_ratio(
        cls, top: NDArray[Any], bottom: NDArray[Any], count: NDArray[Any] | None = None
    ) -> Influence:
        """The sum of one number over units, over that of another: hits over rows of groups.

        Cochran (1977), Sampling Techniques, section 6.3.

        Examples
        --------
        >>> share = Influence.of_ratio(np.array([1, 2]), np.array([2, 2]), np.array([2, 2]))
        >>> share.value, share.spread().error
        (0.75, 0.1443)
        """
        top, bottom = np.asarray(top, float), np.asarray(bottom, float)
        often = np.ones(len(top)) if count is None else count
        total = float(often @ bottom)
        value = float(often @ top) / total
        return cls(value, (top - value * bottom) / total, bottom, count)

    @classmethod
    def of_mean(cls, values: NDArray[Any], weight: NDArray[Any] | None = None) -> Influence:
        """The (weighted) mean of a number that each row has: a loss, or whether it is right."""
        mass = np.ones(len(values)) if weight is None else np.asarray(weight, float)
        return cls.of_ratio(np.asarray(values, float) * mass, mass)

    @classmethod
    def of_counts(
        cls, function: Callable[[NDArray[Any]], NDArray[Any]], counts: NDArray[Any]
    ) -> Influence:
        """Any smooth function of the counts of cells, by its numerical gradient.

        Parameters
        ----------
        function
            Takes tables of counts (cells on the last axis) and gives a value for each.
        counts
            How many rows are of each cell, none of them 0 (add a pseudo-row).

        Notes
        -----
        The delta method: how fast the value changes with the count of a cell is how far a row
        of it moves the value.

        Examples
        --------
        >>> cells = np.array([40.0, 10.0, 5.0, 45.0])
        >>> accuracy = Influence.of_counts(lambda c: (c[..., 0] + c[..., 3]) / c.sum(-1), cells)
        >>> round(accuracy.value, 2), round(accuracy.spread().error, 4)
        (0.85, 0.0359)
        """
        steps = np.diag(STEP * counts)
        values = function(np.concatenate([counts + steps, counts - steps, counts[None]]))
        up, down, value = values[: len(counts)], values[len(counts) : -1], float(values[-1])
        shift = (up - down) / (2 * STEP * counts)
        shift -= (counts @ shift) / counts.sum()
        return cls(value, shift, np.ones(len(counts)), counts)

    @classmethod
    def of_area(
        cls,
        is_positive: NDArray[np.bool_],
        scores: NDArray[Any],
        weight: NDArray[Any] | None = None,
    ) -> Influence:
        """The area under the ROC curve: a row adds its placement among the other class.

        Its variance is DeLong's (DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837),
        with the classes as strata; ``by`` groups it is nearly Obuchowski's (1997, Biometrics
        53:567).

        Examples
        --------
        >>> truth = np.array([True, True, False, False])
        >>> area = Influence.of_area(truth, np.array([4.0, 2.0, 3.0, 1.0]))
        >>> area.value, area.shift.tolist(), area.spread().error ** 2
        (0.75, [0.125, -0.125, -0.125, 0.125], 0.125)
        """
        truth = np.asarray(is_positive, bool)
        weights = np.ones(len(truth)) if weight is None else np.asarray(weight, float)
        placed = placements(truth, scores, weight)
        totals = np.where(truth, weights[truth].sum(), weights[~truth].sum())
        share = weights / totals
        value = float(sum_of_products(np.where(truth, share, 0.0), placed))
        return cls(value, share * (placed - value), share / 2, None, truth.astype(np.int64))

    @classmethod
    def mean(cls, influences: Sequence[Influence]) -> Influence:
        """The mean of several values of the same units: of folds, repeats, classes.

        Examples
        --------
        >>> rows = [Influence.of_mean(np.array(x)) for x in ([0.0, 1.0], [1.0, 2.0])]
        >>> Influence.mean(rows).value
        1.0
        """
        share = 1 / len(influences)
        mass = sum(share * i.mass / i.mass.sum() for i in influences)
        value = sum(share * i.value for i in influences)
        shift = np.asarray(sum(share * i.shift for i in influences))
        return replace(influences[0], value=value, shift=shift, mass=mass)

    def __neg__(self) -> Influence:
        return -1.0 * self

    def __rmul__(self, factor: float) -> Influence:
        return replace(self, value=factor * self.value, shift=factor * self.shift)

    def __sub__(self, other: Influence) -> Influence:
        """The difference to a value of the same units."""
        if len(self.shift) != len(other.shift):
            raise InputError("influences of the same units are subtracted: else take unpaired()")
        return replace(self, value=self.value - other.value, shift=self.shift - other.shift)

    def unpaired(self, other: Influence) -> Influence:
        """The difference to a value of other units, which have nothing to do with these.

        Its spread is that of Welch's t test (1947, Biometrika 34:28) where both are means.

        Examples
        --------
        >>> some, rest = (Influence.of_mean(np.array(x)) for x in ([1.0, 2, 3], [4.0, 8]))
        >>> gap = some.unpaired(rest)
        >>> gap.value, round(gap.spread().error, 4), round(gap.spread().freedom, 2)
        (-4.0, 2.0817, 1.17)
        """
        sides = (self, -other)
        first = self._strata
        codes = (first, other._strata + int(first.max(initial=0)) + 1)
        # within its own side a unit weighs what it did
        mass = [side.mass / float(side._count @ side.mass) / 2 for side in sides]
        return Influence(
            self.value - other.value,
            np.concatenate([side.shift for side in sides]),
            np.concatenate(mass),
            np.concatenate([side._count for side in sides]),
            np.concatenate(codes),
        )

    def through(self, function: Transform) -> Influence:
        """That of a smooth function of the value, by its slope there: the delta method.

        Examples
        --------
        >>> from heldout.measures.kinds import ROOT
        >>> mse = Influence.of_mean(np.array([1.0, 4.0, 7.0]))
        >>> rmse = mse.through(ROOT)
        >>> rmse.value, rmse.spread().error / mse.spread().error
        (2.0, 0.25)
        """
        slope = float(function.slope(self.value))
        return replace(self, value=float(function(self.value)), shift=slope * self.shift)

    def by(self, codes: NDArray[Any], units: int | None = None) -> Influence:
        """That of larger units: what their members do is added up.

        Parameters
        ----------
        codes
            The unit of each member, from 0.
        units
            How many units there are, where the last ones may have no member.
        """
        often = self._count
        size = 0 if units is None else units
        shift, mass = (
            np.bincount(codes, often * part, minlength=size) for part in (self.shift, self.mass)
        )
        return Influence(self.value, shift, mass)

    @property
    def sizes(self) -> GroupSizes:
        """How large the units are."""
        return GroupSizes.of(self.mass, self.count)

    @property
    def _count(self) -> NDArray[Any]:
        return np.ones(len(self.shift)) if self.count is None else np.asarray(self.count, float)

    @property
    def _strata(self) -> NDArray[Any]:
        return np.zeros(len(self.shift), np.int64) if self.strata is None else self.strata

    def spread(
        self, *, row_error: float = 0.0, rows: float = inf, has_tails: bool = False
    ) -> Spread:
        """The standard error of the value, and its degrees of freedom.

        Parameters
        ----------
        row_error, rows
            Where units are groups of rows: the standard error that single rows would give
            (0: unknown), and how many there are.
        has_tails
            Where a few units make up most of the spread it is known as badly as if there were
            few units: heed the fourth moment of the shifts.

        Notes
        -----
        Bell and McCaffrey (2002, Surv. Methodol. 28:169): squared shifts are made larger by what
        a large unit pulls the value towards itself, and the degrees of freedom are
        Satterthwaite's. These depend on how alike rows of a unit are, which is taken from the
        rows as Imbens and Kolesar do (2016, Rev. Econ. Stat. 98:701). Of units of one size it
        all comes to the usual error and one degree of freedom less than units. Variances of
        strata are added, with Satterthwaite's freedom of the sum (1946, Biometrics Bull. 2:110).

        Examples
        --------
        >>> alike = Influence(0.5, np.array([-0.1, 0.1]), np.array([5, 5]), np.array([4, 4]))
        >>> alike.spread().error, alike.spread().freedom
        (0.3024, 7)
        >>> unequal = Influence(0.5, np.array([-0.1, 0.1]), np.array([5, 500]), np.array([4, 4]))
        >>> round(unequal.spread().freedom, 1)
        3.1
        """
        count = self._count
        if self.strata is None:
            return _spread(self.shift, self.mass, count, row_error, rows, has_tails)
        parts = []
        for stratum in np.unique(self.strata):
            own = self.strata == stratum
            some = self.shift[own], self.mass[own], count[own]
            part = _spread(*some, 0.0, inf, has_tails, centres=self.centres)
            parts.append((part.of_units**2, part.freedom))
        variance = sum(part for part, _ in parts)
        terms = sum(part**2 / freedom for part, freedom in parts if freedom > 0)
        units = round(float(count.sum()))
        freedom = variance**2 / terms if terms > 0 else float(units - len(parts))
        return Spread(sqrt(variance), row_error, units, freedom)


def _spread(
    shift: NDArray[Any],
    mass: NDArray[Any],
    groups: NDArray[Any],
    row_error: float,
    rows: float,
    has_tails: bool,
    *,
    centres: int = 1,
) -> Spread:
    """That of units which are all drawn together."""
    shift, mass, groups = (np.asarray(part, float) for part in (shift, mass, groups))
    count, total = round(float(groups.sum())), float(groups @ mass)
    pull = mass / total
    raised = 1 / np.maximum(1 - centres * pull, LEAST_REST)
    largest = float(np.abs(shift).max())
    if not 0 < largest < inf:
        return Spread(largest, row_error, count, count - 1)
    squares = float(groups @ (raised * (shift / largest) ** 2))
    of_units = sqrt(squares) * largest
    freedom = float(count - centres)
    if centres == 1 and (count < 2 or mass.min() < mass.max()):
        # variances of the shifts: those of independent rows, and what rows of a group share
        more = max((of_units / row_error) ** 2 - 1, 0.0) if row_error > 0 else 0.0
        variance = pull * (1 + more * pull / float(groups @ pull**2))
        freedom = _satterthwaite(pull, raised, variance, groups)
    if has_tails:
        freedom = min(freedom, _of_tails(shift / largest, groups))
    # rounding leaves groups of one size just below one less than their number
    known = count - centres
    freedom = known if freedom > (1 - ROUNDING) * known else max(freedom, 1.0)
    alike = row_error * sqrt(rows * float(groups @ pull**2)) if 0 < rows < inf else inf
    # a single unit has no usual error
    usual = sqrt(max(count, 2) / max(count - 1, 1) * float(groups @ (shift / largest) ** 2))
    return Spread(of_units, row_error, count, freedom, max(alike, usual * largest))


def _satterthwaite(
    pull: NDArray[Any], raised: NDArray[Any], variance: NDArray[Any], groups: NDArray[Any]
) -> float:
    """Degrees of freedom of the sum of squared shifts, were they normal: traces of its form.

    Shifts are deviations from what all groups together show, so that the form has the elements
    raised_i [i = j] + (c - b_i - b_j).
    """
    bent = raised * pull
    constant = float(groups @ (raised * pull**2))
    whole = float(groups @ variance)
    first, second = float(groups @ (variance * bent)), float(groups @ (variance * bent**2))
    trace = float(groups @ (variance * (raised - 2 * bent + constant)))
    squared = (
        (whole * constant) ** 2 + 2 * whole * second - 4 * constant * whole * first + 2 * first**2
    )
    own = raised**2 + 2 * raised * (constant - 2 * bent)
    squared += float(groups @ (variance**2 * own))
    return trace**2 / squared if squared > 0 else 1.0  # a single unit does not vary


def _of_tails(shift: NDArray[Any], groups: NDArray[Any]) -> float:
    """Degrees of freedom of a sum of squares by its fourth moment: about twice the groups
    that make it up, where those are few.
    """
    return freedom_by_tails(float(groups @ shift**2), float(groups @ shift**4), float(groups.sum()))


def freedom_by_tails(squares: float, fourth: float, units: float) -> float:
    """The same from the sums of squares and of fourth powers of so many units.

    Examples
    --------
    >>> freedom_by_tails(10.0, 100.0, 1000.0)  # one unit makes up the sum
    2.002
    """
    spread = fourth - squares**2 / units
    return 2 * squares**2 / spread if spread > 1e-12 * fourth else inf


def placements(
    is_positive: NDArray[np.bool_], scores: NDArray[Any], weight: NDArray[Any] | None = None
) -> NDArray[np.float64]:
    """Of each positive the share of negatives below it, of each negative that of positives above.

    Ties count half. One sort of the rows.

    Examples
    --------
    >>> placements(np.array([True, True, False, False]), np.array([2.0, 3.0, 1.0, 2.0]))
    array([0.75, 1.  , 1.  , 0.75])
    """
    truth, values = np.asarray(is_positive, bool), np.asarray(scores, float)
    if np.isnan(values).any():  # infinite ones are above and below all others
        raise InputError("a score is NaN")
    order = np.argsort(values)
    ordered, is_one = values[order], truth[order]
    if weight is None:
        ones = np.cumsum(is_one, dtype=np.float64)
        zeros = np.arange(1.0, len(values) + 1) - ones
    else:
        weighed = np.asarray(weight, float)[order]
        ones = np.cumsum(np.where(is_one, weighed, 0.0))
        zeros = np.cumsum(np.where(is_one, 0.0, weighed))
    all_ones, all_zeros = float(ones[-1]), float(zeros[-1])
    is_new = ordered[1:] != ordered[:-1]
    if is_new.all():
        # no ties: of the other class nothing lies at a row's own place
        below = np.where(is_one, zeros / all_zeros, 1 - ones / all_ones)
    else:
        ends = np.flatnonzero(np.append(is_new, True))
        lengths = np.diff(ends, prepend=-1)
        middle = [_middles(sums[ends], lengths) for sums in (zeros, ones)]
        below = np.where(is_one, middle[0] / all_zeros, 1 - middle[1] / all_ones)
    placed = np.empty(len(values))
    placed[order] = below
    return placed


def _middles(sums: NDArray[np.float64], lengths: NDArray[Any]) -> NDArray[np.float64]:
    """For each row of a tie the mean of what lies before the tie and what lies up to its end."""
    before = np.concatenate([[0.0], sums[:-1]])
    return np.repeat((before + sums) / 2, lengths)
