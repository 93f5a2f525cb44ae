"""Differences of calibration errors of bins: neither interval nor test unless one is asked for."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from heldout.core.errors import InputError
from heldout.core.notes import Kind
from heldout.report.verdict import verdict
from tests.comparison.models import binary


@pytest.mark.parametrize("measure", ["ece", "ece[norm=l2]", "reliability[bins=5]", "mce"])
@pytest.mark.parametrize("unpaired", [False, True])
def test_calibration_errors_are_not_tested_and_the_reason_says_what_is(
    measure: str, unpaired: bool
) -> None:
    first, second = binary("a", 0.8, seed=1), binary("b", 0.6, seed=2)
    made = compare(first, second, measures=measure, unpaired=unpaired)
    d = made[measure]
    assert np.isnan(d.p_value)
    assert (d.low, d.high) == (None, None)
    assert d.has(Kind.NO_INTERVAL)
    for other in ("brier_score", "log_loss", "miscalibration"):
        assert other in made.verdict
        assert other in d.remarks
    assert ("permutation" in made.verdict) == (not unpaired)


def test_top_labels_of_several_classes_are_not_tested() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 200)
    weights = [np.exp(s * (rng.normal(size=(200, 3)) + np.eye(3)[truth])) for s in (1.0, 3.0)]
    models = [
        heldout.from_arrays(truth, y_score=w / w.sum(axis=1, keepdims=True), model=name)
        for name, w in zip("ab", weights, strict=True)
    ]
    assert not compare(*models, measures="top_label_ece")["top_label_ece"].test.is_given


def test_exchanging_is_done_on_request_and_named_for_what_it_asks() -> None:
    models = binary("a", 0.8, seed=1), binary("b", 0.6, seed=2)
    d = compare(*models, measures="ece", test="permutation", permutations=100)["ece"]
    assert d.test.is_given
    assert d.interval.is_absent
    assert "a stronger claim than equal errors" in d.remarks
    with pytest.raises(InputError, match="ece is not a mean of row losses: use permutation"):
        compare(*models, measures="ece", test="loss-t")


def test_identical_models_do_not_differ() -> None:
    first, second = binary("a", 0.8, seed=1), binary("b", 0.8, seed=1)
    assert compare(first, second, measures="ece")["ece"].p_value == 1


def test_models_that_are_not_tested_share_no_letter() -> None:
    models = [binary(name, 0.8, seed=seed) for seed, name in enumerate("abc")]
    made = compare(*models, measures=["ece", "auc"])
    assert set(made.letters("ece").values()) == {""}
    assert "" not in made.letters("auc").values()
    assert made.leading("ece") == []
    assert "no test of the models: noise" in verdict(made)[0]


def test_no_posterior_is_given_of_a_calibration_error() -> None:
    rope = compare(binary("a", 1, seed=1), binary("b", 1, seed=2), measures="ece", rope=0.1)
    assert rope["ece"].posterior is None
    assert "no posterior is known" in rope["ece"].note
