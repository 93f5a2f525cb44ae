"""Intervals over repeats heed groups and weights of all of them, in whatever order they come."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.resampled_decisions import RepeatedProfit
from heldout.assess.split_cases import RowsOnce
from heldout.engines.memory import Tallies
from heldout.measures.spec import parse_request
from heldout.predictions.table import Predictions
from heldout.uncertainty.cross_validation import corrected_t_interval
from heldout.uncertainty.options import IntervalOptions

GROUPS, EACH = 15, 6
MEANS = ("accuracy", "error_rate", "brier", "log_loss")


def judged(repeats: int, kind: str, *, weights: bool = False, seed: int = 2) -> Predictions:
    """Groups of which some are easy and some hard, judged in holdouts or folds of them."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(GROUPS), EACH)
    truth = rng.integers(0, 2, len(group))
    strength = rng.normal(1, 1.5, GROUPS)[group]
    weight = rng.lognormal(0, 1, len(group))
    rows, folds = [], []
    for _ in range(repeats):
        order = rng.permutation(GROUPS)
        if kind == "holdouts":  # of unequal size, as groups that are cut in half are drawn
            rows.append(np.flatnonzero(np.isin(group, order[: rng.integers(2, 5)])))
            folds.append(np.zeros(len(rows[-1]), int))
            continue
        rows.append(np.arange(len(group)))
        whole = (order % 5)[group]
        folds.append(whole if kind == "folds" else rng.permutation(len(group)) % 5)
    taken = np.concatenate(rows)
    noise = 0.7 * rng.normal(size=len(taken))
    score = 1 / (1 + np.exp(-((truth - 0.5) * strength)[taken] - noise))
    given: dict[str, Any] = {"folds": np.concatenate(folds)} if kind != "holdouts" else {}
    if weights:
        given["sample_weight"] = weight[taken]
    p = heldout.from_arrays(
        y_true=truth[taken],
        y_score=score,
        groups=group[taken],
        repeats=np.repeat(np.arange(repeats), [len(part) for part in rows]),
        **given,
    )
    return replace(p, identifier=taken, design=replace(p.design, test_share=0.25))


def turned(p: Predictions, step: int) -> Predictions:
    """The same with other repeats first."""
    repeat = p.design.repeat
    assert repeat is not None
    moved = (repeat.codes + step) % len(repeat.levels)
    order = np.argsort(moved, kind="stable")
    return replace(p, design=replace(p.design, repeat=replace(repeat, codes=moved))).take(order)


def limits(p: Predictions, measures: tuple[str, ...]) -> list[tuple[float, float, str]]:
    found = heldout.score(p, cost=[[0, 1], [5, 0]]).results(measures)
    kept = [r for r in found if r.fold in ("", "mean") and r.low is not None]
    assert {r.measure for r in kept} == {parse_request(name).name for name in measures}
    return [(float(r.low or 0.0), float(r.high or 0.0), r.method) for r in kept]


def same(one: list[Any], other: list[Any]) -> None:
    assert len(one) == len(other)
    for first, second in zip(one, other, strict=True):
        assert first[:2] == pytest.approx(second[:2], rel=1e-9, abs=1e-12)
        assert first[2] == second[2]


@pytest.mark.parametrize("weights", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("kind", ["holdouts", "folds", "cut folds"])
def test_order_of_repeats_changes_no_interval(kind: str, weights: bool) -> None:
    p = judged(12, kind, weights=weights)
    # in a holdout all positives of a repeat may be found, of whose groups nothing is then known
    rates = () if kind == "holdouts" else ("recall",)
    measures = (*MEANS, "cost_per_row", *rates, "mcc", *(() if weights else ("auc",)))
    known = limits(p, measures)
    for step in (1, 5):
        same(limits(turned(p, step), measures), known)


def test_order_of_weighted_repeats_without_groups_changes_no_interval() -> None:
    p = judged(6, "folds", weights=True)
    p = replace(p, design=replace(p.design, group=None))
    known = limits(p, MEANS)
    same(limits(turned(p, 2), MEANS), known)
    for identifier in (p.identifier, None):
        assert all(low < high for low, high, _ in limits(replace(p, identifier=identifier), MEANS))


@pytest.mark.parametrize("measure", MEANS)
def test_interval_of_groups_contains_that_of_the_splits_on_both_sides(measure: str) -> None:
    joined = 0
    for seed in range(8):
        p = judged(10, "holdouts", seed=seed)
        every = heldout.score(p).results((measure,), per_fold=True)
        mean = next(r for r in every if not r.repeat and not r.fold)
        values = np.array([r.value for r in every if r.repeat])
        made = corrected_t_interval(values, 0.25)
        assert mean.low is not None
        assert mean.high is not None
        assert mean.low <= max(made.low, 0) + 1e-12
        assert mean.high >= made.high - 1e-12 or mean.high == 1
        joined += "joined with" in mean.method
    assert joined or measure != "accuracy"


@pytest.mark.parametrize("groups", [True, False], ids=["groups", "weights"])
def test_rows_that_are_judged_again_alike_say_no_more(groups: bool) -> None:
    once = judged(1, "cut folds", weights=True)
    design = once.design if groups else replace(once.design, group=None)
    # one repeat among two names: the second is a copy
    both = np.tile(np.arange(len(once)), 2)
    alone = replace(once, design=replace(design, repeat=None, fold=None))
    repeat = replace(
        once.design.repeat or pytest.fail("no repeats"),
        codes=np.repeat([0, 1], len(once)),
        levels=("1", "2"),
    )
    twice = alone.take(both)
    twice = replace(twice, design=replace(twice.design, repeat=repeat))
    hits = (once.truth == once.predicted).astype(float)
    known, accuracy = RowsOnce(Tallies(alone), IntervalOptions()), parse_request("accuracy")
    share = known.of_rows(accuracy, heldout.score(alone)["accuracy"].value)
    for identifier in (True, False):
        p = twice if identifier else replace(twice, identifier=None)
        found = RowsOnce(Tallies(p), IntervalOptions())
        for one, two in (
            (share, found.of_rows(accuracy, heldout.score(alone)["accuracy"].value)),
            (known.mean(hits * 3), found.mean(hits[both] * 3)),
        ):
            assert (two.low, two.high) == pytest.approx((one.low, one.high))
        assert found.worth == pytest.approx(known.worth)
    single = heldout.score(alone)["accuracy"]
    if not groups:
        assert (share.low, share.high) == pytest.approx((single.low, single.high))


def test_groups_of_holdouts_are_all_those_that_were_tested() -> None:
    p = judged(30, "holdouts")
    value = float(np.mean(p.truth == p.predicted))
    made = RowsOnce(Tallies(p), IntervalOptions()).of_rows(parse_request("accuracy"), value)
    assert "of 15 groups" in made.method
    alone = heldout.score(replace(p, design=replace(p.design, repeat=None)))["accuracy"]
    assert alone.low is not None
    # rows that are judged again and again leave the groups as many as they are
    assert made.width == pytest.approx((alone.high or 0.0) - alone.low, rel=0.2)


def test_difference_of_decisions_does_not_depend_on_the_order_of_repeats() -> None:
    p = judged(9, "holdouts")
    gained = np.random.default_rng(3).normal(size=int(np.max(p.identifier)) + 1)
    request = parse_request("accuracy")

    def made(p: Predictions) -> tuple[float, float]:
        profit = RepeatedProfit(Tallies(p), IntervalOptions(), request)
        found = profit.of_difference(gained[np.asarray(p.identifier)])
        return found.low, found.high

    assert made(turned(p, 4)) == pytest.approx(made(p))


def test_splits_that_are_listed_in_another_order_give_the_same_interval() -> None:
    rng = np.random.default_rng(1)
    groups = np.arange(90) // 6
    X = rng.normal(size=(90, 3)) + rng.normal(size=(15, 3))[groups]
    y = (X[:, 0] + rng.normal(size=90) > 0).astype(int)
    listed = list(heldout.parse_procedure("12x holdout 80:20").split(X, y, groups))

    def found(splits: list[Any]) -> list[float]:
        made = heldout.evaluate({"nb": "nb"}, X, y, procedure=splits, groups=groups)
        return [made[name].low or 0.0 for name in MEANS]

    assert found(listed[::-1]) == pytest.approx(found(listed))
