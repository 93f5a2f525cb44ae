"""Values, counts and names as messages write them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


#: a label longer than this is cut in a list of labels
LONGEST = 60
#: a longer word, or line, of a message is cut in its middle: a cell or a heading of a file may
#: hold a hundred thousand characters
LONG_WORD, LONG_LINE = re.compile(r"\S{301,}"), re.compile(r".{4001,}")
#: characters that are kept of either end, and of a line
WORD_ENDS, LINE_ENDS = 60, 1000


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


def cut_long(message: str) -> str:
    """A message without its overlong words and lines, whose ends are kept.

    Examples
    --------
    >>> short = cut_long(f"column {'x' * 1000}: no number")
    >>> len(short), short[:10], short[67:98], short[-11:]
    (164, 'column xxx', '...(881 more characters)...xxxx', ': no number')
    """

    def ends(match: re.Match[str], kept: int) -> str:
        text = match[0]
        return f"{text[:kept]}...({len(text) - 2 * kept:,} more characters)...{text[-kept:]}"

    message = LONG_WORD.sub(lambda word: ends(word, WORD_ENDS), message)
    return LONG_LINE.sub(lambda line: ends(line, LINE_ENDS), message)


def repeated(names: Iterable[str]) -> list[str]:
    """The names that come more than once, in the order of their first places."""
    return [name for name, count in Counter(names).items() if count > 1]


class Guess(str):
    """A note that columns were taken for something by their names: its words, and its parts.

    Examples
    --------
    >>> note = Guess("truth", "y")
    >>> note, note.short
    ("truth: column 'y' (guessed by its name)", "truth 'y'")
    """

    short: str

    def __new__(cls, what: str, *names: str, start: str = "") -> Guess:
        """Of columns by name, or of all whose names start alike."""
        is_one = len(names) == 1
        columns = f"{start}*" if start else repr(names[0]) if is_one else listed(names, most=6)
        noun, whose = ("column", "its name") if is_one else ("columns", "their names")
        guess = super().__new__(cls, f"{what}: {noun} {columns} (guessed by {whose})")
        guess.short = f"{what} {columns}"
        return guess

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        return str, (str(self),)


def values_by_key(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, list[Any]]:
    """The values that come with each key, once each, all in the order of their first places.

    Examples
    --------
    >>> values_by_key([("t test", "a"), ("bootstrap", "b"), ("t test", "c"), ("t test", "a")])
    {'t test': ['a', 'c'], 'bootstrap': ['b']}
    """
    values: dict[Any, dict[Any, None]] = {}
    for key, value in pairs:
        values.setdefault(key, {})[value] = None
    return {key: list(own) for key, own in values.items()}
