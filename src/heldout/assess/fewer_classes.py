"""Averages over classes whose parts lack some: of how many classes each part's value is."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.assess.results import Result

__all__ = ["fewer_classes", "is_of_unlike_classes", "of_unlike_classes"]

#: what single values say of classes without rows
LEFT_OUT = re.compile(r"\b([\d,]+) of ([\d,]+) classes left out")
MEAN_OF = re.compile(r"\bmean of ([\d,]+) of ([\d,]+) classes\b")
UNLIKE = "the folds' values are of different classes"
OF_ALL = "the pooled value is of all"


def fewer_classes(results: Sequence[Result], parts: str) -> str:
    """In how many parts how many classes are left out, as a clause; empty where none is.

    Examples
    --------
    >>> from heldout.assess.results import Result
    >>> notes = ("", "1 of 4 classes left out: no row is of it", "mean of 2 of 4 classes")
    >>> fewer_classes([Result("f_score_macro", 0.5, 9, note) for note in notes], "folds")
    'in 2 of 3 folds 1 to 2 of 4 classes left out, which have no row there'
    """
    known = [_left_out(r.note) for r in results]
    lost = sorted(count for count, _ in known if count)
    if not lost:
        return ""
    classes = max(of for _, of in known)
    most = f"{lost[0]:,}" if lost[0] == lost[-1] else f"{lost[0]:,} to {lost[-1]:,}"
    where = f"in {len(lost):,} of {len(results):,} {parts}"
    return f"{where} {most} of {classes:,} classes left out, which have no row there"


def is_of_unlike_classes(results: Sequence[Result], lacking: int) -> bool:
    """Whether parts are averages over different classes; ``lacking``: those without any row.

    A class that has rows and is left out of a part is not left out of all.
    """
    lost = {_left_out(r.note)[0] for r in results}
    return len(lost) > 1 or max(lost, default=0) > lacking


def of_unlike_classes(mean: Result, folds: Sequence[Result]) -> Result:
    """The mean of such folds: a number of no classes in particular, without an interval."""
    fewer = fewer_classes(folds, "folds")
    before = mean.note.replace(f"; {fewer}", "")
    return replace(mean, note=f"{before}; no interval: {UNLIKE}, {fewer}: {OF_ALL}")


def _left_out(note: str) -> tuple[int, int]:
    """How many of how many classes a value leaves out."""
    if found := LEFT_OUT.search(note):
        lost, classes = (_number(text) for text in found.groups())
        return lost, classes
    if found := MEAN_OF.search(note):
        kept, classes = (_number(text) for text in found.groups())
        return classes - kept, classes
    return 0, 0


def _number(text: str) -> int:
    return int(text.replace(",", ""))
