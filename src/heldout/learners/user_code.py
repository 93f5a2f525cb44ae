"""Estimators of the user's own code, by import paths; what is wrong with it is said briefly."""

from __future__ import annotations

import copy
import inspect
import sys
import traceback
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.learners.parameters import check_parameters

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType


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
