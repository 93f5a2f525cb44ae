"""Decisions, slices and curves in files: nothing that was asked for is missing from any format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import heldout
from heldout.core.errors import InputError
from tests.cli.running import call

SPAM = ("score", "example:spam", "--truth", "label", "--score", "p_spam", "--positive", "spam")
MODELS = ("score", "example:models", "--truth", "label", "--score", "p_spam", "--positive", "spam")
ASKED = (
    "--measure", "accuracy", "--by", "country", "--best", "recall >= 0.9", "--rank", "auc",
    "--cost", "0,1;5,0", "--prevalence", "0.1,0.3", "--replicates", "50",
)  # fmt: skip
Capture = pytest.CaptureFixture[str]


def long_table(capsys: Capture, *arguments: str) -> list[dict[str, str]]:
    done = call(capsys, *arguments, "--format", "csv")
    assert done.code == 0, done.err
    return list(csv.DictReader(io.StringIO(done.out)))


def test_csv_has_every_number_of_the_tables_beside_the_measures(capsys: Capture) -> None:
    found = {(r["slice"], r["measure"]): r for r in long_table(capsys, *SPAM, *ASKED)}
    tables: dict[str, Any] = json.loads(call(capsys, *SPAM, *ASKED, "--format", "json").out)
    for record in tables["slices"]:
        if record["kind"] == "slice":
            p_value = found[record["slice"], "corrected_p_value[accuracy]"]
            assert p_value["value"] == _text(record["corrected_p_value"])
            assert p_value["note"].startswith(record["verdict"] or "not judged")
    for record in tables["prevalence"]:
        row = found[f"prevalence={record['prevalence']:.10g}", record["measure"]]
        assert row["value"] == _text(record["value"])
        assert (row["low"], row["high"]) == (_text(record["low"]), _text(record["high"]))
    for record in tables["thresholds"]:
        assert found[record["rule"], "threshold"]["value"] == _text(record["threshold"])
        row = found[record["rule"], f"corrected[{record['measure']}]"]
        assert row["value"] == _text(record["corrected"])
    for record in tables["operating_point"]:
        about = f"best cost on the ROC hull, prevalence={record['prevalence']:.10g}"
        assert found[about, "threshold"]["value"] == _text(record["threshold"])
    note = found["decision: difference", "cost_per_row"]["note"]
    assert note.startswith("n counts the rows decided")
    assert found["rank by auc", "rank[auc]"]["value"] == "1.0"
    assert ("coin toss, recall >= 0.9", "probability") in found


def _text(value: float | None) -> str:
    return "" if value is None else repr(float(value))


def test_ranks_come_in_order_and_in_every_format(capsys: Capture) -> None:
    rows = long_table(capsys, *MODELS, "--measure", "auc", "--rank", "brier")
    ranks = [(r["model"], r["value"]) for r in rows if r["measure"] == "rank[brier]"]
    assert ranks == [("logistic", "1.0"), ("rules", "2.0"), ("forest", "3.0")]
    for form in ("markdown", "latex"):
        done = call(capsys, *MODELS, "--measure", "auc", "--rank", "brier", "--format", form)
        assert "Models, best first" in done.out


def test_hull_point_is_given_for_these_rows_and_each_prevalence(capsys: Capture) -> None:
    done = call(capsys, *SPAM, *ASKED, "--format", "json")
    points = json.loads(done.out)["operating_point"]
    assert [round(r["prevalence"], 4) for r in points] == [0.2625, 0.1, 0.3]
    screen = call(capsys, *SPAM, *ASKED).out
    assert "Best point on the ROC hull, by cost" in screen
    assert "Decisions by expected cost" in screen
    assert "expected profit" not in screen


def test_coin_toss_reaches_the_wanted_rate_exactly(capsys: Capture) -> None:
    done = call(capsys, *SPAM, "--best", "recall >= 0.9", "--replicates", "20", "--format", "json")
    (toss,) = json.loads(done.out)["mixtures"]
    assert toss["sensitivity"] == pytest.approx(0.9)
    assert toss["else_threshold"] > toss["threshold"]
    assert 0 < toss["probability"] < 1
    truth, score = [1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1]
    card = heldout.score(truth, y_score=score, intervals=False)
    (made,) = card.mixture(fpr=1 / 3)
    reached = {}
    for key in ("threshold", "else_threshold"):
        called = [s >= made[key] for s in score]
        reached[key] = sum(c for c, t in zip(called, truth, strict=True) if not t) / 3
    share = made["probability"]
    mixed = share * reached["threshold"] + (1 - share) * reached["else_threshold"]
    assert mixed == pytest.approx(1 / 3)
    with pytest.raises(InputError, match="needs one rate"):
        card.mixture()


def test_points_of_a_curve_are_written(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "points.csv"
    few = ("--measure", "auc", "--replicates", "30")
    one = ("score", "example:models", "--model", "model", "--positive", "spam", "--quiet")
    assert call(capsys, *one, *few, "--curve", f"roc[band=simultaneous]={path}").code == 0
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [rows[0][k] for k in ("false_positive_rate", "threshold")] == ["0.0", "Infinity"]
    assert all(float(r["low"]) <= float(r["sensitivity"]) <= float(r["high"]) for r in rows)
    assert call(capsys, *MODELS, *few, "--curve", f"hull={path}").code == 0
    named = {r["model"] for r in csv.DictReader(path.read_text().splitlines())}
    assert named == {"forest", "logistic", "rules"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("roc", "names no file: write roc.csv"),
        ("rok=x.csv", "did you mean roc"),
        ("all=x.csv", "name one curve"),
        ("roc=x.png", "end the name with .csv"),
        ("predicted=x.csv", "no curve is called"),
    ],
)
def test_curve_that_cannot_be_is_2(capsys: Capture, text: str, message: str) -> None:
    done = call(capsys, *SPAM, "--measure", "auc", "--curve", text)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_each_number_says_of_how_many_rows_its_model_was_judged(
    capsys: Capture, tmp_path: Path
) -> None:
    whole = ["1,1,0.9", "2,0,0.2", "3,1,0.4", "4,0,0.6", "5,1,0.8", "6,0,0.1"]
    for name, lines in (("a", whole), ("b", whole[:4])):
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,y,p", *lines]))
    files = [str(tmp_path / f"{name}.csv") for name in "ab"]
    how = ("--truth", "y", "--score", "p", "--measure", "auc", "--no-intervals")
    asked = ("--rank", "auc", "--best", "youden", "--prevalence", "0.1")
    rows = long_table(capsys, "score", *files, *how, *asked)
    assert {(r["model"], r["n"]) for r in rows} == {("a", "6"), ("b", "4")}
    assert len(rows) > 10
