"""What a simulation counts, and the tables it becomes."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


SEED = 1
SIZES = (20, 100, 1000)
RATES = (0.5, 0.9, 0.99)


class Tally:
    """Hits, widths and how often there was an interval, by name of the method."""

    def __init__(self) -> None:
        self.cells: dict[str, list[float]] = {}

    def add(self, name: str, limits: tuple[float, float] | None, truth: float) -> None:
        """Count the limits of one sample, or that there are none."""
        hits, width, count, asked = self.cells.get(name, [0.0, 0.0, 0.0, 0.0])
        if limits is not None:
            low, high = limits
            hits, width, count = hits + (low <= truth <= high), width + high - low, count + 1
        self.cells[name] = [hits, width, count, asked + 1]

    def text(self, name: str) -> str:
        """The cell of a method; empty where it was not tried."""
        if name not in self.cells:
            return ""
        hits, width, count, asked = self.cells[name]
        return shown(hits / count, width / count, count / asked) if count else "none"


def shown(covered: float, width: float, given: float = 1.0) -> str:
    """One cell of a table."""
    rate = f"{100 * covered:.1f}"
    rate = f"**{rate}**" if covered < 0.9 else rate
    few = f" ({100 * given:.0f}%)" if given < 0.995 else ""
    return f"{rate} / {width:.3f}{few}"


def counted(samples: int, whole: int, of: str = "samples") -> str:
    """Of how many samples a table is, of how many in a whole run, and how exact that makes it."""
    part = "" if samples == whole else f" (a whole run: {whole:,})"
    error = 100 * sqrt(0.05 * 0.95 / samples)
    return f"{samples:,} {of}{part}: a standard error of {error:.1f} points at 95%"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"
