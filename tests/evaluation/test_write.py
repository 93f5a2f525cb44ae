"""Out-of-fold predictions as a file: ``heldout score`` reads it and says the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError


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
    made = heldout.evaluate(["nb", "lda"], data="wdbc", procedure="2x3-fold")
    path = tmp_path / f"out.{ending}"
    made.predictions.write(path)
    card = heldout.score(heldout.read_predictions(path))
    assert same(made, card) >= 26


def test_several_classes_are_read_back_with_all_roles_guessed(tmp_path: Path) -> None:
    made = heldout.evaluate("nb", data="iris", procedure="5-fold")
    made.predictions.write(tmp_path / "out.csv")
    card = heldout.score(heldout.read_predictions(tmp_path / "out.csv"))
    assert same(made, card) > 10
    prior = card.predictions[0].prior
    assert prior is not None
    assert prior.kind == "training counts"


def test_regression_is_read_back_with_its_training_means(tmp_path: Path) -> None:
    made = heldout.evaluate("ridge", data="diabetes", procedure="5-fold")
    made.predictions.write(tmp_path / "out.parquet")
    card = heldout.score(heldout.read_predictions(tmp_path / "out.parquet"))
    assert same(made, card) >= 4


def test_decision_values_are_read_back_as_scores(tmp_path: Path) -> None:
    made = heldout.evaluate("svm[kernel=linear]", data="wdbc", procedure="3-fold")
    made.predictions.write(tmp_path / "out.csv")
    card = heldout.score(heldout.read_predictions(tmp_path / "out.csv"))
    assert card["auc"].value == pytest.approx(made["auc"].value, rel=1e-12)
    assert "brier" not in {r.measure for r in card.results()}


@pytest.mark.parametrize(
    ("data", "models", "ending"),
    [
        ("wdbc", ["logistic", "svm"], "csv"),
        ("iris", ["svm", "lda"], "parquet"),
        ("iris", ["knn", "lda", "qda", "nb", "tree", "svm", "forest[n_estimators=5]"], "jsonl"),
    ],
)
def test_models_with_and_without_probabilities_are_read_back_from_one_file(
    tmp_path: Path, data: str, models: list[str], ending: str
) -> None:
    made = heldout.evaluate(models, data=data, procedure="3-fold")
    made.predictions.write(tmp_path / f"out.{ending}")
    card = heldout.score(heldout.read_predictions(tmp_path / f"out.{ending}"))
    assert same(made, card) > 10
    told = {r.measure for r in card.results() if r.model == "svm" and r.is_defined}
    assert "accuracy" in told
    assert "brier" not in told


def test_groups_and_the_positive_class_are_read_back_unasked(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    X, y = generator.normal(size=(60, 2)), np.where(np.arange(60) % 2, "ill", "well")
    made = heldout.evaluate(
        "nb", X, y, groups=np.arange(60) // 3, pos_label="ill", procedure="5-fold"
    )
    made.predictions.write(tmp_path / "out.csv")
    card = heldout.score(heldout.read_predictions(tmp_path / "out.csv"))
    assert same(made, card) > 5
    assert card.predictions[0].design.group is not None


def test_run_is_exported_as_its_evaluation_writes_it(tmp_path: Path) -> None:
    from heldout.runner.export import export_run
    from heldout.runner.store import Store

    models = ["lda", "svm"]
    made = heldout.evaluate(models, data="iris", procedure="2x3-fold", store=tmp_path / "store")
    made.predictions.write(tmp_path / "one.csv")
    rows, notes = export_run(Store(tmp_path / "store"), 1, tmp_path / "two.csv")
    assert (rows, notes) == (600, [])
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()


def test_predictions_are_also_data_frames() -> None:
    made = heldout.evaluate("nb", data="iris", procedure="3-fold")
    frame = made.predictions.to_pandas()
    assert list(frame.columns[:6]) == ["model", "procedure", "fold", "id", "truth", "predicted"]
    assert made.predictions.to_polars().height == 150


def test_classes_that_differ_in_case_alone_are_not_written_under_other_names(
    tmp_path: Path,
) -> None:
    y = ["a", "A", "b"] * 6
    made = heldout.evaluate("nb", np.arange(18.0)[:, None], y, procedure="3-fold")
    with pytest.raises(InputError, match="'p_A' and 'p_a' would differ only in case"):
        made.predictions.write(tmp_path / "out.csv")


def test_other_endings_and_missing_folders_are_refused(tmp_path: Path) -> None:
    made = heldout.evaluate("nb", data="iris", procedure="3-fold")
    with pytest.raises(InputError, match=r"\.csv, \.jsonl, \.parquet"):
        made.predictions.write(tmp_path / "out.xlsx")
    with pytest.raises(InputError, match="cannot write"):
        made.predictions.write(tmp_path / "nowhere" / "out.csv")
    assert not list(tmp_path.iterdir())


def test_whole_numbers_of_a_regression_are_read_back_as_numbers(tmp_path: Path) -> None:
    made = heldout.evaluate(["linear", "tree"], data="diabetes", procedure="3-fold")
    made.predictions.write(tmp_path / "out.csv")
    card = heldout.score(tmp_path / "out.csv")
    assert card.task == "regression"
    assert same(made, card) > 0
