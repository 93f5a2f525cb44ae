"""``heldout compare --datasets`` and ``heldout power`` on the command line."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import call

Capture = pytest.CaptureFixture[str]
LONG = ("compare", "results.csv", "--datasets", "name", "--models", "model", "--value", "accuracy")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    values = np.random.default_rng(1).normal(0.8, 0.03, (14, 4)) + 0.02 * np.arange(4)
    names = ("tree", "knn", "svm", "forest")
    lines = [f"s{i},{m},{values[i, k]:.4f}" for i in range(14) for k, m in enumerate(names)]
    (tmp_path / "results.csv").write_text("\n".join(["name,model,accuracy", *lines]))
    wide = [",".join([f"s{i}", *(f"{v:.4f}" for v in values[i, :2])]) for i in range(14)]
    (tmp_path / "wide.csv").write_text("\n".join(["name,tree,knn", *wide]))
    return tmp_path


def test_ranks_letters_tests_and_pairs_are_shown(capsys: Capture) -> None:
    done = call(capsys, *LONG, "--explain")
    assert done.code == 0
    assert "mean rank" in done.out
    assert "Iman-Davenport test" in done.out
    assert "critical difference" not in done.out
    nemenyi = call(capsys, *LONG, "--correction", "nemenyi")
    assert "critical difference of mean ranks (Nemenyi)" in nemenyi.out
    assert "forest is better than tree over 14 data sets" in done.out
    assert "Bergmann and Hommel" in done.out


def test_json_and_csv_hold_every_pair(capsys: Capture) -> None:
    found = json.loads(call(capsys, *LONG, "--format", "json").out)
    assert next(m["model"] for m in found["models"]) == "forest"
    assert len(found["differences"]) == 6
    assert found["critical_difference"] == pytest.approx(1.2536, abs=1e-3)
    rows = list(csv.DictReader(StringIO(call(capsys, *LONG, "--format", "csv").out)))
    assert len(rows) == 6
    assert {row["correction"] for row in rows} == {"bergmann_hommel"}
    assert int(rows[0]["wins"]) + int(rows[0]["draws"]) + int(rows[0]["losses"]) == 14


def test_wide_table_of_two_models_has_a_posterior(capsys: Capture) -> None:
    ask = ("compare", "wide.csv", "--datasets", "name", "--rope", "0.01")
    found = json.loads(call(capsys, *ask, "--format", "json").out)
    (q,) = found["posterior"]
    assert q["first_better"] + q["equivalent"] + q["second_better"] == pytest.approx(1)
    assert "Wilcoxon signed-rank test (exact)" in call(capsys, *ask).out
    assert "sign test" in call(capsys, *ask, "--test", "sign").out


def test_lower_is_better_turns_the_order(capsys: Capture) -> None:
    found = json.loads(call(capsys, *LONG, "--lower-is-better", "--format", "json").out)
    assert next(m["model"] for m in found["models"]) == "tree"


def test_charts_are_written(capsys: Capture, folder: Path) -> None:
    assert call(capsys, *LONG, "--plot", "all=many", "--plot", "ranks=cd.svg").code == 0
    assert {p.name for p in (folder / "many").iterdir()} == {"forest.png", "ranks.png"}
    assert (folder / "cd.svg").read_text().startswith("<?xml")
    ask = ("compare", "wide.csv", "--datasets", "name", "--rope", "0.01")
    assert call(capsys, *ask, "--plot", "posterior.pdf").code == 0
    assert (folder / "posterior.pdf").stat().st_size > 1000


def test_forced_t_test_says_that_it_is_not_valid(capsys: Capture) -> None:
    ask = ("compare", "wide.csv", "--datasets", "name", "--test", "t-over-sets", "--force")
    assert "NOT VALID" in call(capsys, *ask).out


def test_power_from_numbers_and_files(capsys: Capture) -> None:
    ask = ("power", "--difference", "0.05", "--discordance", "0.15", "--format", "json")
    assert json.loads(call(capsys, *ask).out)["results"][0]["needed"] == 461
    back = ("power", "--rows", "461", "--discordance", "0.15", "--format", "csv")
    (row,) = csv.DictReader(StringIO(call(capsys, *back).out))
    assert float(row["detectable"]) == pytest.approx(0.05, abs=1e-4)
    files = ("power", "example:models", "--positive", "spam", "--measure", "auc", "--quiet")
    done = call(capsys, *files, "--difference", "0.02")
    assert done.code == 0
    assert "forest - logistic" in done.out
    assert "needs" in done.out
    area = ("power", "--difference", "0.05", "--auc", "0.8", "--prevalence", "0.3")
    assert "782" in call(capsys, *area).out


def test_power_of_folds_says_where_repeats_do_not_help(capsys: Capture) -> None:
    ask = ("power", "--folds", "10", "--repeats", "10", "--spread", "0.03")
    done = call(capsys, *ask, "--difference", "0.02")
    assert "no number of repeats finds 0.02" in done.out
    assert "limit of repeats" in " ".join(done.out.split())


def test_evaluate_permutes_labels_and_refits(capsys: Capture) -> None:
    ask = ("evaluate", "iris", "--models", "nb", "--procedure", "3-fold", "--no-store", "--quiet")
    done = call(capsys, *ask, "--measure", "accuracy", "--permutations", "19")
    assert done.code == 0
    assert "Against chance" in done.out
    assert "labels permuted 19 times, models refitted" in done.out
    data = call(capsys, *ask, "--measure", "accuracy", "--permutations", "19", "--format", "csv")
    rows = [row for row in csv.DictReader(StringIO(data.out)) if not row["fold"]]
    assert "p = 0.05" in rows[0]["note"]
    few = call(capsys, *ask, "--permutations", "5")
    assert few.code == 2
    assert "never give p <= 0.05" in few.err
