"""Whether models are judged on the same rows: one id has one truth, and ids are shared or told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.predictions.factorize import factorize
from heldout.predictions.part import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.predictions.table import Predictions

    Place = Callable[[int], str]

__all__ = ["on_same_rows"]

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
