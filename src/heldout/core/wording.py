"""Values, counts and names as messages write them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


__all__ = ["listed", "plural", "repeated", "shown"]


#: a label longer than this is cut in a list of labels
LONGEST = 60


def listed(values: Iterable[Any], *, most: int = 10) -> str:
    """Values for a message, cut when they are many.

    Examples
    --------
    >>> listed(["a", "b"])
    "'a', 'b'"
    >>> listed(range(5), most=3)
    '0, 1, 2, ... (5 in all)'
    """
    texts = [shown(value, most=LONGEST) for value in values]
    if len(texts) <= most:
        return ", ".join(texts)
    return ", ".join(texts[:most]) + f", ... ({len(texts):,} in all)"


def plural(count: int, word: str) -> str:
    """A count with its noun.

    Examples
    --------
    >>> plural(1, "row"), plural(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def shown(value: Any, *, most: int = 40) -> str:
    """A value for a message, cut where it is long.

    Examples
    --------
    >>> shown("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx..."
    """
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a stranger's repr may do anything
        text = f"a {type(value).__name__}"
    return text if len(text) <= most else f"{text[: most - 3]}..."


def repeated(names: Iterable[str]) -> list[str]:
    """The names that come more than once, in the order of their first places."""
    return [name for name, count in Counter(names).items() if count > 1]
