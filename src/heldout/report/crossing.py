"""Values by two names (model and measure, slice and measure) as grids that fit a width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heldout.report.document import Column, Grid
from heldout.report.widths import GAP, longest_word

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Crossing", "grids"]

#: a title that is longer may break
BREAKABLE = 24
#: what a grid is indented by
INDENT = 2


@dataclass(frozen=True, slots=True)
class Crossing:
    """Cells by row and column, both named, before it is known which way they fit.

    ``corner`` says what the rows are, ``across`` what the columns are; a line stands above
    row ``rule`` where that is not 0. Names of rows are kept whole, unless they are titles
    (``has_titles``), which may break between words.
    """

    title: str
    corner: str
    across: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    rule: int = 0
    has_titles: bool = False

    @property
    def turned(self) -> Crossing:
        """Rows as columns, and columns as rows."""
        cells = tuple(zip(*self.cells, strict=True))
        return Crossing(
            self.title,
            self.across,
            self.corner,
            self.columns,
            self.rows,
            cells,
            self.notes,
            has_titles=not self.has_titles,
        )

    def widths(self) -> list[int]:
        """The narrowest each column can be: heads wrap between words, cells do not wrap."""
        first = max(map(len, (*self.rows, self.corner)), default=0)
        if self.has_titles:
            first = min(first, max(BREAKABLE, *map(longest_word, self.rows)))
        others = [
            max(longest_word(head), *(len(line[i]) for line in self.cells))
            for i, head in enumerate(self.columns)
        ]
        return [first, *others]

    def grid(self, start: int, stop: int, *, is_last: bool = True) -> Grid:
        """The grid of some of the columns."""
        heads = [Column(head, "decimal") for head in self.columns[start:stop]]
        return Grid(
            self.title if not start else "",
            (Column(self.corner, excess="wrap" if self.has_titles else "cut"), *heads),
            tuple(
                (name, *line[start:stop]) for name, line in zip(self.rows, self.cells, strict=True)
            ),
            sections={self.rule: ""} if self.rule else {},
            notes=self.notes if is_last else (),
        )


def grids(crossing: Crossing, width: int | None, *, may_turn: bool = True) -> list[Grid]:
    """As given or turned, whichever needs fewer grids to fit; as given where both need the same."""
    if not crossing.rows or not crossing.columns:
        return []
    turned = (crossing.turned,) if may_turn else ()
    ways = [(way, _spans(way.widths(), width)) for way in (crossing, *turned)]
    way, spans = min(ways, key=lambda pair: len(pair[1]))
    return [way.grid(a, b, is_last=b == len(way.columns)) for a, b in spans]


def _spans(widths: Sequence[int], width: int | None) -> list[tuple[int, int]]:
    """Runs of columns that fit beside the first one; at least one column each."""
    if width is None:
        return [(0, len(widths) - 1)]
    spans, start = [], 0
    for stop in range(1, len(widths)):
        if stop - start > 1 and _total([widths[0], *widths[start + 1 : stop + 1]]) > width:
            spans.append((start, stop - 1))
            start = stop - 1
    return [*spans, (start, len(widths) - 1)]


def _total(widths: Sequence[int]) -> int:
    return INDENT + sum(widths) + GAP * (len(widths) - 1)
