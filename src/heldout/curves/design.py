"""What of some rows is independent: single rows, whole groups, or rows with all their repeats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.codes import count_codes
from heldout.core.dialect import worded
from heldout.predictions.split_design import SplitDesign
from heldout.uncertainty.worth import effective_sample_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.table import Predictions

NO_IDENTIFIER = "rows occur once a repeat, and nothing says which are the same ({id})"
RANKED = "scores of different folds' models are ranked together"
GROUPS, REPEATED = "groups", "rows with all their repeats"


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """What is drawn whole, or counts once.

    Parameters
    ----------
    codes
        The unit of each row; None: each row is one.
    words
        What the units are called.
    repeats
        How often a row may occur, where nothing says which rows are the same.
    reason
        Why nothing can be drawn from these rows; else empty.
    is_hopeless
        Whether no interval of any kind is valid.
    """

    codes: NDArray[Any] | None = None
    words: str = "rows"
    repeats: int = 1
    reason: str = ""
    is_hopeless: bool = False

    @property
    def groups(self) -> int:
        """How many units are drawn whole; 0 where single rows are."""
        return 0 if self.codes is None else count_codes(self.codes)

    @property
    def are_groups(self) -> bool:
        """Whether units hold different rows, not one row several times."""
        return self.words == GROUPS

    def count(self, kept: NDArray[np.bool_]) -> float:
        """How many units have one of the rows."""
        if self.codes is None:
            return float(np.count_nonzero(kept)) / self.repeats
        return float(count_codes(self.codes[kept]))


def units_of(predictions: Predictions) -> Units:
    """The units that the design of some rows speaks of.

    Groups are units; so is a row that is judged several times, if its identifier is known.

    Examples
    --------
    >>> import heldout
    >>> rows = heldout.from_arrays([1, 0, 1, 0], y_score=[0.9, 0.1, 0.8, 0.2], repeats=[1, 1, 2, 2])
    >>> units_of(rows).repeats
    2
    """
    design, known = predictions.design, SplitDesign(predictions)
    if lack := known.plan.lack:
        return Units(reason=str(lack), is_hopeless=True)
    if design.group is not None:
        return Units(design.group.codes, GROUPS)
    ids = predictions.identifier
    if known.repeats > 1 and ids is None:
        return Units(repeats=known.repeats, reason=worded(NO_IDENTIFIER))
    if ids is not None and (known.repeats > 1 or design.fold is not None):
        present, codes = np.unique(ids, return_inverse=True)
        if len(present) < len(ids):
            return Units(codes, REPEATED)
    return Units()


@dataclass(frozen=True, slots=True, eq=False)
class UnitRows:
    """The rows behind score counts, where counts alone do not say what they are worth."""

    positive: NDArray[np.bool_]
    score: NDArray[np.float64]
    weight: NDArray[np.float64] | None
    units: Units


def ranks_folds(predictions: Predictions) -> bool:
    """Whether a ranking of all rows is one of scores that several folds' models gave."""
    return predictions.design.fold is not None and SplitDesign(predictions).folds > 1


@dataclass(frozen=True, slots=True)
class Worth:
    """How many rows some rows are worth: in general, and where all of them agree."""

    rows: float
    units: float

    def at(self, share: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of how many rows shares are: of groups that all agree, each says no more than a row."""
        return np.where((share > 0) & (share < 1), self.rows, self.units)


def worth(kept: NDArray[np.bool_], weight: NDArray[np.float64] | None, units: Units) -> Worth:
    """How many independent rows some rows (a mask) say as much as.

    A row that is judged several times is one row. Rows of a group are as many as they are:
    how much alike they are is what draws of whole groups show.

    Examples
    --------
    >>> repeated = Units(np.array([0, 1, 0, 1]), "rows with all their repeats")
    >>> worth(np.ones(4, bool), None, repeated)
    Worth(rows=2.0, units=2.0)
    """
    rows = float(np.count_nonzero(kept))
    if weight is not None:
        own = weight[kept]
        rows = effective_sample_size(float(own.sum()), float(np.square(own).sum()))
    known = units.count(kept)
    return Worth(rows if units.are_groups else min(rows, known), min(rows, known))
