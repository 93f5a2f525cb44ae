"""Why values of a table have no interval, or are undefined: a line a reason."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.report.intervals import few
from heldout.report.names import bare_title

if TYPE_CHECKING:
    from collections.abc import Iterable

    from heldout.assess.results import Result

__all__ = ["absences", "reason_of"]

NO_INTERVAL = "no interval: "
#: so many reasons are given; of more, their number
MOST_REASONS = 12


def reason_of(result: Result) -> str:
    """Why a result is undefined or has no interval, as a clause; empty where nothing lacks.

    Examples
    --------
    >>> from heldout.assess.results import Result
    >>> from heldout.core.notes import Kind, Note
    >>> reason_of(Result("auc", 0.5, 10, (Note("too few rows", Kind.NO_INTERVAL),)))
    'no interval: too few rows'
    """
    if not result.is_defined:
        return result.note or "undefined"
    _, found, reason = result.note.partition(NO_INTERVAL)
    return f"{NO_INTERVAL}{reason}" if found and result.low is None else ""


def absences(cells: Iterable[tuple[str, str, Result]]) -> tuple[str, ...]:
    """A line for each reason, with the measures and the rows of the table it belongs to.

    ``cells`` are the name of a row, that of a measure, and the result of both.
    """
    where: dict[tuple[str, str], list[str]] = {}
    for row, measure, result in cells:
        if reason := reason_of(result):
            where.setdefault((reason, bare_title(measure)), []).append(row)
    about: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (reason, title), found in where.items():
        about.setdefault((reason, tuple(found)), []).append(title)
    of_reason: dict[str, list[str]] = {}
    for (reason, rows), titles in about.items():
        of_reason.setdefault(reason, []).append(f"{few(titles)} ({few(rows)})")
    lines = [f"{'; '.join(parts)}: {reason}" for reason, parts in of_reason.items()]
    more = len(lines) - MOST_REASONS
    rest = [f"{more} more reasons: --format csv gives all"] if more > 0 else []
    return (*lines[:MOST_REASONS], *rest)
