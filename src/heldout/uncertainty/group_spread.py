"""How far off a number may be where rows come in groups, few or of very unequal size."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.uncertainty.quantiles import two_sided_normal, two_sided_student

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GroupSpread", "group_spread"]

#: a group that holds all rows leaves nothing to compare it with
LEAST_REST = 1e-12
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class GroupSpread:
    """The standard error of a number by groups, and how well it is known.

    Parameters
    ----------
    of_groups, of_rows
        The standard error that the groups show, and the one that single rows would give
        (0: unknown).
    groups
        How many groups there are.
    freedom
        Degrees of freedom of what groups add to the spread of their rows: one less than
        groups where all are alike, fewer where some are much larger than others.
    most
        The standard error if rows of a group were all alike, where that is known, or the usual
        one of the groups, if larger: no spread is more than Student's t of that.
    """

    of_groups: float
    of_rows: float
    groups: int
    freedom: float
    most: float = inf

    @property
    def error(self) -> float:
        """The larger of both: groups that differ less by chance do not make rows worth more."""
        return max(self.of_groups, self.of_rows)

    def reach(self, level: float) -> float:
        """How far limits lie from the number: Student's t of the rows' part and of the rest."""
        usual = two_sided_student(level, self.groups - 1)
        if self.freedom == self.groups - 1:
            return usual * self.error
        added = sqrt(max(self.error**2 - self.of_rows**2, 0.0))
        reach = hypot(usual * self.of_rows, two_sided_student(level, self.freedom) * added)
        return min(reach, usual * max(self.most, self.of_rows))

    def effective_rows(self, variance: float, level: float) -> float:
        """How many independent rows of that variance would make limits as wide.

        So they are made fewer for the degrees of freedom, as Korn and Graubard (1998, Surv.
        Methodol. 24:193) do.
        """
        reach = self.reach(level)
        return variance * (two_sided_normal(level) / reach) ** 2 if reach > 0 else inf


def group_spread(
    shift: NDArray[Any],
    mass: NDArray[Any],
    groups: NDArray[Any],
    *,
    row_error: float = 0.0,
    rows: float = inf,
    has_tails: bool = False,
) -> GroupSpread:
    """The spread of a number that is, nearly, a sum over groups.

    Parameters
    ----------
    shift
        How much each kind of group moves the number: of a ratio of sums, its top less the
        ratio times its bottom, over the whole bottom. Over all groups they add up to 0.
    mass
        The weight of a group of each kind: its rows, where rows weigh the same.
    groups
        How many groups are of that kind.
    row_error, rows
        The standard error that single rows would give (0: unknown), and how many there are.
    has_tails
        Where a few groups make up most of the spread it is known as badly as if there were
        few groups: heed the fourth moment of the shifts.

    Notes
    -----
    Bell and McCaffrey (2002, Surv. Methodol. 28:169): squared shifts are made larger by what
    a large group pulls the number towards itself, and the degrees of freedom are
    Satterthwaite's. These depend on how alike rows of a group are, which is taken from the
    rows as Imbens and Kolesar do (2016, Rev. Econ. Stat. 98:701). Of groups of one size it
    all comes to the usual error and one degree of freedom less than groups.

    Examples
    --------
    >>> alike = group_spread(np.array([-0.1, 0.1]), np.array([5, 5]), np.array([4, 4]))
    >>> alike.of_groups, alike.freedom
    (0.3024, 7)
    >>> shift, mass = np.array([-0.1, 0.1]), np.array([5, 500])
    >>> round(group_spread(shift, mass, np.array([4, 4])).freedom, 1)
    3.1
    """
    shift, mass, groups = (np.asarray(part, float) for part in (shift, mass, groups))
    count, total = round(float(groups.sum())), float(groups @ mass)
    pull = mass / total
    raised = 1 / np.maximum(1 - pull, LEAST_REST)
    largest = float(np.abs(shift).max())
    if not 0 < largest < inf:
        return GroupSpread(largest, row_error, count, count - 1)
    squares = float(groups @ (raised * (shift / largest) ** 2))
    of_groups = sqrt(squares) * largest
    # variances of the shifts: those of independent rows, and what rows of a group share
    more = max((of_groups / row_error) ** 2 - 1, 0.0) if row_error > 0 else 0.0
    variance = pull * (1 + more * pull / float(groups @ pull**2))
    freedom = _satterthwaite(pull, raised, variance, groups)
    if has_tails:
        freedom = min(freedom, _of_tails(shift / largest, groups))
    # rounding leaves groups of one size just below one less than their number
    freedom = count - 1 if freedom > (1 - ROUNDING) * (count - 1) else max(freedom, 1.0)
    alike = row_error * sqrt(rows * float(groups @ pull**2)) if 0 < rows < inf else inf
    usual = sqrt(count / (count - 1) * float(groups @ (shift / largest) ** 2)) * largest
    return GroupSpread(of_groups, row_error, count, freedom, max(alike, usual))


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
    return trace**2 / (squared + float(groups @ (variance**2 * own)))


def _of_tails(shift: NDArray[Any], groups: NDArray[Any]) -> float:
    """Degrees of freedom of a sum of squares by its fourth moment: about twice the groups
    that make it up, where those are few.
    """
    squares, fourth = float(groups @ shift**2), float(groups @ shift**4)
    spread = fourth - squares**2 / float(groups.sum())
    return 2 * squares**2 / spread if spread > 1e-12 * fourth else inf
