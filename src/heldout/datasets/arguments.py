"""The data of a call: X and y, or a file, a named set or a data frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.options import values_of

if TYPE_CHECKING:
    from heldout.datasets.dataset import Dataset
    from heldout.predictions.options import DataRoles

__all__ = ["data_of"]


def data_of(
    X: Any, y: Any, data: Any, roles: DataRoles, *, needs_positive: bool | None = True
) -> Dataset:
    """The data set that the arguments of a call in Python mean.

    ``needs_positive`` says whether one of two classes must be known as the positive one.
    """
    if data is not None:
        from heldout.datasets.read import read_dataset

        if X is not None or y is not None:
            raise InputError("give X and y, or data=, not both")
        stated = values_of(roles)
        return read_dataset(data, **stated, needs_positive=needs_positive, dialect="arguments")
    from heldout.datasets.arrays import dataset_of

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
    return dataset_of(
        X,
        y,
        groups=roles.group,
        sample_weight=roles.weight,
        time=roles.time,
        folds=roles.fold,
        pos_label=roles.positive,
        labels=roles.labels,
        task=roles.task,
        needs_positive=needs_positive,
    )
