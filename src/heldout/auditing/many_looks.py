"""K16: the same test set looked at again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heldout.auditing.check import check
from heldout.auditing.finding import Seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material

__all__ = ["many_looks"]

#: the best of ten equals lies 1.5 standard errors above them on average, that of twenty 1.9
MANY, VERY_MANY = 10, 20


def _needs(material: Material) -> str:
    if material.looks is not None:
        return ""
    return "needs a run store that remembers which models were judged on these rows"


@check(
    "K16",
    "a test set looked at again and again",
    "warning",
    why=(
        "Every model tried on the same rows is a ticket in a lottery: the best result grows with "
        "the number of tries, without any model being better."
    ),
    fix="Keep a part of the data that is looked at once, at the end.",
    needs=_needs,
)
def many_looks(material: Material) -> Iterator[Seen]:
    """How many models were judged on these very test rows or on these data, by the run store."""
    looks = material.looks or 0
    known_by = "by the run store" + " (a search counts as one)" * (material.data is not None)
    if looks >= MANY:
        is_one = material.splits is None or len(material.splits) == 1
        these = "this very test set" if is_one else "these very splits"
        yield Seen(
            f"{looks:,} models were judged on {these}, {known_by}",
            severity="note" if looks < VERY_MANY else None,
        )
    elif looks + material.looks_elsewhere >= MANY:
        # other test rows of the same data: what was learnt there helps here, but less
        also = f", {looks:,} of them on these very test rows" if looks else ", on other test rows"
        yield Seen(
            f"{looks + material.looks_elsewhere:,} models were judged on these data{also}, "
            f"{known_by}",
            severity="note",
        )
