"""The models that are asked for: by name, by import path, or as estimators; each under its name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.specs import split_list
from heldout.datasets.dataset import is_sparse
from heldout.learners.fingerprint import GIVEN, fingerprint_of
from heldout.learners.model import Model
from heldout.learners.model_names import told_apart
from heldout.learners.named import find_model
from heldout.learners.parameters import check_parameters, parse_model, refuse_values, shown
from heldout.learners.preparation import Needs, prepare
from heldout.learners.user_code import imported_estimator

if TYPE_CHECKING:
    from heldout.datasets.dataset import Dataset

#: in front of an import path: the estimator gets the preparation of the named models
PREPARE = "prepare:"


@dataclass(frozen=True, slots=True, eq=False)
class ToPrepare:
    """An estimator that is to be given prepared columns, as named models are."""

    estimator: Any
    scale: bool = False


def prepared(estimator: Any, *, scale: bool = False) -> ToPrepare:
    """Put heldout's preparation in front of an estimator, for ``evaluate`` and ``select``.

    Missing numbers become the median of the training part, names a column for each level, dates
    days; labels are given as 0, 1, 2 ... and come back as they were. ``scale`` says whether
    numbers are scaled to mean 0 and standard deviation 1. On the command line it is
    ``prepare:package.module:name``.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> import heldout
    >>> X, y = [["a"], ["b"], ["a"], ["b"]] * 2, ["no", "yes"] * 4
    >>> heldout.evaluate(prepared(LinearSVC()), X, y, procedure="2-fold")["accuracy"].value
    1.0
    """
    return ToPrepare(estimator, scale)


def models_for(requests: Any, dataset: Dataset, *, seed: int = 0) -> tuple[Model, ...]:
    """The models that are asked for, unfitted, in order, under names of their own.

    Parameters
    ----------
    requests
        A text such as ``"knn,lda[solver=lsqr],my_package.models:make"``, an estimator, a
        sequence of either, or a mapping of names to either.
    seed
        Given to functions behind import paths that cannot do without one.

    Examples
    --------
    >>> from heldout.datasets.arrays import dataset_of
    >>> data = dataset_of([[1.0], [2.0], [3.0]], [0, 1, 1])
    >>> [model.name for model in models_for("lda, knn[n_neighbors=3]", data)]
    ['lda', 'knn[n_neighbors=3]']
    """
    models: list[Model] = []
    for name, request in _requests(requests):
        model = model_for(request, dataset, seed=seed)
        models.append(replace(model, name=name) if name else model)
    if not models:
        raise InputError("no model is asked for; name one, such as knn")
    return tuple(told_apart(models))


def _requests(requests: Any) -> list[tuple[str, Any]]:
    if isinstance(requests, str):
        return [("", text) for text in split_list(requests)]
    if isinstance(requests, Mapping):
        return [(str(name), request) for name, request in requests.items()]
    if (
        isinstance(requests, Model)
        or hasattr(requests, "fit")
        or not isinstance(requests, Iterable)
    ):
        return [("", requests)]
    return [
        pair
        for request in requests
        for pair in (_requests(request) if isinstance(request, str) else [("", request)])
    ]


def model_for(request: Any, dataset: Dataset, *, seed: int = 0) -> Model:
    """The model behind one request."""
    if isinstance(request, Model):
        return request
    if isinstance(request, ToPrepare):
        name = f"prepared {_object_name(request.estimator)}"
        _refuse_unfit(request.estimator, name, dataset)
        return _prepared_model(request.estimator, name, Needs(scale=request.scale), dataset)
    if not isinstance(request, str):
        return _given_model(request, _object_name(request), dataset)
    return replace(_model_of_text(*parse_model(request), dataset, seed), text=request)


def _model_of_text(head: str, parameters: dict[str, Any], dataset: Dataset, seed: int) -> Model:
    name = shown(head, parameters)
    if head.startswith(PREPARE):
        scale = parameters.pop("scale", False)
        estimator = imported_estimator(head.removeprefix(PREPARE), parameters, seed=seed)
        _refuse_unfit(estimator, name, dataset)
        return _prepared_model(estimator, name, Needs(scale=bool(scale)), dataset)
    if ":" in head:
        return _given_model(imported_estimator(head, parameters, seed=seed), name, dataset)
    return _named_model(head, parameters, dataset)


def _named_model(head: str, parameters: dict[str, Any], dataset: Dataset) -> Model:
    named = find_model(head)
    name = shown(named.name, parameters)
    estimator, needs = named.build(dataset)
    if isinstance(parameters.get("scale"), bool):
        needs = replace(needs, scale=parameters.pop("scale"))
    known = estimator.get_params(deep=True)
    check_parameters(named.name, parameters, [*known, "scale"])
    try:
        estimator.set_params(**parameters)
    except (ValueError, TypeError, AttributeError) as error:
        raise InputError(f"{name}: {error}") from None
    refuse_values(estimator, estimator.get_params(deep=False), name)
    return _prepared_model(estimator, name, needs, dataset)


def _prepared_model(estimator: Any, name: str, needs: Needs, dataset: Dataset) -> Model:
    with_steps = prepare(estimator, dataset, needs, name)
    return Model(
        name=name,
        estimator=with_steps.estimator,
        task=dataset.task,
        takes="given" if is_sparse(dataset.given) else "matrix",
        fingerprint=fingerprint_of(with_steps.estimator),
        preparation=with_steps.words,
    )


def _given_model(estimator: Any, name: str, dataset: Dataset) -> Model:
    """A caller's own estimator, which is given X and y as the caller has them."""
    _refuse_unfit(estimator, name, dataset)
    dataset.frame  # noqa: B018  says what is wrong if there is none
    return Model(
        name=name,
        estimator=estimator,
        task=dataset.task,
        takes="given",
        fingerprint=fingerprint_of(estimator, GIVEN),
        preparation=("none by heldout: the estimator is given the data as they are",),
    )


def _refuse_unfit(estimator: Any, name: str, dataset: Dataset) -> None:
    """An error for what is no estimator, or one of another task."""
    if isinstance(estimator, type):
        raise InputError(f"{name} is a class; give an estimator: {name}()")
    for method in ("fit", "predict"):
        if not callable(getattr(estimator, method, None)):
            raise InputError(
                f"{name} has no {method} method; give an estimator, a name or an import path"
            )
    kind = _estimator_kind(estimator)
    wanted = "regressor" if dataset.task == "regression" else "classifier"
    if kind not in ("", "None", wanted):
        task = "regression" if wanted == "regressor" else "classification"
        raise InputError(
            f"{name} is a {kind.replace('_', ' ')}, and the task of {dataset.name} is {task}; "
            f"take a {wanted}"
        )


def _estimator_kind(estimator: Any) -> str:
    """What scikit-learn calls the estimator; nothing where it does not know."""
    if not hasattr(estimator, "__sklearn_tags__"):
        return str(getattr(estimator, "_estimator_type", ""))
    try:
        return str(estimator.__sklearn_tags__().estimator_type)
    except Exception:  # an estimator without scikit-learn's base class may fail in any way
        return ""


def _object_name(estimator: Any) -> str:
    if isinstance(estimator, type):
        return estimator.__name__
    steps = getattr(estimator, "steps", None)
    if steps and type(estimator).__name__ == "Pipeline":
        parts = [step for _, step in steps if step not in (None, "passthrough")]
        return "+".join(_object_name(part) for part in parts) or "Pipeline"
    inner = getattr(estimator, "estimator", None)
    if inner is not None and hasattr(inner, "fit"):
        return f"{type(estimator).__name__}({_object_name(inner)})"
    return type(estimator).__name__
