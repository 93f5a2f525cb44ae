"""Probabilities of two classes: what one column of them would lose."""

from __future__ import annotations

from math import inf, log
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import heldout
from heldout.comparison.compare import compare

if TYPE_CHECKING:
    from pathlib import Path

TABLE = "id,truth,p_no,p_yes\n1,no,1e-20,1.0\n2,yes,0.4,0.6\n3,no,0.75,0.25\n4,yes,1.0,1e-30\n"


def by_hand(*probabilities: float) -> float:
    return -sum(map(log, probabilities)) / len(probabilities)


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_unlikely_is_not_impossible_whichever_class_is_positive(
    tmp_path: Path, positive: str
) -> None:
    path = tmp_path / "told.csv"
    path.write_text(TABLE)
    card = heldout.score(heldout.read_predictions(path, positive=positive))
    assert card["log_loss"].value == pytest.approx(by_hand(1e-20, 0.6, 0.75, 1e-30), rel=1e-12)


def test_probability_zero_of_the_truth_stays_infinite(tmp_path: Path) -> None:
    path = tmp_path / "told.csv"
    path.write_text(TABLE.replace("1e-20", "0"))
    card = heldout.score(heldout.read_predictions(path, positive="yes"))
    assert card["log_loss"].value == inf


def test_log_loss_of_saturated_probabilities_is_that_of_both_columns() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    # so many like columns that naive Bayes is all but sure
    x = np.repeat((y * 0.5 + rng.normal(size=200))[:, None], 60, axis=1)
    procedure = heldout.KFold(5)
    both = cross_val_predict(GaussianNB(), x, y, cv=procedure, method="predict_proba")
    told = both[np.arange(200), y]
    assert told.min() > 0
    assert (both[np.arange(200), 1 - y] == 1).any()  # where 1 less it would be impossible
    for positive in (0, 1):
        for exact in (True, False):
            made = heldout.evaluate(
                GaussianNB(),
                x,
                y,
                procedure=procedure,
                pos_label=positive,
                exact=exact,
                store=False,
            )
            found = made.scorecard["log_loss"].value
            assert found == pytest.approx(-np.log(told).mean(), rel=1e-9)
    # scikit-learn raises what is below the precision of doubles
    assert log_loss(y, both) <= -np.log(told).mean()


def test_models_exchanged_row_by_row_keep_both_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 40)
    models: list[Any] = []
    for name in ("a", "b"):
        other = np.where(rng.random(40) < 0.3, 1e-25, rng.random(40))
        pairs = zip(truth.tolist(), other.tolist(), strict=True)
        lines = [f"{i},{t},{p!r},{1 - p!r}" for i, (t, p) in enumerate(pairs)]
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(["id,truth,p_0,p_1", *lines]))
        models.extend(heldout.read_predictions(path, positive=1, id="id"))
    made = compare(*models, measures="log_loss", test="permutation")
    found = made["log_loss"]
    losses = [
        -np.log(np.where(truth == 1, m.scores, m.against)) for m in models if m.against is not None
    ]
    assert len(losses) == 2
    assert found.first_value - found.second_value == pytest.approx(
        losses[0].mean() - losses[1].mean()
    )
    assert 0 < found.evidence.p_value <= 1
