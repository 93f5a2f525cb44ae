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


#: packages whose compiled modules are loaded alone; those of ``special`` use some of ``linalg``
PACKAGES = ("scipy.special", "scipy.linalg")


@cache
def _functions() -> ModuleType:
    """The module that holds the functions.

    ``import scipy.special`` loads support of other array libraries and with it numpy.f2py and
    numpy.testing, which costs a command more than all its work; so does ``import scipy.linalg``,
    which SciPy 1.18 needs for the functions. The functions themselves are one compiled module;
    it is loaded alone, and the packages stay to be imported by whoever needs all of them.
    """
    import scipy

    if (package := sys.modules.get(PACKAGES[0])) is not None:
        return package
    stand_ins = {name: ModuleType(name) for name in PACKAGES if name not in sys.modules}
    for name, stand_in in stand_ins.items():
        stand_in.__path__ = [f"{folder}/{name.partition('.')[2]}" for folder in scipy.__path__]
    sys.modules.update(stand_ins)
    try:
        return import_module(f"{PACKAGES[0]}._ufuncs")
    finally:
        for name in stand_ins:
            del sys.modules[name]


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return getattr(_functions(), name)
    except (AttributeError, ImportError):  # another version of SciPy may keep it elsewhere
        return getattr(import_module("scipy.special"), name)
