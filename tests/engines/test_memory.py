"""The engine in memory: one pass for all that will be wanted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from heldout.core.threads import WORTH_A_THREAD
from heldout.engines.memory import Tallies, moments_of_losses
from heldout.predictions.arrays import from_arrays


def tallies(rows: int = 50) -> Tallies:
    rng = np.random.default_rng(2)
    truth = (rng.random(rows) < 0.4).astype(int)
    return Tallies(from_arrays(truth, y_score=rng.random(rows)))


class Loss:
    """A loss that counts how many rows it was asked for."""

    def __init__(self, power: int) -> None:
        self.power, self.rows = power, 0

    def __call__(self, part: Any, *, scale: float = 1.0) -> Any:
        self.rows += len(part)
        return scale * part.of_positive**self.power


def test_what_is_prepared_is_made_in_one_pass_when_first_asked_for() -> None:
    made = tallies()
    losses: list[Any] = [(Loss(1), {}), (Loss(2), {}), (Loss(3), {"scale": 2.0})]
    made.prepare(losses[:2])
    made.prepare((), together=[losses[1:]])
    assert [loss.rows for loss, _ in losses] == [0, 0, 0]
    score = np.asarray(made.predictions.scores)
    assert made.moments(*losses[0]).mean == pytest.approx(score.mean())
    assert [loss.rows for loss, _ in losses] == [50, 50, 50]
    both = made.co_moments(losses[1], losses[2])
    assert both.products == pytest.approx(49 * np.cov(score**2, 2 * score**3)[0, 1])
    assert made.moments(*losses[2]).mean == pytest.approx(2 * (score**3).mean())
    assert [loss.rows for loss, _ in losses] == [50, 50, 50]


def test_a_pair_asked_for_late_costs_a_pass_of_its_two_losses() -> None:
    made = tallies()
    losses: list[Any] = [(Loss(1), {}), (Loss(2), {}), (Loss(3), {})]
    made.prepare(losses)
    before = [made.moments(*loss) for loss in losses]
    assert made.co_moments(losses[0], losses[2]).rows == 50
    assert [loss.rows for loss, _ in losses] == [100, 50, 100]
    assert [made.moments(*loss) for loss in losses] == before


def test_losses_with_other_parameters_are_other_losses() -> None:
    made, loss = tallies(), Loss(1)
    one, other = made.moments(loss, {"scale": 1.0}), made.moments(loss, {"scale": 3.0})
    assert other.mean == pytest.approx(3 * one.mean)


def test_threads_and_blocks_change_nothing_but_rounding() -> None:
    rows = WORTH_A_THREAD + 77
    made = tallies(rows)
    losses: list[Any] = [(Loss(1), {}), (Loss(2), {})]
    (first, second), (both,) = moments_of_losses(made.probability_rows, losses, [(0, 1)])
    score = np.asarray(made.predictions.scores)
    assert (first.rows, second.rows, both.rows) == (rows, rows, rows)
    assert first.finite_mean == pytest.approx(score.mean(), rel=1e-13)
    assert second.deviations == pytest.approx(rows * np.var(score**2), rel=1e-12)
    assert both.products == pytest.approx((rows - 1) * np.cov(score, score**2)[0, 1], rel=1e-11)
