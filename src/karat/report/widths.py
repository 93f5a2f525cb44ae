"""How wide the columns of a grid are on a screen, and where their heads break."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GAP", "column_widths", "folded", "longest_word"]

#: spaces between two columns
GAP = 2
#: prose gives way down to this
READABLE = 24
#: a column that must give way is not made narrower than this
NARROWEST = 12
#: an arrow stays with the word before it
BOUND = re.compile(r" (?=[↑↓→]$)")


def column_widths(
    heads: Sequence[str], cells: Sequence[Sequence[str]], prose: Sequence[bool], room: int
) -> list[int]:
    """As wide as each column needs; where room is short, heads and then prose give way.

    Of two columns of prose the last gives way first: it holds remarks, not names.
    """
    from rich.cells import cell_len

    room -= GAP * (len(heads) - 1)
    inner = [max(map(cell_len, column), default=0) for column in cells]
    widths = [max(width, cell_len(head)) for width, head in zip(inner, heads, strict=True)]
    for i, head in enumerate(heads):
        if sum(widths) > room and not prose[i]:
            widths[i] = max(inner[i], min(widths[i], longest_word(head)))
    for i in reversed([i for i, is_prose in enumerate(prose) if is_prose]):
        needed = max(READABLE, longest_word(heads[i]))
        widths[i] = max(min(widths[i], needed), widths[i] - max(sum(widths) - room, 0))
    while sum(widths) > room and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def longest_word(head: str) -> int:
    """The narrowest that a head can be.

    Examples
    --------
    >>> longest_word("Brier score ↑")
    7
    """
    return max(map(len, BOUND.sub("\0", head).split()), default=0)


def folded(head: str, width: int) -> str:
    r"""A head broken between words so that it fits.

    Examples
    --------
    >>> folded("Brier score ↑", 8)
    'Brier\nscore ↑'
    """
    return "\n".join(wrap(BOUND.sub("\0", head), max(width, 1))).replace("\0", " ")
