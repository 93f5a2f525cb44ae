"""The columns of --by are in the table of predictions, and heldout score slices by them again."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import heldout
from heldout.runner.prediction_columns import slice_names, slice_values
from heldout.tables.column import Column
from tests.cli.running import call

RUN = ("evaluate", "data.csv", "--target", "outcome", "--positive", "p", "--models", "lda,majority")
HOW = ("--procedure", "3-fold", "--measure", "accuracy", "--no-store", "--no-audit")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    values, noise = rng.normal(size=60), rng.normal(size=60)
    made = pd.DataFrame(
        {
            "a": values.round(6),
            "site": [None if n % 7 == 0 else "uvw"[n % 3] for n in range(60)],
            "age": [30 + 10 * (n % 4) for n in range(60)],
            "Group": ["g" if n % 2 else "h" for n in range(60)],
            "outcome": np.where(values + noise > 0, "p", "n"),
        }
    )
    made.to_csv("data.csv", index=False)
    return made


def sliced(text: str, model: str = "lda") -> dict[str, Any]:
    rows = [row for row in json.loads(text)["results"] if row["model"] == model]
    found = {row["slice"]: row["value"] for row in rows if row["slice"] and not row["fold"]}
    assert found
    return found


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_score_slices_the_predictions_by_the_same_columns(
    ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    by = ("--by", "site", "--by", "age")
    written = ("--predictions", f"p.{ending}", "--format", "json", "--quiet")
    done = call(capsys, *RUN, *HOW, *by, *written)
    assert done.code == 0, done.err
    asked = ("--measure", "accuracy", "--format", "json", "--quiet")
    again = call(capsys, "score", f"p.{ending}", *by, *asked)
    assert again.code == 0, again.err
    assert sliced(again.out) == pytest.approx(sliced(done.out))
    assert {"site=(missing)", "site=u", "age=30"} <= set(sliced(again.out))


def test_name_that_means_something_else_is_changed_and_said(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done = call(capsys, *RUN, *HOW, "--by", "Group", "--predictions", "p.csv")
    assert done.code == 0, done.err
    said = "note: p.csv: column 'Group' is called 'by_Group' there, where its name means something"
    assert said in " ".join(done.err.split())
    rows = list(csv.DictReader(Path("p.csv").read_text().splitlines()))
    assert list(rows[0])[-1] == "by_Group"
    assert {row["by_Group"] for row in rows} == {"g", "h"}
    assert call(capsys, "score", "p.csv", "--by", "by_Group").code == 0


def test_python_has_the_columns_in_its_table_too(data: pd.DataFrame) -> None:
    asked: Any = {"target": "outcome", "pos_label": "p", "procedure": "3-fold", "store": None}
    made = heldout.evaluate("lda", data=data, by=["site"], **asked)
    frame = made.predictions.to_pandas()
    expected = [data["site"].fillna("(missing)").iloc[row - 1] for row in frame["id"]]
    assert frame["site"].tolist() == expected
    assert made.predictions.renamed == {}
    plain = heldout.evaluate("lda", data=data, **asked)
    assert list(plain.predictions.frame.data) == [c for c in frame.columns if c != "site"]


def test_taken_names_get_others_and_values_stay_of_one_kind() -> None:
    names = ["sex", "truth", "P_old", "yes", "Sex", "p1", "target", "by_truth"]
    made = slice_names(names, ["truth", "seed"], ("no", "yes"))
    assert list(made.values()) == [
        "sex", "by_truth", "by_P_old", "by_yes", "by_Sex", "by_p1", "by_target", "by_by_truth"
    ]  # fmt: skip
    numbers = slice_values(Column("age", np.array([0, 2, 1]), (30, 40, "(missing)")))
    np.testing.assert_array_equal(numbers, [30.0, np.nan, 40.0])
    flags = slice_values(Column("ill", np.array([0, 1, 0]), (False, True)))
    assert flags.tolist() == [False, True, False]
    unsure = slice_values(Column("ill", np.array([0, 1, 2]), (False, True, "(missing)")))
    assert unsure.tolist() == ["False", "True", "(missing)"]


def test_evaluate_tests_slices_against_the_rest_as_score_does(
    capsys: pytest.CaptureFixture[str],
) -> None:
    by = ("--by", "age")
    page = call(capsys, *RUN, *HOW, *by, "--quiet")
    assert "worst slices first (lda)" in page.out
    done = call(capsys, *RUN, *HOW, *by, "--predictions", "p.csv", "--format", "json", "--quiet")
    again = call(
        capsys, "score", "p.csv", *by, "--measure", "accuracy", "--format", "json", "--quiet"
    )
    first, second = (json.loads(made.out)["slices"] for made in (done, again))
    assert len(first) == 12  # of two models: four slices, all rows, the mean
    p_values = [[line["p_value"] for line in made] for made in (first, second)]
    assert p_values[0] == pytest.approx(p_values[1])
    assert {line["verdict"] for line in first if line["kind"] == "slice"} <= {
        "no clear difference",
        "better",
        "worse",
    }


def test_csv_of_slices_is_that_of_score(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [f"{x},{'abc'[x % 3]},{'yes' if x * 7 % 10 > 4 else 'no'}" for x in range(90)]
    Path("data.csv").write_text("\n".join(["x,site,y", *rows]))
    asked = ("--by", "site", "--measure", "accuracy", "--format", "csv", "--quiet")
    how = ("--models", "nb", "--positive", "yes", "--procedure", "3-fold", "--no-store")
    evaluated = call(capsys, "evaluate", "data.csv", *how, "--predictions", "p.csv", *asked)
    scored = call(capsys, "score", "p.csv", *asked)
    assert evaluated.out == scored.out
    assert "p_value[accuracy]" in scored.out
