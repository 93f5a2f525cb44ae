"""Coverage where rows come in groups."""

from __future__ import annotations

import numpy as np

from heldout.core.random import stream
from heldout.core.ratio import ratio
from heldout.tally.confusion import Confusion
from heldout.uncertainty.cell_intervals import ConfusionBootstrap
from heldout.uncertainty.cluster_bootstrap import GroupSums
from heldout.uncertainty.grouped import group_share_interval
from heldout.uncertainty.proportions import proportion_interval
from tools.coverage.cells import SEED, Tally, table
from tools.coverage.grouped_values import grouped_cost_text, grouped_measure_text

__all__ = ["group_section"]


def group_section(share: float) -> str:
    """Rows in groups: the rate of a group varies from group to group."""
    rows = []
    names = ("Wilson of rows", "Wilson of effective rows", "bayesian", "percentile", "bca")
    for groups in (10, 40, 200):
        rng = stream(SEED, "coverage", "groups", str(groups))
        tally = Tally()
        for turn in range(max(20, int(share * 400))):
            right = rng.binomial(10, rng.beta(4, 1, groups))
            codes = np.repeat(np.arange(groups), 10)
            hit = np.arange(10 * groups) % 10 < right[codes]
            truth = np.zeros(10 * groups, np.int64)
            whole = Confusion.of(truth, (~hit).astype(np.int64), classes=2, positive=0)
            sums = GroupSums.of_cells(codes, truth, (~hit).astype(np.int64), whole)
            bootstrap = ConfusionBootstrap.of_groups(whole, sums, replicates=1000, seed=turn)
            tally.add(names[0], proportion_interval(int(right.sum()), 10 * groups), 0.8)
            worth = GroupSums.of_values(codes, hit.astype(float), np.ones(10 * groups))
            tally.add(names[1], group_share_interval(worth), 0.8)
            for kind in names[2:]:
                made = bootstrap.interval(
                    lambda c: ratio(c.correct, c.total), kind=kind, bounds=(0, 1)
                )
                tally.add(kind, made, 0.8)
        rows.append([str(groups), *(tally.text(name) for name in names)])
    return (
        "## Rows in groups\n\nThe accuracy, 0.8 on average, of groups of 10 rows; that of a group "
        "is Beta(4, 1). *Wilson of rows* takes rows as independent, which they are not.\n\n"
        + table(["groups", *names], rows)
        + grouped_cost_text(share)
        + grouped_measure_text(share)
    )
