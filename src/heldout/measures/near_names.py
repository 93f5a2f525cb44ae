"""The measures that a misspelt name may mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.core.nearest import did_you_mean, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["near_measures"]

#: names of so few letters are soon alike by chance
SHORT = 3


def near_measures(asked: str, names: Mapping[str, str]) -> str:
    """A clause for an error message: the nearest names, one a measure, or nothing.

    ``names`` gives the measure behind each name and alias. A short name only means measures by
    their own names, and aliases that begin with it or have its letters in another order.

    Examples
    --------
    >>> names = {"auc": "auc", "recall": "recall", "rec_all": "recall", "for": "omission"}
    >>> near_measures("auk", names), near_measures("recal", names), near_measures("foo", names)
    ('; did you mean auc?', '; did you mean recall?', '')
    """
    near = [
        name
        for name in nearest(asked, names, most=6)
        if len(asked) > SHORT
        or names[name] == name
        or name.startswith(asked)
        or sorted(name) == sorted(asked)
    ]
    own = list({names[name]: name for name in reversed(near)}.values())
    return did_you_mean(asked, own)
