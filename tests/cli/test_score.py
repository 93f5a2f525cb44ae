"""``heldout score``: what it shows, in every format, for every kind of input."""

from __future__ import annotations

import csv
import io
import json
import stat
from pathlib import Path
from typing import Any

import pytest

from heldout.assess.results import COLUMNS
from heldout.data import example
from tests.cli.running import Done, call, run

SPAM = ("score", "example:spam", "--positive", "spam", "--quiet")
MODELS = ("score", "example:models", "--positive", "spam", "--quiet")
IRIS = ("score", "example:iris_predictions", "--quiet")
MATRIX = ("score", "--matrix", "50,10;5,35", "--orientation", "truth-rows", "--positive", "second")


def strict(text: str) -> dict[str, Any]:
    """JSON without the constants that JSON does not have."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    read: dict[str, object] = json.loads(text, parse_constant=refuse)
    return read


def table(done: Done) -> list[dict[str, str]]:
    assert done.code == 0, done.err
    return list(csv.DictReader(io.StringIO(done.out)))


def test_one_model_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = call(
        capsys,
        *SPAM,
        "--measure",
        "accuracy",
        "--measure",
        "auc",
        "--measure",
        "tp",
        "--no-intervals",
    )
    assert (
        done.out
        == """\
example:spam: 400 rows; classes ham, spam; positive: spam
values describe the models fitted in these folds; 5 folds (column fold)

Confusion matrix (rows: truth, columns: predicted)
  truth  ham  spam  total
  ───────────────────────
  ham    266    29    295
  spam    30    75    105
  ───────────────────────
  total  296   104    400

Measures
  measure                       pooled  mean of folds  name
  ─────────────────────────────────────────────────────────────
  Accuracy                  ↑   0.8525         0.8525  accuracy
  Area under the ROC curve  ↑   0.8974         0.9022  auc
  True positives            ↑  75                      tp
"""
    )


def test_several_models_side_by_side(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = call(
        capsys,
        *MODELS,
        "--measure",
        "auc",
        "--measure",
        "log_loss",
        "--digits",
        "3",
        "--no-intervals",
    )
    assert (
        done.out
        == """\
example:models: 3 models, 300 rows each; classes ham, spam; positive: spam
values describe these models; predicted spam where score >= 0.5

Measures by model
  measure                     forest  logistic  rules
  ───────────────────────────────────────────────────
  Area under the ROC curve ↑   0.937     0.905  0.858
  Log loss ↓                   0.393     0.342  0.400
"""
    )


def test_several_classes_have_a_row_each_and_averages_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    asked = (*IRIS, "--measure", "recall", "--measure", "precision")
    done = call(capsys, *asked, "--no-intervals")
    assert done.out.endswith("""\
Each class vs. rest
  class           rows  Recall ↑  Precision ↑
  ───────────────────────────────────────────
  setosa            50    1            1
  versicolor        50    0.9400       0.9216
  virginica         50    0.9200       0.9388
  ───────────────────────────────────────────
  macro mean       150    0.9533       0.9534
  micro (pooled)   150    0.9533       0.9533
  weighted mean    150    0.9533       0.9534
""")


def test_default_is_the_headline_and_says_how_to_get_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    short, everything = call(capsys, *SPAM), call(capsys, *SPAM, "--all")
    assert "--all" in short.out.splitlines()[-1]
    assert "Area under the ROC curve" in short.out
    assert len(everything.out.splitlines()) > 2 * len(short.out.splitlines())


@pytest.mark.parametrize("form", ["csv", "json"])
def test_data_has_all_measures_unless_some_are_named(
    capsys: pytest.CaptureFixture[str], form: str
) -> None:
    whole, some = (
        call(capsys, *SPAM, "--format", form),
        call(capsys, *SPAM, "--format", form, "--measure", "auc"),
    )
    assert "false_omission_rate" in whole.out
    assert "false_omission_rate" not in some.out


def test_csv_is_the_long_table(capsys: pytest.CaptureFixture[str]) -> None:
    rows = table(call(capsys, *MODELS, "--format", "csv", "--measure", "auc"))
    assert list(rows[0]) == list(COLUMNS)
    assert [row["model"] for row in rows] == ["forest", "logistic", "rules"]
    assert float(rows[0]["value"]) == pytest.approx(0.9365117910528304, rel=1e-12)
    assert {row["n"] for row in rows} == {"300"}


def test_json_is_strict_and_says_what_was_called(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--format", "json", "--measure", "auc", "--measure", "mcc", "--require", "auc > 0")
    read = strict(call(capsys, *SPAM, *asked).out)
    assert list(read) == ["heldout", "call", "results", "confusion", "audit", "requirements"]
    (verdict,) = read["requirements"]
    assert verdict["value"] in {row["value"] for row in read["results"] if row["measure"] == "auc"}
    assert verdict == {**verdict, "requirement": "auc > 0", "model": "", "slice": "", "met": True}
    assert read["call"] == {
        "command": "score",
        "files": ["example:spam"],
        "positive": "spam",
        "measure": ["auc", "mcc"],
        "require": ["auc > 0"],
        "format": "json",
        "quiet": True,
    }
    assert read["confusion"] == {
        "orientation": "rows = truth, columns = predicted",
        "labels": ["ham", "spam"],
        "matrix": [[266, 29], [30, 75]],
    }


def test_json_says_undefined_and_infinite(capsys: pytest.CaptureFixture[str]) -> None:
    matrix = ("score", "--matrix", "5,0;3,0", "--orientation", "truth-rows")
    read = strict(call(capsys, *matrix, "--positive", "second", "--format", "json").out)
    results = read["results"]
    assert isinstance(results, list)
    by_name = {row["measure"]: row for row in results}
    assert all(list(row) == list(COLUMNS) for row in results)
    assert by_name["precision"]["value"] is None
    assert by_name["precision"]["note"] == "undefined: no row is predicted positive"
    assert by_name["log_loss"]["value"] == "Infinity"


def test_confusion_of_several_models_is_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    read = strict(call(capsys, *MODELS, "--format", "json", "--measure", "auc").out)
    confusion = read["confusion"]
    assert isinstance(confusion, dict)
    assert list(confusion["models"]) == ["forest", "logistic", "rules"]
    assert confusion["models"]["forest"]["matrix"] == [[213, 0], [56, 31]]


def test_matrix_is_read_in_both_orientations(capsys: pytest.CaptureFixture[str]) -> None:
    turned = ("score", "--matrix", "50,5;10,35", "--orientation", "prediction-rows")
    asked = ("--format", "csv", "--quiet")
    assert (
        call(capsys, *MATRIX, *asked).out
        == call(capsys, *turned, "--positive", "second", *asked).out
    )


def test_profit_is_shown_by_cell_in_all_and_per_row(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(capsys, *MATRIX, "--profit", "1,-1;-5,4", "--labels", "no,yes", "--quiet")
    for line in (
        "  no      50  -10     40",
        "  yes    -25  140    115",
        "  total   25  130    155",
    ):
        assert line in done.out.splitlines()
    assert "Profit per row" in done.out
    read = strict(call(capsys, *MATRIX, "--profit", "1,-1;-5,4", "--format", "json").out)
    assert isinstance(read["confusion"], dict)
    assert read["confusion"]["profit"] == [[50, -10], [-25, 140]]


def test_standard_input_and_several_files_are_read(tmp_path: Path) -> None:
    text = example("spam").read_text(encoding="utf-8")
    asked = ("--positive", "spam", "--measure", "accuracy", "--format", "csv", "--quiet")
    (from_pipe,) = (r for r in table(run("score", "-", *asked, given=text)) if not r["fold"])
    assert from_pipe["value"] == "0.8525"
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    files = [str(tmp_path / "one.csv"), str(tmp_path / "two.csv")]
    rows = [r for r in table(run("score", *files, *asked)) if not r["fold"]]
    assert [row["model"] for row in rows] == ["one", "two"]


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("a.json", "{\n"),
        ("a.csv", "model,"),
        ("a.md", "**example"),
        ("a.tex", "% needs"),
        ("a.txt", "example:spam: "),
    ],
)
def test_ending_of_the_output_implies_the_format(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, start: str
) -> None:
    path = tmp_path / name
    done = call(capsys, *SPAM, "--measure", "auc", "--output", str(path))
    assert (done.code, done.out, done.err) == (0, "", "")
    assert path.read_text(encoding="utf-8").startswith(start)
    assert [p.name for p in tmp_path.iterdir()] == [name]
    other = path.with_suffix(".txt")
    call(capsys, *SPAM, "--format", "csv", "--output", str(other))
    assert other.read_text(encoding="utf-8").startswith("model,")


def test_nothing_is_written_on_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text("old", encoding="utf-8")
    assert call(capsys, *SPAM, "--measure", "mae", "--output", str(path)).code == 2
    assert path.read_text(encoding="utf-8") == "old"
    assert call(capsys, *SPAM, "--output", str(tmp_path / "no" / "x.json")).code == 2
    assert call(capsys, *SPAM, "--output", str(tmp_path)).code == 2
    assert [p.name for p in tmp_path.iterdir()] == ["old.json"]


def test_output_is_written_when_a_requirement_fails(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "new.csv"
    assert call(capsys, *SPAM, "--require", "auc > 0.99", "--output", str(path)).code == 3
    assert path.stat().st_size > 0
    assert stat.S_IMODE(path.stat().st_mode) & stat.S_IRUSR
