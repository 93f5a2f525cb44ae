"""Coverage of shares, computed exactly."""

from __future__ import annotations

from math import comb, exp, lgamma, log

import numpy as np

from heldout.uncertainty.proportions import TITLES, proportion_interval
from tools.coverage.cells import RATES, SIZES, shown, table


def share_section() -> str:
    """Shares: every number of successes, with its probability."""
    methods = sorted(TITLES, key=lambda name: name.startswith("wald"))  # the unsound ones last
    head = ["n", "rate", *(TITLES[method] for method in methods)]
    rows = []
    for n in SIZES:
        made = {m: [proportion_interval(k, n, method=m) for k in range(n + 1)] for m in methods}
        for rate in RATES:
            weight = np.array([binomial(k, n, rate) for k in range(n + 1)])
            cells = []
            for intervals in made.values():
                covers = np.array([interval.contains(rate) for interval in intervals])
                widths = np.array([interval.width for interval in intervals])
                cells.append(shown(float(weight @ covers), float(weight @ widths)))
            rows.append([str(n), f"{rate:g}", *cells])
    return "## Shares\n\nExact: the sum over all numbers of successes.\n\n" + table(head, rows)


def binomial(k: int, n: int, rate: float) -> float:
    """The probability of k successes."""
    if n < 100:
        return comb(n, k) * rate**k * (1 - rate) ** (n - k)
    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + k * log(rate) + (n - k) * log(1 - rate))
