"""What was guessed, decided or went wrong on the way, as a block below a result's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.report.document import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.report.document import Block

__all__ = ["MOST", "notes_block"]

#: notes that are shown where all of them would hide the tables
MOST = 12


def notes_block(notes: Sequence[str]) -> tuple[Block, ...]:
    """The notes under their heading; nothing where there are none.

    Examples
    --------
    >>> [block.text for block in notes_block(["1 column with one value only"])]
    ['Notes', '- 1 column with one value only']
    """
    if not notes:
        return ()
    more = len(notes) - MOST
    lines = [f"- {' '.join(note.split())}" for note in notes[:MOST]]
    lines += [f"- and {more:,} more: .notes has all"] if more > 0 else []
    return Text("Notes", "strong"), *(Text(line) for line in lines)
