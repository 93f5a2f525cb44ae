"""Models of one table that have different columns: each is read by those that it has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.predictions.columns import coded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.predictions.part import Part
    from heldout.predictions.roles import Roles
    from heldout.predictions.sheet import Sheet
    from heldout.predictions.table import Predictions

__all__ = ["apart", "has_decisions", "in_order", "stated_positive", "with_own_roles"]

POSITIVE = "positive_class"
#: before each class, in the order that the classes have
COUNT = "train_n_"
#: before each class, where a model has no probabilities
DECISION = "score_"
#: a table with all of these was written by heldout, whose column of groups is one
OWN = ("procedure", "seed", "fit_seconds", "predict_seconds")


def apart(sheet: Sheet) -> list[Sheet]:
    """The table, or a table for each kind of models, without the columns they have nothing in.

    A probability column is empty for a model that has decision values only. Where the reader
    names the scores, these are meant for every model.
    """
    roles, part = sheet.roles, sheet.part
    if roles.model is None or roles.has_scores or part.dialect == "arrays":
        return [sheet]
    empty = {
        name: is_missing
        for name in part.table.columns
        if name not in sheet.taken and (is_missing := _missing(part, name)) is not None
    }
    if not empty:
        return [sheet]
    models = coded(part, roles.model, "model")
    sizes = np.bincount(models.codes, minlength=len(models.levels))
    lacks: list[set[str]] = [set() for _ in models.levels]
    for name, is_missing in empty.items():
        missing = np.bincount(models.codes[is_missing], minlength=len(models.levels))
        for index in np.flatnonzero((missing == sizes) & (sizes > 0)).tolist():
            lacks[index].add(name)
    kinds = list(dict.fromkeys(frozenset(one) for one in lacks))
    if len(kinds) == 1:
        return [sheet]
    return [
        _with_rows(sheet, kind, np.array([frozenset(one) == kind for one in lacks])[models.codes])
        for kind in kinds
    ]


def _missing(part: Part, name: str) -> NDArray[np.bool_] | None:
    """Where a column of numbers is empty; None where it is full, or holds anything else."""
    column = part.column(name)
    if column.kind not in ("integer", "float"):
        return None
    found = np.isnan(column.values) if column.kind == "float" else np.zeros(len(part), dtype=bool)
    if column.missing is not None:
        found |= column.missing
    return found if found.any() else None


def _with_rows(sheet: Sheet, lacking: frozenset[str], chosen: NDArray[np.bool_]) -> Sheet:
    rows = np.flatnonzero(chosen)
    columns = {k: v for k, v in sheet.part.table.columns.items() if k not in lacking}
    part = replace(sheet.part.take(rows), table=replace(sheet.part.table, columns=columns))
    weight = None if sheet.weight is None else sheet.weight[rows]
    tested = None if sheet.tested is None else sheet.tested[rows]
    return replace(sheet, part=part, weight=weight, tested=tested, notes=list(sheet.notes))


def in_order(sheet: Sheet, made: tuple[Predictions, ...]) -> tuple[Predictions, ...]:
    """The models of a table that was taken apart, in the order they have in the whole of it."""
    assert sheet.roles.model is not None
    levels = [str(level) for level in coded(sheet.part, sheet.roles.model, "model").levels]
    return tuple(sorted(made, key=lambda one: levels.index(one.model)))


def has_decisions(part: Part, names: Sequence[str]) -> bool:
    """Whether heldout itself wrote columns of scores, and as decision values."""
    is_own = part.dialect != "arrays" and all(name in part.table.columns for name in OWN)
    return is_own and all(name.startswith(DECISION) for name in names)


def stated_positive(part: Part, taken: set[str]) -> object:
    """What the column ``positive_class``, which heldout writes, says of all rows; None: nothing."""
    if POSITIVE not in part.table.columns or POSITIVE in taken or part.dialect == "arrays":
        return None
    column = part.column(POSITIVE)
    if column.missing is not None and column.missing.any():
        return None
    levels = coded(part, POSITIVE, "fold").levels
    return levels[0] if len(levels) == 1 else None


def with_own_roles(part: Part, roles: Roles, notes: list[str]) -> Roles:
    """The roles with groups, training means and classes, where heldout itself wrote the table.

    In any other table neither is guessed: a wrong guess of groups would change every interval.
    """
    columns = part.table.columns
    if not all(name in columns for name in OWN):
        return roles
    order = tuple(name.removeprefix(COUNT) for name in columns if name.startswith(COUNT))
    if len(order) > 1 and roles.labels is None and roles.task != "regression":
        roles = replace(roles, labels=order)
    if "train_mean" in columns and roles.task is None:
        # whole numbers alone could be classes
        roles = replace(roles, task="regression")
    for role in ("group", "train_mean"):
        if getattr(roles, role) is None and role in columns:
            named: Any = {role: role}
            roles = replace(roles, **named)
            notes.append(f"{role.replace('_', ' ')}: column {role!r} (guessed by its name)")
    return roles
