"""Some rows of a data set as a data set of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from heldout.datasets.dataset import rows_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset

__all__ = ["subset"]


def subset(dataset: Dataset, rows: NDArray[np.int64]) -> Dataset:
    """The rows of these numbers, in this order, with all that is known of them.

    Examples
    --------
    >>> import numpy as np
    >>> from heldout.datasets.arrays import dataset_of
    >>> data = dataset_of([[1.0], [2.0], [3.0]], ["a", "b", "a"], pos_label="a")
    >>> part = subset(data, np.array([2, 1]))
    >>> part.labels.tolist(), part.matrix[:, 0].tolist()
    (['a', 'b'], [3.0, 2.0])
    """
    given = None if dataset.given is None else rows_of(dataset.given, rows)
    made = replace(
        dataset,
        truth=dataset.truth[rows],
        features=tuple(replace(one, values=one.values[rows]) for one in dataset.features),
        group=None if dataset.group is None else dataset.group.take(rows),
        time=None if dataset.time is None else dataset.time[rows],
        fold=None if dataset.fold is None else dataset.fold.take(rows),
        weight=None if dataset.weight is None else dataset.weight[rows],
        identifier=rows + 1 if dataset.identifier is None else dataset.identifier[rows],
        given=given,
    )
    if "matrix" in dataset.__dict__:
        made.__dict__["matrix"] = dataset.matrix[rows]
    return made
