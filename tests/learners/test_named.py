"""Named models: each can be fitted to every named data set of its task."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

import heldout
from heldout.datasets.origin import BUNDLED
from heldout.learners.named import MODELS

#: few rounds, since it is not their values that are looked at
SHORT = {
    "forest": "forest[n_estimators=2]",
    "bagging": "bagging[n_estimators=2]",
    "boosting": "boosting[max_iter=2]",
}


@pytest.mark.parametrize("data", BUNDLED)
def test_every_named_model_fits_every_named_data_set(data: str) -> None:
    is_regression = BUNDLED[data].is_regression
    models = [
        SHORT.get(one.name, one.name)
        for one in MODELS
        if (one.regressor if is_regression else one.classifier) and one.name != "ripper"
    ]
    # threads that wait for each other take long on a busy machine
    with threadpool_limits(limits=1):
        made = heldout.evaluate(models, data=data, procedure="holdout 70:30", intervals=False)
    assert {name: one.failures for name, one in made.outcomes.items() if one.failures} == {}


def test_quadratic_discriminant_of_raw_columns_equals_refitting() -> None:
    exact = heldout.evaluate("qda", data="wdbc", procedure="10-fold")
    refitted = heldout.evaluate("qda", data="wdbc", procedure="10-fold", exact=False)
    assert "quadratic" in exact.outcomes["qda"].path
    one, other = exact.outcomes["qda"].scores, refitted.outcomes["qda"].scores
    assert one is not None
    assert other is not None
    assert np.abs(one - other).max() < 1e-8
    assert (exact.outcomes["qda"].predicted == refitted.outcomes["qda"].predicted).all()
    # R, MASS::qda: 0.9912
    loo = heldout.evaluate("qda", data="wdbc", procedure="loo", pos_label="malignant")
    assert loo["auc"].value == pytest.approx(0.9911, abs=2e-4)
