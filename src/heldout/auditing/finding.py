"""What a check of the audit saw: how grave, in which rows, why it matters, how to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Severity = Literal["error", "warning", "note"]
#: from grave to mild: a broken rule, a likely fault, something to know
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
#: rows and columns that a finding names for programs; its words name the first five
MOST_ROWS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What a check yields: the words, where, which rows (from 0), and how grave if not as usual.

    Where nothing else is said, the place is that of the columns.
    """

    text: str
    where: str = ""
    rows: Any = ()
    severity: Severity | None = None
    columns: Sequence[str] = ()

    @property
    def place(self) -> str:
        """Where: as said, or the first few columns."""
        if self.where or not self.columns:
            return self.where
        return f"column{'s' * (len(self.columns) > 1)} {some(list(self.columns))}"


@dataclass(frozen=True, slots=True)
class Unseen:
    """What a check yields where it did not look at everything, and why."""

    reason: str
    #: whether nothing was looked at
    is_all: bool = False
    #: whether there was more than a check inside of another command goes through
    is_for_size: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a check found.

    Parameters
    ----------
    code
        The number of the check, such as ``K01``.
    seen
        What was seen, with numbers and the first rows named.
    why, fix
        Why it matters; what to do.
    where
        The model, split or column concerned; empty: all.
    rows
        The first rows concerned, counted from 1, at most a hundred.
    columns
        The columns concerned, at most a hundred.
    """

    code: str
    title: str
    severity: Severity
    seen: str
    why: str
    fix: str
    where: str = ""
    rows: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The finding in one line, without why and fix."""
        where = f" [{self.where}]" if self.where else ""
        return f"{self.code} {self.title}{where}: {self.seen}"

    @property
    def words(self) -> str:
        """The finding in one paragraph."""
        return f"{self.line}. {self.why} {self.fix}"


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A check that could not be made, or not of everything, and why.

    ``is_for_size``: it was left out inside of another command since there is so much to look
    at; ``heldout audit`` makes it.
    """

    code: str
    title: str
    reason: str
    is_partial: bool = False
    is_for_size: bool = False


def counted(number: int, word: str) -> str:
    """A number with its word.

    Examples
    --------
    >>> counted(1, "column"), counted(1200, "row")
    ('1 column', '1,200 rows')
    """
    return f"{number:,} {word}{'s' * (number != 1)}"


def listed_rows(rows: Any) -> str:
    """The first few of some rows, counted from 1.

    Examples
    --------
    >>> listed_rows([155]), listed_rows([0, 1])
    ('row 156', 'rows 1, 2')
    """
    numbers = [f"{row + 1:,}" for row in rows[:5]]
    return f"row{'s' * (len(rows) != 1)} {some(numbers)}{' ...' * (len(rows) > 5)}"


def not_compared(names: list[str]) -> str:
    """Why some columns could not be looked at on both sides."""
    return (
        f"{counted(len(names), 'column')} could not be compared: numbers on one side, other names "
        f"on the other ({some(names)})"
    )


def some(items: list[str], shown: int = 5) -> str:
    """The first few of some names, and how many more there are.

    Examples
    --------
    >>> some(["1", "2", "3"], shown=2)
    '1, 2 and 1 more'
    """
    if len(items) <= shown:
        return ", ".join(items)
    return f"{', '.join(items[:shown])} and {len(items) - shown:,} more"
