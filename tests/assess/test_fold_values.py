"""Values of all folds at once are those of the folds one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heldout.assess.repeats import values_of_parts
from heldout.assess.values import lacking, overall, requests_for
from heldout.engines.memory import Tallies
from heldout.predictions.table import Predictions, Prior

RNG = np.random.default_rng(4)
ROWS, PARTS = 90, 6
PLACES = np.arange(ROWS) % PARTS


def predictions(task: str, **more: Any) -> Predictions:
    if task == "regression":
        values = RNG.normal(size=ROWS)
        made = values + RNG.normal(size=ROWS)
        return Predictions("regression", values, made, train_mean=np.zeros(ROWS), **more)
    count = 2 if task == "binary" else 3
    truth = RNG.integers(0, count, ROWS)
    scores = RNG.dirichlet(np.ones(count), ROWS)
    prior = Prior("training counts", np.full((1, count), 10.0))
    return Predictions(
        "binary" if count == 2 else "multiclass",
        truth,
        np.argmax(scores, axis=1),
        scores[:, 1] if count == 2 else scores,
        tuple("abc"[:count]),
        1 if count == 2 else None,
        prior=prior,
        **more,
    )


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_values_of_parts_are_those_of_each_part_alone(task: str, is_weighted: bool) -> None:
    p = predictions(task, weight=RNG.uniform(0.5, 2, ROWS) if is_weighted else None)
    whole = Tallies(p)
    alone = [Tallies(p.take(np.flatnonzero(part == PLACES))) for part in range(PARTS)]
    seen = 0
    for request in requests_for(p.task, None, everything=True):
        if lacking(request, whole):
            continue
        found = values_of_parts(request, whole, PLACES, PARTS)
        if found is None:
            continue
        seen += 1
        expected = [overall(request, part) for part in alone]
        np.testing.assert_allclose(
            found, [v.value for v in expected], rtol=1e-9, atol=1e-12, err_msg=request.name
        )
        assert all(not v.note or v.note.startswith("undefined") for v in expected), request.name
    assert seen >= 5


def test_infinite_losses_are_left_to_single_parts() -> None:
    p = predictions("binary")
    assert p.scores is not None
    p.scores[p.truth == 1] = 0.0
    (log_loss,) = requests_for("binary", ("log_loss",), everything=False)
    assert values_of_parts(log_loss, Tallies(p), PLACES, PARTS) is None
