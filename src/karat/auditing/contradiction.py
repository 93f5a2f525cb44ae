"""Rows that are equal in every feature and differ in the target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.auditing.names import names_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["contradicted"]


def contradicted(
    known: NDArray[np.uint64],
    known_labels: NDArray[Any],
    asked: NDArray[np.uint64],
    asked_labels: NDArray[Any],
) -> int:
    """How many of the rows asked about have an equal known row with another target.

    Rows are given by their hashes. Each asked row must have an equal known one.

    Examples
    --------
    >>> hashes = np.array([1, 1, 2], np.uint64)
    >>> labels = np.array(["a", "b", "a"])
    >>> contradicted(hashes, labels, hashes, labels)
    2
    """
    kinds, place = np.unique(asked, return_inverse=True)
    at = np.minimum(np.searchsorted(kinds, known), len(kinds) - 1)
    shared = kinds[at] == known
    both = [known_labels[shared], asked_labels]
    if any(labels.dtype.kind not in "iuf" for labels in both):
        both = [names_of(labels) for labels in both]
    codes = np.unique(np.concatenate(both), return_inverse=True)[1]
    # every kind has one target if its smallest and its largest are the same
    least, most = np.full(len(kinds), len(codes)), np.full(len(kinds), -1)
    where = np.concatenate([at[shared], place])
    np.minimum.at(least, where, codes)
    np.maximum.at(most, where, codes)
    return int((least != most)[place].sum())
