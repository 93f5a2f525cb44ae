"""Models of equal quality are not told apart, be they unlike or groups of unequal size."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

import heldout
from heldout.comparison.compare import compare
from tests.comparison.models import binary


def nested(seed: int, rows: int = 600) -> Any:
    """Two models of precision 0.6: one names 4 % of the rows positive, the other 35 % and these."""
    rng = np.random.default_rng(seed)
    place = rng.random(rows)
    truth = (rng.random(rows) < np.where(place < 0.35, 0.6, 0.2)).astype(int)
    return [
        heldout.from_arrays(truth, (place < share).astype(int), pos_label=1, model=name)
        for name, share in (("a", 0.04), ("b", 0.35))
    ]


def test_equal_precision_of_unlike_models_is_rarely_told_apart() -> None:
    found = [compare(*nested(seed), measures="precision")["precision"] for seed in range(100)]
    # 5 in the long run; exchanging labels tells 25 of them apart
    assert sum(d.p_value <= 0.05 for d in found) <= 10
    for d in found:
        # one method: what the interval says is what the test says
        assert (d.p_value <= 0.05) == (not d.interval.contains(0.0))
    asked = compare(*nested(0), measures="precision", test="permutation")["precision"]
    assert "exchanges of labels" in asked.test.method


def grouped(seed: int, sizes: Any) -> Any:
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    truth = rng.integers(0, 2, len(groups))
    made = []
    for name in "ab":
        own = np.sqrt(0.7) * rng.normal(size=len(sizes))[groups]
        noise = own + np.sqrt(0.3) * rng.normal(size=len(groups))
        score = 1 / (1 + np.exp(-(1.5 * (truth - 0.5) + noise)))
        made.append(
            heldout.from_arrays(truth, y_score=score, pos_label=1, groups=groups, model=name)
        )
    return made


def test_a_group_with_most_rows_does_not_tell_models_apart() -> None:
    sizes = [158, *[10] * 11]
    names = ["accuracy", "auc", "f_score"]
    found = [
        compare(*grouped(seed, sizes), measures=names, correction="none") for seed in range(60)
    ]
    for name in names:
        # 3 in the long run; with a degree of freedom less than groups 17 of accuracy
        assert sum(made[name].p_value <= 0.05 for made in found) <= 7
        d = found[0][name]
        assert d.test.degrees[0] < 8
        assert re.search(r"12 groups are worth 2\.\d+, as the largest makes up 5\d %", d.remarks)


def test_areas_of_different_rows_have_the_degrees_of_freedom_that_proc_has() -> None:
    first = binary("a", 0.6, seed=1, rows=40)
    second = binary("b", 0.9, seed=2, rows=90)
    found = compare(first, second, measures="auc", unpaired=True)["auc"]

    def variance(p: Any) -> float:
        one, zero = p.scores[p.truth == p.positive], p.scores[p.truth != p.positive]
        above = (one[:, None] > zero) + 0.5 * (one[:, None] == zero)
        placed = above.mean(axis=1), above.mean(axis=0)
        return sum(float(v.var(ddof=1)) / len(v) for v in placed)

    v, w = variance(first), variance(second)
    freedom = (v + w) ** 2 / (v**2 / 39 + w**2 / 89)
    assert found.test.degrees == pytest.approx((freedom,))
    statistic = found.value / np.sqrt(v + w)
    assert found.p_value == pytest.approx(2 * t.sf(abs(statistic), freedom))


def test_measures_disagree_only_where_each_shows_another_model_as_better() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 800)
    # right more often, but far too sure where it errs; and the other way round
    sure = np.where(rng.random(800) < 0.85, truth, 1 - truth) * 0.998 + 0.001
    unsure = np.where(rng.random(800) < 0.75, truth, 1 - truth) * 0.4 + 0.3
    two = {
        name: heldout.from_arrays(truth, y_score=score, pos_label=1)
        for name, score in (("sure", sure), ("unsure", unsure))
    }
    said = "the measures disagree: sure is better by accuracy, unsure is better by log_loss"
    assert said in compare(two, measures=["accuracy", "log_loss"]).verdict
    few = {name: p.take(np.arange(300, 340)) for name, p in two.items()}
    shown = compare(few, measures=["accuracy", "log_loss"])
    assert shown["accuracy"].p_value > 0.05
    assert shown["accuracy"].better != shown["log_loss"].better
    assert "disagree" not in shown.verdict


@pytest.mark.parametrize("seed", [-1, 1.5])
def test_a_seed_that_is_none_is_refused_whatever_is_compared(seed: Any) -> None:
    with pytest.raises(heldout.InputError, match="a seed is a whole number from 0"):
        compare(binary("a", 0.6, seed=1), binary("b", 0.9, seed=2), random_state=seed)
