"""Pages say why a value of a class lacks its interval; lists, plurals and headings are right."""

from __future__ import annotations

import numpy as np

import heldout
from heldout.assess.results import Result
from heldout.core.notes import Kind, Note, as_notes
from heldout.measures.registry import measures
from heldout.report.layout import Grid, lay_out
from heldout.report.markdown import markdown_text
from heldout.report.names import family_title
from heldout.report.remarks import reason_of, remark_lines
from heldout.report.scorecard import scorecard_document


def three_classes() -> heldout.Scorecard:
    rng = np.random.default_rng(2)
    truth = rng.choice(["a", "b", "c"], 90)
    return heldout.score(truth, y_score=rng.dirichlet([1.0, 1.0, 1.0], 90), replicates=40)


def test_cell_without_an_interval_has_its_reason_below_the_table() -> None:
    card = three_classes()
    results = card.results(["gini_macro", "true_positives"])
    document = lay_out(scorecard_document(card, results))
    (grid,) = [b for b in document if isinstance(b, Grid) and "Each class" in b.title]
    assert "True positives: no interval: a count of these rows" in grid.notes


def test_every_reason_of_a_class_or_an_average_in_the_data_is_on_the_page() -> None:
    card = three_classes()
    results = card.results(everything=True)
    document = lay_out(scorecard_document(card, results, families=True))
    (grid,) = [b for b in document if isinstance(b, Grid) and "Each class" in b.title]
    page = " ".join(grid.notes)
    below = [r for r in results if r.class_ or r.measure.endswith(("_macro", "_weighted"))]
    lacking = {reason for r in below if (reason := reason_of(r))}
    assert len(lacking) > 3
    assert all(reason in page for reason in lacking)


def test_reasons_name_rows_and_measures_and_stay_silent_where_nothing_lacks() -> None:
    notes = as_notes("at score >= 1", "3 of 400 replicates undefined")
    fine = Result("auc", 0.5, 9, notes, low=0.1, high=0.9)
    bare = Result("auc", 0.5, 9, (Note("too few rows", Kind.NO_INTERVAL),))
    undefined = Result("auc", float("nan"), 9, (Note("one class", Kind.UNDEFINED),))
    title = "Area under the ROC curve"
    rows = list("abc")
    assert remark_lines([("a", "auc", [reason_of(fine)])], rows) == ()
    told = [("a", bare), ("b", bare), ("c", undefined)]
    assert remark_lines([(row, "auc", [reason_of(r)]) for row, r in told], rows) == (
        f"{title} (a, b): no interval: too few rows",
        f"{title} (c): undefined: one class",
    )
    # what holds for all rows names none
    every = [(row, "auc", [reason_of(bare)]) for row in rows]
    assert remark_lines(every, rows) == (f"{title}: no interval: too few rows",)


def test_methods_are_items_below_the_line_that_announces_them() -> None:
    card = heldout.score([1, 0, 1, 0], [1, 0, 0, 0])
    document = scorecard_document(card, card.results(["accuracy"]))
    assert "\n- 95% intervals by\n  - Wilson: Accuracy\n" in markdown_text(document, methods=True)
    assert "\n- 95% intervals; --methods shows how they are computed\n" in markdown_text(document)


def test_one_of_anything_is_no_plural() -> None:
    same = heldout.score([1, 0, 1, 0], y_score=[0.5] * 4)
    assert same["reliability"].note.startswith("1 distinct score in 4 rows")
    assert "Clopper-Pearson of 1 bin" in same["maximum_calibration_error"].method


def test_heading_of_a_family_holds_for_all_of_its_measures() -> None:
    titles = {measure.name: family_title(measure) for measure in measures()}
    assert titles["calibration_slope"] == titles["expected_calibration_error"] == "Calibration"
    assert len(set(titles.values())) == len({measure.family for measure in measures()})
