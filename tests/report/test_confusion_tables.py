"""Confusion matrices as tables, records and charts: orientation, shares, models, folds, slices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.report.plots.plot import plot
from tests.cli.running import run

FILE = """id,fold,truth,predicted,city
1,1,a,a,x
2,1,a,b,x
3,1,b,b,y
4,2,b,b,y
5,2,a,a,x
6,2,b,a,x
"""


@pytest.fixture
def rows(tmp_path: Path) -> str:
    path = tmp_path / "rows.csv"
    path.write_text(FILE)
    return str(path)


def record(*words: str) -> dict[str, Any]:
    done = run("score", *words, "--positive", "b", "--format", "json", "--quiet")
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)["confusion"]
    return found


def test_json_has_the_matrix_of_each_fold_and_slice(rows: str) -> None:
    found = record(rows, "--per-fold", "--by", "city", "--confusion", "truth")
    assert found["matrix"] == [[2, 1], [1, 2]]
    assert found["shares_of_truth"] == [[2 / 3, 1 / 3], [1 / 3, 2 / 3]]
    assert [(part["fold"], part["matrix"]) for part in found["folds"]] == [
        ("1", [[1, 1], [0, 1]]),
        ("2", [[1, 0], [1, 1]]),
    ]
    assert [(part["slice"], part["matrix"]) for part in found["slices"]] == [
        ("city=x", [[2, 1], [1, 0]]),
        ("city=y", [[0, 0], [0, 2]]),
    ]
    # no row of city y is of class a
    assert found["slices"][1]["shares_of_truth"] == [[None, None], [0, 1]]


def test_the_matrix_is_turned_where_rows_are_to_be_predictions(rows: str) -> None:
    skewed = rows.replace("rows.csv", "skewed.csv")
    Path(skewed).write_text(FILE.replace("6,2,b,a,x\n", ""))
    assert record(skewed)["matrix"] == [[2, 1], [0, 2]]
    turned = record(skewed, "--orientation", "prediction-rows", "--confusion", "predicted")
    assert turned["matrix"] == [[2, 0], [1, 2]]
    assert turned["orientation"] == "rows = predicted, columns = truth"
    assert turned["shares_of_predicted"] == [[1, 0], [1 / 3, 2 / 3]]
    given = run("score", "--matrix", "2,0;1,2", "--orientation", "prediction-rows")
    assert "choose the positive one" in given.err


def test_screen_shows_each_fold_with_totals(rows: str) -> None:
    done = run("score", rows, "--positive", "b", "--per-fold", "--measure", "accuracy", "--quiet")
    start = done.out.index("Confusion matrix by fold")
    assert done.out[start:].splitlines()[:9] == [
        "Confusion matrix by fold (rows: truth, columns: predicted)",
        "  fold    truth  a  b  total",
        "  ──────────────────────────",
        "  fold 1  a      1  1      2",
        "          b      0  1      1",
        "          total  1  2      3",
        "  ──────────────────────────",
        "  fold 2  a      1  0      1",
        "          b      1  1      2",
    ]


def test_several_matrices_are_ranked_by_profit() -> None:
    # payday loans of a lecture: the more accurate model earns less
    done = run(
        *("score", "--matrix", "knn=57,3;10,30", "--matrix", "tree=43,17;3,37"),
        *("--labels", "good,bad", "--positive", "bad", "--orientation", "truth-rows"),
        *("--profit", "140,-140;-700,0", "--rank", "profit", "--format", "json", "--quiet"),
    )
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert [(r["model"], r["profit"]) for r in found["ranking"]] == [("tree", 1540), ("knn", 560)]
    assert found["confusion"]["models"]["knn"]["profit"] == [[7980, -420], [-7000, 0]]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("1,2;3,4", "knn=1,2;3,4"), "name each of several matrices"),
        (("knn=1,2;3,4", "knn=1,2;3,5"), "another matrix has the name 'knn'"),
        (("knn=1,2;3,4", "nb=1,2,1;3,4,1;1,1,1"), "has 3"),
        (("knn=1,2;3,x", "nb=1,2;3,4"), "a count is a number"),
    ],
)
def test_several_matrices_that_do_not_go_together_are_refused(
    words: tuple[str, ...], error: str
) -> None:
    given = [word for text in words for word in ("--matrix", text)]
    done = run("score", *given, "--orientation", "truth-rows", "--positive", "first")
    assert done.code == 2
    assert error in done.err


def test_python_takes_matrices_by_name_and_puts_their_classes_in_one_order(tmp_path: Path) -> None:
    other = tmp_path / "nb.csv"
    other.write_text(",yes,no\nyes,8,2\nno,20,70\n")
    first = tmp_path / "knn.csv"
    first.write_text(",no,yes\nno,90,0\nyes,9,1\n")
    card = heldout.score(
        confusion={"knn": first, "nb": other}, orientation="truth-rows", pos_label="yes"
    )
    knn, nb = card.matrices()
    assert nb.counts.matrix().tolist() == [[70, 20], [2, 8]]
    np.testing.assert_allclose(knn.shares("all"), [[0.9, 0], [0.09, 0.01]])
    assert card.only("nb")["recall"].value == 0.8


def test_chart_has_a_panel_a_model_with_counts_and_shares() -> None:
    matrices = {"knn": "90,0;9,1", "nb": "70,20;2,8"}
    card = heldout.score(confusion=matrices, orientation="truth-rows", pos_label="first")
    chart = plot(card, "confusion", as_data=True)
    assert [panel.name for panel in chart.panels] == ["knn", "nb"]
    texts = {(mark.x, mark.y): mark.text for mark in chart.panels[0].marks if hasattr(mark, "text")}
    assert texts == {
        (0, 1): "90\n100.0%",
        (1, 1): "0\n0.0%",
        (0, 0): "9\n90.0%",
        (1, 0): "1\n10.0%",
    }
    for options, error in (({"cells": "x"}, "cells is one of"), ({"bins": 3}, "no option 'bins'")):
        with pytest.raises(InputError, match=error):
            plot(card, "confusion", **options)
    with pytest.raises(InputError, match="needs predicted classes"):
        plot(heldout.score([0, 1, 1], y_score=[3.0, 2.0, 7.0]), "confusion")


def test_all_charts_of_a_class_leave_the_matrix_whole() -> None:
    truth = ["a", "b", "c"] * 4
    scores = np.full((12, 3), 0.2)
    scores[np.arange(12), np.arange(12) % 3] = 0.6
    charts = plot(heldout.score(truth, y_score=scores), "all", class_="a", as_data=True)
    assert charts["roc"].words.endswith("a against the rest")
    assert charts["confusion"].panels[0].x.labels == ("a", "b", "c")


@pytest.mark.parametrize("all_charts", [False, True])
def test_chart_is_turned_as_the_tables_are(rows: str, tmp_path: Path, all_charts: bool) -> None:
    drawn, expected = tmp_path / "charts" / "confusion.png", tmp_path / "expected.png"
    asked = f"all={drawn.parent}" if all_charts else f"confusion[cells=all]={drawn}"
    drawn.parent.mkdir()
    given = (
        rows,
        "--positive",
        "b",
        "--orientation",
        "prediction-rows",
        "--confusion",
        "predicted",
    )
    assert run("score", *given, "--plot", asked, "--quiet").code == 0
    card = heldout.score(rows, positive="b")
    # what the brackets of a chart say is said of it alone
    cells = "predicted" if all_charts else "all"
    card.plot("confusion", path=expected, orientation="prediction-rows", cells=cells)
    assert drawn.read_bytes() == expected.read_bytes()
