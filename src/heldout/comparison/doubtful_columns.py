"""Columns of a wide table of results that may be no models: counts of rows, numbers of lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["doubt", "taken_as_models"]

#: values of one measure seldom differ by such a factor throughout
FACTOR = 10.0
NAMED = 12


def taken_as_models(names: Sequence[str]) -> str:
    """A note that names the columns which nobody said are models."""
    some = ", ".join(names[:NAMED])
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"columns taken as models: {some}{more} (--models A,B,C lists them otherwise)"


def doubt(names: Sequence[str], values: NDArray[Any]) -> str:
    """A warning on columns whose values lie on another scale than all others; empty: none.

    Examples
    --------
    >>> table = np.array([[0.8, 0.9, 150], [0.7, 0.6, 2000]])
    >>> print(doubt(["a", "b", "rows"], table))
    is 'rows' (150 to 2000) a model? other columns hold 0.6 to 0.9: if not, say --models a,b
    """
    counts = [place for place in range(len(names)) if _counts(values, place)]
    rest = [place for place in range(len(names)) if place not in counts]
    far = [place for place in rest if _is_far(values, place, [p for p in rest if p != place])]
    odd = sorted(counts + (far if len(far) < len(rest) else far[:1]))
    kept = [place for place in range(len(names)) if place not in odd]
    if not odd or not kept:
        return ""
    said = [f"{names[p]!r} ({_span(values[:, p])})" for p in odd[:NAMED]]
    asked = f"is {said[0]} a model" if len(odd) == 1 else f"are {', '.join(said)} models"
    listed = ",".join(names[p] for p in kept) if len(kept) > 1 else "A,B,C"
    return f"{asked}? other columns hold {_span(values[:, kept])}: if not, say --models {listed}"


def _counts(values: NDArray[Any], place: int) -> bool:
    """Whether a column counts something: whole numbers beside, and away from, fractions."""
    own = values[:, place]
    fractions = [column for column in values.T if not _is_whole(column)]
    if not fractions or not _is_whole(own) or own.max() <= 1:
        return False
    return _is_apart(own, np.column_stack(fractions))


def _is_far(values: NDArray[Any], place: int, others: Sequence[int]) -> bool:
    """Whether a column lies apart from all others, and by a factor that no measure has."""
    if not others:
        return False
    own, rest = values[:, place], values[:, list(others)]
    middle, usual = float(np.median(np.abs(own))), np.median(np.abs(rest), axis=0)
    far = (middle > FACTOR * usual) | (FACTOR * middle < usual)
    return bool(far.all()) and _is_apart(own, rest)


def _is_apart(own: NDArray[Any], others: NDArray[Any]) -> bool:
    """Whether the middle half of a column lies outside of the range of every other one."""
    low, high = np.quantile(own, [0.25, 0.75])
    return bool(np.all((low > others.max(axis=0)) | (high < others.min(axis=0))))


def _is_whole(column: NDArray[Any]) -> bool:
    return bool((column == np.rint(column)).all())


def _span(values: NDArray[Any]) -> str:
    return f"{values.min():.6g} to {values.max():.6g}"
