"""A comparison says of what its values are, and which model a measure is lacking for."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.report.comparison import comparison_document
from heldout.report.table import Either
from tests.cli.running import call

RNG = np.random.default_rng(7)
TRUTH = np.repeat([0, 1], 60)
X = RNG.normal(size=(120, 2)) + 0.7 * TRUTH[:, None]


@pytest.fixture(name="folds", scope="module")
def predictions_of_folds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("of") / "out.csv"
    heldout.evaluate(["nb", "lda"], X, TRUTH, procedure="5-fold").predictions.write(path)
    return path


@pytest.mark.parametrize(
    ("procedure", "of"),
    [
        ("5-fold", "mean of 5 folds"),
        ("2x5-fold", "mean of 2x5 folds"),
        ("4xholdout 70:30", "mean of 4 holdouts"),
        ("holdout 70:30", ""),
    ],
)
def test_title_of_the_table_says_what_its_values_are(procedure: str, of: str) -> None:
    made = heldout.evaluate(["nb", "lda"], X, TRUTH, procedure=procedure)
    found = heldout.compare(made, measures="auc")
    choice = next(block for block in comparison_document(found) if isinstance(block, Either))
    first = choice.choices[0][0]
    assert first.title == f"Models{f' ({of})' if of else ''}"
    assert found.of == of
    assert (
        f"Values are those of heldout score and heldout evaluate ({of})" in found.explanation
    ) == (bool(of))
    value = made.only("nb")["auc"].value
    assert found.values["auc"]["nb"] == pytest.approx(value, rel=1e-12)


def test_every_form_of_output_says_it(folds: Path, capsys: pytest.CaptureFixture[str]) -> None:
    how = ("compare", str(folds), "--measure", "auc", "--no-audit")
    for form in ("table", "markdown"):
        assert "(mean of 5 folds)" in call(capsys, *how, "--format", form).out
    made = json.loads(call(capsys, *how, "--format", "json").out)
    assert made["design"]["values_are"] == "mean of 5 folds"
    assert "(mean of 5 folds)" in call(capsys, *how, "--explain").out


def test_area_in_the_legend_after_folds_is_called_pooled(folds: Path) -> None:
    pytest.importorskip("matplotlib")
    axes = heldout.compare(folds, measures="auc").plot("roc").axes
    (legend,) = [legend for one in axes if (legend := one.get_legend())]
    names = [text.get_text() for text in legend.get_texts()]
    models = heldout.read_predictions(folds)
    pooled = {p.model: heldout.score(p)["auc", "pooled"].value for p in models}
    assert names == [f"{model}, pooled AUC {area:.3f}" for model, area in pooled.items()]


@pytest.fixture(name="mixed", scope="module")
def predictions_of_svm_too(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mixed") / "out.csv"
    truth = np.repeat([0, 1, 2], 40)
    made = heldout.evaluate(["tree", "nb", "svm"], X, truth, procedure="2x5-fold")
    made.predictions.write(path)
    return path


@pytest.mark.parametrize("measure", ["log_loss", "brier_score"])
def test_measure_that_a_model_does_not_allow_names_the_model(mixed: Path, measure: str) -> None:
    said = f"^{measure} needs probabilities: the scores of svm are decision values\nsvm cannot"
    with pytest.raises(InputError, match=said):
        heldout.compare(mixed, measures=["accuracy", measure])


def test_advice_against_infinite_values_names_the_model_and_can_be_followed(mixed: Path) -> None:
    two = [p for p in heldout.read_predictions(mixed) if p.model != "svm"]
    with pytest.raises(InputError, match=r"splits of tree \(a true class.*\(brier_score\)"):
        heldout.compare(*two, measures="log_loss")
    assert heldout.compare(*two, measures="brier_score").of == "mean of 2 repeats, 5 folds pooled"


def test_decision_values_that_heldout_wrote_are_called_so(mixed: Path) -> None:
    problems = {p.model: p.score_problem for p in heldout.read_predictions(mixed)}
    assert problems == {"tree": "", "nb": "", "svm": "the scores of svm are decision values"}
