"""Intervals of curves follow the design: repeated rows are no more rows, groups are drawn whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.assess.scorecard import Scorecard, score_predictions
from heldout.core.random import generator
from heldout.curves.curve import Band
from heldout.curves.folds import FoldRows
from heldout.curves.ranking import roc
from heldout.curves.sources import RankedRows, Units, units_of
from heldout.tally.scores import ScoreCounts

ROWS = 90


def once(*, has_folds: bool = True, **more: Any) -> dict[str, Any]:
    rng = generator(5)
    truth = (np.arange(ROWS) % 5 < 2).astype(int)
    score = np.clip(0.35 + 0.25 * truth + 0.2 * rng.normal(size=ROWS), 0.01, 0.99)
    folds = {"folds": np.arange(ROWS) % 3} if has_folds else {}
    return {"y_true": truth, "y_score": score} | folds | more


def copied(times: int = 4, *, ids: bool = True, has_folds: bool = True) -> Scorecard:
    """The same rows in several repeats: nothing more is known of them."""
    given = once(has_folds=has_folds)
    rows = {name: np.tile(values, times) for name, values in given.items()}
    card = heldout.score(**rows, repeats=np.repeat(np.arange(times), ROWS))
    if not ids:
        return card
    named = replace(card.predictions[0], identifier=np.tile(np.arange(ROWS), times))
    return score_predictions((named,))


def band(card: Scorecard, name: str, **options: Any) -> Band:
    made = card.curve(name, **options).band
    assert made is not None
    return made


def width(card: Scorecard, name: str, **options: Any) -> float:
    made = band(card, name, **options)
    return float(np.nanmean(made.high - made.low))


DRAWN = {"band": "pointwise", "replicates": 200}


@pytest.mark.parametrize(
    ("name", "options"),
    [("calibration", {"bins": 5}), ("roc_average", DRAWN), ("roc", DRAWN), ("pr", DRAWN)],
)
def test_copies_of_rows_do_not_narrow_intervals(name: str, options: dict[str, Any]) -> None:
    has_folds = name == "roc_average"  # folds that are ranked together have no band
    single, several = heldout.score(**once(has_folds=has_folds)), copied(has_folds=has_folds)
    assert 0.95 < width(several, name, **options) / width(single, name, **options) < 1.25


def test_floors_count_a_repeated_row_once() -> None:
    truth = np.arange(40) < 20
    card = heldout.score(
        np.tile(truth, 4).astype(int),
        y_score=np.tile(truth * 0.5 + 0.2, 4),
        repeats=np.repeat(np.arange(4), 40),
    )
    named = replace(card.predictions[0], identifier=np.tile(np.arange(40), 4))
    made = band(score_predictions((named,)), "roc", **DRAWN)
    middle = (made.x > 0.2) & (made.x < 1)
    assert made.low[middle].max() == pytest.approx(0.8389, abs=1e-3)  # Wilson's of 20 of 20


def test_repeats_without_names_of_rows_have_no_band_and_calibration_counts_each_in_part() -> None:
    card = copied(ids=False)
    for name in ("roc", "pr", "roc_average"):
        made = band(card, name, band="pointwise")
        assert made.is_absent
        curve = card.curve(name, band="pointwise")
        assert curve.band_reason == made.note
        assert f"no band: {made.note}" in repr(curve)
        assert not card.curve(name).band_reason
        assert made.note == ("rows occur once per repeat, and no ids say which are the same (ids=)")
    plain = band(heldout.score(**once()), "calibration", bins=10)
    made = band(card, "calibration", bins=10)
    np.testing.assert_allclose(made.low, plain.low)
    np.testing.assert_allclose(made.high, plain.high)
    assert made.method == "Wilson on a row in 4, as each may occur once per repeat"
    assert not band(card, "roc_average", band="spread").is_absent


def test_one_repeat_is_none() -> None:
    card = heldout.score(**once(has_folds=False, repeats=np.ones(ROWS)))
    assert "rows of each class" in band(card, "roc", **DRAWN).method
    assert band(card, "calibration", bins=10).method == "Wilson"


def test_groups_widen_calibration_and_the_average_of_folds() -> None:
    groups = np.repeat(np.arange(ROWS), 5)
    rows = {name: np.repeat(values, 5) for name, values in once().items()}
    plain, grouped = heldout.score(**rows), heldout.score(**rows, groups=groups)
    assert width(grouped, "calibration", bins=10) > 1.7 * width(plain, "calibration", bins=10)
    assert width(grouped, "roc_average", **DRAWN) > 1.5 * width(plain, "roc_average", **DRAWN)
    assert "draws of groups over all folds" in band(grouped, "roc_average", **DRAWN).method
    assert band(grouped, "calibration", bins=10).method == "Wilson on effective rows of groups"


def test_folds_that_are_groups_are_drawn() -> None:
    rng = generator(8)
    group = np.repeat(np.arange(12), 20)
    truth = np.arange(240) % 2
    # in half of the groups scores are good, in the others they are worthless
    score = rng.normal(size=240) + 3 * truth * (group % 2)
    card = heldout.score(truth, y_score=score, folds=group, groups=group)
    single = heldout.score(truth, y_score=score, folds=group)
    made = band(card, "roc_average", **DRAWN)
    places = (made.x > 0.1) & (made.x < 0.4)
    spread = 1.96 * 0.45 / np.sqrt(12)  # of heights about 0.2 and 1 in turn
    assert (made.high - made.low)[places].mean() > 1.6 * spread
    assert width(card, "roc_average", **DRAWN) > 1.3 * width(single, "roc_average", **DRAWN)


def test_bins_of_one_group_have_no_interval_and_say_so() -> None:
    truth, score = np.array([0, 1, 0, 1, 1, 1]), np.array([0.1, 0.12, 0.15, 0.9, 0.92, 0.95])
    card = heldout.score(truth, y_score=score, groups=list("aaabbc"))
    made = card.curve("calibration", bins=2)
    assert made.band is not None
    assert np.isnan(made.columns["low"]).tolist() == [True, False]
    assert "none in 1 bin of fewer than two groups" in made.band.note
    alone = (
        heldout.score(truth, y_score=score, groups=list("aaaaaa")).curve("calibration", bins=2).band
    )
    assert alone is not None
    assert alone.is_absent
    assert alone.note == "fewer than two groups"


def test_weights_of_folds_are_drawn_with_their_rows() -> None:
    weight = 0.5 + generator(2).random(ROWS)
    made = band(heldout.score(**once(sample_weight=weight)), "roc_average", **DRAWN)
    assert "200 draws of rows over all folds" in made.method


@pytest.mark.parametrize("procedure", ["time 4", "bootstrap 20", "leave-2-out"])
def test_designs_without_a_valid_interval_have_no_band(procedure: str) -> None:
    rows = heldout.score(**once()).predictions[0]
    card = score_predictions((replace(rows, design=replace(rows.design, procedure=procedure)),))
    for made in (band(card, "roc", band="pointwise"), band(card, "calibration", bins=10)):
        assert made.is_absent
        assert "no interval or test is known to be valid" in made.note
    assert np.isnan(card.curve("calibration", bins=10).columns["low"]).all()


def test_row_judged_in_several_folds_is_one_row() -> None:
    rows = copied().predictions[0]
    design = replace(rows.design, repeat=None, procedure="ShuffleSplit()")
    units = units_of(replace(rows, design=design))
    assert units.groups == ROWS
    every = np.ones(4 * ROWS, bool)
    assert RankedRows(every, np.ones(4 * ROWS), None, units).worth(every).rows == ROWS


def test_level_seed_and_replicates_are_those_of_the_scorecard() -> None:
    card = heldout.score(**once(has_folds=False), level=0.8, random_state=5, replicates=60)
    made = band(card, "roc", band="pointwise")
    assert made.level == 0.8
    assert "60 draws of rows of each class, seed 5" in made.method
    assert band(card, "calibration").level == 0.8
    own = band(card, "roc", band="pointwise", level=0.9, seed=7, replicates=50)
    assert (own.level, "50 draws" in own.method, "seed 7" in own.method) == (0.9, True, True)
    bare = heldout.score(**once(), intervals=False)
    assert band(bare, "roc", band="pointwise", replicates=20).level == 0.95


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"replicates": 0}, "0 replicates: give a whole number from 20 to 1,000,000"),
        ({"replicates": -5}, "-5 replicates"),
        ({"replicates": 19}, "19 replicates"),
        ({"replicates": 2.5}, "2.5 replicates"),
        ({"replicates": "x"}, "'x' replicates"),
        ({"level": "x"}, "a level is a number between 0 and 1 .0.95., not 'x'"),
        ({"level": 95}, "a level lies between 0 and 1"),
        ({"band": "foo"}, "band is one of pointwise, simultaneous, not 'foo'"),
        ({"band": "spread"}, "band is one of pointwise, simultaneous"),
        ({"seed": -1}, "seed"),
        ({"seed": "x"}, "seed"),
    ],
)
def test_draws_that_cannot_be_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(heldout.InputError, match=message):
        heldout.score(**once(has_folds=False)).curve("roc", **({"band": "pointwise"} | options))


@pytest.mark.parametrize("name", ["roc", "pr"])
def test_ranking_of_several_folds_models_has_neither_band_nor_interval(name: str) -> None:
    card = heldout.score(**once())
    assert "different folds' models are ranked together" in band(card, name, **DRAWN).note
    assert card["auc", "pooled"].low is None
    assert card["average_precision"].low is None
    assert not band(card, "roc_average", **DRAWN).is_absent


def test_band_of_groups_does_not_fall_where_the_curve_reaches_one() -> None:
    rng = generator(1)
    group, truth = np.repeat(np.arange(20), 10), np.arange(200) % 2
    score = rng.normal(size=200) + 1.2 * truth
    made = band(heldout.score(truth, y_score=score, groups=group), "roc", **DRAWN)
    late = made.low[made.x > 0.6]
    assert (np.diff(late) >= -0.02).all()
    apart = band(heldout.score(truth, y_score=truth + 0.0, groups=group), "roc", **DRAWN)
    inner = (apart.x > 0.2) & (apart.x < 1)
    assert (apart.low[inner] < 0.85).all()  # 20 groups agree, and not 100 rows


def test_draws_of_folds_have_the_heights_of_their_curves() -> None:
    rng = generator(6)
    truth, score = np.arange(60) % 2 == 0, np.round(rng.normal(size=60), 1)
    weight, group = 0.5 + rng.random(60), np.arange(60) // 3
    folds = (np.arange(30), np.arange(30, 60))
    rows = FoldRows(truth, score, weight, Units(group, "groups"), folds)
    grid = np.linspace(0, 1, 21)
    made = rows.replicate(grid, replicates=5, rng=generator(3))
    for height, own in zip(made, generator(3).spawn(1) * 5, strict=True):
        often = rows.sampler.multiplicities(own)
        counts = [ScoreCounts.of(truth[f], score[f], often[f] * weight[f]) for f in folds]
        heights = [roc(part).at(grid) for part in counts]
        shares = [often[f].mean() for f in folds]
        np.testing.assert_allclose(height, np.average(heights, axis=0, weights=shares), atol=1e-12)
