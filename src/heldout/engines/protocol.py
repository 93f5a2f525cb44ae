"""What is asked of predictions: the tally of some kind, of each part of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

#: a loss of rows with the parameters it takes: its tally is ``Moments``
Loss = tuple["Callable[..., Any]", dict[str, Any]]
#: a type of ``heldout.tally``, or a loss
TallyKind = type | Loss

#: what rows are grouped by: ``slice:NAME`` is the column of slices of that name
By = Literal["model", "repeat", "fold", "class", "group"] | str
SLICE = "slice:"


def slice_by(column: str) -> str:
    """How rows are grouped by a column of slices.

    Examples
    --------
    >>> slice_by("country")
    'slice:country'
    """
    return f"{SLICE}{column}"


class NotScanned(Exception):
    """Why files cannot be scanned, and have to be read into memory."""
