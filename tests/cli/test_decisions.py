"""Decisions, slices and charts on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import call

SPAM = ("score", "example:spam", "--truth", "label", "--score", "p_spam", "--positive", "spam")
LOANS = ("score", "--orientation", "truth-rows", "--labels", "good,bad", "--positive", "good")
PROFIT = "140,-140;-700,0"


def table(capsys: pytest.CaptureFixture[str], name: str, *more: str) -> list[dict[str, Any]]:
    done = call(capsys, *SPAM, "--measure", "auc", "--replicates", "50", "--format", "json", *more)
    assert done.code == 0, done.err
    found: list[dict[str, Any]] = json.loads(done.out)[name]
    return found


def test_best_threshold_comes_with_its_interval_and_optimism(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (youden,) = table(capsys, "thresholds", "--best", "youden")
    assert youden["threshold"] == 0.389
    assert youden["threshold_low"] <= 0.389 <= youden["threshold_high"]
    assert youden["corrected"] == pytest.approx(youden["value"] - youden["optimism"])
    assert youden["optimism"] > 0


def test_wanted_rate_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    made = table(capsys, "thresholds", "--best", "recall >= 0.9")
    assert [record["measure"] for record in made] == ["specificity", "recall"]
    assert made[1]["value"] >= 0.9


def test_precision_at_another_prevalence_follows_from_the_rates(
    capsys: pytest.CaptureFixture[str],
) -> None:
    made = table(capsys, "prevalence", "--prevalence", "0.5,0.001")
    precision = {r["prevalence"]: r["value"] for r in made if r["measure"] == "precision"}
    tpr, fpr = 75 / 105, 29 / 295
    for share in (0.5, 0.001):
        expected = share * tpr / (share * tpr + (1 - share) * fpr)
        assert precision[share] == pytest.approx(expected)


def test_slices_are_given_worst_first(capsys: pytest.CaptureFixture[str]) -> None:
    made = table(capsys, "slices", "--by", "country")
    judged = [r["value"] for r in made if r["verdict"]]
    assert judged == sorted(judged)
    assert {r["slice"] for r in made} >= {"country=DE", "country: all rows (micro)"}


def test_all_rows_and_the_mean_over_slices_have_rows_and_intervals(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    done = call(capsys, *SPAM, "--measure", "accuracy", "--by", "country")
    lines = [line.split() for line in done.out.splitlines()]
    assert ["country:", "mean", "(macro)", "400", "0.8749", "0.828", "to", "0.910"] in lines
    assert ["country:", "all", "rows", "(micro)", "400", "0.8525", "0.814", "to", "0.884"] in lines
    assert (
        "interval of the mean by widths of the intervals of 6 slices, added in squares" in done.out
    )
    done = call(capsys, *SPAM, "--measure", "auc", "--by", "country", "--format", "csv")
    (mean,) = (line for line in done.out.splitlines() if "country: mean (macro)" in line)
    assert ",400," in mean
    assert "no interval: DE has none: scores of different folds' models are ranked" in mean


def test_more_accurate_model_earns_less(capsys: pytest.CaptureFixture[str]) -> None:
    earned = {}
    for name, matrix in (("knn", "57,3;10,30"), ("tree", "43,17;3,37")):
        done = call(
            capsys, *LOANS, "--matrix", matrix, "--profit", PROFIT, "--format", "json",
            "--measure", "profit", "--measure", "average_class_accuracy_harmonic",
        )  # fmt: skip
        found = {r["measure"]: r["value"] for r in json.loads(done.out)["results"]}
        earned[name] = (found["profit"], found["average_class_accuracy_harmonic"])
    assert (earned["knn"][0], earned["tree"][0]) == (560, 1540)
    assert earned["knn"][1] > earned["tree"][1]


def test_models_are_ranked_by_any_measure(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(
        capsys, "score", "example:models", "--truth", "label", "--score", "p_spam",
        "--positive", "spam", "--measure", "auc", "--rank", "brier", "--format", "json",
    )  # fmt: skip
    ranking = json.loads(done.out)["ranking"]
    assert [(r["rank"], r["model"]) for r in ranking] == [
        (1, "logistic"),
        (2, "rules"),
        (3, "forest"),
    ]


def test_a_model_that_cannot_be_ranked_is_named_with_the_fix(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "two.csv"
    lines = [
        f"{m},{i % 2},{i // 2 % 2},{i / 9 if m == 'a' else ''}" for m in "ab" for i in range(8)
    ]
    path.write_text("\n".join(["model,truth,predicted,score", *lines]))
    asked = ("score", str(path), "--model", "model", "--positive", "1", "--measure", "accuracy")
    done = call(capsys, *asked, "--rank", "auc")
    assert done.code == 2
    assert "model 'b' cannot be ranked by auc: it needs scores" in done.err
    assert "rank by a measure that all of them have (--rank accuracy)" in done.err
    assert call(capsys, *asked, "--rank", "accuracy").code == 0


def test_chart_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "figure.svg"
    done = call(capsys, *SPAM, "--measure", "auc", "--plot", f"roc={path}")
    assert done.code == 0
    assert path.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--best", "yuden"), "no measure is called 'yuden'; did you mean youden"),
        (("--best", "recall >= 1.5"), "recall lies between 0 and 1"),
        (("--best", "recall <= 0.9"), "give the bound it must keep: recall >= 0.9"),
        (("--best", "recall > 0.9"), "written with >= or <=: recall >= 0.9"),
        (("--prevalence", "2"), "prevalence 2 is not between 0 and 1"),
        (("--prevalence", "rare"), "'rare' is not a number"),
        (("--plot", "roc"), "names no file"),
        (("--plot", "rok.png"), "no chart is called 'rok'; did you mean roc"),
        (("--plot", "roc.bmp"), "png"),
        (("--rank", "acuracy"), "did you mean accuracy"),
    ],
)
def test_bad_decisions_are_2_and_write_nothing(
    capsys: pytest.CaptureFixture[str], more: tuple[str, ...], message: str
) -> None:
    done = call(capsys, *SPAM, "--measure", "auc", *more)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""


def test_of_many_slices_a_page_shows_the_worst_and_data_formats_have_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # slice i is wrong in 2 i of its 26 rows, so that the last ones are the worst
    rows = [(k % 2, (k + (k // 2 < i)) % 2, f"s{i}") for i in range(13) for k in range(26)]
    path = tmp_path / "slices.csv"
    text = "".join(f"{truth},{predicted},{site}\n" for truth, predicted, site in rows)
    path.write_text(f"truth,predicted,site\n{text}")
    ask = ("score", str(path), "--by", "site", "--positive", "1", "--measure", "accuracy")
    page = call(capsys, *ask).out
    assert page.count("site=s12") == 2  # in the table of values, and in that of tests
    assert "site=s3 " in page
    assert "site=s2 " not in page
    assert "3 more of 13 slices: all are in CSV and JSON output" in page
    data = call(capsys, *ask, "--format", "csv").out
    assert [f"s{i}" for i in range(13) if f",site=s{i}," not in data] == []
