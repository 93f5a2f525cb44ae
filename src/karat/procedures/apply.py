"""A procedure applied to a data set: all that is known of its rows is handed over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.core.errors import InputError
from karat.procedures.parse import parse_procedure

if TYPE_CHECKING:
    from karat.datasets.dataset import Dataset
    from karat.procedures.balance import Balance
    from karat.procedures.splits import Splits

__all__ = ["balance_of", "splits_of"]

GUESSED = "task: classification (guessed"


def splits_of(procedure: Any, dataset: Dataset, *, seed: int = 0) -> Splits:
    """The splits of a data set by a procedure, or by its text."""
    wanted = parse_procedure(procedure)
    try:
        return wanted.splits(
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
    except InputError as error:
        guess = next((line for line in dataset.notes if line.startswith(GUESSED)), "")
        if not guess or "class" not in str(error):
            raise
        # what cannot be stratified may be no classes at all
        raise InputError(f"{error}\n{guess}") from error


def balance_of(splits: Splits, dataset: Dataset) -> Balance:
    """How even the test parts of a data set came out."""
    from karat.procedures.balance import balance

    return balance(
        splits,
        dataset.truth,
        is_classification=dataset.task != "regression",
        classes=dataset.classes or None,
        groups=dataset.group,
    )
