"""``karat.audit``: data, splits and predictions in, findings out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from karat.assess.scorecard import Scorecard
from karat.auditing.audit import audited
from karat.auditing.judged import material_of_evaluation, material_of_scorecard
from karat.auditing.material import Material
from karat.auditing.read import arrays_either, read_either
from karat.core.errors import InputError
from karat.predictions.table import Predictions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from karat.auditing.audit import Audit
    from karat.datasets.dataset import Dataset

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
    ignore: Iterable[str] = (),
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
        What ``karat.read_predictions`` gave, a scorecard, or a file of predictions.
    groups, time, id
        Names of columns; with X and y, values.
    ignore
        Codes of checks that are not wanted, such as ``["K17"]``.

    Examples
    --------
    >>> found = audit(data="iris", procedure="10-fold")
    >>> found.is_clean, found.checked[0]
    (True, 'K01')
    """
    if isinstance(source, Scorecard):
        return audited(material_of_scorecard(source), ignore=ignore)
    if hasattr(source, "scorecard") and hasattr(source, "splits"):
        return audited(material_of_evaluation(source), ignore=ignore)
    if source is not None:
        data = source if data is None else data
    roles = {"target": target, "group": groups, "time": time, "id": id, "task": task}
    roles["positive"] = pos_label
    if (train is None) != (test is None) and predictions is None:
        raise InputError("give both train= and test=, or predictions= beside one of them")
    whole = None
    if X is not None or y is not None or data is not None:
        whole = _dataset(data if X is None else (X, y), roles, "data")
    elif procedure is not None:
        raise InputError("procedure= splits data: give X and y, or data=")
    splits = None
    if whole is not None and procedure is not None:
        from karat.procedures.apply import splits_of

        splits = splits_of(procedure, whole, seed=random_state)
    material = Material(
        train=None if train is None else _dataset(train, roles, "train"),
        test=None if test is None else _dataset(test, roles, "test"),
        data=whole,
        splits=splits,
        predictions=tuple(_predictions(predictions, pos_label)),
    )
    return audited(checked_material(material), ignore=ignore)


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
        return arrays_either(
            *given,
            groups=roles["group"],
            time=roles["time"],
            pos_label=roles["positive"],
            task=roles["task"],
            name=name,
        )
    return read_either(given, **roles)


def _predictions(given: Any, positive: Any) -> Iterator[Predictions]:
    if given is None:
        return
    if isinstance(given, Predictions):
        yield given
    elif isinstance(given, Scorecard):
        yield from given.predictions
    elif isinstance(given, list | tuple):
        for one in given:
            yield from _predictions(one, positive)
    else:
        from karat.predictions.read import read_predictions

        yield from read_predictions(given, positive=positive)
