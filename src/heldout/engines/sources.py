"""Where rows come from: what readers and kernels ask of every source, whatever holds the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from heldout.core.errors import InputError
from heldout.core.wording import plural
from heldout.engines.protocol import NotScanned

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from heldout.engines.duck_source import Files
    from heldout.tables.table import RawTable

#: distinct values of a column that are numbered, and how far apart whole numbers may be
MOST_NUMBERS = 1_000_000


class Facts(NamedTuple):
    """What is known of all lines of a source.

    ``lacking`` has the number of lines without a value for each column that is read; a line
    stands for one row, or for as many as its count says.
    """

    lines: int
    rows: int
    low: float
    high: float
    lacking: Mapping[str, int]
    odd_counts: int = 0


@dataclass(frozen=True, slots=True)
class Numbering:
    """How the values of a column become small numbers.

    Whole numbers are counted from ``low``; texts are numbered by their place in ``texts``.
    """

    low: int = 0
    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, values: Sequence[Any]) -> Numbering:
        """The numbering of all values that a column has."""
        if all(isinstance(value, int) for value in values):
            low, high = int(min(values)), int(max(values))
            if high - low < MOST_NUMBERS:
                return cls(low)
        if not all(isinstance(value, str) for value in values):
            raise NotScanned("slices are neither whole numbers nor texts")
        return cls(texts=tuple(values))

    def codes(self, values: Sequence[Any], codes: NDArray[Any]) -> NDArray[np.int64]:
        """The code for each number, from the code of each value.

        Examples
        --------
        >>> Numbering.of([7, 5]).codes([7, 5], np.array([1, 0])).tolist()
        [0, 0, 1]
        """
        if self.texts:
            return np.asarray(codes, np.int64)
        own = np.array(values, np.int64) - self.low
        table = np.zeros(int(own.max()) + 1, np.int64)
        table[own] = codes
        return table


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that are read, and what their values mean.

    Parameters
    ----------
    positive
        The values of ``truth`` that are the positive class.
    count
        The column of the number of rows that a line stands for.
    keys
        How columns that rows are grouped by are numbered.
    facts
        What is known of all lines.
    """

    truth: str
    positive: tuple[Any, ...]
    score: str
    facts: Facts
    count: str | None = None
    keys: Mapping[str, Numbering] = field(default_factory=dict)


class Source(Protocol):
    """A table of predictions that is asked for summaries and batches, and not read as a whole.

    Every question may be asked more than once. What fails is an ``InputError`` that names the
    source; what such a source cannot answer is ``NotScanned``.
    """

    @property
    def name(self) -> str:
        """What messages call it."""
        ...

    @property
    def engine(self) -> str:
        """What reads the rows, for notes."""
        ...

    @property
    def is_parsed(self) -> bool:
        """Whether each question parses all rows, so that they are better spooled before."""
        ...

    def check(self) -> None:
        """Refuse what is damaged, before anything is asked."""
        ...

    def spooled(self, names: Sequence[str]) -> Files:
        """Some columns of all rows as Parquet files, in the order of the rows."""
        ...

    def head(self, rows: int) -> RawTable:
        """Some rows with all columns, typed as a reader of tables types them."""
        ...

    def facts(self, names: Sequence[str], score: str, count: str | None) -> Facts:
        """Lines, gaps in columns, and the range of the scores."""
        ...

    def distinct(self, name: str, most: int) -> list[Any]:
        """The values of a column, at most so many."""
        ...

    def batches(self, columns: Columns, by: Sequence[str] = ()) -> Iterator[list[NDArray[Any]]]:
        """The rows in batches, each valid until the next.

        Arrays of scores (float64), whether rows are positive (uint8), and the number of each
        column of ``by`` (int32).
        """
        ...

    def groups(
        self, columns: Columns, by: Sequence[str] = (), bins: int | None = None
    ) -> list[NDArray[Any]]:
        """Rows counted where they are, in any order of groups.

        Arrays of the number of each column of ``by``, of scores (rounded down to multiples of
        1 / ``bins``), of positive rows and of all rows.
        """
        ...


def refuse_facts(source: str, facts: Facts, count: str | None) -> None:
    """An error where lines lack a value, or a count is none."""
    if facts.odd_counts:
        raise InputError(
            f"{source}: column {count!r} holds a number that is not a count; a count is a "
            "whole number of rows, 0 or more"
        )
    for name, lacking in facts.lacking.items():
        if lacking:
            raise InputError(
                f"{source}: column {name!r} has no value in {plural(lacking, 'row')}; "
                "fill them in, or leave these rows out"
            )
    if not facts.lines or not facts.rows:
        raise InputError(f"{source} has no rows")
