"""How many groups of one size say as much as groups of unequal size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FEW_GROUPS", "GroupSizes"]

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
        'only 4 groups: how much groups differ is hardly known'
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
        return f"{known}: how much groups differ is hardly known"
