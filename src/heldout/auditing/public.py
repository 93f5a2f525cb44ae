"""``heldout.audit``: data, splits and predictions in, findings out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heldout.assess.scorecard import Scorecard
from heldout.auditing.audit import audited
from heldout.auditing.material import Material, material_of_evaluation, material_of_scorecard
from heldout.auditing.read import (
    arrays_either,
    by_side,
    read_either,
    refuse_codes,
    splits_with_shared,
    without_columns,
)
from heldout.core.errors import InputError
from heldout.predictions.table import Predictions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from heldout.auditing.audit import Audit
    from heldout.datasets.dataset import Dataset

__all__ = ["audit", "checked_material"]


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
    """Whether the rows that judge a model were kept from training it, and fairly used.

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
    >>> found = audit(data="iris", procedure="10-fold")
    >>> found.is_clean, found.checked[0]
    (True, 'K01')
    """
    if isinstance(source, Scorecard):
        return audited(material_of_scorecard(source), skip=skip)
    if hasattr(source, "scorecard") and hasattr(source, "splits"):
        return audited(material_of_evaluation(source), skip=skip)
    if source is not None:
        data = source if data is None else data
    if (train is not None or test is not None) and not (data is None and X is None and y is None):
        raise InputError("give train= and test=, or one data set that procedure= splits: not both")
    ignored = (ignore,) if isinstance(ignore, str) else tuple(ignore)
    refuse_codes(ignored)
    roles = {"target": target, "id": id, "task": task, "positive": pos_label, "ignore": ignored}
    sides = (train, test)
    ours, theirs = (
        dict(zip(("group", "time"), both, strict=True))
        for both in zip(by_side("groups", groups, sides), by_side("time", time, sides), strict=True)
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
    return audited(checked_material(material), skip=skip)


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
        made = arrays_either(
            *given,
            groups=roles["group"],
            time=roles["time"],
            pos_label=roles["positive"],
            task=roles["task"],
            name=name,
        )
        return without_columns(made, roles["ignore"])
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
        for one in given:
            yield from _predictions(one, positive, roles)
    else:
        stated = {} if positive is None else {"pos_label": positive}
        yield from read_named((given,), {**stated, **roles})
