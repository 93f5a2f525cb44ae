"""What a check of the audit saw: how grave, in which rows, why it matters, how to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Finding", "SEVERITIES", "Severity", "some"]

Severity = Literal["error", "warning", "note"]
#: from grave to mild: a broken rule, a likely fault, something to know
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


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
    """

    code: str
    title: str
    severity: Severity
    seen: str
    why: str
    fix: str
    where: str = ""

    @property
    def words(self) -> str:
        """The finding in one paragraph."""
        place = f" [{self.where}]" if self.where else ""
        return f"{self.code} {self.title}{place}: {self.seen}. {self.why} {self.fix}"


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
