"""Labels that may be slips: written in two ways, predicted but never true, or of few rows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from heldout.predictions.label_values import in_family
from heldout.predictions.part import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from heldout.predictions.classes import Classes
    from heldout.predictions.labels import LabelColumn
    from heldout.predictions.table import Label

__all__ = ["bare", "only_predicted", "stray_label"]

#: a label of one in so many rows may be a slip
RARE = 20
#: so many are named
MOST = 3


def bare(label: Label | None) -> str:
    """A label without its spaces and capitals.

    Examples
    --------
    >>> bare("Yes ")
    'yes'
    """
    return "".join(str(label).split()).casefold()


def stray_label(
    classes: Classes, truths: Sequence[LabelColumn], chosen: Sequence[LabelColumn]
) -> str:
    """The label of several that is most likely a slip, with its rows, as a clause; or nothing."""
    true, predicted = _counts(classes, truths), _counts(classes, chosen)
    both = true + predicted
    if len(both) < 3:
        return ""
    seen: dict[str, Label] = {}
    for label in sorted(both, key=lambda one: -both[one]):
        first = seen.setdefault(bare(label), label)
        if first != label:
            where = _first(classes, label, [*truths, *chosen])
            rows = plural(both[label], "row")
            return f"; {label!r}, of {rows} ({where}), is {first!r} but for case or spaces"
    untrue = [label for label in predicted if not true[label]]
    if untrue:
        rows = plural(predicted[untrue[0]], "row")
        where = _first(classes, untrue[0], chosen)
        return f"; {untrue[0]!r} is predicted in {rows} ({where}) and is the truth of none"
    rarest = min(true, key=lambda label: true[label])
    if RARE * true[rarest] > true.total():
        return ""
    where = _first(classes, rarest, truths)
    return f"; {rarest!r} is the truth of {plural(true[rarest], 'row')} only ({where})"


def only_predicted(
    classes: Classes, truths: Sequence[LabelColumn], chosen: Sequence[LabelColumn]
) -> list[str]:
    """A note on classes that are predicted and that no row truly has: slips, or rare ones."""
    never_true = _occurring(classes, chosen) - _occurring(classes, truths)
    untrue = [label for label in classes.labels if label in never_true]
    if not untrue:
        return []
    predicted = _counts(classes, chosen)
    said = [
        f"{label!r} in {plural(predicted[label], 'row')} ({_first(classes, label, chosen)})"
        for label in untrue[:MOST]
    ]
    more = f" and {len(untrue) - MOST:,} more" if len(untrue) > MOST else ""
    return [f"predicted, and the truth of no row: {', '.join(said)}{more}"]


def _occurring(classes: Classes, columns: Sequence[LabelColumn]) -> set[Label | None]:
    return {in_family(level, classes.family) for column in columns for level in column.occurring}


def _counts(classes: Classes, columns: Sequence[LabelColumn]) -> Counter[Label]:
    """How many rows have each label, over all tables."""
    found: Counter[Label] = Counter()
    for column in columns:
        counts = np.bincount(column.codes, minlength=len(column.levels)).tolist()
        for level, count in zip(column.levels, counts, strict=False):
            label = in_family(level, classes.family)
            if count and label is not None:
                found[label] += count
    return found


def _first(classes: Classes, label: Label, columns: Sequence[LabelColumn]) -> str:
    """The first row that has a label, in whichever table, and its table's name among several."""
    for column in columns:
        for level in column.occurring:
            if in_family(level, classes.family) == label:
                return f"first: {column.place(level)}"
    return ""
