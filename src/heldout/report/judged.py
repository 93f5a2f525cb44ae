"""What was judged, in a line or two: source, rows, classes, threshold, weights, prior, folds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from heldout.report.class_order import is_ordered, order_text
from heldout.report.document import Text
from heldout.report.names import label_text, request_of
from heldout.report.numbers import count_text, number_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from heldout.assess.scorecard import Scorecard

__all__ = ["doubts", "judged"]

#: so many classes are named one by one
NAMED = 8
DOUBT = "each taken as a class"


def doubts(card: Scorecard) -> list[Text]:
    """The notes that a scorecard shown in Python has: numbers that may be no classes."""
    if card.task != "multiclass":
        return []
    return [Text(f"note: {note}", "quiet") for note in card.notes if DOUBT in note]


def judged(card: Scorecard, measures: Iterable[str]) -> list[Text]:
    """The line that says what was judged, and the quiet one that says how.

    The prior and the order of the classes are named where one of the measures depends on them.
    """
    asked = set(measures)
    parts = [_rows(card)]
    if card.task == "regression":
        parts.append("regression")
    elif len(card.classes) <= NAMED:
        parts.append(f"classes {', '.join(map(label_text, card.classes))}")
    else:
        parts.append(f"{len(card.classes):,} classes")
    if card.positive is not None:
        parts.append(f"positive: {label_text(card.positive)}")
    source = f"{card.source}: " if card.source else ""
    lines = [Text(source + "; ".join(parts), "strong")]
    if how := "; ".join(_how(card, asked)):
        lines.append(Text(how, "quiet"))
    return lines


def _rows(card: Scorecard) -> str:
    sizes = sorted({tallies.rows for tallies in card.tallies})
    rows = f"{count_text(sizes[0])}{f' to {count_text(sizes[-1])}' if len(sizes) > 1 else ''}"
    word = "row" if sizes == [1] else "rows"
    if len(card.models) == 1:
        name = card.models[0]
        return f"model {label_text(name)}, {rows} {word}" if name else f"{rows} {word}"
    return f"{len(card.models)} models, {rows} {word} each"


def _how(card: Scorecard, asked: set[str]) -> Iterator[str]:
    """What else shaped the values."""
    uses_prior = any(request_of(name).measure.uses_prior for name in asked)
    p = card.predictions[0]
    thresholds = {q.threshold for q in card.predictions if q.threshold is not None}
    if len(thresholds) == 1:
        yield f"predicted {label_text(card.positive)} where score >= {thresholds.pop():.9g}"
    # a matrix of counts is kept as one weighted row a cell: those are no weights of a reader's
    if p.weight is not None and len(p.weight) == card.rows and (p.weight != 1).any():
        yield f"rows weighted (sum of weights {number_text(float(p.weight.sum()))})"
    if uses_prior and p.task == "regression":
        yield f"training mean {'as given' if p.train_mean is not None else 'taken from these rows'}"
    elif uses_prior:
        kinds = {"given": "as given", "training counts": "from training counts"}
        yield f"prior {kinds.get(p.prior.kind if p.prior else '', 'from these rows')}"
    if len(card.classes) > 2 and any(is_ordered(name) for name in asked):
        yield f"ordered measures take {order_text(card.classes)}"
    for word, column in (
        ("repeat", p.design.repeat),
        ("fold", p.design.fold),
        ("group", p.design.group),
    ):
        if column is not None:
            count = len(column.levels)
            if word == "group":  # rows that are not judged may be the only ones of some
                count = int(np.count_nonzero(np.bincount(column.codes)))
            yield f"{count:,} {word}{'s' if count != 1 else ''} ({column.name})"
