"""Labels without probabilities: losses by their short way equal those of columns of 0 and 1."""

from __future__ import annotations

import numpy as np
import pytest

import heldout


@pytest.mark.parametrize("seed", range(5))
def test_labels_only_score_as_probability_one_on_the_label(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth, predicted = rng.integers(0, 4, (2, 30))
    labels = [0, 1, 2, 3]
    short = heldout.score(truth, predicted, labels=labels)
    long = heldout.score(truth, y_score=np.eye(4)[predicted], labels=labels)
    specs = ["log_loss", "brier", "brier[half]", "spherical_score", "quadratic_score"]
    specs += ["probability_mae[all_columns]", "probability_rmse[all_columns]", "rps"]
    specs += ["top_k_accuracy", "top_k_accuracy[k=3]", "coverage_of_region", "size_of_region"]
    specs += ["information_score", "brier_skill", "mean_probability_of_truth"]
    for spec in specs:
        assert short[spec].value == pytest.approx(long[spec].value, rel=1e-12), spec


def test_hundred_thousand_classes_need_no_column_each() -> None:
    codes = np.arange(100_000)
    card = heldout.score(codes, np.roll(codes, 1))
    results = card.results(everything=True)
    assert card["accuracy"].value == 0
    assert card["brier"].value == 2
    assert len(results) > 50
