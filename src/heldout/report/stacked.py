"""A grid too wide for the screen: a row is its name and, below it, each value with its head."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.report.document import Grid

__all__ = ["stacked"]


def stacked(grid: Grid, heads: Sequence[str], cells: Sequence[Sequence[str]]) -> Any:
    """The rows one below the other as rich text; no number is broken to make it fit."""
    from rich.text import Text

    drawn = Text(overflow="fold")
    for number in range(len(grid.rows)):
        line = [column[number].strip() for column in cells]
        if heading := grid.sections.get(number, ""):
            drawn.append(f"{heading}\n", "italic")
        # a column without a head (an arrow) belongs to the name
        name = " ".join(
            cell for i, cell in enumerate(line) if cell and (not i or not heads[i].strip())
        )
        if grid.columns[0].align == "decimal":  # a number alone is no name
            drawn.append(f"{heads[0]} ", "dim")
        drawn.append(f"{name}\n", "bold")
        for head, cell in zip(heads[1:], line[1:], strict=True):
            if head.strip() and cell:
                drawn.append(f"  {' '.join(head.split())} ", "dim")
                drawn.append(f"{cell}\n")
    drawn.rstrip()
    return drawn
