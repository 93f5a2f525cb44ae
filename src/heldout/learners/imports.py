"""Models by import path, ``package.module:name``: classes, functions that make one, instances."""

from __future__ import annotations

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

__all__ = ["imported_estimator"]


def imported_estimator(path: str, parameters: Mapping[str, Any], *, seed: int = 0) -> Any:
    """The estimator behind an import path, with parameters.

    A class is called with the parameters, and so is a function; a function that cannot do
    without ``random_state`` or ``seed`` is given the seed. An instance is copied and set.
    The current folder can be imported from.
    """
    module_name, _, name = path.partition(":")
    if not module_name or not name:
        raise InputError(f"{path!r} is no import path; write package.module:name")
    found: Any = _module(module_name, path)
    for step in name.split("."):
        found = _attribute(found, step, path)
    if not callable(found) and not hasattr(found, "fit"):
        raise InputError(
            f"{path} is {_kind(found)}; give a class, a function that makes an estimator, or an "
            "estimator"
        )
    if not inspect.isclass(found) and hasattr(found, "fit"):
        return _set(_copy(found), parameters, path)
    made = _called(found, dict(parameters), path, seed)
    for method in ("fit", "predict"):
        if not callable(getattr(made, method, None)):
            raise InputError(
                f"{path} gives {_kind(made)}, which has no {method} method; an estimator needs "
                "fit and predict"
            )
    return made


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
        raise _failed(f"importing {name}", path, error) from None
    except (Exception, SystemExit) as error:  # whatever the caller's module raises
        raise _failed(f"importing {name}", path, error) from None


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
    return sorted(found.name for found in iter_modules(folders) if not found.name.startswith("_"))


def _failed(doing: str, path: str, error: BaseException) -> InputError:
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
        known = [one for one in dir(owner) if not one.startswith("_")]
        called = getattr(owner, "__name__", type(owner).__name__)
        raise InputError(f"{path}: {called} has no {name!r}{did_you_mean(name, known)}") from None


def _kind(value: Any) -> str:
    return "a module" if inspect.ismodule(value) else f"an object of type {type(value).__name__}"


def _called(found: Any, parameters: dict[str, Any], path: str, seed: int) -> Any:
    """What a class or function makes of the parameters; nested ones are set afterwards."""
    nested = {key: parameters.pop(key) for key in list(parameters) if "__" in key}
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):
        signature = None
    if signature is not None:
        wanted = signature.parameters
        if not any(one.kind is one.VAR_KEYWORD for one in wanted.values()):
            check_parameters(path, parameters, wanted)
        for name in ("random_state", "seed"):
            one = wanted.get(name)
            if one is not None and one.default is one.empty and one.kind is not one.VAR_KEYWORD:
                parameters.setdefault(name, seed)
        lacking = [
            key
            for key, one in wanted.items()
            if one.default is one.empty
            and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)
            and key not in parameters
        ]
        if lacking:
            raise InputError(
                f"{path} needs the parameter {lacking[0]}; write {path}[{lacking[0]}=value], or "
                "name a function that makes the estimator"
            )
    try:
        made = found(**parameters)
    except (Exception, SystemExit) as error:  # whatever the caller's code raises
        raise _failed("making the estimator", path, error) from None
    return _set(made, nested, path)


def _set(estimator: Any, parameters: Mapping[str, Any], path: str) -> Any:
    if parameters:
        if not hasattr(estimator, "get_params"):
            raise InputError(f"{path} takes no parameters: it has no get_params and set_params")
        check_parameters(path, parameters, estimator.get_params(deep=True))
        estimator.set_params(**parameters)
    return estimator


def _copy(estimator: Any) -> Any:
    import copy

    return copy.deepcopy(estimator)
