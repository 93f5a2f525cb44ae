"""Rows of a table as read: still named as the reader knows them, in the words the reader uses."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from heldout.predictions.raw import RawColumn, RawTable

__all__ = ["ARGUMENTS", "Dialect", "Part", "listed", "plural", "repeated", "shown", "stated"]

#: how the reader gave the roles: command-line flags, keywords of Python, scikit-learn's names
#: for columns of a table ("arguments") or for arrays
Dialect = Literal["flags", "keywords", "arguments", "arrays"]

#: a label longer than this is cut in a list of labels
LONGEST = 60

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


def stated(dialect: Dialect, role: str, value: Any = None) -> str:
    """How a reader who speaks a dialect states a role.

    Examples
    --------
    >>> stated("flags", "positive", "a b"), stated("arrays", "positive", "a b")
    ("--positive 'a b'", "pos_label='a b'")
    """
    if dialect == "flags":
        flag = f"--{role.replace('_', '-')}"
        return flag if value is None or value is True else f"{flag} {quote(str(value))}"
    word = role if dialect == "keywords" else ARGUMENTS.get(role, role)
    return f"{word}=" if value is None else f"{word}={value!r}"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows of a table; positions count within the part, messages name the table's rows."""

    table: RawTable
    dialect: Dialect = "flags"
    rows: NDArray[Any] | None = None

    def __len__(self) -> int:
        return self.table.rows if self.rows is None else len(self.rows)

    def column(self, name: str) -> RawColumn:
        """The column of that name, these rows only."""
        column = self.table.columns[name]
        if self.rows is None:
            return column
        missing = None if column.missing is None else column.missing[self.rows]
        return replace(column, values=column.values[self.rows], missing=missing)

    def take(self, rows: NDArray[Any]) -> Part:
        """Some of these rows, by their positions."""
        return replace(self, rows=rows if self.rows is None else self.rows[rows])

    def place(self, position: int) -> str:
        """How a message names the row at a position."""
        if self.rows is not None:
            position = int(self.rows[position])
        return f"position {position}" if self.dialect == "arrays" else self.table.place(position)

    def called(self, *names: str) -> str:
        """How a message names a column, or several."""
        if self.dialect == "arrays":
            # the columns of one two-dimensional argument are called by its name
            return ", ".join(names) if len(names) == 1 else names[0].partition("[")[0]
        if len(names) == 1:
            return f"column {names[0]!r}"
        return f"columns {listed(names, most=6)}"

    def flag(self, role: str, value: Any = None) -> str:
        """How the reader states a role: ``--positive a``, ``positive='a'``, ``pos_label='a'``."""
        return stated(self.dialect, role, value)

    def refuse(
        self, names: str | tuple[str, ...], bad: NDArray[np.bool_], problem: str, fix: str
    ) -> None:
        """Raise if a row is bad: the column, the number of such rows, the first, and the fix."""
        if bad.any():
            raise InputError(f"{self.complaint(names, bad, problem)}; {fix}")

    def complaint(self, names: str | tuple[str, ...], bad: NDArray[np.bool_], problem: str) -> str:
        """What is wrong with a column, in how many rows, and in which first."""
        names = (names,) if isinstance(names, str) else names
        count, first = int(np.count_nonzero(bad)), int(np.argmax(bad))
        rows = plural(count, "row")
        return f"{self.called(*names)}: {problem} in {rows} (first: {self.place(first)})"


def repeated(names: Iterable[str]) -> list[str]:
    """The names that come more than once, in the order of their first places."""
    return [name for name, count in Counter(names).items() if count > 1]
