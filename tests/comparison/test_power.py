"""Power: what so many rows show, counted out and checked by simulation; the limit of repeats."""

from __future__ import annotations

from math import comb, inf, isinf

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from heldout.comparison.power.noise import (
    AreaNoise,
    Claim,
    Goal,
    MeanNoise,
    SplitNoise,
)
from heldout.comparison.power.power import seen_power
from heldout.comparison.power.share_noise import ShareNoise, critical_counts
from heldout.comparison.share_tests import mcnemar, tango_difference
from heldout.comparison.split_influence import split_values
from heldout.core.errors import InputError
from heldout.engines.memory import Tallies
from heldout.uncertainty.influence import Influence
from tests.comparison.models import binary

KINDS = ("exact", "mid-p", "normal", "corrected")
GOALS = (Goal(), Goal(one_sided=True, power=0.9), Goal(level=0.99, power=0.5))


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("kind", KINDS)
def test_power_is_the_sum_over_all_outcomes_of_the_test(kind: str, goal: Goal) -> None:
    rows, discordance, difference = 24, 0.6, 0.35
    one, two = (discordance + difference) / 2, (discordance - difference) / 2
    side = "greater" if goal.one_sided else "two-sided"
    total = 0.0
    for first in range(rows + 1):
        for second in range(rows + 1 - first):
            found = mcnemar(first, second, kind=kind, alternative=side)
            if found.p_value <= 1 - goal.level and first > second:
                ways = comb(rows, first) * comb(rows - first, second)
                same = rows - first - second
                total += ways * one**first * two**second * (1 - discordance) ** same
    assert ShareNoise(rows, discordance, kind).power(difference, goal) == pytest.approx(total)


@pytest.mark.parametrize("kind", KINDS)
def test_critical_counts_are_those_of_the_test(kind: str) -> None:
    tosses = np.arange(1, 70)
    for total, needed in zip(tosses, critical_counts(tosses, 0.025, kind), strict=True):
        for count in range(int(total) // 2 + 1, int(total) + 1):
            found = mcnemar(count, int(total) - count, kind=kind).p_value <= 0.05
            assert found == (count >= needed)


def test_many_discordant_rows_are_thinned_without_a_difference() -> None:
    whole = ShareNoise(200_000, 0.3)
    low, high = 60_000 - 2000, 60_000 + 2000
    from scipy.stats import binom

    counts = np.arange(low, high)
    chance = binom.pmf(counts, 200_000, 0.3)
    needed = critical_counts(counts, 0.025, "mid-p")
    exact = float((chance * binom.sf(needed - 1, counts, 0.5 + 0.004 / 0.6)).sum())
    assert whole.power(0.004, Goal()) == pytest.approx(exact, abs=2e-4)


@pytest.mark.parametrize(("difference", "discordance"), [(0.05, 0.15), (0.1, 0.3)])
def test_rows_show_a_difference_of_shares_as_often_as_said(
    difference: float, discordance: float
) -> None:
    rows = ShareNoise.planned(discordance).needed(difference, Goal())
    assert rows is not None
    rng = np.random.default_rng(1)
    shares = [(discordance + difference) / 2, (discordance - difference) / 2, 1 - discordance]
    drawn = rng.multinomial(rows, shares, size=1500)
    found = [mcnemar(int(b), int(c)).p_value <= 0.05 for b, c, _ in drawn]
    assert np.mean(found) == pytest.approx(0.8, abs=0.035)


def test_needed_rows_are_the_least_from_which_on_the_power_stays() -> None:
    for difference, discordance in ((0.05, 0.15), (0.5, 1.0), (0.3, 0.35)):
        rows = ShareNoise.planned(discordance).needed(difference, Goal())
        assert rows is not None
        assert ShareNoise(rows - 1, discordance).power(difference, Goal()) < 0.8
        for more in range(40):
            assert ShareNoise(rows + more, discordance).power(difference, Goal()) >= 0.8


def test_rows_show_a_difference_of_means_as_statsmodels_has_it() -> None:
    from statsmodels.stats.power import TTestPower

    for goal, side in ((Goal(), "two-sided"), (Goal(one_sided=True, power=0.9), "larger")):
        theirs = TTestPower().solve_power(
            effect_size=0.4, alpha=0.05, power=goal.power, alternative=side
        )
        assert MeanNoise.planned(1.0).needed(0.4, goal) == np.ceil(theirs)


def test_rows_show_equivalence_of_means_as_often_as_said() -> None:
    from scipy.special import stdtrit

    goal = Goal(claim="equivalence")
    rows = MeanNoise.planned(1.0).needed(0.5, goal)
    assert rows is not None
    gaps = np.random.default_rng(8).normal(size=(4000, rows))
    reach = stdtrit(rows - 1, 0.95) * gaps.std(axis=1, ddof=1) / np.sqrt(rows)
    means = gaps.mean(axis=1)
    shown = (means - reach > -0.5) & (means + reach < 0.5)
    assert shown.mean() == pytest.approx(0.8, abs=0.025)
    alone = MeanNoise.planned(1.0).needed(0.5, Goal(claim="non-inferiority"))
    assert alone == MeanNoise.planned(1.0).needed(0.5, Goal(one_sided=True))
    assert alone is not None
    assert alone < rows


@pytest.mark.parametrize("claim", ["non-inferiority", "equivalence"])
def test_rows_show_shares_within_a_margin_as_often_as_said(claim: Claim) -> None:
    found = heldout.power(claim=claim, margin=0.05, discordance=0.15)
    rows = found["needed"][0]
    rng = np.random.default_rng(9)
    counts = rng.multinomial(rows, [0.075, 0.075, 0.85], size=400)
    limits = [tango_difference(int(a), int(b), int(c), 0, level=0.9) for b, c, a in counts]
    shown = [i.low > -0.05 and (claim == "non-inferiority" or i.high < 0.05) for i in limits]
    assert np.mean(shown) == pytest.approx(0.8, abs=0.06)


def test_margin_and_difference_go_with_their_claims() -> None:
    with pytest.raises(InputError, match=r"margin= goes with claim= non-inferiority or"):
        heldout.power(margin=0.05, spread=1)
    with pytest.raises(InputError, match=r"difference= goes with claim= difference"):
        heldout.power(difference=0.05, spread=1, claim="equivalence")
    with pytest.raises(InputError, match="equivalence has its own sides"):
        heldout.power(margin=0.05, spread=1, claim="equivalence", one_sided=True)
    with pytest.raises(InputError, match="the claim is difference, non-inferiority, equivalence"):
        heldout.power(margin=0.05, spread=1, claim="same")


@pytest.mark.parametrize("discordance", [1.5, 0, -0.1])
def test_discordance_is_a_share_whatever_is_claimed(discordance: float) -> None:
    with pytest.raises(InputError, match="the discordance is a share of the rows"):
        heldout.power(claim="non-inferiority", margin=0.02, discordance=discordance)
    with pytest.raises(InputError, match="the discordance is a share of the rows"):
        heldout.power(difference=0.02, discordance=discordance)


def test_margin_as_wide_as_the_measure_is_refused() -> None:
    with pytest.raises(InputError, match=r"margin=2 is no less than the range of accuracy \(0 to"):
        heldout.power(claim="non-inferiority", margin=2, discordance=0.15)
    with pytest.raises(InputError, match=r"margin=1 is no less than the range of auc \(0 to 1\)"):
        heldout.power(claim="equivalence", margin=1, auc=0.8, prevalence=0.3)


def test_size_beyond_a_measure_is_refused_of_predictions_too() -> None:
    two = [binary(name, signal, seed=seed) for name, signal, seed in (("a", 1, 1), ("b", 2, 2))]
    with pytest.raises(InputError, match=r"margin=2 is no less than the range of accuracy \(0 to"):
        heldout.power(*two, measures="accuracy", claim="equivalence", margin=2)
    with pytest.raises(InputError, match=r"difference=1 is no less than the range of auc"):
        heldout.power(*two, measures="auc", difference=1)
    assert heldout.power(*two, measures="log_loss", difference=1)["achieved"][0] > 0.9


def test_rows_show_a_difference_of_areas_as_often_as_said() -> None:
    from scipy.special import ndtr

    rows = AreaNoise(0.8, 0.3, 0.0).needed(0.06, Goal())
    assert rows is not None
    rng = np.random.default_rng(3)
    truth = np.arange(rows) < round(0.3 * rows)
    found = []
    for _ in range(300):
        # exponential scores, as Hanley and McNeil assume
        waits = -np.log(1 - ndtr(rng.normal(size=(2, rows))))
        scores = [
            np.where(truth, a / (1 - a), 1) * w for a, w in zip((0.8, 0.86), waits, strict=True)
        ]
        one, two = (Influence.of_area(truth, own) for own in scores)
        gap = one - two
        found.append(abs(gap.value) > 1.96 * gap.spread().error)
    assert np.mean(found) == pytest.approx(0.8, abs=0.07)


def test_rows_and_detectable_differences_are_inverse() -> None:
    for rows in (150, 600, 5000):
        for goal in GOALS:
            shares = ShareNoise(rows, 0.2)
            needed = shares.needed(shares.detectable(goal) * 1.000001, goal)
            assert needed == pytest.approx(rows, abs=2)
            for noise in (MeanNoise.planned(0.4, rows), AreaNoise(0.8, 0.3, count=rows)):
                needed = noise.needed(noise.detectable(goal), goal)
                assert needed == pytest.approx(rows, abs=1)


def test_few_rows_show_nothing_and_the_reason_is_given() -> None:
    assert ShareNoise(10, 0.1).detectable(Goal()) == inf
    assert AreaNoise(0.9, 0.3, count=10).detectable(Goal()) == inf
    (row,) = heldout.power(rows=10, discordance=0.1)
    assert isinf(row["detectable"])
    assert "needs at least 5 of them" in row["note"]
    (row,) = heldout.power(rows=10, discordance=0.1, one_sided=True)
    assert "needs at least 4 of them" in row["note"]
    assert "1 row," in heldout.power(rows=1, discordance=1.0)["note"][0]
    assert heldout.power(rows=300, discordance=0.1)["note"][0] == ""


def test_repeats_help_down_to_a_limit_and_no_further() -> None:
    def least(repeats: int) -> float:
        return SplitNoise.planned(0.03, 10, repeats).detectable(Goal())

    once = SplitNoise.planned(0.03, 10)
    limit = once.limit(Goal())
    values = [least(repeats) for repeats in (1, 2, 10, 1000)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(limit, rel=0.01)
    assert once.needed(0.99 * limit, Goal()) is None
    repeats = once.needed(1.02 * limit, Goal())
    assert repeats is not None
    assert least(repeats) <= 1.02 * limit
    assert least(repeats - 1) > 1.02 * limit


def test_a_comparison_tells_what_its_rows_show() -> None:
    made = compare(binary("a", 1.2, seed=1), binary("b", 0.6, seed=2), measures="auc")
    (seen,) = seen_power(made, 0.05)
    assert seen["n"] == 120
    assert seen["needed"] == pytest.approx(120 * (seen["detectable"] / 0.05) ** 2, abs=1)
    fourfold = seen_power(made, seen["detectable"] / 2)[0]
    assert fourfold["needed"] == pytest.approx(480, abs=1)


@pytest.mark.parametrize("test", ["mcnemar", "mcnemar-midp"])
@pytest.mark.parametrize("side", ["two-sided", "less"])
def test_words_files_and_numbers_tell_the_same(side: str, test: str) -> None:
    first, second = binary("a", 0.7, seed=1), binary("b", 0.65, seed=2)
    made = compare(
        first, second, measures="accuracy", alternative=side, test=test, correction="none"
    )
    right = [p.truth == p.predicted for p in (first, second)]
    discordance = float((right[0] != right[1]).mean())
    goal = Goal(one_sided=side != "two-sided")
    kind = "exact" if test == "mcnemar" else "mid-p"
    noise = ShareNoise(120, discordance, kind)
    expected = noise.detectable(goal)
    shown = f"a true difference of {100 * expected:.3g} points would be found in 8 of 10 such"
    assert f"{shown} samples (120 rows)" in made.verdict
    (seen,) = seen_power(made, 0.05)
    assert seen["detectable"] == pytest.approx(expected)
    assert seen["needed"] == noise.needed(0.05, goal)
    if test == "mcnemar-midp":
        (planned,) = heldout.power(
            rows=120, discordance=discordance, difference=0.05, one_sided=goal.one_sided
        )
        assert planned["detectable"] == pytest.approx(expected)
        (given,) = heldout.power(
            first, second, measures="accuracy", difference=0.05, one_sided=goal.one_sided
        )
        assert (given["detectable"], given["needed"]) == (seen["detectable"], seen["needed"])
        assert given["achieved"] == pytest.approx(planned["achieved"])
        assert 0 < given["achieved"] < 1


def test_losses_tell_the_same_as_numbers() -> None:
    first, second = binary("a", 1.2, seed=1), binary("b", 0.6, seed=2)
    made = compare(first, second, measures="brier_score")
    (seen,) = seen_power(made, 0.01)
    losses = [(p.truth - p.scores) ** 2 for p in (first, second)]
    spread = float(np.std(losses[0] - losses[1], ddof=1))
    planned = MeanNoise.planned(spread, 120)
    assert seen["detectable"] == pytest.approx(planned.detectable(Goal()))
    assert seen["needed"] == planned.needed(0.01, Goal())


def test_splits_tell_the_same_as_numbers() -> None:
    folds = {"folds": np.arange(120) % 6}
    made = compare(
        binary("a", 1.2, seed=1, **folds), binary("b", 0.6, seed=2, **folds), measures="accuracy"
    )
    (seen,) = seen_power(made, 0.5)
    first, second = (split_values(made.requests[0], Tallies(p)) for p in made.predictions)
    spread = float((first - second).std(ddof=1))
    planned = SplitNoise.planned(spread, 6)
    assert seen["detectable"] == pytest.approx(planned.detectable(Goal()), rel=1e-6)
    assert seen["limit"] == pytest.approx(planned.limit(Goal()), rel=1e-6)
    assert seen["needed"] == planned.needed(0.5, Goal())


@pytest.mark.parametrize(
    "wrong",
    [
        {"difference": 0.3, "discordance": 0.2},
        {"difference": -0.1, "discordance": 0.2},
        {"rows": 0, "discordance": 0.2},
        {"rows": 10.5, "discordance": 0.2},
        {"rows": 10, "discordance": 1.2},
        {"difference": 0.1, "spread": 0.0},
        {"rows": 1, "spread": 1.0},
        {"difference": 0.1, "spread": 1.0, "power": 1.5},
        {"difference": 0.1, "spread": 1.0, "level": 0.4, "one_sided": True},
        {"difference": 0.5, "auc": 0.8, "prevalence": 0.3},
        {"difference": 0.05, "auc": 0.8, "prevalence": 0.0},
        {"difference": 0.05, "auc": 0.8},
        {"folds": 1, "spread": 0.1},
        {"folds": 5, "repeats": 0, "spread": 0.1},
        {"rows": 100, "repeats": 2, "spread": 0.1},
        {"rows": 100, "discordance": 0.1, "prevalence": 0.3},
        {"rows": 100, "discordance": 0.1, "measures": "auc"},
        {"rows": 100},
        {},
    ],
)
def test_numbers_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        heldout.power(**wrong)


def test_errors_of_python_name_arguments() -> None:
    with pytest.raises(InputError, match=r"^auc= needs prevalence=, the share of positives$"):
        heldout.power(auc=0.8, rows=100)
    with pytest.raises(InputError, match=r"^repeats= goes with folds=$"):
        heldout.power(spread=0.1, repeats=3)
