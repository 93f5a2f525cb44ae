"""What a model was fitted for: to be evaluated, or as a setting of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["PURPOSES", "Purpose", "first_of", "goes_before"]

#: asked for by itself; a setting that a search compares; what a search does besides that, in
#: inner folds, in races and for its curves
Purpose = Literal["evaluate", "select", "inner"]

#: what serves several of them is of the first
PURPOSES: tuple[str, ...] = get_args(Purpose)


def goes_before(one: str, other: str) -> bool:
    """Whether what serves both purposes is of the first of them.

    Examples
    --------
    >>> goes_before("evaluate", "select"), goes_before("inner", "select")
    (True, False)
    """
    return _rank(one) < _rank(other)


def first_of(purposes: Iterable[str]) -> str:
    """The purpose of what serves all of these.

    Examples
    --------
    >>> first_of(["inner", "select"])
    'select'
    """
    return min(purposes, key=_rank, default=PURPOSES[0])


def _rank(purpose: str) -> int:
    # a word that a damaged file has is nobody's search
    return PURPOSES.index(purpose) if purpose in PURPOSES else 0
