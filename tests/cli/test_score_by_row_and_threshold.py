"""Row by row and threshold by threshold: the tables that one works out by hand."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import log_loss

import heldout
from tests.cli.running import call


def table_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_threshold_has_its_counts_and_rates(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "score", "example:roc-ties", "--thresholds=all", "--format=json", "--quiet")
    assert done.code == 0, done.err
    rows = json.loads(done.out)["every_threshold"]
    # one threshold for each distinct score, and one above all
    assert [row["threshold"] for row in rows[1:]] == [
        0.95, 0.93, 0.87, 0.85, 0.76, 0.53, 0.43, 0.25,
    ]  # fmt: skip
    assert [row["recall"] for row in rows[1:]] == [0.2, 0.4, 0.4, 0.6, 0.6, 0.8, 0.8, 1.0]
    assert [row["false_positive_rate"] for row in rows[1:]] == [
        0.0, 0.0, 0.2, 0.6, 0.8, 0.8, 1.0, 1.0,
    ]  # fmt: skip
    assert {row["tp"] + row["fn"] for row in rows} == {row["fp"] + row["tn"] for row in rows} == {5}


def test_corners_leave_out_what_lies_on_a_straight_line() -> None:
    card = heldout.score(
        [1, 1, 0, 1, 1, 0, 0, 1, 0, 0],
        y_score=[0.99, 0.98, 0.72, 0.7, 0.65, 0.51, 0.39, 0.24, 0.11, 0.01],
    )
    points = [(row["false_positive_rate"], row["recall"]) for row in card.every_threshold()]
    assert points == [(0, 0), (0, 0.4), (0.2, 0.4), (0.2, 0.8), (0.6, 0.8), (0.6, 1), (1, 1)]
    assert len(card.every_threshold(corners=False)) == 11


def test_page_shows_so_many_thresholds_and_says_how_many_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("score", "example:spam", "--positive=spam", "--thresholds=all", "--quiet")
    done = call(capsys, *asked)
    assert "40 of 296 thresholds: all are in CSV and JSON output" in done.out
    rows = table_of(call(capsys, *asked, "--format=csv").out)
    assert len({row["slice"] for row in rows if row["slice"].startswith("threshold=")}) == 296


def test_threshold_of_csv_is_the_score_itself(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Rounded up, it would leave out the row whose score it is."""
    scores = [0.3000000000000001, 0.30000000000000004, 2 / 3]
    file = tmp_path / "p.csv"
    file.write_text("truth,score\n" + "".join(f"{i % 2},{s!r}\n" for i, s in enumerate(scores)))
    done = call(capsys, "score", str(file), "--thresholds=all", "--format=csv", "--quiet")
    assert done.code == 0, done.err
    slices = dict.fromkeys(row["slice"] for row in table_of(done.out))
    assert [float(s.split("=")[1]) for s in slices if s.startswith("threshold=")][1:] == sorted(
        scores, reverse=True
    )


def test_too_many_thresholds_are_refused_with_what_to_do() -> None:
    rng = np.random.default_rng(1)
    card = heldout.score(rng.random(30_000) < 0.5, y_score=rng.random(30_000), intervals=False)
    with pytest.raises(heldout.InputError, match="30,001 distinct scores are too many"):
        card.every_threshold(corners=False)


def test_a_row_has_the_value_that_the_measure_has_on_it_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, "score", "example:mails", "--positive=spam", "--rows=-", "--quiet")
    assert done.code == 0, done.err
    rows = table_of(done.out)
    assert [row["outcome"] for row in rows].count("FN") == 3
    for row in rows:
        p = float(row["score"])
        expected = log_loss([row["truth"] == "spam"], [p], labels=[False, True])
        assert float(row["log_loss"]) == pytest.approx(expected)
        assert float(row["brier"]) == pytest.approx(((row["truth"] == "spam") - p) ** 2)
    ranks = {row["id"]: int(row["rank"]) for row in rows}
    assert (ranks["4"], ranks["9"], ranks["7"]) == (1, 2, 20)


def test_rows_are_written_worst_first_where_a_measure_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "worst.csv"
    done = call(capsys, "score", "example:doses", f"--rows=mse={path}", "--quiet")
    assert done.code == 0, done.err
    assert "Measures" in done.out
    rows = table_of(path.read_text())
    for model in ("knn", "linear_regression"):
        errors = [abs(float(row["error"])) for row in rows if row["model"] == model]
        assert len(errors) == 25
        assert errors == sorted(errors, reverse=True)


def test_points_of_a_curve_go_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, "score", "example:roc10", "--curve=roc=-", "--quiet")
    rows = table_of(done.out)
    assert [row["tn"] for row in rows] == ["5", "5", "5", "4", "4", "4", "3", "2", "2", "1", "0"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rows=rows.txt",), "--rows 'rows.txt': CSV is written; end the name with .csv, or -"),
        (("--rows=auc=-",), "auc is not a sum or mean over rows"),
        (("--rows=accuracies=-",), "no measure is called 'accuracies'"),
        (("--rows=-", "--curve=roc=-"), "write the same file"),
        (("--rows=a.csv", "--rows=log_loss=a.csv"), "--rows log_loss=a.csv write the same file"),
        (("--thresholds=some",), "'some' is not one of"),
    ],
)
def test_wrong_options_are_refused(
    options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = call(capsys, "score", "example:roc10", *options, "--quiet")
    assert (done.code, done.out) == (2, "")
    assert message.replace(", or -", "") in done.err


def test_a_count_that_is_text_is_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "counts.csv"
    table.write_text("y,p,n\n1,0.9,two\n0,0.2,one\n")
    done = call(capsys, "score", str(table), "--truth=y", "--score=p", "--count=n", "--positive=1")
    assert done.code == 2
    assert "column 'n': no number ('two') in 2 rows" in done.err


def test_a_confusion_matrix_has_no_rows(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--matrix=1,2;3,4", "--orientation=truth-rows", "--positive=first", "--rows=-")
    done = call(capsys, "score", *asked, "--quiet")
    assert (done.code, done.out) == (2, "")
    assert "a confusion matrix has no rows to show" in done.err
