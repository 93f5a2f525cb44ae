"""Tables as other tools and heldout itself write them, training rows among them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError
from heldout.engines.public import read_predictions
from tests.cli.running import call

TIDY = """.pred_class,.pred_0,.pred_1,id,.row,bought,.config
1,0.2,0.8,Fold1,1,1,Preprocessor1_Model1
0,0.9,0.1,Fold1,2,0,Preprocessor1_Model1
1,0.4,0.6,Fold2,3,0,Preprocessor1_Model1
0,0.7,0.3,Fold2,4,1,Preprocessor1_Model1
"""
TIDY_REPEATED = """.pred,id,id2,.row,mpg,.config
20.5,Repeat1,Fold1,1,21,Preprocessor1_Model1
22.5,Repeat1,Fold2,2,22.8,Preprocessor1_Model1
20.1,Repeat2,Fold1,2,22.8,Preprocessor1_Model1
21.4,Repeat2,Fold2,1,21,Preprocessor1_Model1
"""
MLR3 = """row_ids,truth,response,prob.a,prob.b,prob.c
3,a,a,0.8,0.1,0.1
7,b,b,0.1,0.8,0.1
9,c,b,0.3,0.4,0.3
"""
CARET = """pred,obs,a,b,c,rowIndex,mtry,Resample
a,a,0.8,0.1,0.1,1,2,Fold1.Rep1
b,b,0.1,0.8,0.1,2,2,Fold2.Rep1
b,c,0.3,0.4,0.3,3,2,Fold2.Rep1
a,a,0.7,0.2,0.1,1,2,Fold2.Rep2
b,b,0.2,0.7,0.1,2,2,Fold1.Rep2
c,c,0.3,0.3,0.4,3,2,Fold1.Rep2
"""
H2O = """predict,p0,p1,label
1,0.2,0.8,1
0,0.9,0.1,0
1,0.4,0.6,0
"""
WEKA = """inst#,actual,predicted,error,prediction
1,1:0,1:0,,0.9
2,2:1,2:1,,0.8
1,1:0,2:1,+,0.6
2,2:1,1:0,+,0.7
"""
WEKA_DISTRIBUTION = """inst#,actual,predicted,error,distribution,,
1,1:a,1:a,,*0.8,0.1,0.1
2,2:'b b',2:b b,,0.1,*0.8,0.1
3,3:c,2:b b,+,0.3,*0.4,0.3
"""
ORANGE = (
    "age\tbought\tTree\tTree (0)\tTree (1)\tkNN\tkNN (0)\tkNN (1)\n"
    "continuous\t0 1\t0 1\tcontinuous\tcontinuous\t0 1\tcontinuous\tcontinuous\n"
    "\tclass\tmeta\tmeta\tmeta\tmeta\tmeta\tmeta\n"
    "30\t1\t1\t0.2\t0.8\t0\t0.6\t0.4\n40\t0\t0\t0.9\t0.1\t0\t0.7\t0.3\n50\t0\t1\t0.4\t0.6\t1\t0.2\t0.8\n"
)
ORANGE_PLAIN = """age,bought,Tree,Tree (a),Tree (b),Tree (c)
30,a,a,0.8,0.1,0.1
40,b,b,0.1,0.8,0.1
50,c,b,0.3,0.4,0.3
"""
ORANGE_PREFIXED = """C#age,cD#bought,mD#Tree,mC#Tree (a),mC#Tree (b),mC#Tree (c)
30,a,a,0.8,0.1,0.1
40,b,b,0.1,0.8,0.1
50,c,b,0.3,0.4,0.3
"""


@pytest.mark.parametrize(
    ("name", "text", "tool", "measure", "shown", "head"),
    [
        ("t.csv", TIDY, "tidymodels", "log_loss", "0.6122", "2 folds (column id)"),
        (
            "t.csv",
            TIDY_REPEATED,
            "tidymodels",
            "mae",
            "0.9750",
            "2 repeats (column id); 2 folds (column id2)",
        ),
        ("t.csv", MLR3, "mlr3", "log_loss", "0.5501", "classes a, b, c"),
        (
            "t.csv",
            CARET,
            "caret",
            "accuracy",
            "0.8333",
            "2 repeats (column repeat of Resample); 2 folds",
        ),
        ("t.csv", H2O, "H2O", "brier", "0.1367", "positive: 1"),
        ("t.csv", WEKA, "Weka", "brier", "0.2250", "2 folds (column fold of inst#)"),
        ("t.csv", WEKA_DISTRIBUTION, "Weka", "log_loss", "0.5501", "classes a, b b, c"),
        ("t.tab", ORANGE, "Orange", "brier", "0.1367", "2 models, 3 rows each"),
        ("t.csv", ORANGE_PLAIN, "Orange", "log_loss", "0.5501", "model Tree, 3 rows"),
        ("t.csv", ORANGE_PREFIXED, "Orange", "log_loss", "0.5501", "model Tree, 3 rows"),
    ],
    ids=[
        "tidymodels",
        "repeated",
        "mlr3",
        "caret",
        "h2o",
        "weka",
        "distribution",
        "orange",
        "plain",
        "prefixed",
    ],
)
def test_a_table_of_a_tool_is_scored_without_a_flag(
    name: str,
    text: str,
    tool: str,
    measure: str,
    shown: str,
    head: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    done = call(capsys, "score", str(path), "--no-intervals", "--measure", measure)
    assert done.code == 0, done.err
    assert f"columns as {tool} writes them: " in done.err
    said = " ".join(done.out.split())
    assert head in said
    assert shown in said


def test_settings_that_caret_tried_are_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ['"","pred","obs","rowIndex","mtry","weights","Resample"']
    labels = [("a", "a"), ("b", "a"), ("b", "b"), ("a", "b")]
    for tried in (2, 4):
        for row, (guess, truth) in enumerate(labels, start=1):
            guess = truth if tried == 4 else guess
            number = len(lines)
            lines.append(f'"{number}","{guess}","{truth}",{row},{tried},{row % 2},"Fold{row % 2}"')
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = call(
        capsys, "score", str(path), "--no-intervals", "--measure", "accuracy", "--positive", "b"
    )
    assert done.code == 0, done.err
    assert "2 models, 4 rows each" in " ".join(done.out.split())
    assert re.search(r"mtry=2\s+0\.5000", done.out)
    assert re.search(r"mtry=4\s+1\b", done.out)


def test_bootstrap_samples_of_tidymodels_are_no_folds(tmp_path: Path) -> None:
    samples = TIDY.replace("Fold", "Bootstrap")
    assert samples != TIDY
    p = read(samples, tmp_path)
    assert p.design.procedure == "bootstrap 2"
    assert p.design.fold is None
    assert p.design.repeat is not None


def read(text: str, tmp_path: Path, **roles: str) -> heldout.Predictions:
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    (made,) = heldout.read_predictions(path, **roles)
    return made


def test_ids_are_those_of_the_tool(tmp_path: Path) -> None:
    for text, ids in ((TIDY, [1, 2, 3, 4]), (MLR3, [3, 7, 9]), (CARET, [1, 2, 3, 1, 2, 3])):
        identifier = read(text, tmp_path).identifier
        assert identifier is not None
        assert identifier.tolist() == ids


def test_numbers_that_start_again_with_each_fold_are_no_ids(tmp_path: Path) -> None:
    assert read(WEKA, tmp_path).identifier is None


def test_rows_that_come_again_are_not_taken_for_other_rows(tmp_path: Path) -> None:
    bootstrap = CARET.replace(".Rep1", "").replace(".Rep2", "")
    with pytest.raises(InputError, match=r"'rowIndex': id .+ comes twice"):
        read(bootstrap, tmp_path)


def test_what_the_reader_says_goes_before_what_the_tool_means(tmp_path: Path) -> None:
    made = read(TIDY, tmp_path, model="", id="", fold=".row")
    assert made.model == ""
    assert made.identifier is None
    assert made.design.fold is not None
    assert len(made.design.fold.levels) == 4


def test_a_unit_in_brackets_is_no_class_of_a_model(tmp_path: Path) -> None:
    text = "y,pred,height,height (cm)\na,a,1,100\nb,a,2,200\nc,c,3,300\n"
    made = read(text, tmp_path)
    assert made.model == ""
    assert not any("Orange" in note for note in made.notes)


def test_classes_of_one_letter_are_no_flags_of_a_header(tmp_path: Path) -> None:
    made = read("truth,predicted\nc,m\nm,c\nc,c\ni,i\n", tmp_path)
    assert len(made) == 4


@pytest.mark.parametrize("value", ["?", "", "x", "e"])
def test_a_number_that_is_none_is_refused_in_words(value: str, tmp_path: Path) -> None:
    for text in (WEKA, WEKA_DISTRIBUTION):
        broken = text.replace(",0.9", f",{value}").replace("*0.8,0.1,0.1", f"{value},0.1,0.1")
        with pytest.raises(heldout.InputError, match="NaN in 1 row"):
            read(broken, tmp_path)


NAN = float("nan")


def table(**more: Any) -> dict[str, Any]:
    """Two models of four rows: one has probabilities, the other decision values."""
    columns: dict[str, Any] = {
        "model": ["b"] * 4 + ["a"] * 4,
        "truth": ["x", "y", "x", "y"] * 2,
        "predicted": ["x", "y", "y", "y"] * 2,
        "p_x": [0.9, 0.2, 0.4, 0.1] + [NAN] * 4,
        "p_y": [0.1, 0.8, 0.6, 0.9] + [NAN] * 4,
        "score_x": [NAN] * 4 + [2.0, -1.0, -0.5, -3.0],
        "score_y": [NAN] * 4 + [-2.0, 1.0, 0.5, 3.0],
    }
    return columns | more


def test_each_model_has_its_own_scores_in_the_order_of_the_names() -> None:
    a, b = read_predictions(table(), positive="y")
    assert (a.model, b.model) == ("a", "b")
    assert a.scores is not None
    assert b.scores is not None
    assert a.scores.tolist() == [-2.0, 1.0, 0.5, 3.0]
    assert b.scores.tolist() == [0.1, 0.8, 0.6, 0.9]
    assert (bool(a.score_problem), bool(b.score_problem)) == (True, False)
    assert "scores: columns 'score_x', 'score_y' (guessed by their names)" in a.notes


def test_model_without_any_score_has_its_labels() -> None:
    columns = {k: v for k, v in table().items() if not k.startswith("score_")}
    a, b = read_predictions(columns, positive="y")
    assert a.scores is None
    assert b.scores is not None


def test_single_missing_scores_are_still_refused() -> None:
    columns = table(p_x=[0.9, NAN, 0.4, 0.1] + [NAN] * 4)
    with pytest.raises(InputError, match="p_x"):
        read_predictions(columns, positive="y")


def test_scores_that_the_reader_names_are_meant_for_every_model() -> None:
    with pytest.raises(InputError, match="p_x"):
        read_predictions(table(), positive="y", score_prefix="p_")


def test_weights_go_with_their_rows() -> None:
    a, b = read_predictions(table(sample_weight=np.arange(8.0)), positive="y")
    assert a.weight is not None
    assert b.weight is not None
    assert a.weight.tolist() == [4, 5, 6, 7]
    assert b.weight.tolist() == [1, 2, 3]


def test_table_says_which_class_is_positive_unless_the_reader_does() -> None:
    columns = table(positive_class=["x"] * 8)
    assert {one.positive for one in read_predictions(columns)} == {0}
    assert {one.positive for one in read_predictions(columns, positive="y")} == {1}
    with pytest.raises(InputError, match="choose the positive one"):
        read_predictions(table(positive_class=["x", "y"] * 4))


def test_groups_are_taken_from_tables_of_heldout_alone() -> None:
    columns = table(group=[1, 1, 2, 2] * 2, positive_class=["y"] * 8)
    assert read_predictions(columns)[0].design.group is None
    own = {"procedure": ["loo"] * 8, "seed": [0] * 8}
    own |= {"fit_seconds": [0.5] * 8, "predict_seconds": [0.5] * 8}
    assert read_predictions(columns | own)[0].design.group is not None


TABLE: dict[str, Any] = {
    "model": ["a"] * 6 + ["b"] * 2,
    "part": ["train", "Training", "train", "test", "test", "test", "test", "test"],
    "truth": [0, 1, 1, 0, 1, 1, 0, 1],
    "predicted": [0, 1, 1, 1, 1, 0, 0, 1],
}


def test_training_rows_are_left_out_and_counted() -> None:
    a, b = heldout.read_predictions(TABLE)
    assert (len(a), len(b)) == (3, 2)
    assert "3 training rows left out (column 'part'): values with them are optimistic" in a.notes
    assert heldout.score(a)["accuracy"].value == pytest.approx(1 / 3)


def test_a_model_without_other_rows_is_named() -> None:
    made = heldout.read_predictions(TABLE | {"part": ["train"] * 6 + ["test"] * 2})
    assert [one.model for one in made] == ["b"]
    assert "only training rows, so left out: a" in made[0].notes


@pytest.mark.parametrize(("name", "word"), [("part", "train"), ("procedure", "training")])
def test_training_rows_alone_are_called_optimistic(name: str, word: str) -> None:
    table = {k: v for k, v in TABLE.items() if k != "part"} | {name: [word] * 8}
    made = heldout.read_predictions(table)
    assert sum(len(one) for one in made) == 8
    assert any("all rows are training rows; every value is optimistic" in n for n in made[0].notes)


def test_rows_of_a_training_procedure_are_left_out_beside_others() -> None:
    table = {k: v for k, v in TABLE.items() if k not in ("part", "model")}
    (made,) = heldout.read_predictions(table | {"procedure": ["training"] * 3 + ["5-fold"] * 5})
    assert (len(made), made.design.procedure) == (5, "5-fold")


@pytest.mark.parametrize("values", [[0, 0, 0, 0, 1, 1, 1, 1], ["a", "b"] * 4])
def test_another_column_of_that_name_means_nothing(values: Any) -> None:
    made = heldout.read_predictions(TABLE | {"part": values})
    assert sum(len(one) for one in made) == 8


def test_a_column_with_a_role_means_what_the_role_says() -> None:
    table = {k: v for k, v in TABLE.items() if k != "model"}
    assert len(heldout.read_predictions(table, model="part")) == 3


def test_a_value_that_is_missing_is_no_training_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("part,truth,predicted\ntrain,0,0\n,1,1\ntest,1,0\n,0,0\n")
    (made,) = heldout.read_predictions(path)
    assert len(made) == 3


def written(**changes: Any) -> dict[str, list[Any]]:
    """Twelve rows as tidymodels collects them, in three folds, with other columns."""
    rows = range(1, 13)
    columns: dict[str, list[Any]] = {
        ".pred_class": ["ab"[i % 2] for i in rows],
        ".pred_a": [0.7 - 0.4 * (i % 2) for i in rows],
        ".pred_b": [0.3 + 0.4 * (i % 2) for i in rows],
        "id": [f"Fold{i % 3}" for i in rows],
        ".row": list(rows),
        "kind": ["ab"[i // 3 % 2] for i in rows],
        ".config": ["m"] * 12,
    }
    return columns | changes


def twice(columns: dict[str, list[Any]], **other: list[Any]) -> dict[str, list[Any]]:
    """The rows, and the same rows again with other values of some columns for either part."""
    return {name: values * 2 for name, values in columns.items()} | {
        name: [first] * 12 + [second] * 12 for name, (first, second) in other.items()
    }


def one(columns: dict[str, list[Any]]) -> heldout.Predictions:
    (p,) = heldout.read_predictions(columns, positive="b")
    return p


def test_a_column_of_ones_own_called_procedure_is_kept() -> None:
    samples = [f"Bootstrap{i % 3}" for i in range(12)]
    beside = one(written(id=samples, procedure=["surgery"] * 12))
    assert beside.design.procedure == "bootstrap 3"
    columns = written(id=samples)
    columns["procedure"] = columns.pop("kind")
    assert one(columns).target == "procedure"
    assert one(columns).design.procedure == "bootstrap 3"


@pytest.mark.parametrize(
    ("names", "rows", "procedure", "role"),
    [
        ([f"Resample{i % 3}" for i in range(12)], range(1, 13), "", "fold"),
        ([f"Resample{i // 4}" for i in range(12)], [1, 2, 3, 4] * 3, "3x holdout", "repeat"),
        (
            ["Resample1"] * 6 + ["Resample2"] * 4 + ["Resample3"] * 2,
            [*range(1, 7)] * 2,
            "bootstrap 3",
            "repeat",
        ),
        ([f"Slice{i // 4}" for i in range(12)], range(1, 13), "time 3", "fold"),
    ],
    ids=["groups", "holdouts", "bootstrap", "slices"],
)
def test_resamples_are_what_their_names_and_rows_say(
    names: list[str], rows: Any, procedure: str, role: str
) -> None:
    kind = ["ab"[row % 3 % 2] for row in rows]
    tidy = written(id=names, kind=kind, **{".row": list(rows)})
    caret = {"pred": tidy[".pred_class"], "obs": kind, "rowIndex": tidy[".row"], "Resample": names}
    for columns in (tidy, caret):
        design = one(columns).design
        assert design.procedure == procedure
        assert [r for r in ("fold", "repeat") if getattr(design, r) is not None] == [role]


def test_parameters_that_were_tuned_are_not_the_truth() -> None:
    tuned = twice(written(), **{".config": ("m1", "m2"), "mtry": (1, 3)})
    first, second = heldout.read_predictions(tuned, positive="b")
    assert (first.model, second.model, first.target) == ("m1", "m2", "kind")
    numbers = {name: values for name, values in tuned.items() if not name.startswith(".pred")}
    numbers |= {"kind": [i * 1.5 for i in range(12)] * 2, ".pred": [i * 1.4 for i in range(12)] * 2}
    assert {(p.task, p.target) for p in heldout.read_predictions(numbers)} == {
        ("regression", "kind")
    }


def test_workflows_with_one_configuration_each_are_models() -> None:
    flows = twice(written(), wflow_id=("lr", "rf"), model=("logistic_reg", "rand_forest"))
    assert [p.model for p in heldout.read_predictions(flows, positive="b")] == ["lr", "rf"]


def test_the_truth_is_the_only_column_of_the_labels_that_h2o_predicts() -> None:
    labels = ["a", "b", "c"] * 4
    columns = {"predict": labels, "age": [*range(12)], "species": ["a", "c", "b"] * 4}
    (p,) = heldout.read_predictions(columns)
    assert p.target == "species"
    with pytest.raises(InputError, match="no column has a usual name for the truth"):
        heldout.read_predictions(columns | {"other": labels})


def test_a_truth_that_weka_does_not_know_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'actual': no value in 1 row \(first: line 2"):
        read(WEKA.replace("1,1:0", "1,1:?", 1), tmp_path)


@pytest.mark.parametrize(
    ("kind", "cells"),
    [
        ("a b", [("a", "b", "a"), ("b", "b", "b"), ("a", "a", "b")]),
        ("continuous", [("1.5", "1.4", "1.1"), ("2.5", "2.2", "2"), ("0.5", "1", "0.1")]),
    ],
)
def test_models_of_orange_need_no_probabilities(
    kind: str, cells: list[tuple[str, ...]], tmp_path: Path
) -> None:
    lines = ["y\tTree\tkNN\tFold", f"{kind}\t{kind}\t{kind}\t1 2", "class\tmeta\tmeta\tmeta"]
    lines += ["\t".join([*row, str(i % 2 + 1)]) for i, row in enumerate(cells)]
    path = tmp_path / "t.tab"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    roles = {"positive": "a"} if kind == "a b" else {}
    tree, knn = heldout.read_predictions(path, **roles)
    assert (tree.model, knn.model, tree.target) == ("Tree", "kNN", "y")
    assert tree.design.fold is not None
