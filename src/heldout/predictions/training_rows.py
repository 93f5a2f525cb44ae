"""Rows that a model was trained on, where a table says so: never judged together with others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.predictions.columns import coded
from heldout.predictions.part import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.predictions.part import Part

__all__ = ["without_training_rows"]

#: columns that tell, and what they say of training rows; ``heldout runs export`` writes both
TELLING = {"part": ("train", "training"), "procedure": ("training",)}

OPTIMISTIC = "every value is optimistic, and says nothing of new rows"


def without_training_rows(
    part: Part, taken: set[str], notes: list[str], model: str | None = None
) -> Part:
    """The rows without those that were trained on; where there are no others, a note says so.

    A column with a role of its own (``taken``) means what that role says. ``model`` is the
    column of models, of which those without other rows are named.
    """
    for name, words in TELLING.items():
        if name not in part.table.columns or name in taken or part.dialect == "arrays":
            continue
        is_trained = _says(part, name, words)
        if is_trained is None or not is_trained.any():
            continue
        count = int(np.count_nonzero(is_trained))
        if count == len(part):
            notes.append(f"{part.called(name)}: all rows are training rows; {OPTIMISTIC}")
            continue
        kept = part.take(np.flatnonzero(~is_trained))
        rows = plural(count, "training row")
        notes.append(f"{rows} left out ({part.called(name)}): values with them are optimistic")
        if model is not None and (gone := _levels(part, model) - _levels(kept, model)):
            notes.append(f"nothing but training rows, and left out: {', '.join(sorted(gone))}")
        part = kept
    return part


def _levels(part: Part, name: str) -> set[str]:
    found = coded(part, name, "model")
    return {str(found.levels[code]) for code in np.unique(found.codes).tolist()}


def _says(part: Part, name: str, words: tuple[str, ...]) -> NDArray[np.bool_] | None:
    """Where a column of texts says one of some words; None where it holds no texts."""
    column = part.column(name)
    if column.kind not in ("category", "text"):
        return None
    if column.missing is not None and column.missing.any():
        known = np.flatnonzero(~column.missing)
        found = np.zeros(len(part), dtype=bool)
        if len(known):
            within = _says(part.take(known), name, words)
            found[known] = False if within is None else within
        return found
    codes = coded(part, name, "fold")
    alike = np.array([str(level).strip().lower() in words for level in codes.levels], dtype=bool)
    return alike[codes.codes] if len(alike) else None
