"""The one table of predictions that every command of heldout writes and ``heldout score`` reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.disk import written_whole
from heldout.core.errors import InputError
from heldout.predictions.roles import ROLES
from heldout.predictions.scores import NUMBERED, PREFIXES
from heldout.procedures.splits import fold_names
from heldout.tables.checks import MISSING
from heldout.tables.roles import usual

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from heldout.core.arrays import Array, Integers
    from heldout.datasets.dataset import Dataset
    from heldout.learners.outcome import Outcome
    from heldout.procedures.splits import Splits
    from heldout.tables.column import Column

#: columns before and after those of classes; each model has those that it can have
FIRST = (
    "model",
    "part",
    "procedure",
    "repeat",
    "fold",
    "id",
    "truth",
    "predicted",
    "positive_class",
)
#: how the columns of classes start
CLASS = ("p_", "score_", "train_n_")
LAST = ("train_mean", "sample_weight", "group", "seed", "fit_seconds", "predict_seconds")

#: what stands before a name that means something else in a table of predictions
BEFORE = "by_"
#: names, and how names start, that mean something when the table is read
TAKEN = {name for role in ROLES.values() for name in role.guesses}
STARTS = (*PREFIXES, "train_n_")

#: how DuckDB writes each kind of file
FORMATS = {
    ".csv": "FORMAT csv, HEADER",
    ".jsonl": "FORMAT json",
    ".parquet": "FORMAT parquet",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
}


@dataclass(frozen=True, slots=True, eq=False)
class About:
    """What the table says of rows and splits, whichever model predicted them."""

    procedure: str
    seed: int
    #: labels, or empty in regression; of which two the positive one is
    classes: Sequence[Any]
    positive: int | None
    truth: Array
    #: repeat and fold of each split
    places: Integers
    #: what names each row; None: its number, from 1
    identifier: Array | None = None
    weight: Array | None = None
    group: Array | None = None
    #: what the folds are called where they have names of their own
    folds: Sequence[Any] = ()
    #: the columns that part the rows into slices, by what they are called in the table
    slices: Mapping[str, Array] = field(default_factory=dict)


def about(dataset: Dataset, splits: Splits) -> About:
    """What is known of data that are at hand."""
    group = dataset.group
    return About(
        splits.procedure,
        splits.seed,
        dataset.classes,
        dataset.positive,
        dataset.truth,
        splits.places(),
        dataset.identifier,
        dataset.weight,
        None if group is None else objects(group.levels)[group.codes],
        fold_names(splits),
        {
            called: slice_values(column)
            for column, called in zip(dataset.slices, sliced(dataset).values(), strict=True)
        },
    )


def sliced(dataset: Dataset) -> dict[str, str]:
    """What the columns of slices are called in the table, by their own names."""
    return slice_names((column.name for column in dataset.slices), (*FIRST, *LAST), dataset.classes)


def objects(values: Sequence[Any]) -> Array:
    """The values as they are in an array."""
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def named(numbers: Integers, own: Sequence[Any]) -> Array:
    """Folds by names of their own, where they have any, instead of by numbers from 1."""
    return plain_column(objects(own))[numbers - 1] if len(own) else numbers


def columns_of(
    model: str, outcome: Outcome, known: About, *, with_part: bool = False
) -> dict[str, Array]:
    """The columns of one model: those that it has, in the order of the table."""
    rows, of = outcome.rows, outcome.split_of
    labels = objects(known.classes)

    def same(value: Any) -> Array:
        return np.full(len(rows), value, dtype=object)

    def shown(codes: Array) -> Array:
        return labels[codes] if len(labels) else codes

    columns: dict[str, Array] = {"model": same(model)}
    if with_part:
        columns["part"] = same(outcome.part)
    if known.procedure:
        columns["procedure"] = same(known.procedure)
    of_splits = known.places[outcome.splits].reshape(-1, 2)
    for index, (name, own) in enumerate((("repeat", ()), ("fold", known.folds))):
        # one fold or one repeat alone is no design
        if known.places[:, index].max(initial=1) > 1:
            columns[name] = named(of_splits[:, index], own)[of]
    columns["id"] = rows + 1 if known.identifier is None else known.identifier[rows]
    columns["truth"] = shown(known.truth[rows])
    columns["predicted"] = shown(outcome.predicted)
    if known.positive is not None and len(labels) == 2:
        columns["positive_class"] = same(labels[known.positive])
    columns |= _scores(outcome, known.classes) | _of_splits(outcome, known)
    return columns | {name: values[rows] for name, values in known.slices.items()}


def _of_splits(outcome: Outcome, known: About) -> dict[str, Array]:
    """What each row's training part was, what its row is like, and what the fit took."""
    rows, of = outcome.rows, outcome.split_of
    columns: dict[str, Array] = {}
    if outcome.train_counts is not None:
        for index, label in enumerate(known.classes):
            columns[f"train_n_{label}"] = outcome.train_counts[of, index]
    if outcome.train_mean is not None:
        columns["train_mean"] = outcome.train_mean[of]
    for name, values in (("sample_weight", known.weight), ("group", known.group)):
        if values is not None:
            columns[name] = values[rows]
    columns["seed"] = np.full(len(rows), known.seed, dtype=np.int64)
    for name in ("fit_seconds", "predict_seconds"):
        seconds = getattr(outcome, name)
        columns[name] = np.full(len(rows), np.nan) if seconds is None else seconds[of]
    return columns


def _scores(outcome: Outcome, classes: Sequence[Any]) -> dict[str, Array]:
    """``p_CLASS`` for probabilities, ``score_CLASS`` for decision values."""
    scores = outcome.scores
    if scores is None or not len(classes):
        return {}
    if scores.shape[1] == 1:
        # one decision value speaks for the second class, and against the first
        scores = np.column_stack([-scores[:, 0], scores[:, 0]])
    prefix = "p_" if outcome.score_kind == "probability" else "score_"
    return {
        f"{prefix}{label}": np.ascontiguousarray(scores[:, index])
        for index, label in enumerate(classes)
    }


def stacked(parts: Sequence[dict[str, Array]]) -> dict[str, Array]:
    """The tables of all models below each other; what a model has not is missing (NaN)."""
    present = dict.fromkeys(name for part in parts for name in part)
    middle = [name for name in present if name.startswith(CLASS)]
    # probabilities before other scores, counts last, whichever model came first
    middle.sort(key=lambda name: 2 if name.startswith("train_n_") else name.startswith("score_"))
    known = (*FIRST, *middle, *LAST)
    names = [*(name for name in known if name in present), *(n for n in present if n not in known)]
    return {name: np.concatenate([_filled(part, name) for part in parts]) for name in names}


def _filled(part: dict[str, Array], name: str) -> Array:
    return part[name] if name in part else np.full(len(part["model"]), np.nan)


def slice_names(
    names: Iterable[str], reserved: Iterable[str], classes: Sequence[Any] = ()
) -> dict[str, str]:
    """What each column of slices is called in the table: as it is, unless that is taken.

    Examples
    --------
    >>> slice_names(["sex", "group", "p_old"], ["group", "seed"])
    {'sex': 'sex', 'group': 'by_group', 'p_old': 'by_p_old'}
    """
    # files of tables do not tell names apart by case
    used = {name.casefold() for name in (*reserved, *map(str, classes))}
    names_in_table: dict[str, str] = {}
    for name in names:
        called = name
        while called.casefold() in used or _means_something(called):
            called = BEFORE + called
        used.add(called.casefold())
        names_in_table[name] = called
    return names_in_table


def _means_something(name: str) -> bool:
    return (
        usual(name) in ("", *TAKEN)
        or name.casefold().startswith(STARTS)
        or NUMBERED.fullmatch(name) is not None
    )


def slice_values(column: Column) -> Array:
    """The values of all rows, of one kind; rows without one are missing among numbers."""
    levels = [None if level == MISSING else level for level in column.levels]
    kinds = {type(level) for level in levels}
    if None in levels and kinds <= {int, float, type(None)}:
        floats = [np.nan if level is None else float(level) for level in levels]
        return np.array(floats)[column.codes]
    values = column.levels if None not in levels else [str(level) for level in column.levels]
    return objects(values)[column.codes]


def refuse_ending(path: Path) -> None:
    """An error where a file's ending names no format of predictions."""
    if path.suffix not in FORMATS:
        raise InputError(f"cannot write {path}: predictions are written as {', '.join(FORMATS)}")


def write_table(columns: Mapping[str, Array], path: Path) -> None:
    """Write columns to a file whose ending says how; numbers that are NaN are missing there."""
    from heldout.tables.duck import connection, copy_to, identifier

    refuse_ending(path)
    _refuse_names(list(columns), path)
    # names of columns may be anything
    inside = {f"c{i}": plain_column(values) for i, values in enumerate(columns.values())}
    shown = [
        f"{_value(key, values)} AS {identifier(name)}"
        for name, (key, values) in zip(columns, inside.items(), strict=True)
    ]
    with written_whole(path) as file, connection() as database:
        database.register("given", inside)
        copy_to(database, f"SELECT {', '.join(shown)} FROM given", file, FORMATS[path.suffix])


def _refuse_names(names: list[str], path: Path) -> None:
    """Names that differ only in case would be changed by DuckDB, and could not be read back."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if other != name:
            raise InputError(
                f"cannot write {path}: columns {other!r} and {name!r} would differ only in case; "
                "rename one of the classes"
            )


def _value(key: str, values: Array) -> str:
    return f"nullif({key}, 'NaN'::DOUBLE)" if values.dtype.kind == "f" else key


def plain_column(values: Array) -> Array:
    """A column of one kind: whole numbers, truth values, numbers, or texts."""
    if values.dtype.kind == "f":
        return np.ascontiguousarray(values, dtype=np.float64)
    if values.dtype.kind in "iub":
        return np.ascontiguousarray(values)
    items = values.tolist()
    kinds = {type(value) for value in items}
    if kinds == {bool}:
        return np.array(items, dtype=bool)
    if kinds == {int} and max(map(abs, items)) < 2**63:
        return np.array(items, dtype=np.int64)
    if kinds <= {int, float} and kinds:
        return np.array(items, dtype=np.float64)
    return np.array([v if isinstance(v, str) else str(v) for v in items], dtype=object)
