"""Splits that cut groups of rows: all splits err alike there, so groups tell the error."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from heldout.comparison.group_shifts import group_shifts, has_quick_shifts
from heldout.core.errors import InputError
from heldout.procedures.balance import parted_groups
from heldout.procedures.splits import PartitionSplits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.comparison.group_shifts import GroupShifts
    from heldout.datasets.dataset import Dataset
    from heldout.procedures.splits import Splits
    from heldout.selection.scoring import Scored
    from heldout.selection.search import Search

__all__ = ["CUT", "cuts_groups", "group_error", "group_p_values"]

#: values of splits (settings times splits) that are made anew for each group, at most
MOST = 500
#: what values are of, where settings know the groups that they are judged on
CUT = (
    "splits cut groups: settings are trained on rows of the groups that they are judged on, so "
    "values (and the choice) are for new rows of known groups, not for new groups; splits that "
    "keep groups whole judge those"
)


def cuts_groups(dataset: Dataset, splits: Splits) -> bool:
    """Whether a split trains on some rows of a group and tests on others."""
    if dataset.group is None:
        return False
    if isinstance(splits, PartitionSplits):
        return parted_groups(splits, dataset.group) > 0
    codes = np.asarray(dataset.group.codes)
    trained = np.zeros(len(dataset.group.levels), bool)
    for split in splits:
        trained[:] = False
        trained[codes[split.train]] = True
        if trained[codes[split.test]].any():
            return True
    return False


def group_error(search: Search, place: int) -> float:
    """The standard error of a setting's mean over splits by groups, each with all its rows.

    NaN where the measure does not tell what a group adds.
    """
    try:
        return float(_shifts(search, search.scores[place]).spread.error)
    except InputError:
        return float("nan")


def group_p_values(
    search: Search, places: Sequence[int], differences: NDArray[np.float64]
) -> tuple[NDArray[np.float64], str]:
    """p-values of differences from the best with the error of groups, or why there are none.

    ``differences`` has a line for each of the places, and a column a split.
    """
    best = search.scores[search.best]
    found = np.full(len(places), np.nan)
    assert best.tallies is not None
    name = search.criterion.name
    is_quick = search.criterion.of_means is not None
    is_quick = is_quick or has_quick_shifts(search.criterion.request, best.tallies)
    if not is_quick and len(places) * len(search.splits) > MOST:
        return found, (
            f"splits cut groups, and to heed that takes too long for {name} of so many settings"
        )
    try:
        first = _shifts(search, best)
    except InputError as unfit:
        return found, str(unfit)
    if first.groups < 2:
        return found, "all rows are in one group"
    from heldout.core.special import stdtr

    count = differences.shape[1]
    plain = differences.std(axis=1, ddof=1) * sqrt(1 / count + search.test_share)
    for number, place in enumerate(places):
        shifts = first.less(_shifts(search, search.scores[place]))
        error, freedom = shifts.added_to(float(plain[number]), count - 1)
        gap = abs(float(differences[number].mean()))
        found[number] = 2 * stdtr(freedom, -gap / error) if error > 0 else float(gap == 0)
    return found, ""


def _shifts(search: Search, score: Scored) -> GroupShifts:
    assert score.tallies is not None
    return group_shifts(search.criterion.request, score.tallies, of_mean=search.criterion.of_means)
