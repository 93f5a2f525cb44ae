"""A procedure applied to a data set: all that is known of its rows is handed over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.procedures.parse import parse_procedure

if TYPE_CHECKING:
    from karat.datasets.dataset import Dataset
    from karat.procedures.splits import Splits

__all__ = ["splits_of"]


def splits_of(procedure: Any, dataset: Dataset, *, seed: int = 0) -> Splits:
    """The splits of a data set by a procedure, or by its text."""
    return parse_procedure(procedure).splits(
        len(dataset),
        truth=dataset.truth,
        is_classification=dataset.task != "regression",
        classes=dataset.classes or None,
        groups=dataset.group,
        time=dataset.time,
        folds=dataset.fold,
        identifiers=dataset.identifier,
        seed=seed,
    )
