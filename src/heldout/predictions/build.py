"""From tables as read and their roles to checked predictions, one a model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.predictions.checks import numbers, unique, within_numbers
from heldout.predictions.classify import classified
from heldout.predictions.columns import coded
from heldout.predictions.own_columns import apart, in_order
from heldout.predictions.same_rows import on_same_rows
from heldout.predictions.sheet import prepared, task_of
from heldout.predictions.table import Predictions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.predictions.part import Dialect, Part
    from heldout.predictions.raw import RawTable
    from heldout.predictions.roles import Roles
    from heldout.predictions.sheet import Sheet

__all__ = ["build", "build_sheets"]


def build(
    tables: Sequence[RawTable],
    roles: Roles,
    *,
    models: Sequence[str] | None = None,
    dialect: Dialect = "flags",
) -> tuple[Predictions, ...]:
    """The predictions of every model in the tables, over one set of classes.

    A table has a model column, or is one model, named in ``models``.
    """
    names = [""] * len(tables) if models is None else models
    sheets = [
        prepared(table, roles, dialect=dialect, model=name)
        for table, name in zip(tables, names, strict=True)
    ]
    kinds = [kind for sheet in sheets for kind in apart(sheet)]
    made = build_sheets(kinds)
    return made if len(kinds) == len(sheets) else in_order(sheets[0], made)


def build_sheets(sheets: Sequence[Sheet]) -> tuple[Predictions, ...]:
    """The predictions of every model in tables whose roles are known."""
    asked = sheets[0].roles.task
    if asked not in (None, "classification", "regression"):
        raise InputError(
            f"{sheets[0].part.flag('task', asked)}: the task is classification or regression"
        )
    tasks = [task_of(sheet) if asked is None else asked for sheet in sheets]
    if len(set(tasks)) > 1:
        one, other = tasks.index("classification"), tasks.index("regression")
        raise InputError(
            f"{sheets[one].part.table.source} looks like classification and "
            f"{sheets[other].part.table.source} like regression; say {sheets[0].part.flag('task')}"
        )
    if tasks[0] == "regression":
        made = [pair for sheet in sheets for pair in _split(sheet, _regression(sheet))]
    else:
        made = [
            (part, finish(part, predictions))
            for sheet, whole, finish in classified(sheets)
            for part, predictions in _split(sheet, whole)
        ]
    return on_same_rows(
        [predictions for _, predictions in made],
        [part.place for part, _ in made],
        flag=sheets[0].part.flag("id"),
    )


def _split(sheet: Sheet, whole: Predictions) -> Iterator[tuple[Part, Predictions]]:
    """The rows of each model, in the order of their names; each id comes once."""
    for part, predictions in _by_model(sheet, whole):
        if predictions.identifier is not None and sheet.roles.id is not None:
            unique(part, sheet.roles.id, predictions.identifier, predictions.design.repeat)
        yield part, predictions


def _by_model(sheet: Sheet, whole: Predictions) -> Iterator[tuple[Part, Predictions]]:
    if sheet.roles.model is None:
        yield sheet.part, whole
        return
    column = coded(sheet.part, sheet.roles.model, "model")
    order = np.argsort(column.codes, kind="stable")
    ends = np.cumsum(np.bincount(column.codes, minlength=len(column.levels)))
    start = 0
    for level, end in zip(column.levels, ends.tolist(), strict=True):
        if end - start == len(whole):
            yield sheet.part, replace(whole, model=str(level))
        elif end > start:
            rows = order[start:end]
            yield sheet.part.take(rows), replace(whole.take(rows), model=str(level))
        start = end


def _regression(sheet: Sheet) -> Predictions:
    """The predictions of numeric targets."""
    part, roles = sheet.part, sheet.roles
    for role in ("score", "score_prefix", "scores", "threshold", "positive", "labels", "prior"):
        if getattr(roles, role) is not None:
            raise InputError(
                f"{part.flag(role)} is for classification, and the task is regression; "
                f"leave it out or say {part.flag('task', 'classification')}"
            )
    if roles.predicted is None:
        raise InputError(
            f"{part.table.source}: no column of predictions to compare with "
            f"{part.called(sheet.truth)}; say {part.flag('predicted')}"
        )
    return Predictions(
        task="regression",
        truth=_target(part, sheet.truth, "truth"),
        predicted=_target(part, roles.predicted, "prediction"),
        naive=None if roles.naive is None else _target(part, roles.naive, "naive forecast"),
        train_mean=_train_mean(part, roles.train_mean),
        notes=tuple(sheet.notes),
        **sheet.shared(),
    )


def _target(part: Part, name: str, role: str) -> NDArray[np.float64]:
    values = numbers(part, name, role)
    within_numbers(part, name, values, role)
    return values


def _train_mean(part: Part, given: str | float | None) -> NDArray[Any] | None:
    """A column of means, or one number for all rows (which takes no memory)."""
    if given is None:
        return None
    if isinstance(given, str) and given in part.table.columns:
        return _target(part, given, "training mean")
    value = float(given)
    if not np.isfinite(value):
        raise InputError(f"{part.flag('train_mean', given)}: the training mean must be finite")
    return np.broadcast_to(np.float64(value), len(part))
