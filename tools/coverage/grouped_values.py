"""Coverage of what rows in groups cost, earn, lose or get right, few groups and unequal ones."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

import heldout
from heldout.core.random import stream
from heldout.measures.profit import cost_per_row
from heldout.tally.confusion import Confusion
from heldout.uncertainty.cell_intervals import ConfusionBootstrap
from heldout.uncertainty.cluster_bootstrap import GroupSums
from heldout.uncertainty.group_values import group_value_interval
from heldout.uncertainty.grouped import group_mean_interval
from heldout.uncertainty.interval import Interval, absent
from tools.coverage.cells import SEED, Tally, table

__all__ = ["grouped_cost_text", "grouped_measure_text"]

#: rows of a group on average, and how their logarithm spreads
ROWS = 10
SIZES = {"equal": 0.0, "unequal": 0.6, "very unequal": 1.2, "one has 80 %": 0.0}
#: what errors cost, rows = truth, and the threshold from which a row is called positive
COSTS = {
    "1 : 3": (np.array([[0.0, 1.0], [3.0, 0.0]]), 0.5),
    "1 : 50": (np.array([[0.0, 1.0], [50.0, 0.0]]), 0.12),
}
#: groups, and how much the latent values of their rows are alike
GROUPS, ALIKE = (5, 10, 20, 50), (0.0, 0.1, 0.5)
COLUMNS = ("effective rows", "percentile of groups", "Student's t", "Student's t by sizes")
MEASURES = ("accuracy", "recall", "log_loss", "brier", "auc", "f_score", "kappa")
SAMPLES, MEASURED = 400, 150


def rows_of(rng: Any, groups: int, sizes: str, alike: float) -> tuple[Any, Any, Any]:
    """Truth, score and group of rows: 30 % are positive, more in some groups than in others."""
    spread = SIZES[sizes]
    drawn = rng.lognormal(np.log(ROWS) - spread**2 / 2, spread, groups)
    # cut to whole rows, except where all groups have the same
    count = np.maximum(1, drawn if spread else np.full(groups, ROWS)).astype(int)
    if sizes == "one has 80 %":
        count[0] = 4 * count[1:].sum()
    group = np.repeat(np.arange(groups), count)

    def normal() -> Any:
        own, shared = rng.normal(size=len(group)), rng.normal(size=groups)[group]
        return sqrt(alike) * shared + sqrt(1 - alike) * own

    truth = (normal() > 0.524).astype(np.int64)
    logit = np.log(0.3 / 0.7) + 1.2 * (1.2 * truth + normal()) - 0.72
    return truth, 1 / (1 + np.exp(-logit)), group


def grouped_cost_text(share: float) -> str:
    """What a row costs, by how it is made an interval."""
    rows = []
    for errors, (cost, threshold) in COSTS.items():
        for sizes in ("equal", "very unequal"):
            for alike in ALIKE:
                rng = stream(SEED, "coverage", "group cost", f"{errors} {sizes} {alike}")
                truth, score, _ = rows_of(rng, 60_000, sizes, alike)
                true = float(cost[truth, (score >= threshold).astype(int)].mean())
                for groups in GROUPS:
                    tally = Tally()
                    for turn in range(max(5, int(share * SAMPLES))):
                        drawn = rows_of(rng, groups, sizes, alike)
                        _cover_cost(tally, drawn, cost, threshold, true, turn)
                    cells = [tally.text(name) for name in COLUMNS]
                    rows.append([errors, sizes, f"{alike:g}", str(groups), *cells])
    return (
        f"\nWhat a row costs, where false alarms cost 1 and misses 3 (threshold 0.5) or 50 "
        f"(threshold 0.12: misses are rare). Groups have {ROWS} rows, or that many on average "
        "with a logarithm that spreads by 1.2; *alike* is the correlation of the latent values "
        f"of a group's rows. {SAMPLES} samples: a standard error of one or two points. "
        "*Effective rows* is what heldout gives: cells are drawn with a pseudo-row, of as many "
        "rows as the groups are worth. Draws of whole groups, and Student's t of them, do not know "
        "of expensive errors that no group or one group shows, nor how little very unequal groups "
        "tell of their spread; the last column heeds that, and is what means of losses have.\n\n"
        + table(["costs", "sizes", "alike", "groups", *COLUMNS], rows)
    )


def _cover_cost(
    tally: Tally, drawn: Any, cost: Any, threshold: float, true: float, turn: int
) -> None:
    truth, score, group = drawn
    choice = (score >= threshold).astype(np.int64)
    whole = Confusion.of(truth, choice, classes=2, positive=1)
    sums = GroupSums.of_cells(group, truth, choice, whole)
    made = group_value_interval(whole, sums, cost, replicates=1000, seed=turn)
    tally.add(COLUMNS[0], made, true)
    bootstrap = ConfusionBootstrap.of_groups(whole, sums, replicates=1000, seed=turn)
    made = bootstrap.interval(lambda c: cost_per_row(c, matrix=cost), kind="percentile")
    tally.add(COLUMNS[1], made, true)
    value = cost[truth, choice]
    by_group = GroupSums.of_values(group, value, np.ones(len(value)))
    tally.add(COLUMNS[2], group_mean_interval(by_group), true)
    error = float(value.std(ddof=1)) / sqrt(len(value))
    tally.add(COLUMNS[3], group_mean_interval(by_group, least_error=error), true)


def grouped_measure_text(share: float) -> str:
    """Other measures of rows in groups, as the scorecard has them."""
    rows = []
    for sizes in SIZES:
        for alike in (0.1, 0.5):
            rng = stream(SEED, "coverage", "group measures", f"{sizes} {alike}")
            # of all groups there are, the largest is one of many
            truth, score, _ = rows_of(rng, 60_000, "equal" if "80" in sizes else sizes, alike)
            card = heldout.score(truth, y_score=score, pos_label=1, intervals=False)
            truths = {name: card[name].value for name in MEASURES}
            for groups in (10, 20):
                tally = Tally()
                for turn in range(max(5, int(share * MEASURED))):
                    _cover(tally, rows_of(rng, groups, sizes, alike), truths, turn)
                cells = [tally.text(name) for name in MEASURES]
                rows.append([sizes, f"{alike:g}", str(groups), *cells])
    return (
        "\nOther measures of such rows at the threshold 0.5, as the scorecard has them: shares by "
        "Wilson on effective rows, means of losses by Student's t, the rest by draws of whole "
        "groups that are stretched, by what groups of unequal size are worth. The logarithm of "
        f"unequal sizes spreads by 0.6. {MEASURED} samples: a standard error of two points. One "
        "group with 80 % of the rows is told in a note.\n\n"
        + table(["sizes", "alike", "groups", *MEASURES], rows)
    )


def _cover(tally: Tally, drawn: Any, truths: dict[str, float], turn: int) -> None:
    truth, score, group = drawn
    given: dict[str, Any] = {"groups": group, "pos_label": 1, "labels": [0, 1]}
    card = heldout.score(truth, y_score=score, random_state=turn, replicates=400, **given)
    for name, true in truths.items():
        result = card[name]
        made = absent(result.note, level=0.95)
        if result.low is not None and result.high is not None:
            made = Interval(result.low, result.high, 0.95, result.method)
        tally.add(name, made, true)
