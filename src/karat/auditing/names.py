"""Names of rows, groups and classes as texts that agree between tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["name_of", "names_of"]

#: a number with decimals, which may be written with more zeros elsewhere
DECIMAL = re.compile(r"-?[0-9]+\.[0-9]+")


def name_of(value: Any) -> str:
    """The text of a name; 7.0 is 7, as a column with missing values has it, or with other names.

    Examples
    --------
    >>> name_of(7.0), name_of(7), name_of("7.0"), name_of("07")
    ('7', '7', '7', '07')
    """
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    text = str(value)
    return text.rstrip("0").rstrip(".") if DECIMAL.fullmatch(text) else text


def names_of(values: NDArray[Any]) -> NDArray[Any]:
    """The texts of many names."""
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values % 1 == 0).all():
        return values.astype(np.int64).astype(str)
    if values.dtype.kind in "fO":
        return np.array([name_of(value) for value in values.tolist()])
    return values.astype(str)
