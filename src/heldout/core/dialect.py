"""How messages name an argument: a flag on the command line, a keyword in Python.

A message is worded once, with :func:`argument` where it names one; the border that is used says
which vocabulary that is (:func:`speaking`).
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

#: flags of the command line; keywords of functions that read columns of tables; scikit-learn's
#: names, for columns of a table ("arguments") or for arrays
Dialect = Literal["flags", "keywords", "arguments", "arrays"]

SPOKEN: ContextVar[Dialect] = ContextVar("heldout dialect", default="arguments")

#: scikit-learn's names of roles, and keywords that differ from the flag in all of Python
ARGUMENTS = {
    "truth": "y_true",
    "predicted": "y_pred",
    "score": "y_score",
    "score_prefix": "y_score",
    "positive": "pos_label",
    "weight": "sample_weight",
    "group": "groups",
    "fold": "folds",
    "repeat": "repeats",
    "id": "ids",
    "by": "slices",
    "train_count_prefix": "train_counts",
}
KEYWORDS = {"jobs": "n_jobs", "measure": "measures", "seed": "random_state"}


@contextmanager
def speaking(dialect: Dialect) -> Iterator[None]:
    """Have messages that are made meanwhile speak a dialect; also a decorator of functions."""
    token = SPOKEN.set(dialect)
    try:
        yield
    finally:
        SPOKEN.reset(token)


#: characters of a value that a message shows
MOST_SHOWN = 200


def argument(name: str, value: Any = None, *, dialect: Dialect | None = None) -> str:
    """How the caller writes an argument; of a switch the value is True.

    Examples
    --------
    >>> argument("positive"), argument("positive", "a b"), argument("unpaired", True)
    ('pos_label=', "pos_label='a b'", 'unpaired=True')
    >>> with speaking("flags"):
    ...     argument("positive"), argument("positive", "a b"), argument("unpaired", True)
    ('--positive', "--positive 'a b'", '--unpaired')
    """
    dialect = dialect or SPOKEN.get()
    if dialect == "flags":
        flag = f"--{name.replace('_', '-')}"
        return flag if value is None or value is True else f"{flag} {quote(str(value))}"
    word = KEYWORDS.get(name, name)
    if dialect != "keywords":
        word = ARGUMENTS.get(name, word)
    if value is None:
        return f"{word}="
    # an array is many lines of numbers
    shown = repr(value) if isinstance(value, str) else " ".join(repr(value).split())[:MOST_SHOWN]
    return f"{word}={shown}"


class _Arguments(dict[str, str]):
    """Every argument by its name; a switch is written ``name=True``."""

    def __missing__(self, name: str) -> str:
        name, _, value = name.partition("=")
        return argument(name, True if value == "True" else value or None)


def worded(template: str) -> str:
    """A text that was written before anybody was spoken to, with its arguments named.

    Examples
    --------
    >>> worded("no groups are given ({group}, or {unpaired=True})")
    'no groups are given (groups=, or unpaired=True)'
    """
    return template.format_map(_Arguments())
