"""How wide the columns of a grid are on a screen, and where their heads break."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GAP", "column_widths", "few_lines", "folded", "longest_word"]

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
