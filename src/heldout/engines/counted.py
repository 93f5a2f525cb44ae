"""Score counts as predictions: the rows that were counted, decoded where they are read.

Of two classes and one score everything but the order of rows follows from the score counts, so
these are all that an engine need keep: as packed keys of exact scores, as sums of files of counts,
or of rounded scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.core.dialect import argument
from heldout.core.notes import Lack
from heldout.engines.protocol import SLICE
from heldout.tally.confusion import Confusion
from heldout.tally.decoded import DecodedColumn
from heldout.tally.packed_scores import rows_of
from heldout.tally.roc import first_where

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from heldout.engines.protocol import By
    from heldout.predictions.table import Predictions
    from heldout.tally.rows import ProbabilityRows
    from heldout.tally.scores import ScoreCounts


def _no_parts(columns: tuple[str, ...]) -> tuple[Sequence[int], Sequence[ScoreCounts]]:
    raise ValueError(f"the counts are not kept by {columns}")


@dataclass(frozen=True, slots=True, eq=False)
class CountsByPart:
    """Where score counts come from: those of all rows, and of each part of them.

    ``by`` gives, for columns of slices, the codes of the parts that have rows (as one number, the
    last column running fastest) and the counts of each.
    """

    counts: ScoreCounts
    by: Callable[[tuple[str, ...]], tuple[Sequence[int], Sequence[ScoreCounts]]] = _no_parts

    def parts(self, columns: tuple[str, ...]) -> tuple[Sequence[int], Sequence[ScoreCounts]]:
        """Codes and counts of the parts; without columns there is one."""
        return self.by(columns) if columns else ([0], [self.counts])


def with_rows_of(source: CountsByPart | ScoreCounts, template: Predictions) -> Predictions:
    """Predictions of the rows that were counted; all but the rows is as in the template.

    Examples
    --------
    >>> import heldout
    >>> from heldout.tally.scores import ScoreCounts
    >>> template = heldout.from_arrays([0, 1], y_score=[0.2, 0.9])
    >>> counts = ScoreCounts(np.array([0.9, 0.5]), np.array([1, 1]), np.array([0, 2]), 4)
    >>> rows = with_rows_of(counts, template)
    >>> rows.truth[:].tolist(), rows.predicted[:].tolist()
    ([1, 0, 0, 1], [1, 1, 1, 1])
    """
    origin = source if isinstance(source, CountsByPart) else CountsByPart(source)
    positive, counts = template.positive, origin.counts
    scores, is_positive = rows_of(counts)
    scores.origin = origin

    def codes(flags: NDArray[Any]) -> NDArray[np.int8]:
        return flags.astype(np.int8) if positive == 1 else 1 - flags.astype(np.int8)

    predicted = None
    if template.threshold is not None:
        rows = cache(partial(_rows_from, counts, template.threshold))  # where it is first needed
        predicted = DecodedColumn(
            counts.rows, np.int8, lambda places: codes(_is_first(places, rows()))
        )
    truth = DecodedColumn(counts.rows, np.int8, lambda places: codes(is_positive[places]))
    columns: Any = {"truth": truth, "predicted": predicted, "scores": scores}
    return replace(template, **columns, is_unordered=True)


def origin_of(p: Predictions) -> CountsByPart | None:
    """Where the counts are from that rows were decoded from; None where there are rows."""
    scores: Any = p.scores
    is_decoded = isinstance(scores, DecodedColumn) and isinstance(p.truth, DecodedColumn)
    origin: CountsByPart | None = scores.origin if is_decoded and p.weight is None else None
    return origin


def counts_of(p: Predictions) -> ScoreCounts | None:
    """The counts that rows were decoded from; None where there are rows."""
    origin = origin_of(p)
    return None if origin is None else origin.counts


def lack_of_parts(p: Predictions, by: tuple[By, ...]) -> Lack | None:
    """Why counts cannot be had by these parts; None where they can, or there are rows."""
    columns = [name.removeprefix(SLICE) for name in by if name.startswith(SLICE)]
    if origin_of(p) is None or (len(columns) < 2 and "class" not in by[:-1]):
        return None
    names = ", ".join(columns or by)
    return Lack(
        f"scores of rows that are not kept are counted by one column at a time, not by {names} "
        f"together; {argument('engine', 'memory')} reads all rows"
    )


def class_rows_of(p: Predictions) -> NDArray[Any]:
    """Rows (or their weight) of each true class."""
    counts = counts_of(p)
    if counts is None:
        return np.bincount(p.truth, p.weight, minlength=len(p.classes))
    rows = [int(counts.total_negatives), int(counts.total_positives)]
    return np.array(rows if p.positive == 1 else rows[::-1])


def _is_first(places: Any, rows: int) -> NDArray[np.bool_]:
    """Which of some places are among so many first rows."""
    if isinstance(places, slice):
        places = np.arange(places.start, places.stop)
    return np.asarray(places < rows)


def _rows_from(counts: ScoreCounts, threshold: float) -> int:
    """How many rows have at least this score."""
    return sum(sides_from(counts, threshold))


def sides_from(counts: ScoreCounts, threshold: float) -> tuple[int, int]:
    """How many positive and negative rows have at least this score."""
    cut = first_where(len(counts.score), lambda i: bool(counts.score[i] < threshold))
    return (int(counts.tp[cut - 1]), int(counts.fp[cut - 1])) if cut else (0, 0)


def confusion_of(p: Predictions) -> Confusion | None:
    """The confusion counts of labels that a threshold gave; None where they are told otherwise."""
    counts = counts_of(p)
    if counts is None or p.threshold is None or not isinstance(p.predicted, DecodedColumn):
        return None
    tp, fp = sides_from(counts, p.threshold)
    table = np.array(
        [[counts.total_negatives - fp, fp], [counts.total_positives - tp, tp]], np.int64
    )
    return Confusion.from_matrix(
        table if p.positive == 1 else table[::-1, ::-1], positive=p.positive
    )


def cells_of(rows: ProbabilityRows, p: Predictions) -> ProbabilityRows | None:
    """The rows with one for all that have the same truth and score, and their number as weight.

    None where that would not be fewer, or rows are told apart by more.
    """
    counts = counts_of(p)
    is_by_score = p.predicted is None or isinstance(p.predicted, DecodedColumn)
    if counts is None or 2 * len(counts.score) > counts.rows or not is_by_score:
        return None
    if rows.prior_codes is not None:
        return None
    positive = p.positive
    assert positive is not None
    weight = np.concatenate([np.asarray(counts.negatives), np.asarray(counts.positives)])
    kept = weight > 0
    score = np.tile(np.asarray(counts.score), 2)[kept]
    is_positive = np.repeat([False, True], len(counts.score))[kept]

    def codes(flags: NDArray[np.bool_]) -> NDArray[np.int8]:
        return np.where(flags, positive, 1 - positive).astype(np.int8)

    return replace(
        rows,
        truth=codes(is_positive),
        probability=score,
        predicted=None if p.threshold is None else codes(score >= p.threshold),
        weight=weight[kept].astype(float),
    )
