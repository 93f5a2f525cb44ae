"""Rankings of several classes: pairs of classes by definition, places in a row, other tools."""

from __future__ import annotations

import csv
from itertools import combinations
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score, top_k_accuracy_score

from heldout.core.errors import InputError
from heldout.measures.multiclass_ranking import (
    hand_till,
    one_vs_one_auc_weighted,
    ranked_probability_score,
    top_k_accuracy,
)
from heldout.measures.registry import find
from heldout.tally.class_scores import ClassScores
from heldout.tally.moments import Moments
from heldout.tally.rows import ProbabilityRows

TOY = ClassScores.of(
    np.array([0, 1, 0, 2]),
    np.array([[0.1, 0.8, 0.1], [0.3, 0.4, 0.3], [0.35, 0.5, 0.15], [0, 0.2, 0.8]]),
)


def drawn(seed: int, classes: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = np.append(np.arange(classes), rng.integers(0, classes, 80))
    p = np.round(rng.dirichlet(np.ones(classes), len(truth)) + 0.3 * np.eye(classes)[truth], 2)
    return truth, p / p.sum(axis=1, keepdims=True)


def top(truth: Any, p: Any, k: int) -> float:
    rows = ProbabilityRows(np.asarray(truth), np.asarray(p, float), None, np.shape(p)[1])
    return Moments.of(top_k_accuracy(rows, k=k)).mean


def remark(scores: ClassScores) -> str:
    note = find("hand_till").note
    assert note is not None
    return str(note(scores))


def test_four_rows_by_hand() -> None:
    assert hand_till(TOY) == pytest.approx(0.75, abs=1e-12)  # 01: (.5 + 0) / 2, 02: 1, 12: 1
    assert one_vs_one_auc_weighted(TOY) == pytest.approx(0.71875, abs=1e-12)
    assert remark(TOY) == ""


@pytest.mark.parametrize("seed", range(4))
def test_pairs_agree_with_scikit_learn(seed: int) -> None:
    truth, p = drawn(seed)
    scores = ClassScores.of(truth, p)
    macro = roc_auc_score(truth, p, multi_class="ovo", average="macro")
    weighted = roc_auc_score(truth, p, multi_class="ovo", average="weighted")
    assert hand_till(scores) == pytest.approx(macro, abs=1e-12)
    assert one_vs_one_auc_weighted(scores) == pytest.approx(weighted, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_weighted_pairs_by_double_loop(seed: int) -> None:
    truth, p = drawn(seed, classes=3)
    weight = np.random.default_rng(seed).choice([0.5, 1.0, 2.0], len(truth))

    def one(j: int, i: int) -> float:
        wins = pairs = 0.0
        for a in np.flatnonzero(truth == j):
            for b in np.flatnonzero(truth == i):
                share = float(p[a, j] > p[b, j]) + 0.5 * (p[a, j] == p[b, j])
                wins += weight[a] * weight[b] * share
                pairs += weight[a] * weight[b]
        return wins / pairs

    areas = [(one(i, j) + one(j, i)) / 2 for i, j in combinations(range(3), 2)]
    rows = [weight[(truth == i) | (truth == j)].sum() for i, j in combinations(range(3), 2)]
    scores = ClassScores.of(truth, p, weight)
    assert hand_till(scores) == pytest.approx(np.mean(areas), abs=1e-12)
    assert one_vs_one_auc_weighted(scores) == pytest.approx(np.average(areas, weights=rows))


def test_class_without_rows_takes_no_part_and_is_told() -> None:
    wide = ClassScores.of(TOY.truth, np.column_stack([TOY.scores, [0.1, 0.2, 0.3, 0.4]]))
    assert hand_till(wide) == hand_till(TOY)
    assert remark(wide) == "mean of 3 of 6 pairs of classes: 1 without rows"


def test_one_class_alone_is_undefined() -> None:
    alone = ClassScores.of(np.array([1, 1]), np.eye(3)[:2])
    assert isnan(hand_till(alone))
    assert isnan(one_vs_one_auc_weighted(alone))
    assert remark(alone) == ""


def test_ties_for_the_last_place_are_shared() -> None:
    assert top([0], [[0.4, 0.3, 0.3]], 1) == 1
    assert top([1], [[0.4, 0.3, 0.3]], 1) == 0
    assert top([1], [[0.4, 0.3, 0.3]], 2) == 0.5
    assert top([1], [[0.4, 0.3, 0.3]], 3) == 1
    assert top([2], [[0.25, 0.25, 0.25, 0.25]], 1) == 0.25
    assert top([2], [[-5.0, 7.0, -2.0]], 2) == 1  # any finite scores
    with pytest.raises(InputError, match="k=0"):
        top([0], [[1, 0, 0]], 0)


def test_labels_alone_guess_the_other_places() -> None:
    rows = ProbabilityRows(np.array([0, 1]), None, np.array([0, 2]), 3)
    assert top_k_accuracy(rows, k=2).tolist() == [1.0, 0.5]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_top_k_agrees_with_scikit_learn_where_nothing_ties(k: int) -> None:
    rng = np.random.default_rng(k)
    truth, p = rng.integers(0, 4, 100), rng.dirichlet(np.ones(4), 100)
    assert top(truth, p, k) == pytest.approx(top_k_accuracy_score(truth, p, k=k, labels=range(4)))


def test_ranked_probability_score_by_hand_and_is_brier_for_two_classes() -> None:
    p = np.array([[0.2, 0.5, 0.3]])
    for truth, value in ((0, 0.64 + 0.09), (1, 0.04 + 0.09), (2, 0.04 + 0.49)):
        rows = ProbabilityRows(np.array([truth]), p, None, 3)
        found = Moments.of(ranked_probability_score(rows)).mean
        assert found == pytest.approx(value / 2, abs=1e-12)
    two = ProbabilityRows(np.array([0, 1]), np.array([0.3, 0.9]), None, 2, positive=1)
    assert ranked_probability_score(two) == pytest.approx([0.09, 0.01])


@pytest.mark.parametrize(
    ("file", "truth", "prefix", "classes", "value"),
    [
        ("handtill2001/multipleclass.csv", None, "", None, 0.947211779448622),
        ("yardstick_hpc_cv/hpc_cv.csv", "obs", "", ["VF", "F", "M", "L"], 0.828867472403748),
        ("yardstick_soybean19/soybean.csv", None, "", None, 0.969844178178942),
    ],
)
def test_hand_till_of_other_tools(
    reference: Path,
    file: str,
    truth: str | None,
    prefix: str,
    classes: list[str] | None,
    value: float,
) -> None:
    with (reference / file).open(encoding="utf-8") as opened:
        rows = list(csv.DictReader(opened))
    columns = list(rows[0])
    truth = truth or columns[0]
    classes = classes or [c for c in columns if _is_number(rows[0][c]) and c != truth]
    codes = np.array([classes.index(r[truth]) for r in rows])
    scores = ClassScores.of(
        codes, np.array([[float(r[prefix + c]) for c in classes] for r in rows])
    )
    assert hand_till(scores) == pytest.approx(value, abs=1e-9)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
