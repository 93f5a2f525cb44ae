"""``heldout.audit``: data, splits and predictions in, findings out.

The audit reads data without having to know which of two classes is positive.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from heldout.assess.scorecard import Scorecard
from heldout.auditing.audit import audited
from heldout.auditing.material import Material, material_of_evaluation, material_of_scorecard
from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.datasets.read import read_dataset
from heldout.predictions.table import Predictions
from heldout.tables.arguments import names_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from heldout.auditing.audit import Audit
    from heldout.datasets.dataset import Dataset
    from heldout.procedures.splits import Splits


def audit(
    source: Any = None,
    *,
    train: Any = None,
    test: Any = None,
    X: Any = None,
    y: Any = None,
    data: Any = None,
    procedure: Any = None,
    predictions: Any = None,
    target: str | None = None,
    groups: Any = None,
    time: Any = None,
    id: str | None = None,
    pos_label: Any = None,
    task: str | None = None,
    random_state: int = 0,
    ignore: Iterable[str] | str = (),
    skip: Iterable[str] | str = (),
    **roles_of_predictions: Any,
) -> Audit:
    """Check data, splits and predictions for leakage and misuse of test rows.

    Parameters
    ----------
    source
        An evaluation or a scorecard; or leave it out and name what there is.
    train, test
        Two data sets: files or data frames with ``target``, or pairs ``(X, y)``.
    X, y, data, procedure
        One data set (X and y, or a file, a named set, a data frame with ``target``), and how
        it is split: ``"10-fold"``, a procedure, or any splitter of scikit-learn.
    predictions
        What ``heldout.read_predictions`` gave, a scorecard, or a file of predictions.
    groups, time, id
        Names of columns; with X and y, values. Where both sides are pairs ``(X, y)``, values
        are a pair too: ``groups=(groups_of_train, groups_of_test)``.
    ignore
        Columns to leave out.
    skip
        Codes of checks that are not wanted, such as ``["K17"]``.
    roles_of_predictions
        Of the columns of ``predictions``, as ``heldout.read_predictions`` takes them:
        ``truth="y"``, ``score="p"`` ...

    Examples
    --------
    >>> of_iris = audit(data="iris", procedure="10-fold")
    >>> of_iris.is_clean, of_iris.checked[0]
    (True, 'K01')
    """
    if isinstance(source, Scorecard):
        return audited(material_of_scorecard(source), skip=names_of("skip", skip))
    if hasattr(source, "scorecard") and hasattr(source, "splits"):
        return audited(material_of_evaluation(source), skip=names_of("skip", skip))
    if source is not None:
        data = source if data is None else data
    if (train is not None or test is not None) and not (data is None and X is None and y is None):
        raise InputError("give train= and test=, or one data set that procedure= splits: not both")
    ignored = names_of("ignore", ignore)
    _refuse_codes(ignored)
    roles = {"target": target, "id": id, "task": task, "positive": pos_label, "ignore": ignored}
    sides = (train, test)
    ours, theirs = (
        dict(zip(("group", "time"), both, strict=True))
        for both in zip(
            _by_side("groups", groups, sides), _by_side("time", time, sides), strict=True
        )
    )
    if (train is None) != (test is None) and predictions is None:
        raise InputError("give both train= and test=, or predictions= beside one of them")
    whole = None
    if X is not None or y is not None or data is not None:
        alone = {"group": groups, "time": time}
        whole = _dataset(data if X is None else (X, y), {**roles, **alone}, "data")
    elif procedure is not None:
        raise InputError("procedure= splits data: give X and y, or data=")
    splits = None
    if whole is not None and procedure is not None:
        splits = splits_with_shared(procedure, whole, seed=random_state)
    material = Material(
        train=None if train is None else _dataset(train, {**roles, **ours}, "train"),
        test=None if test is None else _dataset(test, {**roles, **theirs}, "test"),
        data=whole,
        splits=splits,
        predictions=tuple(_predictions(predictions, pos_label, roles_of_predictions)),
    )
    return audited(checked_material(material), skip=names_of("skip", skip))


def checked_material(material: Material) -> Material:
    """The same material, if there is anything to look at."""
    given = (material.train, material.test, material.data, material.predictions or None)
    if all(part is None for part in given):
        raise InputError(
            "there is nothing to audit: give train= and test=, X and y (or data=), or predictions="
        )
    if material.sides is not None:
        train, test = material.sides
        if (train.task == "regression") != (test.task == "regression"):
            raise InputError(
                f"the target is of a {train.task} problem in the training set and of a "
                f"{test.task} problem in the test set: say task='classification' or 'regression'"
            )
    return material


def _dataset(given: Any, roles: dict[str, Any], name: str) -> Dataset:
    if isinstance(given, tuple):
        if len(given) != 2 or given[0] is None or given[1] is None:
            raise InputError(f"{name}: give X and y, both of them")
        if roles["target"] is not None or roles["id"] is not None:
            raise InputError("target= and id= name columns of a table; with X, give y")
        data = arrays_either(
            *given,
            groups=roles["group"],
            time=roles["time"],
            pos_label=roles["positive"],
            task=roles["task"],
            name=name,
        )
        return _without_columns(data, roles["ignore"])
    return read_either(given, **roles)


def _predictions(given: Any, positive: Any, roles: Mapping[str, Any]) -> Iterator[Predictions]:
    from heldout.predictions.read import read_named, role_of

    for name in roles:
        role_of(name)
        if given is None or isinstance(given, Predictions | Scorecard):
            raise InputError(f"{name}= names a column of a table, and predictions= is none")
    if given is None:
        return
    if isinstance(given, Predictions):
        yield given
    elif isinstance(given, Scorecard):
        yield from given.predictions
    elif isinstance(given, list | tuple):
        for argument in given:
            yield from _predictions(argument, positive, roles)
    else:
        stated = {} if positive is None else {"pos_label": positive}
        yield from read_named((given,), {**stated, **roles})


#: how the code of a check looks
CODE = re.compile(r"[Kk]\d\d")


def read_either(source: Any, **roles: Any) -> Dataset:
    """``read_dataset``; where nobody says which of two classes is positive, either will do."""
    return _with_positive(read_dataset(source, **roles, needs_positive=False))


def arrays_either(X: Any, y: Any, **roles: Any) -> Dataset:
    """``dataset_of``; where nobody says which of two classes is positive, either will do."""
    from heldout.datasets.arrays import dataset_of

    return _with_positive(dataset_of(X, y, **roles, needs_positive=None))


def _with_positive(data: Dataset) -> Dataset:
    is_open = data.task == "binary" and data.positive is None
    return replace(data, positive=0) if is_open else data


def _by_side(name: str, given: Any, sides: tuple[Any, Any]) -> tuple[Any, Any]:
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
    return all(argument is None or hasattr(argument, "__len__") for argument in given) and not (
        isinstance(given, list) and any(isinstance(argument, str) for argument in given)
    )


def _refuse_codes(ignored: Sequence[str]) -> None:
    """An error where checks are named among the columns to leave out."""
    codes = [name for name in ignored if CODE.fullmatch(name)]
    if codes:
        raise InputError(
            f"ignore= names columns, and {codes[0]} is a check: say skip={codes!r} to leave it out"
        )


def _without_columns(data: Dataset, names: Sequence[str]) -> Dataset:
    """The data without some features, which must be there."""
    known = [feature.name for feature in data.features]
    apart = [[name] if name in known else name.split(",") for name in names]
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
