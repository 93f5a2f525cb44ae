"""K17: classes so unequal that accuracy says little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.auditing.check import check
from heldout.auditing.finding import Seen, some
from heldout.auditing.needs import truth
from heldout.evaluation.row_losses import is_share_of_rows
from heldout.measures.spec import parse_request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from heldout.auditing.material import Material
    from heldout.predictions.table import Label

__all__ = ["imbalance"]

#: from this share of the largest class on, its share is worth knowing beside the accuracy
LARGE = 0.8


@check(
    "K17",
    "accuracy says little here",
    "note",
    why="A model that always names the commonest class has that class's share as its accuracy.",
    fix="Read balanced accuracy, AUC, or profit; compare accuracy with the no-information rate.",
    needs=truth,
)
def imbalance(material: Material) -> Iterator[Seen]:
    """A class that makes up most rows, and models not above it; where accuracy is looked at."""
    shown = material.measures
    if shown is not None and not any(is_share_of_rows(parse_request(name)) for name in shown):
        return
    models: dict[str, list[str]] = {}
    for p, tallies in zip(material.predictions, material.tallies, strict=True):
        if not p.classes:
            continue
        counts = np.bincount(p.truth, p.weight, minlength=len(p.classes))
        share, said = _largest(counts, p.classes)
        if share < LARGE:
            continue
        models.setdefault(said, [])
        if tallies.has_labels:
            confusion = tallies.confusion
            right = float(confusion.counts[confusion.truth == confusion.predicted].sum())
            right /= float(confusion.counts.sum())
            beside = "above" if right > share else "not above"
            of = f" of {p.model}" if p.model else ""
            models[said].append(f"the accuracy{of}, {100 * right:.3g} %, is {beside} that")
    for said, accuracies in models.items():
        yield Seen("; ".join([said, *([some(accuracies)] if accuracies else [])]))
    data = material.test if material.test is not None else material.data
    if not material.predictions and data is not None:
        counts = np.bincount(data.truth, minlength=len(data.classes))
        share, said = _largest(counts, data.classes)
        if share >= LARGE:
            yield Seen(said)


def _largest(counts: NDArray[Any], classes: tuple[Label, ...]) -> tuple[float, str]:
    """The share of the largest class, as a number and in words."""
    share = float(counts.max() / counts.sum()) if counts.sum() > 0 else 0.0
    return share, f"class {classes[int(counts.argmax())]} has {100 * share:.3g} % of the rows"
