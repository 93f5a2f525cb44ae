"""Net benefit: what treating the rows above a threshold brings, less what it costs."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from heldout.core.errors import InputError
from heldout.measures.registry import measure
from heldout.tally.rows import ProbabilityRows

VICKERS = "Vickers and Elkin (2006), Med. Decis. Making 26:565"


def odds_of(threshold: Any) -> Any:
    """What a false positive costs in true positives, where a threshold is the right one.

    Examples
    --------
    >>> odds_of(0.2)
    0.25
    """
    return threshold / (1 - threshold)


@measure(
    title="Net benefit",
    direction="up",
    bounds=(-inf, 1),
    formula=r"\frac{TP}{n} - \frac{FP}{n} \cdot \frac{t}{1 - t}",
    reference=VICKERS,
    tasks=("binary",),
    needs_probability=True,
    reaches_best=False,
    symmetric=False,
)
def net_benefit(rows: ProbabilityRows, *, threshold: float = 0.5) -> Any:
    """True positives a row, less the false positives weighted by the odds of the threshold.

    Rows whose probability is at least ``threshold`` are treated. The threshold is the
    probability from which on treating is worth its harm: at 0.2 one true positive is worth
    four false ones. No model is of use that is not above treating all rows and above treating
    none, which has 0: see the curve ``decision``.

    Examples
    --------
    >>> truth, probability = np.array([1, 0, 1, 0]), np.array([0.9, 0.3, 0.1, 0.1])
    >>> rows = ProbabilityRows(truth, probability, None, 2, positive=1)
    >>> net_benefit(rows, threshold=0.2)  # 1/4 - 1/4 * 0.25
    array([ 1.  , -0.25,  0.  ,  0.  ])
    """
    if not 0 <= threshold < 1:
        raise InputError(f"threshold is a probability from 0 to below 1, not {threshold:g}")
    worth = np.where(rows.is_positive, 1.0, -odds_of(threshold))
    return np.where(rows.of_positive >= threshold, worth, 0.0)
