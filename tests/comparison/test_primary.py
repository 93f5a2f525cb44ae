"""A primary measure: it comes first, and its differences are corrected on their own."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.comparison.compare import compare
from heldout.core.errors import InputError
from heldout.core.significance import holm
from tests.comparison.models import binary

MODELS = tuple(
    binary(name, slope, seed=seed)
    for seed, (name, slope) in enumerate(zip("abc", (1.6, 1.0, 0.6), strict=True))
)
MEASURES = ["accuracy", "log_loss", "auc"]


def test_primary_measure_is_corrected_as_if_it_were_alone() -> None:
    made = compare(*MODELS, measures=MEASURES, primary="auc")
    alone = compare(*MODELS, measures="auc")
    assert made.measures == ("auc", "accuracy", "log_loss")
    assert [d.p_value for d in made.differences[:3]] == [d.p_value for d in alone.differences]
    assert {d.comparisons for d in made.differences[:3]} == {3}


def test_other_measures_and_slices_are_a_family_of_their_own() -> None:
    slices = {"slices": {"half": np.arange(120) % 2}}
    models = [binary(name, slope, seed=3, **slices) for name, slope in (("a", 1.6), ("b", 0.6))]
    made = compare(*models, measures=MEASURES, primary="accuracy")
    first, *others = (*made.differences, *made.slices)
    assert (first.measure, first.corrected) == ("accuracy", None)
    assert [d.corrected for d in others] == holm([d.test.p_value for d in others]).tolist()
    assert len(others) == 2 + 3 * 2


def test_simultaneous_intervals_hold_by_family() -> None:
    made = compare(*MODELS, measures=MEASURES, primary="auc", simultaneous=True)
    alone = compare(*MODELS, measures="auc", simultaneous=True)
    pairs = zip(made.differences, alone.differences, strict=False)
    assert all((one.low, one.high) == (two.low, two.high) for one, two in pairs)


def test_primary_measure_need_not_be_listed_and_may_be_called_by_an_alias() -> None:
    made = compare(*MODELS, measures="brier", primary="auc")
    assert made.measures == ("auc", "brier")
    assert "auc is the primary measure" in made.explanation
    assert compare(*MODELS, measures=["brier", "auc"], primary="roc_auc").measures == made.measures


def test_primary_measure_is_never_left_out() -> None:
    truth = [0, 1, 0, 1, 1, 0]
    labels = [
        heldout.from_arrays(truth, guess, model=name, pos_label=1)
        for name, guess in (("a", [0, 1, 1, 1, 1, 0]), ("b", [0, 0, 0, 1, 1, 1]))
    ]
    with pytest.raises(InputError, match="auc"):
        compare(*labels, primary="auc")
    with pytest.raises(InputError, match="acuracy"):
        compare(*labels, primary="acuracy")
