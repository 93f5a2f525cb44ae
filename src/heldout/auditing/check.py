"""The register of checks: each is a function of the material that yields what it saw.

What checks need to look at, how its absence is said, and what becomes of what they saw stand here
too: findings, and checks that could not be made.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from heldout.core.dialect import worded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from heldout.auditing.material import Material

    Look = Callable[[Material], "Iterable[Seen | Unseen]"]

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


def listed_rows(rows: Any) -> str:
    """The first few of some rows, counted from 1.

    Examples
    --------
    >>> listed_rows([155]), listed_rows([0, 1])
    ('row 156', 'rows 1, 2')
    """
    numbers = [f"{row + 1:,}" for row in rows[:5]]
    return f"row{'s' * (len(rows) != 1)} {some(numbers)}{' ...' * (len(rows) > 5)}"


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


#: the files that hold checks: of data, and those that predictions alone are enough for
OF_DATA = ("shared_rows", "near_rows", "dependent_rows", "telling_feature", "column_checks")
OF_PREDICTIONS = ("prepared", "class_checks", "score_checks", "model_checks")
CHECKS: dict[str, Check] = {}


@dataclass(frozen=True, slots=True)
class Check:
    """A numbered check: what it looks for, how grave that is, why, and what to do.

    ``needs`` says what the material lacks for this check, or nothing; ``by_split``: it goes
    through the splits of the data.
    """

    code: str
    title: str
    severity: Severity
    why: str
    fix: str
    needs: Callable[[Material], str]
    look: Look
    by_split: bool = False

    @property
    def remedy(self) -> str:
        """The fix, with its arguments as the reader writes them."""
        return worded(self.fix)

    def __call__(self, material: Material) -> Iterator[Finding | Unchecked]:
        """The findings, and what could not be looked at."""
        lacking = self.needs(material)
        if lacking:
            yield Unchecked(self.code, self.title, lacking)
            return
        splits = 0 if material.parts is None else len(material.parts[1])
        if self.by_split and material.shown_splits < splits:
            reason = f"{material.shown_splits:,} of {splits:,} splits were gone through"
            yield Unchecked(self.code, self.title, reason, is_partial=True)
        for seen in self.look(material):
            if isinstance(seen, Unseen):
                is_partial = not seen.is_all
                yield Unchecked(self.code, self.title, seen.reason, is_partial, seen.is_for_size)
            else:
                yield Finding(
                    self.code,
                    self.title,
                    seen.severity or self.severity,
                    seen.text,
                    self.why,
                    self.remedy,
                    seen.place,
                    tuple(int(row) + 1 for row in seen.rows[:MOST_ROWS]),
                    tuple(seen.columns[:MOST_ROWS]),
                )

    def all_of(self, material: Material) -> list[Finding | Unchecked]:
        """All that was found, and what could not be looked at.

        Values that overflow or are infinite are no reason to stop: they are not near any other.
        """
        with np.errstate(all="ignore"):
            return list(self(material))

    def findings(self, material: Material) -> list[Finding]:
        """The findings alone."""
        return [seen for seen in self.all_of(material) if isinstance(seen, Finding)]


def check(
    code: str,
    title: str,
    severity: Severity,
    *,
    why: str,
    fix: str,
    needs: Callable[[Material], str],
    by_split: bool = False,
) -> Callable[[Look], Look]:
    """Register a check; the function yields what was seen, and where."""

    def register(look: Look) -> Look:
        CHECKS[code] = Check(code, title, severity, why, fix, needs, look, by_split)
        return look

    return register


def all_checks(*, has_data: bool = True) -> tuple[Check, ...]:
    """Every check, in the order of their codes; without data those that can do without."""
    files = (*OF_PREDICTIONS, *(OF_DATA if has_data else ()))
    names = [import_module(f"heldout.auditing.{file}").__name__ for file in files]
    return tuple(CHECKS[code] for code in sorted(CHECKS) if CHECKS[code].look.__module__ in names)


SIDES = "needs training and test rows: two tables, or data with a procedure or splits"
REGRESSION = "is of classes, and this is regression"


def sides(material: Material) -> str:
    """Rows that train and rows that test."""
    return "" if material.sides or material.parts else SIDES


def features(material: Material) -> str:
    """Columns beside the target."""
    if material.trained is None:
        return "needs data: the columns that models are trained on"
    return "" if material.trained.features else "the data have no columns of numbers or names"


def truth(material: Material) -> str:
    """Rows that judge, with classes."""
    judging = material.predictions[0] if material.predictions else material.judging
    if judging is None:
        return "needs test rows: a test set, data, or predictions"
    return "" if judging.classes else REGRESSION


def scores(material: Material) -> str:
    """Predictions with scores."""
    if not material.predictions:
        return "needs predictions"
    if any(p.scores is not None for p in material.predictions):
        return ""
    return "needs predictions with scores or probabilities"


def name_of(value: Any) -> str:
    """The text of a name; 7.0 is 7, as a column with missing values has it.

    Examples
    --------
    >>> name_of(7.0), name_of(7), name_of("7")
    ('7', '7', '7')
    """
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def too_large(material: Material, *, is_all: bool) -> Unseen | None:
    """That a check which goes through all values is skipped for size, where it is."""
    if material.most_values is None:
        return None
    values = sum(
        len(data) * len(data.features)
        for data in (material.train, material.test, material.data)
        if data is not None
    )
    if values <= material.most_values:
        return None
    reason = f"skipped for size ({values:,} values): heldout audit has no such limit"
    return Unseen(reason, is_all, is_for_size=True)
