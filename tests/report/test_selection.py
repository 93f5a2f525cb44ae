"""A selection in words, tables, files and charts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import heldout
from heldout.core.errors import InputError, MissingExtra


@pytest.fixture(scope="module")
def chosen() -> heldout.Selection:
    return heldout.select(
        "knn", "n_neighbors=1..10", data="iris", procedure="10-fold", training_error=True
    )


@pytest.fixture(scope="module")
def pair() -> heldout.Selection:
    grid = {"max_depth": [1, 2, None], "min_samples_leaf": [1, 5]}
    return heldout.select("tree", grid, data="iris", nested="2x3-fold")


def texts(figure: Any) -> str:
    """All that a figure says."""
    from matplotlib.text import Text

    return "\n".join(one.get_text() for one in figure.findobj(Text))


def test_iris_by_neighbours_is_above_93_percent_everywhere(chosen: heldout.Selection) -> None:
    assert (chosen.search.values > 0.93).all()
    figure = chosen.plot("parameter")
    said = texts(figure)
    assert "Accuracy against n_neighbors" in said
    assert f"chosen: {chosen.best.name}" in said
    assert "one standard error over 10 splits" in said
    line = figure.axes[0].containers[0].lines[0]
    np.testing.assert_allclose(line.get_xdata(), np.arange(1, 11))
    np.testing.assert_allclose(line.get_ydata(), chosen.search.values)


def test_training_values_are_labelled_optimistic(chosen: heldout.Selection) -> None:
    figure = chosen.plot("training")
    assert "training rows: optimistic" in texts(figure)
    drawn = [line.get_ydata() for line in figure.axes[0].get_lines()]
    assert chosen.training is not None
    assert any(len(y) == 10 and np.allclose(y, chosen.training) for y in drawn)
    assert chosen.training[0] == 1
    plain = heldout.select("knn", "n_neighbors=1..2", data="iris", procedure="3-fold")
    with pytest.raises(InputError, match="training_error=True"):
        plain.plot("training")


def test_two_parameters_are_a_heat_map(pair: heldout.Selection) -> None:
    figure = pair.plot()
    cells = figure.axes[0].images[0].get_array()
    assert cells.shape == (3, 2)
    table = pair.table
    for depth, leaf, value in zip(
        table["max_depth"], table["min_samples_leaf"], table["value"], strict=True
    ):
        assert cells[[1, 2, None].index(depth), [1, 5].index(leaf)] == value
    assert "chosen: " in texts(figure)
    assert "min_samples_leaf" in texts(pair.plot("parameter", parameter="min_samples_leaf"))
    with pytest.raises(InputError, match="did you mean max_depth"):
        pair.plot("parameter", parameter="max_dept")


def test_a_learning_curve_rises_with_the_rows(chosen: heldout.Selection) -> None:
    curve = chosen.learning_curve([0.2, 1.0])
    assert curve.rows.tolist() == [27.0, 135.0]
    assert curve.validation.shape == curve.training.shape == (2, 10)
    assert curve.validation[1].mean() > curve.validation[0].mean()
    np.testing.assert_allclose(curve.validation[1], chosen.search.table[chosen.choice.index])
    said = texts(chosen.plot("learning", sizes=[0.5, 1.0]))
    assert "training rows: optimistic" in said
    with pytest.raises(InputError, match="shares of the training rows"):
        chosen.learning_curve([2.0])


def test_charts_are_files_and_unknown_ones_are_refused(
    chosen: heldout.Selection, tmp_path: Path
) -> None:
    chosen.plot(path=tmp_path / "chart.png")
    assert (tmp_path / "chart.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match="there are parameter, training, heat, learning"):
        chosen.plot("roc_curve_of_all")
    with pytest.raises(InputError, match="two parameters"):
        chosen.plot("heat")


def test_many_combinations_are_a_cloud_of_points() -> None:
    grid = "max_depth=int(1,12); min_samples_leaf=int(1,30); min_samples_split=int(2,9)"
    made = heldout.select("tree", grid, data="iris", procedure="2-fold", random=14)
    assert "other parameters differ" in texts(made.plot("parameter"))


def test_the_words_say_what_is_optimistic_and_what_to_expect(pair: heldout.Selection) -> None:
    said = " ".join(repr(pair).split())
    assert "optimistic: the same value was used to choose" in said
    for word in ("nested", "bias-corrected", "optimism", "Outer folds", "of 2", "~ best"):
        assert word in said
    assert "<table" in pair._repr_html_()


def test_json_and_csv_have_all_of_it(pair: heldout.Selection, tmp_path: Path) -> None:
    pair.save(tmp_path / "made.json")
    document = json.loads((tmp_path / "made.json").read_text())
    assert document["best"]["setting"] == pair.best.name
    assert [one["estimate"] for one in document["estimates"]] == [
        "nested",
        "bias-corrected",
        "optimism",
    ]
    assert len(document["settings"]) == 6
    assert len(document["values"][0]["values"]) == 3
    assert len(document["outer"]) == 2
    assert len(document["outer"][0]["inner"]) == 6
    pair.save(tmp_path / "made.csv")
    lines = (tmp_path / "made.csv").read_text().splitlines()
    assert lines[0].startswith("setting,model,max_depth,min_samples_leaf,measure,value")
    assert len(lines) == 7
    with pytest.raises(InputError, match=r"\.json, \.csv or"):
        pair.save(tmp_path / "made.xlsx")


def test_the_model_is_fitted_on_all_rows_and_answers_with_labels(chosen: heldout.Selection) -> None:
    X = chosen.dataset.frame
    predicted = chosen.model.predict(X)
    assert set(predicted) == {"setosa", "versicolor", "virginica"}
    assert np.mean(predicted == chosen.dataset.labels) > 0.93


def test_a_saved_model_is_read_without_running_code(
    chosen: heldout.Selection, tmp_path: Path
) -> None:
    io = pytest.importorskip("skops.io")
    chosen.save(tmp_path / "model.skops")
    file = (tmp_path / "model.skops").read_bytes()
    assert file.startswith(b"PK")
    back = io.loads(file, trusted=io.get_untrusted_types(data=file))
    X = chosen.dataset.frame
    assert np.array_equal(back.predict(X), chosen.model.predict(X))


def test_saving_without_skops_names_the_extra(
    chosen: heldout.Selection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "skops", None)
    monkeypatch.setitem(__import__("sys").modules, "skops.io", None)
    with pytest.raises(MissingExtra, match=r"pip install \"heldout\[models\]\""):
        chosen.save(tmp_path / "model.skops")
    assert not list(tmp_path.iterdir())


def test_long_numbers_are_cut_for_readers_and_whole_for_programs() -> None:
    made = heldout.select("ridge", "alpha=log(0.01,1,4)", data="diabetes", procedure="3-fold")
    assert "  0.04642  " in repr(made)
    assert made.search.settings[1].name == "ridge[alpha=0.0464158883361]"
    close = heldout.select("ridge", "alpha=1.000001,1.000002", data="diabetes", procedure="3-fold")
    assert "ridge[alpha=1.000002]" in repr(close)
