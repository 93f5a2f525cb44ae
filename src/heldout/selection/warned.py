"""Warnings of many settings told together: one line a warning, not one a setting."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NUMBER", "gathered_warnings"]

WARNED = re.compile(
    r"(?P<name>.+?): (?P<count>[\d,]+) of [\d,]+ folds warned: (?P<text>.+)", re.DOTALL
)
NUMBER = re.compile(r"\d[\d.,]*(?:e[-+]?\d+)?")


def gathered_warnings(notes: Iterable[str], settings: int) -> list[str]:
    """The notes, where those of several settings that warned of the same are one.

    Examples
    --------
    >>> gathered_warnings(
    ...     ["svm[C=1]: 2 of 5 folds warned: no end", "svm[C=2]: 5 of 5 folds warned: no end"], 9
    ... )
    ['2 of 9 settings warned, in 7 fits: no end (svm[C=1], svm[C=2])']
    """
    found: dict[str, tuple[str, list[str], list[int], str]] = {}
    for note in notes:
        match = WARNED.fullmatch(note)
        if match is None:
            found[note] = ("", [], [], note)
            continue
        key = f"warned: {NUMBER.sub('#', match['text'])}"
        _, names, counts, _ = found.setdefault(key, (match["text"], [], [], note))
        names.append(match["name"])
        counts.append(int(match["count"].replace(",", "")))
    return [_line(*one, settings) for one in found.values()]


def _line(text: str, names: list[str], counts: list[int], note: str, settings: int) -> str:
    different = list(dict.fromkeys(names))
    if len(different) < 2:
        return note
    shown = ", ".join(different) if len(different) < 4 else f"{different[0]} and others"
    return (
        f"{len(different):,} of {settings:,} settings warned, in {sum(counts):,} fits: {text} "
        f"({shown})"
    )
