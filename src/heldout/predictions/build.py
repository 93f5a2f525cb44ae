"""From tables as read and their roles to checked predictions, one a model, on the same rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.predictions.classify import classify
from heldout.predictions.sheet import prepare, task_of
from heldout.predictions.table import Predictions
from heldout.tables.checks import code_column, numbers, within_numbers
from heldout.tables.column import factorize
from heldout.tables.roles import refuse_of_other_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from heldout.core.arrays import Array, Booleans, Floats
    from heldout.core.dialect import Dialect
    from heldout.predictions.options import Roles
    from heldout.predictions.sheet import Sheet
    from heldout.tables.column import Column
    from heldout.tables.table import Part, RawTable

    Place = Callable[[int], str]

#: how far two writings of one regression target may differ, relative to its size
ROUNDING = 1e-9
#: so many differing pairs of models are named one by one
MOST_NOTES = 5


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
        prepare(table, roles, dialect=dialect, model=name)
        for table, name in zip(tables, names, strict=True)
    ]
    kinds = [kind for sheet in sheets for kind in _split_by_columns(sheet)]
    predictions = build_sheets(kinds)
    return predictions if len(kinds) == len(sheets) else _in_order(sheets[0], predictions)


def build_sheets(sheets: Sequence[Sheet]) -> tuple[Predictions, ...]:
    """The predictions of every model in tables whose roles are known."""
    asked = sheets[0].roles.task
    if asked not in (None, "classification", "regression"):
        raise InputError(
            f"{sheets[0].part.flag('task', asked)}: the task is classification or regression"
        )
    tasks = [task_of(sheet) if asked is None else asked for sheet in sheets]
    if len(set(tasks)) > 1:
        first, second = tasks.index("classification"), tasks.index("regression")
        raise InputError(
            f"{sheets[first].part.table.source} looks like classification and "
            f"{sheets[second].part.table.source} like regression; say {sheets[0].part.flag('task')}"
        )
    if tasks[0] == "regression":
        by_model = [pair for sheet in sheets for pair in _split(sheet, _regression(sheet))]
    else:
        by_model = [
            (part, finish(part, predictions))
            for sheet, whole, finish in classify(sheets)
            for part, predictions in _split(sheet, whole)
        ]
    return on_same_rows(
        [predictions for _, predictions in by_model],
        [part.place for part, _ in by_model],
        flag=sheets[0].part.flag("id"),
    )


def _split(sheet: Sheet, whole: Predictions) -> Iterator[tuple[Part, Predictions]]:
    """The rows of each model, in the order of their names; each id comes once."""
    for part, predictions in _by_model(sheet, whole):
        if predictions.identifier is not None and sheet.roles.id is not None:
            _unique(part, sheet.roles.id, predictions.identifier, predictions.design.repeat)
        yield part, predictions


def _by_model(sheet: Sheet, whole: Predictions) -> Iterator[tuple[Part, Predictions]]:
    if sheet.roles.model is None:
        yield sheet.part, whole
        return
    column = code_column(sheet.part, sheet.roles.model, "model")
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


#: roles that only classification has
OF_CLASSES = (
    *("score", "score_prefix", "scores", "normalise", "threshold", "positive", "labels", "prior"),
)


def _regression(sheet: Sheet) -> Predictions:
    """The predictions of numeric targets."""
    part, roles = sheet.part, sheet.roles
    refuse_of_other_task(part, "regression", {role: getattr(roles, role) for role in OF_CLASSES})
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
        **sheet.common_fields(),
    )


def _target(part: Part, name: str, role: str) -> Floats:
    values = numbers(part, name, role)
    within_numbers(part, name, values, role)
    return values


def _train_mean(part: Part, mean: str | float | None) -> Array | None:
    """A column of means, or one number for all rows (which takes no memory)."""
    if mean is None:
        return None
    if isinstance(mean, str) and mean in part.table.columns:
        return _target(part, mean, "training mean")
    value = float(mean)
    if not np.isfinite(value):
        raise InputError(f"{part.flag('train_mean', mean)}: the training mean must be finite")
    return np.broadcast_to(np.float64(value), len(part))


def _split_by_columns(sheet: Sheet) -> list[Sheet]:
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
        if name not in sheet.taken
        and part.table.columns[name].is_number
        and (is_missing := part.column(name).absent) is not None
    }
    if not empty:
        return [sheet]
    models = code_column(part, roles.model, "model")
    sizes = np.bincount(models.codes, minlength=len(models.levels))
    lacks: list[set[str]] = [set() for _ in models.levels]
    for name, is_missing in empty.items():
        missing = np.bincount(models.codes[is_missing], minlength=len(models.levels))
        for index in np.flatnonzero((missing == sizes) & (sizes > 0)).tolist():
            lacks[index].add(name)
    kinds = list(dict.fromkeys(frozenset(names) for names in lacks))
    if len(kinds) == 1:
        return [sheet]
    return [
        _with_rows(
            sheet, kind, np.array([frozenset(names) == kind for names in lacks])[models.codes]
        )
        for kind in kinds
    ]


def _with_rows(sheet: Sheet, lacking: frozenset[str], chosen: Booleans) -> Sheet:
    rows = np.flatnonzero(chosen)
    columns = {k: v for k, v in sheet.part.table.columns.items() if k not in lacking}
    part = replace(sheet.part.take(rows), table=replace(sheet.part.table, columns=columns))
    weight = None if sheet.weight is None else sheet.weight[rows]
    tested = None if sheet.tested is None else sheet.tested[rows]
    return replace(sheet, part=part, weight=weight, tested=tested, notes=list(sheet.notes))


def _in_order(sheet: Sheet, predictions: tuple[Predictions, ...]) -> tuple[Predictions, ...]:
    """The models of a table that was taken apart, in the order they have in the whole of it."""
    assert sheet.roles.model is not None
    levels = [str(level) for level in code_column(sheet.part, sheet.roles.model, "model").levels]
    return tuple(sorted(predictions, key=lambda model: levels.index(model.model)))


def _unique(part: Part, name: str, values: Array, repeat: Column | None) -> None:
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


def on_same_rows(
    models: Sequence[Predictions], places: Sequence[Place] | None = None, *, flag: str = "ids"
) -> tuple[Predictions, ...]:
    """The predictions, with a note where models are evaluated on different rows.

    An id whose truth differs between two models (or repeats) is an error: one of them is
    judged by a wrong answer. ``places`` name a row in a message, ``flag`` how ids are given.
    """
    if len(models) < 2 and (not models or models[0].design.repeat is None):
        return tuple(models)
    if any(model.identifier is None for model in models):
        return _without_ids(models, flag)
    where = places or ["position {}".format] * len(models)
    columns = [_plain(model.identifier) for model in models]
    if all(model.design.repeat is None for model in models) and _are_same(columns):
        # the usual case, and a quick one: an id is the number of its row
        codes = [np.arange(len(columns[0]))] * len(models)
    else:
        codes = _common_codes(columns)
    _refuse_contradictions(models, codes, where)
    return _with_notes(models, codes)


def _plain(values: Array | None) -> Array:
    assert values is not None
    return values


def _are_same(columns: list[Array]) -> bool:
    first = columns[0]
    return all(
        column.dtype.kind == first.dtype.kind and np.array_equal(column, first)
        for column in columns
    )


def _common_codes(columns: list[Array]) -> list[Array]:
    """The ids of all models as codes into one list; numbers beside texts are read as texts."""
    if len({column.dtype.kind in "OUST" for column in columns}) > 1:
        columns = [
            column.astype(object) if column.dtype.kind in "OUST" else _as_texts(column)
            for column in columns
        ]
    joined = np.concatenate(columns)
    if joined.dtype.kind in "iuf":
        codes: Array = np.unique(joined, return_inverse=True)[1]
    else:
        codes = factorize(joined)[0]
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def _as_texts(numbers: Array) -> Array:
    return np.array([str(number) for number in numbers.tolist()], object)


def _refuse_contradictions(
    models: Sequence[Predictions], codes: list[Array], places: Sequence[Place]
) -> None:
    size = 1 + max(int(column.max()) for column in codes)
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


def _differ(first: Array, second: Array) -> Booleans:
    differs: Booleans = first != second
    if first.dtype.kind == "f" and differs.any():
        differs &= np.abs(first - second) > ROUNDING * np.maximum(np.abs(first), np.abs(second))
    return differs


def _contradiction(
    models: Sequence[Predictions],
    places: Sequence[Place],
    first: tuple[int, int],
    second: tuple[int, int],
) -> str:
    def said(model: int, row: int) -> str:
        p = models[model]
        value = p.classes[p.truth[row]] if p.classes else float(p.truth[row])
        of = f" for model {p.model!r}" if p.model else ""
        return f"{value!r}{of} ({places[model](row)})"

    identifier = _plain(models[second[0]].identifier)[second[1] : second[1] + 1].tolist()[0]
    return (
        f"id {identifier!r} has two truths: {said(*first)} and {said(*second)}; "
        "one row has one truth, so correct one of them or give different rows different ids"
    )


def _with_notes(models: Sequence[Predictions], codes: list[Array]) -> tuple[Predictions, ...]:
    """A note where the ids of a model are not those of the first."""
    notes: list[str] = []
    size = 1 + max(int(column.max()) for column in codes)
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
                f"models {models[0].model!r} and {model.model!r} are evaluated on different rows: "
                f"{plural(here, 'id')} only in {models[0].model!r}, {there:,} only in "
                f"{model.model!r}, {both:,} in both"
            )
    if len(notes) > MOST_NOTES:
        more = len(notes) - MOST_NOTES
        notes = [*notes[:MOST_NOTES], f"{more:,} more models have other ids than the first"]
    return _with_further_notes(models, notes)


def _without_ids(models: Sequence[Predictions], flag: str) -> tuple[Predictions, ...]:
    """Rows without ids cannot be matched, but their numbers can be compared."""
    sizes = {len(model) for model in models}
    if len(sizes) < 2:
        return tuple(models)
    note = (
        f"the models have from {min(sizes):,} to {max(sizes):,} rows and no "
        f"ids, so they are evaluated on different rows, and it is unknown which "
        f"({flag} tells)"
    )
    return _with_further_notes(models, [note])


def _with_further_notes(models: Sequence[Predictions], notes: list[str]) -> tuple[Predictions, ...]:
    if not notes:
        return tuple(models)
    return tuple(replace(model, notes=(*model.notes, *notes)) for model in models)
