"""What users do by mistake: replace their data, pool their models, name a class with a comma."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from tests.cli.running import call

ROWS = "y,p\nyes,0.9\nno,0.2\nyes,0.7\nno,0.6\n"


def test_output_never_replaces_the_input(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "data.csv"
    path.write_text(ROWS)
    done = call(capsys, "score", str(path), "--positive", "yes", "--output", str(path))
    assert done.code == 2
    assert "it is read as input" in done.err
    assert path.read_text() == ROWS


def test_quoted_glob_is_a_model_a_file_as_the_shell_makes_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ("--positive", "yes", "--measure", "accuracy", "--format", "json")
    for name in ("forest", "logistic"):
        (tmp_path / f"{name}.csv").write_text(ROWS)

    def models(*sources: str) -> list[str]:
        done = call(capsys, "score", *sources, *asked)
        assert done.code == 0, done.err
        return [r["model"] for r in json.loads(done.out)["results"]]

    pattern = str(tmp_path / "*.csv")
    assert models(pattern) == ["forest", "logistic"]
    assert models(str(tmp_path / "l*.csv"), str(tmp_path / "forest.csv")) == ["logistic", "forest"]
    assert models(pattern, "--pool") == [""]


def test_one_class_in_all_rows_is_judged(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "one.csv"
    path.write_text("truth,predicted\na,a\na,a\na,a\n")
    done = call(capsys, "score", str(path), "--format", "json")
    assert done.code == 0
    found = {r["measure"]: r["value"] for r in json.loads(done.out)["results"]}
    assert found["accuracy"] == 1


def test_class_with_a_comma_is_written_in_quotes() -> None:
    card = heldout.score(["a, b", "c", "d", "a, b"], ["a, b", "c", "c", "d"])
    assert card['recall[class="a, b"]'].value == 0.5


def test_class_of_two_has_the_interval_of_its_rate() -> None:
    truth = np.arange(40) % 2
    card = heldout.score(truth, np.where(np.arange(40) < 30, truth, 0), pos_label=1)
    whole, named = card["recall"], card["recall", 1]
    assert (whole.low, whole.high, whole.method) == (named.low, named.high, named.method)


@pytest.mark.parametrize("profit", [[1, 2], "a"])
def test_profit_that_is_no_table_is_refused(profit: object) -> None:
    with pytest.raises(InputError, match=r"^profit=.*give the value of each cell, rows = truth$"):
        heldout.score([0, 1], [0, 1], profit=profit)


def test_nothing_to_score_is_said() -> None:
    with pytest.raises(InputError, match="give y_true"):
        heldout.score()


def test_groups_of_independent_rows_cost_little_width() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 3000)
    predicted = np.where(rng.random(3000) < 0.95, truth, 1 - truth)
    for name in ("accuracy", "mcc"):
        rows = heldout.score(truth, predicted, pos_label=1)[name]
        groups = heldout.score(truth, predicted, pos_label=1, groups=np.arange(3000) % 30)[name]
        assert rows.low is not None
        assert groups.low is not None
        assert groups.high - groups.low < 2 * (rows.high - rows.low)  # type: ignore[operator]  # all known


@pytest.mark.parametrize("word", ["b", "bc "])
def test_a_cell_of_any_length_is_cut_in_messages(
    word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"truth,predicted\na,{word * 50_000}\n{word * 50_000},a\n", encoding="utf-8")
    done = call(capsys, "score", str(path))
    assert done.code == 2
    assert len(done.err) < 5000
    assert "more characters" in done.err


@pytest.mark.parametrize("command", [("score", "example:doses"), ("evaluate", "diabetes")])
@pytest.mark.parametrize(
    "option", ["--confusion=truth", "--orientation=prediction-rows", "--per-class"]
)
def test_regression_has_no_classes_to_show(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...], option: str
) -> None:
    more = ("--models=linear", "--no-store") if command[0] == "evaluate" else ()
    done = call(capsys, *command, option, *more, "--quiet")
    flag = option.partition("=")[0]
    assert (done.code, done.out) == (2, "")
    assert done.err == f"heldout: {flag} is for classification, and the task is regression\n"
