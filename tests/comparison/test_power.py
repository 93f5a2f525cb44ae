"""Power: what so many rows show, checked by simulation, and the limit of repeats."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from karat.comparison.compare import compare
from karat.comparison.mcnemar import mcnemar
from karat.comparison.power import (
    area_detectable,
    area_rows,
    mean_detectable,
    mean_rows,
    paired_share_detectable,
    paired_share_rows,
)
from karat.comparison.seen_power import seen_power
from karat.comparison.split_power import repeats_needed, splits_detectable
from karat.core.errors import InputError
from tests.comparison.models import binary


@pytest.mark.parametrize(("difference", "discordance"), [(0.05, 0.15), (0.1, 0.3)])
def test_rows_show_a_difference_of_shares_as_often_as_said(
    difference: float, discordance: float
) -> None:
    rows = paired_share_rows(difference, discordance)
    rng = np.random.default_rng(1)
    shares = [(discordance + difference) / 2, (discordance - difference) / 2, 1 - discordance]
    drawn = rng.multinomial(rows, shares, size=1500)
    found = [mcnemar(int(b), int(c), kind="normal").p_value <= 0.05 for b, c, _ in drawn]
    assert np.mean(found) == pytest.approx(0.8, abs=0.035)


def test_rows_show_a_difference_of_means_as_often_as_said() -> None:
    from scipy.stats import ttest_1samp

    rows = mean_rows(0.2, 1.0)
    gaps = np.random.default_rng(2).normal(0.2, 1.0, (1500, rows))
    assert np.mean(ttest_1samp(gaps, 0, axis=1).pvalue <= 0.05) == pytest.approx(0.8, abs=0.035)


def test_rows_and_detectable_differences_are_inverse() -> None:
    for rows in (150, 600, 5000):
        for more in ({}, {"one_sided": True, "power": 0.9}):
            least = paired_share_detectable(rows, 0.2, **more)
            assert paired_share_rows(least, 0.2, **more) == pytest.approx(rows, abs=1)
            least = mean_detectable(rows, 0.4, **more)
            assert mean_rows(least, 0.4, **more) == pytest.approx(rows, abs=1)
            least = area_detectable(rows, 0.8, 0.3, **more)
            assert area_rows(least, 0.8, 0.3, **more) == pytest.approx(rows, abs=1)


def test_few_rows_show_nothing() -> None:
    assert paired_share_detectable(10, 0.1) == inf
    assert area_detectable(10, 0.9, 0.3) == inf


def test_repeats_help_down_to_a_limit_and_no_further() -> None:
    limit = splits_detectable(inf, 10, 0.03)
    values = [splits_detectable(r, 10, 0.03) for r in (1, 2, 10, 1000)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(limit, rel=0.01)
    assert repeats_needed(0.99 * limit, 10, 0.03) is None
    repeats = repeats_needed(1.02 * limit, 10, 0.03)
    assert repeats is not None
    assert splits_detectable(repeats, 10, 0.03) <= 1.02 * limit
    assert splits_detectable(repeats - 1, 10, 0.03) > 1.02 * limit


def test_a_comparison_tells_what_its_rows_show() -> None:
    made = compare(binary("a", 1.2, seed=1), binary("b", 0.6, seed=2), measures="auc")
    (seen,) = seen_power(made, 0.05)
    assert seen.n == 120
    assert seen.needed == pytest.approx(120 * (seen.detectable / 0.05) ** 2, abs=1)
    fourfold = seen_power(made, seen.detectable / 2)[0]
    assert fourfold.needed == pytest.approx(480, abs=1)


def test_splits_tell_the_same_as_numbers() -> None:
    folds = {"folds": np.arange(120) % 6}
    made = compare(
        binary("a", 1.2, seed=1, **folds), binary("b", 0.6, seed=2, **folds), measures="accuracy"
    )
    (seen,) = seen_power(made, 0.5)
    assert made.judged is not None
    first, second = (made.judged.splits(made.requests[0], i).values for i in (0, 1))
    spread = float((first - second).std(ddof=1))
    assert seen.detectable == pytest.approx(splits_detectable(1, 6, spread), rel=1e-6)
    assert seen.limit == pytest.approx(splits_detectable(inf, 6, spread), rel=1e-6)
    assert seen.needed == repeats_needed(0.5, 6, spread)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: paired_share_rows(0.3, 0.2),
        lambda: paired_share_rows(-0.1, 0.2),
        lambda: mean_rows(0.1, 0.0),
        lambda: mean_rows(0.1, 1.0, power=1.5),
        lambda: area_rows(0.5, 0.8, 0.3),
        lambda: area_rows(0.05, 0.8, 0.0),
        lambda: splits_detectable(1, 1, 0.1),
    ],
)
def test_numbers_that_make_no_sense_are_refused(wrong: object) -> None:
    with pytest.raises(InputError):
        wrong()  # type: ignore[operator]
