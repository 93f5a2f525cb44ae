"""How much rows and groups are worth: those of equal weight or size that would say as much."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: below this many groups the spread between groups is hardly known, whatever the method
FEW_GROUPS = 10
#: groups that are worth fewer than this share of their number are said to be of unequal size
UNEQUAL = 0.95


@dataclass(frozen=True, slots=True)
class GroupSizes:
    """The number of groups, what they are worth, and the share of the largest one.

    Parameters
    ----------
    count
        How many groups there are.
    worth
        How many groups of one size would make a mean over all rows as certain, where rows of
        a group are alike: Kish's number, of the sizes of groups.
    largest
        The share of the largest group of all rows (or of their weight).
    """

    count: int
    worth: float
    largest: float

    @classmethod
    def equal(cls, count: int) -> GroupSizes:
        """Groups of one size, or whose sizes are not known."""
        return cls(count, float(count), 1 / max(count, 1))

    @classmethod
    def of(cls, mass: NDArray[Any], groups: NDArray[Any] | None = None) -> GroupSizes:
        """Groups by their rows or weights; ``groups``: how many are of each such size.

        Examples
        --------
        >>> GroupSizes.of(np.array([80, 10, 10]))
        GroupSizes(count=3, worth=1.5152, largest=0.8)
        >>> GroupSizes.of(np.array([5]), np.array([20])).worth
        20.0
        """
        often = np.ones(len(mass)) if groups is None else np.asarray(groups, float)
        count, largest = round(float(often.sum())), float(np.max(mass, initial=0.0))
        if not largest > 0:
            return cls.equal(count)
        share = np.asarray(mass, float) / largest  # squares of far weights stay numbers
        total = float(often @ share)
        worth = total**2 / float(often @ share**2)
        # equal sizes come to their number but for rounding
        worth = float(count) if worth > (1 - 1e-9) * count else worth
        return cls(count, worth, 1 / total)

    @property
    def is_unequal(self) -> bool:
        """Whether sizes differ so much that the groups are worth fewer."""
        return self.worth < UNEQUAL * self.count

    @property
    def remark(self) -> str:
        """What to know where groups are few, or worth few; empty where they are not.

        Examples
        --------
        >>> GroupSizes.equal(4).remark
        'only 4 groups: the variation between groups is poorly estimated'
        >>> GroupSizes.of(np.array([80] + [1] * 20)).remark.split(":")[0]
        '21 groups are worth 1.56, as the largest makes up 80 %'
        """
        is_few = self.count < FEW_GROUPS
        if not is_few and not (self.worth < FEW_GROUPS and self.is_unequal):
            return ""
        known = f"only {self.count} groups"
        if not is_few or self.worth < self.count / 2:
            known = f"{known if is_few else f'{self.count:,} groups are'} worth {self.worth:.3g}"
            known += f", as the largest makes up {100 * self.largest:.0f} %"
        return f"{known}: the variation between groups is poorly estimated"


#: rows stand alone
NO_GROUPS = GroupSizes(0, 0.0, 0.0)
#: effective rows that a whole lends each of its parts, to know how much rows weigh there
LENT = 5.0


def effective_sample_size(weight_sum: float, weight_squares: float) -> float:
    """How many rows of equal weight say as much as these: (sum of w)^2 / sum of w^2.

    Kish (1965), Survey Sampling. Equal weights give the number of rows, whatever their
    scale; it is never more than that.

    Examples
    --------
    >>> effective_sample_size(2 + 2 + 2, 4 + 4 + 4)
    3.0
    """
    return weight_sum**2 / weight_squares if weight_squares else 0.0


def row_worth(weight: Any, squares: Any, typical: Any) -> NDArray[Any]:
    """What an effective row of a part weighs: the sum of squared weights over that of weights.

    A part with few rows hardly shows how unequal its weights are: five effective rows of the
    whole are lent to it. A part whose rows are seen to weigh more keeps that.

    Parameters
    ----------
    weight, squares
        The sums of the weights of each part, and of their squares.
    typical
        What an effective row of the whole weighs.

    Examples
    --------
    >>> row_worth([9.0, 0.0, 3.0], [27.0, 0.0, 5.0], [3.0, 3.0, 2.0]).round(2)
    array([3.  , 3.  , 1.92])
    """
    weight, squares, typical = (np.asarray(part, float) for part in (weight, squares, typical))
    shared = (squares + LENT * typical**2) / (weight + LENT * typical)
    own = np.divide(squares, weight, where=weight > 0, out=np.zeros_like(shared))
    worth: NDArray[Any] = np.maximum(shared, own)
    return worth


def effective_rows_of_share(
    weight: float, squares: float, hits: float, squared_hits: float
) -> float:
    """The effective rows of a share: by its own variance, which weights may have a part in.

    Rows that are wrong may weigh more than those that are right, or what is wrong lies in the
    class that weighs more; Kish's number takes weights for unrelated to that. Where they are,
    or where the share is 0 or 1, it comes to Kish's.

    Parameters
    ----------
    weight, squares
        The sums of the weights of all rows, and of their squares.
    hits, squared_hits
        The same of the rows that the share counts.

    Examples
    --------
    >>> effective_rows_of_share(20.0, 40.0, 5.0, 10.0), effective_rows_of_share(9.0, 9.0, 9.0, 9.0)
    (10.0, 9.0)
    """
    if not squares > 0 < weight:
        return 0.0
    typical, rest = squares / weight, (max(weight - hits, 0.0), max(squares - squared_hits, 0.0))
    of_hits, of_rest = row_worth([hits, rest[0]], [squared_hits, rest[1]], [typical] * 2).tolist()
    return float(weight / (of_hits * rest[0] / weight + of_rest * hits / weight))
