"""Chance that a seed decides: every open random_state of an estimator is set before a fit."""

from __future__ import annotations

import copy
from hashlib import sha256
from typing import Any

__all__ = ["derived_seed", "seed_estimator"]


def derived_seed(seed: int, *names: Any) -> int:
    """A whole number below 2**31 that a seed and some names decide, on every platform.

    Examples
    --------
    >>> derived_seed(0, 1, 2) == derived_seed(0, 1, 2) != derived_seed(0, 2, 1)
    True
    """
    text = "\x1f".join(map(str, (seed, *names)))
    return int.from_bytes(sha256(text.encode()).digest()[:4], "little") >> 1


def seed_estimator(estimator: Any, seed: int, *names: Any) -> None:
    """Set every ``random_state`` that is None, at any depth, to a number of its own.

    Splitters inside (a shuffled ``cv`` of a grid search) are copied and set likewise, since
    no clone of the estimator copies them.
    """
    if not hasattr(estimator, "get_params"):
        if getattr(estimator, "random_state", 0) is None:
            estimator.random_state = derived_seed(seed, *names, "random_state")
        return
    settings: dict[str, Any] = {}
    for name, value in estimator.get_params(deep=True).items():
        if name == "random_state" or name.endswith("__random_state"):
            if value is None:
                settings[name] = derived_seed(seed, *names, name)
        elif _is_open_splitter(value):
            settings[name] = copy.copy(value)
            settings[name].random_state = derived_seed(seed, *names, name)
    if settings:
        estimator.set_params(**settings)


def _is_open_splitter(value: Any) -> bool:
    return (
        hasattr(value, "get_n_splits")
        and not hasattr(value, "get_params")
        and getattr(value, "random_state", 0) is None
        and bool(getattr(value, "shuffle", True))
    )
