"""Models that were evaluated on different rows, by how far the rows of either move its value."""

from __future__ import annotations

from math import hypot
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_ind

from heldout.comparison.compare import compare
from heldout.uncertainty.influence import Influence
from tests.comparison.models import binary, classes, numbers

FAST: dict[str, Any] = {"unpaired": True, "replicates": 100}


def test_mean_losses_have_welchs_t_test() -> None:
    first, second = numbers("a", 0.5, seed=1, rows=30), numbers("b", 0.9, seed=2, rows=70)
    d = compare(first, second, measures="mse", **FAST)["mse"]
    losses = [(p.truth - p.predicted) ** 2 for p in (first, second)]
    theirs = ttest_ind(*losses, equal_var=False)
    assert d.test.method == "Welch's t test of rows"
    assert d.p_value == pytest.approx(theirs.pvalue)
    limits = theirs.confidence_interval()
    assert (d.low, d.high) == pytest.approx((limits.low, limits.high))


def test_groups_of_either_sample_are_the_units() -> None:
    groups = np.arange(120) // 6
    models = [binary(n, 0.8, seed=s, groups=groups) for s, n in enumerate("ab")]
    d = compare(*models, measures="brier_score", **FAST)["brier_score"]
    means = [
        Influence.of_mean((p.scores - (p.truth == p.positive)) ** 2).by(groups) for p in models
    ]
    assert "groups" in d.test.method
    assert d.test.error == pytest.approx(hypot(*(mean.spread().error for mean in means)))
    assert compare(*models, measures="auc", **FAST)["auc"].test.degrees[0] < 2 * 19


@pytest.mark.parametrize("measure", ["f_score", "kappa", "mcc", "pr_auc"])
def test_ratios_and_rankings_have_the_delta_method(measure: str) -> None:
    first, second = binary("a", 0.8, seed=1, rows=80), binary("b", 0.4, seed=2, rows=130)
    d = compare(first, second, measures=measure, margin=0.1, **FAST)[measure]
    assert "delta method, different rows" in d.test.method
    assert d.interval.contains(d.value)
    back = compare(second, first, measures=measure, **FAST)[measure]
    mirrored = back.interval.mirrored
    assert (d.low, d.high) == pytest.approx((mirrored.low, mirrored.high))
    assert d.margin_interval is not None
    assert d.margin_interval.width < d.interval.width


def test_several_classes_are_compared_by_their_cells_and_medians_by_draws() -> None:
    made = compare(
        classes("a", 0.8, seed=1), classes("b", 0.5, seed=2, rows=90), measures="kappa", **FAST
    )
    assert made["kappa"].better == "a"
    assert made["kappa"].is_significant
    name = "median_absolute_error"
    two = numbers("a", 0.5, seed=1), numbers("b", 0.5, seed=2, rows=40)
    assert "bootstrap, 100 draws" in compare(*two, measures=name, **FAST)[name].test.method
