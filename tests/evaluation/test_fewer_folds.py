"""A mean of folds that is not of all of them says so wherever it is shown."""

from __future__ import annotations

import numpy as np
import pytest

import heldout
from heldout.report.evaluation import evaluation_page
from heldout.report.terminal import terminal_text

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 2))
Y = np.where(np.arange(60) % 15 == 0, "rare", "common")
FOLDS = np.arange(60) % 4 + 1


@pytest.fixture(scope="module")
def shown() -> str:
    X[[15, 45], 0] = 9.0  # two folds have a row that is predicted as the rare class
    made = heldout.evaluate("lda", X, Y, folds=FOLDS, pos_label="rare")
    assert made["precision", "mean of folds"].note.startswith("mean of 2 of 4 folds; undefined in ")
    return " ".join(terminal_text(evaluation_page(made), width=80).split())


def test_a_mean_beside_a_pooled_value_says_of_how_many_folds_it_is(shown: str) -> None:
    assert "Precision, Calibration slope: mean of 2 of 4 folds " in shown
    assert "Precision: undefined in 1, 3 " in shown


def test_a_mean_of_all_folds_needs_no_word(shown: str) -> None:
    assert "4 of 4 folds" not in shown
    assert "Recall: mean of" not in shown


def test_a_mean_beside_a_pooled_value_says_where_folds_lack_classes() -> None:
    kinds = np.where(np.arange(60) // 4 % 2, "a", "b").astype(object)
    kinds[0] = "c"
    made = heldout.evaluate("nb", X, kinds, folds=FOLDS)
    text = terminal_text(evaluation_page(made), width=200)
    assert "Balanced accuracy" in text
    assert "in 3 of 4 folds 1 of 3 classes left out because they have no row there\n" in text
    assert "mean of 4 of 4 folds" not in text
