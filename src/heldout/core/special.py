"""SciPy's special functions, loaded without what its package loads beside them."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = [  # noqa: F822  they are SciPy's own
    "bdtrc",
    "bdtrik",
    "betainc",
    "betaincc",
    "betaincinv",
    "gammaincc",
    "gammaln",
    "nctdtr",
    "ndtr",
    "ndtri",
    "pdtrc",
    "stdtr",
    "stdtrit",
    "xlog1py",
    "xlogy",
]


@cache
def _functions() -> ModuleType:
    """The module that holds the functions.

    ``import scipy.special`` loads support of other array libraries and with it numpy.f2py and
    numpy.testing, which costs a command more than all its work. The functions themselves are
    one compiled module of that package; it is loaded alone, and the package stays to be
    imported by whoever needs all of it.
    """
    import scipy

    name = "scipy.special"
    if name in sys.modules:
        return sys.modules[name]
    stand_in = ModuleType(name)
    stand_in.__path__ = [f"{folder}/special" for folder in scipy.__path__]
    sys.modules[name] = stand_in
    try:
        return import_module(f"{name}._ufuncs")
    finally:
        del sys.modules[name]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return getattr(_functions(), name)
    except (AttributeError, ImportError):  # another version of SciPy may keep it elsewhere
        return getattr(import_module("scipy.special"), name)
