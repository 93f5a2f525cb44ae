"""A data set: typed features, a target, and the roles that decide how it may be split."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import blake2b
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.notes import Topic, without
from heldout.core.shown import Brief
from heldout.datasets.quantities import moments_of, times
from heldout.tables.checks import code_column, weights
from heldout.tables.frames import library_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from heldout.core.arrays import Array, Booleans, Floats, Integers
    from heldout.learners.model import Model
    from heldout.predictions.table import Task
    from heldout.tables.column import Column, Label, RawColumn
    from heldout.tables.table import Part


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Feature(Brief):
    """A column of the data: numbers (missing: NaN), or codes into levels (missing: -1)."""

    name: str
    values: Array
    #: the values behind the codes of a nominal feature; None for numbers
    levels: tuple[Label, ...] | None = None

    @property
    def is_nominal(self) -> bool:
        """Whether the values are names and not quantities."""
        return self.levels is not None

    @property
    def missing(self) -> Booleans:
        """Which rows have no value."""
        return self.values < 0 if self.is_nominal else np.isnan(self.values)


@dataclass(frozen=True, eq=False, repr=False)
class Dataset(Brief):
    """Features and target of some rows, with what is known of the rows.

    In classification ``truth`` holds codes into ``classes``; in regression floats.
    """

    name: str
    task: Task
    truth: Array
    features: tuple[Feature, ...]
    target: str = "target"
    classes: tuple[Label, ...] = ()
    #: position of the class of interest in ``classes`` (two classes)
    positive: int | None = None
    #: rows that depend on each other
    group: Column | None = None
    #: values by which rows are ordered in time
    time: Array | None = None
    #: the fold of each row, given in the data
    fold: Column | None = None
    weight: Floats | None = None
    #: what names each row; None: its number, from 1
    identifier: Array | None = None
    #: X as the caller gave it, for the caller's own estimators; None: they take the matrix
    given: Any = None
    #: a file or ``iris``; what was guessed on the way
    source: str = ""
    notes: tuple[str, ...] = field(default_factory=tuple)
    #: columns whose values part the rows into slices that are judged apart
    slices: tuple[Column, ...] = ()
    #: columns that are no features, and why
    left_out: tuple[LeftOut, ...] = ()
    #: the columns of a file that have no other role, as they were read
    columns: tuple[RawColumn, ...] = ()

    def __len__(self) -> int:
        return len(self.truth)

    def take(self, rows: Integers) -> Dataset:
        """The rows of these numbers, in this order, with all that is known of them.

        Examples
        --------
        >>> from heldout.datasets.arrays import dataset_of
        >>> data = dataset_of([[1.0], [2.0], [3.0]], ["a", "b", "a"], pos_label="a")
        >>> part = data.take(np.array([2, 1]))
        >>> part.labels.tolist(), part.matrix[:, 0].tolist()
        (['a', 'b'], [3.0, 2.0])
        """
        part = replace(
            self,
            truth=self.truth[rows],
            features=tuple(replace(own, values=own.values[rows]) for own in self.features),
            group=None if self.group is None else self.group.take(rows),
            time=None if self.time is None else self.time[rows],
            fold=None if self.fold is None else self.fold.take(rows),
            weight=None if self.weight is None else self.weight[rows],
            identifier=rows + 1 if self.identifier is None else self.identifier[rows],
            given=None if self.given is None else rows_of(self.given, rows),
        )
        if "matrix" in self.__dict__:
            part.__dict__["matrix"] = self.matrix[rows]
        return part

    @property
    def feature_count(self) -> int:
        """How many columns models are given: named models, or where these can use none, others."""
        return len(self.features) or len(self.columns)

    def row_name(self, row: int) -> str:
        """How a message names a row."""
        return row_name(self.name, self.identifier, row)

    def notes_for(self, models: Iterable[Model]) -> tuple[str, ...]:
        """The notes that concern some models."""
        if any(model.takes == "matrix" for model in models):
            return self.notes
        return without(self.notes, Topic.NAMED_MODELS)

    def refuse_without_features(self) -> None:
        """An error where what was given has no columns that heldout can prepare."""
        if not self.features and len(self):
            if reasons := [f"{column.name!r}: {column.reason}" for column in self.left_out]:
                raise InputError(
                    f"{self.source}: named models can use no column to predict {self.target!r} "
                    f"({'; '.join(reasons)})"
                )
            shape = getattr(self.given, "shape", None)
            if shape is not None and len(shape) == 1 and self.given.dtype.kind in "biuf":
                raise InputError(
                    f"X has one dimension ({shape[0]:,} numbers); a single feature is a column: "
                    "X.reshape(-1, 1)"
                )
            if shape is not None and len(shape) == 2 and shape[1] == 0:
                raise InputError(f"X has {shape[0]:,} rows and no columns; give a feature or more")
            raise InputError(
                f"{self.name} has no columns of numbers or names ({type(self.given).__name__}); "
                "give an estimator that takes it as it is"
            )

    @property
    def infinite(self) -> str:
        """The first column with an infinite number and its first row, in words; empty: none."""
        for feature in self.features:
            if not feature.is_nominal:
                bad = np.isinf(feature.values)
                if bad.any():
                    count = int(np.count_nonzero(bad))
                    rows = f"{count:,} row{'s' * (count != 1)}"
                    first = self.row_name(int(np.argmax(bad)))
                    return f"column {feature.name!r}: infinite in {rows} (first: {first})"
        return ""

    @cached_property
    def matrix(self) -> Floats:
        """Features as float columns; nominal ones as their codes, NaN where missing."""
        self.refuse_without_features()
        matrix = np.empty((len(self), len(self.features)))
        for index, feature in enumerate(self.features):
            matrix[:, index] = feature.values
            if feature.is_nominal:
                matrix[feature.values < 0, index] = np.nan
        return matrix

    @cached_property
    def labels(self) -> Array:
        """The target as the caller's estimators are given it: labels themselves, or floats."""
        return self.truth if not self.classes else np.asarray(self.classes)[self.truth]

    @cached_property
    def frame(self) -> Any:
        """X as the caller's own estimators are given it.

        What the caller gave; else a pandas data frame with nominal columns as categories, dates
        as dates and free text as text; else, without pandas, the matrix, if all are numbers.
        """
        if self.given is not None:
            return self.given
        if find_spec("pandas") is not None:
            return _data_frame(self.features, self.columns)
        numeric = {feature.name for feature in self.features if not feature.is_nominal}
        columns = self.columns or self.features
        other = next((column.name for column in columns if column.name not in numeric), None)
        if other is not None:
            raise InputError(
                f"{self.name}: column {other!r} holds names or text, which need a data frame: "
                "pip install pandas, or take one of heldout's named models"
            )
        return self.matrix

    @cached_property
    def fingerprint(self) -> str:
        """A digest of every value that can change a result."""
        digest = blake2b(digest_size=16)
        for text, array in self._content():
            digest.update(f"{text};".encode())
            if array is not None:
                digest.update(f"{array.dtype.str};{array.shape};".encode())
                digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def _content(self) -> Iterator[tuple[str, Array | None]]:
        # no fit knows which class is positive; the number keeps what stores had before
        second = 1 if self.task == "binary" else None
        yield f"{self.task};{self.target};{self.classes!r};{second}", self.truth
        for feature in self.features:
            yield f"{feature.name};{feature.levels!r}", feature.values
        if not self.features and not self.left_out:
            yield from _content_of(self.given)
        # the caller's own estimators are given these columns too
        for left in self.left_out:
            yield from left.content()
        yield "weight", self.weight
        for name, column in (("group", self.group), ("fold", self.fold)):
            yield f"{name};{column and column.levels!r}", None if column is None else column.codes
        for name, values in (("time", self.time), ("id", self.identifier)):
            yield _named(name, values)


def row_name(data: str, identifier: Any, row: int) -> str:
    """How a message names a row of the data: by its id, or by its number from 1.

    Examples
    --------
    >>> row_name("iris", None, 0), row_name("iris", ["a7", "a9"], 1)
    ('row 1 of iris', 'row a9')
    """
    return f"row {row + 1} of {data}" if identifier is None else f"row {identifier[row]!s}"


def _data_frame(features: tuple[Feature, ...], columns: tuple[RawColumn, ...]) -> Any:
    import pandas as pd

    prepared: dict[str, Any] = {}
    for feature in features:
        prepared[feature.name] = feature.values
        if feature.levels is not None:
            prepared[feature.name] = pd.Categorical.from_codes(
                feature.values, categories=list(feature.levels)
            )
    if not columns:
        return pd.DataFrame(prepared)
    numeric = {feature.name for feature in features if not feature.is_nominal}
    for column in columns:
        moments = moments_of(column) if column.name in numeric else None
        if moments is not None:
            prepared[column.name] = moments
        elif column.name not in prepared:
            prepared[column.name] = column.objects()
    return pd.DataFrame({column.name: prepared[column.name] for column in columns})


def is_sparse(given: Any) -> bool:
    """Whether this is a sparse matrix or array of SciPy."""
    return library_of(given) == "scipy" and hasattr(given, "tocsr")


def row_count(given: Any) -> int:
    """How many rows X has."""
    shape = getattr(given, "shape", None)
    return int(shape[0]) if shape else len(given)


def rows_of(given: Any, rows: Array) -> Any:
    """Some rows of X, in the type the caller gave it.

    Examples
    --------
    >>> rows_of(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    if hasattr(given, "iloc"):
        return given.iloc[rows]
    match library_of(given):
        case "polars":
            return given[rows]
        case "pyarrow":
            return given.take(rows)
    return [given[row] for row in rows.tolist()] if isinstance(given, list) else given[rows]


def _content_of(given: Any) -> Iterator[tuple[str, Array | None]]:
    """What X holds, for a digest, where it is not made of columns: sparse, texts, images."""
    if given is None:
        return
    if is_sparse(given):
        rows = given.tocsr()
        yield f"sparse;{given.shape}", rows.data
        yield "indices", rows.indices.astype(np.int64)
        yield "starts", rows.indptr.astype(np.int64)
        return
    yield _named("given", np.asarray(given))


def _named(name: str, values: Array | None) -> tuple[str, Array | None]:
    """Values by their name, for a digest; objects as text."""
    if values is None or values.dtype != object:
        return name, values
    return f"{name};{values.tolist()!r}", None


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """A column that is no feature; with its values where nobody asked to leave it out."""

    name: str
    reason: str
    column: RawColumn | None = None

    def content(self) -> Iterator[tuple[str, Array | None]]:
        """What the column holds, for a digest."""
        if self.column is None:
            return
        yield f"{self.name};{self.column.levels!r}", self.column.missing
        values = self.column.values
        yield (repr(values.tolist()), None) if values.dtype == object else ("", values)


def design_of(part: Part, columns: Mapping[str, str | None]) -> dict[str, Any]:
    """What columns say of the rows, by the fields of a data set; None where a role has none."""
    read: dict[str, Callable[[Part, str], Any]] = {
        "group": partial(code_column, role="group"),
        "time": times,
        "fold": partial(code_column, role="fold"),
        "weight": weights,
    }
    return {
        role: None if (name := columns.get(role)) is None else of_column(part, name)
        for role, of_column in read.items()
    }


def columns_left_out(
    part: Part, reasons: Mapping[str, str], ignored: Collection[str] = ()
) -> tuple[LeftOut, ...]:
    """The columns that are not used, with the reasons, and those that are ignored."""
    return tuple(
        LeftOut(name, "to be ignored, as asked")
        if name in ignored
        else LeftOut(name, reasons[name], part.column(name))
        for name in part.table.columns
        if name in reasons or name in ignored
    )
