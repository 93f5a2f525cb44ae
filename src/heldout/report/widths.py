"""How wide columns are on a screen, where heads break, and values by two names that have to fit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING

from heldout.report.document import Column, Grid

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Crossing", "GAP", "column_widths", "few_lines", "folded", "grids", "longest_word"]

#: spaces between two columns
GAP = 2
#: prose gives way down to this
READABLE = 24
#: but prose is not made narrower than this
NARROWEST = 12
#: a head is not made taller than this while there is room beside it
LINES = 3
#: an arrow stays with the word before it
BOUND = re.compile(r" (?=[↑↓→]$)")


def column_widths(
    heads: Sequence[str],
    cells: Sequence[Sequence[str]],
    prose: Sequence[bool],
    firm: Sequence[bool],
    room: int,
) -> list[int] | None:
    """As wide as each column needs; where room is short, heads and then prose give way.

    Of two columns of prose the last gives way first: it holds remarks, not names. Cells that
    are ``firm`` (numbers) never break, others only between words. None: no width will do.
    """
    from rich.cells import cell_len

    room -= GAP * (len(heads) - 1)
    inner = [max(map(cell_len, column), default=0) for column in cells]
    widths = [max(width, cell_len(head)) for width, head in zip(inner, heads, strict=True)]
    for narrowest in (few_lines, longest_word):
        for i, head in enumerate(heads):
            if sum(widths) > room and not prose[i]:
                widths[i] = max(inner[i], min(widths[i], narrowest(head)))
    last_first = [i for i in reversed(range(len(heads))) if prose[i]]
    for i in last_first:
        needed = max(READABLE, longest_word(heads[i]))
        widths[i] = max(min(widths[i], needed), widths[i] - max(sum(widths) - room, 0))
    # what is no prose breaks between words, and prose becomes as narrow as its words allow
    for i in [*(i for i, is_firm in enumerate(firm) if not is_firm and not prose[i]), *last_first]:
        needed = max(longest_word(heads[i]), *map(longest_word, cells[i]), NARROWEST * prose[i])
        widths[i] = max(min(widths[i], needed), widths[i] - max(sum(widths) - room, 0))
    return widths if sum(widths) <= room else None


def longest_word(head: str) -> int:
    """The narrowest that a head can be.

    Examples
    --------
    >>> longest_word("Brier score ↑")
    7
    """
    from rich.cells import cell_len

    # a bound space is as wide as any other, though the sign that stands for it is not
    return max(
        (cell_len(word.replace("\0", " ")) for word in BOUND.sub("\0", head).split()), default=0
    )


def few_lines(head: str) -> int:
    """The narrowest that a head can be without becoming taller than ``LINES``.

    Examples
    --------
    >>> few_lines("Area under the ROC curve ↑, mean of samples")
    15
    """
    from rich.cells import cell_len

    # letters of double width take two cells
    widths = range(longest_word(head), cell_len(head) + 2)
    return next(width for width in widths if folded(head, width).count("\n") < LINES)


def folded(head: str, width: int) -> str:
    r"""A head broken between words so that it fits.

    Examples
    --------
    >>> folded("Brier score ↑", 8)
    'Brier\nscore ↑'
    """
    return "\n".join(wrap(BOUND.sub("\0", head), max(width, 1))).replace("\0", " ")


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
