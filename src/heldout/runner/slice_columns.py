"""The columns that part rows into slices, as a table of predictions has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.predictions.roles import ROLES
from heldout.predictions.scores import NUMBERED, PREFIXES
from heldout.tables.checks import MISSING
from heldout.tables.roles import usual

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from heldout.predictions.table import Column

__all__ = ["slice_names", "slice_values"]

#: what stands before a name that means something else in a table of predictions
BEFORE = "by_"
#: names, and how names start, that mean something when the table is read
TAKEN = {name for role in ROLES.values() for name in role.guesses}
STARTS = (*PREFIXES, "train_n_")


def slice_names(
    names: Iterable[str], reserved: Iterable[str], classes: Sequence[Any] = ()
) -> dict[str, str]:
    """What each column of slices is called in the table: as it is, unless that is taken.

    Examples
    --------
    >>> slice_names(["sex", "group", "p_old"], ["group", "seed"])
    {'sex': 'sex', 'group': 'by_group', 'p_old': 'by_p_old'}
    """
    # files of tables do not tell names apart by case
    used = {name.casefold() for name in (*reserved, *map(str, classes))}
    made: dict[str, str] = {}
    for name in names:
        called = name
        while called.casefold() in used or _means_something(called):
            called = BEFORE + called
        used.add(called.casefold())
        made[name] = called
    return made


def _means_something(name: str) -> bool:
    return (
        usual(name) in ("", *TAKEN)
        or name.casefold().startswith(STARTS)
        or NUMBERED.fullmatch(name) is not None
    )


def slice_values(column: Column) -> NDArray[Any]:
    """The values of all rows, of one kind; rows without one are missing among numbers."""
    levels = [None if level == MISSING else level for level in column.levels]
    kinds = {type(level) for level in levels}
    if None in levels and kinds <= {int, float, type(None)}:
        floats = [np.nan if level is None else float(level) for level in levels]
        return np.array(floats)[column.codes]
    made = np.empty(len(levels), dtype=object)
    made[:] = column.levels if None not in levels else [str(level) for level in column.levels]
    return made[column.codes]
