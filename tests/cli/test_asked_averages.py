"""Averages over classes that were asked for are on the screen, whatever stands beside them."""

from __future__ import annotations

import pytest

from tests.cli.running import call

IRIS = ("example:iris_predictions", "--quiet", "--no-audit")
RUN = ("evaluate", "iris", "--procedure", "3-fold", "--no-store", "--quiet", "--no-audit")


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def test_an_average_stands_beside_the_classes_of_another_measure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, "score", *IRIS, "--measure", "recall", "--measure", "f_score_micro")
    assert "F score (micro)" in done.out
    # that of the measure whose classes are shown stands below them, and only there
    assert "macro mean" in done.out
    assert "\n  Recall (macro)" not in done.out


def test_an_average_stands_beside_the_value_of_a_single_class(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("--measure", "precision_weighted", "--measure", "recall[class=versicolor]")
    done = call(capsys, "score", *IRIS, *asked)
    assert "precision_weighted" in done.out
    assert "Each class vs. rest" in done.out


def test_an_evaluation_shows_an_average_beside_classes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("--measure", "recall", "--measure", "f_score_macro")
    done = call(capsys, *RUN, "--models", "lda", *asked)
    assert "F score (macro)" in done.out
    assert "\n  Recall (macro)" not in done.out


def test_models_side_by_side_keep_every_average_that_was_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("--measure", "recall", "--measure", "f_score_micro")
    done = call(capsys, *RUN, "--models", "lda,nb", *asked)
    assert "F score (micro)" in done.out
    assert "Recall (macro)" in done.out
    # nobody named it: of three averages one is enough
    assert "Recall, micro" not in done.out
