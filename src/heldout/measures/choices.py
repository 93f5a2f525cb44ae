"""Words a parameter may take, read as names are: case, spaces and hyphens do not matter."""

from __future__ import annotations

from heldout.core.errors import InputError
from heldout.core.nearest import did_you_mean
from heldout.measures.registry import normal

__all__ = ["chosen"]


def chosen(parameter: str, given: str, *known: str) -> str:
    """The known word that is meant, or an error that lists them.

    Examples
    --------
    >>> chosen("cut", "Equal-Count", "quantile", "equal count")
    'equal count'
    """
    words = {normal(word): word for word in known}
    try:
        return words[normal(str(given))]
    except KeyError:
        hint = did_you_mean(str(given), known)
        raise InputError(f"{parameter} is one of {', '.join(known)}, not {given!r}{hint}") from None
