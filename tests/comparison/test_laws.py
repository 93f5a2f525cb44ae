"""Laws of every comparison: exchanged models mirror it, identical ones do not differ."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from heldout.comparison.difference import margin_verdict
from heldout.core.errors import InputError
from tests.comparison.models import binary, classes, numbers

FAST = {"replicates": 100, "permutations": 100, "correction": "none"}
GROUPS = np.arange(120) // 3
WEIGHTS = np.random.default_rng(5).uniform(0.5, 2, 120)


def folds(repeats: int, count: int) -> dict[str, Any]:
    deal = [np.random.default_rng(r).permutation(np.arange(120) % count) for r in range(repeats)]
    ids, of = np.tile(np.arange(120), repeats), np.repeat(np.arange(repeats), 120)
    return {"folds": np.concatenate(deal), "repeats": of, "ids": ids}


def repeated(name: str, signal: float, seed: int, repeats: int, count: int) -> Any:
    truth = np.tile(np.random.default_rng(99).integers(0, 2, 120), repeats)
    noise = np.random.default_rng(seed).normal(size=len(truth))
    score = np.clip(1 / (1 + np.exp(-(signal * (2 * truth - 1) + noise))), 0.01, 0.99)
    return heldout.from_arrays(
        truth, y_score=score, pos_label=1, model=name, **folds(repeats, count)
    )


PAIRS = {
    "binary": (binary("a", 1.2, seed=1), binary("b", 0.6, seed=2)),
    "groups": (
        binary("a", 1.2, seed=1, groups=GROUPS),
        binary("b", 0.6, seed=2, groups=GROUPS),
    ),
    "weights": (
        binary("a", 1.2, seed=1, sample_weight=WEIGHTS),
        binary("b", 0.6, seed=2, sample_weight=WEIGHTS),
    ),
    "folds": (repeated("a", 1.2, 1, 1, 5), repeated("b", 0.6, 2, 1, 5)),
    "repeats": (repeated("a", 1.2, 1, 3, 5), repeated("b", 0.6, 2, 3, 5)),
    "5x2": (repeated("a", 1.2, 1, 5, 2), repeated("b", 0.6, 2, 5, 2)),
    "classes": (classes("a", 0.8, seed=1), classes("b", 0.5, seed=2)),
    "numbers": (numbers("a", 0.3, seed=1), numbers("b", 0.6, seed=2)),
}
MEASURES = {
    "classes": ["accuracy", "f_score_macro", "kappa"],
    "numbers": ["mse", "mae", "r_squared"],
}
USUAL = ["accuracy", "recall", "precision", "auc", "log_loss", "brier_score", "f_score"]


@pytest.mark.parametrize("unpaired", [False, True])
@pytest.mark.parametrize("design", PAIRS)
def test_exchanged_models_mirror_every_result(design: str, unpaired: bool) -> None:
    first, second = PAIRS[design]
    if unpaired and design in {"folds", "repeats", "5x2"}:
        return
    names = MEASURES.get(design, USUAL)
    here = compare(first, second, measures=names, unpaired=unpaired, **FAST)
    there = compare(second, first, measures=names, unpaired=unpaired, **FAST)
    for name in names:
        one, other = here[name], there[name]
        assert one.value == pytest.approx(-other.value)
        assert one.p_value == pytest.approx(other.p_value, abs=1e-9)
        assert one.interval.low == pytest.approx(-other.interval.high, abs=1e-9)
        mirrored = here[name, second.model, first.model]
        assert mirrored.value == -one.value
        assert (mirrored.interval.low, mirrored.interval.high) == (
            -one.interval.high,
            -one.interval.low,
        )
        assert mirrored.better == one.better


@pytest.mark.parametrize("test", ["bootstrap", "permutation", ""])
@pytest.mark.parametrize("design", PAIRS)
def test_names_of_models_and_order_of_rows_move_no_number(design: str, test: str) -> None:
    first, second = PAIRS[design]
    order = np.random.default_rng(3).permutation(len(first))
    names = MEASURES.get(design, ["recall", "auc", "f_score"])
    how: Any = {"measures": names, "test": test, "force": True, "rope": 0.01, **FAST}
    here = compare(first, second, **how)
    there = compare(
        *(replace(p.take(order), model=m) for p, m in ((first, "z"), (second, "b"))), **how
    )
    for d, e in zip(here.differences, there.differences, strict=True):
        for field in ("value", "low", "high", "p_value"):
            mine, theirs = getattr(d, field), getattr(e, field)
            assert mine == pytest.approx(theirs, abs=1e-9, nan_ok=True), (d.measure, field)
        assert (d.posterior is None) == (e.posterior is None)
        if d.posterior is not None and e.posterior is not None:
            assert d.posterior.first_better == pytest.approx(e.posterior.first_better, abs=1e-9)


def test_undefined_measure_is_no_evidence_whichever_side_is_asked_for() -> None:
    truth = np.random.default_rng(1).normal(5, 1, 30)
    models = [
        heldout.from_arrays(truth, truth + shift, task="regression", model=name)
        for name, shift in (("a", 1.0), ("b", -9.0))
    ]
    for side in ("two-sided", "greater", "less"):
        made = compare(*models, measures="tweedie_deviance", test="delta", alternative=side)
        (d,) = made.differences
        assert isnan(d.value)
        assert isnan(d.p_value)


@pytest.mark.parametrize("unpaired", [False, True])
@pytest.mark.parametrize("design", PAIRS)
def test_identical_models_do_not_differ_and_nothing_is_nan(design: str, unpaired: bool) -> None:
    first = PAIRS[design][0]
    if unpaired and design in {"folds", "repeats", "5x2"}:
        return
    names = MEASURES.get(design, USUAL)
    made = compare(first, replace(first, model="copy"), measures=names, unpaired=unpaired, **FAST)
    for name in names:
        d = made[name]
        assert d.value == 0
        assert not isnan(d.p_value)
        assert d.better == ""
        assert d.interval.is_absent or d.interval.contains(0)
        if not unpaired:
            assert d.p_value == 1
        if d.posterior is not None:
            q = d.posterior
            assert q.first_better + q.equivalent + q.second_better == pytest.approx(1)
            assert q.first_better == q.second_better
    assert all("are equal" in line or unpaired for line in made.verdict.splitlines())


def test_one_sided_p_values_halve_the_two_sided_one() -> None:
    first, second = PAIRS["binary"]
    for name in ("auc", "log_loss"):
        two = compare(first, second, measures=name)[name].p_value
        sides = [
            compare(first, second, measures=name, alternative=side)[name].p_value
            for side in ("greater", "less")
        ]
        assert sum(sides) == pytest.approx(1)
        assert 2 * min(sides) == pytest.approx(two)


def test_correction_is_that_of_holm_over_pairs_and_measures() -> None:
    models = [binary(name, 0.4 * k, seed=k) for k, name in enumerate("abc", 1)]
    made = compare(*models, measures=["accuracy", "auc"])
    plain = np.array([d.test.p_value for d in made.differences])
    order = np.argsort(plain)
    steps = np.maximum.accumulate(plain[order] * np.arange(len(plain), 0, -1))
    expected = np.empty_like(plain)
    expected[order] = np.minimum(steps, 1)
    assert [d.p_value for d in made.differences] == pytest.approx(expected.tolist())


def test_unpaired_shares_are_the_z_test_of_statsmodels() -> None:
    from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

    first, second = binary("a", 1.2, seed=1, rows=120), binary("b", 0.6, seed=2, rows=90)
    made = compare(first, second, measures="accuracy", unpaired=True)["accuracy"]
    right = [int((p.truth == p.predicted).sum()) for p in (first, second)]
    statistic, p_value = proportions_ztest(right, [120, 90])
    assert made.test.statistic == pytest.approx(statistic)
    assert made.p_value == pytest.approx(p_value)
    limits = confint_proportions_2indep(right[0], 120, right[1], 90, method="newcomb")
    assert (made.interval.low, made.interval.high) == pytest.approx(limits, abs=1e-4)


def test_cochran_is_that_of_statsmodels_and_mcnemar_too() -> None:
    from statsmodels.stats.contingency_tables import cochrans_q, mcnemar

    models = [binary(name, 0.4 * k, seed=k) for k, name in enumerate("abc", 1)]
    made = compare(*models, measures="accuracy")
    right = np.column_stack([p.truth == p.predicted for p in models]).astype(int)
    theirs = cochrans_q(right)
    assert made.omnibus["accuracy"].statistic == pytest.approx(theirs.statistic)
    assert made.omnibus["accuracy"].p_value == pytest.approx(theirs.pvalue)
    table = np.histogram2d(1 - right[:, 0], 1 - right[:, 1], bins=2)[0]
    asked = compare(*models, measures="accuracy", test="mcnemar")
    expected = mcnemar(table, exact=True).pvalue
    assert asked["accuracy", "a", "b"].test.p_value == pytest.approx(expected)


def test_groups_widen_intervals_where_rows_are_copies() -> None:
    rows = {"truth": np.random.default_rng(1).integers(0, 2, 60)}
    import heldout

    def copied(name: str, seed: int, **more: Any) -> Any:
        score = 0.75 * np.random.default_rng(seed).random(60) + 0.2 * rows["truth"]
        return heldout.from_arrays(
            np.repeat(rows["truth"], 4),
            y_score=np.repeat(score, 4),
            pos_label=1,
            model=name,
            **more,
        )

    groups = np.repeat(np.arange(60), 4)
    for name in ("accuracy", "auc", "log_loss", "f_score"):
        alone = compare(copied("a", 1), copied("b", 2), measures=name, **FAST)[name]
        grouped = compare(
            copied("a", 1, groups=groups), copied("b", 2, groups=groups), measures=name, **FAST
        )[name]
        assert grouped.interval.width > 1.3 * alone.interval.width


def test_groups_and_not_rows_are_counted() -> None:
    made = compare(*PAIRS["groups"], measures=["auc", "f_score"])
    for d in made.differences:
        assert (d.n, d.unit) == (40, "groups")
    assert made["f_score"].test.method == "delta method, paired, of groups"
    asked = compare(*PAIRS["groups"], measures="f_score", test="permutation", permutations=300)
    assert "300 exchanges of groups" in asked["f_score"].test.method


def test_margin_says_what_the_interval_shows() -> None:
    first, second = PAIRS["binary"]
    made = compare(first, second, measures="auc", margin=0.9)
    assert "equivalent within 90 points" in made.verdict
    for measure in ("auc", "log_loss"):
        found = margin_verdict(compare(first, second, measures=measure)[measure], 0.0001)
        assert found.words("0.01 points") == "a is non-inferior within 0.01 points"


def test_mcnemar_is_refused_for_groups_and_for_what_is_no_share() -> None:
    with pytest.raises(InputError, match="depend on each other"):
        compare(*PAIRS["groups"], measures="accuracy", test="mcnemar")
    with pytest.raises(InputError, match="not a proportion of the same rows"):
        compare(*PAIRS["binary"], measures="precision", test="mcnemar")
    with pytest.raises(InputError, match="auc of two classes"):
        compare(*PAIRS["binary"], measures="accuracy", test="delong")


def test_the_level_of_intervals_decides_nothing_and_alpha_does() -> None:
    pair = binary("a", 0.9, seed=1), binary("b", 0.85, seed=2)
    usual = compare(*pair, measures="auc")
    p = usual["auc"].p_value
    assert 0.05 < p < 0.2
    wide = compare(*pair, measures="auc", level=0.8)
    assert wide["auc"].p_value == p
    assert wide.letters("auc") == usual.letters("auc")
    assert "no clear difference" in wide.verdict
    assert "different methods" not in wide.verdict
    assert "is better" in compare(*pair, measures="auc", alpha=p + 0.001).verdict
    with pytest.raises(InputError, match="alpha lies between"):
        compare(*pair, measures="auc", alpha=0.5)


def test_margins_are_two_one_sided_tests_at_alpha() -> None:
    pair = binary("a", 1.1, seed=1), binary("b", 1.0, seed=2)
    given = [compare(*pair, measures="auc", margin=0.2, level=level) for level in (0.8, 0.95)]
    limits = compare(*pair, measures="auc", level=0.9)["auc"].interval
    for made in given:
        assert made["auc"].margin_interval == limits
        within = max(abs(limits.low), abs(limits.high))
        assert margin_verdict(made["auc"], within + 1e-6).is_equivalent
        assert not margin_verdict(made["auc"], within - 1e-6).is_equivalent
    turned = given[0]["auc", "b", "a"].margin_interval
    assert turned is not None
    assert (turned.low, turned.high) == (-limits.high, -limits.low)
    several = compare(*pair, measures=["auc", "accuracy"], margin=0.2).verdict
    assert "not corrected for 2 comparisons" in several


def test_verdicts_say_what_they_are_about() -> None:
    one = compare(*PAIRS["binary"], measures="accuracy")
    assert one.verdict.endswith("This applies to these models, on new rows like these")
    splits = compare(*PAIRS["folds"], measures="accuracy").verdict
    assert "This applies to models trained this way on about" in splits
    pooled = compare(*PAIRS["folds"], measures="accuracy", test="mcnemar-midp").verdict
    assert "This applies to the models fitted in these folds" in pooled


def test_simultaneous_intervals_hold_for_all_differences_at_once() -> None:
    models = [binary(name, 0.4 * k, seed=k) for k, name in enumerate("abc", 1)]
    measures = ["auc", "accuracy"]
    made = compare(*models, measures=measures, simultaneous=True)
    wide = compare(*models, measures=measures, level=1 - 0.05 / 6)
    for one, other in zip(made.differences, wide.differences, strict=True):
        assert (one.interval.low, one.interval.high) == (other.interval.low, other.interval.high)
        assert one.interval.level == 0.95
        assert one.p_value == other.p_value
        assert "simultaneous" in one.interval.method
    assert "95% CI" in made.verdict
    assert "simultaneous)" in made.verdict
    assert "different methods" not in made.verdict
