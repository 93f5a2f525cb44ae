"""``heldout compare``: files, runs and charts in every format."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import call

EXAMPLE = ("compare", "example:models", "--positive", "spam")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HELDOUT_STORE", raising=False)
    monkeypatch.setenv("COLUMNS", "110")
    return tmp_path


def write(path: Path, seed: int, *, rows: int = 200, shuffled: bool = False) -> str:
    """A file of scores whose ids may stand in any order."""
    truth = np.random.default_rng(9).integers(0, 2, rows)
    rng = np.random.default_rng(seed)
    score = np.clip(0.5 + 0.15 * seed * (truth - 0.5) + rng.normal(0, 0.2, rows), 0, 1)
    order = rng.permutation(rows) if shuffled else np.arange(rows)
    lines = [f"r{i},{truth[i]},{score[i]:.6f}" for i in order]
    path.write_text("\n".join(["row_id,y,p", *lines]))
    return str(path)


def two(folder: Path) -> tuple[str, ...]:
    a, b = write(folder / "a.csv", 1), write(folder / "b.csv", 3, shuffled=True)
    return ("compare", a, b, "--truth", "y", "--score", "p", "--id", "row_id", "--positive", "1")


def test_table_names_the_better_model_and_what_could_be_shown(capsys: Capture) -> None:
    done = call(capsys, *EXAMPLE)
    assert done.code == 0
    assert "\nModels" in done.out
    assert "forest is best by area under the ROC curve; better than" in " ".join(done.out.split())
    every = " ".join(call(capsys, *EXAMPLE, "--explain").out.split())
    assert "auc: forest is better than rules" in every
    # logistic has the best accuracy and forest the best area, but neither is told apart
    assert "the measures disagree" not in done.out
    assert "recognised by name" in done.err


def test_files_are_paired_by_id_whatever_their_order(capsys: Capture, folder: Path) -> None:
    done = call(capsys, *two(folder), "--measure", "auc", "--format", "json", "--quiet")
    found = json.loads(done.out)
    (difference,) = found["differences"]
    write(folder / "b.csv", 3)
    again = json.loads(
        call(capsys, *two(folder), "--measure", "auc", "--format", "json", "--quiet").out
    )
    assert difference["test"] == "DeLong (paired)"
    assert difference["better"] == "b"
    assert {d["p_value"] for d in again["differences"]} == {difference["p_value"]}
    assert found["call"]["files"][0].endswith("a.csv")
    assert found["design"]["kind"] == "one test set"


def test_csv_has_a_row_a_pair_and_measure(capsys: Capture) -> None:
    done = call(capsys, *EXAMPLE, "--format", "csv", "--quiet")
    rows = list(csv.DictReader(StringIO(done.out)))
    assert len(rows) == 9
    assert {row["measure"] for row in rows} == {"accuracy", "auc", "log_loss"}
    for row in rows:
        assert float(row["low"]) <= float(row["difference"]) <= float(row["high"])
        assert float(row["corrected"]) >= float(row["p_value"])
    assert done.err == ""


@pytest.mark.parametrize(("form", "sign"), [("markdown", "| model |"), ("latex", "toprule")])
def test_documents_have_tables(capsys: Capture, folder: Path, form: str, sign: str) -> None:
    done = call(capsys, *EXAMPLE, "--format", form, "--quiet", "--measure", "accuracy")
    assert sign in done.out
    ending = {"markdown": "md", "latex": "tex"}[form]
    call(capsys, *EXAMPLE, "--measure", "accuracy", "--quiet", "--output", f"out.{ending}")
    assert (folder / f"out.{ending}").read_text() == done.out


def test_explain_gives_the_reasons(capsys: Capture) -> None:
    done = call(capsys, *EXAMPLE, "--explain", "--quiet")
    assert "Why these tests" in done.out
    assert "Every model was judged once, on the same rows" in " ".join(done.out.split())
    assert "corrected after Holm" in " ".join(done.out.split())


def test_options_reach_the_comparison(capsys: Capture) -> None:
    ask = (*EXAMPLE, "--measure", "accuracy", "--quiet", "--format", "json")
    found = json.loads(call(capsys, *ask).out)["differences"][0]
    assert found["interval"] == "Tango (score)"
    other = json.loads(call(capsys, *ask, "--interval", "newcombe").out)["differences"][0]
    assert other["interval"].startswith("Newcombe")
    exact = json.loads(call(capsys, *ask, "--test", "mcnemar").out)["differences"][0]
    assert exact["p_value"] > found["p_value"]
    side = json.loads(call(capsys, *ask, "--alternative", "less").out)["differences"][0]
    assert side["p_value"] < found["p_value"]
    wide = json.loads(call(capsys, *ask, "--level", "0.99").out)["differences"][0]
    assert wide["low"] < found["low"]
    alone = json.loads(call(capsys, *ask, "--correction", "none").out)["differences"][0]
    assert alone["corrected"] == alone["p_value"]
    drawn = json.loads(
        call(capsys, *ask, "--test", "permutation", "--permutations", "500", "--seed", "3").out
    )["differences"][0]
    assert "500 exchanges" in drawn["test"]
    assert "seed 3" in drawn["test"]


def test_profit_ranks_the_models(capsys: Capture) -> None:
    done = call(capsys, *EXAMPLE, "--quiet", "--profit", "10,-5;-20,30", "--format", "json")
    found = json.loads(done.out)
    profits = [model["profit_per_row"] for model in found["models"]]
    assert profits == sorted(profits, reverse=True)


def test_margin_and_unpaired_are_said(capsys: Capture, folder: Path) -> None:
    done = call(capsys, *EXAMPLE, "--quiet", "--measure", "auc", "--margin", "0.2")
    assert "equivalent within 20 points" in " ".join(done.out.split())
    loud = call(capsys, *two(folder), "--quiet", "--measure", "accuracy", "--unpaired")
    assert loud.code == 2
    assert "judged on the same rows" in loud.err
    assert "leave --unpaired out" in loud.err
    ask = ("--quiet", "--measure", "accuracy", "--unpaired", "--force")
    loud = call(capsys, *two(folder), *ask)
    assert "UNPAIRED" in loud.out
    assert "judged on different rows" not in loud.out
    assert "NOT VALID" in loud.out
    assert "z test of two independent proportions" in loud.out


def test_chance_names_what_each_test_asks(capsys: Capture) -> None:
    ask = ("--chance", "--measure", "accuracy", "--permutations", "100", "--quiet")
    done = call(capsys, *EXAMPLE, *ask)
    assert "no-information rate" in done.out
    assert "not refitted" in done.out
    found = json.loads(call(capsys, *EXAMPLE, *ask, "--format", "json").out)["chance"]
    assert len(found) == 6
    assert all(0 < row["p_value"] < 0.05 for row in found)


def test_folds_travel_in_the_file_of_evaluate(capsys: Capture, folder: Path) -> None:
    ask = ("--procedure", "3x4-fold", "--no-store", "--predictions", "out.csv", "--quiet")
    call(capsys, "evaluate", "wdbc", "--models", "nb,lda", *ask)
    more = ("--positive", "malignant", "--measure", "auc", "--quiet")
    done = call(capsys, "compare", "out.csv", *more, "--rope", "0.01", "--format", "json")
    found = json.loads(done.out)
    assert found["design"]["kind"] == "repeated k-fold"
    assert found["design"]["test_share"] == pytest.approx(1 / 3, abs=0.01)
    assert "Nadeau" in found["differences"][0]["test"]
    shares = found["posterior"][0]
    total = shares["first_better"] + shares["equivalent"] + shares["second_better"]
    assert total == pytest.approx(1)
    drawn = call(capsys, "compare", "out.csv", *more, "--plot", "all=charts", "--rope", "0.01")
    assert drawn.code == 0
    charts = {path.name for path in (folder / "charts").iterdir()}
    assert charts == {"decision.png", "forest.png", "posterior.png", "roc.png"}


def test_runs_of_the_store_are_compared_by_number_and_name(capsys: Capture, folder: Path) -> None:
    for model in ("nb", "lda"):
        call(capsys, "evaluate", "iris", "--models", model, "--procedure", "4-fold", "--quiet")
    done = call(capsys, "compare", "--runs", "iris-nb", "iris-lda", "--measure", "accuracy")
    assert "4 folds, 150 rows" in done.out
    same = call(capsys, "compare", "--runs", "1:nb", "1:lda", "--measure", "accuracy")
    assert same.out == done.out
    call(capsys, "evaluate", "iris", "--models", "nb,lda", "--procedure", "4-fold", "--quiet")
    assert "accuracy: no clear difference between nb and lda" in done.out


def test_what_is_required_of_every_model_decides_the_exit_code(capsys: Capture) -> None:
    required = ("--require", "auc >= 0.8", "--require", "lower(accuracy) > 0.7")
    assert call(capsys, *EXAMPLE, *required).code == 0
    done = call(capsys, *EXAMPLE, "--require", "auc >= 0.9")
    assert done.code == 3
    assert "\nModels" in done.out
    assert "auc of rules is 0.858399, required: auc >= 0.9" in done.err
    asked = call(capsys, "score", *EXAMPLE[1:], "--require", "auc >= 0.9")
    assert (asked.code, asked.err.splitlines()[-1]) == (3, done.err.splitlines()[-1])
    assert call(capsys, *EXAMPLE, "--require", "auc > much").code == 2


def test_a_negative_seed_is_refused(capsys: Capture) -> None:
    done = call(capsys, *EXAMPLE, "--measure", "accuracy", "--seed", "-1")
    assert (done.code, done.out) == (2, "")
    assert "a seed is a whole number from 0, not -1" in done.err


def test_margin_and_rope_are_answered_in_slices(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "slices.csv"
    lines = ["id,model,y,p,g"]
    for n in range(240):
        truth, part = n % 2, "many" if n < 220 else "few"
        noise = (n * 37 % 101) / 101
        lines.append(f"{n},a,{truth},{0.35 * truth + 0.65 * noise:.4f},{part}")
        other = (n * 37 % 101 + 3 * (n % 3)) / 107 if n < 220 else (n * 61 % 101) / 101
        lines.append(f"{n},b,{truth},{0.35 * truth + 0.65 * other:.4f},{part}")
    path.write_text("\n".join(lines) + "\n")
    asked = ("--positive", "1", "--by", "g", "--measure", "auc", "--margin", "0.05")
    quiet = ("--quiet", "--no-audit")
    done = call(capsys, "compare", str(path), *asked, "--rope", "0.02", *quiet)
    assert done.code == 0
    assert "within 0.05" in done.out
    assert "g=few: auc: neither equivalence nor non-inferiority within 5 points is" in done.out
    assert "g=many, Area under the ROC curve" in done.out.split("Probabilities")[1]
    record = json.loads(call(capsys, "compare", str(path), *asked, "--format", "json", *quiet).out)
    words = {d["slice"]: d["within_margin"] for d in record["differences"]}
    assert words == {"": "equivalent", "g=many": "equivalent", "g=few": "not shown"}
