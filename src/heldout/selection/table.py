"""The table of a search: a row a setting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.evaluation.tables import Frame
from heldout.learners.parameters import spelled
from heldout.selection.choice import standard_errors
from heldout.selection.scoring import as_good_as

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from heldout.selection.selection import Selection

__all__ = ["parameter_names", "ranks", "selection_table"]

ABSENT: Any = object()


def parameter_names(selection: Selection) -> list[str]:
    """The parameters of the grid, in the order in which they were given."""
    return list(dict.fromkeys(name for one in selection.search.settings for name in one.parameters))


def ranks(goodness: NDArray[np.float64]) -> list[int | None]:
    """1 for the best; equal ones share the best rank of theirs; undefined ones have none.

    Values that rounding alone tells from the best of them are equal.

    Examples
    --------
    >>> ranks(np.array([0.5, 0.75, np.nan, 0.75]))
    [3, 1, None, 1]
    """
    made: list[int | None] = [None] * len(goodness)
    known = np.flatnonzero(~np.isnan(goodness))
    order = known[np.argsort(-goodness[known], kind="stable")].tolist()
    first, rank = float("nan"), 0
    for count, place in enumerate(order, start=1):
        # of equal ones each is compared with the best of them, as the choice does it
        if not as_good_as(goodness[place], first):
            first, rank = float(goodness[place]), count
        made[place] = rank
    return made


def selection_table(selection: Selection) -> Frame:
    """Values of all settings, in the order in which they were tried.

    ``value`` is what the choice looks at; ``mean``, ``deviation`` and ``standard_error`` are
    over splits; ``same_as_best`` says which settings cannot be told from the best. Settings
    that a race dropped, that failed, or whose measure is undefined somewhere have no rank:
    ``status`` says which, and ``note`` why.
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
        columns[key] = _of_one_type([one.parameters.get(name, ABSENT) for one in search.settings])
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
        "status": [_status(selection, place) for place in range(len(table))],
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


def _status(selection: Selection, place: int) -> str:
    """Why a setting has no rank, in a word; empty where it has one."""
    score = selection.search.scores[place]
    if not np.isnan(score.value):
        return ""
    if place in selection.search.dropped:
        return "dropped"
    return "failed" if score.outcome.failures or not len(score.outcome.splits) else "undefined"


def _of_one_type(values: list[Any]) -> list[Any]:
    """Values that a column of a data frame can hold: all of one type, or all texts.

    A parameter that a model does not have is None, unless None is one of its values.
    """
    known = [one for one in values if one is not ABSENT]
    kinds = {type(one) for one in known if one is not None}
    is_plain = kinds == {int, float} or (len(kinds) == 1 and kinds <= {bool, int, float, str})
    has_absent = len(known) < len(values)
    if is_plain and not (has_absent and any(one is None for one in known)):
        return [None if one is ABSENT else one for one in values]
    return [
        "" if one is ABSENT else one if isinstance(one, str) else spelled(one) for one in values
    ]
