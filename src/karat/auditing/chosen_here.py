"""K15: a threshold or model that was chosen on the rows that judge it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.auditing.check import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material

__all__ = ["chosen_here"]


@check(
    "K15",
    "chosen on the rows that judge",
    "warning",
    why="The best of many on these rows is partly the luckiest on them: its value is optimistic.",
    fix="Choose on other rows (a validation part, nested cross-validation), or read the optimism.",
)
def chosen_here(material: Material) -> Iterator[tuple[str, str]]:
    """What is known to have been chosen here."""
    if material.chosen_threshold:
        yield f"the threshold was chosen on these rows ({material.chosen_threshold})", ""
