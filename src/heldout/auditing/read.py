"""Data sets for the audit, which does not need to know which of two classes is positive."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.datasets.read import read_dataset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.datasets.dataset import Dataset
    from heldout.procedures.splits import Splits

__all__ = [
    "arrays_either",
    "by_side",
    "read_either",
    "refuse_codes",
    "splits_with_shared",
    "without_columns",
]

#: how the code of a check looks
CODE = re.compile(r"[Kk]\d\d")
#: what is said where two classes leave it open which is positive
OPEN = "say which one is positive"


def read_either(source: Any, **roles: Any) -> Dataset:
    """``read_dataset``; where nobody says which of two classes is positive, either will do."""
    made = read_dataset(source, **roles, needs_positive=False)
    if made.task == "binary" and made.positive is None:
        return replace(made, positive=0)
    return made


def arrays_either(X: Any, y: Any, **roles: Any) -> Dataset:
    """``dataset_of``; where nobody says which of two classes is positive, either will do."""
    from heldout.datasets.arrays import dataset_of

    try:
        return dataset_of(X, y, **roles)
    except InputError as error:
        if OPEN not in str(error):
            raise
        return dataset_of(X, y, **{**roles, "pos_label": np.unique(np.asarray(y))[0]})


def by_side(name: str, given: Any, sides: tuple[Any, Any]) -> tuple[Any, Any]:
    """Values of the training and of the test rows: a pair, or the name of a column of both.

    One array cannot be that of two sides, whatever its length.
    """
    if _is_pair(given):
        return given[0], given[1]
    if given is None or any(side is None for side in sides):
        return given, given
    if isinstance(given, str) and not any(isinstance(side, tuple) for side in sides):
        return given, given
    what = "one column" if isinstance(given, str) else "one array"
    raise InputError(
        f"{name}= is {what} and there are two sides: give {name}=(of train, of test), a value for "
        "each row of train and of test; a name means a column of two tables"
    )


def _is_pair(given: Any) -> bool:
    """Whether two things are given, each a name, nothing, or values."""
    if not isinstance(given, tuple | list) or len(given) != 2:
        return False
    return all(one is None or hasattr(one, "__len__") for one in given) and not (
        isinstance(given, list) and any(isinstance(one, str) for one in given)
    )


def refuse_codes(ignored: Sequence[str]) -> None:
    """An error where checks are named among the columns to leave out."""
    codes = [name for name in ignored if CODE.fullmatch(name)]
    if codes:
        raise InputError(
            f"ignore= names columns, and {codes[0]} is a check: say skip={codes!r} to leave it out"
        )


def without_columns(data: Dataset, names: Sequence[str]) -> Dataset:
    """The data without some features, which must be there."""
    known = [feature.name for feature in data.features]
    apart = [[one] if one in known else one.split(",") for one in names]
    ignored = [name.strip() for parts in apart for name in parts]
    for name in ignored:
        if name not in known:
            raise InputError(
                f"{data.name}: no column {name!r} (ignore=){did_you_mean(name, known)}"
            )
    kept = tuple(feature for feature in data.features if feature.name not in ignored)
    return replace(data, features=kept) if ignored else data


def splits_with_shared(procedure: Any, data: Dataset, *, seed: int = 0) -> Splits:
    """The splits of data; rows that train and test at once are for the audit to report."""
    from heldout.procedures.apply import splits_of
    from heldout.procedures.structure import MAY_SHARE

    token = MAY_SHARE.set(True)
    try:
        return splits_of(procedure, data, seed=seed)
    finally:
        MAY_SHARE.reset(token)
