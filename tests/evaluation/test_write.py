"""Out-of-fold predictions as a file: ``karat score`` reads it and says the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.errors import InputError


def same(evaluation: Any, card: Any) -> int:
    """How many values and limits agree; none may differ."""
    ours = {(r.model, r.measure, r.fold, r.class_): r for r in evaluation.results()}
    theirs = {(r.model, r.measure, r.fold, r.class_): r for r in card.results()}
    assert set(ours) == set(theirs)
    for key, one in ours.items():
        other = theirs[key]
        assert other.value == pytest.approx(one.value, rel=1e-12, nan_ok=True), key
        assert (other.low is None) == (one.low is None), key
        if one.low is not None:
            assert other.low == pytest.approx(one.low, rel=1e-9, abs=1e-12), key
        assert other.method == one.method
    return sum(r.low is not None for r in ours.values())


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_two_classes_are_read_back_with_all_roles_guessed(tmp_path: Path, ending: str) -> None:
    made = karat.evaluate(["nb", "lda"], data="wdbc", procedure="2x3-fold")
    path = tmp_path / f"out.{ending}"
    made.predictions.write(path)
    card = karat.score(karat.read_predictions(path, positive="malignant"))
    assert same(made, card) > 30


def test_several_classes_are_read_back_with_all_roles_guessed(tmp_path: Path) -> None:
    made = karat.evaluate("nb", data="iris", procedure="5-fold")
    made.predictions.write(tmp_path / "out.csv")
    card = karat.score(karat.read_predictions(tmp_path / "out.csv"))
    assert same(made, card) > 10
    prior = card.predictions[0].prior
    assert prior is not None
    assert prior.kind == "training counts"


def test_regression_is_read_back_with_its_training_means(tmp_path: Path) -> None:
    made = karat.evaluate("ridge", data="diabetes", procedure="5-fold")
    made.predictions.write(tmp_path / "out.parquet")
    card = karat.score(karat.read_predictions(tmp_path / "out.parquet", train_mean="train_mean"))
    assert same(made, card) >= 4


def test_decision_values_are_read_back_as_scores(tmp_path: Path) -> None:
    made = karat.evaluate("svm[kernel=linear]", data="wdbc", procedure="3-fold")
    made.predictions.write(tmp_path / "out.csv")
    card = karat.score(karat.read_predictions(tmp_path / "out.csv", positive="malignant"))
    assert card["auc"].value == pytest.approx(made["auc", "pooled"].value, rel=1e-12)
    assert "brier" not in {r.measure for r in card.results()}


def test_predictions_are_also_data_frames() -> None:
    made = karat.evaluate("nb", data="iris", procedure="3-fold")
    frame = made.predictions.to_pandas()
    assert list(frame.columns[:6]) == ["model", "procedure", "fold", "row", "truth", "predicted"]
    assert made.predictions.to_polars().height == 150


def test_other_endings_and_missing_folders_are_refused(tmp_path: Path) -> None:
    made = karat.evaluate("nb", data="iris", procedure="3-fold")
    with pytest.raises(InputError, match=r"\.csv, \.jsonl, \.parquet"):
        made.predictions.write(tmp_path / "out.xlsx")
    with pytest.raises(InputError, match="cannot write"):
        made.predictions.write(tmp_path / "nowhere" / "out.csv")
    assert not list(tmp_path.iterdir())
