"""From tables as read and their roles to checked predictions, one a model, on the same rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.predictions.classify import classified
from heldout.predictions.dialects import apart, in_order
from heldout.predictions.sheet import prepared, task_of
from heldout.predictions.table import Predictions
from heldout.tables.checks import coded, numbers, within_numbers
from heldout.tables.factorize import factorize

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.predictions.roles import Roles
    from heldout.predictions.sheet import Sheet
    from heldout.tables.column import Column
    from heldout.tables.table import Dialect, Part, RawTable

    Place = Callable[[int], str]

__all__ = ["build", "build_sheets", "on_same_rows", "unique"]


def unique(part: Part, name: str, values: NDArray[Any], repeat: Column | None) -> None:
    """No row comes twice (in one repeat)."""
    codes, levels = factorize(values)
    key = codes.astype(np.int64)
    if repeat is not None:
        key = key * len(repeat.levels) + repeat.codes
    if len(levels) == len(values) or len(np.unique(key)) == len(key):
        return
    order = np.argsort(key, kind="stable")
    again = order[1:][key[order[1:]] == key[order[:-1]]]
    second = int(again.min())
    first = int(np.argmax(key == key[second]))
    if repeat is None:
        within, other = "", f" or say {part.flag('repeat')}"
    else:
        within, other = f" of repeat {repeat.levels[int(repeat.codes[second])]!r}", ""
    # a plain value, not NumPy's, whose repr names its type
    value = values[second : second + 1].tolist()[0]
    raise InputError(
        f"{part.called(name)}: id {value!r}{within} comes twice ({part.place(first)} and "
        f"{part.place(second)}; {plural(len(again), 'row')} too many); remove the copies{other}, "
        f"or say {part.flag('group', name if part.dialect != 'arrays' else None)} if rows of one "
        "id are different cases"
    )


#: how far two writings of one regression target may differ, relative to its size
ROUNDING = 1e-9

#: so many differing pairs of models are named one by one
MOST_NOTES = 5


def on_same_rows(
    models: Sequence[Predictions], places: Sequence[Place] | None = None, *, flag: str = "ids"
) -> tuple[Predictions, ...]:
    """The predictions, with a note where models are judged on different rows.

    An id whose truth differs between two models (or repeats) is an error: one of them is
    judged by a wrong answer. ``places`` name a row in a message, ``flag`` how ids are given.
    """
    if len(models) < 2 and (not models or models[0].design.repeat is None):
        return tuple(models)
    if any(one.identifier is None for one in models):
        return _without_ids(models, flag)
    where = places or [_position] * len(models)
    columns = [_plain(one.identifier) for one in models]
    if all(one.design.repeat is None for one in models) and _are_same(columns):
        # the usual case, and a quick one: an id is the number of its row
        codes = [np.arange(len(columns[0]))] * len(models)
    else:
        codes = _coded(columns)
    _refuse_contradictions(models, codes, where)
    return _with_notes(models, codes)


def _position(row: int) -> str:
    return f"position {row}"


def _plain(values: NDArray[Any] | None) -> NDArray[Any]:
    assert values is not None
    return values


def _are_same(columns: list[NDArray[Any]]) -> bool:
    first = columns[0]
    return all(one.dtype.kind == first.dtype.kind and np.array_equal(one, first) for one in columns)


def _coded(columns: list[NDArray[Any]]) -> list[NDArray[Any]]:
    """The ids of all models as codes into one list; numbers beside texts are read as texts."""
    if len({column.dtype.kind in "OUST" for column in columns}) > 1:
        columns = [
            column.astype(object) if column.dtype.kind in "OUST" else _spelled(column)
            for column in columns
        ]
    joined = np.concatenate(columns)
    if joined.dtype.kind in "iuf":
        codes: NDArray[Any] = np.unique(joined, return_inverse=True)[1]
    else:
        codes = factorize(joined)[0]
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def _spelled(numbers: NDArray[Any]) -> NDArray[Any]:
    return np.array([str(number) for number in numbers.tolist()], object)


def _refuse_contradictions(
    models: Sequence[Predictions], codes: list[NDArray[Any]], places: Sequence[Place]
) -> None:
    size = 1 + max(int(one.max()) for one in codes)
    truth = np.zeros(size, models[0].truth.dtype)
    owner = np.full(size, -1, np.int32)
    for number, (model, code) in enumerate(zip(models, codes, strict=True)):
        # the first model that has an id says its truth; assignment keeps one row of repeats
        new = owner[code] < 0
        truth[code[new]] = model.truth[new]
        owner[code[new]] = number
        bad = _differ(truth[code], model.truth)
        if bad.any():
            row = int(np.argmax(bad))
            first = int(owner[code[row]])
            same = codes[first] == code[row]
            other = int(np.argmax(same & (models[first].truth == truth[code[row]])))
            raise InputError(_contradiction(models, places, (first, other), (number, row)))


def _differ(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    differs: NDArray[np.bool_] = one != other
    if one.dtype.kind == "f" and differs.any():
        differs &= np.abs(one - other) > ROUNDING * np.maximum(np.abs(one), np.abs(other))
    return differs


def _contradiction(
    models: Sequence[Predictions],
    places: Sequence[Place],
    one: tuple[int, int],
    other: tuple[int, int],
) -> str:
    def said(model: int, row: int) -> str:
        p = models[model]
        value = p.classes[p.truth[row]] if p.classes else float(p.truth[row])
        of = f" for model {p.model!r}" if p.model else ""
        return f"{value!r}{of} ({places[model](row)})"

    identifier = _plain(models[other[0]].identifier)[other[1] : other[1] + 1].tolist()[0]
    return (
        f"id {identifier!r} has two truths: {said(*one)} and {said(*other)}; "
        "one row has one truth, so correct one of them or give different rows different ids"
    )


def _with_notes(
    models: Sequence[Predictions], codes: list[NDArray[Any]]
) -> tuple[Predictions, ...]:
    """A note where the ids of a model are not those of the first."""
    notes: list[str] = []
    size = 1 + max(int(one.max()) for one in codes)
    first = np.zeros(size, bool)
    first[codes[0]] = True
    for model, code in zip(models[1:], codes[1:], strict=True):
        own = np.zeros(size, bool)
        own[code] = True
        both, here, there = (
            int(np.count_nonzero(part)) for part in (first & own, first & ~own, own & ~first)
        )
        if here or there:
            notes.append(
                f"models {models[0].model!r} and {model.model!r} are judged on different rows: "
                f"{plural(here, 'id')} only in {models[0].model!r}, {there:,} only in "
                f"{model.model!r}, {both:,} in both"
            )
    if len(notes) > MOST_NOTES:
        more = len(notes) - MOST_NOTES
        notes = [*notes[:MOST_NOTES], f"{more:,} more models have other ids than the first"]
    return _noted(models, notes)


def _without_ids(models: Sequence[Predictions], flag: str) -> tuple[Predictions, ...]:
    """Rows without ids cannot be matched, but their numbers can be compared."""
    sizes = {len(one) for one in models}
    if len(sizes) < 2:
        return tuple(models)
    note = (
        f"the models have from {min(sizes):,} to {max(sizes):,} rows and no ids, so they are "
        f"judged on different rows, and which is not known ({flag} tells)"
    )
    return _noted(models, [note])


def _noted(models: Sequence[Predictions], notes: list[str]) -> tuple[Predictions, ...]:
    if not notes:
        return tuple(models)
    return tuple(replace(one, notes=(*one.notes, *notes)) for one in models)


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
