"""Limits of maxima and hulls: bias taken off twice, never a point, widened near 1."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import heldout
from heldout.measures.registry import find
from heldout.tally.scores import ScoreCounts
from heldout.uncertainty.limits import maximum_limits
from heldout.uncertainty.rankings import ScoreBootstrap

MAXIMA = ("h_measure", "kolmogorov_smirnov", "maximum_f", "maximum_accuracy", "maximum_mcc")


def card(rows: int, **options: Any) -> Any:
    rng = np.random.default_rng(2)
    truth = rng.random(rows) < 0.4
    return heldout.score(truth, y_score=rng.normal(size=rows) + truth, threshold=0.5, **options)


def test_bias_is_taken_off_twice_and_widens_the_interval() -> None:
    drawn = np.random.default_rng(1).normal(0.5, 0.05, 4000)
    plain, raised = maximum_limits(drawn, 0.5), maximum_limits(drawn, 0.46)
    assert (plain.low + plain.high) / 2 == pytest.approx(0.5, abs=0.004)
    assert raised.high == pytest.approx(0.38 + 1.96 * np.hypot(0.05, 0.04), abs=0.005)
    assert raised.width > 1.2 * plain.width


def test_near_one_the_lower_limit_is_that_of_the_logit_scale() -> None:
    drawn = np.random.default_rng(1).normal(0.95, 0.03, 4000)
    made = maximum_limits(drawn, 0.95)
    assert made.low < 0.95 - 1.96 * 0.03 - 0.02


def test_what_has_no_interval_says_why() -> None:
    assert maximum_limits(np.full(100, 0.5), 0.5).note == "every replicate has the same value"
    lost = np.where(np.arange(100) < 10, np.nan, np.arange(100) / 100)
    assert maximum_limits(lost, 0.5).note == "undefined in 10 of 100 replicates"


def test_measures_that_samples_raise_have_it_unasked() -> None:
    for made in card(200).results(MAXIMA):
        assert made.method.startswith(
            "bootstrap with its bias taken off twice (heldout's own), 400 draws of scores"
        )
        assert 0 <= made.low < made.high <= 1
    (asked,) = card(200, interval="basic").results(["kolmogorov_smirnov"])
    assert asked.method.startswith("bootstrap basic")
    groups = np.arange(200) // 4
    (grouped,) = card(200, groups=groups).results(["kolmogorov_smirnov"])
    assert "taken off twice" in grouped.method
    assert "groups" in grouped.method


def test_narrower_as_the_level_falls() -> None:
    widths = []
    for level in (0.99, 0.95, 0.8, 0.5):
        (made,) = card(200, level=level).results(["h_measure"])
        widths.append(made.high - made.low)
    assert widths == sorted(widths, reverse=True)


def test_it_covers_where_the_basic_bootstrap_does_not() -> None:
    rng, held = np.random.default_rng(4), {"maximum": 0, "basic": 0}
    measure = find("kolmogorov_smirnov")
    for seed in range(60):
        truth = np.arange(60) % 4 == 0
        counts = ScoreCounts.of(truth, rng.normal(size=60) + truth)
        bootstrap = ScoreBootstrap(counts, replicates=50, seed=seed)
        for kind in held:
            made = bootstrap.interval(measure, kind=kind, bounds=(0, 1))
            # two normal curves one standard deviation apart
            held[kind] += made.contains(0.3829)
    assert held["maximum"] >= 48
    assert held["maximum"] > held["basic"]


def test_few_rows_of_a_class_stretch_the_limits_and_say_so() -> None:
    rng = np.random.default_rng(3)
    truth = np.arange(100) < 10
    score = rng.normal(size=100) + 2.5 * truth
    made: Any = heldout.score(truth, y_score=score, threshold=0.5)["h_measure"]
    bootstrap = ScoreBootstrap(ScoreCounts.of(truth, score), replicates=400)
    drawn = bootstrap.replicated(lambda s: [find("h_measure")(s)]).drawn()
    plain = maximum_limits(drawn[:, 0], made.value)
    stretch = 2.262157 / 1.959964 * (10 / 9) ** 0.5  # Student's t of 9 degrees
    assert made.value - made.low == pytest.approx(stretch * (made.value - plain.low), abs=1e-6)
    assert "stretched for 10 rows of a class" in made.method
    assert "cover 89 to 100%, not 95%" in made.note
    assert "cover" not in card(200)["h_measure"].note


def test_few_rows_of_one_of_several_classes_stretch_its_limits() -> None:
    rng = np.random.default_rng(5)
    truth = np.repeat([0, 1, 2], [8, 40, 72])
    scores = rng.dirichlet([1, 1, 1], 120)
    made = heldout.score(truth, y_score=scores, replicates=40)
    assert "stretched for 8 rows" in made["ks", "0"].method
    assert "stretched for 40 rows" in made["ks", "1"].method
    assert "stretched for 48 rows" in made["ks", "2"].method  # the rest is smaller
    assert "stretched for 8 rows" in made["ks_macro"].method


@pytest.mark.parametrize(("apart", "is_said"), [(1.0, False), (4.0, True)])
def test_an_h_measure_of_classes_far_apart_says_that_its_limits_cover_less(
    apart: float, is_said: bool
) -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(100) < 0.5
    own = heldout.score(truth, y_score=rng.normal(size=100) + apart * truth, threshold=2.0)
    assert ("classes are so well separated" in own["h_measure"].note) == is_said
    assert "classes are so well separated" not in own["maximum_f"].note
