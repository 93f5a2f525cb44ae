"""Measures at other prevalences: Bayes' rule, worked examples, intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import heldout
from heldout.core.errors import InputError
from heldout.decisions.prevalence import at_prevalence, from_rates, prevalence_table
from heldout.tally.confusion import Confusion
from heldout.uncertainty.cells import Cells, ConfusionBootstrap
from heldout.uncertainty.proportions import proportion_interval

#: liver scans against pathology (Altman and Bland 1994), abnormal is positive
LIVER = Confusion.from_matrix([[54, 32], [27, 231]], positive=1)


def drawn(counts: Confusion, replicates: int = 2000, seed: int = 1) -> ConfusionBootstrap:
    return ConfusionBootstrap(Cells.of_counts(counts), replicates, seed, stratified=True)


def test_precision_by_prevalence_is_that_of_the_worked_example() -> None:
    table = prevalence_table(from_rates(0.9, 0.01), [0.5, 0.1, 0.01, 0.001])
    values = [at.value for at in table.values if at.measure == "precision" and not at.is_observed]
    assert values == pytest.approx([0.989, 0.909, 0.476, 0.083], abs=0.0005)


def test_liver_scans_at_a_prevalence_of_a_quarter_are_as_in_caret() -> None:
    table = prevalence_table(LIVER, [0.25])
    values = {at.measure: at.value for at in table.values if not at.is_observed}
    assert values["precision"] == pytest.approx(0.445086705202312, abs=1e-9)
    assert values["npv"] == pytest.approx(0.947368421052632, abs=1e-9)


def test_prevalence_of_the_rows_changes_nothing() -> None:
    table = prevalence_table(LIVER, [])
    assert [at.value for at in table.values] == pytest.approx([231 / 263, 54 / 81, 285 / 344])
    assert table.tpr == pytest.approx(231 / 258)
    assert table.fpr == pytest.approx(32 / 86)


@given(
    cells=st.tuples(*[st.integers(0, 50)] * 4).filter(lambda c: c[0] + c[1] and c[2] + c[3]),
    prevalence=st.floats(0, 1),
)
def test_rates_and_total_stay_and_the_prevalence_is_that_asked_for(
    cells: tuple[int, int, int, int], prevalence: float
) -> None:
    counts = Confusion.from_matrix([cells[:2], cells[2:]], positive=1)
    moved = at_prevalence(counts, prevalence).matrix()
    assert moved.sum() == pytest.approx(sum(cells))
    assert moved[1].sum() == pytest.approx(prevalence * sum(cells), abs=1e-9)
    if prevalence > 1e-9:
        assert moved[1, 1] / moved[1].sum() == pytest.approx(cells[3] / (cells[2] + cells[3]))


def test_class_without_rows_makes_all_undefined_not_zero() -> None:
    counts = Confusion.from_matrix([[5, 3], [0, 0]], positive=1)
    assert np.isnan(at_prevalence(counts, 0.5).counts).all()
    with pytest.raises(InputError, match="rows are of one class"):
        prevalence_table(counts, [0.5])


def test_profit_a_row_at_another_prevalence_by_hand() -> None:
    table = prevalence_table(from_rates(0.8, 0.1), [0.2], measures=(), profit=((0, -1), (-10, 20)))
    expected = 0.2 * (0.8 * 20 - 0.2 * 10) - 0.8 * 0.1
    assert table.values[-1].measure == "profit_per_row"
    assert table.values[-1].value == pytest.approx(expected)


def test_interval_of_accuracy_at_prevalence_one_is_that_of_sensitivity() -> None:
    at = prevalence_table(LIVER, [1.0], measures=["accuracy"], bootstrap=drawn(LIVER, 4000)).values[
        -1
    ]
    plain = proportion_interval(231, 258, method="jeffreys")
    assert at.interval is not None
    assert "within true classes" in at.interval.method
    assert at.interval.low == pytest.approx(plain.low, abs=0.004)
    assert at.interval.high == pytest.approx(plain.high, abs=0.004)


def test_interval_does_not_collapse_where_no_false_positive_was_seen() -> None:
    counts = Confusion.from_matrix([[30, 0], [5, 15]], positive=1)
    at = prevalence_table(counts, [0.001], measures=["precision"], bootstrap=drawn(counts)).values[
        -1
    ]
    assert at.value == 1.0
    assert at.interval is not None
    assert at.interval.low < 0.5
    assert at.interval.high == 1.0


def test_interval_covers_where_the_prevalence_is_moved() -> None:
    rng = np.random.default_rng(8)
    truth = 0.01 * 0.85 / (0.01 * 0.85 + 0.99 * 0.1)
    covered = []
    for seed in range(150):
        tp, fp = rng.binomial(60, 0.85), rng.binomial(90, 0.1)
        counts = Confusion.from_matrix([[90 - fp, fp], [60 - tp, tp]], positive=1)
        at = prevalence_table(
            counts, [0.01], measures=["precision"], bootstrap=drawn(counts, 400, seed)
        )
        interval = at.values[-1].interval
        covered.append(interval is not None and interval.contains(truth))
    assert 0.9 <= np.mean(covered) <= 0.99


def test_rates_alone_and_counts_have_no_interval_unless_a_bootstrap_is_given() -> None:
    assert prevalence_table(from_rates(0.9, 0.1), [0.1]).values[0].interval is None
    given_one = drawn(LIVER, 100)
    heavy = Confusion.from_matrix(LIVER.matrix() * 1.0, positive=1)
    table = prevalence_table(heavy, [0.1], bootstrap=given_one)
    assert table.values[0].interval is not None


@pytest.mark.parametrize(("tpr", "fpr"), [(1.2, 0.1), (0.5, -0.1)])
def test_rate_outside_of_0_to_1_is_refused(tpr: float, fpr: float) -> None:
    with pytest.raises(InputError, match="a rate lies between 0 and 1"):
        from_rates(tpr, fpr)


def test_table_has_a_record_for_each_prevalence_and_measure() -> None:
    table = prevalence_table(LIVER, [0.1], measures=["precision", "f1"]).columns()
    assert table["prevalence"] == [0.75, 0.75, 0.1, 0.1]
    assert table["measure"] == ["precision", "f1"] * 2


def test_line_of_the_rows_says_that_their_prevalence_is_held_fixed() -> None:
    observed, other = prevalence_table(
        LIVER, [0.1], measures=["precision"], bootstrap=drawn(LIVER, 400)
    ).rows()
    free = ConfusionBootstrap(Cells.of_counts(LIVER), replicates=400).interval(
        lambda c: c.binary.tp / c.binary.predicted_positives
    )
    assert observed["high"] - observed["low"] < free.high - free.low
    assert "including that of these rows" in observed["note"]
    assert not other["note"]
    bare, _ = prevalence_table(LIVER, [0.1], measures=["precision"]).rows()
    assert not bare["note"]


def test_prevalence_of_the_rows_that_is_asked_for_too_is_given_once() -> None:
    truth, score = [1, 0] * 20, [0.9, 0.2, 0.4, 0.6] * 10
    card = heldout.score(truth, y_score=score, pos_label=1, cost=((0, 1), (5, 0)))
    (alone, twice) = (card.at_prevalence(*shares) for shares in ((0.1,), (0.5, 0.1, 0.1)))
    assert twice == alone
    assert [r["prevalence"] for r in twice] == [0.5] * 4 + [0.1] * 4
    assert [r["prevalence"] for r in card.operating_point(None, 0.5, 0.1)] == [0.5, 0.1]
