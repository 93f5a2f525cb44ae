"""The table of a search: a row a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.evaluation.frame import Frame
from karat.selection.choice import standard_errors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat.selection.selection import Selection

__all__ = ["parameter_names", "ranks", "selection_table"]

ABSENT = ""


def parameter_names(selection: Selection) -> list[str]:
    """The parameters of the grid, in the order in which they were given."""
    return list(dict.fromkeys(name for one in selection.search.settings for name in one.parameters))


def ranks(goodness: NDArray[np.float64]) -> NDArray[np.int64]:
    """1 for the best; equal ones share the best rank of theirs; undefined ones come last.

    Examples
    --------
    >>> ranks(np.array([0.5, 0.75, np.nan, 0.75])).tolist()
    [3, 1, 4, 1]
    """
    known = np.where(np.isnan(goodness), -np.inf, goodness)
    _, codes, counts = np.unique(-known, return_inverse=True, return_counts=True)
    before = np.concatenate([[0], np.cumsum(counts)[:-1]])
    return np.asarray(before[codes] + 1, np.int64)


def selection_table(selection: Selection) -> Frame:
    """Values of all settings, in the order in which they were tried.

    ``value`` is what the choice looks at; ``mean``, ``deviation`` and ``standard_error`` are
    over splits; ``same_as_best`` says which settings cannot be told from the best.
    """
    search = selection.search
    table = search.table
    same, p_values, _ = selection.same
    columns: dict[str, Any] = {
        "setting": [one.name for one in search.settings],
        "model": [one.base for one in search.settings],
    }
    for name in parameter_names(selection):
        key = name if name not in columns else f"parameter_{name}"
        columns[key] = [one.parameters.get(name, ABSENT) for one in search.settings]
    with np.errstate(invalid="ignore"):
        deviation = table.std(axis=1, ddof=1) if table.shape[1] > 1 else np.full(len(table), np.nan)
        columns |= {
            "measure": [search.criterion.name] * len(table),
            "value": search.values,
            "mean": table.mean(axis=1),
            "deviation": deviation,
            "standard_error": standard_errors(table),
        }
    if selection.training is not None:
        columns["training_optimistic"] = selection.training
    columns |= {
        "rank": ranks(search.criterion.goodness(search.values)),
        "chosen": np.arange(len(table)) == selection.choice.place,
        "same_as_best": same,
        "p_value": p_values,
        "splits": [len(one.outcome.splits) for one in search.scores],
        "path": [one.outcome.path if len(one.outcome.splits) else "" for one in search.scores],
        "note": [_note(selection, place) for place in range(len(table))],
    }
    return Frame(columns)


def _note(selection: Selection, place: int) -> str:
    dropped = selection.search.dropped.get(place)
    return str(dropped) if dropped is not None else selection.search.scores[place].note
