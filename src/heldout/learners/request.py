"""The models that are asked for: by name, by import path, or as estimators; each under its name."""

from __future__ import annotations

import copy
import inspect
import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.core.specs import split_list
from heldout.datasets.dataset import is_sparse
from heldout.learners.fingerprint import GIVEN, fingerprint_of
from heldout.learners.model import Model
from heldout.learners.named import find_model
from heldout.learners.parameters import (
    check_parameters,
    parse_model,
    refuse_values,
    shown,
    spelled,
)
from heldout.learners.preparation import Needs, prepare

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from heldout.datasets.dataset import Dataset


def imported_estimator(path: str, parameters: Mapping[str, Any], *, seed: int = 0) -> Any:
    """The estimator behind an import path, with parameters.

    A class is called with the parameters, and so is a function; a function that cannot do
    without ``random_state`` or ``seed`` is given the seed. An instance is copied and set.
    The current folder can be imported from.
    """
    module_name, _, name = path.partition(":")
    if not module_name or not name:
        raise InputError(f"{path!r} is not an import path; write package.module:name")
    target: Any = _module(module_name, path)
    for step in name.split("."):
        target = _attribute(target, step, path)
    if not callable(target) and not hasattr(target, "fit"):
        raise InputError(
            f"{path} is {_kind(target)}; give a class, a function that makes an estimator, or an "
            "estimator"
        )
    if not inspect.isclass(target) and hasattr(target, "fit"):
        return _set(copy.deepcopy(target), parameters, path)
    estimator = _call(target, dict(parameters), path, seed)
    for method in ("fit", "predict"):
        if not callable(getattr(estimator, method, None)):
            raise InputError(
                f"{path} gives {_kind(estimator)}, which has no {method} method; "
                "an estimator needs fit and predict"
            )
    return estimator


def _module(name: str, path: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        # for good: the workers of a run import the module by the same path
        sys.path.insert(0, here)
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            parent = name.rpartition(".")[0]
            near = did_you_mean(name.rpartition(".")[2], _siblings(parent))
            where = (
                f"the package {parent} has no such module"
                if _exists(parent)
                else ("it is neither installed nor in the current folder")
            )
            raise InputError(f"{path}: no module {error.name!r} ({where}){near}") from None
        raise _import_error(f"importing {name}", path, error) from None
    except (Exception, SystemExit) as error:  # whatever the caller's module raises
        raise _import_error(f"importing {name}", path, error) from None


def _exists(package: str) -> bool:
    try:
        return bool(package) and find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _siblings(package: str) -> list[str]:
    if not package:
        return sorted(path.stem for path in Path.cwd().glob("*.py"))
    if not _exists(package):
        return []
    folders = getattr(import_module(package), "__path__", [])
    return sorted(
        module.name for module in iter_modules(folders) if not module.name.startswith("_")
    )


def _import_error(doing: str, path: str, error: BaseException) -> InputError:
    """Whose error it was and where: the last line of the caller's own code, no traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [
        frame
        for frame in frames
        if not frame.filename.startswith("<") and frame.filename != __file__
    ]
    where = ""
    if isinstance(error, SyntaxError) and error.filename:
        where = f" ({_short(error.filename)}, line {error.lineno})"
    elif theirs:
        where = f" ({_short(theirs[-1].filename)}, line {theirs[-1].lineno})"
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return InputError(f"{path}: {doing} failed: {type(error).__name__}: {text}{where}")


def _short(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else file


def _attribute(owner: Any, name: str, path: str) -> Any:
    try:
        return getattr(owner, name)
    except AttributeError:
        known = [name for name in dir(owner) if not name.startswith("_")]
        called = getattr(owner, "__name__", type(owner).__name__)
        raise InputError(f"{path}: {called} has no {name!r}{did_you_mean(name, known)}") from None


def _kind(value: Any) -> str:
    return "a module" if inspect.ismodule(value) else f"an object of type {type(value).__name__}"


def _call(target: Any, parameters: dict[str, Any], path: str, seed: int) -> Any:
    """What a class or function makes of the parameters; nested ones are set afterwards."""
    nested = {key: parameters.pop(key) for key in list(parameters) if "__" in key}
    try:
        signature = inspect.signature(target)
    except (TypeError, ValueError):
        signature = None
    if signature is not None:
        wanted = signature.parameters
        if not any(value.kind is value.VAR_KEYWORD for value in wanted.values()):
            check_parameters(path, parameters, wanted)
        for name in ("random_state", "seed"):
            value = wanted.get(name)
            if (
                value is not None
                and value.default is value.empty
                and value.kind is not value.VAR_KEYWORD
            ):
                parameters.setdefault(name, seed)
        lacking = [
            key
            for key, value in wanted.items()
            if value.default is value.empty
            and value.kind in (value.POSITIONAL_OR_KEYWORD, value.KEYWORD_ONLY)
            and key not in parameters
        ]
        if lacking:
            raise InputError(
                f"{path} needs the parameter {lacking[0]}; write {path}[{lacking[0]}=value], or "
                "name a function that makes the estimator"
            )
    try:
        estimator = target(**parameters)
    except (Exception, SystemExit) as error:  # whatever the caller's code raises
        raise _import_error("making the estimator", path, error) from None
    return _set(estimator, nested, path)


def _set(estimator: Any, parameters: Mapping[str, Any], path: str) -> Any:
    if parameters:
        if not hasattr(estimator, "get_params"):
            raise InputError(f"{path} takes no parameters: it has no get_params and set_params")
        check_parameters(path, parameters, estimator.get_params(deep=True))
        estimator.set_params(**parameters)
    return estimator


#: how a name is told apart from another that is the same
AGAIN = re.compile(r"(.+) \(\d+\)")
#: so many parameters fit into a name, and so long a value
MOST, LONGEST = 3, 30


def told_apart(models: Sequence[Model]) -> list[Model]:
    """The models with names of their own.

    Two ``KNeighborsClassifier`` become ``KNeighborsClassifier[n_neighbors=1]`` and
    ``KNeighborsClassifier[n_neighbors=3]``; two that are the same become the second ``(2)``.
    """
    return _by_number(_by_parameters(list(models)))


def named_once(
    models: Sequence[Model], done: str = "judged"
) -> tuple[tuple[Model, ...], tuple[str, ...]]:
    """The models without those that were named before, and notes that they were.

    Models under names that the caller gave them stay, though they are the same.
    """
    kept: dict[str, Model] = {}
    notes: dict[str, None] = {}
    for model in models:
        match = AGAIN.fullmatch(model.name)
        before = kept.get(match[1]) if match else None
        if before is not None and before.fingerprint == model.fingerprint:
            notes[f"{before.name} was named more than once and is {done} once"] = None
        else:
            kept[model.name] = model
    return tuple(kept.values()), tuple(notes)


def _by_parameters(models: list[Model]) -> list[Model]:
    named = list(models)
    for name in dict.fromkeys(model.name for model in models):
        places = [index for index, model in enumerate(models) if model.name == name]
        if len(places) == 1:
            continue
        given = [_plain(models[index].estimator) for index in places]
        differing = [
            key
            for key in given[0]
            if all(key in settings for settings in given)
            and len({spelled(settings[key]) for settings in given}) > 1
        ]
        if not 0 < len(differing) <= MOST:
            continue
        short = [key.rpartition("__")[2] for key in differing]
        words = short if len(set(short)) == len(short) else differing
        for index, settings in zip(places, given, strict=True):
            values = dict(zip(words, (settings[key] for key in differing), strict=True))
            named[index] = replace(models[index], name=shown(name, values))
    return named


def _plain(estimator: Any) -> dict[str, Any]:
    """The parameters of an estimator whose values can stand in a name."""
    if not callable(getattr(estimator, "get_params", None)):
        return {}
    kinds = (str, int, float, bool, type(None), tuple)
    return {
        key: value
        for key, value in estimator.get_params(deep=True).items()
        if isinstance(value, kinds) and len(repr(value)) <= LONGEST
    }


def _by_number(models: list[Model]) -> list[Model]:
    taken = {model.name for model in models}
    seen: dict[str, int] = {}
    named = []
    for model in models:
        name, count = model.name, seen.get(model.name, 0)
        if count:
            while name in taken:
                count += 1
                name = f"{model.name} ({count})"
            taken.add(name)
        seen[model.name] = max(count, 1)
        named.append(model if name == model.name else replace(model, name=name))
    return named


#: in front of an import path: the estimator gets the preparation of the named models
PREPARE = "prepare:"


@dataclass(frozen=True, slots=True, eq=False)
class ToPrepare:
    """An estimator that is to be given prepared columns, as named models are."""

    estimator: Any
    scale: bool = False


def prepared(estimator: Any, *, scale: bool = False) -> ToPrepare:
    """An estimator with heldout's preparation in front, for ``evaluate`` and ``select``.

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
