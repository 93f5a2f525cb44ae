"""Charts of splits: every row in its place, in the shade of its part."""

from __future__ import annotations

import numpy as np
import pytest

from heldout.core.errors import InputError
from heldout.datasets.arrays import dataset_of
from heldout.procedures.apply import splits_of
from heldout.report.plots.chart import Chart, Heat
from heldout.report.plots.save import picture
from heldout.report.plots.splits import BOOK, TEST, TRAIN, VALIDATION

#: what the legend says of the classes
CLASSES = ("class a", "class b")


def chart(procedure: str, rows: int = 40, **options: str) -> Chart:
    truth = ["a", "b"] * (rows // 2)
    dataset = dataset_of([[float(i)] for i in range(rows)], truth, pos_label="a")
    given = (dataset, splits_of(procedure, dataset))
    made: Chart = BOOK.plot(given, "splits", as_data=True, **options)
    return made


def cells(made: Chart) -> np.ndarray:
    (heat,) = (mark for mark in made.panels[0].marks if isinstance(mark, Heat))
    return np.asarray(heat.cells)[::-1]  # the first split is drawn on top


def legend(made: Chart) -> list[str]:
    return [entry.text for entry in made.panels[0].legend]


def test_folds_are_rectangles_side_by_side() -> None:
    shades = cells(chart("5-fold"))
    expected = np.full((5, 40), TRAIN)
    for fold in range(5):
        expected[fold, 8 * fold : 8 * fold + 8] = TEST
    np.testing.assert_array_equal(shades, expected)
    below = chart("5-fold").panels[0].below
    assert below is not None
    # within each fold both classes, half and half
    (strip,) = below.marks[0].cells
    assert [len(set(part)) for part in np.split(strip, 10)] == [1] * 10


def test_rows_as_in_the_data_are_mixed() -> None:
    shades = cells(chart("5-fold", order="data"))
    assert (shades == TEST).sum(axis=0).tolist() == [1] * 40
    assert (np.diff(shades[0]) != 0).sum() > 2


def test_three_parts_and_rows_that_are_not_used_are_explained() -> None:
    three = chart("holdout 50:20:30")
    values, counts = np.unique(cells(three), return_counts=True)
    assert dict(zip(values, counts, strict=True)) == {TRAIN: 20, VALIDATION: 8, TEST: 12}
    assert legend(three) == ["training", "validation", "test", *CLASSES]
    assert legend(chart("time 3 gap 2")) == ["training", "test", "not used", *CLASSES]
    often = ["training, darker where drawn more often", "test", *CLASSES]
    assert legend(chart("bootstrap 3")) == often


def test_classes_are_grey_where_parts_are_blue() -> None:
    panel = chart("5-fold").panels[0]
    assert panel.below is not None
    assert [mark.is_grey for mark in (*panel.marks, *panel.below.marks)] == [False, True]


def test_what_is_left_out_of_a_large_chart_is_said() -> None:
    made = chart("3x10-fold", rows=5000)
    assert cells(made).shape == (25, 2000)
    assert made.panels[0].notes == [
        "the first 25 of 30 splits",
        "every 2.5th of 5,000 rows is drawn",
    ]


def test_chart_is_drawn_and_wrong_names_are_refused() -> None:
    dataset = dataset_of([[1.0], [2.0], [3.0], [4.0]], [1.0, 2.0, 3.0, 4.5])
    made = (dataset, splits_of("2-fold", dataset))
    assert len(picture(BOOK.plot(made, "splits"), "png")) > 3000
    for name, error in (("split", "did you mean splits"), ("splits[by=x]", "no option 'by'")):
        with pytest.raises(InputError, match=error):
            BOOK.plot(made, name)
    with pytest.raises(InputError, match="order is one of tested, data"):
        BOOK.plot(made, "splits[order=x]")


def test_inner_splits_part_the_training_rows_of_the_first_one() -> None:
    made = chart("5-fold", inner="4-fold")
    shades = cells(made)
    assert made.panels[0].y.labels == ("1.4", "1.3", "1.2", "1.1", "1")
    outer, inner = shades[0], shades[1:]
    is_test = outer == TEST
    assert is_test.sum() == 8
    # no inner split sees a row that tests, and each other row validates once
    assert np.isnan(inner[:, is_test]).all()
    assert ((inner == VALIDATION).sum(axis=0) == ~is_test).all()
    assert (inner[:, ~is_test] != TEST).all()
    with pytest.raises(InputError, match="no procedure is called"):
        chart("5-fold", inner="4-fol")
