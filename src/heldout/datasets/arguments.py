"""The data of a call in Python: X and y, or a file, a named set or a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.datasets.dataset import Dataset

__all__ = ["data_of"]


def data_of(
    X: Any,
    y: Any,
    data: Any,
    roles: Mapping[str, Any],
    rest: Mapping[str, Any],
    *,
    needs_positive: bool | None = True,
) -> Dataset:
    """The data set that the arguments of a call mean.

    ``roles`` are group, weight, time and fold: columns' values, or with ``data`` their names;
    ``rest`` are positive, labels, task, target, ignore, drop_missing_target, drop_missing_time
    and, where the call knows slices, by.
    ``needs_positive`` says whether one of two classes must be known as the positive one.
    """
    if data is not None:
        from heldout.datasets.read import read_dataset

        if X is not None or y is not None:
            raise InputError("give X and y, or data=, not both")
        return read_dataset(
            data, **roles, **rest, needs_positive=needs_positive, dialect="arguments"
        )
    from heldout.datasets.arrays import dataset_of

    if X is None or y is None:
        raise InputError("give X and y, or data= with a file, a named set or a data frame")
    if rest["target"] is not None:
        raise InputError("target= names a column of data=; with X, give y")
    if rest.get("by"):
        raise InputError("by= names columns of data=; give a data frame with data= and target=")
    ignored = rest.get("ignore")
    if ignored is not None and (not hasattr(ignored, "__len__") or len(ignored)):
        raise InputError("ignore= names columns of data=; with X, leave them out of X")
    for role in ("target", "time"):
        if rest.get(f"drop_missing_{role}"):
            raise InputError(f"drop_missing_{role}= is for data=; with X, leave these rows out")
    return dataset_of(
        X,
        y,
        groups=roles["group"],
        sample_weight=roles["weight"],
        time=roles["time"],
        folds=roles["fold"],
        pos_label=rest["positive"],
        labels=rest["labels"],
        task=rest["task"],
        needs_positive=needs_positive,
    )
