"""Leave-p-out: values of all splits pooled, and the area under the curve as their mean."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from heldout.assess.parts import Part
from heldout.core.notes import as_notes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from heldout.assess.results import Result
    from heldout.engines.memory import Tallies
    from heldout.measures.spec import Request

__all__ = ["areas_of_parts", "pooled_splits"]


def pooled_splits(
    tallies: Tallies,
    requests: Sequence[Request],
    results_of: Callable[[Part, Request], Iterator[Result]],
) -> Iterator[tuple[Request, Result]]:
    """The value of each measure, all splits pooled: every row is tested equally often.

    A split tests a handful of rows, on which few measures say anything. The area under the
    curve does: there the mean of the splits is the share of pairs that one model, which was
    trained on neither, puts in order (Airola et al. 2011, leave-pair-out).
    """
    p = tallies.predictions
    assert p.design.repeat is not None
    present, codes = np.unique(p.design.repeat.codes, return_inverse=True)
    whole, said = Part(tallies), f"all {len(present):,} splits pooled"
    for request in requests:
        for result in results_of(whole, request):
            areas = _areas(request, tallies, codes, len(present)) if not result.class_ else None
            if areas is None:
                yield request, result.noted(said)
                continue
            known = areas[~np.isnan(areas)]
            if len(known):
                of = f"mean of {len(known):,} of {len(present):,} splits"
                notes = as_notes(f"{of}: the others test rows of one class only")
                result = replace(result, value=float(known.mean()), notes=notes)
            yield request, result


def _areas(
    request: Request, tallies: Tallies, codes: NDArray[Any], count: int
) -> NDArray[np.float64] | None:
    p = tallies.predictions
    is_plain = request.measure.name == "auc" and not request.average and request.label is None
    if not is_plain or p.task != "binary" or p.weight is not None or p.scores is None:
        return None
    return areas_of_parts(p.scores, p.truth == p.positive, codes, count)


def areas_of_parts(
    scores: NDArray[Any], is_positive: NDArray[np.bool_], codes: NDArray[Any], count: int
) -> NDArray[np.float64]:
    """The area under the curve in each part of the rows; NaN where a part has one class.

    Examples
    --------
    >>> areas_of_parts(
    ...     np.array([0.1, 0.8, 0.3, 0.3]),
    ...     np.array([False, True, True, False]),
    ...     np.array([0, 0, 1, 1]),
    ...     2,
    ... )
    array([1. , 0.5])
    """
    order = np.lexsort((scores, codes))
    score, part, positive = scores[order], codes[order], is_positive[order].astype(np.float64)
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = (part[1:] != part[:-1]) | (score[1:] != score[:-1])
    first = np.flatnonzero(is_new)
    last = np.append(first[1:], len(order)) - 1
    # rows of one score share the mean of their ranks
    ranks = ((first + last) / 2 + 1)[np.cumsum(is_new) - 1]
    sizes = np.bincount(part, minlength=count)
    ranks -= (np.cumsum(sizes) - sizes)[part]
    positives = np.bincount(part, positive, minlength=count)
    wins = np.bincount(part, ranks * positive, minlength=count) - positives * (positives + 1) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(wins / (positives * (sizes - positives)), dtype=np.float64)
