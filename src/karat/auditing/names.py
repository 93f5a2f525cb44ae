"""Names of rows, groups and classes as texts that agree between tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["name_of", "names_of"]


def name_of(value: Any) -> str:
    """The text of a name; 7.0 is 7, as a column with missing values has it.

    Examples
    --------
    >>> name_of(7.0), name_of(7), name_of("7")
    ('7', '7', '7')
    """
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def names_of(values: NDArray[Any]) -> NDArray[Any]:
    """The texts of many names."""
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values % 1 == 0).all():
        return values.astype(np.int64).astype(str)
    if values.dtype.kind in "fO":
        return np.array([name_of(value) for value in values.tolist()])
    return values.astype(str)
