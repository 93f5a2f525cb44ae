"""Predictions from arrays, with scikit-learn's names for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from karat.core.errors import InputError
from karat.predictions.build import build_sheets
from karat.predictions.labels import plain_label, plain_labels
from karat.predictions.objects import raw_column
from karat.predictions.raw import RawTable
from karat.predictions.roles import Roles
from karat.predictions.sheet import prepared

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from karat.predictions.raw import RawColumn
    from karat.predictions.table import Label, Predictions

__all__ = ["from_arrays"]


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
    prior: str | Mapping[Label, float] | None = None,
    train_counts: Any = None,
    task: str | None = None,
    naive: Any = None,
    train_mean: Any = None,
    slices: Mapping[str, Any] | None = None,
    model: str = "",
) -> Predictions:
    """Checked predictions of one model from arrays, lists or series.

    Parameters
    ----------
    y_score
        Scores of ``pos_label``, or one column a class in the order of ``labels`` (without
        them, of the sorted classes; a data frame's columns by their names).
    labels
        All classes in order, those without rows included.
    threshold
        With scores alone: a score of at least this is positive (0.5 for probabilities).
    train_counts
        How many rows of each class each row's model was trained on: a line for each row, or
        one for all.
    slices
        Further columns to look at part by part.

    Notes
    -----
    Arrays of bool, int64 and float64 are taken as they are, without a copy. NaN and
    infinite values are refused.

    Examples
    --------
    >>> predictions = from_arrays([0, 1, 1], y_score=[0.2, 0.9, 0.4])
    >>> predictions.predicted.tolist(), predictions.threshold
    ([0, 1, 0], 0.5)
    """
    columns = {
        name: _column(name, values)
        for name, values in (
            ("y_true", y_true),
            ("y_pred", y_pred),
            ("sample_weight", sample_weight),
            ("groups", groups),
            ("folds", folds),
            ("repeats", repeats),
            ("ids", ids),
            ("naive", naive),
            ("train_mean", None if np.ndim(train_mean) == 0 else train_mean),
        )
        if values is not None
    }
    matrix = None if y_score is None or _width(y_score) is None else _floats("y_score", y_score)
    if y_score is not None and matrix is None:
        columns["y_score"] = _column("y_score", y_score)
    counts = None if train_counts is None else np.atleast_2d(_floats("train_counts", train_counts))
    slice_keys = {f"slices[{name!r}]": name for name in slices or {}}
    for key, name in slice_keys.items():
        columns[key] = raw_column(name, (slices or {})[name])
    rows = len(columns["y_true"])
    lengths = {name: len(column) for name, column in columns.items()}
    if matrix is not None:
        lengths["y_score"] = len(matrix)
    if counts is not None and len(counts) > 1:
        lengths["train_counts"] = len(counts)
    _refuse_lengths(rows, lengths)
    roles = Roles(
        truth="y_true",
        predicted="y_pred" if "y_pred" in columns else None,
        score="y_score" if "y_score" in columns else None,
        prior=prior,
        positive=None if pos_label is None else plain_label(pos_label),
        labels=None if labels is None else plain_labels(labels),
        weight="sample_weight" if "sample_weight" in columns else None,
        group="groups" if "groups" in columns else None,
        fold="folds" if "folds" in columns else None,
        repeat="repeats" if "repeats" in columns else None,
        id="ids" if "ids" in columns else None,
        by=tuple(slice_keys),
        threshold=threshold,
        task=task,
        naive="naive" if "naive" in columns else None,
        train_mean="train_mean" if "train_mean" in columns else train_mean,
    )
    table = RawTable(columns, "the arrays", rows, first_row=0, row_word="position")
    sheet = prepared(table, roles, dialect="arrays", model=model)
    sheet.matrix, sheet.matrix_names, sheet.counts = matrix, _names(y_score), counts
    (predictions,) = build_sheets([sheet])
    return predictions


def _column(name: str, values: Any) -> RawColumn:
    if getattr(values, "ndim", 1) == 2 and values.shape[1] == 1:
        values = np.asarray(values)[:, 0]
    if getattr(values, "ndim", 1) != 1:
        raise InputError(f"{name} must have one dimension, but has the shape {values.shape}")
    return raw_column(name, values)


def _width(values: Any) -> int | None:
    """How many columns a two-dimensional argument has."""
    shape = getattr(values, "shape", None)
    if shape is not None:
        return int(shape[1]) if len(shape) == 2 else None
    first = next(iter(values), None)
    return len(first) if isinstance(first, (list, tuple, np.ndarray)) else None


def _floats(name: str, values: Any) -> NDArray[np.float64]:
    try:
        return np.asarray(values).astype(np.float64, copy=False)
    except (TypeError, ValueError):
        raise InputError(f"{name} must hold numbers only, in lines of equal length") from None


def _names(values: Any) -> tuple[str, ...] | None:
    """The names of the columns of a data frame."""
    columns = getattr(values, "columns", None)
    return None if columns is None else tuple(map(str, columns))


def _refuse_lengths(rows: int, lengths: dict[str, int]) -> None:
    for name, length in lengths.items():
        if length != rows:
            raise InputError(
                f"y_true has {rows:,} values and {name} has {length:,}; they must be of one length"
            )
