"""A procedure applied to a data set: all that is known of its rows is handed over."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.options import from_keywords
from heldout.predictions.options import DataOptions
from heldout.procedures.kfold import KFold
from heldout.procedures.parse import parse_procedure
from heldout.procedures.predefined import PredefinedFolds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from heldout.datasets.dataset import Dataset
    from heldout.procedures.balance import Balance
    from heldout.procedures.procedure import Procedure
    from heldout.procedures.splits import Splits

#: into how many folds rows are split where nothing is said
FOLDS = 10


def procedure_for(given: Any, dataset: Dataset, *, flag: str = "folds=") -> Procedure:
    """The procedure that is asked for; where none is (None), the folds that the data has.

    Folds that are given beside a procedure that makes its own are refused. ``flag`` is how
    the caller names the folds.
    """
    if given is None and dataset.fold is not None:
        return PredefinedFolds(dataset.fold.name)
    wanted = parse_procedure(given) if given is not None else KFold(FOLDS)
    if dataset.fold is not None and not isinstance(wanted, PredefinedFolds):
        raise InputError(
            f"{flag} gives the fold of each row, and the procedure {wanted} makes its own: "
            "leave out one of the two"
        )
    return wanted


def one_procedure(procedure: Any, cv: Any) -> Any:
    """The procedure of a call that may give it under scikit-learn's name."""
    if procedure is not None and cv is not None:
        raise InputError("procedure= and cv= are two names of one argument: give one")
    return cv if procedure is None else procedure


def fold_column(procedure: Any, given: Any, *, flag: str = "folds=") -> Any:
    """The column that folds are read from: the given one, or that which a procedure names."""
    wanted = None if procedure is None else parse_procedure(procedure)
    if not isinstance(wanted, PredefinedFolds):
        return given
    if isinstance(given, str) and given != wanted.column:
        raise InputError(
            f"the procedure {wanted} and {flag} ({given}) name two columns of folds: name one"
        )
    return wanted.column if given is None else given


def data_called(
    X: Any,
    y: Any,
    data: Any,
    options: Mapping[str, Any],
    procedure: Any,
    *,
    needs_positive: bool | None,
) -> Dataset:
    """The data set of a call in Python, whose procedure may name the column of folds."""
    from heldout.datasets.arrays import data_of

    roles = from_keywords(DataOptions, options)
    if data is not None:
        roles = replace(roles, fold=fold_column(procedure, roles.fold))
    return data_of(X, y, data, roles, needs_positive=needs_positive)


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


def balance_of(splits: Splits, dataset: Dataset) -> Balance:
    """How even the test parts of a data set came out."""
    from heldout.procedures.balance import balance

    return balance(
        splits,
        dataset.truth,
        is_classification=dataset.task != "regression",
        classes=dataset.classes or None,
        groups=dataset.group,
    )
