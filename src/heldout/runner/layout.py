"""The one table of predictions that every command of heldout writes and ``heldout score`` reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.procedures.splits import fold_names
from heldout.runner.slice_columns import slice_names, slice_values
from heldout.runner.table_file import plain_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.learners.outcome import Outcome
    from heldout.procedures.splits import Splits

__all__ = ["About", "about", "columns_of", "named", "objects", "sliced", "stacked"]

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


@dataclass(frozen=True, slots=True, eq=False)
class About:
    """What the table says of rows and splits, whichever model predicted them."""

    procedure: str
    seed: int
    #: labels, or empty in regression; of which two the positive one is
    classes: Sequence[Any]
    positive: int | None
    truth: NDArray[Any]
    #: repeat and fold of each split
    places: NDArray[np.int64]
    #: what names each row; None: its number, from 1
    identifier: NDArray[Any] | None = None
    weight: NDArray[Any] | None = None
    group: NDArray[Any] | None = None
    #: what the folds are called where they have names of their own
    folds: Sequence[Any] = ()
    #: the columns that part the rows into slices, by what they are called in the table
    slices: Mapping[str, NDArray[Any]] = field(default_factory=dict)


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
    return slice_names((one.name for one in dataset.slices), (*FIRST, *LAST), dataset.classes)


def objects(values: Sequence[Any]) -> NDArray[Any]:
    """The values as they are in an array."""
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def named(numbers: NDArray[np.int64], own: Sequence[Any]) -> NDArray[Any]:
    """Folds by names of their own, where they have any, instead of by numbers from 1."""
    return plain_column(objects(own))[numbers - 1] if len(own) else numbers


def columns_of(
    model: str, outcome: Outcome, known: About, *, with_part: bool = False
) -> dict[str, NDArray[Any]]:
    """The columns of one model: those that it has, in the order of the table."""
    rows, of = outcome.rows, outcome.split_of
    labels = objects(known.classes)

    def same(value: Any) -> NDArray[Any]:
        return np.full(len(rows), value, dtype=object)

    def shown(codes: NDArray[Any]) -> NDArray[Any]:
        return labels[codes] if len(labels) else codes

    made: dict[str, NDArray[Any]] = {"model": same(model)}
    if with_part:
        made["part"] = same(outcome.part)
    if known.procedure:
        made["procedure"] = same(known.procedure)
    place = known.places[outcome.splits].reshape(-1, 2)
    for index, (name, own) in enumerate((("repeat", ()), ("fold", known.folds))):
        # one fold or one repeat alone is no design
        if known.places[:, index].max(initial=1) > 1:
            made[name] = named(place[:, index], own)[of]
    made["id"] = rows + 1 if known.identifier is None else known.identifier[rows]
    made["truth"] = shown(known.truth[rows])
    made["predicted"] = shown(outcome.predicted)
    if known.positive is not None and len(labels) == 2:
        made["positive_class"] = same(labels[known.positive])
    made |= _scores(outcome, known.classes) | _of_splits(outcome, known)
    return made | {name: values[rows] for name, values in known.slices.items()}


def _of_splits(outcome: Outcome, known: About) -> dict[str, NDArray[Any]]:
    """What each row's training part was, what its row is like, and what the fit took."""
    rows, of = outcome.rows, outcome.split_of
    made: dict[str, NDArray[Any]] = {}
    if outcome.train_counts is not None:
        for index, label in enumerate(known.classes):
            made[f"train_n_{label}"] = outcome.train_counts[of, index]
    if outcome.train_mean is not None:
        made["train_mean"] = outcome.train_mean[of]
    for name, values in (("sample_weight", known.weight), ("group", known.group)):
        if values is not None:
            made[name] = values[rows]
    made["seed"] = np.full(len(rows), known.seed, dtype=np.int64)
    for name in ("fit_seconds", "predict_seconds"):
        seconds = getattr(outcome, name)
        made[name] = np.full(len(rows), np.nan) if seconds is None else seconds[of]
    return made


def _scores(outcome: Outcome, classes: Sequence[Any]) -> dict[str, NDArray[Any]]:
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


def stacked(parts: Sequence[dict[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """The tables of all models below each other; what a model has not is missing (NaN)."""
    found = dict.fromkeys(name for part in parts for name in part)
    middle = [name for name in found if name.startswith(CLASS)]
    # probabilities before other scores, counts last, whichever model came first
    middle.sort(key=lambda name: 2 if name.startswith("train_n_") else name.startswith("score_"))
    known = (*FIRST, *middle, *LAST)
    names = [*(name for name in known if name in found), *(n for n in found if n not in known)]
    return {name: np.concatenate([_filled(part, name) for part in parts]) for name in names}


def _filled(part: dict[str, NDArray[Any]], name: str) -> NDArray[Any]:
    return part[name] if name in part else np.full(len(part["model"]), np.nan)
