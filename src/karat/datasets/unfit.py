"""Which rows of a column have no value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.predictions.raw import RawColumn

__all__ = ["is_empty", "missing_of"]


def missing_of(column: RawColumn) -> NDArray[np.bool_] | None:
    """Which rows have no value (a NaN is none); None where all have one."""
    missing = column.missing
    if column.kind == "float":
        nan = np.isnan(column.values)
        missing = nan if missing is None else missing | nan
    return missing if missing is not None and missing.any() else None


def is_empty(column: RawColumn) -> bool:
    """Whether no row has a value."""
    missing = missing_of(column)
    return missing is not None and bool(missing.all())
