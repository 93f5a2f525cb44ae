"""What the screen of ``heldout score`` shows at 80 columns: intervals everywhere, or why not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import heldout
from heldout.core.errors import InputError
from tests.cli.running import call

SPAM = ("score", "example:spam", "--truth", "label", "--score", "p_spam", "--positive", "spam")
MODELS = ("score", "example:models", "--truth", "label", "--score", "p_spam", "--positive", "spam")
IRIS = ("score", "example:iris_predictions")
Capture = pytest.CaptureFixture[str]

LIMITS = r"\d \[[\d.]+, [\d.]+\]"


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_fifteen_measures_of_three_models_are_one_table_with_limits_below_values(
    capsys: Capture,
) -> None:
    done = call(capsys, *MODELS, "--replicates", "30")
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line for line in lines if line.split() == ["measure", "forest", "logistic", "rules"]]
    assert len(heads) == 1
    assert sum(len(re.findall(r"\[-?[\d.]+, -?[\d.]+\]", line)) == 3 for line in lines) >= 9
    assert "95% intervals in brackets; --methods shows how they are computed" in done.out


def test_classes_and_slices_have_intervals(capsys: Capture) -> None:
    both = ("--measure", "recall", "--measure", "precision")
    done = call(capsys, *IRIS, *both, "--replicates", "30")
    (line,) = [x for x in done.out.splitlines() if x.startswith("  versicolor  ") and "[" in x]
    assert len(re.findall(LIMITS, line)) == 2
    done = call(capsys, *SPAM, "--by", "country", "--replicates", "30")
    sliced = done.out.partition("By slice")[2].partition("worst slices")[0]
    assert "do not fit" not in sliced
    assert len(re.findall(r"\[[\d.]+, [\d.]+\]", sliced)) > 15


def test_single_folds_say_why_they_have_no_intervals(capsys: Capture) -> None:
    done = call(capsys, *SPAM, "--fold", "fold", "--per-fold", "--measure", "auc")
    assert "single folds have no intervals" in done.out


def test_slices_by_the_column_of_folds_keep_the_folds(capsys: Capture) -> None:
    done = call(capsys, *SPAM, "--by", "fold", "--measure", "accuracy")
    assert "5 folds (column fold)" in done.out
    assert "fold=1" in done.out


def test_slices_of_an_amount_are_refused(capsys: Capture) -> None:
    done = call(capsys, *SPAM, "--by", "p_spam", "--measure", "accuracy")
    assert done.code == 2
    assert "different numbers" in done.err
    assert "column of ranges" in done.err


def test_notes_name_a_rule_once(capsys: Capture) -> None:
    done = call(capsys, *SPAM, "--best", "precision >= 0.999", "--replicates", "20")
    assert done.out.count("best recall where precision >= 0.999") == 1


def test_macro_mean_says_which_slices_are_too_small(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = [f"{i % 2},{i % 3 % 2},{'ab'[i % 2]}" for i in range(60)] + ["1,1,tiny"]
    path.write_text("\n".join(["truth,predicted,part", *rows]))
    done = call(capsys, "score", str(path), "--by", "part", "--measure", "accuracy")
    assert "too small to judge: 1 row\n" in done.out
    said = " ".join(done.out.split())
    assert "weights slices that are too small to test like the others: tiny" in said


def test_scorecard_and_result_are_readable_in_python() -> None:
    card = heldout.score([1, 2, 3, 1, 2, 2], [1, 2, 3, 1, 1, 2])
    assert "each taken as a" in repr(card)
    assert "each taken as a class" in card._repr_html_()
    assert "accuracy" in list(card)
    assert repr(card["accuracy"]).startswith("<accuracy 0.833333 [0.4365, 0.9699] at 95%, n = 6")
    assert "\n" not in repr(card["recall", 2])
    with pytest.raises(InputError, match="no measure is called"):
        card["accuraci"]


def test_method_is_named_once_with_the_rows_that_a_share_is_of(capsys: Capture) -> None:
    done = call(capsys, *SPAM, "--methods", "--measure", "accuracy", "--measure", "recall")
    assert "  Wilson, folds pooled (Bayle et al. 2020): Accuracy\n" in done.out
    assert "  Wilson on 105 rows, folds pooled (Bayle et al. 2020): Recall\n" in done.out
    done = call(capsys, *MODELS, "--methods", "--measure", "accuracy", "--measure", "error_rate")
    assert done.out.count("Wilson") == 1


@pytest.mark.parametrize(
    "words",
    [
        ("score", "example:churn", "--count", "n", "--positive", "churn", "--measure", "recall"),
        ("score", "example:churn", "--count", "nosuch", "--positive", "churn"),
        ("compare", "example:demsar", "--datasets", "nosuch"),
    ],
)
def test_a_shipped_table_is_called_as_the_reader_did(
    capsys: Capture, words: tuple[str, ...]
) -> None:
    done = call(capsys, *words)
    assert words[1] in done.out + done.err
    assert ".csv" not in done.out + done.err


def test_a_slice_of_one_row_has_one_row(capsys: Capture) -> None:
    done = call(capsys, *MODELS, "--by", "id", "--measure", "accuracy", "--no-intervals")
    assert "Slice id=m0004 (1 row)\n" in done.out


def test_corners_are_not_called_every_threshold(capsys: Capture) -> None:
    mails = ("score", "example:mails", "--positive", "spam", "--measure", "auc")
    for which in ("corners", "all"):
        done = call(capsys, *mails, "--thresholds", which)
        assert "Counts at each threshold (score >= threshold is positive)\n" in done.out
