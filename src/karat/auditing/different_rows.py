"""K14: models that were judged on different rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from karat.auditing.check import check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from karat.auditing.material import Material

__all__ = ["different_rows"]


@check(
    "K14",
    "models judged on different rows",
    "error",
    why="The easier rows make the better model.",
    fix="Judge all models on the same rows, with the same procedure and seed.",
)
def different_rows(material: Material) -> Iterator[tuple[str, str]]:
    """Models whose rows are not those of the first."""
    if len(material.predictions) < 2:
        return
    first, *others = material.predictions
    for p in others:
        place = f"{first.model} and {p.model}"
        if first.identifier is not None and p.identifier is not None:
            ours = set(map(str, first.identifier.tolist()))
            theirs = set(map(str, p.identifier.tolist()))
            if ours != theirs:
                yield (
                    f"{len(ours - theirs):,} ids only in {first.model}, "
                    f"{len(theirs - ours):,} only in {p.model}",
                    place,
                )
        elif len(p) != len(first):
            yield f"{len(first):,} and {len(p):,} rows", place
        elif p.classes == first.classes and not np.array_equal(p.truth, first.truth):
            row = int(np.argmax(p.truth != first.truth)) + 1
            yield f"the truth differs, first in row {row:,}", place
