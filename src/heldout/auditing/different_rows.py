"""K14: models that were judged on different rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import Seen, some
from heldout.auditing.needs import models

if TYPE_CHECKING:
    from collections.abc import Iterator

    from heldout.auditing.material import Material
    from heldout.predictions.table import Predictions

__all__ = ["different_rows"]


@check(
    "K14",
    "models judged on different rows",
    "error",
    why="The easier rows make the better model.",
    fix="Judge all models on the same rows, with the same procedure and seed.",
    needs=models,
)
def different_rows(material: Material) -> Iterator[Seen]:
    """Models whose rows are not those of the first."""
    first, *others = material.predictions
    for p in others:
        place = f"{first.model} and {p.model}"
        if first.identifier is not None and p.identifier is not None:
            yield from _by_name(first, p, place)
        elif len(p) != len(first):
            yield Seen(f"{len(first):,} and {len(p):,} rows", place)
        elif p.classes == first.classes and not np.array_equal(p.truth, first.truth):
            different = np.flatnonzero(p.truth != first.truth)
            # without names of rows, another order is as likely as other rows
            same = np.array_equal(np.sort(p.truth), np.sort(first.truth))
            hint = "; the same labels in another order, perhaps: give --id" if same else ""
            yield Seen(
                f"the truth differs in {len(different):,} of {len(p):,} rows, first in row "
                f"{different[0] + 1:,}{hint}",
                place,
                tuple((different[:100] + 1).tolist()),
            )


def _by_name(first: Predictions, p: Predictions, place: str) -> Iterator[Seen]:
    ours, theirs = first.identifier, p.identifier
    assert ours is not None
    assert theirs is not None
    if ours.shape == theirs.shape and bool(np.asarray(ours == theirs).all()):
        return
    known, asked = (set(map(str, names.tolist())) for names in (ours, theirs))
    if known != asked:
        only = sorted(known - asked) or sorted(asked - known)
        yield Seen(
            f"{len(known - asked):,} ids only in {first.model}, {len(asked - known):,} only in "
            f"{p.model} ({some(only)})",
            place,
        )
