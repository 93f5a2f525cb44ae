"""Data sets from the arguments of a call in Python: X and y, or a file, a set or a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.options import from_keywords, options_of, taking, values_of
from heldout.datasets.dataset import (
    Dataset,
    columns_left_out,
    design_of,
    is_sparse,
    row_count,
)
from heldout.datasets.features import Usable, features_of
from heldout.datasets.target import target_of
from heldout.predictions.options import DataOptions
from heldout.tables.frames import (
    index_notes,
    raw_column,
    refuse_lengths,
    table_of_object,
)
from heldout.tables.table import Part, RawTable

if TYPE_CHECKING:
    from collections.abc import Sequence

#: the roles that arrays beside X and y play
DESIGN = ("group", "time", "fold", "weight")


def data_of(
    X: Any, y: Any, data: Any, roles: DataOptions, *, needs_positive: bool | None = True
) -> Dataset:
    """The data set that the arguments of a call mean.

    ``needs_positive`` says whether one of two classes must be known as the positive one.
    """
    if data is not None:
        from heldout.datasets.read import read_dataset

        if X is not None or y is not None:
            raise InputError("give X and y, or data=, not both")
        stated = values_of(roles)
        return read_dataset(data, **stated, needs_positive=needs_positive, dialect="arguments")
    if X is None or y is None:
        raise InputError("give X and y, or data= with a file, a named set or a data frame")
    if roles.target is not None:
        raise InputError("target= names a column of data=; with X, give y")
    if roles.by:
        raise InputError("by= names columns of data=; give a data frame with data= and target=")
    if roles.ignore is not None and (not hasattr(roles.ignore, "__len__") or len(roles.ignore)):
        raise InputError("ignore= names columns of data=; with X, leave them out of X")
    for role in ("target", "time"):
        if getattr(roles, f"drop_missing_{role}"):
            raise InputError(f"drop_missing_{role}= is for data=; with X, leave these rows out")
    return _of_arrays(X, y, roles, needs_positive=needs_positive)


@taking(DataOptions)
def dataset_of(
    X: Any, y: Any, *, name: str = "data", needs_positive: bool | None = True, **stated: Any
) -> Dataset:
    """A data set from arrays, data frames or lists; X stays as it is for the caller's estimators.

    Parameters
    ----------
    X
        Rows and features: NumPy array, data frame of pandas or polars, Arrow table, list of
        lists, sparse matrix of SciPy; or anything with a length that the caller's own
        estimators take (texts, images).
    y
        A label or number for each row, none missing.
    needs_positive
        Whether one of two classes must be known as the positive one; None: where labels tell.
    stated
        What is known of the rows and classes: keywords of ``DataOptions``, such as ``groups``,
        ``sample_weight``, ``time`` and ``folds`` (a value per row) or ``pos_label`` and ``task``.

    Examples
    --------
    >>> data = dataset_of([[1.0, 2.0], [3.0, 4.0]], ["no", "yes"], pos_label="yes")
    >>> data.task, data.classes, data.matrix.shape
    ('binary', ('no', 'yes'), (2, 2))
    """
    roles = from_keywords(DataOptions, stated)
    return _of_arrays(X, y, roles, name=name, needs_positive=needs_positive)


def _of_arrays(
    X: Any, y: Any, roles: DataOptions, *, needs_positive: bool | None, name: str = "data"
) -> Dataset:
    keywords = {entry.name: entry.keyword for entry in options_of(roles) if entry.name in DESIGN}
    arguments = {"y": y} | {keyword: getattr(roles, role) for role, keyword in keywords.items()}
    columns = {
        key: raw_column(key, values) for key, values in arguments.items() if values is not None
    }
    rows = len(columns["y"]) if "y" in columns else 0
    if not rows:
        raise InputError("y is empty; give a label or a number for each row")
    refuse_lengths("y", {key: len(column) for key, column in columns.items()} | {"X": _rows(X)})
    part = Part(RawTable(columns, "y", rows, 0, "position"), "arrays")
    missing = columns["y"].absent
    if missing is not None:
        part.refuse("y", missing, "no value", "leave these rows out of X and y")
    target = target_of(
        part,
        "y",
        task=roles.task,
        positive=roles.positive,
        labels=roles.labels,
        needs_positive=needs_positive,
    )
    given, part_of_x = _features_as_given(X)
    usable = Usable() if part_of_x is None else features_of(part_of_x, part_of_x.table.columns)
    others = arguments.items()
    indexes = index_notes(X, others, name="X") or index_notes(y, others, name="y")
    data = Dataset(
        name=name,
        task=target.task,
        truth=target.truth,
        features=tuple(usable.features),
        target=str(getattr(y, "name", None) or "y"),
        classes=target.classes,
        positive=target.positive,
        **design_of(part, {role: key for role, key in keywords.items() if key in columns}),
        given=given,
        source=name,
        notes=(*target.notes, *usable.notes, *indexes),
        left_out=() if part_of_x is None else columns_left_out(part_of_x, usable.unused),
    )
    is_matrix = isinstance(given, np.ndarray) and given.dtype == np.float64 and given.ndim == 2
    if is_matrix and 0 < len(usable.features) == given.shape[1]:
        # no second copy of a large X
        data.__dict__["matrix"] = given
    return data


def _rows(X: Any) -> int:
    has_rows = bool(X.shape) if hasattr(X, "shape") else hasattr(X, "__len__")
    if isinstance(X, (str, bytes)) or not has_rows:
        raise InputError(
            f"X must be an array, a data frame or a list of rows, not {type(X).__name__}"
        )
    if isinstance(X, dict):
        return len(next(iter(X.values()), ()))
    return row_count(X)


def _features_as_given(X: Any) -> tuple[Any, Part | None]:
    """X as estimators take it, and its columns for named models; None where it has none."""
    if is_sparse(X):
        return X.tocsr(), None
    if isinstance(X, (list, tuple)) and X and not isinstance(X[0], dict):
        X = _array(X)
    is_array = isinstance(X, np.ndarray) and X.dtype.names is None
    table = None if is_array else table_of_object(X, "X")
    if table is not None:
        is_frame = hasattr(X, "iloc") or hasattr(X, "schema")
        return X if is_frame else None, Part(table, "arrays")
    if not is_array and hasattr(X, "__array__"):
        X = np.asarray(X)
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        return X, None
    names = [f"x{position}" for position in range(X.shape[1])]
    columns = {name: raw_column(name, X[:, position]) for position, name in enumerate(names)}
    return X, Part(RawTable(columns, "X", len(X), 0), "arrays")


def _array(rows: Sequence[Any]) -> Any:
    """Lists of equal length as an array; what is none (texts, say) stays a list."""
    if isinstance(rows[0], (int, float, np.number)):
        return np.asarray(rows)
    if not isinstance(rows[0], (list, tuple, np.ndarray)):
        return np.asarray(rows, object) if isinstance(rows[0], str) else list(rows)
    if len({len(row) for row in rows}) > 1:
        first = next(i for i, row in enumerate(rows) if len(row) != len(rows[0]))
        raise InputError(
            f"X: row 0 has {len(rows[0])} values and row {first} has {len(rows[first])}; "
            "all rows must be of one length"
        )
    plain = np.asarray(rows)
    return plain if plain.dtype.kind in "biuf" else np.array([list(row) for row in rows], object)
