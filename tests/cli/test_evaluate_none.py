"""``heldout evaluate`` and ``heldout score`` where a model cannot have a value, in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import heldout
from tests.cli.lacking import OWN, with_models
from tests.cli.running import call

SHORT = ("--procedure", "3-fold", "--no-audit")
#: gives decision values, and is no named model that is given probabilities
MARGINS = "prepare:sklearn.svm:LinearSVC"
ODD = f"lda,{MARGINS},{OWN}:LabelsOnly,{OWN}:Never"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return with_models(tmp_path, monkeypatch)


def test_csv_and_json_have_a_row_for_every_model(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("evaluate", "wdbc", "--models", ODD, *SHORT, "--measure", "brier")
    table = list(csv.DictReader(io.StringIO(call(capsys, *asked, "--format", "csv").out)))
    pooled = {row["model"]: row for row in table if not row["fold"]}
    assert list(pooled) == ["lda", MARGINS, f"{OWN}:LabelsOnly", f"{OWN}:Never"]
    assert pooled["lda"]["value"]
    assert pooled[MARGINS]["value"] == pooled[f"{OWN}:Never"]["value"] == ""
    assert pooled[MARGINS]["note"].startswith("not given: needs probabilities")
    assert pooled[f"{OWN}:Never"]["note"].endswith("failed in every split: RuntimeError: bad luck")
    listed = json.loads(call(capsys, *asked, "--format", "json").out)["results"]
    told = {row["model"]: row["note"] for row in listed if not row["fold"]}
    assert told == {name: row["note"] for name, row in pooled.items()}


def test_score_of_the_exported_table_shows_none_as_evaluate_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    models = f"lda,svm,{OWN}:LabelsOnly"
    call(capsys, "evaluate", "wdbc", "--models", models, *SHORT, "--predictions", "x.csv")
    done = call(capsys, "score", "x.csv", "--measure", "information_score", "--no-audit")
    assert done.code == 0
    lines = done.out.splitlines()
    head = next(line.split() for line in lines if line.startswith("  measure "))
    values = next(line.split() for line in lines if line.startswith("  Information score "))
    assert values[head.index("svm") - len(head)] == "none"
    assert "Information score (svm): not given: needs probabilities" in done.out


def test_model_alone_shows_what_it_has_and_none(capsys: pytest.CaptureFixture[str]) -> None:
    models = ("evaluate", "wdbc", "--models", f"{OWN}:LabelsOnly", *SHORT)
    done = call(capsys, *models, "--measure", "accuracy", "--measure", "auc")
    assert done.code == 0
    assert "Area under the ROC curve  ↑    none" in done.out
    assert "not given: needs scores" in done.out
    unmet = call(capsys, *models, "--measure", "accuracy", "--require", "auc >= 0.5")
    assert unmet.code == 3
    assert "is not given: needs scores" in unmet.err


def test_probabilities_of_named_models_are_those_of_a_logistic_curve(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.datasets import load_breast_cancer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    asked = ("--measure", "brier", "--no-store", "--format", "json", "--no-audit")
    done = call(capsys, "evaluate", "wdbc", "--models", "svm,ridge", *SHORT, *asked)
    assert done.code == 0, done.err
    rows = [row for row in json.loads(done.out)["results"] if row["headline"]]
    values = {row["model"]: row["value"] for row in rows}
    assert set(values) == {"svm", "ridge"}
    curve = CalibratedClassifierCV(make_pipeline(StandardScaler(), SVC()), ensemble=False)
    X, y = load_breast_cancer(return_X_y=True)
    own = heldout.evaluate(curve, X, y, procedure="3-fold", pos_label=0, store=False)
    assert values["svm"] == pytest.approx(own["brier"].value, abs=1e-9)
    assert "svm gives no probabilities: they come from decision values by a logistic" in done.err


def test_permutations_are_of_models_that_have_the_measure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("--measure", "brier", "--permutations", "19", "--no-store", "--format", "json")
    done = call(capsys, "evaluate", "iris", "--models", f"lda,{MARGINS}", *SHORT, *asked)
    assert [row["model"] for row in json.loads(done.out)["chance"]] == ["lda"]


def test_only_model_that_fails_everywhere_exits_with_3_if_asked_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    models = ("evaluate", "wdbc", "--models", f"{OWN}:Never", *SHORT)
    assert call(capsys, *models).code == 2
    done = call(capsys, *models, "--fail-on-error")
    assert done.code == 3
    assert f"{OWN}:Never failed in 3 of 3 splits: RuntimeError: bad luck" in done.err
    # what came from the store says how to try it again
    assert "--retry-failed" in call(capsys, *models).err


def test_message_of_a_failure_is_no_remark_on_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--models", f"lda,{OWN}:Wordy", *SHORT, "--measure", "accuracy", "--no-store")
    out = call(capsys, "evaluate", "iris", *asked).out
    assert "RuntimeError: the solver gave up; try a larger step; all is well" in out
    assert f"Accuracy ({OWN}:Wordy)" not in out
