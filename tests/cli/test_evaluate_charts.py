"""``heldout evaluate --plot``: what was fitted is shown, whatever a chart lacks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from heldout.core.errors import InputError
from heldout.report.plots.curve_kinds import KINDS
from tests.cli.lacking import OWN, with_models
from tests.cli.running import call

pytest.importorskip("matplotlib")

SHORT = ("--procedure", "3-fold", "--no-audit", "--no-store", "--measure", "accuracy")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return with_models(tmp_path, monkeypatch)


def written(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("**/*.png"))


def test_named_model_has_a_logistic_curve_where_a_chart_needs_probabilities(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    asked = ("evaluate", "wdbc", "--models", "knn,lda,svm[C=2]", *SHORT)
    done = call(capsys, *asked, "--plot", "roc=r.png", "--plot", "calibration=c.png")
    assert done.code == 0, done.err
    assert written(folder) == ["c.png", "r.png"]
    assert "not drawn" not in done.err
    assert done.err.count("svm[C=2] gives no probabilities: they come from decision values") == 1


def test_estimator_without_probabilities_is_missing_in_the_chart_that_needs_them(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    models = "lda,prepare:sklearn.svm:LinearSVC"
    asked = ("evaluate", "wdbc", "--models", models, *SHORT)
    done = call(capsys, *asked, "--plot", "roc=r.png", "--plot", "calibration=c.png")
    assert done.code == 0, done.err
    assert written(folder) == ["c.png", "r.png"]
    assert done.err.count(" is not drawn in the calibration chart: it needs probabilities") == 1


def test_model_that_gives_only_classes_is_named_once_for_all_charts(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    models = f"lda,{OWN}:LabelsOnly"
    done = call(capsys, "evaluate", "wdbc", "--models", models, *SHORT, "--plot", "all=charts")
    assert done.code == 0, done.err
    assert {"roc.png", "calibration.png", "thresholds.png"} <= set(written(folder))
    assert done.err.count(f"{OWN}:LabelsOnly is not drawn in the roc, ") == 1
    assert " charts: it needs scores: " in done.err


def test_chart_that_no_model_can_have_costs_neither_the_table_nor_the_other_files(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    asked = ("evaluate", "wdbc", "--models", f"{OWN}:LabelsOnly", *SHORT)
    more = ("--plot", "roc=r.png", "--plot", "all=charts", "--predictions", "p.csv")
    done = call(capsys, *asked, *more)
    assert done.code == 2
    assert "Accuracy" in done.out
    assert "r.png is not drawn: a roc chart needs scores: " in done.err
    assert written(folder) == ["confusion.png", "folds.png"]  # which need none
    assert (folder / "p.csv").is_file()
    wrong = call(
        capsys, *asked[:3], "lda", *SHORT, "--plot", "roc[class=x]=r.png", "--plot", "pr.png"
    )
    assert wrong.code == 2
    assert "r.png is not drawn: no class is called 'x'" in wrong.err
    assert "Accuracy" in wrong.out
    assert written(folder) == ["confusion.png", "folds.png", "pr.png"]


@pytest.mark.parametrize(("error", "code"), [(InputError("no ink"), 2), (ValueError("NaN"), 1)])
def test_nothing_is_lost_to_a_chart_that_fails(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    code: int,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setitem(KINDS, "roc", replace(KINDS["roc"], draw=fail))
    how = ("--plot", "roc.png", "--plot", "all=charts", "--predictions", "p.csv")
    done = call(capsys, "evaluate", "wdbc", "--models", "lda", *SHORT, *how)
    assert done.code == code
    assert "Accuracy" in done.out
    assert (folder / "p.csv").is_file()
    (line, other) = [line for line in done.err.splitlines() if "not drawn" in line]
    assert "roc.png is not drawn: " in line
    assert str(error) in line
    assert "charts/roc.png is not drawn: " in other
    assert {"pr.png", "calibration.png"} <= set(written(folder / "charts"))
    assert "roc.png" not in written(folder)


@pytest.mark.parametrize(
    ("data", "models", "chart", "said"),
    [
        ("wdbc", "lda", "residuals.png", "is for regression, and this problem has classes"),
        ("diabetes", "ridge", "roc.png", "a regression has no chart 'roc'; there are predicted"),
        ("wdbc", "lda", "roc_average.png", "needs folds, and holdout 70:30 has one split"),
        ("wdbc", "lda", "roc[model=qda]=r.png", "no model is called 'qda'"),
    ],
)
def test_chart_that_is_known_to_be_impossible_is_refused_before_anything_is_fitted(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    data: str,
    models: str,
    chart: str,
    said: str,
) -> None:
    def fit(*_: object, **__: object) -> None:
        raise AssertionError("something was fitted")

    monkeypatch.setattr("heldout.runner.run.run", fit)
    how = ("--models", models, "--procedure", "holdout 70:30", "--no-store", "--plot", chart)
    done = call(capsys, "evaluate", data, *how)
    assert done.code == 2
    assert said in done.err
