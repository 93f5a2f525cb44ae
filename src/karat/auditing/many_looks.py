"""K16: the same test set looked at again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from karat.auditing.check import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material

__all__ = ["many_looks"]

#: from so many models on, the best of them is worth a word
MANY = 10


@check(
    "K16",
    "a test set looked at again and again",
    "warning",
    why=(
        "Every model tried on the same rows is a ticket in a lottery: the best result grows with "
        "the number of tries, without any model being better."
    ),
    fix="Keep a part of the data that is looked at once, at the end.",
)
def many_looks(material: Material) -> Iterator[tuple[str, str]]:
    """How many models were judged on this very test set, by the run store."""
    if material.looks >= MANY:
        yield f"{material.looks} models were judged on this very test set", ""
