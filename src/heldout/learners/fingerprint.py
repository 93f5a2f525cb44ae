"""What identifies an estimator: its class, all it was told, and the versions behind it."""

from __future__ import annotations

import copyreg
import dis
import functools
import inspect
import sys
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from importlib import metadata
from pathlib import Path
from types import CellType, CodeType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any
from uuid import uuid4

import numpy as np

#: raised whenever the same words would prepare data in another way
PREPARATION_VERSION = 1
#: of estimators that are given the columns as they are: texts and dates among them
GIVEN = "given 2"


#: entries of a class that differ without a change of it: where it is, what it says of itself
UNTOLD = frozenset(
    {
        "__abstractmethods__",
        "__annotations__",
        "__classcell__",
        "__dict__",
        "__doc__",
        "__firstlineno__",
        "__module__",
        "__parameters__",
        "__qualname__",
        "__static_attributes__",
        "__weakref__",
        "_abc_impl",
        "_sklearn_auto_wrap_output_keys",
    }
)


def fingerprint_of(estimator: Any, *more: str) -> str:
    """A digest of an estimator that is the same in every process.

    It holds the class and all parameters at any depth, arrays and functions by their
    content, the versions of the packages of all classes, and of classes that belong to no
    installed package the source file, the code of their methods and their attributes. What
    cannot be described (an open file, a generator) makes a digest that no other one equals.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> fingerprint_of(SVC(C=2)) == fingerprint_of(SVC(C=2)) != fingerprint_of(SVC())
    True
    """
    digest = blake2b(f"{PREPARATION_VERSION};{';'.join(more)}".encode(), digest_size=16)
    modules: set[str] = set()
    for text in described(estimator, modules):
        digest.update(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        digest.update(b"\x1f")
    for origin in sorted({_origin(module) for module in modules}):
        digest.update(origin.encode())
    return digest.hexdigest()


def described(value: Any, modules: set[str], inside: tuple[int, ...] = ()) -> Iterator[str | bytes]:
    """The pieces that say what a value is, without addresses; modules of classes are noted."""
    if id(value) in inside:
        yield "a value that holds itself"
        return
    try:
        yield from _pieces(value, modules, (*inside, id(value)))
    except Exception:  # an object may fail in any way when it is asked what it holds
        # rather fitted once too often than taken for another one
        yield f"something of type {type(value).__qualname__}: {uuid4().hex}"


def _pieces(value: Any, modules: set[str], inside: tuple[int, ...]) -> Iterator[str | bytes]:
    if value is None or isinstance(value, (str, bytes, bool, int, float, complex)):
        yield f"{type(value).__name__}:{value!r}"
    elif type(value) is np.ndarray or isinstance(value, np.generic):
        yield from _array(np.asarray(value), modules, inside)
    elif type(value) is dict:
        yield f"mapping {len(value)}"
        for key, item in value.items():
            yield from described(key, modules, inside)
            yield from described(item, modules, inside)
    elif type(value) in (list, tuple):
        yield f"{type(value).__name__} {len(value)}"
        for item in value:
            yield from described(item, modules, inside)
    elif type(value) in (set, frozenset):
        parts = [repr(list(described(item, modules, inside))) for item in value]
        yield f"set {sorted(parts)}"
    else:
        yield from _other(value, modules, inside)


def _array(values: Any, modules: set[str], inside: tuple[int, ...]) -> Iterator[str | bytes]:
    yield f"array {values.dtype.str} {values.shape}"
    if values.dtype == object:
        for item in values.ravel().tolist():
            yield from described(item, modules, inside)
    else:
        yield np.ascontiguousarray(values).tobytes()


def _other(value: Any, modules: set[str], inside: tuple[int, ...]) -> Iterator[str | bytes]:
    """Estimators, functions, classes, and objects by what they hold."""
    if isinstance(value, type):
        yield from _class(value, modules, inside)
    elif isinstance(value, ModuleType):
        modules.add(value.__name__)
        yield f"module {value.__name__}"
    elif isinstance(value, functools.partial):
        yield "partial"
        for part in (value.func, value.args, value.keywords):
            yield from described(part, modules, inside)
    elif isinstance(value, FunctionType):
        yield from _function(value, modules, inside)
    elif isinstance(value, CodeType):
        yield value.co_code
        yield repr(value.co_names)
        for part in value.co_consts:
            yield from described(part, modules, inside)
    elif inspect.ismethod(value):
        yield f"method {value.__name__}"
        yield from described(value.__self__, modules, inside)
    elif isinstance(value, np.random.RandomState):
        yield from described(value.get_state(legacy=False), modules, inside)
    elif isinstance(value, np.random.Generator):
        yield from described(value.bit_generator.state, modules, inside)
    elif callable(value) and hasattr(value, "__qualname__"):  # of C, such as numpy.log
        yield f"function {getattr(value, '__module__', '')}.{value.__qualname__}"
        # what a function of Python's was put into, such as a cache
        yield from described(getattr(value, "__wrapped__", None), modules, inside)
    else:
        yield from described(type(value), modules, inside)
        held = value.get_params(deep=False) if hasattr(value, "get_params") else _held(value)
        yield from described(dict(sorted(held.items())), modules, inside)


def _class(value: type, modules: set[str], inside: tuple[int, ...]) -> Iterator[str | bytes]:
    """A class by its name; those of the caller's own by what they and their bases hold too.

    An attribute may be changed after the class was made, and a class of a notebook has no file.
    """
    modules.add(value.__module__)
    yield f"class {value.__module__}.{value.__qualname__}"
    for base in value.__mro__:
        if not _is_own(base.__module__):
            continue
        modules.add(base.__module__)
        yield f"base {base.__module__}.{base.__qualname__}"
        counted = {
            name
            for held in vars(base).values()
            if isinstance(held, FunctionType)
            for name in _stored_names(held.__code__)
        }
        for name, held in sorted(vars(base).items()):
            if name in counted and not isinstance(held, FunctionType):
                # what a method itself assigns is a tally of the caller's, no setting
                continue
            plain = held.__func__ if isinstance(held, (staticmethod, classmethod)) else held
            if isinstance(plain, property):
                plain = [function for function in (plain.fget, plain.fset) if function is not None]
            elif isinstance(plain, MemberDescriptorType):  # a slot
                plain = None
            if name not in UNTOLD:
                yield name
                yield from described(plain, modules, inside)


def _stored_names(code: CodeType) -> set[str]:
    """Names of attributes and globals that some code assigns."""
    names = {
        str(step.argval)
        for step in dis.get_instructions(code)
        if step.opname in ("STORE_ATTR", "STORE_GLOBAL")
    }
    return names.union(
        *(_stored_names(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    )


def _globals(value: FunctionType) -> dict[str, Any]:
    """Settings outside of a function that it uses: values, and functions by their code."""
    names: set[str] = set()
    codes = [value.__code__]
    for code in codes:
        names.update(code.co_names)
        codes.extend(constant for constant in code.co_consts if isinstance(constant, CodeType))
    values: dict[str, Any] = {}
    for name in sorted(names - _stored_names(value.__code__)):
        held = value.__globals__.get(name)
        if isinstance(held, FunctionType):
            values[name] = held.__code__
        elif not callable(held) and not isinstance(held, ModuleType):
            values[name] = held
    return values


def _is_own(module: str) -> bool:
    """Whether a module is the caller's: of a notebook, a script, or no installed package."""
    top = module.partition(".")[0]
    if top == "__main__":
        return True
    if top in sys.stdlib_module_names or top in ("heldout", "sklearn", "numpy", "scipy"):
        return False
    if isinstance(getattr(sys.modules.get(top), "__version__", None), str):
        return False
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return not {"site-packages", "dist-packages"} & set(Path(file).parts)


def _function(
    value: FunctionType, modules: set[str], inside: tuple[int, ...]
) -> Iterator[str | bytes]:
    """A function of an installed package by its name, one of the caller's by its code too."""
    yield f"function {value.__module__}.{value.__qualname__}"
    modules.add(value.__module__)
    # a variable without a value yet has an empty cell, which equals no other
    cells = [cell.cell_contents if cell != CellType() else None for cell in value.__closure__ or ()]
    for part in (value.__code__, value.__defaults__, value.__kwdefaults__, cells):
        yield from described(part, modules, inside)
    if _is_own(value.__module__):
        yield from described(_globals(value), modules, inside)


def _held(value: Any) -> dict[str, Any]:
    """What an object of an unknown kind holds: the pieces it pickles to, by their places."""
    reduce = copyreg.dispatch_table.get(type(value))
    reduced = value.__reduce_ex__(2) if reduce is None else reduce(value)
    pieces = [reduced] if isinstance(reduced, str) else reduced
    # items that are added one by one come as iterators
    held = {
        str(n): list(piece) if isinstance(piece, Iterator) else piece
        for n, piece in enumerate(pieces)
    }
    if isinstance(state := held.get("2"), dict):
        held["2"] = dict(sorted(state.items(), key=repr))
    return held


@functools.cache
def _packages() -> Mapping[str, list[str]]:
    return metadata.packages_distributions()


def _origin(module: str) -> str:
    """The version of the package a module belongs to, or a digest of its file."""
    top = module.partition(".")[0]
    if top in sys.stdlib_module_names and top != "__main__":
        return f"{top} {sys.version_info[0]}.{sys.version_info[1]}"
    loaded = sys.modules.get(top)
    version = getattr(loaded, "__version__", None)
    if isinstance(version, str):
        return f"{top} {version}"
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or not Path(file).is_file():
        return module
    if {"site-packages", "dist-packages"} & set(Path(file).parts):
        # looked for here only, since listing all packages takes its time
        for name in _packages().get(top, ()):
            return f"{name} {metadata.version(name)}"
    return f"{module} {blake2b(Path(file).read_bytes(), digest_size=16).hexdigest()}"
