"""K15: a threshold or model that was chosen on the rows that judge it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.auditing.check import check
from karat.auditing.finding import Seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material

__all__ = ["chosen_here"]

#: from so many models on, the best of equals looks better by more than its standard error
MANY = 5


def _needs(material: Material) -> str:
    if material.predictions or material.chosen_threshold:
        return ""
    return "needs predictions, and to know what was chosen by them (karat score --best, --rank)"


@check(
    "K15",
    "chosen on the rows that judge",
    "warning",
    why="The best of many on these rows is partly the luckiest on them: its value is optimistic.",
    fix="Choose on other rows (a validation part, nested cross-validation), or read the optimism.",
    needs=_needs,
)
def chosen_here(material: Material) -> Iterator[Seen]:
    """What is known to have been chosen here."""
    if material.chosen_threshold:
        yield Seen(f"the threshold was chosen on these rows ({material.chosen_threshold})")
    count = len(material.predictions)
    if material.ranked_by and count > 1:
        yield Seen(
            f"{count} models are ranked by {material.ranked_by} on these rows",
            severity="warning" if count >= MANY else "note",
        )
