"""Predictions from arrays, with scikit-learn's names for them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import ARGUMENTS
from heldout.core.errors import InputError
from heldout.predictions.build import build_sheets
from heldout.predictions.options import Roles
from heldout.predictions.roles import COLUMNS
from heldout.predictions.scores import FIX, MERGED
from heldout.predictions.sheet import prepare
from heldout.tables.arguments import label_of, labels_of, mapping_of, number_of, switch_of, text_of
from heldout.tables.checks import merging_values
from heldout.tables.frames import index_notes, raw_column, refuse_lengths
from heldout.tables.table import RawTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from heldout.core.arrays import Floats
    from heldout.predictions.table import Predictions
    from heldout.tables.column import Label

SLICES = "a mapping of names to columns, such as {'country': ['de', 'at', ...]}"


def from_arrays(
    y_true: Any,
    y_pred: Any = None,
    y_score: Any = None,
    *,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    folds: Any = None,
    repeats: Any = None,
    ids: Any = None,
    threshold: float | None = None,
    prior: str | float | Mapping[Label, float] | Sequence[float] | None = None,
    train_counts: Any = None,
    task: str | None = None,
    naive: Any = None,
    train_mean: Any = None,
    slices: Mapping[str, Any] | None = None,
    model: str = "",
    normalise: bool = False,
) -> Predictions:
    """Checked predictions of one model from arrays, lists or series.

    Parameters
    ----------
    y_score
        Scores of ``pos_label``, or one column per class in the order of ``labels`` (without
        them, of the sorted classes; a data frame's columns by their names).
    labels
        All classes in order, those without rows included.
    threshold
        With scores alone: a score of at least this is positive (0.5 for probabilities).
    train_counts
        How many rows of each class each row's model was trained on: a line for each row, or
        one for all.
    prior
        Class probabilities before prediction: a mapping, a list in the order of ``labels``, or
        the share of the positive class of two.
    slices
        Further columns to look at part by part.
    normalise
        Divide the probabilities of each row by their sum, which is never done unasked.

    Notes
    -----
    Arrays of bool, int64 and float64 are taken as they are, without a copy. NaN is
    refused, and infinite values too but for scores, where they are above and below all.

    Examples
    --------
    >>> predictions = from_arrays([0, 1, 1], y_score=[0.2, 0.9, 0.4])
    >>> predictions.predicted.tolist(), predictions.threshold
    ([0, 1, 0], 0.5)
    """
    named = {
        "y_true": y_true,
        "y_pred": y_pred,
        "sample_weight": sample_weight,
        "groups": groups,
        "folds": folds,
        "repeats": repeats,
        "ids": ids,
        "naive": naive,
        "train_mean": None if _is_single(train_mean) else train_mean,
    }
    columns = {name: raw_column(name, v) for name, v in named.items() if v is not None}
    if "y_true" not in columns:
        raise InputError("y_true=None: give the true labels or values")
    matrix = None if y_score is None or _width(y_score) is None else _floats("y_score", y_score)
    if y_score is not None and matrix is None:
        columns["y_score"] = raw_column("y_score", y_score)
    counts = None if train_counts is None else np.atleast_2d(_floats("train_counts", train_counts))
    slice_keys: list[str] = []
    slice_values: dict[str, Any] = {}
    for name, values in (mapping_of("slices", slices, SLICES) or {}).items():
        if not isinstance(name, str):
            raise InputError(f"slices=: {name!r} is no name; give {SLICES}")
        slice_keys.append(f"slices[{name!r}]")
        columns[slice_keys[-1]] = replace(raw_column(slice_keys[-1], values), name=name)
        slice_values[slice_keys[-1]] = values
    rows = len(columns["y_true"])
    lengths = {name: len(column) for name, column in columns.items()}
    if matrix is not None:
        lengths["y_score"] = len(matrix)
    if counts is not None and len(counts) > 1:
        lengths["train_counts"] = len(counts)
    refuse_lengths("y_true", lengths)
    arguments = {role.name: ARGUMENTS.get(role.name, role.name) for role in COLUMNS}
    by_role: dict[str, Any] = {role: name for role, name in arguments.items() if name in columns}
    roles = Roles(
        **by_role,
        prior=prior,
        positive=label_of("pos_label", pos_label),
        labels=labels_of("labels", labels),
        by=tuple(slice_keys),
        threshold=number_of("threshold", threshold),
        task=text_of("task", task, "'classification' or 'regression'"),
        train_mean="train_mean"
        if "train_mean" in columns
        else number_of("train_mean", train_mean, "a number, or one for each row"),
        normalise=switch_of("normalise", normalise),
    )
    table = RawTable(columns, "the arrays", rows, first_row=0, row_word="position")
    sheet = prepare(table, roles, dialect="arrays", model=text_of("model", model, "a name") or "")
    sheet.matrix, sheet.matrix_names, sheet.counts = matrix, _names(y_score), counts
    others = {**named, "y_score": y_score, "train_counts": train_counts, **slice_values}
    sheet.notes += index_notes(y_true, others.items())
    (predictions,) = build_sheets([sheet])
    return predictions


def _is_single(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return values.ndim == 0
    return values is None or isinstance(values, str) or not hasattr(values, "__len__")


def _width(values: Any) -> int | None:
    """How many columns a two-dimensional argument has."""
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple):
        if len(shape) > 2:
            raise InputError(
                f"y_score has the shape {shape}; give a score for each row, or one column per class"
            )
        return int(shape[1]) if len(shape) == 2 else None
    # what can be gone through once only is left to the column
    first = values[0] if isinstance(values, (list, tuple)) and values else None
    return len(first) if isinstance(first, (list, tuple, np.ndarray)) and np.ndim(first) else None


def _floats(name: str, values: Any) -> Floats:
    trouble = f"{name} must hold numbers only, in lines of equal length"
    try:
        plain = np.asarray(values)
        if plain.dtype.kind not in "biufO":  # texts that spell numbers are no numbers here
            raise InputError(trouble)
        bad = merging_values(plain)
        numbers = plain.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise InputError(trouble) from None
    if not 0 < numbers.ndim <= 2 or not numbers.size:
        raise InputError(
            f"{name} has the shape {numbers.shape}; give a line of numbers for each row"
        )
    if name == "y_score" and bad is not None:
        row = int(np.argmax(bad.reshape(len(numbers), -1).any(axis=1)))
        raise InputError(f"{name}: {MERGED} (first: position {row}); {FIX}")
    return numbers


def _names(values: Any) -> tuple[str, ...] | None:
    """The names of the columns of a data frame."""
    columns = getattr(values, "columns", None)
    return None if columns is None else tuple(map(str, columns))
