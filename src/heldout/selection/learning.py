"""Learning curves: the measure against the number of training rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from heldout.core.errors import InputError
from heldout.core.portable import Bits
from heldout.core.shown import Brief
from heldout.selection.search import run_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from heldout.datasets.dataset import Dataset
    from heldout.selection.selection import Selection

SIZES = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearningCurve(Brief):
    """Values of one setting by training size: a line a size, a column a split."""

    setting: str
    #: mean number of training rows
    rows: NDArray[np.float64]
    validation: NDArray[np.float64]
    #: of the training rows themselves: optimistic
    training: NDArray[np.float64]

    def over_splits(
        self, values: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """Means of values over the splits, and standard errors where there are several."""
        count = values.shape[1]
        error = values.std(axis=1, ddof=1) / np.sqrt(count) if count > 1 else None
        return values.mean(axis=1), error


def learning_curve(selection: Selection, sizes: Sequence[float] | None = None) -> LearningCurve:
    """The chosen setting trained on growing shares of each split's training rows.

    Larger shares hold the smaller ones; classes keep their shares as nearly as can be.
    """
    shares = tuple(SIZES if sizes is None else sizes)
    if not shares or not all(0 < share <= 1 for share in shares):
        raise InputError("sizes of a learning curve are shares of the training rows, 0 < size <= 1")
    data, splits, setting = selection.dataset, selection.splits, selection.setting
    setup = selection.search.setup.inner
    asked = replace(setup.asked, training_error=True)
    alone = replace(setup, settings=(setting,), asked=asked)
    rows, validation, training = [], [], []
    for share in sorted(shares):
        parts = []
        for position, split in enumerate(splits):
            order = nested_order(data, split.train, selection.seed, position)
            kept = np.sort(order[: max(2, round(share * len(order)))])
            parts.append(replace(split, train=kept, validation=None))
        name = f"{splits.procedure} on {share:g} of the training rows"
        result = run_settings(alone, splits.of_parts(parts, name))
        rows.append(float(np.mean([len(part.train) for part in parts])))
        validation.append(result.scores[0].values)
        training.append(result.trained[0].values)
    return LearningCurve(setting.name, np.array(rows), np.array(validation), np.array(training))


def nested_order(
    data: Dataset, train: NDArray[np.int64], seed: int, position: int
) -> NDArray[np.int64]:
    """The training rows in an order of which every beginning has the classes in their shares."""
    different = np.unique(train)
    mixed = different[Bits(seed, "learning", position).permutation(len(different))]
    if data.task == "regression":
        return mixed
    codes = data.truth[mixed]
    within = np.empty(len(mixed))
    for code in np.unique(codes):
        here = np.flatnonzero(codes == code)
        within[here] = (np.arange(len(here)) + 0.5) / len(here)
    return np.asarray(mixed[np.argsort(within, kind="stable")])
