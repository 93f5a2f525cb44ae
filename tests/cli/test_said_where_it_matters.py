"""What messages say by context: no option that is not there, no guess and no class in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import call

MODELS = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression


class Labels(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(np.asarray(X)[:, 0] > 0, self.classes_[1], self.classes_[0])


class Exits(Labels):
    def fit(self, X, y):
        raise SystemExit(5)


class Odd(BaseException):
    pass


class Stops(Labels):
    def fit(self, X, y):
        raise Odd("no way")
"""
NAMES = "heldout_models_that_tell"
DATA = ("--target", "y", "--positive", "p")
RUN = ("--procedure", "3-fold", "--no-store", "--no-audit")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("COLUMNS", "160")
    Path(f"{NAMES}.py").write_text(MODELS)
    lines = [f"{n % 7 - 3},{'uv'[n % 2]},{'pn'[n % 3 == 0]}" for n in range(30)]
    Path("d.csv").write_text("\n".join(["a,t,y", *lines]) + "\n")
    Path("ones.csv").write_text("truth,score\n1,.2\n1,.7\n1,.9\n")
    Path("s.csv").write_text("truth,p_a,p_b,p_c\na,.6,.3,.1\nb,.1,.8,.1\nc,.2,.2,.6\n")


@pytest.mark.parametrize(("name", "says"), [("Exits", "SystemExit: 5"), ("Stops", "Odd: no way")])
def test_a_model_that_exits_is_a_model_that_failed(
    name: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    models = ("--models", f"{NAMES}:{name},prior")
    done = call(capsys, "evaluate", "d.csv", *DATA, *RUN, *models, "--measure", "accuracy")
    assert done.code == 0
    assert f"{name} failed in every split: {says}" in done.out


def test_lack_of_scores_is_told_by_where_the_predictions_come_from(
    capsys: pytest.CaptureFixture[str],
) -> None:
    models = ("--models", f"{NAMES}:Labels", "--ignore", "t")
    run = call(capsys, "evaluate", "d.csv", *DATA, *RUN, *models, "--measure", "auc")
    assert run.code == 0  # the fits are done: what there is to say is shown
    said = " ".join(run.out.split())
    assert "gives only classes (it has neither predict_proba nor decision_function)" in said
    assert "--score" not in said
    matrix = ("--matrix", "50,10;5,35", "--orientation", "truth-rows", "--positive", "first")
    for asked in (("--measure", "auc"), ("--best", "youden")):
        counts = call(capsys, "score", *matrix, *asked)
        assert counts.code == 2
        assert "a confusion matrix has none" in counts.err
        assert "--score" not in counts.err


def test_a_model_of_ones_own_is_told_that_nobody_prepares_its_columns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    own = "sklearn.linear_model:LogisticRegression"
    done = call(capsys, "evaluate", "d.csv", *DATA, *RUN, "--models", own)
    assert done.code == 2
    assert "could not convert string" in done.err
    assert (
        "names in 't' as they are; to have heldout prepare them: prepare:package:name" in done.err
    )
    assert "OneHotEncoder" in done.err
    beside = call(capsys, "evaluate", "d.csv", *DATA, *RUN, "--models", f"{own},prior")
    assert "names in 't' as they are" in beside.err
    fine = call(capsys, "evaluate", "d.csv", *DATA, *RUN, "--models", "logistic")
    assert "as they are" not in fine.err


def test_a_column_that_is_sliced_by_says_why_it_is_not_guessed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, "score", "s.csv", "--by", "truth")
    assert done.code == 2
    assert "column 'truth' is given as --by, so it is not guessed" in done.err
    assert "--truth truth" in done.err
    both = call(capsys, "score", "s.csv", "--by", "truth", "--truth", "truth", "--no-audit")
    assert both.code == 0
    assert "not guessed" not in both.err


def test_splits_do_not_ask_which_class_is_positive(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "split", "d.csv", "--target", "y", "--procedure", "3-fold")
    assert done.code == 0
    assert "positive" not in done.err
    wrong = call(capsys, "split", "d.csv", "--target", "y", "--positive", "x")
    assert wrong.code == 2


def test_a_class_that_no_row_has_is_said_to_be_counted(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "score", "ones.csv", "--positive", "1", "--no-audit")
    assert done.code == 0
    assert "no row has the label 0; it is counted as the other class of 1" in done.err
    Path("both.csv").write_text("truth,score\n1,.2\n0,.7\n1,.9\n")
    assert "no row has" not in call(capsys, "score", "both.csv", "--no-audit").err


def test_a_ratio_like_per_cent_adds_up_to_100(
    capsys: pytest.CaptureFixture[str],
) -> None:
    odd = call(capsys, "split", "d.csv", "--target", "y", "--procedure", "holdout 70:40")
    assert odd.code == 2
    assert "'70:40': the parts add up to 110, not to 100" in odd.err
    assert "or 63.6:36.4 for this ratio" in odd.err
    for plain in ("70:30", "2:1", "0.7:0.3", "50:20:30", "33.3:66.6", "700:300"):
        asked = ("--target", "y", "--procedure", f"holdout {plain}")
        assert call(capsys, "split", "d.csv", *asked).code == 0


def test_names_that_mean_nothing_are_not_taken_for_something(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, "score", "ones.csv", "--positive", "1", "--best", "foo")
    assert done.code == 2
    assert "for_" not in done.err
    assert "did you mean" not in call(capsys, "measures", "foo").err


def test_a_file_without_splits_says_which_columns_it_has(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, "split", "d.csv", "--target", "y", "--splits", "ones.csv")
    assert done.code == 2
    assert "a file of splits has the columns row, repeat, fold, part" in done.err
    assert "and this one has 'truth', 'score'" in done.err


def test_one_against_the_rest_is_an_average_of_areas(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "score", "s.csv", "--measure", "roc_auc_ovr", "--format", "csv", "--quiet")
    same = call(capsys, "score", "s.csv", "--measure", "auc_macro", "--format", "csv", "--quiet")
    assert done.code == 0
    assert done.out == same.out
