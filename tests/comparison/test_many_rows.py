"""Comparisons of calibration errors and of grouped areas: sharper with rows, right with groups."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from heldout.comparison.posterior import share_density, share_posterior
from heldout.uncertainty.gap_differences import gap_difference_p_value, refined_steps
from heldout.uncertainty.gap_intervals import Gaps

if TYPE_CHECKING:
    from collections.abc import Sequence


def compared_areas(truth: Any, scores: Sequence[Any], **design: Any) -> Any:
    """The difference of the areas of two models."""
    named = zip("ab", scores, strict=True)
    models = [
        heldout.from_arrays(truth, y_score=s, pos_label=True, model=m, **design) for m, s in named
    ]
    return compare(*models, measures="auc")["auc"]


def error(weight: Any, gap: Any) -> Any:
    return (weight * abs(gap)).sum(-1) / weight.sum(-1)


def test_different_rows_with_equal_errors_differ_no_more_the_more_there_are() -> None:
    rows, forecast = np.array([40_000_000, 40_000_000]), np.array([0.2, 0.7])
    share = np.array([0.3, 0.6])
    rng = np.random.default_rng(5)
    found = [
        gap_difference_p_value(
            Gaps(rows, rng.binomial(rows, share), forecast),
            Gaps(rows, rng.binomial(rows, share), forecast),
            error,
        )
        for _ in range(30)
    ]
    assert np.mean(np.array(found) <= 0.05) < 0.2
    assert np.mean(np.array(found) > 0.5) > 0.25
    # three standard errors apart
    spread = sqrt(2 * (0.3 * 0.7 + 0.6 * 0.4) / 4 / 40_000_000)
    near = Gaps(rows, rows * share, forecast)
    far = Gaps(rows, rows * (share + np.array([1, -1]) * 3 * spread), forecast)
    assert gap_difference_p_value(near, far, error) == pytest.approx(0.0027, abs=0.004)


def test_steps_are_refined_only_where_the_function_changes() -> None:
    asked: list[float] = []

    def heights(places: Sequence[float]) -> list[float]:
        asked.extend(places)
        return [float(place > 0.123456) for place in places]

    made = refined_steps([0.0, 0.5, 1.0], heights, step=0.4)
    assert len(asked) == len(made) < 40
    assert min(abs(place - 0.123456) for place in made) < 1e-6
    assert refined_steps([0.0, 1.0], lambda places: [3.0] * len(places), step=0.1) == [0.0, 1.0]


def test_areas_of_groups_have_nearly_the_covariance_that_obuchowski_gives() -> None:
    rng = np.random.default_rng(7)
    groups = rng.integers(0, 25, 90)
    # some groups hold just one of the classes
    truth = rng.random(90) < np.where(groups < 6, 0.0, np.where(groups < 15, 1.0, 0.5))
    scores = [truth + rng.normal(size=90) for _ in range(2)]
    ones, zeros = np.flatnonzero(truth), np.flatnonzero(~truth)
    names = np.unique(groups)
    areas, of_ones, of_zeros = [], [], []
    for own in scores:
        above = (own[ones][:, None] > own[zeros]).astype(float)
        areas.append(above.mean())
        mine, theirs = above.mean(axis=1) - above.mean(), above.mean(axis=0) - above.mean()
        of_ones.append([mine[groups[ones] == g].sum() for g in names])
        of_zeros.append([theirs[groups[zeros] == g].sum() for g in names])
    holding = [len(np.unique(groups[rows])) for rows in (ones, zeros)]
    assert len(names) > max(holding)
    m, n = len(ones), len(zeros)
    expected = np.empty((2, 2))
    for i in range(2):
        for j in range(2):
            s10 = holding[0] / (holding[0] - 1) / m * np.dot(of_ones[i], of_ones[j])
            s01 = holding[1] / (holding[1] - 1) / n * np.dot(of_zeros[i], of_zeros[j])
            all_groups = len(names) / (len(names) - 1)
            s11 = all_groups * np.dot(of_ones[i], of_zeros[j])
            s11 += all_groups * np.dot(of_ones[j], of_zeros[i])
            expected[i, j] = s10 / m + s01 / n + s11 / (m * n)
    found = compared_areas(truth, scores, groups=groups)
    assert found.value == pytest.approx(areas[0] - areas[1])
    variance = expected[0, 0] + expected[1, 1] - 2 * expected[0, 1]
    # he corrects for few groups by their numbers in each class, heldout by the size of each
    assert found.test.error == pytest.approx(sqrt(variance), rel=0.03)
    lone = compared_areas(truth, scores, groups=np.where(truth, 0, groups + 1))
    assert lone.test.note == "all positive rows are in one group"


@pytest.mark.parametrize("counts", [(12, 2, 36), (3, 0, 100), (400, 350, 9000)])
def test_the_density_of_shares_holds_what_the_posterior_says(
    counts: tuple[int, int, int],
) -> None:
    found = share_posterior(*counts, 0.02, np.random.default_rng(1))
    assert found.cells is not None
    edges = np.linspace(-1, 1, 10_001)
    density = share_density(found.cells, edges)
    mass = density * np.diff(edges)
    assert mass[edges[1:] > 0.02 + 1e-9].sum() == pytest.approx(found.first_better, abs=2e-3)
    turned = share_density(found.mirrored.cells, edges)
    assert turned[::-1] == pytest.approx(density, abs=1e-9 * density.max())
    # one hill: no wobble of draws
    body = density[density > 0.01 * density.max()]
    turns = np.diff(np.sign(np.diff(body)))
    if min(counts) > 0:
        assert np.count_nonzero(turns) == 1
