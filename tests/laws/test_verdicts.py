"""Interval and verdict say the same, or the verdict says that they do not: over random tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import heldout
from heldout.comparison.words import contradiction, in_words

if TYPE_CHECKING:
    from heldout.comparison.difference import Difference

#: interval and test of one method, which cannot differ; and shares, whose two methods nearly agree
ONE_METHOD = ("auc", "f_score", "mcc", "precision", "average_precision", "log_loss")
SHARES = ("accuracy", "recall", "specificity")
TABLES = range(25)
#: of 400 tables of two shares, eleven have an interval and a p-value on two sides of the level
APART = (57, 82, 149, 186)


def differences(seed: int, measures: tuple[str, ...]) -> list[Difference]:
    """Two models of random quality on a random table, by each measure alone."""
    rng = np.random.default_rng(seed)
    rows, share = int(rng.integers(12, 150)), rng.uniform(0.15, 0.85)
    truth = np.r_[0, 0, 1, 1, (rng.random(rows) < share).astype(int)]
    shared, gap = rng.normal(size=len(truth)), rng.uniform(0, 1.5)
    models = []
    for name, signal in (("a", 1.0), ("b", 1.0 + gap)):
        logit = signal * (truth - 0.5) + shared / 2 + rng.normal(size=len(truth))
        score = 1 / (1 + np.exp(-logit))
        models.append(heldout.from_arrays(truth, y_score=score, pos_label=1, model=name))
    return [heldout.compare(*models, measures=name)[name] for name in measures]


@pytest.mark.parametrize("seed", TABLES)
def test_interval_and_test_of_one_method_never_differ(seed: int) -> None:
    for d in differences(seed, ONE_METHOD):
        if not d.interval.is_absent:
            assert d.is_significant == (not d.interval.contains(0.0)), d


@pytest.mark.parametrize("seed", [*TABLES, *APART])
def test_verdict_says_where_interval_and_test_of_shares_differ(seed: int) -> None:
    for d in differences(seed, SHARES):
        differs = contradiction(d, d.test.p_value)
        assert bool(differs) == (d.is_significant == d.interval.contains(0.0)), d
        assert differs in in_words(d), d


def test_tables_are_known_on_which_interval_and_test_of_shares_differ() -> None:
    each = [[contradiction(d, d.test.p_value) for d in differences(s, SHARES)] for s in APART]
    assert all(map(any, each))


def test_some_tables_show_a_difference_and_others_none() -> None:
    shown = [d.is_significant for seed in TABLES for d in differences(seed, ("auc",))]
    assert 3 < sum(shown) < len(shown) - 3
